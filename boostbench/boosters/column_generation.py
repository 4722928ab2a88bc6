r"""Boosting as a linear program over all weak classifiers, solved by column generation.

The linear program has a variable :math:`a_j` for every weak classifier, and its dual has a signed
weight :math:`p_i` for every row. The restricted master program contains the classifiers found so
far. The weak learner searches for the classifier whose dual constraint is most violated,
:math:`\max_h \sum_i p_i h(x_i)`; if no constraint is violated, the full program is solved. Every
round updates the coefficients of all classifiers (totally corrective boosting).

=========  ==================================  ==============================
symbol     here                                shape
=========  ==================================  ==============================
z_ij       ``own.Z``, y_i h_j(x_i)             (n, t)
a          ``own.a``                           (t,)
y_i p_i    ``own.p``                           (n,)
=========  ==================================  ==============================

The first programs have many optimal solutions, and the simplex method returns one with all the
weight on a few rows, from which the weak learner learns nothing about the remaining rows. Two
measures select even weights among the optimal ones. Rows with the same z_ij for every classifier j
form one group, whose weight is divided among the rows in proportion to their sample weights. A
small penalty applies to the largest ratio of a group's weight to its sample weight.

The solver is HiGHS, through scipy. Coefficients, and weights relative to the sample weights, are
rounded to multiples of 2**-38, far above the solver's rounding errors. If a program has several
optimal solutions, another version of the solver may return a different one.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linprog

from boostbench.boosters.binary import CLASSIFIER, BinaryBooster, answers
from boostbench.boosters.ensemble import Ensemble, on_grid
from boostbench.boosters.state import BoostState, Step
from boostbench.errors import BoostbenchError
from boostbench.portable import dot, total
from boostbench.weak_learners import WeightedLabels

Floats = NDArray[np.float64]

#: Largest violation of a constraint that is ignored.
_TOLERANCE = 1e-7
#: Penalty of the largest relative weight.
_EVENNESS = 1e-6


@dataclass
class Master:
    """Solution of the restricted master program.

    Attributes
    ----------
    p : ndarray of float64, shape (n,)
        Weight of each row, negative if the weak learner is to predict the opposite label.
    bound : float
        Right-hand side of the dual constraints, ``sum_i p_i z_ij <= bound`` for all j.
    value : float
        Value of the objective.
    a : ndarray of float64, shape (t,)
        Coefficients of the classifiers.
    Z : ndarray of float64, shape (n, t)
        Products ``y_i h_j(x_i)``.
    hypotheses : list
        Classifiers.
    """

    p: Floats
    bound: float
    value: float
    a: Floats
    Z: Floats
    hypotheses: list[Any] = field(default_factory=list)


class ColumnGeneration(BinaryBooster):
    """Base class of boosters that solve a linear program; subclasses define `begin` and `solve`."""

    paper_learner = CLASSIFIER

    @abstractmethod
    def solve(self, w: Floats, Z: Floats, bound: float) -> tuple[Floats, Floats, float, float]:
        """Solve the program over the g groups of rows and return a, p, its bound and its value.

        ``w`` has the summed sample weights of the groups, shape (g,), ``Z`` the products
        ``y_i h_j(x_i)`` of the groups, shape (g, t), and ``bound`` is the bound of the previous
        program. The returned p has shape (g,).
        """

    def ask(self, state: BoostState) -> WeightedLabels | None:
        """Return labels weighted by ``|p|``, opposite where p < 0, or None if all p are 0."""
        weight = self.weights(state)
        if not weight.any():
            return None
        wanted = np.where(state.own.p < 0.0, 1 - state.y, state.y).astype(np.int32)
        return WeightedLabels(wanted, weight, state.n_classes)

    def answer(self, state: BoostState, demand: WeightedLabels, h: Any) -> Step:
        """Add the classifier and solve the program; stop if its constraint is not violated."""
        own: Master = state.own
        z = state.signed_labels * answers(h)
        edge = dot(own.p, z)
        if edge <= own.bound + _TOLERANCE:
            return Step(0.0, edge, stop="converged", keep=False)
        own.hypotheses.append(h)
        own.Z = np.column_stack([own.Z, z])
        before = np.append(own.a, 0.0)
        answered, group = np.unique(own.Z, axis=0, return_inverse=True)
        group = group.reshape(-1)  # numpy 2.0 returns shape (n, 1)
        w = np.asarray(np.bincount(group, state.sample_weight), dtype=np.float64)
        a, p, own.bound, value = self.solve(w, answered, own.bound)
        own.a, own.value = on_grid(a), float(on_grid(value))
        own.p = on_grid(p / w)[group] * state.sample_weight
        return Step(own.a - before, edge)

    def take(self, state: BoostState, ensemble: Ensemble, h: Any, step: Step) -> None:
        """Update the coefficients of all classifiers, including the new one."""
        changes = np.asarray(step.size)
        for earlier, change in zip(state.own.hypotheses, changes, strict=True):
            earlier.add_to(state.scores, change)
        ensemble.grow(h.trees)
        moved = np.flatnonzero(changes)
        ensemble.move(moved.tolist(), changes[moved])

    def weights(self, state: BoostState) -> Floats:
        """Return the absolute dual values, normalised to sum to 1, or all 0."""
        p = np.abs(state.own.p)
        return np.asarray(p / (total(p) or 1.0))

    def objective(self, state: BoostState) -> float:
        """Return the value of the program."""
        own: Master = state.own
        return own.value

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return 0, because the objective is not a mean of losses."""
        return 0.0


def solve_evenly(
    name: str,
    w: Floats,
    c: Floats,
    A: Floats,
    b: Floats,
    limits: list[tuple[float | None, float | None]],
    sums_to_1: bool = False,
) -> tuple[Floats, Floats]:
    r"""Minimise ``c x`` subject to ``A x <= b``, preferring even weights of the groups.

    The first n variables are weights of the groups, and so are the next n if k >= 2n. With
    :math:`v_i` the sum of the weights of group i, the program is

    .. math::
        \min_{x, m}\; c^\top x + 10^{-6} m \quad \text{s.t.}\quad
        A x \le b, \quad v_i \le m w_i .

    Parameters
    ----------
    name : str
        Name of the booster, for the error message.
    w : ndarray of float64, shape (n,)
        Sample weights of the groups.
    c, A, b : ndarray of float64, shape (k,), (t, k) and (t,)
        Coefficients of the program.
    limits : list of (float or None, float or None)
        Bounds of the k variables.
    sums_to_1 : bool, default=False
        If True, the first n variables are constrained to sum to 1.

    Returns
    -------
    x : ndarray of float64, shape (k,)
        Solution.
    multipliers : ndarray of float64, shape (t,)
        Multipliers of ``A x <= b``.

    Raises
    ------
    BoostbenchError
        If the solver fails.
    """
    n, (t, k) = len(w), A.shape
    each = [sp.eye_array(n)] * (k // n)
    evenly = sp.hstack([*each, sp.csr_array((n, k % n)), sp.csr_array(-w[:, None])])
    equations = {"A_eq": np.append(np.ones(n), np.zeros(k + 1 - n))[None, :], "b_eq": [1.0]}
    result = linprog(
        c=np.append(c, _EVENNESS),
        A_ub=sp.vstack([sp.csr_array(np.column_stack([A, np.zeros(t)])), evenly], format="csr"),
        b_ub=np.append(b, np.zeros(n)),
        bounds=[*limits, (0.0, None)],
        method="highs",
        **(equations if sums_to_1 else {}),
    )
    if not result.success:
        raise BoostbenchError(f"the linear program of {name} was not solved: {result.message}")
    return result.x[:k], -result.ineqlin.marginals[:t]
