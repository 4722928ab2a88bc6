"""Generators of artificial data sets used in the papers.

A generator is a function ``generator(rng, *, ...) -> Dataset`` with keyword parameters that takes
all random numbers from ``rng``. The first ``n_train`` rows are the official training part. Labels
are clean; noise models corrupt the training labels with a random stream of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.data.dataset import Dataset
from boostbench.errors import BoostbenchError
from boostbench.portable import cholesky, row_sums

_MADELON_RANGES = {
    "n_informative": (2, 10),
    "n_redundant": (0, 5),
    "n_repeated": (0, 5),
    "n_useless": (0, 5),
    "n_classes": (2, 5),
    "n_clusters_per_class": (2, 5),
    "n_train": (200, 3000),
}


def madelon(
    rng: np.random.Generator,
    *,
    n_train: int | None = None,
    n_test: int = 10_000,
    n_informative: int | None = None,
    n_redundant: int | None = None,
    n_repeated: int | None = None,
    n_useless: int | None = None,
    n_classes: int | None = None,
    n_clusters_per_class: int | None = None,
    beta: float | None = None,
    redraw: Literal["all", "classes"] = "all",
) -> Dataset:
    """Draw a Madelon-like problem: clusters at the corners of a hypercube.

    Parameters that are None are drawn uniformly: ``n_informative`` from 2..10, ``n_redundant``,
    ``n_repeated`` and ``n_useless`` from 0..5, ``n_classes`` and ``n_clusters_per_class`` from
    2..5, ``n_train`` from 200..3000 (integers, ends included), and ``beta`` from [0, 0.25]. While
    ``n_classes * n_clusters_per_class`` exceeds ``2 ** n_informative``, all integers are drawn
    again, so that small numbers of informative features are rare. With ``redraw="classes"`` only
    these two are drawn again, so that all numbers of informative features are equally frequent;
    2 informative features then have two classes of two clusters.

    All rows are equal to those of one call of `sklearn.datasets.make_classification` with
    ``flip_y=0``, so the training and test parts have the same distribution and clean labels. The
    paper replaces each training label, independently with probability beta, by a class drawn
    uniformly from all classes. This is the noise model ``exchange`` with rate ``extras["beta"]``
    and ``exact=False``.

    ``extras`` holds the drawn parameters, including ``beta``.

    Raises
    ------
    BoostbenchError
        If no problem has the given parameters.

    References
    ----------
    M. Geist, "Soft-max boosting", Machine Learning 100, 2015, Section 5.3.
    """
    features = n_informative, n_redundant, n_repeated, n_useless
    given = (*features, n_classes, n_clusters_per_class, n_train)
    _check_sizes(n_test=n_test, n_train=1 if n_train is None else n_train)
    drawn = _draw_madelon(rng, given, redraw)
    share = float(rng.uniform(0.0, 0.25)) if beta is None else float(beta)
    random = np.random.RandomState(int(rng.integers(2**32)))
    X, y = _clusters_on_corners(random, drawn, drawn["n_train"] + n_test)
    return Dataset.from_arrays(
        "madelon", X, y, n_train=drawn["n_train"], extras={**drawn, "beta": share}
    )


def _clusters_on_corners(
    random: np.random.RandomState, drawn: dict[str, int], n: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw the rows of `make_classification` with ``flip_y=0``, with a fixed order of summation."""
    from sklearn.utils.random import sample_without_replacement

    d, n_classes = drawn["n_informative"], drawn["n_classes"]
    n_clusters = n_classes * drawn["n_clusters_per_class"]
    n_drawn = d + drawn["n_redundant"] + drawn["n_repeated"]
    X = np.zeros((n, n_drawn + drawn["n_useless"]))
    corners = sample_without_replacement(2**d, n_clusters, random_state=random)
    centres = 2.0 * (corners[:, None] >> np.arange(d)[::-1] & 1) - 1.0
    X[:, :d] = random.standard_normal(size=(n, d))
    size = int(n * (1.0 / n_classes) / drawn["n_clusters_per_class"])
    sizes = size + (np.arange(n_clusters) < n - size * n_clusters)
    ends = np.cumsum(sizes)
    for centre, start, end in zip(centres, ends - sizes, ends, strict=True):
        X[start:end, :d] = _product(X[start:end, :d], 2.0 * random.uniform(size=(d, d)) - 1.0)
        X[start:end, :d] += centre
    y = np.repeat(np.arange(n_clusters) % n_classes, sizes)
    m = d + drawn["n_redundant"]
    if m > d:
        X[:, d:m] = _product(X[:, :d], 2.0 * random.uniform(size=(d, m - d)) - 1.0)
    if n_drawn > m:
        copied = ((m - 1) * random.uniform(size=n_drawn - m) + 0.5).astype(np.intp)
        X[:, m:n_drawn] = X[:, copied]
    if drawn["n_useless"]:
        X[:, n_drawn:] = random.standard_normal(size=(n, drawn["n_useless"]))
    random.uniform(size=n)  # drawn by `make_classification` to flip labels
    random.randint(n_classes, size=0)
    X += 2.0 * random.uniform(size=X.shape[1]) - 1.0
    X *= 1.0 + 100.0 * random.uniform(size=X.shape[1])
    rows, columns = np.arange(n), np.arange(X.shape[1])
    random.shuffle(rows)
    random.shuffle(columns)
    return X[np.ix_(rows, columns)], y[rows]


def _product(X: NDArray[np.float64], A: NDArray[np.float64]) -> NDArray[np.float64]:
    return row_sums(X[:, None, :] * A.T)


def _draw_madelon(
    rng: np.random.Generator, given: Sequence[int | None], redraw: str
) -> dict[str, int]:
    if redraw not in ("all", "classes"):
        raise BoostbenchError(
            f"redraw must be 'all' or 'classes', found {redraw!r}", where="madelon"
        )
    bounds = dict(_MADELON_RANGES)
    for key, value in zip(bounds, given, strict=True):
        if value is not None:
            bounds[key] = value, value
    fewest = bounds["n_classes"][0] * bounds["n_clusters_per_class"][0]
    most = 2 ** bounds["n_informative"][redraw == "all"]
    if fewest > most:
        raise BoostbenchError(
            f"n_classes * n_clusters_per_class is at least {fewest}, more than the "
            f"2 ** n_informative = {most} corners there are",
            where="madelon",
        )
    again = list(bounds) if redraw == "all" else ["n_classes", "n_clusters_per_class"]
    drawn: dict[str, int] = {}
    while True:
        for key in again if drawn else bounds:
            drawn[key] = int(rng.integers(*bounds[key], endpoint=True))
        if drawn["n_classes"] * drawn["n_clusters_per_class"] <= 2 ** drawn["n_informative"]:
            return drawn


def long_servedio(
    rng: np.random.Generator, *, n_train: int = 4000, n_test: int = 10_000
) -> Dataset:
    """Draw the problem on which convex potentials fail under label noise.

    There are 21 features in {0, 1}, and the label y is uniform in {0, 1}. In a quarter of the rows
    all features equal y (large margin). In a quarter the first 11 features equal y and the last 10
    equal 1 - y (pullers). In half of the rows 5 random features of the first 11 and 6 random
    features of the last 10 equal y, and the rest equal 1 - y (penalizers). The unweighted majority
    vote of the features is correct on every row.

    Parameters
    ----------
    rng : numpy Generator
    n_train, n_test : int
        Multiples of 4; ``n_test`` may be 0. For Figure 7 of the paper, the training labels are
        corrupted by the noise model ``flip`` with ``exact=False``.

    References
    ----------
    P. Long and R. Servedio, "Random classification noise defeats all convex potential boosters",
    Machine Learning 78, 2010; M. Geist, "Soft-max boosting", 2015, Section 5.5.2.

    Examples
    --------
    >>> import numpy as np
    >>> data = long_servedio(np.random.default_rng(0), n_train=8, n_test=4)
    >>> ((data.X.sum(axis=1) > 10) == data.y).all()
    np.True_
    """
    _check_sizes(n_train=n_train, n_test=n_test)
    for name, n in (("n_train", n_train), ("n_test", n_test)):
        if n % 4:
            raise BoostbenchError(
                f"{name} must be a multiple of 4, found {n}", where="long-servedio"
            )
    parts = [_long_servedio_part(rng, n) for n in (n_train, n_test) if n]
    return Dataset.from_arrays(
        "long-servedio",
        np.vstack([X for X, _ in parts]),
        np.concatenate([y for _, y in parts]),
        n_train=n_train,
    )


def _long_servedio_part(
    rng: np.random.Generator, n: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    right = np.zeros((n, 21), dtype=bool)
    right[: n // 4] = True
    right[n // 4 : n // 2, :11] = True
    penalizers = right[n // 2 :]
    penalizers[:, :11] = rng.random((len(penalizers), 11)).argsort(axis=1) < 5
    penalizers[:, 11:] = rng.random((len(penalizers), 10)).argsort(axis=1) < 6
    right = right[rng.permutation(n)]
    y = rng.integers(2, size=n)
    return np.where(right, y[:, None], 1 - y[:, None]).astype(np.float64), y


def two_norm(
    rng: np.random.Generator,
    *,
    n_train: int = 300,
    n_test: int = 3000,
    n_features: int = 20,
) -> Dataset:
    """Draw from two unit Gaussians at (a, ..., a) and (-a, ..., -a), where a = 2 / sqrt(d).

    The Bayes error is 2.28 % for any number of features d.

    Parameters
    ----------
    rng : numpy Generator
    n_train, n_test : int
        ``n_test`` may be 0.
    n_features : int, default=20

    References
    ----------
    L. Breiman, "Bias, variance, and arcing classifiers", Berkeley report 460, 1996.
    """
    y, noise, a = _two_gaussians(rng, n_train, n_test, n_features)
    X = noise + np.where(y == 0, a, -a)[:, None]
    return Dataset.from_arrays("two-norm", X, y + 1, n_train=n_train)


def ring_norm(
    rng: np.random.Generator,
    *,
    n_train: int = 300,
    n_test: int = 3000,
    n_features: int = 20,
) -> Dataset:
    """Draw from a wide Gaussian N(0, 4 I) and a unit Gaussian at (a, ..., a), a = 2 / sqrt(d).

    The Bayes error is 1.25 % for d = 20. Other sources use 1 / sqrt(d), with Bayes error 1.51 %.

    Parameters
    ----------
    rng : numpy Generator
    n_train, n_test : int
        ``n_test`` may be 0.
    n_features : int, default=20

    References
    ----------
    L. Breiman, "Bias, variance, and arcing classifiers", Berkeley report 460, 1996.
    """
    y, noise, a = _two_gaussians(rng, n_train, n_test, n_features)
    X = np.where((y == 0)[:, None], 2.0 * noise, noise + a)
    return Dataset.from_arrays("ring-norm", X, y + 1, n_train=n_train)


def _two_gaussians(
    rng: np.random.Generator, n_train: int, n_test: int, n_features: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
    """Draw labels 0 and 1, and unit noise; return them with the mean of Breiman's problems."""
    _check_sizes(n_train=n_train, n_test=n_test, n_features=n_features)
    y = rng.integers(2, size=n_train + n_test)
    return y, rng.standard_normal((len(y), n_features)), 2.0 / np.sqrt(n_features)


def waveform(
    rng: np.random.Generator, *, n_train: int = 300, n_test: int = 5000, n_useless: int = 0
) -> Dataset:
    """Draw random mixtures of two of three triangular waves, 21 points each, plus unit noise.

    Class 1 mixes waves 1 and 2, class 2 waves 1 and 3, class 3 waves 2 and 3, each with a uniform
    weight. Wave 1 is ``max(6 - |i - 11|, 0)`` at i = 1..21; waves 2 and 3 are wave 1 shifted by +4
    and -4. The Bayes error is about 13.2 %.

    Parameters
    ----------
    rng : numpy Generator
    n_train, n_test : int
        ``n_test`` may be 0.
    n_useless : int, default=0
        Number of further columns of unit noise; 19 in the larger version of the problem.

    References
    ----------
    L. Breiman et al., "Classification and Regression Trees", 1984, Section 2.6.2.
    """
    _check_sizes(n_train=n_train, n_test=n_test)
    i = np.arange(1, 22)
    waves = np.stack([np.maximum(6 - np.abs(i - 11 - shift), 0) for shift in (0, 4, -4)])
    y = rng.integers(3, size=n_train + n_test)
    first, second = np.array([[0, 1], [0, 2], [1, 2]])[y].T
    u = rng.random((len(y), 1))
    X = rng.standard_normal((len(y), 21 + n_useless))
    X[:, :21] += u * waves[first] + (1 - u) * waves[second]
    return Dataset.from_arrays("waveform", X, y + 1, n_train=n_train)


def gaussian_mixture(
    rng: np.random.Generator,
    *,
    means: ArrayLike,
    covariances: ArrayLike,
    n_train: int = 1000,
    n_test: int = 1000,
    balanced: bool = False,
    labels: Sequence[Any] | None = None,
) -> Dataset:
    """Draw from one Gaussian per class; all classes have the same probability.

    Parameters
    ----------
    rng : numpy Generator
    means : array-like, shape (K, d)
    covariances : array-like, shape (K, d, d)
    n_train, n_test : int
        ``n_test`` may be 0.
    balanced : bool, default=False
        Use equal class counts in each part, up to a difference of one, instead of drawing the class
        of each row.
    labels : sequence of K labels, default=None
        None: 1..K.

    Raises
    ------
    BoostbenchError
        If shapes do not match, or a covariance is invalid.
    """
    _check_sizes(n_train=n_train, n_test=n_test)
    centres, roots = _check_gaussians(means, covariances)
    n_classes = len(centres)
    names = list(range(1, n_classes + 1)) if labels is None else list(labels)
    if len(names) != n_classes:
        raise _wrong_mixture(f"{len(names)} labels given for {n_classes} means")
    if balanced:
        y = np.concatenate([rng.permutation(np.arange(n) % n_classes) for n in (n_train, n_test)])
    else:
        y = rng.choice(n_classes, size=n_train + n_test, p=np.full(n_classes, 1.0 / n_classes))
    noise = rng.standard_normal((len(y), centres.shape[1]))
    X = centres[y] + row_sums(roots[y] * noise[:, None, :])
    return Dataset.from_arrays("gaussian-mixture", X, [names[k] for k in y], n_train=n_train)


def _check_gaussians(
    means: ArrayLike, covariances: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the means, and a root of each covariance."""
    try:
        centres, spreads = np.asarray(means, float), np.asarray(covariances, float)
    except (TypeError, ValueError) as error:
        what = f"means and covariances must be regular lists of numbers: {error}"
        raise _wrong_mixture(what) from error
    if centres.ndim != 2 or len(centres) < 2:
        what = "means must be at least 2 points of one dimension"
        raise _wrong_mixture(f"{what}, found shape {centres.shape}")
    shape = (*centres.shape, centres.shape[1])
    if spreads.shape != shape:
        raise _wrong_mixture(f"covariances must have shape {shape}, found {spreads.shape}")
    with suppress(ValueError):
        if np.allclose(spreads, spreads.transpose(0, 2, 1)):
            return centres, np.stack([cholesky(spread) for spread in spreads])
    raise _wrong_mixture("covariances must be symmetric and positive definite")


def _wrong_mixture(what: str) -> BoostbenchError:
    return BoostbenchError(what, where="gaussian-mixture")


def _check_sizes(**sizes: int) -> None:
    for name, size in sizes.items():
        least = 0 if name == "n_test" else 1
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < least:
            raise BoostbenchError(f"{name} must be an integer of at least {least}, found {size!r}")
