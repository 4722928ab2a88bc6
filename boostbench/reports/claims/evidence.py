"""What a kind of claim looks at: places, the values there, and the cases it makes of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from boostbench.experiments.configs.claims import Scope
from boostbench.experiments.configs.config import Config
from boostbench.experiments.runs import Noise
from boostbench.reports.claims.samples import Opinion, Sample, Unit, mean_of
from boostbench.reports.values.frame import Result, Study, error_curve, noise_label
from boostbench.reports.values.metrics import END, METRICS, Metric

__all__ = ["END", "Case", "Evidence", "Place", "Selection", "Studies"]

#: Gives the study of another config.
Studies = Callable[[Config], Study]


@dataclass(frozen=True)
class Place:
    """Where one case of a claim looks.

    Attributes
    ----------
    group : str
        The claim's rule must be met in every group.
    datasets : tuple of str
        One, or all those whose mean is looked at.
    noise : str
    at : int or "end"
        Round T.
    """

    group: str
    datasets: tuple[str, ...]
    noise: str
    at: int | str


@dataclass(frozen=True)
class Selection:
    """The part of the runs that a claim is about.

    Attributes
    ----------
    value : str
        A key of `METRICS`.
    at : tuple of (int or "end")
    datasets : tuple of str
    noises : tuple of Noise
        By rising rate.
    excepted : tuple of dict
        Each leaves out what all its keys fit: ``dataset``, ``noise``, ``at``, ``booster``.
    per : {"dataset", "mean"}
    pooled : bool
        Whether all noises and T make one group.
    """

    value: str
    at: tuple[int | str, ...]
    datasets: tuple[str, ...]
    noises: tuple[Noise, ...]
    excepted: tuple[dict[str, Any], ...] = ()
    per: Literal["dataset", "mean"] = "dataset"
    pooled: bool = False


@dataclass(frozen=True)
class Case:
    """One of the things that have to hold.

    Attributes
    ----------
    group : str
    subject : str
        What it is about: a data set, the mean over data sets, a booster ...
    opinion : Opinion
    numbers : dict of str to str
        What it rests on, by column.
    """

    group: str
    subject: str
    opinion: Opinion
    numbers: dict[str, str] = field(default_factory=dict)


class Evidence:
    """The runs of an experiment as a claim sees them.

    Parameters
    ----------
    scope : Scope
        What the config is about; there need not be runs of all of it.
    results : iterable of Result
        Without any, everything is missing; so a claim is tried when its config is read.
    selection : Selection
    studies : callable or None, default=None
        Gives the runs of another config.
    """

    def __init__(
        self,
        scope: Scope,
        results: Iterable[Result],
        selection: Selection,
        studies: Studies | None = None,
    ) -> None:
        self.scope = scope
        self.selection = selection
        self.studies = studies
        self.n_excepted: dict[str, int] = {}
        self._results: dict[tuple[str, str, str], list[Result]] = {}
        for result in results:
            key = (result.run.dataset, result.run.method, result.noise)
            self._results.setdefault(key, []).append(result)
        self.is_empty = not self._results

    @property
    def metric(self) -> Metric:
        """The quantity that is looked at, unless a kind names another."""
        return METRICS[self.selection.value]

    def places(self, along: Literal["", "rounds", "noise"] = "") -> Iterator[Place]:
        """Yield every place to look at.

        Parameters
        ----------
        along : {"", "rounds", "noise"}
            An axis that the kind walks along itself; the places then stand at its first value.
        """
        chosen = self.selection
        self.n_excepted.clear()
        noises = chosen.noises[:1] if along == "noise" else chosen.noises
        for noise in map(noise_label, noises):
            for at in chosen.at[:1] if along == "rounds" else chosen.at:
                parts = [noise] if len(noises) > 1 else []
                parts += [f"T = {at}"] if along != "rounds" and len(chosen.at) > 1 else []
                group = "" if chosen.pooled else ", ".join(parts)
                kept = [
                    name for name in chosen.datasets if not self._leaves(along, name, noise, at)
                ]
                self.n_excepted[group] = (
                    self.n_excepted.get(group, 0) + len(chosen.datasets) - len(kept)
                )
                if chosen.per == "mean" and kept:
                    yield Place(group, tuple(kept), noise, at)
                elif chosen.per == "dataset":
                    yield from (Place(group, (name,), noise, at) for name in kept)

    def excepts(self, place: Place, booster: str = "") -> bool:
        """Return whether the claim leaves out this booster here."""
        here = {"dataset": place.datasets[0], "noise": place.noise, "at": place.at}
        return any(
            all(here.get(key, booster) == wanted for key, wanted in exception.items())
            for exception in self.selection.excepted
        )

    def subject(self, place: Place, *more: str) -> str:
        """Return what a case at a place is about, in words."""
        chosen = self.selection
        n = len(place.datasets)
        parts = (
            ["mean" if n == 1 else f"mean of {n}"] if chosen.per == "mean" else [*place.datasets]
        )
        if chosen.pooled:
            parts += [place.noise] if len(chosen.noises) > 1 else []
            parts += [f"T = {place.at}"] if len(chosen.at) > 1 else []
        return ", ".join([*parts, *(word for word in more if word)])

    def sample(
        self,
        place: Place,
        booster: str,
        *,
        value: str = "",
        counted: bool = False,
        rounds: int | None = None,
    ) -> Sample:
        """Return a booster's values at a place, one per seed and fold.

        Parameters
        ----------
        place : Place
        booster : str
            Label.
        value : str, default=""
            A key of `METRICS`; that of the claim by default.
        counted : bool, default=False
            Whether errors are counted instead of their share.
        rounds : int or None, default=None
            Runs of another number of rounds have no value.
        """
        metric = value or self.selection.value

        def read(result: Result) -> float:
            if rounds not in (None, result.run.rounds):
                return math.nan
            at = result.run.rounds if place.at == END else int(place.at)
            found = float(error_curve(result, metric, [at])[0])
            size = METRICS[metric].size
            return (
                found * getattr(result.record, size)
                if counted and size and result.record
                else found
            )

        return self.gathered(place, booster, read)

    def gathered(self, place: Place, booster: str, read: Callable[[Result], float]) -> Sample:
        """Return anything that can be read from a run; NaN stands for nothing.

        Parameters
        ----------
        place : Place
        booster : str
            Label.
        read : callable
            Takes a `Result` that is ok.
        """
        parts = [self._of_dataset(name, place, booster, read) for name in place.datasets]
        return parts[0] if len(parts) == 1 else mean_of(parts)

    def rates(self, place: Place, booster: str) -> Sample:
        """Return the noise rates of the runs at a place."""
        return self.gathered(place, booster, lambda result: result.noise_rate)

    def of(self, config: Config) -> Evidence:
        """Return the same of another config's runs; without noise if it has some without."""
        scope = config.scope()
        clean = [noise for noise in scope.noises if noise.model == "none"]
        selection = replace(self.selection, noises=tuple(clean or scope.noises))
        is_known = self.studies is not None and not self.is_empty
        results = self.studies(config).results if self.studies and is_known else ()
        return Evidence(scope, results, selection, self.studies)

    def text(self, sample: Sample, *, value: str = "", statistic: str = "mean") -> str:
        """Return the mean of a sample as tables show it; what stands in its place if empty."""
        middle = sample.middle(statistic)
        if middle is None:
            return "–"
        return METRICS[value or self.selection.value].text(middle)

    def change(self, opinion: Opinion) -> str:
        """Return a difference with its interval as tables show it."""
        if opinion.difference is None:
            return "–"
        text = self._signed(opinion.difference)
        if opinion.interval is None:
            return text
        low, high = opinion.interval
        return f"{text} ({self._signed(low)} to {self._signed(high)})"

    def case(self, place: Place, opinion: Opinion, numbers: Mapping[str, str], *more: str) -> Case:
        """Return a case at a place; ``more`` are words that tell it from others there."""
        return Case(place.group, self.subject(place, *more), opinion, dict(numbers))

    def _signed(self, value: float) -> str:
        text = self.metric.text(value)
        is_zero = not text.strip("-0.")
        return text.lstrip("-") if is_zero else f"+{text}" if value > 0 else text

    def _leaves(self, along: str, dataset: str, noise: str, at: int | str) -> bool:
        """Return whether a data set is left out; along an axis, if it is so anywhere on it."""
        here = {"dataset": dataset, "noise": noise, "at": at}
        here.pop("at" if along == "rounds" else along, None)
        return any(
            all(here.get(key, wanted) == wanted for key, wanted in exception.items())
            for exception in self.selection.excepted
            if "booster" not in exception
        )

    def _of_dataset(
        self, dataset: str, place: Place, booster: str, read: Callable[[Result], float]
    ) -> Sample:
        results = self._results.get((dataset, booster, place.noise), ())
        values: dict[Unit, float] = {}
        gaps: list[str] = []
        name = "/".join([dataset, booster, *([place.noise] if place.noise != "clean" else [])])
        for result in results:
            gap = _gap(result, place.at)
            value = math.nan if gap else read(result)
            if math.isnan(value):
                gaps.append(f"{name}: {gap or 'not recorded'}")
            else:
                values[result.run.seed, result.fold] = value
        planned = frozenset((result.run.seed, result.fold) for result in results)
        if not results:
            planned = frozenset((seed, 0) for seed in self.scope.seeds)
            gaps.append(f"{name}: not among the runs")
        return Sample(values, planned, tuple(dict.fromkeys(gaps)))


def _gap(result: Result, at: int | str) -> str:
    """Return why a result says nothing about round T; empty if it does."""
    if not result.ok:
        return result.status
    beyond = at != END and int(at) > result.run.rounds and not result.run.booster.rounds
    return f"T = {at} is beyond the {result.run.rounds} rounds made" if beyond else ""
