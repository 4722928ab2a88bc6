"""The numbers behind a table: one fact per noise, data set, booster and T."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.reports.text import span
from boostbench.reports.values.agreement import Compared, Held, hold
from boostbench.reports.values.designs import sample_of
from boostbench.reports.values.frame import Result, Study, check_recorded, error_at, holds, tidy
from boostbench.reports.values.metrics import END, METRICS
from boostbench.reports.values.paper import PaperValue, PaperValues
from boostbench.reports.values.rank_statistics import mean_ranks

_LONGEST_REASON = 160
_DECIMALS = 10  # means of the same counts may differ in the last bits


class FactKey(NamedTuple):
    """Place of a fact; a ranking has no data set, the last round no number."""

    noise: str
    dataset: str | None
    booster: str
    rounds: int | str


@dataclass
class Fact:
    """Everything known of one cell."""

    gaps: tuple[str, ...]  # runs without a result, in words
    state: str  # stands in the place of a value
    paper: PaperValue | None
    n_runs: int = 0  # with a result at this T
    mean: float | None = None  # of the error as a fraction
    std: float | None = None  # ddof = 1; from two runs on
    stopped: tuple[str, ...] = ()  # runs that had stopped before T, in words
    best: bool = False  # no booster has a lower mean
    held: Held | None = None  # agreement with the paper's value; None if one of them is absent


class Standing(NamedTuple):
    """Comparison of a booster with the others over the data sets where all have a value."""

    mean_rank: float  # 1 is best; equal errors share the mean of their ranks
    wins: int  # data sets where its error is lower than every other
    ties: int  # equal to the lowest other
    losses: int

    @property
    def n(self) -> int:
        """Number of data sets."""
        return self.wins + self.ties + self.losses


def gather(
    study: Study, metric: str, rounds: Sequence[int] | Literal["end"], paper: PaperValues
) -> dict[FactKey, Fact]:
    """Return a fact for every combination that the study has runs of, in the study's order.

    Means are of what is to be low, see `Metric.shortfall`.
    """
    check_recorded(study, metric)
    runs: dict[tuple[str, str, str], list[Result]] = {}
    for result in study.results:
        runs.setdefault((result.noise, result.run.dataset, result.run.method), []).append(result)
    frame = tidy(study.results, rounds, [metric]).dropna(subset="value")
    frame["value"] = METRICS[metric].shortfall(frame["value"])
    columns = ["noise", "dataset", "booster", *([] if rounds == END else ["round"])]
    grouped = frame.groupby(columns, observed=True, sort=False)["value"]
    statistics = grouped.agg(["count", "mean", "std"]).to_dict("index")
    facts: dict[FactKey, Fact] = {}
    compared: dict[tuple[FactKey, str], Compared] = {}
    for place, results in runs.items():
        run, rate = results[0].run, results[0].noise_rate
        names = (run.dataset, run.data.name), (run.method, run.booster.name)
        for name in [END] if rounds == END else rounds:
            T = run.rounds if isinstance(name, str) else name
            key, printed = FactKey(*place, name), paper.find(*names, T, rate)
            its = statistics.get(place if rounds == END else key)
            facts[key] = _fact(results, T, its, printed, metric)
            if printed is not None and printed.error is not None:
                compared[key._replace(booster=""), run.method] = _compared(
                    results, metric, T, printed
                )
    for (others, booster), held in hold(compared).items():
        facts[others._replace(booster=booster)].held = held
    _mark_best(facts)
    return facts


def rank(facts: dict[FactKey, Fact]) -> dict[FactKey, Standing]:
    """Return how each booster stands over the data sets, by noise and T."""
    import pandas as pd

    found = {}
    means = pd.Series({key: fact.mean for key, fact in facts.items()}, dtype=np.float64)
    boosters = list(dict.fromkeys(key.booster for key in facts))
    for noise, T in dict.fromkeys((key.noise, key.rounds) for key in facts):
        errors = means.loc[noise, :, :, T].unstack().reindex(columns=boosters).dropna()
        if len(errors) and len(boosters) > 1:
            for booster, standing in zip(boosters, standings(errors.to_numpy()), strict=True):
                found[FactKey(noise, None, booster, T)] = standing
    return found


def standings(errors: NDArray[np.float64]) -> list[Standing]:
    """Compare the boosters in the columns over the data sets in the rows.

    Examples
    --------
    >>> standings(np.array([[0.1, 0.2], [0.3, 0.3]]))[0]
    Standing(mean_rank=1.25, wins=1, ties=1, losses=0)
    """
    errors = np.round(errors, _DECIMALS)
    ranks = mean_ranks(errors)
    found = []
    for place, own in enumerate(errors.T):
        others = np.delete(errors, place, axis=1).min(axis=1)
        counts = (int(found.sum()) for found in (own < others, own == others, own > others))
        found.append(Standing(float(ranks[place]), *counts))
    return found


def _fact(
    results: Sequence[Result],
    T: int,
    statistics: Mapping[Hashable, Any] | None,
    paper: PaperValue | None,
    metric: str,
) -> Fact:
    missing = [result for result in results if not result.ok]
    gaps = tuple(_gaps(missing, len(results)))
    if statistics is None and not missing and not any(holds(r, metric) for r in results):
        return Fact((f"it takes {METRICS[metric].asks}",), "not recorded", paper)
    if statistics is None:
        return Fact(gaps, "/".join(dict.fromkeys(result.status for result in missing)), paper)
    n, mean, std = int(statistics["count"]), statistics["mean"], statistics["std"]
    return Fact(gaps, "", paper, n, mean, std if n > 1 else None, tuple(_stopped(results, T)))


def _compared(results: Sequence[Result], metric: str, T: int, value: PaperValue) -> Compared:
    """Return what is held against a printed value."""

    def read(result: Result) -> float:
        is_made = result.run.rounds >= T or result.run.booster.rounds
        return error_at(result, metric, T) if is_made else np.nan

    sizes = [result.record.n_test for result in results if result.ok and result.record]
    return sample_of(results, read, ""), value, max(sizes, default=1)


def _gaps(missing: Sequence[Result], n_planned: int) -> Iterable[str]:
    """Return the reasons why runs have no result, equal ones once, so that notes can be shared."""
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
    """Return in words the runs that had stopped before T, and the reasons."""
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
    known = {key: fact for key, fact in facts.items() if fact.mean is not None}
    places: dict[FactKey, list[float]] = {}
    for key, fact in known.items():
        places.setdefault(key._replace(booster=""), []).append(fact.mean or 0.0)
    alone = len({key.booster for key in facts}) == 1
    for key, fact in known.items():
        lowest = min(places[key._replace(booster="")])
        fact.best = not alone and (fact.mean or 0.0) <= lowest + 1e-12
