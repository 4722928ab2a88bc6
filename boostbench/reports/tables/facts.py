"""Numbers of an error table: one fact per noise, data set, booster and T."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.quantities import QUANTITIES
from boostbench.reports.text import span
from boostbench.reports.values.agreement import Compared, Held, hold
from boostbench.reports.values.designs import Repeats, sample_of
from boostbench.reports.values.frame import END, Result, Study, check_recorded, error_at, holds
from boostbench.reports.values.paper import PaperValue, PaperValues
from boostbench.reports.values.rank_statistics import mean_ranks

_LONGEST_REASON = 160
_DECIMALS = 10  # rounding before comparison: means of equal counts may differ in the last bits


class FactKey(NamedTuple):
    """Key of a fact or a standing."""

    noise: str
    dataset: str | None  # None for a standing
    booster: str
    rounds: int | str  # T, or "end" for the last round of each run


@dataclass
class Fact:
    """Results of the runs behind one cell."""

    gaps: tuple[str, ...]  # descriptions of runs without a result
    state: str  # text shown if there is no value
    paper: PaperValue | None
    n_runs: int = 0  # number of runs with a result at T
    mean: float | None = None  # mean error as a fraction
    std: float | None = None  # standard deviation with ddof = 1; None for a single run
    stopped: tuple[str, ...] = ()  # description of runs that stopped before T
    best: bool = False  # True if no booster has a lower mean
    held: Held | None = None  # agreement with the paper's value; None without both values


class Standing(NamedTuple):
    """Comparison of a booster with all others over the data sets where all have a value."""

    mean_rank: float  # 1 is best; ties share the mean of their ranks
    wins: int  # data sets where the booster has the lowest error alone
    ties: int  # data sets where the booster shares the lowest error
    losses: int

    @property
    def n(self) -> int:
        """Number of data sets."""
        return self.wins + self.ties + self.losses


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
            sample = sample_of(results, at=name, read=partial(error_at, metric=metric, at=name))
            facts[key] = _fact(results, T, sample, printed, metric)
            if printed is not None and printed.error is not None:
                sizes = [result.record.n_test for result in results if result.ok and result.record]
                its = sample, printed, max(sizes, default=1)
                compared[key._replace(booster=""), run.method] = its
    for (others, booster), held in hold(compared).items():
        facts[others._replace(booster=booster)].held = held
    _mark_best(facts)
    return facts


def rank(facts: dict[FactKey, Fact]) -> dict[FactKey, Standing]:
    """Return the standing of each booster over the data sets, by noise and T."""
    import pandas as pd

    ranks = {}
    means = pd.Series({key: fact.mean for key, fact in facts.items()}, dtype=np.float64)
    boosters = list(dict.fromkeys(key.booster for key in facts))
    for noise, T in dict.fromkeys((key.noise, key.rounds) for key in facts):
        errors = means.loc[noise, :, :, T].unstack().reindex(columns=boosters).dropna()
        if len(errors) and len(boosters) > 1:
            for booster, standing in zip(boosters, standings(errors.to_numpy()), strict=True):
                ranks[FactKey(noise, None, booster, T)] = standing
    return ranks


def standings(errors: NDArray[np.float64]) -> list[Standing]:
    """Compare boosters (columns) over data sets (rows).

    Examples
    --------
    >>> standings(np.array([[0.1, 0.2], [0.3, 0.3]]))[0]
    Standing(mean_rank=1.25, wins=1, ties=1, losses=0)
    """
    errors = np.round(errors, _DECIMALS)
    result = []
    for place, (own, rank) in enumerate(zip(errors.T, mean_ranks(errors), strict=True)):
        others = np.delete(errors, place, axis=1).min(axis=1)
        counts = (int(mask.sum()) for mask in (own < others, own == others, own > others))
        result.append(Standing(float(rank), *counts))
    return result


def _fact(
    results: Sequence[Result], T: int, sample: Repeats, paper: PaperValue | None, metric: str
) -> Fact:
    missing = [result for result in results if not result.ok]
    gaps = tuple(_gaps(missing, len(results)))
    if sample.mean is None and not missing and not any(holds(r, metric) for r in results):
        return Fact((f"it takes {QUANTITIES[metric].asks}",), "not recorded", paper)
    if sample.mean is None:
        return Fact(gaps, "/".join(dict.fromkeys(result.status for result in missing)), paper)
    values, mean = [*sample.values.values()], QUANTITIES[metric].shortfall(sample.mean)
    std = statistics.stdev(values) if len(values) > 1 else None
    return Fact(gaps, "", paper, len(values), mean, std, tuple(_stopped(results, T)))


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


def _mark_best(facts: dict[FactKey, Fact]) -> None:
    if len({key.booster for key in facts}) == 1:
        return
    means = {key: fact.mean for key, fact in facts.items() if fact.mean is not None}
    lowest: dict[FactKey, float] = {}
    for key, mean in means.items():
        cell = key._replace(booster="")
        lowest[cell] = min(mean, lowest.get(cell, np.inf))
    for key, mean in means.items():
        facts[key].best = mean <= lowest[key._replace(booster="")] + 1e-12
