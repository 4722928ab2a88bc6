r"""Wrong labels of a data set: their share by class, and the most suspicious rows.

Confident learning (Northcutt, Jiang & Chuang 2021), repeated and in two stages. Models are
cross-validated on all rows; confident learning then denies rows, and further models are
cross-validated without training on these. The less probable its label is by the mean of the
out-of-fold probabilities, the more suspicious is a row.

Confident learning counts every confident disagreement, also where classes overlap, and then
overestimates the share of wrong labels. The share is therefore read from anchors, rows whose class
is nearly certain (Liu & Tao 2016; Patrini et al. 2017): those of each predicted class with the
largest margins. With :math:`N_{ji}` anchors of class j with label i, :math:`N_j` anchors of class
j, and :math:`e` the share of anchors whose label is another one,

.. math::
    T_{ji} = \frac{N_{ji} + c\,(1 - e)}{N_j + c} \text{ for } i = j, \qquad
    T_{ji} = \frac{N_{ji} + c\,e / (K - 1)}{N_j + c} \text{ otherwise}

are the probabilities of label i for class j, the shares :math:`\pi` of the classes solve
:math:`T^\top \pi = \tilde\pi` with the shares :math:`\tilde\pi` of the labels, and
:math:`1 - T_{ii} \pi_i / \tilde\pi_i` of the labels i are wrong. The
estimate is the mean over all repetitions and several shares of anchors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from boostbench.api import paths_of
from boostbench.baselines.filter_and_refit import calibrated, confident_joint, denied
from boostbench.compare_boosters import Booster
from boostbench.data.adding import is_data_file
from boostbench.data.columns import Column
from boostbench.data.loading import locate
from boostbench.data.readers import read_rows
from boostbench.data.splits import fold_ids
from boostbench.errors import BoostbenchError
from boostbench.models import booster_for, fitting
from boostbench.quantities.predictions import probabilities_of
from boostbench.whole_files import in_home

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]

# Measured by ``python -m benchmarks.wrong_labels``.
_ANCHORS = (0.15, 0.2, 0.3, 0.4, 0.5)  # shares of the rows of a predicted class
_PRIOR = 20.0  # c above
_DRAWS = 200


@dataclass(frozen=True)
class LabelErrors:
    """Estimate of the wrong labels of a data set.

    Attributes
    ----------
    share, low, high : float
        Share of wrong labels, 0 to 1, and the ends of its 95 % interval.
    classes : DataFrame
        One row per class: label, rows, share (of wrong ones among these labels), low, high.
    suspects : DataFrame
        All judged rows, the most suspicious first: row (from 1), label, suggested (the most
        probable other class), p_label and p_suggested (their probabilities).
    left_out : tuple of str
        Classes with fewer rows than folds, which are not judged.
    columns : tuple of Column
        What each column of a file became.
    """

    share: float
    low: float
    high: float
    classes: pd.DataFrame
    suspects: pd.DataFrame
    left_out: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()


def find_label_errors(
    on: str | Path,
    *,
    booster: Booster = "random-forest",
    repeats: int = 4,
    folds: int = 5,
    seed: int = 0,
    on_fit: Callable[[int, int], None] | None = None,
    **options: Any,
) -> tuple[LabelErrors, pd.DataFrame]:
    """Estimate the share of wrong labels of a data set, and rank its rows.

    Parameters
    ----------
    on, **options
        As for `boostbench.compare`; options ``rounds``, ``target``, ``drop``, ``types``, ``data``
        and ``plugins``.
    booster : str, mapping or estimator, default="random-forest"
        A booster with ``predict_proba``, as for `boostbench.compare`.
    repeats : int, default=4
        Number of cross-validations, at least 2; half of them on all rows.
    folds : int, default=5
        Number of stratified folds, at least 2.
    seed : int, default=0
    on_fit : callable or None, default=None
        Called after each fit with the number of fits done and of all fits.

    Returns
    -------
    found : LabelErrors
    table : DataFrame
        Raw cells, row by row; the features of a data set without a label column.

    Raises
    ------
    BoostbenchError
        If a name or a number is invalid, or there are not two classes with ``folds`` rows.
    """
    name, made, dataset = booster_for(booster, on, name="labels", **options)
    if not hasattr(made, "predict_proba"):
        raise BoostbenchError(f"booster {name!r} gives no probabilities; choose another one")
    counts = np.bincount(dataset.y, minlength=dataset.n_classes)
    rare = tuple(np.array(dataset.classes)[counts < folds].tolist())
    rows = np.flatnonzero(counts[dataset.y] >= folds)
    if (counts >= folds).sum() < 2:
        what = f"two classes with {folds} rows or more are needed; the largest have"
        raise BoostbenchError(f"{what} {', '.join(map(str, np.sort(counts)[:-3:-1]))}")
    kept, y = np.unique(dataset.y[rows], return_inverse=True)
    with fitting(name):
        P = np.array([*out_of_fold(made, dataset.X[rows], y, repeats, folds, seed, on_fit)])
    found = estimate(y, P, [dataset.classes[k] for k in kept], rows=rows + 1, seed=seed)
    found = replace(found, left_out=rare, columns=dataset.columns)
    table = pd.DataFrame(dataset.X, columns=list(dataset.feature_names))
    if any(column.kind == "label" for column in dataset.columns):
        file = in_home(on)
        if not is_data_file(str(on)):
            file = locate(str(on), None, paths_of(options.get("data", ()))).paths[-1]
        table, _ = read_rows(file, dataset.columns)
    return found, table


def out_of_fold(
    booster: Any,
    X: Floats,
    y: Labels,
    repeats: int,
    folds: int,
    seed: int,
    on_fit: Callable[[int, int], None] | None = None,
) -> Iterator[Floats]:
    """Yield the out-of-fold probabilities of each repetition, shape (n, K).

    The models of the second half of the repetitions are not trained on rows that confident learning
    denies by the mean of the first half.
    """
    if repeats < 2 or folds < 2:
        raise BoostbenchError(f"repeats and folds must be at least 2, found {repeats} and {folds}")
    K = int(y.max()) + 1
    rng = np.random.default_rng(seed)
    trusted = np.ones(len(y), dtype=bool)
    first: list[Floats] = []
    for repeat in range(repeats):
        if repeat == (repeats + 1) // 2:
            P = np.mean(first, axis=0)
            trusted = ~denied(y, P, calibrated(confident_joint(y, P), y))
        ids, P = fold_ids(len(y), folds, rng, y), np.empty((len(y), K))
        for fold in range(folds):
            held = ids == fold
            is_left = np.isin(y, y[trusted & ~held])  # a class that is denied altogether stays
            train = ~held & (trusted | ~is_left)
            model = clone(booster).set_params(random_state=int(rng.integers(2**31 - 1)))
            model.fit(X[train], y[train])
            P[held] = probabilities_of(model, model.predict_proba(X[held]), K)
            if on_fit is not None:
                on_fit(repeat * folds + fold + 1, repeats * folds)
        first.append(P)
        yield P


def estimate(
    y: Labels, P: Floats, classes: Sequence[str], *, rows: Labels | None = None, seed: int = 0
) -> LabelErrors:
    """Estimate the share of wrong labels from out-of-fold probabilities, and rank the rows.

    The interval is that of a bootstrap over the rows, the repetitions and the share of anchors.

    Parameters
    ----------
    y : ndarray of int, shape (n,)
        Labels, 0..K-1.
    P : ndarray of float64, shape (repeats, n, K)
    classes : sequence of str, length K
    rows : ndarray of int, shape (n,), default=None
        Numbers of the rows; 1..n by default.
    seed : int, default=0
    """
    n, mean = len(y), P.mean(axis=0)
    by_class = np.mean([wrong_by_label(y, each, q) for each in P for q in _ANCHORS], axis=0)
    counts = np.bincount(y, minlength=len(classes))
    rng = np.random.default_rng(seed)
    draws = np.empty((_DRAWS, len(classes) + 1))
    for draw in draws:
        sample = rng.integers(n, size=n)
        drawn, anchors = P[rng.integers(len(P)), sample], float(rng.choice(_ANCHORS))
        draw[1:] = wrong_by_label(y[sample], drawn, anchors)
        draw[0] = draw[1:] @ np.bincount(y[sample], minlength=len(classes)) / n
    share = float(by_class @ counts / n)
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    low, high = np.minimum(low, [share, *by_class]), np.maximum(high, [share, *by_class])
    names = np.array([*classes])
    table = {"label": names, "rows": counts, "share": by_class, "low": low[1:], "high": high[1:]}
    own, others = mean[np.arange(n), y], mean.copy()
    others[np.arange(n), y] = -1.0
    judged = {
        "row": np.arange(1, n + 1) if rows is None else rows,
        "label": names[y],
        "suggested": names[others.argmax(axis=1)],
        "p_label": own,
        "p_suggested": others.max(axis=1),
    }
    suspects = pd.DataFrame(judged).sort_values("p_label", kind="stable", ignore_index=True)
    return LabelErrors(share, float(low[0]), float(high[0]), pd.DataFrame(table), suspects)


def wrong_by_label(y: Labels, P: Floats, anchors: float) -> Floats:
    """Return the estimated share of wrong labels among the rows with each label, shape (K,).

    Parameters
    ----------
    y : ndarray of int, shape (n,)
    P : ndarray of float64, shape (n, K)
        Out-of-fold probabilities.
    anchors : float
        Share of the rows of each predicted class that are anchors.
    """
    from scipy.optimize import nnls

    n, K = P.shape
    predicted, ordered = P.argmax(axis=1), np.sort(P, axis=1)
    margin = ordered[:, -1] - ordered[:, -2]
    counts = np.zeros((K, K))
    for j in range(K):
        own = np.flatnonzero(predicted == j)
        best = own[np.argsort(-margin[own], kind="stable")[: int(np.ceil(anchors * len(own)))]]
        counts[j] = np.bincount(y[best], minlength=K)
    wrong = 1.0 - np.trace(counts) / counts.sum()
    prior = np.full((K, K), wrong / (K - 1))
    np.fill_diagonal(prior, 1.0 - wrong)
    T = (counts + _PRIOR * prior) / (counts.sum(axis=1, keepdims=True) + _PRIOR)
    seen = np.bincount(y, minlength=K) / n
    shares, _ = nnls(np.vstack([T.T, np.full((1, K), 10.0)]), np.append(seen, 10.0))
    joint = shares[:, None] * T
    right = np.diag(joint) / np.maximum(joint.sum(axis=0), 1e-12)
    return np.asarray(np.where(seen > 0, 1.0 - right, 0.0))
