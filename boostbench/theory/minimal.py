r"""Drifting-game potentials of the minimal weak-learning condition.

The baseline row is the worst distribution b with :math:`b_0 = \gamma + \max_{l>0} b_l` (47). The
maximum is attained by a gamma-biased uniform distribution over the true label and the a-1 wrong
labels of the largest potential (Lemma 18):

.. math::
    \phi_t(s) = \gamma\,\phi_{t-1}(s + e_0) + (1-\gamma) \max_{a=2..K} m_a ,

where :math:`m_a` is the mean of :math:`\phi_{t-1}(s+e_0)` and the a-1 largest
:math:`\phi_{t-1}(s+e_l)` of wrong labels l (51). The maximising a is the *degree* of the state.

A state consists of the count of the true label and the multiset of the counts of the wrong labels.
The multiset is a partition of the number of wrong votes into at most K-1 parts, so that a single
lattice of partitions is used for all rounds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.errors import BoostbenchError
from boostbench.theory.layout import check_classes, check_eta, check_gamma, check_rounds, require
from boostbench.theory.potentials import Potential, final_loss

Floats = NDArray[np.float64]
_Degrees = tuple[NDArray[np.uint8], NDArray[np.uint8]]

#: Largest number of (round, state) pairs of a game.
_MAX_STATES = 5_000_000

#: Tolerance for ties between degrees, relative for values above 1.
_TIE = 1e-12


def worst_mean(own: ArrayLike, wrong: ArrayLike) -> Floats:
    """Return the maximum over a = 2..K of the mean of ``own`` and the a-1 largest of ``wrong``.

    ``own`` has shape (...) and holds values of the true label; ``wrong`` has shape (..., K-1).

    Examples
    --------
    >>> worst_mean([0.0], [[1.0, 0.2]]).tolist()
    [0.5]
    """
    result: Floats = _means(np.asarray(own), np.asarray(wrong)).max(axis=-1)
    return result


def degree_of(own: ArrayLike, wrong: ArrayLike, gamma: float) -> _Degrees:
    """Return the largest degree that maximises (51), and the number of tied degrees.

    ``own`` and ``wrong`` are the values after a vote for the true label and for each wrong label.
    Degrees within ``1e-12 * max(1, maximum)`` of the maximum are tied.
    """
    own = np.asarray(own, dtype=np.float64)
    values = gamma * own[..., None] + (1.0 - gamma) * _means(own, np.asarray(wrong))
    best = values.max(axis=-1, keepdims=True)
    attains = values >= best - _TIE * np.maximum(best, 1.0)
    degree = 1 + attains.shape[-1] - np.argmax(attains[..., ::-1], axis=-1)
    return degree.astype(np.uint8), attains.sum(axis=-1).astype(np.uint8)


def state_count(n_classes: int, n_rounds: int) -> int:
    """Return the number of (round, state) pairs reachable in T rounds from the start.

    This is the sum over w <= T of (T - w + 1) times the number of partitions of w into at most
    K-1 parts.

    Examples
    --------
    >>> state_count(10, 50)
    2843257
    """
    check_classes(n_classes)
    check_rounds(n_rounds)
    partitions = [1] + [0] * n_rounds
    for part in range(1, min(n_classes - 1, n_rounds) + 1):
        for w in range(part, n_rounds + 1):
            partitions[w] += partitions[w - part]
    return sum(p * (n_rounds - w + 1) for w, p in enumerate(partitions))


class MinimalPotential(Potential):
    """Potentials of the minimal condition, computed for all reachable states of a game.

    Parameters
    ----------
    n_classes : int
        Number K of classes.
    gamma : float
        Edge in [0, 1].
    eta : float or None, default=None
        Coefficient of a vote in the exponential loss, positive; None selects the zero-one loss.

    Raises
    ------
    BoostbenchError
        If a parameter is out of range or the game has too many states; the message states their
        number.

    Notes
    -----
    The length of a game is the number of votes of a state plus the number of rounds left. The
    values of all states of a length are computed together, and those of the last length are cached.

    Examples
    --------
    >>> MinimalPotential(3, 0.1).values([[2, 1, 0]], 3).round(5).tolist()
    [0.42525]
    """

    def __init__(self, n_classes: int, gamma: float, eta: float | None = None) -> None:
        check_classes(n_classes)
        check_gamma(gamma)
        if eta is not None:
            check_eta(eta)
        self.n_classes = n_classes
        self.gamma = gamma
        self.eta = eta
        self._last: tuple[int, _Lattice, list[Floats]] | None = None

    def values(self, states: ArrayLike, n_left: int) -> Floats:
        """Return the potential of every state, (n, K) -> (n,), with ``n_left`` rounds left."""
        check_rounds(n_left)
        states = np.asarray(states)
        require(
            states.ndim == 2
            and states.shape[1] == self.n_classes
            and states.dtype.kind in "iu"
            and bool((states >= 0).all()),
            f"states must count the votes of {self.n_classes} labels",
        )
        states = states.astype(np.int64)
        result = np.empty(len(states))
        votes = states.sum(axis=1)
        for played in np.unique(votes):
            rows = votes == played
            lattice, by_round = self._game(int(played) + n_left)
            result[rows] = by_round[played][lattice.index(states[rows, 1:])]
        return result

    def degrees(self, states: ArrayLike, n_left: int) -> _Degrees:
        """Return the degree of every state and the number of tied degrees; see `degree_of`."""
        cost = self.costs(states, n_left)
        return degree_of(cost[:, 0], cost[:, 1:], self.gamma)

    def _game(self, n_rounds: int) -> tuple[_Lattice, list[Floats]]:
        """Return the lattice and the values of its states for each number of rounds played."""
        if self._last is None or self._last[0] != n_rounds:
            self._last = (n_rounds, *self._play(n_rounds))
        return self._last[1:]

    def _play(self, n_rounds: int) -> tuple[_Lattice, list[Floats]]:
        pairs = state_count(self.n_classes, n_rounds)
        if pairs > _MAX_STATES:
            raise BoostbenchError(
                f"{n_rounds} rounds with {self.n_classes} classes reach {pairs} (round, state) "
                f"pairs, more than the limit of {_MAX_STATES}; take fewer rounds or a fixed "
                "edge-over-random condition"
            )
        lattice = _Lattice(self.n_classes - 1, n_rounds)
        own_votes = n_rounds - lattice.total
        states = np.column_stack([own_votes, lattice.parts])
        after = final_loss(states, self.eta)
        by_round = [after]
        for played in range(n_rounds - 1, -1, -1):
            size = lattice.start[played + 1]
            wrong = after[lattice.up[:size]]
            own = after[:size]
            after = self.gamma * own + (1.0 - self.gamma) * worst_mean(own, wrong)
            by_round.append(after)
        return lattice, by_round[::-1]


class _Lattice:
    """Partitions of 0..T into at most m parts, with their successors.

    Attributes
    ----------
    parts : int64, shape (size, m)
        Parts of each partition, largest first; rows are ordered by their sums.
    total : int64, shape (size,)
        Sum of each row.
    start : list of int
        ``start[v]`` is the first row with sum v; the last entry is the number of rows.
    up : int64, shape (start[T], m)
        Row of the partition obtained by adding 1 to each part, for rows with sums below T.
    """

    def __init__(self, m: int, n_rounds: int) -> None:
        levels = [np.zeros((1, m), dtype=np.int64)]
        ups = [np.empty((0, m), dtype=np.int64)]
        first = 1
        for _ in range(n_rounds):
            level, up = _grow(levels[-1])
            levels.append(level)
            ups.append(up + first)
            first += len(level)
        sizes = [len(level) for level in levels]
        self.start = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        self.parts = np.concatenate(levels)
        self.total = np.repeat(np.arange(len(levels)), sizes)
        self.up = np.concatenate(ups)
        self._keys = [_keys(level) for level in levels]

    def index(self, wrong: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the row of each multiset of wrong votes, whose counts may be in any order."""
        parts = -np.sort(-wrong, axis=1)
        total = parts.sum(axis=1)
        result = np.empty(len(parts), dtype=np.int64)
        for v in np.unique(total):
            rows = total == v
            result[rows] = self.start[v] + np.searchsorted(self._keys[v], _keys(parts[rows]))
        return result


def _grow(level: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the next level of partitions, and the row reached by adding 1 to each part."""
    size, m = level.shape
    # Adding 1 to the first of equal parts preserves the order and represents all of them.
    leads = np.ones((size, m), dtype=bool)
    leads[:, 1:] = level[:, 1:] < level[:, :-1]
    row, part = np.nonzero(leads)
    grown = level[row]
    grown[np.arange(len(row)), part] += 1
    _, chosen, where = np.unique(_keys(grown), return_index=True, return_inverse=True)
    first_alike = np.maximum.accumulate(np.where(leads, np.arange(m), 0), axis=1)
    up = np.empty((size, m), dtype=np.int64)
    up[row, part] = where
    return grown[chosen], np.take_along_axis(up, first_alike, axis=1)


def _keys(parts: NDArray[np.int64]) -> NDArray[np.bytes_]:
    """Return a sortable key for each row."""
    # Big-endian integers sort like their bytes; counts are far below 2**16.
    packed = np.ascontiguousarray(parts.astype(">u2"))
    return packed.view(f"S{packed.shape[1] * 2}").ravel()


def _means(own: Floats, wrong: Floats) -> Floats:
    """Return the mean of ``own`` and the a-1 largest of ``wrong`` for a = 2..K, (..., K-1)."""
    worst_first = -np.sort(-wrong, axis=-1)
    sums = own[..., None] + np.cumsum(worst_first, axis=-1)
    return sums / np.arange(2, wrong.shape[-1] + 2)
