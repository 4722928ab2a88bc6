"""Claims about vector-valued predictors (MCBoost): how far they reach, and where they lie."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import partial
from typing import Annotated

import numpy as np

from boostbench.experiments.configs.claims import Scope
from boostbench.experiments.configs.fields import MistakesError, one_of, whole
from boostbench.reports.claims.counting import enough
from boostbench.reports.claims.evidence import END, Case, Evidence
from boostbench.reports.claims.options import Labels, ShareOrCount
from boostbench.reports.claims.samples import Sample, near
from boostbench.reports.claims.shapes import shaped
from boostbench.reports.values.frame import Result
from boostbench.reports.values.predictor import margins_of, predictor_of
from boostbench.source import show

__all__ = ["predictions_grow", "predictions_within"]


def _read_between(value: object, scope: Scope) -> tuple[float, float]:
    if isinstance(value, list) and len(value) == 2 and {*map(type, value)} <= {int, float}:
        low, high = map(float, value)
        if low < high:
            return low, high
    raise ValueError(f"must be two numbers, the smaller first, found {show(value)}")


Measure = Annotated[str, lambda value, scope: one_of("norm", "margin")(value)]
Component = Annotated[int, lambda value, scope: whole(1)(value)]
Between = Annotated[tuple[float, float], _read_between]


def _mean_norm(result: Result, T: int) -> float:
    return float(np.linalg.norm(predictor_of(result, T), axis=1).mean())


def _median_margin(result: Result, T: int) -> float:
    return float(np.median(margins_of(result, T)))


_MEASURES = {"norm": _mean_norm, "margin": _median_margin}


@shaped(without=("per", "value"), at="checkpoints")
def predictions_grow(evidence: Evidence, *, booster: Labels, measure: Measure) -> Iterable[Case]:
    """In every run the predictor's reach on the test samples grows from round 0 on.

    Parameters
    ----------
    evidence : Evidence
    booster : label or list of labels
        Each is a case of its own; runs that recorded their ``scores``.
    measure : {"norm", "margin"}
        The mean length of f(x), or the median margin.
    """
    rounds = sorted(T for T in evidence.selection.at if isinstance(T, int))
    if len(rounds) < len(evidence.selection.at):
        raise MistakesError([(("at",), "must be numbers of rounds")])
    steps = [0, *rounds]

    def grows(result: Result) -> float:
        values = [_MEASURES[measure](result, T) for T in steps]
        return float(all(a < b for a, b in itertools.pairwise(values)))

    for place in evidence.places(along="rounds"):
        for label in booster:
            if evidence.excepts(place, label):
                continue
            held = evidence.gathered(place, label, grows)
            reach = [
                evidence.gathered(place, label, partial(_MEASURES[measure], T=T)) for T in steps
            ]
            means = " → ".join("–" if r.mean is None else f"{r.mean:.3f}" for r in reach)
            numbers = {
                f"{measure} at T = {', '.join(map(str, steps))}": means,
                "held in": f"{round(sum(held.values.values()))} of {len(held.values)}",
            }
            opinion = near(held, Sample.constant(1.0, held), 0.0)
            yield evidence.case(place, opinion, numbers, label if len(booster) > 1 else "")


@shaped(without=("per", "value", "of"))
def predictions_within(
    evidence: Evidence,
    *,
    booster: Labels,
    component: Component,
    between: Between,
    at_least: ShareOrCount = 1.0,
) -> Iterable[Case]:
    """In at least a share of the runs a component of all predictions lies in a range.

    Parameters
    ----------
    evidence : Evidence
    booster : label or list of labels
        Each is a case of its own; runs that recorded their ``scores``.
    component : int
        From 1 to K - 1.
    between : list of two numbers
    at_least : float or int, default=1.0
        A share of all runs there could be, judged by its interval; or a number of those planned.
    """
    low, high = between

    def lies(result: Result, T: int) -> float:
        f = predictor_of(result, T)[:, component - 1]
        return float(low <= f.min() and f.max() <= high)

    for place in evidence.places():
        if place.at == END:
            raise MistakesError([(("at",), "must be numbers of rounds")])
        for label in booster:
            if evidence.excepts(place, label):
                continue
            held = evidence.gathered(place, label, partial(lies, T=int(place.at)))
            opinion = enough(held, at_least)
            numbers = {"held in": f"{round(sum(held.values.values()))} of {len(held.values)}"}
            if opinion.interval is not None:
                left, right = opinion.interval
                numbers["share, interval"] = f"{100 * left:.1f} to {100 * right:.1f} %"
            yield evidence.case(place, opinion, numbers, label if len(booster) > 1 else "")
