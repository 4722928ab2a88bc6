"""Comparison of boosters by repeated cross-validation: the best booster and its lead.

Posterior probabilities of the difference d of two means of a metric, with a region of practical
equivalence (rope): d < -rope, |d| <= rope, d > rope (Benavoli et al. 2017, JMLR 18). On one data
set the distribution of d is that of the correlated t test; over at least six data sets, that of
the bootstrap.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from boostbench.data.dataset import Dataset
from boostbench.errors import BoostbenchError, UnknownNameError
from boostbench.quantities import NUMBERS, Quantity
from boostbench.reports.experiment_report import make_report
from boostbench.reports.tables.table import Table, text_row
from boostbench.reports.text import capital, listed, write_files
from boostbench.reports.values import estimates
from boostbench.reports.values.frame import Study
from boostbench.reports.values.samples import Repeats, in_common, over_sets, sample_of

#: Smallest probabilities of statements without a qualifier, and with "probably".
SURE, LIKELY = 0.95, 0.75
_NAMES = {"low": "95 % interval"}  # of columns, if others
#: Values of each booster.
Samples = Mapping[str, Repeats]
#: Probabilities, and the error of a class in percent.
_HUNDREDTHS = ("error", "best", "near_best", "left_better", "equivalent", "right_better")


@dataclass(frozen=True, repr=False)
class Comparison:
    """Comparison of boosters, in words and in numbers.

    Attributes
    ----------
    sentence : str
        The conclusion: one for all data sets if there are at least six, else a line for each.
    boosters : DataFrame
        One row per data set and booster, the best first: dataset, booster, runs, the mean of the
        metric (``error``, in percent, unless another one is compared), low and high (its 95 %
        interval), best (probability of the best mean), near_best (probability that no other booster
        is better by more than the rope).
    pairs : DataFrame
        One row per pair of boosters and data set (or all data sets) of the conclusion: dataset,
        left, right, lead (by how much left is better, in points or the unit of the metric), low and
        high (its 95 % interval), left_better, equivalent and right_better (probabilities), test.
    rope : float
        Largest practically irrelevant difference, in points or the unit of the metric.
    metric : str, default="error"
        Name of the metric in a config.
    classes : DataFrame
        One row per data set, booster and class: dataset, booster, class, rows (in the data set),
        error (of these, in percent), taken_for (the class for which most of them are taken, empty
        if there is none).
    labels : mapping of str to sequence of str
        Names of the classes by data set.
    confusion : mapping of str to mapping of str to list of list of int
        By data set and booster: test samples by class (row) and predicted class (column), in the
        order of the classes, over all cross-validations.
    """

    sentence: str
    boosters: pd.DataFrame
    pairs: pd.DataFrame
    rope: float
    metric: str = "error"
    classes: pd.DataFrame | None = None
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    confusion: Mapping[str, Mapping[str, list[list[int]]]] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the conclusion, the means and the notes on them."""
        return f"{self.sentence}\n\n{self.boosters.to_string(index=False)}\n\n{self.remarks[0]}"

    @property
    def remarks(self) -> tuple[str, str]:
        """Notes on the columns of the tables, and the name of the test."""
        quantity = quantity_of(self.metric)
        of_classes = "" if self.classes is None else ", errors of classes in percent"
        units = " in percent, leads in points" if quantity.unit else of_classes
        words = capital(quantity.words)
        tests = ", ".join(self.pairs["test"].unique())
        return f"{words}{units}; equivalent, near best: within {self.rope:g}.", f"Test: {tests}."

    def shown(self) -> dict[str, list[dict[str, str]]]:
        """Return the tables as rows of texts, by title."""
        hidden = {"high", "test", *(["dataset"] if self.boosters["dataset"].nunique() == 1 else [])}
        titles = "Means, the best first", "Pairs of boosters", "Error of each class, in percent"
        return {
            title: [
                {_NAMES.get(key, key): self._text(row, key) for key in row if key not in hidden}
                for row in rows
            ]
            for title, rows in zip(titles, self._tables().values(), strict=False)
        }

    def plain(self) -> dict[str, Any]:
        """Return the comparison as lists and mappings."""
        head = {"sentence": self.sentence, "metric": self.metric, "rope": self.rope}
        return {**head, **self._tables(), "labels": self.labels, "confusion": self.confusion}

    def _tables(self) -> dict[str, list[Any]]:
        """Return the rows of the frames, by name."""
        frames = {"boosters": self.boosters, "pairs": self.pairs, "classes": self.classes}
        return {n: each.to_dict("records") for n, each in frames.items() if each is not None}

    def _repr_html_(self) -> str:
        """Return the conclusion and the tables, for a notebook."""
        text = "".join(f"<p>{escape(line)}</p>" for line in self.sentence.splitlines())
        tables = (pd.DataFrame(rows) for rows in self.shown().values())
        notes = escape(" ".join(self.remarks))
        shown = "".join(table.to_html(index=False, border=0) for table in tables)
        return f"{text}{shown}<p><small>{notes}</small></p>"

    def _text(self, row: Mapping[str, Any], key: str) -> str:
        quantity = quantity_of(self.metric)
        decimals = 2 if quantity.unit or key in _HUNDREDTHS else quantity.decimals
        if key == "low":
            return f"{row['low']:.{decimals}f} to {row['high']:.{decimals}f}"
        return f"{row[key]:.{decimals}f}" if isinstance(row[key], float) else str(row[key])


def quantity_of(metric: str) -> Quantity:
    """Return the quantity of the name of a metric in a config.

    Raises
    ------
    UnknownNameError
        If there is no such metric, or it is no number.
    """
    known = NUMBERS.asked_by("metrics")
    if metric not in known:
        raise UnknownNameError("metric", metric, known, where="--metric")
    return NUMBERS[known[metric]]


def rope_of(rope: float | None, metric: str) -> float:
    """Return the rope, by default 1 point or, for metrics without percent, 0.01.

    Raises
    ------
    BoostbenchError
        If the rope is not from 0 to 100, or the metric is unknown.
    """
    quantity = quantity_of(metric)
    if rope is not None and not 0 <= rope < 100:
        points = "points " * bool(quantity.unit)
        raise BoostbenchError(f"the rope must be {points}from 0 to 100, found {rope:g}")
    return 0.01 * quantity.scale if rope is None else rope


def compare_boosters(
    study: Study, data: Mapping[str, Dataset], rope: float | None, metric: str
) -> Comparison:
    """Compare the boosters of an experiment by a metric after the last round.

    Parameters
    ----------
    study : Study
        Study of repeated cross-validation with a single noise.
    data : mapping of str to Dataset
        Its data sets.
    rope, metric
        As for `compare_values`.
    """
    name, scale = NUMBERS.asked_by("metrics")[metric], quantity_of(metric).scale
    tables: dict[str, dict[str, Repeats]] = {dataset: {} for dataset in study.datasets}
    for (_, dataset, booster), results in study.cells.items():
        sample = sample_of(results, booster, metric=name)
        tables[dataset][booster] = sample.map(lambda value: scale * value)
    found = compare_values(tables, rope, metric, noise_in_words(study))
    confusion: dict[str, dict[str, list[list[int]]]] = {}
    classes = []
    for _, (dataset, booster) in found.boosters[["dataset", "booster"]].iterrows():
        results = study.cells.get((study.noises[0], dataset, booster), [])
        kept = [r.record.by_round("confusion") for r in results if r.record]
        if any(kept):
            matrix = np.sum([each[max(each, key=int)] for each in kept if each], axis=0)
            confusion.setdefault(dataset, {})[booster] = matrix.tolist()
            names, wrong = data[dataset].classes, matrix - np.diag(np.diag(matrix))
            of_classes = {
                "class": names,
                "rows": np.bincount(data[dataset].y, minlength=len(names)),
                "error": 100.0 * wrong.sum(axis=1) / np.maximum(matrix.sum(axis=1), 1),
                "taken_for": [names[int(row.argmax())] if row.any() else "" for row in wrong],
            }
            classes.append(pd.DataFrame({"dataset": dataset, "booster": booster, **of_classes}))
    table, labels = pd.concat(classes, ignore_index=True), {n: d.classes for n, d in data.items()}
    return replace(found, classes=table, labels=labels, confusion=confusion)


def noise_in_words(study: Study) -> str:
    """Return the share of wrong training labels and the noise model; empty without noise."""
    records = [result.record for result in study.results if result.record is not None]
    corruptions = [(record.noise, record.n_train) for record in records if record.noise is not None]
    if not corruptions:
        return ""
    share = sum(each.n_changed for each, _ in corruptions) / sum(n for _, n in corruptions)
    noise = corruptions[0][0]
    return f"{100 * share:.3g} % of the training labels wrong ({noise.model} {noise.rate:g})"


def compare_values(
    tables: Mapping[str, Samples], rope: float | None = None, metric: str = "error", noise: str = ""
) -> Comparison:
    """Compare boosters by their displayed values of a metric, given by data set and booster.

    On each data set, the folds that all boosters have in common count; a booster without results
    is left out.

    Parameters
    ----------
    tables : mapping
    rope : float or None, default=None
        Largest practically irrelevant difference; by default 1 point or, for metrics without
        percent, 0.01.
    metric : str, default="error"
        Name of the metric in a config.
    noise : str, default=""
        Noise in words, for the conclusion.

    Raises
    ------
    BoostbenchError
        If there is no data set on which two boosters have two folds in common.
    """
    rope, quantity = rope_of(rope, metric), quantity_of(metric)
    sign = -1.0 if quantity.higher else 1.0  # of values to be minimised
    places: dict[str, dict[str, Repeats]] = {}
    errors = []
    for place, table in tables.items():
        losses = {name: sample.map(lambda value: sign * value) for name, sample in table.items()}
        present = {name: sample for name, sample in losses.items() if sample.values} or losses
        shared = dict(zip(present, in_common(present.values()), strict=True))
        if len(shared) < 2 or any(len(sample.values) < 2 for sample in shared.values()):
            gaps = [gap for sample in table.values() for gap in sample.gaps]
            what = "; ".join(["two boosters with two results are needed", *gaps[:1]])
            errors.append(BoostbenchError(what, where=place))
        else:
            places[place] = shared
    if errors and not places:
        raise errors[0]
    names = list(dict.fromkeys(name for samples in tables.values() for name in samples))
    concluded, each = list(places), places.values()  # data sets with a conclusion
    joint = {b: over_sets([s[b] for s in each]) for b in names if all(b in s for s in each)}
    are_joint = len(joint) > 1 and all(sample.values for sample in joint.values())
    if are_joint and len(places) >= estimates.FEWEST_SETS:
        concluded = [f"{len(places)} data sets"]
        places = {concluded[0]: joint, **places}
    boosters, pairs, sentences = [], [], []
    for place, samples in places.items():
        rows = _ranking(place, samples, rope, metric)
        boosters += rows
        if place in concluded:
            order = itertools.combinations([row["booster"] for row in rows], 2)
            widest = float(np.ptp(quantity.shown_range))
            new_pairs = [_pair(place, *pair, samples, rope, widest) for pair in order]
            pairs += new_pairs
            absent = [name for name in names if name not in samples]
            left_out = f" Left out for want of results: {listed(absent)}." if absent else ""
            answer = _in_words(rows[0], new_pairs, rope, quantity)
            sentences.append(f"On {place}{f' with {noise}' * bool(noise)}, {answer}{left_out}")
    sentences += [f"No answer on {error}" for error in errors]
    frames = pd.DataFrame(boosters), pd.DataFrame(pairs)
    return Comparison("\n".join(sentences), *frames, rope, metric)


def _ranking(place: str, samples: Samples, rope: float, metric: str) -> list[dict[str, Any]]:
    """Return one row per booster, the best first."""
    quantity = quantity_of(metric)
    sign = -1.0 if quantity.higher else 1.0
    draws = estimates.joint_draws([*samples.values()])
    behind = draws - draws.min(axis=1, keepdims=True)
    lowest, near = behind <= estimates.ROUNDING, behind <= rope + estimates.ROUNDING
    best = (lowest / lowest.sum(axis=1, keepdims=True)).mean(axis=0)
    rows = []
    for column, (name, sample) in enumerate(samples.items()):
        mean = estimates.estimate(sample, Repeats.constant(0.0, sample))
        low, high = np.clip(sorted(sign * end for end in mean.interval), *quantity.shown_range)
        rows.append(
            {
                "dataset": place,
                "booster": name,
                "runs": sum(len(each.values) for each in sample.sets or (sample,)),
                metric: sign * mean.difference,
                "low": float(low),
                "high": float(high),
                "best": float(best[column]),
                "near_best": float(near[:, column].mean()),
            }
        )
    return sorted(rows, key=lambda row: (sign * row[metric], -row["best"]))


def _pair(
    place: str, left: str, right: str, samples: Samples, rope: float, widest: float
) -> dict[str, Any]:
    """Return the row of a pair of boosters."""
    lead = estimates.estimate(samples[right], samples[left])
    behind = estimates.estimate(samples[left], samples[right])
    left_better, right_better = lead.above(rope), behind.above(rope)
    low, high = np.clip(lead.interval, -widest, widest).tolist()
    return {
        "dataset": place,
        "left": left,
        "right": right,
        "lead": lead.difference,
        "low": low,
        "high": high,
        "left_better": left_better,
        "equivalent": max(0.0, 1 - left_better - right_better),
        "right_better": right_better,
        "test": "bootstrap over data sets" if lead.by_set is not None else lead.test,
    }


def _in_words(
    best: Mapping[str, Any], pairs: Sequence[Mapping[str, Any]], rope: float, quantity: Quantity
) -> str:
    """Return the conclusion: the best booster, and its relation to the others."""
    own = [pair for pair in pairs if pair["left"] == best["booster"]]
    parts = []
    for relation in dict.fromkeys(map(_relation, own)):
        group = [pair for pair in own if _relation(pair) == relation]
        others = listed([pair["right"] for pair in group])
        parts.append(f"{relation.format(others)} ({_numbers(group, rope, quantity)})")
    head = f"{best['booster']} is best by {quantity.words} with probability {best['best']:.2f}"
    return f"{head}; {'; '.join(parts)}."


def _relation(pair: Mapping[str, Any]) -> str:
    """Return a statement about the left booster, with a placeholder for the right one."""
    p = max(pair["left_better"], pair["equivalent"])
    if p < LIKELY:
        return "the runs cannot tell it from {}"
    probably = "" if p >= SURE else "probably "
    if pair["equivalent"] == p:
        return f"it and {{}} are {probably}practically equivalent"
    return f"it is {probably}better than {{}}"


def _numbers(pairs: Sequence[Mapping[str, Any]], rope: float, quantity: Quantity) -> str:
    """Return the numbers of the first pair, whose right booster is the best of those compared."""
    pair, decimals = pairs[0], 1 if quantity.unit else quantity.decimals
    runner_up = f" of {pair['right']}, the best of these," if len(pairs) > 1 else ""
    unit = " points" if quantity.unit else ""
    points = f"{rope:g}{unit.removesuffix('s' * (rope == 1))}"
    probabilities = {
        f"{pair['left_better']:.2f} of more than {points}": pair["left_better"],
        f"{pair['equivalent']:.2f} within \N{PLUS-MINUS SIGN}{points}": pair["equivalent"],
    }
    largest = max(probabilities.values())
    likely = [text for text, p in probabilities.items() if p == largest >= LIKELY]
    lead, low, high = (f"{pair[key]:.{decimals}f}" for key in ("lead", "low", "high"))
    return (
        f"difference{runner_up} {lead}{unit}, 95 % interval [{low}, {high}], "
        f"probability {', '.join(likely or probabilities)}"
    )


def write_page(study: Study, comparison: Comparison, path: Path) -> Path:
    """Write a comparison as one self-contained HTML file; return its path.

    Parameters
    ----------
    study : Study
        The runs, and a config with the figures.
    comparison : Comparison
    path : Path
    """
    parts = f"Comparison of boosters on {listed(study.datasets)}", noise_in_words(study)
    about = ", ".join(filter(None, parts))
    report = make_report(replace(study, config=study.config.model_copy(update={"title": about})))
    shown = comparison.shown()
    for dataset, confusions in comparison.confusion.items():
        booster, matrix = next(iter(confusions.items()))
        names = comparison.labels[dataset]
        title = f"Confusion of {booster} on {dataset}: test samples by class and predicted class"
        shown[title] = [
            {"class": name, **{f"as {other}": str(n) for other, n in zip(names, row, strict=True)}}
            for name, row in zip(names, matrix, strict=True)
        ]
    tables = {f"table-{n}": _table(*item) for n, item in enumerate(shown.items(), start=1)}
    tables["table-1"] = replace(tables["table-1"], footers=comparison.remarks)
    answers = tuple(map(capital, comparison.sentence.replace("; ", ".\n", 1).split("\n")))
    report = replace(report, tables=tables, answers=answers)
    return write_files(path.parent, {path.name: report.page()})[0]


def _table(title: str, rows: Sequence[dict[str, str]]) -> Table:
    name, *columns = (column.replace("_", " ") for column in rows[0])
    return Table(title, (name,), tuple(columns), tuple(text_row(*row.values()) for row in rows))
