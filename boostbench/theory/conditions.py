r"""Weak-learning conditions, decided for a finite space of weak classifiers.

A condition is a pair of a family of cost matrices and a baseline B. A space H satisfies it iff for
every cost matrix C of the family some h in H has ``C.1_h <= C.B`` (2), where ``C.1_h`` is the sum
of ``C[i, h(x_i)]`` and ``A.B`` the entrywise inner product. True label first, the rows are:

===================  ===========================  =====================================
condition            a row of C                   the row of B
===================  ===========================  =====================================
``samme``            (0, t, ..., t), t >= 0       uniform, biased by gamma
``m1``               (-t, t, ..., t), t >= 0      (gamma, 0, ..., 0)
``mh``               c_0 <= 0 <= c_l              ((1+gamma)/2, (1-gamma)/2, ...)
``mr``               c_l >= 0, c_0 = -sum c_l     (gamma, 0, ..., 0)
``edge-over-random`` c_0 <= c_l                   uniform, biased by gamma
``minimal``          c_0 <= c_l                   the worst with b_0 = gamma + max b_l (16)
===================  ===========================  =====================================

For two classes all are the binary condition. Each family is a cone: rows are non-negative sums of a
few generators g. By the minimax theorem the condition holds iff one mixture lambda of classifiers,
with votes ``H[i, l] = sum_h lambda_h 1[h(x_i) = l]``, has ``<g, H[i]> <= <g, B[i]>`` for every
sample i and generator g. B is affine in gamma, so a linear program finds the largest gamma, and its
dual values, as weights of the generators, are a cost matrix of the family that every classifier
exceeds at any larger gamma.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from boostbench.errors import BoostbenchError, UnknownNameError
from boostbench.theory.layout import own_labels
from boostbench.theory.spaces import Space

Floats = NDArray[np.float64]

#: The optimum of a linear program is trusted to this absolute error.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Condition:
    """A weak-learning condition: a cone of cost rows and a baseline row, true label first.

    Attributes
    ----------
    family : str
        Form of a row of a cost matrix.
    generators : callable
        K to the generators of the cone, shape (n_generators, K); constants may be left out where
        the baseline row sums to 1, for there they change nothing.
    baseline : callable
        (K, gamma) to the baseline row, shape (K,), affine in gamma.
    """

    family: str
    generators: Callable[[int], Floats]
    baseline: Callable[[int, float], Floats]


@dataclass(frozen=True)
class Decision:
    """Largest edge with which a space satisfies a condition, with the certificates of both sides.

    Attributes
    ----------
    space : Space
    condition : str
    gamma : float
        The largest edge with which the space satisfies the condition (for a given baseline: the
        slack, and the condition holds iff it is not negative); may be negative.
    mixture : ndarray of float64, shape (n_classifiers,)
        A distribution over the classifiers that proves the condition at ``gamma``; where the
        minimal condition has ``gamma > 0`` it is the combination that separates the labels.
    witness : ndarray of float64, shape (n, K)
        A cost matrix of the family, in the samples' own labels, on which every classifier costs
        more than the baseline of any larger edge.
    """

    space: Space
    condition: str
    gamma: float
    mixture: Floats
    witness: Floats

    def holds(self, gamma: float = 0.0) -> bool:
        """Return True if the space satisfies the condition with this edge."""
        return self.gamma >= gamma - TOLERANCE

    def weights(self) -> dict[str, float]:
        """Return the classifiers of the mixture by name, the heaviest first."""
        weights = self.mixture.tolist()
        used = [j for j, weight in enumerate(weights) if weight > TOLERANCE]
        used.sort(key=lambda j: -weights[j])
        return {self.space.classifiers[j]: weights[j] for j in used}

    def costs(self, gamma: float) -> tuple[float, float]:
        """Return the costs of an edge's baseline and of the cheapest classifier on the witness."""
        baseline = CONDITIONS[self.condition].baseline(self.space.n_classes, gamma)
        allowed = (self.witness * own_labels(baseline, self.space.y)).sum()
        return float(allowed), float(costs_of(self.space.predictions, self.witness).min())


def _generators(true: float, wrong: Floats) -> Floats:
    """Return generators with one cost for the true label, and a row of costs for the wrong ones."""
    return np.hstack([np.full((len(wrong), 1), true), wrong])


def _baseline(true: float, wrong: float, K: int) -> Floats:
    return np.array([true] + [wrong] * (K - 1))


def _uniform(K: int, gamma: float) -> Floats:
    return _baseline((1.0 - gamma) / K + gamma, (1.0 - gamma) / K, K)


def _only_true(K: int, gamma: float) -> Floats:
    return _baseline(gamma, 0.0, K)


# The minimal condition lets the baseline be the worst row with b_0 = gamma + max b_l. A mixture is
# at most such a row on the wrong labels iff its margin is at least gamma, which is MR's constraint;
# on MR's rows all those baselines cost -gamma sum c_l, so MR's witness is the minimal one's too.
_MR = Condition("c_l >= 0, c_0 = -sum c_l", lambda K: _generators(-1.0, np.eye(K - 1)), _only_true)
CONDITIONS = {
    "samme": Condition(
        "(0, t, ..., t), t >= 0", lambda K: _generators(0.0, np.ones((1, K - 1))), _uniform
    ),
    "m1": Condition(
        "(-t, t, ..., t), t >= 0", lambda K: _generators(-1.0, np.ones((1, K - 1))), _only_true
    ),
    "mh": Condition(
        "c_0 <= 0 <= c_l",
        lambda K: np.diag(_baseline(-1.0, 1.0, K)),
        lambda K, gamma: _baseline((1.0 + gamma) / 2, (1.0 - gamma) / 2, K),
    ),
    "mr": _MR,
    "edge-over-random": Condition(
        "c_0 <= c_l", lambda K: _generators(0.0, np.eye(K - 1)), _uniform
    ),
    "minimal": replace(_MR, family="c_0 <= c_l"),
}


def decide(space: Space, condition: str) -> Decision:
    """Find the largest edge with which a space satisfies a condition, a name in `CONDITIONS`.

    Notes
    -----
    One linear program of ``n_classifiers + 1`` variables and up to ``n K`` rows: seconds for some
    thousands of classifiers, minutes for 60 000 on 150 samples of ten classes.

    References
    ----------
    Sections 3 and 4; the linear programs are derived from (2) and Theorem 1.

    Examples
    --------
    >>> from boostbench.theory.spaces import two_constants
    >>> round(decide(two_constants(), "samme").gamma, 6)
    0.25
    """
    if condition not in CONDITIONS:
        raise UnknownNameError("weak-learning condition", condition, CONDITIONS)
    chosen = CONDITIONS[condition]
    generators = chosen.generators(space.n_classes)
    at_zero = generators @ chosen.baseline(space.n_classes, 0.0)
    at_one = generators @ chosen.baseline(space.n_classes, 1.0)
    n = len(space.y)
    limit, slope = np.repeat(at_zero, n), np.repeat(at_zero - at_one, n)
    return _solve(condition, space, generators, limit, slope)


def decide_all(space: Space) -> dict[str, Decision]:
    """Decide every condition of `CONDITIONS`; see `decide`."""
    return {name: decide(space, name) for name in CONDITIONS}


def costs_of(predictions: ArrayLike, cost: ArrayLike) -> Floats:
    """Return the cost ``sum_i C[i, h(x_i)]`` of every classifier, shape (n_classifiers,)."""
    predictions = np.asarray(predictions)
    C = np.asarray(cost, dtype=np.float64)
    costs: Floats = np.take_along_axis(C, predictions, axis=1).sum(axis=0)
    return costs


def _solve(name: str, space: Space, generators: Floats, limit: Floats, slope: Floats) -> Decision:
    """Maximise gamma subject to ``<g, H[i]> + gamma * slope <= limit`` over all mixtures.

    The constraints are ordered by generator, then by sample.
    """
    n, N = space.predictions.shape
    true = space.y[:, None]  # where each prediction lies when the true label comes first
    position = space.predictions + (space.predictions < true)
    position[space.predictions == true] = 0
    left = sp.vstack([sp.csr_array(g[position]) for g in generators])
    result = linprog(
        c=np.append(np.zeros(N), -1.0),
        A_ub=sp.hstack([left, sp.csr_array(slope[:, None])], format="csr"),
        b_ub=limit,
        A_eq=np.append(np.ones(N), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0.0, None)] * N + [(None, None)],
        method="highs",
    )
    if not result.success:
        raise BoostbenchError(f"the linear program of {name!r} was not solved: {result.message}")
    weights = np.maximum(-result.ineqlin.marginals, 0.0).reshape(-1, n)
    return Decision(
        space,
        condition=name,
        gamma=float(result.x[-1]) + 0.0,  # an edge of zero without its sign
        mixture=result.x[:-1],
        witness=own_labels(weights.T @ generators, space.y),
    )
