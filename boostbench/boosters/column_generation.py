r"""Boosting as a linear program over all weak classifiers, solved by column generation.

A program has a variable :math:`a_j` for every weak classifier and, in its dual, a signed weight
:math:`p_i` for every row. Only the classifiers found so far are in it (the restricted master
program). Its dual values ask the weak learner for the classifier whose constraint they violate
most, :math:`\max_h \sum_i p_i h(x_i)`; when none is violated the program over all of them is
solved. Every round changes the coefficients of all classifiers: the boosters are totally
corrective.

=========  ==================================  ==============================
symbol     here                                shape
=========  ==================================  ==============================
z_ij       ``own.Z``: y_i h_j(x_i)             (n, t)
a          ``own.a``                           (t,)
y_i p_i    ``own.p``                           (n,)
=========  ==================================  ==============================

Early programs have many solutions, and a simplex method finds one that puts all the weight on a few
samples, of which the weak learner learns nothing about the others. So rows on which all classifiers
answer alike are one group in the program, whose weight they share in proportion to their sample
weights; and the largest weight of a group, relative to its sample weight, costs a little too: of
the best weights it takes even ones.

The solver is HiGHS, by scipy. Coefficients, and weights relative to the sample weights, are rounded
to multiples of 2**-38, far above its rounding errors; a program that still has several solutions
may have another one in another version of the solver.
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

#: A classifier whose constraint is violated by less is not worth another round.
_TOLERANCE = 1e-7
#: Price of the largest weight.
_EVENNESS = 1e-6


@dataclass
class Master:
    """Solution of the restricted master program.

    Attributes
    ----------
    p : ndarray of float64, shape (n,)
        Weight of each row, times its label; negative where the weak learner is asked for the other
        label.
    bound : float
        Bound of the constraints of the dual: ``sum_i p_i z_ij <= bound`` for all classifiers j.
    value : float
        The objective.
    a : ndarray of float64, shape (t,)
        Coefficients of the classifiers.
    Z : ndarray of float64, shape (n, t)
        ``y_i h_j(x_i)``.
    hypotheses : list
        The classifiers.
    """

    p: Floats
    bound: float
    value: float
    a: Floats
    Z: Floats
    hypotheses: list[Any] = field(default_factory=list)


class ColumnGeneration(BinaryBooster):
    """Base of the boosters that solve a linear program. A subclass defines `begin` and `solve`."""

    paper_learner = CLASSIFIER

    @abstractmethod
    def solve(self, w: Floats, Z: Floats, bound: float) -> tuple[Floats, Floats, float, float]:
        """Return a, p, bound and value of the program, given the bound of the one before.

        ``w`` has the sample weights of the groups, shape (g,), and Z what the classifiers answer on
        them, shape (g, t); p has a value for each group.
        """

    def ask(self, state: BoostState) -> WeightedLabels | None:
        """Return the labels that the dual values ask for, or None if they ask for none."""
        weight = self.weights(state)
        if not weight.any():
            return None
        wanted = np.where(state.own.p < 0.0, 1 - state.y, state.y).astype(np.int32)
        return WeightedLabels(wanted, weight, state.n_classes)

    def answer(self, state: BoostState, demand: WeightedLabels, h: Any) -> Step:
        """Add the classifier to the program and solve it; stop if it violates no constraint."""
        own: Master = state.own
        z = state.signed_labels * answers(h)
        edge = dot(own.p, z)
        if edge <= own.bound + _TOLERANCE:
            return Step(0.0, edge, stop="converged", keep=False)
        own.hypotheses.append(h)
        own.Z = np.column_stack([own.Z, z])
        before = np.append(own.a, 0.0)
        answered, group = np.unique(own.Z, axis=0, return_inverse=True)
        group = group.reshape(-1)  # of shape (n, 1) in numpy 2.0
        w = np.asarray(np.bincount(group, state.sample_weight), dtype=np.float64)
        a, p, own.bound, value = self.solve(w, answered, own.bound)
        own.a, own.value = on_grid(a), float(on_grid(value))
        own.p = on_grid(p / w)[group] * state.sample_weight
        return Step(own.a - before, edge)

    def take(self, state: BoostState, ensemble: Ensemble, h: Any, step: Step) -> None:
        """Change the coefficients of all classifiers, the new one among them."""
        changes = np.asarray(step.size)
        for earlier, change in zip(state.own.hypotheses, changes, strict=True):
            earlier.add_to(state.scores, change)
        ensemble.add_corrected(h.trees, changes)

    def weights(self, state: BoostState) -> Floats:
        """Return the absolute dual values, as shares; all 0 if none is left."""
        p = np.abs(state.own.p)
        return np.asarray(p / (total(p) or 1.0))

    def objective(self, state: BoostState) -> float:
        """Return the value of the program."""
        own: Master = state.own
        return own.value

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return 0: the value is no mean of losses."""
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
    r"""Return x and the multipliers of ``A x <= b`` at the minimum of ``c x``.

    The first n variables are weights of the groups, and so are the next n if there are as many.
    With the sum :math:`v_i` of a group's the program is

    .. math::
        \min_{x, m}\; c^\top x + 10^{-6} m \quad \text{s.t.}\quad
        A x \le b, \quad v_i \le m w_i .

    Parameters
    ----------
    name : str
        The booster, for the message.
    w : ndarray of float64, shape (n,)
        Sample weights.
    c, A, b : ndarray of float64, shape (k,), (t, k) and (t,)
    limits : list of (float or None, float or None)
        Bounds of the variables.
    sums_to_1 : bool, default=False
        The weights of the first n variables sum to 1.

    Raises
    ------
    BoostbenchError
        If the solver gives up.
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
