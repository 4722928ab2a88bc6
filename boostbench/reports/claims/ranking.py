"""Claims about ranks over cases, and about several boosters taken together.

A case is a data set at a noise. Ranks go by the boosters' means over the runs that all of them
have, as the papers' do: 1 is lowest, and equal ones share the better rank.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Annotated

import numpy as np

from boostbench.experiments.configs.claims import Scope
from boostbench.experiments.configs.fields import MistakesError, whole
from boostbench.reports.claims.comparing import opponents
from boostbench.reports.claims.evidence import Case, Evidence, Place
from boostbench.reports.claims.options import Flag, Labels, Rounds, read_number
from boostbench.reports.claims.samples import Opinion, all_of, lower, mean_of
from boostbench.reports.claims.shapes import shaped
from boostbench.reports.values.rank_statistics import competition_ranks

__all__ = ["mean_wins", "range_within", "rank_leads", "ranks_within"]

_DECIMALS = 10


def _read_ranks(value: object, scope: Scope) -> tuple[int, ...]:
    listed = value if isinstance(value, list) else [value]
    return tuple(whole(1)(rank) for rank in listed)


Ranks = Annotated[tuple[int, ...], _read_ranks]
Points = Annotated[float, read_number]


@shaped(without=("per",), pooled=True)
def ranks_within(evidence: Evidence, *, booster: Labels, within: Rounds = 1) -> Iterable[Case]:
    """A booster, or one of several, has at most this rank among all boosters.

    Parameters
    ----------
    evidence : Evidence
    booster : label or list of labels
    within : int, default=1
    """
    for place in evidence.places():
        means = _means(evidence, place, evidence.scope.boosters)
        if means is None:
            yield _missing(evidence, place, evidence.scope.boosters)
            continue
        ranks = dict(zip(means, competition_ranks(np.array([[*means.values()]]))[0], strict=True))
        best = min(booster, key=lambda label: ranks[label])
        numbers = {"best of them": best, "rank": str(ranks[best])}
        opinion = _said(ranks[best] <= within, float(ranks[best] - within))
        yield evidence.case(place, opinion, numbers)


@shaped(without=("per", "of", "pooled"))
def rank_leads(
    evidence: Evidence,
    *,
    booster: Labels,
    within: Ranks,
    against: Labels = (),
    ties: Flag = False,
) -> Iterable[Case]:
    """A booster is more often among the first n than every one of the others.

    Parameters
    ----------
    evidence : Evidence
    booster : label or list of labels
        Each is a case of its own, at each n.
    within : int or list of int
        n.
    against : label or list of labels, default=all other boosters
    ties : bool, default=False
        Whether equally often counts.
    """
    others = opponents(evidence, booster, against)
    labels = evidence.scope.boosters
    ranked, n_missing = [], 0
    for place in evidence.places():
        means = _means(evidence, place, labels)
        if means is None:
            n_missing += 1
        else:
            ranked.append([*means.values()])
    ranks = competition_ranks(np.array(ranked)) if ranked else np.empty((0, len(labels)))
    for n in within:
        often = dict(zip(labels, (ranks <= n).sum(axis=0).tolist(), strict=True))
        for label in booster:
            nearest = max(others, key=lambda other: often[other])
            lead = often[label] - often[nearest]
            numbers = {
                "times": f"{often[label]} of {len(ranks)}",
                "most of the others": f"{often[nearest]} ({nearest})",
            }
            opinion = _said(lead >= 0 if ties else lead > 0, float(-lead))
            if n_missing and abs(lead) <= n_missing:
                why = f"{n_missing} cases"
                opinion = Opinion("missing", planned=1, why=why)
            yield Case("", f"{label}, n = {n}", opinion, numbers)


def mean_wins(evidence: Evidence, *, boosters: Labels, against: Labels = ()) -> Iterable[Case]:
    """The mean of several boosters is lower than every one of the others.

    Parameters
    ----------
    evidence : Evidence
    boosters : list of labels
    against : label or list of labels, default=all other boosters
    """
    if len(boosters) < 2:
        raise MistakesError([(("boosters",), "must be a list of at least two boosters")])
    others = opponents(evidence, boosters, against)
    for place in evidence.places():
        joint = mean_of([evidence.sample(place, label) for label in boosters])
        theirs = {label: evidence.sample(place, label) for label in others}
        opinion = all_of(lower(joint, sample) for sample in theirs.values())
        numbers = {
            f"mean of {len(boosters)}": evidence.text(joint),
            **{label: evidence.text(sample) for label, sample in theirs.items()},
            "difference": evidence.change(opinion),
        }
        yield evidence.case(place, opinion, numbers)


def range_within(evidence: Evidence, *, boosters: Labels, points: Points) -> Iterable[Case]:
    """The means of several boosters over runs differ by at most so many points.

    Parameters
    ----------
    evidence : Evidence
    boosters : list of labels
    points : float
        Percent points of errors; of other quantities in their own unit.
    """
    for place in evidence.places():
        means = _means(evidence, place, boosters)
        if means is None:
            yield _missing(evidence, place, boosters)
            continue
        span = evidence.metric.scale * (max(means.values()) - min(means.values()))
        texts = {label: evidence.metric.text(value) for label, value in means.items()}
        opinion = _said(span <= points + 10**-_DECIMALS, span - points)
        yield evidence.case(place, opinion, {**texts, "range": f"{span:.2f}"})


def _means(evidence: Evidence, place: Place, labels: Iterable[str]) -> dict[str, float] | None:
    """Return each booster's mean over the runs that all have; None if there are none."""
    samples = {label: evidence.sample(place, label) for label in labels}
    units = set.intersection(*(set(sample.values) for sample in samples.values()))
    if not units:
        return None
    return {
        label: round(statistics.fmean(sample.values[unit] for unit in sorted(units)), _DECIMALS)
        for label, sample in samples.items()
    }


def _missing(evidence: Evidence, place: Place, labels: Iterable[str]) -> Case:
    gaps = [gap for label in labels for gap in evidence.sample(place, label).gaps]
    why = gaps[0] if gaps else "no runs in common"
    return evidence.case(place, Opinion("missing", planned=1, why=why), {})


def _said(holds: bool, beyond: float) -> Opinion:
    """Return what means say, without a word on how sure they are."""
    return Opinion("holds" if holds else "fails", beyond, leans=bool(holds))
