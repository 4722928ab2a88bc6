"""Numbers and figures for Figs. 1 to 6 of "A theory of multiclass boosting", and claims about them.

Each function ``figureN`` is a figure kind that also returns the drawn values. The claims are of the
kind `Computed`. Settings that the available text of the paper does not state are chosen here; the
config says which settings the text states.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache, wraps
from math import factorial
from pathlib import Path
from typing import Any, ClassVar

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from pydantic import field_validator, model_validator

from boostbench.plugins import (
    Case,
    Evidence,
    Kind,
    Outcome,
    Scope,
    Study,
    costs_of,
    decide_all,
    load_plugin,
    own_labels,
    potential_bound,
    two_constants,
    uniform_baseline,
    unknown,
)

_HERE = Path(__file__).parent
drawings = load_plugin(_HERE / "drawings.py")
lazy = load_plugin(_HERE / "lazy.py")
pixel_maps = load_plugin(_HERE / "pixels.py")

Drawn = tuple[Figure, pd.DataFrame]
Numbers = dict[str, float]
_GAMMA = 0.1
_COSTS = np.array([[-1.0, 1.0, 0.0], [1.0, -1.0, 0.0]])
_FIGURE_3 = ((10, 0.0), (50, 0.0), (50, 0.4))
_FIGURE_4 = (10, 50)
_FIGURE_6 = (0.1, 0.2, 0.3, 0.5)


# Numbers


@lru_cache
def edges() -> Numbers:
    """Return the largest edge with which the space of Fig. 1 satisfies each condition."""
    space = two_constants()
    decided = decide_all(space)
    return {name: round(decision.gamma, 9) for name, decision in decided.items()}


@lru_cache
def games() -> dict[str, Any]:
    """Return the games of SAMME and AdaBoost.MM against a lazy weak learner."""
    return {name: lazy.play_lazy(name, gamma=_GAMMA) for name in ("samme", "adaboost-mm")}


def excess_costs() -> Numbers:
    """Return the cost of each classifier of Fig. 1 less the cost of the baseline."""
    space = two_constants()
    baseline = own_labels(uniform_baseline(space.n_classes, _GAMMA), space.y)
    paid = costs_of(space.predictions, _COSTS) - float((_COSTS * baseline).sum())
    return {f"classifier {number}": float(cost) for number, cost in enumerate(paid, start=1)}


def exact_zero_one_potential(
    baseline: Sequence[Fraction], state: Sequence[int], n_left: int
) -> Fraction:
    """Return one zero-one potential as an exact fraction; see `ZeroOnePotential`."""
    success = Fraction(0)
    for j in range(n_left + 1):
        paths = [Fraction(1)] + [Fraction(0)] * (n_left - j)
        for b, votes in zip(baseline[1:], state[1:], strict=True):
            most = min(state[0] + j - votes - 1, n_left - j)
            step = [b**x / factorial(x) for x in range(most + 1)]
            paths = [
                sum((step[x] * paths[w - x] for x in range(min(w, most) + 1)), Fraction(0))
                for w in range(n_left - j + 1)
            ]
        success += baseline[0] ** j / factorial(j) * paths[-1]
    return 1 - factorial(n_left) * success


@lru_cache
def exact_bounds() -> tuple[Fraction, ...]:
    """Return the bounds of Fig. 2, left, for T = 0, 1, ..., with edge 0 and uniform baseline."""
    return tuple(exact_zero_one_potential([Fraction(1, 6)] * 6, [0] * 6, T) for T in range(11))


@lru_cache
def printed_bounds() -> tuple[str, ...]:
    """Return the bounds of Fig. 2, left, as printed in the paper."""
    with (_HERE / "figure2-table.csv").open(encoding="utf-8", newline="") as file:
        return tuple(row["error_bound"] for row in csv.DictReader(file))


def _bound(K: int, T: int, gamma: float = 0.0, condition: str = "uniform") -> float:
    return potential_bound(K, gamma, T, condition=condition)


@lru_cache
def bounds_by_class() -> dict[int, float]:
    """Return the bounds of Fig. 2, right, by the number of classes."""
    return {K: _bound(K, 10, 0.1) for K in range(2, 101)}


@lru_cache
def both_bounds() -> dict[tuple[str, int, int], tuple[float, float]]:
    """Return the minimal and the best fixed bound of Fig. 5, by axis, T and K."""
    at = [("T", T, 6) for T in range(21)] + [("K", 10, K) for K in range(2, 21)]
    return {(axis, T, K): (_bound(K, T, condition="minimal"), _bound(K, T)) for axis, T, K in at}


@lru_cache
def degree_maps() -> dict[str, Any]:
    """Return the degree maps of Fig. 3."""
    return {f"T = {T}, γ = {gamma:g}": pixel_maps.pixel_map(T, gamma) for T, gamma in _FIGURE_3}


@lru_cache
def surfaces() -> dict[int, Any]:
    """Return the potentials of Fig. 4 by T."""
    return {T: pixel_maps.pixel_map(T, 0.0) for T in _FIGURE_4}


@lru_cache
def exponential_maps() -> dict[str, Any]:
    """Return the degree maps of Fig. 6."""
    return {f"η = {eta:g}": pixel_maps.pixel_map(10, 0.1, eta) for eta in _FIGURE_6}


# Quantities of claims: numbers by case


def _off_print(rounds: range) -> Numbers:
    """Return the differences of the rounded bounds from the printed bounds."""
    off = {}
    for T in rounds:
        ours = Decimal(float(exact_bounds()[T])).quantize(Decimal("0.01"), ROUND_HALF_UP)
        off[f"T = {T}"] = float(ours - Decimal(printed_bounds()[T]))
    return off


def _gaps() -> Numbers:
    gaps = {
        f"T = {T}, K = {K}": minimal - fixed
        for (_, T, K), (minimal, fixed) in both_bounds().items()
    }
    return {**gaps, "T = 10, K = 6, less 0.01": gaps["T = 10, K = 6"] - 0.01}


def _off_ends() -> Numbers:
    bounds = bounds_by_class()
    top = max(bounds.values())
    return {f"the top less the bound for K = {K}": top - bounds[K] for K in (2, 100)}


def _pixels_of_each_degree() -> Numbers:
    counts = {}
    for name, pixels in degree_maps().items():
        counts[f"{name}, degree 3"] = float(((pixels.degree == 3) & ~pixels.tied).sum())
        counts[f"{name}, degree 2"] = float((pixels.degree == 2).sum())
    return counts


def _off_stripes(pixels: Any) -> float:
    """Return the number of pixels of degree 2 off the stripes where max(x, y) is even, x != y."""
    x, y = np.meshgrid(pixels.coordinate, pixels.coordinate, indexing="ij")
    two = pixels.degree == 2
    return float((two & ((np.maximum(x, y) % 2 != 0) | (x == y))).sum())


def _off_band(pixels: Any) -> float:
    """Return the number of pixels that contradict a band of degree 3 along the diagonal."""
    distance = np.abs(np.subtract.outer(pixels.coordinate, pixels.coordinate))
    return float(((distance <= pixels.half_width()) != (pixels.degree == 3)).sum())


def _smoothing() -> Numbers:
    bends = [float(np.abs(np.diff(p.value, n=2, axis=0)).max()) for p in surfaces().values()]
    return {"largest change of slope, T = 50 less T = 10": bends[1] - bends[0]}


def _narrowing() -> Numbers:
    maps = list(exponential_maps().items())
    return {
        f"half width, {name} less {before}": float(pixels.half_width() - wider.half_width())
        for (before, wider), (name, pixels) in itertools.pairwise(maps)
    }


QUANTITIES: dict[str, Callable[[], Numbers]] = {
    "edge-of-samme": lambda: {"samme": edges()["samme"]},
    "edge-of-minimal": lambda: {"minimal": edges()["minimal"]},
    "excess-costs": excess_costs,
    "last-errors-less-expected": lambda: {
        "samme, less 0.5": float(games()["samme"].error[-1]) - 0.5,
        "adaboost-mm": float(games()["adaboost-mm"].error[-1]),
    },
    "off-print-to-9": lambda: _off_print(range(10)),
    "off-print-at-10": lambda: _off_print(range(10, 11)),
    "below-the-top": _off_ends,
    "pixels-of-each-degree": _pixels_of_each_degree,
    "off-stripes": lambda: {name: _off_stripes(p) for name, p in degree_maps().items()},
    "smoothing": _smoothing,
    "minimal-less-fixed": _gaps,
    "gap-of-two-classes": lambda: {"T = 10, K = 2": float(np.subtract(*both_bounds()["K", 10, 2]))},
    "off-band": lambda: {name: _off_band(p) for name, p in exponential_maps().items()},
    "degree-2-at-small-eta": lambda: {
        "η = 0.1": float((exponential_maps()["η = 0.1"].degree == 2).sum())
    },
    "narrowing": _narrowing,
}


class Computed(Kind):
    """Computed numbers are lower than, higher than or equal to a bound, within a tolerance.

    Attributes
    ----------
    value : str
        A key of `numbers`, here `QUANTITIES`; each number of the quantity is a case.
    lower_than, higher_than, equal_to : float
        The bound; exactly one of the three must be given.
    within : float
        Tolerance, also for ``lower_than`` and ``higher_than``.
    """

    numbers: ClassVar[Mapping[str, Callable[[], Numbers]]] = QUANTITIES

    value: str
    lower_than: float | None = None
    higher_than: float | None = None
    equal_to: float | None = None
    within: float = 0.0

    @field_validator("value")
    @classmethod
    def _is_known(cls, value: str) -> str:
        if value not in cls.numbers:
            raise ValueError(unknown("quantity", value, cls.numbers))
        return value

    @model_validator(mode="after")
    def _is_one(self) -> Computed:
        if sum(b is not None for b in (self.lower_than, self.higher_than, self.equal_to)) != 1:
            raise ValueError("needs one of lower_than, higher_than and equal_to")
        return self

    def check(self, scope: Scope) -> None:
        """Check the number of cases, if the claim says one; the numbers are computed for that."""
        if self.of is not None or self.at_least.count is not None:
            super().check(scope)

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield a case per number: whether it is within the bound."""
        for name, number in self.numbers[self.value]().items():
            if self.lower_than is not None:
                beyond, strict = number - self.lower_than, True
            elif self.higher_than is not None:
                beyond, strict = self.higher_than - number, True
            else:
                beyond, strict = abs(number - (self.equal_to or 0.0)), False
            holds = beyond < self.within or (
                beyond <= self.within and not (strict and self.within == 0)
            )
            outcome = Outcome("holds" if holds else "fails")
            yield Case("", name, outcome, {"value": f"{number:.6g}"})


# Figures


def _formulas(draw: Callable[[], Drawn]) -> Callable[..., Drawn]:
    """Return a figure kind in which text between dollar signs is a formula."""

    @wraps(draw)
    def drawn(study: Study) -> Drawn:
        with matplotlib.rc_context({"text.parse_math": True}):
            return draw()

    del drawn.__wrapped__  # the signature of `drawn` counts, not that of `draw`
    return drawn


def _frame(columns: str, rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    return pd.DataFrame([*rows], columns=columns.split(), dtype=object)


@_formulas
def figure1() -> Drawn:
    """Space that satisfies SAMME's condition and is not boostable.

    Left: two samples, three labels and two constant classifiers, which predict label 0 and label 1;
    with these costs, both cost more than the baseline. Middle: the largest edge with which this
    space satisfies each condition. Right: SAMME and AdaBoost.MM with a weak learner that has all
    nine classifiers, tries the two constant ones first, and returns the first one with edge gamma.
    """
    rows: list[tuple[Any, ...]] = [("edge", name, "", edge) for name, edge in edges().items()]
    for name, game in games().items():
        rows += [("error", name, T, e) for T, e in enumerate(game.error.tolist(), start=1)]
    figure = drawings.draw_conditions(_COSTS, two_constants().y, edges(), games())
    return figure, _frame("what name round value", rows)


@_formulas
def figure2() -> Drawn:
    """Error bounds with the uniform baseline.

    The bound is phi_T(0) of the zero-one loss for the edge-over-random condition with the uniform
    baseline. Left: by the number of rounds, with the printed values. Right: by the number of
    classes.
    """
    exact, printed, by_class = exact_bounds(), printed_bounds(), bounds_by_class()
    both = zip(exact, printed, strict=True)
    rows: list[tuple[Any, ...]] = [
        ("T", T, 6, 0, float(bound), bound, paper) for T, (bound, paper) in enumerate(both)
    ]
    rows += [("K", 10, K, 0.1, bound, "", "") for K, bound in by_class.items()]
    values = np.array([float(bound) for bound in exact])
    figure = drawings.draw_table_and_curve(values, [*map(float, printed)], by_class)
    return figure, _frame("over T K gamma bound exact paper", rows)


@_formulas
def figure3() -> Drawn:
    """Degrees of the zero-one loss.

    The degree is the number of labels on which the worst baseline of the minimal condition puts
    weight, for every state of three classes. The state s counts votes; label 0 is the true one. In
    pale pixels both degrees attain the maximum, up to a relative difference of 1e-12.
    """
    maps = degree_maps()
    figure = drawings.draw_degrees([*maps.values()], [(name, "") for name in maps])
    rows = (
        (*setting, *row)
        for setting, pixels in zip(_FIGURE_3, maps.values(), strict=True)
        for row in _degree_rows(pixels)
    )
    return figure, _frame("T gamma x y degree both", rows)


@_formulas
def figure4() -> Drawn:
    """Potentials of the minimal condition over the states of three classes."""
    figure = drawings.draw_surfaces([*surfaces().values()], [f"T = {T}" for T in surfaces()])
    rows = ((T, *row) for T, pixels in surfaces().items() for row in _pixels(pixels, pixels.value))
    return figure, _frame("T x y potential", rows)


@_formulas
def figure5() -> Drawn:
    """Bound of the minimal condition beside the best fixed one."""
    bounds = both_bounds()
    panels = []
    for axis, title in (
        ("T", "over the rounds, K = 6, γ = 0"),
        ("K", "over the classes, T = 10, γ = 0"),
    ):
        along = {
            T if axis == "T" else K: both for (name, T, K), both in bounds.items() if name == axis
        }
        panels.append((title, "rounds T" if axis == "T" else "classes K", along))
    rows = ((axis, T, K, 0, *both) for (axis, T, K), both in bounds.items())
    return drawings.draw_bounds(panels), _frame("over T K gamma minimal fixed", rows)


@_formulas
def figure6() -> Drawn:
    """Degrees of the exponential loss with four weights eta of a vote."""
    maps = exponential_maps()
    titles = [
        (name, "everywhere" if (p.degree == 3).all() else f"|x − y| ≤ {p.half_width()}")
        for name, p in maps.items()
    ]
    rows = (
        (10, 0.1, eta, *row)
        for eta, pixels in zip(_FIGURE_6, maps.values(), strict=True)
        for row in _degree_rows(pixels)
    )
    return drawings.draw_degrees([*maps.values()], titles), _frame(
        "T gamma eta x y degree both", rows
    )


def _degree_rows(pixels: Any) -> Iterator[tuple[Any, ...]]:
    """Yield x, y, degree and whether both degrees attain the maximum."""
    for (*place, degree), (*_, tied) in zip(
        _pixels(pixels, pixels.degree), _pixels(pixels, pixels.tied), strict=True
    ):
        yield *place, degree, int(tied)


def _pixels(pixels: Any, values: Any) -> Iterator[tuple[Any, ...]]:
    """Yield x, y and the value of every pixel."""
    at = pixels.coordinate.tolist()
    for x, line in zip(at, values.tolist(), strict=True):
        for y, value in zip(at, line, strict=True):
            yield x, y, value
