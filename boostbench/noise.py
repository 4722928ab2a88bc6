"""Label noise: models that corrupt training labels at a given rate.

All models share one scheme. A uniform number u and a replacement label are drawn for every row,
independently of the rate. With ``exact=True`` the ``round(rate * n)`` rows with the smallest u are
chosen, with ``exact=False`` all rows with u < rate (each label independently). For the same random
stream, the rows chosen at a lower rate are therefore a subset of those chosen at a higher rate,
with the same replacements (except in ``permute``, which permutes the labels of the chosen rows).

A model is a function ``model(y, n_classes, rng, X, **parameters) -> Proposal`` registered in
`boostbench.registry.noise_models`. It may also return the replacement labels alone, one per row.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.errors import BoostbenchError, UnknownNameError
from boostbench.registry import noise_models

Labels = NDArray[np.int64]
Features = NDArray[np.float64] | None


class Proposal(NamedTuple):
    """Corruption proposed by a model for every row.

    Attributes
    ----------
    labels : ndarray of int64, shape (n,), or callable
        Replacement labels of all rows, or a function that maps the chosen rows (ascending) to
        their new labels.
    order : ndarray of float64, shape (n,), or None
        Rows are chosen in ascending order of these values; None chooses uniformly at random.
    """

    labels: Labels | Callable[[Labels], Labels]
    order: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class NoisyLabels:
    """Corrupted labels and a record of the corruption.

    Attributes
    ----------
    y : ndarray of int64, shape (n,)
        Corrupted labels, on which a booster is trained.
    chosen : ndarray of int64
        Rows with a redrawn label, in ascending order; a redrawn label may equal the clean label.
    confusion : ndarray of int64, shape (K, K)
        Number of samples by clean class (row) and corrupted class (column).
    """

    y: Labels
    chosen: Labels
    confusion: Labels

    @property
    def n_chosen(self) -> int:
        """Number of redrawn labels."""
        return len(self.chosen)

    @property
    def n_changed(self) -> int:
        """Number of labels that differ from the clean labels."""
        return int(self.confusion.sum() - np.trace(self.confusion))


def corrupt(
    y: ArrayLike,
    n_classes: int,
    model: str,
    rate: float,
    rng: np.random.Generator,
    X: Features = None,
    *,
    exact: bool = True,
    per_class: bool = False,
    **params: Any,
) -> NoisyLabels:
    """Corrupt training labels.

    Parameters
    ----------
    y : array-like of int, shape (n,)
        Clean labels, 0..K-1; the array is not modified.
    n_classes : int
        K, at least 2.
    model : str
        Name of a noise model.
    rate : float
        Fraction of rows with a redrawn label, in [0, 1].
    rng : numpy Generator
        Random stream, new for every call and independent of the rate.
    X : ndarray of float64, shape (n, d), default=None
        Features, for models that depend on them.
    exact : bool, default=True
        If True, exactly ``round(rate * n)`` rows are chosen (halves are rounded up), otherwise
        each row independently with probability ``rate``.
    per_class : bool, default=False
        If True, exactly ``round(rate * n_k)`` rows of every class k are chosen.
    **params
        Parameters of the model.

    Returns
    -------
    noisy : NoisyLabels

    Raises
    ------
    BoostbenchError
        If the rate, the labels or a parameter is invalid, or the model does not support the data.

    Examples
    --------
    >>> import numpy as np
    >>> noisy = corrupt(np.arange(150) % 3, 3, "uniform-other", 0.1, np.random.default_rng(0))
    >>> noisy.n_chosen, noisy.n_changed
    (15, 15)
    """
    function = noise_models.get(model, where="noise")
    labels = _check(y, n_classes, model, rate)
    known = list(inspect.signature(function).parameters)[4:]
    for key in params:
        if key not in known:
            what = f"parameter of noise model {model!r}:"
            raise UnknownNameError(what, key, [*known, "exact", "per_class"], where="noise")
    u = rng.random(len(labels))
    proposal = function(labels, n_classes, rng, X, **params)
    if not isinstance(proposal, Proposal):
        proposal = Proposal(proposal)
    if proposal.order is not None and not exact:
        raise BoostbenchError(
            f"{model!r} chooses rows by rank and has exact counts only; leave out exact: false",
            where="noise",
        )
    order = u if proposal.order is None else proposal.order
    chosen = _choose(labels, rate, order, exact=exact, per_class=per_class)
    new = np.asarray(proposal.labels(chosen) if callable(proposal.labels) else proposal.labels)
    rows = chosen if callable(proposal.labels) else labels
    if new.shape != rows.shape or not np.isin(new, range(n_classes)).all():
        what = f"{model!r} must propose {len(rows)} labels from 0 to {n_classes - 1}"
        raise BoostbenchError(what, where="noise")
    seen = labels.copy()
    seen[chosen] = new if rows is chosen else new[chosen]
    confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
    np.add.at(confusion, (labels, seen), 1)
    return NoisyLabels(y=seen, chosen=chosen, confusion=confusion)


def exchange(y: Labels, n_classes: int, rng: np.random.Generator, X: Features) -> Proposal:
    """A class drawn uniformly from all K classes, the true class included.

    The effective rate is rate (K-1)/K. This is the distribution of ``flip_y`` in scikit-learn's
    `make_classification`, and the default interpretation here of "randomly exchanging labels" in
    "Soft-max boosting" (Geist, 2015, Section 5.4).
    """
    return Proposal(rng.integers(n_classes, size=len(y)))


def uniform_other(y: Labels, n_classes: int, rng: np.random.Generator, X: Features) -> Proposal:
    """A class drawn uniformly from the K-1 wrong classes; the effective rate equals the rate."""
    return Proposal((y + rng.integers(1, n_classes, size=len(y))) % n_classes)


def permute(y: Labels, n_classes: int, rng: np.random.Generator, X: Features) -> Proposal:
    """A permutation of the labels of the chosen rows; class counts do not change.

    The effective rate is about rate (1 - sum_k share_k^2), where share_k is the fraction of
    samples in class k.
    """
    return Proposal(lambda chosen: rng.permutation(y[chosen]))


def pair(y: Labels, n_classes: int, rng: np.random.Generator, X: Features) -> Proposal:
    """The next class: k becomes k+1, and the last class becomes the first."""
    return Proposal((y + 1) % n_classes)


def flip(y: Labels, n_classes: int, rng: np.random.Generator, X: Features) -> Proposal:
    """The opposite class, for two classes."""
    if n_classes != 2:
        raise BoostbenchError(
            f"'flip' is for 2 classes, found {n_classes}; use 'uniform-other'", where="noise"
        )
    return Proposal(1 - y)


def one_sided(
    y: Labels, n_classes: int, rng: np.random.Generator, X: Features, source: int = 0
) -> Proposal:
    """A class drawn uniformly from the K-1 wrong classes, for samples of one class only.

    Rows of all classes are chosen at the given rate, but only labels of the class ``source``
    change: a fraction ``rate`` of its rows, exactly with ``per_class: true``. With two classes,
    samples of one class are labelled as the other (Blanchard et al. 2016); if ``source`` is the
    positive class, this is "positive and unlabelled" data.

    Parameters
    ----------
    source : int, default=0
        Class whose labels are corrupted, 0..K-1.
    """
    if not isinstance(source, (int, np.integer)) or not 0 <= source < n_classes:
        raise BoostbenchError(
            f"source must be a class from 0 to {n_classes - 1}, found {source!r}", where="noise"
        )
    other = (y + rng.integers(1, n_classes, size=len(y))) % n_classes
    return Proposal(np.where(y == source, other, y))


def matrix(
    y: Labels, n_classes: int, rng: np.random.Generator, X: Features, transition: ArrayLike = ()
) -> Proposal:
    """A class drawn with the probabilities in the true class's row of a transition matrix.

    With ``rate`` 1 every label is drawn from the matrix; in general the transition probabilities
    are ``(1 - rate) I + rate T``.

    Parameters
    ----------
    transition : array-like, shape (K, K)
        T[i, j] is the probability that true class i becomes j; every row sums to 1.
    """
    try:
        T = np.asarray(transition, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BoostbenchError(f"transition is not a matrix: {error}", where="noise") from error
    if T.shape != (n_classes, n_classes):
        raise BoostbenchError(
            f"transition must have shape {(n_classes, n_classes)}, found {T.shape}", where="noise"
        )
    wrong = np.flatnonzero((T.min(axis=1) < 0) | ~np.isclose(T.sum(axis=1), 1.0))
    if wrong.size:
        raise BoostbenchError(
            f"row {wrong[0]} of transition must hold probabilities that sum to 1, "
            f"found {T[wrong[0]].tolist()}",
            where="noise",
        )
    edges = np.cumsum(T, axis=1)
    # The sum of a row may round to less than 1: what is left belongs to its last possible class.
    last = n_classes - 1 - np.argmax(T[:, ::-1] > 0, axis=1)
    edges[np.arange(n_classes) >= last[:, None]] = 1.0
    return Proposal((rng.random(len(y))[:, None] >= edges[y]).sum(axis=1))


def _check(y: ArrayLike, n_classes: int, model: str, rate: float) -> Labels:
    is_number = isinstance(rate, int | float | np.number) and not isinstance(rate, bool)
    if not is_number or not 0 <= rate <= 1:
        raise BoostbenchError(
            f"the rate of {model!r} must be a number in [0, 1], found {rate!r}", where="noise"
        )
    if n_classes < 2:
        raise BoostbenchError(
            f"label noise needs at least 2 classes, found {n_classes}", where="noise"
        )
    labels = np.asarray(y)
    if labels.ndim != 1 or not np.issubdtype(labels.dtype, np.integer):
        raise BoostbenchError(
            f"labels must be a vector of integers, found shape {labels.shape} of {labels.dtype}",
            where="noise",
        )
    wrong = labels[(labels < 0) | (labels >= n_classes)]
    if wrong.size:
        what = f"labels must lie in 0..{n_classes - 1}, found {wrong[0]}"
        raise BoostbenchError(what, where="noise")
    return labels.astype(np.int64)


def _choose(
    y: Labels, rate: float, order: NDArray[np.float64], *, exact: bool, per_class: bool
) -> Labels:
    if not exact:
        if per_class:
            raise BoostbenchError("per_class needs exact counts, found exact: false", where="noise")
        return np.flatnonzero(order < rate)
    groups = [np.flatnonzero(y == k) for k in np.unique(y)] if per_class else [np.arange(len(y))]
    chosen = [
        rows[np.argsort(order[rows], kind="stable")[: _rounded(rate * len(rows))]]
        for rows in groups
    ]
    return np.sort(np.concatenate(chosen)) if chosen else np.empty(0, dtype=np.int64)


def _rounded(value: float) -> int:
    """Round half up, with a tolerance for representation errors (0.29 * 50 gives 14.5)."""
    return int(np.floor(value + 0.5 + 1e-9))
