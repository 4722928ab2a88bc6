"""Numbers of an error table: one fact per noise, data set, booster and T."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from boostbench.quantities import QUANTITIES
from boostbench.reports.text import span
from boostbench.reports.values.agreement import Compared, Held, hold
from boostbench.reports.values.designs import Repeats, sample_of
from boostbench.reports.values.frame import END, Result, Study, check_recorded, holds
from boostbench.reports.values.paper import PaperValue, PaperValues
from boostbench.reports.values.rank_statistics import mean_ranks

if TYPE_CHECKING:
    import pandas as pd

_LONGEST_REASON = 160
_DECIMALS = 10  # rounding before comparison: means of equal counts may differ in the last bits


class FactKey(NamedTuple):
    """Key of a fact."""

    noise: str
    dataset: str
    booster: str
    rounds: int | str  # T, or "end" for the last round of each run


@dataclass
class Fact:
    """Results of the runs behind one cell."""

    sample: Repeats  # errors of the runs
    gaps: tuple[str, ...]  # descriptions of runs without a result
    state: str  # text shown if there is no value
    paper: PaperValue | None
    mean: float | None  # mean error as a fraction
    stopped: tuple[str, ...] = ()  # description of runs that stopped before T
    best: bool = False  # True if no booster has a lower mean
    held: Held | None = None  # agreement with the paper's value; None without both values


def gather(
    study: Study, metric: str, rounds: Sequence[int] | Literal["end"], paper: PaperValues
) -> dict[FactKey, Fact]:
    """Return a fact for every combination with runs, in the order of the study.

    Means are over `Quantity.shortfall`, so that lower is better for every metric.
    """
    check_recorded(study, metric)
    facts: dict[FactKey, Fact] = {}
    compared: dict[tuple[FactKey, str], Compared] = {}
    for place, results in study.cells.items():
        run, rate = results[0].run, results[0].noise_rate
        names = (run.dataset, run.data.name), (run.method, run.booster.name)
        for name in [END] if rounds == END else rounds:
            T = run.rounds if isinstance(name, str) else name
            key, printed = FactKey(*place, name), paper.find(*names, T, rate)
            facts[key] = fact = _fact(results, T, name, printed, metric)
            if printed is not None and printed.error is not None:
                sizes = [result.record.n_test for result in results if result.ok and result.record]
                its = fact.sample, printed, max(sizes, default=1)
                compared[key._replace(booster=""), run.method] = its
    for (others, booster), held in hold(compared).items():
        facts[others._replace(booster=booster)].held = held
    if len({key.booster for key in facts}) > 1:
        means = _means(facts)
        lowest = means.groupby(level=["noise", "dataset", "rounds"], sort=False).transform("min")
        for labels in means.index[means <= lowest + 1e-12]:
            facts[FactKey(*labels)].best = True
    return facts


def _means(facts: dict[FactKey, Fact]) -> pd.Series:
    import pandas as pd

    means = pd.Series({key: fact.mean for key, fact in facts.items()}, dtype=np.float64)
    return means.rename_axis(FactKey._fields)


def rank(facts: dict[FactKey, Fact]) -> tuple[dict[str, dict[FactKey, str]], set[int]]:
    """Compare each booster with all others over the data sets where all have a value.

    Returns
    -------
    summaries : dict of str to dict of FactKey to str
        Mean rank (1 is best, equal errors share the mean of their ranks), and the numbers of data
        sets where the booster has the lowest error alone, shares it, or has not. The data set of a
        key is empty.
    counts : set of int
        Numbers of data sets, by noise and T.
    """
    summaries: dict[str, dict[FactKey, str]] = {"mean rank": {}, "wins/ties/losses": {}}
    counts = set()
    means = _means(facts)
    boosters = list(dict.fromkeys(key.booster for key in facts))
    for noise, T in dict.fromkeys((key.noise, key.rounds) for key in facts):
        table = means.loc[noise, :, :, T].unstack().reindex(columns=boosters).dropna()
        if len(table) and len(boosters) > 1:
            counts.add(len(table))
            errors = np.round(table.to_numpy(), _DECIMALS)
            for place, (own, its_rank) in enumerate(zip(errors.T, mean_ranks(errors), strict=True)):
                others = np.delete(errors, place, axis=1).min(axis=1)
                won = [int(mask.sum()) for mask in (own < others, own == others, own > others)]
                key = FactKey(noise, "", boosters[place], T)
                summaries["mean rank"][key] = f"{its_rank:.2f}"
                summaries["wins/ties/losses"][key] = "/".join(map(str, won))
    return summaries, counts


def _fact(
    results: Sequence[Result], T: int, at: int | str, paper: PaperValue | None, metric: str
) -> Fact:
    missing = [result for result in results if not result.ok]
    sample, gaps = sample_of(results, at=at, metric=metric), tuple(_gaps(missing, len(results)))
    if sample.mean is not None:
        mean = QUANTITIES[metric].shortfall(sample.mean)
        return Fact(sample, gaps, "", paper, mean, tuple(_stopped(results, T)))
    if missing or any(holds(each, metric) for each in results):
        state = "/".join(dict.fromkeys(result.status for result in missing))
        return Fact(sample, gaps, state, paper, None)
    return Fact(sample, (f"it takes {QUANTITIES[metric].asks}",), "not recorded", paper, None)


def _gaps(missing: Sequence[Result], n_planned: int) -> Iterable[str]:
    """Yield the distinct reasons of missing results, in words that other cells can share."""
    by_reason: dict[str, list[Result]] = {}
    for result in missing:
        reason = " ".join(result.reported_reason.split())
        if len(reason) > _LONGEST_REASON:
            reason = reason[: _LONGEST_REASON - 1] + "…"
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
