"""Tables of errors, beside the printed values of a paper: one fact per cell, and who is best."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Literal, NamedTuple

import numpy as np

from boostbench.errors import BoostbenchError
from boostbench.quantities import QUANTITIES, Quantity
from boostbench.registry import tables
from boostbench.reports.tables.table import BEYOND, EVEN, IN_WORDS, STOPPED, Row, Table, TableCell
from boostbench.reports.text import capital, listed, shortened, span
from boostbench.reports.values.estimates import DECIMALS, estimate, holm
from boostbench.reports.values.frame import END, Result, Study, check_recorded, holds
from boostbench.reports.values.paper import PRINTED, Held, PaperValue, PaperValues, hold, in_words
from boostbench.reports.values.part_options import PaperFile, Title, by_rounds, chosen_rounds, shown
from boostbench.reports.values.samples import Repeats, sample_of
from boostbench.validation import OneOrMore

_TITLES = {"noise": "noise", "dataset": "data set", "booster": "booster", "rounds": "T"}
_MOST_STOPPED = 8  # descriptions of early stops in a footer
_MARKS = {words: mark for mark, words in IN_WORDS.items()}
_LONGEST_REASON = 160
#: Level of the tests.
LEVEL = 0.05
_MOST_OTHERS = 3  # boosters named after the first
#: Accuracies, 100 % minus an error, that only tables may show.
ACCURACIES = {"test_accuracy": "test_error", "train_accuracy": "train_error"}


@tables.register("table")
def build_table(
    study: Study,
    *,
    columns: Literal["rounds", "booster"] = "rounds",
    value: Annotated[str, shown(ACCURACIES)] = "test_error",
    at: OneOrMore[int] | Literal["end"] | None = None,
    paper: PaperFile | None = None,
    main: bool = True,
    tested: bool = False,
    title: Title = "",
) -> Table:
    """Build the table of a study.

    Parameters
    ----------
    columns : {"rounds", "booster"}, default="rounds"
        Every data set has a row for each booster, or for each T if the columns are boosters.
    value : str, default="test_error"
        ``test_error``, ``train_error``, ``train_error_clean``, ``test_cost``, ``train_cost``,
        ``test_accuracy``, ``train_accuracy``, or a metric of the config, such as
        ``test_log_loss``.
    at : int, sequence of int, "end" or None, default=None
        Rounds T to show; ``"end"``: the last of each run; None: the checkpoints of the config.
    main : bool, default=True
        Compare with print in the overview, and begin the page with who is best, not the claims.
    tested : bool, default=False
        Mark the boosters that are not significantly worse than the best.
    """
    metric = ACCURACIES.get(value, value)
    if paper and metric != PRINTED:
        raise BoostbenchError(f"'paper' holds test errors, but the table shows {value}")
    rounds: Sequence[int | str] = [END] if at == END else chosen_rounds(study, at)
    facts = gather(study, metric, rounds, paper or PaperValues())
    if tested:
        mark_even(facts)
    layout = _Layout(facts, QUANTITIES[metric], value in ACCURACIES)
    table_rows, names = layout.rows(columns)
    of = "" if metric == PRINTED else f": {QUANTITIES[metric].words}"
    title = title or f"{study.config.title or study.config.name}{of}"
    return Table(
        title=title,
        names=names,
        columns=tuple(_label(columns, column) for column in layout.axes[columns]),
        rows=tuple(table_rows),
        footers=(*layout.footers(asked_for_paper=bool(paper)), *_remarks_on_rounds(study, at)),
        held=_comparisons(facts, title),
        is_main=main,
        answer=tuple(contest(facts, f"{layout.best} {layout.words}")),
    )


def _comparisons(facts: Facts, title: str) -> dict[tuple[str, str], dict[str, Held]]:
    """Return the comparisons by number, of each column of the paper and reading.

    A reading is a column of ours: a booster's variant, or a second noise of the same rate.
    """
    found: dict[tuple[str, str], dict[str, Held]] = {}
    for key, fact in facts.items():
        if fact.paper is not None and fact.held is not None:
            T = key.rounds if key.rounds == END else f"T = {fact.paper.rounds}"
            number = f"{fact.paper.dataset}, {T}, noise {fact.paper.noise:g}"
            column, reading = fact.paper.column, f"{title}: {key.booster}"
            if number in found.get((column, reading), {}):
                reading = f"{reading}, {key.noise}"
            found.setdefault((column, reading), {})[number] = fact.held
    return found


class _Layout:
    """Rows and footers of a table of facts.

    Parameters
    ----------
    facts : Facts
        Facts about errors.
    metric : Quantity
    is_accuracy : bool
        Show accuracies, which are 1 - error, in place of errors.
    """

    def __init__(self, facts: Facts, metric: Quantity, is_accuracy: bool) -> None:
        self.facts, self.metric = facts, metric
        self.is_accuracy = is_accuracy or bool(metric.higher)
        self.summaries, self.counts = rank(facts) if metric.higher is not None else ({}, set())
        parts = zip(FactKey._fields, zip(*facts, strict=True), strict=True)
        self.axes = {name: list(dict.fromkeys(values)) for name, values in parts}
        self.words = metric.words.replace("error", "accuracy") if self.is_accuracy else metric.words
        self.best = "highest" if self.is_accuracy else "lowest"

    def rows(self, columns: str) -> tuple[list[Row], tuple[str, ...]]:
        """Return the rows and the names of their labels.

        Each noise has the rows of the data sets, then the summary rows.
        """
        row_axis = "rounds" if columns == "booster" else "booster"  # within a data set
        label_axes = ["noise"] * (len(self.axes["noise"]) > 1) + ["dataset"]
        label_axes += [row_axis] * (row_axis == "booster" or len(self.axes["rounds"]) > 1)
        summaries = dict.fromkeys(key.dataset for key in self.summaries)
        rows: list[Row] = []
        for noise in self.axes["noise"]:
            present = {key.dataset for key in self.facts if key.noise == noise}
            names = [(name, False) for name in self.axes["dataset"] if name in present]
            names += [(label, True) for label in summaries if max(self.counts) > 1]
            for (name, is_summary), row in product(names, self.axes[row_axis]):
                place = {"noise": noise, row_axis: row, "dataset": name}
                keys = [FactKey(**{**place, columns: column}) for column in self.axes[columns]]
                labels = tuple(_label(axis, place[axis]) for axis in label_axes)
                rows.append(Row(labels, tuple(map(self._cell, keys)), is_summary))
        return rows, tuple(_TITLES[axis] for axis in label_axes)

    def _cell(self, key: FactKey) -> TableCell:
        if (fact := self.facts.get(key)) is None:
            return TableCell(self.summaries.get(key, BEYOND))
        values = [*fact.sample.values.values()]
        mean = 1 - fact.mean if self.is_accuracy else fact.mean
        value = self.metric.text(mean) if values else ""
        std = self.metric.text(statistics.stdev(values)) if len(values) > 1 else ""
        paper = fact.paper
        printed = "" if paper is None else paper.accuracy_text if self.is_accuracy else paper.text
        off = _MARKS.get(fact.held.agreement, "") if fact.held else ""
        return TableCell(
            f"{value} ± {std}" if std else value or fact.state or BEYOND,
            value=value,
            std=std,
            best=fact.best,
            marks=STOPPED * bool(fact.stopped) + off + EVEN * fact.even,
            notes=fact.gaps,
            paper=printed,
            paper_notes=(paper.remark,) if paper and paper.doubt else (),
        )

    def footers(self, *, asked_for_paper: bool) -> Iterable[str]:
        """Yield footers on the values shown, their agreement with the paper, and gaps."""
        facts = list(self.facts.values())
        n_runs = {len(fact.sample.values) for fact in facts} - {0}
        spread = f", mean ± standard deviation of {span(n_runs)} runs" if n_runs - {1} else ""
        unit = " in percent" if self.metric.unit else ""
        what = f"{capital(self.words)}{unit}{spread}"
        is_ranked = self.metric.higher is not None
        yield f"{what}.{f' Bold: the {self.best} of a data set, noise and T.' * is_ranked}"
        held = [(key.booster, fact.held) for key, fact in self.facts.items() if fact.held]
        if held or asked_for_paper:
            nothing = "No cell has both a value of ours and one of the paper"
            yield f"{in_words(each for _, each in held) if held else nothing}."
        found = {each.agreement for _, each in held}
        if marks := [f"{m} {words.split()[0]}" for m, words in IN_WORDS.items() if words in found]:
            yield f"{', '.join(marks)} than printed: outside the 95 % prediction interval."
        shares = []
        for booster in self.axes["booster"]:
            if own := [each for name, each in held if name == booster]:
                agree = sum(each.agreement == "agrees" for each in own)
                chance = [each.placebo for each in own if each.placebo is not None]
                text = f" ({sum(chance):.1f} by chance)" * bool(chance)
                shares.append(f"{booster} {agree} of {len(own)}{text}")
        if len(shares) > 1:
            yield f"By booster: {', '.join(shares)}."
        if any(fact.even for fact in facts):
            yield f"{EVEN} {IN_WORDS[EVEN]} of its data set, noise and T, at {LEVEL:g} (Holm)."
        if stopped := list(dict.fromkeys(fact.stopped for fact in facts if fact.stopped)):
            more = len(stopped) - _MOST_STOPPED
            listing = "; ".join([*stopped[:_MOST_STOPPED], *[f"and {more} more"] * (more > 0)])
            yield f"{STOPPED} stopped early, holds its last value: {listing}."
        if any(not (fact.sample.values or fact.state) for fact in facts):
            yield f"{BEYOND} beyond the rounds made."
        n_datasets = len(self.axes["dataset"])
        if max(self.counts, default=0) > 1 and self.counts != {n_datasets}:
            whole = f"{span(self.counts)} of {n_datasets} data sets"
            yield f"Ranks and wins are over the {whole} where every booster has a value."


def _label(axis: str, value: object) -> str:
    """Return the label of a noise, data set, booster or number of rounds."""
    if axis == "rounds":
        return "last round" if value == END else f"T = {value}"
    return str(value)


def _remarks_on_rounds(study: Study, at: object) -> list[str]:
    """Return remarks on boosters and data sets whose number of rounds differs from T."""
    runs = [result.run for result in study.results]
    if at != END:
        own = {run.method: run.rounds for run in runs if run.booster.rounds}
        shown = "for larger T the last round is shown"
        return [f"{label} makes {T} round{'s' * (T > 1)}; {shown}." for label, T in own.items()]
    found = by_rounds(runs)
    if len(found) == 1:
        return [f"T = {runs[0].rounds}."]
    parts = [f"{T} ({', '.join(names)})" for T, names in found.items()]
    return [f"T is the last round: {', '.join(parts)}."]


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
    stopped: str = ""  # description of runs that stopped before T
    best: bool = False  # True if no booster has a lower mean
    even: bool = False  # True if it is not the best, but not significantly worse
    held: Held | None = None  # agreement with the paper's value; None without both values

    @property
    def mean(self) -> float:
        """The mean; NaN without a value."""
        return math.nan if self.sample.mean is None else self.sample.mean


Facts = dict[FactKey, Fact]
#: Facts with a value at one place, by booster.
Rivals = dict[str, Fact]


def by_place(facts: Facts, *, complete: bool = True) -> dict[FactKey, Rivals]:
    """Return the facts with a value by noise, data set and T, in keys without a booster.

    Parameters
    ----------
    facts : Facts
    complete : bool, default=True
        Only the places where every booster has a value.
    """
    n_boosters = len({key.booster for key in facts})
    places: dict[FactKey, Rivals] = {}
    for key, fact in facts.items():
        if fact.sample.values:
            places.setdefault(key.place, {})[key.booster] = fact
    return {place: of for place, of in places.items() if len(of) == n_boosters or not complete}


def gather(study: Study, metric: str, rounds: Sequence[int | str], paper: PaperValues) -> Facts:
    """Return a fact for every combination with runs, in the order of the study."""
    check_recorded(study, metric)
    facts: Facts = {}
    columns: dict[FactKey, list[tuple[PaperValue, Repeats]]] = {}  # with numbers, by place
    for place, results in study.cells.items():
        for at in rounds:
            key = FactKey(*place, at)
            facts[key] = fact = _fact(results, at, paper, metric)
            if fact.paper and fact.paper.error is not None:
                columns.setdefault(key.place, []).append((fact.paper, fact.sample))
    several = QUANTITIES[metric].higher is not None and len({key.booster for key in facts}) > 1
    for of in by_place(facts, complete=False).values():
        lowest = min(fact.mean for fact in of.values())
        for fact in of.values():
            fact.best = several and fact.mean <= lowest + 1e-12
    for key, fact in facts.items():
        if fact.paper:
            fact.held = hold(fact.paper, fact.sample, columns.get(key.place, ()))
    return facts


def rank(facts: Facts) -> tuple[dict[FactKey, str], set[int]]:
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
    from scipy.stats import rankdata

    boosters, whole = list(dict.fromkeys(key.booster for key in facts)), by_place(facts)
    summaries: dict[FactKey, str] = {}
    counts = set()
    for noise, T in dict.fromkeys((p.noise, p.rounds) for p in whole if len(boosters) > 1):
        rivals = [of for p, of in whole.items() if (p.noise, p.rounds) == (noise, T)]
        counts.add(len(rivals))
        errors = np.round([[of[name].mean for name in boosters] for of in rivals], DECIMALS)
        mean_ranks = rankdata(errors, axis=1).mean(axis=0)
        is_lowest = errors == errors.min(axis=1, keepdims=True)
        alone = is_lowest[is_lowest.sum(axis=1) == 1].sum(axis=0)
        won = alone, is_lowest.sum(axis=0) - alone, (~is_lowest).sum(axis=0)
        for name, its_rank, *counted in zip(boosters, mean_ranks, *won, strict=True):
            summaries[FactKey(noise, "mean rank", name, T)] = f"{its_rank:.2f}"
            summaries[FactKey(noise, "wins/ties/losses", name, T)] = "/".join(map(str, counted))
    return summaries, counts


def _fact(results: Sequence[Result], at: int | str, paper: PaperValues, metric: str) -> Fact:
    quantity, n, run = QUANTITIES[metric], len(results), results[0].run
    T = run.rounds if isinstance(at, str) else at
    sample = sample_of(results, at=at, metric=metric).map(quantity.shortfall)
    missing = [result for result in results if not result.ok]
    gaps, state = [*_gaps(missing, n)], "/".join(dict.fromkeys(each.status for each in missing))
    n_without = sum(result.ok and not holds(result, metric) for result in results)
    n_empty = n - len(missing) - n_without - len(sample.values)
    if n_without == n:
        gaps, state = [f"it takes {quantity.asks}"], "not recorded"
    elif n_without and sample.values:
        gaps.append(f"not recorded by {n_without} of {n} runs; it takes {quantity.asks}")
    if n_empty and quantity.held and quantity.kept == "rounds" and run.rounds >= T:
        gaps, state = [*gaps, f"no finite value of {n_empty} of {n} runs"], state or "no value"
    names = (run.dataset, run.data.name), (run.method, run.booster.name)
    printed = paper.find(*names, T, results[0].noise_rate)
    return Fact(sample, tuple(gaps), state, printed, _stopped(results, T) if sample.values else "")


def _gaps(missing: Sequence[Result], n_planned: int) -> Iterable[str]:
    """Yield the distinct reasons of missing results, in words that other cells can share."""
    reasons = Counter(
        (result.status, shortened(" ".join(result.reported_reason.split()), _LONGEST_REASON))
        for result in missing
    )
    for (status, reason), n in reasons.items():
        text = f"{status}: {reason}" if reason else status
        if n < n_planned:
            yield f"no result of {n} of {n_planned} runs: {text}"
        elif reason:
            yield text


def _stopped(results: Sequence[Result], T: int) -> str:
    """Return a description of the runs that stopped before T, with the reasons; or nothing."""
    stopped = [r.record for r in results if r.stopped_at is not None and r.record is not None]
    stops = {record.n_rounds for record in stopped}
    if not stops or min(stops) >= T:
        return ""
    rounds = f"round{'s' * (len(stops) > 1)} {span(stops)}"
    share = f" in {len(stopped)} of {len(results)} runs" if len(stopped) < len(results) else ""
    reasons = dict.fromkeys(record.stop_reason or "no reason given" for record in stopped)
    run = results[0].run
    noise = "" if results[0].noise == "clean" else f", {results[0].noise}"
    return f"{run.dataset}/{run.method}{noise} after {rounds}{share} ({', '.join(reasons)})"


def contest(facts: Facts, best: str) -> Iterator[str]:
    """Yield sentences on the booster that is best in most cases, at the last T of a table.

    A case is a data set with a noise on which every booster has a value. A lead is beyond chance if
    all tests against the others are significant at 0.05, with Holm's method over the cases.

    Parameters
    ----------
    facts : Facts
    best : str
        What the best booster has, such as "lowest test error".
    """
    T = list(facts)[-1].rounds
    boosters = list(dict.fromkeys(key.booster for key in facts))
    rivals = by_place(facts).items()
    cases = {(place.noise, place.dataset): of for place, of in rivals if place.rounds == T}
    if not (wins := Counter(name for of in cases.values() for name in boosters if of[name].best)):
        return
    n_won, n = max(wins.values()), len(cases)
    leaders = [name for name, its in wins.items() if its == n_won]
    noises, datasets = ({key[place] for key in cases} for place in (0, 1))
    what = "noises" if len(datasets) == 1 else "data sets"
    what = what if 1 in (len(noises), len(datasets)) else "combinations of data set and noise"
    where = f"on {n_won} of {n} {what}" if n > 1 else f"on {next(iter(cases))[1]}"
    noise = "" if "clean" in noises or len(noises) > 1 else f"With wrong labels ({min(noises)}), "
    when = "after the last round" if T == END else f"after {T:,} rounds"
    if len(leaders) > _MOST_OTHERS and n > 1:
        where = f"on more than {n_won} of {n} {what}"
        yield capital(f"{noise}no booster has the {best} {where} {when}.")
        return
    leader, *equals = leaders
    beyond = ", each" * (n > 1) if equals else _beyond_chance([*cases.values()], leader)
    has = "have" if equals else "has"
    yield f"{noise}{listed(leaders)} {has} the {best} {where} {when}{beyond}."
    true = [of[leader].best for (noise, _), of in cases.items() if noise == "clean"]
    if true and len(noises) > 1 and not equals:
        wrong = f"{n_won - sum(true)} of {n - len(true)}"
        yield f"With wrong labels that is {wrong}, with clean ones {sum(true)} of {len(true)}."
    others = [f"{name} on {its}" for name, its in wins.most_common() if name not in leaders]
    if others and n > 1:
        ties = "; ties count for each" if wins.total() > n else ""
        yield f"Then {listed(others, _MOST_OTHERS)}{ties}."
    papers = [[of[name].paper for name in (leader, *boosters)] for of in cases.values()]
    columns = [{p.column: p.error for p in each if p and p.error is not None} for each in papers]
    known = [[*of.values()] for of in columns if len(of) == len(boosters)]  # variants share one
    if known and not equals:
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


def mark_even(facts: Facts) -> None:
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
