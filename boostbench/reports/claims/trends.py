"""Claims about how a quantity changes: with noise, with rounds, from another config to this."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from boostbench.errors import UnknownNameError
from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.fields import MistakesError
from boostbench.reports.claims.comparing import opponents
from boostbench.reports.claims.evidence import END, Case, Evidence, Place
from boostbench.reports.claims.options import (
    Amount,
    Axis,
    Flag,
    Label,
    Labels,
    Statistic,
    Twin,
    Within,
)
from boostbench.reports.claims.samples import (
    Opinion,
    Sample,
    all_of,
    any_of,
    lower,
    mean_of,
    near,
    turned,
)
from boostbench.reports.claims.shapes import Tolerance, shaped
from boostbench.reports.values.frame import Result, error_curve, noise_label
from boostbench.source import show

__all__ = ["falls", "gap_shrinks", "rises", "settles_alike", "smallest_increase"]

_ARROW = " → "


def rises(
    evidence: Evidence,
    *,
    booster: Labels,
    over: Axis,
    slack: Within = Tolerance(),  # noqa: B008  # frozen
    ends: Flag = False,
) -> Iterable[Case]:
    """A quantity rises with the noise rate or with the rounds.

    Parameters
    ----------
    evidence : Evidence
    booster : label or list of labels
        Each is a case of its own.
    over : {"noise", "rounds"}
        Along the noises by rate, or along the rounds of ``at``.
    slack : mapping, default={points: 0}
        Steps back as small as this pass; strict steps are asked for by default.
    ends : bool, default=False
        Only the last is compared with the first.
    """
    return _trend(evidence, booster, over, slack, ends, upward=True)


def falls(
    evidence: Evidence,
    *,
    booster: Labels,
    over: Axis,
    slack: Within = Tolerance(),  # noqa: B008  # frozen
    ends: Flag = False,
) -> Iterable[Case]:
    """A quantity falls with the noise rate or with the rounds; see `rises`."""
    return _trend(evidence, booster, over, slack, ends, upward=False)


def gap_shrinks(
    evidence: Evidence,
    *,
    booster: Label,
    against: Labels = (),
    statistic: Statistic = "mean",
) -> Iterable[Case]:
    """The distance of a booster from the best of the others is smaller at each later T.

    Parameters
    ----------
    evidence : Evidence
    booster : label
    against : label or list of labels, default=all other boosters
        The one with the lowest mean at a T counts there.
    statistic : {"mean", "median"}
        Over runs.
    """
    others = opponents(evidence, [booster], against)
    rounds = _in_order(evidence.selection.at)
    for place in evidence.places(along="rounds"):
        gaps = [_gap(evidence, replace(place, at=at), booster, others, statistic) for at in rounds]
        opinion = all_of(
            lower(later, earlier, statistic=statistic)
            for earlier, later in itertools.pairwise(gaps)
        )
        texts = [evidence.text(gap, statistic=statistic) for gap in gaps]
        numbers = {
            **{f"gap at T = {at}": text for at, text in zip(rounds, texts, strict=True)},
            "change": evidence.change(opinion),
        }
        yield evidence.case(place, opinion, numbers)


@shaped(without=("per", "at"))
def settles_alike(
    evidence: Evidence, *, boosters: Labels, within: Amount = 0.1, factor: float
) -> Iterable[Case]:
    """Boosters come near to their own last value at about the same round.

    Parameters
    ----------
    evidence : Evidence
    boosters : list of labels
    within : number, default=10%
        How near, as a share of the last value.
    factor : float
        The rounds at which they first do differ at most by this factor, more than 1.
    """
    if isinstance(factor, bool) or not isinstance(factor, int | float) or factor <= 1:
        raise MistakesError([(("factor",), f"must be a number above 1, found {show(factor)}")])
    if len(boosters) < 2:
        raise MistakesError([(("boosters",), "needs at least two boosters to compare")])

    def settled(result: Result) -> float:
        values = error_curve(result, evidence.selection.value)
        return math.log(1 + int((values <= (1 + within) * values[-1]).argmax()))

    for place in evidence.places():
        logs = {label: evidence.gathered(place, label, settled) for label in boosters}
        opinion = all_of(
            near(logs[a], logs[b], math.log(factor)) for a, b in itertools.combinations(logs, 2)
        )
        rounds = {
            label: "–" if log.mean is None else f"{math.exp(log.mean):.0f}"
            for label, log in logs.items()
        }
        yield evidence.case(place, opinion, rounds)


def smallest_increase(
    evidence: Evidence, *, booster: Labels, against: Labels = (), over: Twin
) -> Iterable[Case]:
    """The increase over another config's runs is smaller for a booster than for all others.

    Parameters
    ----------
    evidence : Evidence
    booster : label or list of labels
        The best of several counts.
    against : label or list of labels, default=all other boosters
    over : path
        The other config, from the folder of this one; its clean runs, if it has any, are taken.
    """
    others = opponents(evidence, booster, against)
    _check_twin(evidence, over, [*booster, *others])
    twin = evidence.of(over)
    other_noise = noise_label(twin.selection.noises[0])
    for place in evidence.places():
        there = replace(place, noise=other_noise)
        increases = {
            label: evidence.sample(place, label).minus(twin.sample(there, label))
            for label in (*booster, *others)
        }
        opinion = any_of(
            all_of(lower(increases[mine], increases[theirs]) for theirs in others)
            for mine in booster
        )
        texts = {label: evidence.text(increase) for label, increase in increases.items()}
        yield evidence.case(place, opinion, {**texts, "difference": evidence.change(opinion)})


# The paper's statement is about the mean over data sets.
shaped(per="mean")(smallest_increase)


def _trend(
    evidence: Evidence,
    booster: Sequence[str],
    over: str,
    slack: Tolerance,
    ends: bool,
    *,
    upward: bool,
) -> Iterable[Case]:
    axis = "rounds" if over == "rounds" else "noise"
    chosen = evidence.selection
    steps: list[int | str]
    steps = (
        _in_order(chosen.at)
        if over == "rounds"
        else [noise_label(noise) for noise in chosen.noises]
    )
    if len(steps) < 2:
        what = "needs at least two rounds in 'at'" if over == "rounds" else "needs several noises"
        raise MistakesError([(("over",), f"{what} to rise or fall along")])
    steps = [steps[0], steps[-1]] if ends else steps
    for place in evidence.places(along=axis):  # type: ignore[arg-type]
        for label in booster:
            if evidence.excepts(place, label):
                continue
            values = [evidence.sample(_moved(place, over, step), label) for step in steps]
            opinion = all_of(
                _step(evidence, a, b, slack, upward) for a, b in itertools.pairwise(values)
            )
            numbers = {
                f"at {steps[0]} to {steps[-1]}": _ARROW.join(map(evidence.text, values)),
                "worst step": evidence.change(opinion),
            }
            yield evidence.case(place, opinion, numbers, label if len(booster) > 1 else "")


def _step(
    evidence: Evidence, before: Sample, after: Sample, slack: Tolerance, upward: bool
) -> Opinion:
    room = slack.of(before.mean or 0.0, evidence.metric)
    if upward:
        return turned(lower(before, after, ties=room > 0, slack=room))
    return lower(after, before, ties=room > 0, slack=room)


def _moved(place: Place, over: str, step: int | str) -> Place:
    return replace(place, at=step) if over == "rounds" else replace(place, noise=str(step))


def _in_order(at: Sequence[int | str]) -> list[int | str]:
    """Return rounds in rising order, the end last."""
    if len(at) < 2:
        raise MistakesError([(("at",), "needs at least two rounds, such as [10, 1000]")])
    return sorted(at, key=lambda T: (T == END, T if isinstance(T, int) else 0))


def _gap(
    evidence: Evidence, place: Place, booster: str, others: Sequence[str], statistic: str
) -> Sample:
    """Return how far a booster is above the best of others, the mean over the place's sets."""
    gaps = []
    for dataset in place.datasets:
        here = replace(place, datasets=(dataset,))
        own = evidence.sample(here, booster)
        rivals = [evidence.sample(here, label) for label in others]
        absent = [rival for rival in rivals if not rival.values]
        # Without one of them nobody knows which is the best.
        best = absent[0] if absent else min(rivals, key=lambda rival: rival.middle(statistic) or 0)
        gaps.append(own.minus(best))
    return gaps[0] if len(gaps) == 1 else mean_of(gaps)


def _check_twin(evidence: Evidence, twin: Config, labels: Sequence[str]) -> None:
    known = twin.scope()
    wanted = [("booster", name, known.boosters) for name in labels]
    wanted += [("data set", name, known.datasets) for name in evidence.selection.datasets]
    for kind, name, names in wanted:
        if name not in names:
            what = str(UnknownNameError(kind, name, names))
            raise MistakesError([(("over",), f"{twin.path}: {what}")])
