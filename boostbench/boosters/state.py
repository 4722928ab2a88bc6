"""State of a fit and step of a round."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.compiled import kernel
from boostbench.portable.elementary import exp_
from boostbench.threads import in_parts

#: Number of rows processed at a time, so that their scores and probabilities stay in the cache.
_BLOCK = 256

#: Tolerance within which an error, edge or weight is treated as equal to its limit value.
TINY = 1e-10


@dataclass
class BoostState:
    """State of a fit between rounds; rows are distinct (x, y) pairs.

    Attributes
    ----------
    y : ndarray of int32, shape (n,)
        Labels 0..K-1.
    sample_weight : ndarray of float64, shape (n,)
        Positive weights that sum to 1; 1/n each if all samples are distinct and have equal weight.
    n_samples : int
        Number N of samples before merging equal rows.
    n_classes : int
        K, at least 2.
    scores : ndarray of float64, shape (n, K)
        F (psi or f in some papers), in Fortran order; the training loop updates it.
    rng : numpy.random.Generator
        Random stream of the booster.
    learner_rng : numpy.random.Generator
        Random stream of the weak learner.
    cost : ndarray of float64, shape (n, K), or None
        Cost of each answer for each row, if costs per sample were given.
    own : object
        State particular to the booster, computed once per fit or updated in each round: the value
        returned by `Booster.begin`, usually a small dataclass.
    """

    y: NDArray[np.int32]
    sample_weight: NDArray[np.float64]
    n_samples: int
    n_classes: int
    scores: NDArray[np.float64]
    rng: np.random.Generator
    learner_rng: np.random.Generator
    cost: NDArray[np.float64] | None = None
    own: Any = None

    @cached_property
    def signs(self) -> NDArray[np.int8]:
        """S, shape (n, K): +1 at the row's label, -1 elsewhere; int8 to save memory."""
        S = np.full(self.scores.shape, -1, dtype=np.int8, order="F")
        S[np.arange(len(self.y)), self.y] = 1
        return S

    @cached_property
    def work(self) -> NDArray[np.float64]:
        """Work space that each round overwrites, shape (n, K), in Fortran order."""
        return np.empty_like(self.scores)

    @cached_property
    def signed_labels(self) -> NDArray[np.float64]:
        """The labels of two classes as -1 and +1, shape (n,)."""
        return 2.0 * self.y.astype(np.float64) - 1.0

    @property
    def margins(self) -> NDArray[np.float64]:
        """The margins of two classes, m = y F with ``F = F[:, 1] - F[:, 0]``, shape (n,)."""
        return self.signed_labels * (self.scores[:, 1] - self.scores[:, 0])

    @property
    def true_scores(self) -> NDArray[np.float64]:
        """The scores of the true labels, F[i, y_i], shape (n,)."""
        return self.scores[np.arange(len(self.y)), self.y]


@dataclass(frozen=True)
class Step:
    """Update along a weak hypothesis h: F <- decay * F + size * h.

    Attributes
    ----------
    size : float or ndarray of float64, shape (n_trees,)
        Step size, common to the trees of the round or one per tree.
    edge : float
        Quality of the hypothesis in the paper's measure; recorded for each round.
    stop : str
        Reason for ending training after this round; empty to continue.
    keep : bool
        False if the hypothesis is discarded and the update skipped.
    decay : float
        Factor applied to the scores of earlier rounds.
    """

    size: float | NDArray[np.float64]
    edge: float
    stop: str = ""
    keep: bool = True
    decay: float = 1.0


def softmax(F: NDArray[np.float64], out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Return exp(F) normalised over each row, without overflow, in Fortran order.

    Parameters
    ----------
    F : ndarray of float64, shape (n, K)
        Fortran order is fastest.
    out : ndarray of float64, shape (n, K), optional
        Array to write to, in Fortran order.

    Examples
    --------
    >>> softmax(np.array([[0.0, 0.0], [1000.0, 0.0]])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    F = np.asfortranarray(F, dtype=np.float64)
    g = np.empty_like(F) if out is None else out

    def of_rows(rows: slice) -> None:
        _softmax(F.T, rows.start, rows.stop, g.T, np.empty((2, _BLOCK)))

    in_parts(of_rows, len(F), F.size)
    return g


@kernel
def _softmax(F: Any, first: int, last: int, g: Any, work: Any) -> None:  # pragma: no cover
    """Write the soft-max over the first axis of F, shape (K, n), for the columns first..last-1."""
    for start in range(first, last, _BLOCK):
        rows = slice(start, min(start + _BLOCK, last))
        top, total = work[0, : rows.stop - start], work[1, : rows.stop - start]
        for r in range(top.shape[0]):
            top[r], total[r] = -np.inf, 0.0
        for k in range(F.shape[0]):
            scores = F[k, rows]
            for r in range(top.shape[0]):
                top[r] = max(top[r], scores[r])
        for k in range(F.shape[0]):
            scores, its_g = F[k, rows], g[k, rows]
            for r in range(top.shape[0]):
                its_g[r] = exp_(scores[r] - top[r])
                total[r] += its_g[r]
        for k in range(F.shape[0]):
            its_g = g[k, rows]
            for r in range(top.shape[0]):
                its_g[r] /= total[r]


def largest_class(F: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the class of the largest score of each row, the first one on ties, shape (n,).

    Parameters
    ----------
    F : ndarray of float64, shape (n, K)
        Finite; Fortran order is fastest.

    Examples
    --------
    >>> largest_class(np.array([[0.0, 2.0, 2.0], [1.0, 0.0, -1.0]])).tolist()
    [1, 0]
    """
    if len(F) < _BLOCK:
        return np.asarray(F.argmax(axis=1))
    labels = np.empty(len(F), dtype=np.intp)
    _largest_class(np.asfortranarray(F).T, np.empty(_BLOCK), labels)
    return labels


@kernel
def _largest_class(F: Any, best: Any, labels: Any) -> None:  # pragma: no cover
    """Write the place of the largest number along the first axis of F, shape (K, n)."""
    for start in range(0, F.shape[1], _BLOCK):
        rows = slice(start, min(start + _BLOCK, F.shape[1]))
        scores, its_labels = F[0, rows], labels[rows]
        for r in range(scores.shape[0]):
            best[r], its_labels[r] = scores[r], 0
        for k in range(1, F.shape[0]):
            scores = F[k, rows]
            for r in range(scores.shape[0]):
                larger = scores[r] > best[r]
                best[r] = scores[r] if larger else best[r]
                its_labels[r] = k if larger else its_labels[r]
