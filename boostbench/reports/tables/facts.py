"""Numbers of an error table: one fact per noise, data set, booster and T, and who is best."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from boostbench.quantities import QUANTITIES
from boostbench.reports.text import listed, shortened, span
from boostbench.reports.values.frame import END, Result, Study, check_recorded, holds
from boostbench.reports.values.paper import Held, PaperValue, PaperValues, hold
from boostbench.reports.values.rank_statistics import holm, mean_ranks
from boostbench.reports.values.samples import Repeats, estimate, sample_of

_LONGEST_REASON = 160
_DECIMALS = 10  # rounding before comparison: means of equal counts may differ in the last bits


class FactKey(NamedTuple):
    """Key of a fact."""

    noise: str
    dataset: str
    booster: str
    rounds: int | str  # T, or "end" for the last round of each run

    @property
    def place(self) -> FactKey:
        """The key without its booster, which rivals share."""
        return self._replace(booster="")


@dataclass
class Fact:
    """Results of the runs behind one cell; lower values are better."""

    sample: Repeats  # `Quantity.shortfall` of the runs
    gaps: tuple[str, ...]  # descriptions of runs without a result
    state: str  # text shown if there is no value
    paper: PaperValue | None
    stopped: tuple[str, ...] = ()  # description of runs that stopped before T
    best: bool = False  # True if no booster has a lower mean
    even: bool = False  # True if it is not the best, but not significantly worse
    held: Held | None = None  # agreement with the paper's value; None without both values

    @property
    def mean(self) -> float:
        """The mean; NaN without a value."""
        return math.nan if self.sample.mean is None else self.sample.mean


#: Facts with a value at one place, by booster.
Rivals = dict[str, Fact]


def by_place(facts: Mapping[FactKey, Fact], *, complete: bool = True) -> dict[FactKey, Rivals]:
    """Return the facts with a value by noise, data set and T, in keys without a booster.

    Parameters
    ----------
    facts : mapping of FactKey to Fact
    complete : bool, default=True
        Only the places where every booster has a value.
    """
    n_boosters = len({key.booster for key in facts})
    places: dict[FactKey, Rivals] = {}
    for key, fact in facts.items():
        if fact.sample.values:
            places.setdefault(key.place, {})[key.booster] = fact
    return {place: of for place, of in places.items() if len(of) == n_boosters or not complete}


def gather(
    study: Study, metric: str, rounds: Sequence[int] | Literal["end"], paper: PaperValues
) -> dict[FactKey, Fact]:
    """Return a fact for every combination with runs, in the order of the study."""
    check_recorded(study, metric)
    facts: dict[FactKey, Fact] = {}
    columns: dict[FactKey, list[tuple[PaperValue, Repeats]]] = {}  # with numbers, by place
    for place, results in study.cells.items():
        run, rate = results[0].run, results[0].noise_rate
        names = (run.dataset, run.data.name), (run.method, run.booster.name)
        for name in [END] if rounds == END else rounds:
            T = run.rounds if isinstance(name, str) else name
            key, printed = FactKey(*place, name), paper.find(*names, T, rate)
            facts[key] = fact = _fact(results, T, name, printed, metric)
            if printed is not None and printed.error is not None:
                columns.setdefault(key.place, []).append((printed, fact.sample))
    several = QUANTITIES[metric].higher is not None and len({key.booster for key in facts}) > 1
    for of in by_place(facts, complete=False).values():
        lowest = min(fact.mean for fact in of.values())
        for fact in of.values():
            fact.best = several and fact.mean <= lowest + 1e-12
    for key, fact in facts.items():
        fact.held = hold(fact.paper, fact.sample, columns.get(key.place, ()))
    return facts


def rank(facts: dict[FactKey, Fact]) -> tuple[dict[FactKey, str], set[int]]:
    """Compare each booster with all others over the data sets where all have a value.

    Returns
    -------
    summaries : dict of FactKey to str
        Mean rank (1 is best, equal errors share the mean of their ranks), and the numbers of data
        sets where the booster has the lowest error alone, shares it, or has not. These names stand
        for the data set of a key.
    counts : set of int
        Numbers of data sets, by noise and T.
    """
    boosters, whole = list(dict.fromkeys(key.booster for key in facts)), by_place(facts)
    summaries: dict[FactKey, str] = {}
    counts = set()
    for noise, T in dict.fromkeys((p.noise, p.rounds) for p in whole if len(boosters) > 1):
        rivals = [of for p, of in whole.items() if (p.noise, p.rounds) == (noise, T)]
        counts.add(len(rivals))
        errors = np.round([[of[name].mean for name in boosters] for of in rivals], _DECIMALS)
        columns = zip(boosters, errors.T, mean_ranks(errors), strict=True)
        for place, (name, own, its_rank) in enumerate(columns):
            others = np.delete(errors, place, axis=1).min(axis=1)
            won = [str(mask.sum()) for mask in (own < others, own == others, own > others)]
            summaries[FactKey(noise, "mean rank", name, T)] = f"{its_rank:.2f}"
            summaries[FactKey(noise, "wins/ties/losses", name, T)] = "/".join(won)
    return summaries, counts


def _fact(
    results: Sequence[Result], T: int, at: int | str, paper: PaperValue | None, metric: str
) -> Fact:
    missing = [result for result in results if not result.ok]
    gaps = tuple(_gaps(missing, len(results)))
    quantity = QUANTITIES[metric]
    sample, takes = sample_of(results, at=at, metric=metric), f"it takes {quantity.asks}"
    sample = sample.map(quantity.shortfall)
    if sample.values:
        n_without = sum(result.ok and not holds(result, metric) for result in results)
        if n_without:
            gaps += (f"not recorded by {n_without} of {len(results)} runs; {takes}",)
        return Fact(sample, gaps, "", paper, tuple(_stopped(results, T)))
    if missing or any(holds(each, metric) for each in results):
        state = "/".join(dict.fromkeys(result.status for result in missing))
        return Fact(sample, gaps, state, paper)
    return Fact(sample, (takes,), "not recorded", paper)


def _gaps(missing: Sequence[Result], n_planned: int) -> Iterable[str]:
    """Yield the distinct reasons of missing results, in words that other cells can share."""
    by_reason: dict[str, list[Result]] = {}
    for result in missing:
        reason = shortened(" ".join(result.reported_reason.split()), _LONGEST_REASON)
        text = f"{result.status}: {reason}" if reason else result.status
        by_reason.setdefault(text, []).append(result)
    for text, results in by_reason.items():
        if len(results) == n_planned:
            if text != results[0].status:
                yield text
        else:
            yield f"no result of {len(results)} of {n_planned} runs: {text}"


def _stopped(results: Sequence[Result], T: int) -> Iterable[str]:
    """Yield a description of the runs that stopped before T, with the reasons, if there are any."""
    stopped = [result for result in results if result.stopped_at is not None]
    stops = {result.stopped_at for result in stopped if result.stopped_at is not None}
    if not stops or min(stops) >= T:
        return
    rounds = f"round{'s' * (len(stops) > 1)} {span(stops)}"
    share = f" in {len(stopped)} of {len(results)} runs" if len(stopped) < len(results) else ""
    records = [result.record for result in stopped if result.record is not None]
    reasons = dict.fromkeys(record.stop_reason or "no reason given" for record in records)
    run = results[0].run
    noise = "" if results[0].noise == "clean" else f", {results[0].noise}"
    yield f"{run.dataset}/{run.method}{noise} after {rounds}{share} ({', '.join(reasons)})"


#: Level of the tests.
LEVEL = 0.05
_MOST_OTHERS = 3  # boosters named after the first


def contest(facts: Mapping[FactKey, Fact], best: str) -> Iterator[str]:
    """Yield sentences on the booster that is best in most cases, at the last T of a table.

    A case is a data set with a noise on which every booster has a value. A lead is beyond chance if
    all tests against the others are significant at 0.05, with Holm's method over the cases.

    Parameters
    ----------
    facts : mapping of FactKey to Fact
    best : str
        What the best booster has, such as "lowest test error".
    """
    T = list(facts)[-1].rounds
    boosters = list(dict.fromkeys(key.booster for key in facts))
    rivals = by_place(facts).items()
    cases = {(place.noise, place.dataset): of for place, of in rivals if place.rounds == T}
    wins = Counter(name for of in cases.values() for name in boosters if of[name].best)
    if not wins:
        return
    n_won = max(wins.values())
    leader, *equals = (name for name, n in wins.items() if n == n_won)
    noises = {noise for noise, _ in cases}
    what = "data sets" if len(noises) == 1 else "combinations of data set and noise"
    where = f"on {n_won} of {len(cases)} {what}" if len(cases) > 1 else f"on {next(iter(cases))[1]}"
    short = min(noises).partition(" (")[0]
    noise = "" if "clean" in noises or len(noises) > 1 else f"With wrong labels ({short}), "
    when = "after the last round" if T == END else f"after {T} rounds"
    beyond = _beyond_chance([*cases.values()], leader)
    is_tie = equals and len(cases) == 1
    has = f"{listed([leader, *equals])} have" if is_tie else f"{leader} has"
    yield f"{noise}{has} the {best} {where} {when}{beyond}."
    true = [of[leader].best for (noise, _), of in cases.items() if noise == "clean"]
    if true and len(noises) > 1:
        wrong = f"{n_won - sum(true)} of {len(cases) - len(true)}"
        yield f"With wrong labels that is {wrong}, with true ones {sum(true)} of {len(true)}."
    others = [f"{name} on {n}" for name, n in wins.most_common()[1:]]
    if others and len(cases) > 1:
        more = [f"{len(others) - _MOST_OTHERS} more"] if len(others) > _MOST_OTHERS else []
        ties = "; ties count for each" if wins.total() > len(cases) else ""
        yield f"Then {listed(others[:_MOST_OTHERS] + more)}{ties}."
    printed = [[of[leader].paper, *(of[name].paper for name in of)] for of in cases.values()]
    errors = [[paper.error for paper in of if paper and paper.error is not None] for of in printed]
    known = [of for of in errors if len(of) == len(boosters) + 1]
    if known:
        yield f"In the paper: on {sum(of[0] == min(of) for of in known)} of {len(known)}."


def _beyond_chance(cases: Sequence[Rivals], leader: str) -> str:
    """Return on how many of the cases that the leader wins its lead is beyond chance, in words."""
    won = [{name: of[name].sample for name in of} for of in cases if of[leader].best]
    tests = [[estimate(of[leader], of[name]) for name in of if name != leader] for of in won]
    if any(not test.test or test.why for of in tests for test in of):
        return ""
    p = holm([max(test.not_below(0.0) for test in of) for of in tests])
    n = sum(each <= LEVEL for each in p)
    if len(cases) > 1:
        return f", beyond chance on {n or 'none of them'}"
    return ", beyond chance" if n else ", which may be chance"


def mark_even(facts: Mapping[FactKey, Fact]) -> None:
    """Mark the facts that are not significantly worse than the best at the same place.

    The test is that of the design of the runs at 0.05, with Holm's method over the boosters of a
    place. A difference that cannot be tested is not marked.
    """
    for of in by_place(facts, complete=False).values():
        best, *others = sorted(of.values(), key=lambda fact: not fact.best)
        tests = [estimate(fact.sample, best.sample) for fact in others if best.best]
        p = holm([test.not_above(0.0) for test in tests])
        for fact, test, each in zip(others, tests, p, strict=best.best):
            fact.even = bool(test.test and not test.why and each > LEVEL and not fact.best)
