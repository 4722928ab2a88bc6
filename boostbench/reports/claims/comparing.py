"""Claims that compare boosters with each other, or with a bound, place by place."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from boostbench.experiments.configs.fields import MistakesError
from boostbench.reports.claims.evidence import Case, Evidence, Place
from boostbench.reports.claims.options import (
    Amount,
    Bound,
    Flag,
    Labels,
    Levels,
    Within,
)
from boostbench.reports.claims.samples import Opinion, Sample, all_of, any_of, lower, near, turned
from boostbench.reports.claims.shapes import Boundary, Tolerance

__all__ = ["agrees", "compares", "loses", "opponents", "ordered", "relation_of", "wins"]


def wins(
    evidence: Evidence,
    *,
    booster: Labels,
    against: Labels = (),
    ties: Flag = False,
    by: Amount = 0.0,
) -> Iterable[Case]:
    """A booster, or the best of several, is lower than every one of the others.

    Parameters
    ----------
    evidence : Evidence
    booster : label or list of labels
    against : label or list of labels, default=all other boosters
    ties : bool, default=False
        Whether equal values count.
    by : number, default=0
        At least by so much, such as ``8%``; negative: it may be higher by so much.
    """
    return _first(evidence, booster, against, lambda a, b: lower(a, b, ties=ties, slack=-by))


def loses(
    evidence: Evidence, *, booster: Labels, against: Labels = (), ties: Flag = False
) -> Iterable[Case]:
    """A booster, or the worst of several, is higher than every one of the others.

    Parameters
    ----------
    evidence : Evidence
    booster : label or list of labels
    against : label or list of labels, default=all other boosters
    ties : bool, default=False
        Whether equal values count.
    """
    cases = _first(evidence, booster, against, lambda a, b: lower(b, a, ties=ties), turned)
    return cases


def ordered(evidence: Evidence, *, boosters: Levels, ties: Flag = False) -> Iterable[Case]:
    """Boosters stand in this order, lowest first; a list within stands on one step.

    Parameters
    ----------
    evidence : Evidence
    boosters : list of labels, or of lists of labels
    ties : bool, default=False
        Whether equal values are in order.
    """
    _refuse_repeats([label for level in boosters for label in level], "boosters")
    for place in evidence.places():
        values = {label: evidence.sample(place, label) for level in boosters for label in level}
        opinion = all_of(
            lower(values[a], values[b], ties=ties)
            for level, later in itertools.pairwise(boosters)
            for a in level
            for b in later
        )
        yield evidence.case(place, opinion, _shown(evidence, values, opinion))


def compares(
    evidence: Evidence,
    *,
    booster: Labels,
    lower_than: Bound | None = None,
    higher_than: Bound | None = None,
    equal_to: Bound | None = None,
    within: Within = Tolerance(),  # noqa: B008  # frozen
    ties: Flag = False,
) -> Iterable[Case]:
    """A quantity is lower than, higher than or equal to a bound or another quantity.

    Parameters
    ----------
    evidence : Evidence
    booster : label or list of labels
        Each is a case of its own.
    lower_than, higher_than, equal_to : number, "noise_rate" or mapping
        One of them. A mapping names another quantity by ``booster``, ``at``, ``noise``, ``value``
        (what is not given is as in the first), with ``times`` and ``plus``.
    within : mapping, default={points: 0}
        Tolerance of ``equal_to``: ``points`` and ``relative``.
    ties : bool, default=False
        Whether equal values count as lower or higher.
    """
    bound, judge = relation_of(lower_than, higher_than, equal_to, within, ties, evidence)
    for place in evidence.places():
        for label in booster:
            if evidence.excepts(place, label):
                continue
            left = evidence.sample(place, label)
            right = other_side(evidence, place, label, bound, left)
            opinion = judge(left, right)
            numbers = {
                "value": evidence.text(left),
                "compared with": evidence.text(right),
                "difference": evidence.change(opinion),
            }
            yield evidence.case(place, opinion, numbers, label if len(booster) > 1 else "")


def agrees(evidence: Evidence, *, boosters: Labels, within: Within) -> Iterable[Case]:
    """All values of several boosters lie within a tolerance of each other.

    Parameters
    ----------
    evidence : Evidence
    boosters : list of labels
    within : mapping
        ``points`` and ``relative`` (to the value of the booster named earlier).
    """
    if len(boosters) < 2:
        raise MistakesError([(("boosters",), "must be a list of at least two boosters")])
    for place in evidence.places():
        values = {label: evidence.sample(place, label) for label in boosters}
        pairs = [(a, b) for i, a in enumerate(boosters) for b in boosters[i + 1 :]]
        opinion = all_of(
            near(values[b], values[a], within.of(values[a].mean or 0.0, evidence.metric))
            for a, b in pairs
        )
        yield evidence.case(place, opinion, _shown(evidence, values, opinion))


def opponents(evidence: Evidence, booster: Sequence[str], against: Sequence[str]) -> list[str]:
    """Return whom a booster is held against: those named, or all others.

    Raises
    ------
    MistakesError
        If a booster is on both sides, or there is no other.
    """
    for label in against:
        if label in booster:
            what = f"{label!r} is in 'booster' and in 'against'"
            raise MistakesError([(("against",), what)])
    found = list(against) or [label for label in evidence.scope.boosters if label not in booster]
    if not found:
        raise MistakesError([(("against",), "there is no other booster")])
    return found


def relation_of(
    lower_than: Boundary | None,
    higher_than: Boundary | None,
    equal_to: Boundary | None,
    within: Tolerance,
    ties: bool,
    evidence: Evidence,
) -> tuple[Boundary, Callable[[Sample, Sample], Opinion]]:
    """Return the one bound that is given and what judges by it.

    Raises
    ------
    MistakesError
        If none or several are given.
    """
    bounds = [bound for bound in (lower_than, higher_than, equal_to) if bound is not None]
    if len(bounds) != 1:
        what = "needs one of lower_than, higher_than and equal_to"
        raise MistakesError([((), what)])
    if lower_than is not None:
        return lower_than, lambda left, right: lower(left, right, ties=ties)
    if higher_than is not None:
        return higher_than, lambda left, right: turned(lower(right, left, ties=ties))

    def equal(left: Sample, right: Sample) -> Opinion:
        return near(left, right, within.of(right.mean or 0.0, evidence.metric))

    return bounds[0], equal


def other_side(
    evidence: Evidence, place: Place, label: str, bound: Boundary, left: Sample
) -> Sample:
    """Return what a quantity is compared with, by unit."""
    if bound.number is not None:
        return Sample.constant(bound.number, left)
    if bound.is_rate:
        return evidence.rates(place, label)
    there = replace(place, at=bound.at or place.at, noise=bound.noise or place.noise)
    found = evidence.sample(there, bound.booster or label, value=bound.value)
    return found.map(lambda value: bound.times * value + bound.plus)


def _first(
    evidence: Evidence,
    booster: Sequence[str],
    against: Sequence[str],
    judge: Callable[[Sample, Sample], Opinion],
    shown: Callable[[Opinion], Opinion] = lambda opinion: opinion,
) -> Iterable[Case]:
    """Yield whether one of the boosters beats all others, as ``judge`` tells of two."""
    others = opponents(evidence, booster, against)
    for place in evidence.places():
        values = {label: evidence.sample(place, label) for label in (*booster, *others)}
        opinion = shown(
            any_of(
                all_of(judge(values[mine], values[theirs]) for theirs in others) for mine in booster
            )
        )
        yield evidence.case(place, opinion, _shown(evidence, values, opinion))


def _shown(evidence: Evidence, values: dict[str, Sample], opinion: Opinion) -> dict[str, str]:
    texts = {label: evidence.text(sample) for label, sample in values.items()}
    return {**texts, "difference": evidence.change(opinion)}


def _refuse_repeats(labels: Sequence[str], key: str) -> None:
    for index, label in enumerate(labels):
        if label in labels[:index]:
            raise MistakesError([((key,), f"{label!r} is listed twice")])
