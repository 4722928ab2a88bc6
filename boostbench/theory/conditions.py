r"""Decision of weak-learning conditions for a finite space of weak classifiers.

A condition is a pair of a family of cost matrices and a baseline B. A space H satisfies the
condition iff for every cost matrix C of the family some h in H has ``C.1_h <= C.B`` (2), where
``C.1_h`` is the sum of ``C[i, h(x_i)]`` and ``A.B`` is the entrywise inner product. The rows, with
the true label first, are:

====================  ===========================  =====================================
condition             row of C                     row of B
====================  ===========================  =====================================
``samme``             (0, t, ..., t), t >= 0       uniform, biased by gamma
``m1``                (-t, t, ..., t), t >= 0      (gamma, 0, ..., 0)
``mh``                c_0 <= 0 <= c_l              ((1+gamma)/2, (1-gamma)/2, ...)
``mr``                c_l >= 0, c_0 = -sum c_l     (gamma, 0, ..., 0)
``edge-over-random``  c_0 <= c_l                   uniform, biased by gamma
``minimal``           c_0 <= c_l                   the worst with b_0 = gamma + max b_l (16)
====================  ===========================  =====================================

For two classes all conditions equal the binary weak-learning condition. Each family is a cone: rows
are non-negative combinations of a few generators g. By the minimax theorem, the condition holds iff
there is a mixture lambda of classifiers with votes ``H[i, l] = sum_h lambda_h 1[h(x_i) = l]`` such
that ``<g, H[i]> <= <g, B[i]>`` for every sample i and generator g. Since B is affine in gamma, a
linear program finds the largest gamma. The dual values, as weights of the generators, define a cost
matrix of the family on which every classifier exceeds the baseline of any larger gamma.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from boostbench.errors import BoostbenchError, UnknownNameError
from boostbench.theory.layout import own_labels
from boostbench.theory.spaces import Space

Floats = NDArray[np.float64]

#: Absolute tolerance for the optimum of a linear program.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Condition:
    """Weak-learning condition: a cone of cost rows and a baseline row, true label first.

    Attributes
    ----------
    generators : callable
        Function of K that returns the generators of the cone, shape (n_generators, K). Constant
        generators may be omitted if the baseline row sums to 1, because they have no effect.
    baseline : callable
        Function of K and gamma that returns the baseline row, shape (K,), affine in gamma.
    """

    generators: Callable[[int], Floats]
    baseline: Callable[[int, float], Floats]


@dataclass(frozen=True)
class Decision:
    """Largest edge with which a space satisfies a condition, with primal and dual certificates.

    Attributes
    ----------
    space : Space
        Space of weak classifiers.
    gamma : float
        Largest edge with which the space satisfies the condition; may be negative.
    mixture : ndarray of float64, shape (n_classifiers,)
        Distribution over the classifiers that proves the condition for ``gamma``. Under the
        minimal condition with ``gamma > 0``, its weighted vote classifies all samples correctly.
    witness : ndarray of float64, shape (n, K)
        Cost matrix of the family, with columns in the order of the labels, on which every
        classifier costs more than the baseline of any larger edge.
    """

    space: Space
    gamma: float
    mixture: Floats
    witness: Floats

    def holds(self, gamma: float = 0.0) -> bool:
        """Return True if the space satisfies the condition with this edge."""
        return self.gamma >= gamma - TOLERANCE

    def weights(self) -> dict[str, float]:
        """Return the weights of the mixture by classifier name, in descending order."""
        pairs = zip(self.space.classifiers, self.mixture.tolist(), strict=True)
        used = (pair for pair in pairs if pair[1] > TOLERANCE)
        return dict(sorted(used, key=lambda pair: -pair[1]))


def _row(true: float, wrong: float, K: int) -> Floats:
    return np.array([true] + [wrong] * (K - 1))


def _uniform(K: int, gamma: float) -> Floats:
    return _row((1.0 - gamma) / K + gamma, (1.0 - gamma) / K, K)


def _only_true(K: int, gamma: float) -> Floats:
    return _row(gamma, 0.0, K)


# The baseline of the minimal condition is the worst row with b_0 = gamma + max b_l. The votes of a
# mixture for the wrong labels are at most those of such a row iff its margin is at least gamma,
# which is the constraint of MR. On rows of MR all these baselines cost -gamma sum c_l, so that the
# witness of MR is also a witness of the minimal condition.
_MR = Condition(lambda K: np.eye(K)[1:] - np.eye(K)[0], _only_true)
CONDITIONS = {
    "samme": Condition(lambda K: _row(0.0, 1.0, K)[None], _uniform),
    "m1": Condition(lambda K: _row(-1.0, 1.0, K)[None], _only_true),
    "mh": Condition(
        lambda K: np.diag(_row(-1.0, 1.0, K)),
        lambda K, gamma: _row((1.0 + gamma) / 2, (1.0 - gamma) / 2, K),
    ),
    "mr": _MR,
    "edge-over-random": Condition(lambda K: np.eye(K)[1:], _uniform),
    "minimal": _MR,
}


def decide(space: Space, condition: str) -> Decision:
    """Return the largest edge with which a space satisfies a condition, by name in `CONDITIONS`.

    Notes
    -----
    Solves one linear program with ``n_classifiers + 1`` variables and up to ``n K`` rows. This
    takes seconds for a few thousand classifiers, and minutes for 60 000 classifiers on 150 samples
    of ten classes.

    References
    ----------
    Sections 3 and 4. The linear programs are derived from (2) and Theorem 1.

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
    # Maximise gamma subject to <g, H[i]> + gamma * slope <= limit over all mixtures.
    # The constraints are ordered by generator, then by sample.
    n, N = space.predictions.shape
    limit, slope = np.repeat(at_zero, n), np.repeat(at_zero - at_one, n)
    costs = (own_labels(g, space.y) for g in generators)
    left = sp.vstack([sp.csr_array(np.take_along_axis(C, space.predictions, 1)) for C in costs])
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
        what = f"the linear program of {condition!r} was not solved: {result.message}"
        raise BoostbenchError(what)
    weights = np.maximum(-result.ineqlin.marginals, 0.0).reshape(-1, n)
    return Decision(
        space,
        gamma=float(result.x[-1]) + 0.0,  # converts -0.0 to 0.0
        mixture=result.x[:-1],
        witness=own_labels(weights.T @ generators, space.y),
    )


def decide_all(space: Space) -> dict[str, Decision]:
    """Return the decisions of all conditions in `CONDITIONS`, by name; see `decide`."""
    return {name: decide(space, name) for name in CONDITIONS}


def costs_of(predictions: ArrayLike, cost: ArrayLike) -> Floats:
    """Return the cost ``sum_i C[i, h(x_i)]`` of every classifier, shape (n_classifiers,)."""
    C = np.asarray(cost, dtype=np.float64)
    return np.asarray(np.take_along_axis(C, np.asarray(predictions), axis=1).sum(axis=0))
