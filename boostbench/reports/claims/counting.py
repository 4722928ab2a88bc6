"""Claims that count: runs, cells of the paper's table, errors to the digit, runs that stop."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from boostbench.experiments.configs.fields import MistakesError
from boostbench.reports.claims.comparing import opponents, other_side, relation_of
from boostbench.reports.claims.evidence import END, Case, Evidence
from boostbench.reports.claims.options import (
    Bound,
    ErrorCounts,
    Flag,
    Labels,
    PaperFile,
    Rounds,
    ShareOrCount,
    Within,
    Words,
)
from boostbench.reports.claims.samples import Opinion, Sample, lower, near, share_of
from boostbench.reports.claims.shapes import Tolerance, shaped
from boostbench.reports.values.frame import Result, noise_label

__all__ = ["counts", "enough", "matches_paper", "share", "stops"]

#: The spec's: max(1.5 points, a quarter of the paper's value).
_NEAR_PAPER = Tolerance(1.5, 0.25)


@shaped(without=("per",))
def counts(evidence: Evidence, *, errors: ErrorCounts) -> Iterable[Case]:
    """Boosters make exactly these numbers of errors in every run.

    Parameters
    ----------
    evidence : Evidence
    errors : mapping of label to list of int
        One count for each T of ``at``.
    """
    rounds = evidence.selection.at
    for label, expected in errors.items():
        if len(expected) != len(rounds):
            what = f"has {len(expected)} counts for the {len(rounds)} rounds of 'at'"
            raise MistakesError([(("errors", label), f"errors: {label!r} {what}")])
    for place in evidence.places():
        for label, expected in errors.items():
            if evidence.excepts(place, label):
                continue
            found = evidence.sample(place, label, counted=True)
            right = expected[rounds.index(place.at)]
            opinion = near(found, Sample.constant(right, found), 0.0)
            distinct = sorted({round(count) for count in found.values.values()})
            numbers = {
                "errors": ", ".join(map(str, distinct)) or "–",
                "expected": str(right),
            }
            yield evidence.case(place, opinion, numbers, label)


@shaped(without=("per",), pooled=True, at="checkpoints")
def matches_paper(
    evidence: Evidence,
    *,
    paper: PaperFile,
    boosters: Labels = (),
    within: Within = _NEAR_PAPER,
) -> Iterable[Case]:
    """Cells of the paper's table are met within a tolerance.

    Parameters
    ----------
    evidence : Evidence
    paper : path
        File of paper values, from the folder of the config. A cell is a data set, a booster, a T
        and a noise that the file has a value for; at ``end`` the largest T that the file has for
        the others, which must be the last round of the runs.
    boosters : label or list of labels, default=all
    within : mapping, default={points: 1.5, relative: 0.25}
        The larger of ``points`` and ``relative`` (to the paper's value).
    """
    labels = boosters or evidence.scope.boosters
    names, rates = evidence.scope.names, _rates(evidence)
    for place in evidence.places():
        for label in labels:
            dataset, rate = place.datasets[0], rates[place.noise]
            its_names = (dataset, names.get(dataset, dataset)), (label, names.get(label, label))
            at_end = place.at == END
            value = (
                paper.last(*its_names, rate)
                if at_end
                else paper.find(*its_names, int(place.at), rate)
            )
            if value is None or value.error is None or evidence.excepts(place, label):
                continue
            ours = evidence.sample(place, label, rounds=value.rounds if at_end else None)
            tolerance = within.of(value.error, evidence.metric)
            opinion = near(ours, Sample.constant(value.error, ours), tolerance)
            numbers = {
                "ours": evidence.text(ours),
                "paper": value.text,
                "difference": evidence.change(opinion),
            }
            yield evidence.case(place, opinion, numbers, label)


@shaped(without=("per", "of"))
def share(
    evidence: Evidence,
    *,
    booster: Labels,
    at_least: ShareOrCount,
    against: Labels = (),
    lower_than: Bound | None = None,
    higher_than: Bound | None = None,
    equal_to: Bound | None = None,
    within: Within = Tolerance(),  # noqa: B008  # frozen
    ties: Flag = False,
) -> Iterable[Case]:
    """In at least a share of the runs a booster is below others, or meets a bound.

    Parameters
    ----------
    evidence : Evidence
    booster : label or list of labels
        Each is a case of its own.
    at_least : float or int
        A share such as 0.9 of all runs there could be, judged by a binomial interval; or a number
        of the runs that are planned.
    against : label or list of labels, default=all other boosters
        Unless a bound is given, see `compares`.
    lower_than, higher_than, equal_to : number, "noise_rate" or mapping
    within : mapping, default={points: 0}
    ties : bool, default=False
        Whether equal values count.
    """
    bounded = any(bound is not None for bound in (lower_than, higher_than, equal_to))
    if bounded and against:
        raise MistakesError([(("against",), "give either 'against' or a bound, not both")])
    if bounded:
        bound, judge = relation_of(lower_than, higher_than, equal_to, within, ties, evidence)
    else:
        opponents(evidence, booster, against)
        bound, judge = None, lambda left, right: lower(left, right, ties=ties)
    for place in evidence.places():
        for label in booster:
            if evidence.excepts(place, label):
                continue
            own = evidence.sample(place, label)
            if bound is None:
                others = [
                    evidence.sample(place, other) for other in opponents(evidence, [label], against)
                ]
            else:
                others = [other_side(evidence, place, label, bound, own)]
            held = _by_unit(own, others, judge)
            n = len(held.values)
            opinion = enough(held, at_least)
            numbers = {"held in": f"{round(sum(held.values.values()))} of {n}"}
            if opinion.difference is not None:
                numbers["share"] = f"{100 * opinion.difference:.1f} %"
            if opinion.interval is not None:
                low, high = opinion.interval
                numbers["interval"] = f"{100 * low:.1f} to {100 * high:.1f} %"
            yield evidence.case(place, opinion, numbers, label if len(booster) > 1 else "")


@shaped(without=("per", "value", "at"))
def stops(
    evidence: Evidence, *, booster: Labels, before: Rounds, reason: Words = ""
) -> Iterable[Case]:
    """Every run ends before a round.

    Parameters
    ----------
    evidence : Evidence
    booster : label or list of labels
        Each is a case of its own.
    before : int
        The run makes fewer rounds than this.
    reason : str, default=""
        Part of the stop reason; any by default.
    """

    def stopped(result: Result) -> float:
        record = result.record
        assert record is not None
        is_stopped = record.n_rounds < min(before, result.run.rounds)
        return float(is_stopped and reason in record.stop_reason)

    def last_round(result: Result) -> float:
        assert result.record is not None
        return float(result.record.n_rounds)

    for place in evidence.places():
        for label in booster:
            if evidence.excepts(place, label):
                continue
            ended = evidence.gathered(place, label, stopped)
            opinion = near(ended, Sample.constant(1.0, ended), 0.0)
            made = list(evidence.gathered(place, label, last_round).values.values())
            span = [str(round(rounds)) for rounds in (min(made), max(made))] if made else ["–"]
            numbers = {"rounds made": " to ".join(dict.fromkeys(span))}
            yield evidence.case(place, opinion, numbers, label if len(booster) > 1 else "")


def _rates(evidence: Evidence) -> dict[str, float]:
    """Return the rate of each noise by its label; one drawn by a problem is in no table."""
    return {
        noise_label(noise): noise.rate if isinstance(noise.rate, int | float) else -1.0
        for noise in evidence.selection.noises
    }


def _by_unit(
    left: Sample, others: list[Sample], judge: Callable[[Sample, Sample], Opinion]
) -> Sample:
    """Return 1 in the runs where ``judge`` says yes to all pairs, 0 where it does not."""
    values = {}
    for unit in left.values:
        if all(unit in other.values for other in others):
            mine, theirs = _alone(left, unit), [_alone(other, unit) for other in others]
            values[unit] = float(all(judge(mine, other).state == "holds" for other in theirs))
    gaps = dict.fromkeys(gap for sample in (left, *others) for gap in sample.gaps)
    planned = left.planned.union(*(other.planned for other in others))
    return Sample(values, planned, tuple(gaps))


def _alone(sample: Sample, unit: tuple[int, int]) -> Sample:
    return Sample({unit: sample.values[unit]}, frozenset([unit]))


def enough(held: Sample, at_least: float | int) -> Opinion:
    """Judge a share of all runs there could be, or a number of those planned."""
    if isinstance(at_least, float):
        return share_of(held, at_least)
    n, planned = len(held.values), len(held.planned)
    yes = round(sum(held.values.values()))
    difference = yes / n if n else None
    if yes >= at_least:
        return Opinion("holds", difference, None, n, planned, leans=True)
    if planned >= at_least > yes + planned - n:
        return Opinion("fails", difference, None, n, planned)
    why = "; ".join(held.gaps) or f"only {planned} runs are planned"
    return Opinion("missing", difference, None, n, planned, why=why)
