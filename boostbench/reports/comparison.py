"""Comparison of boosters by repeated cross-validation: the best booster and its lead.

Posterior probabilities of the difference d of two mean errors, with a region of practical
equivalence (rope): d < -rope, |d| <= rope, d > rope (Benavoli et al. 2017, JMLR 18). On one data
set the distribution of d is that of the correlated t test; over at least five data sets, that of
the bootstrap.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from boostbench.errors import BoostbenchError
from boostbench.reports.text import listed
from boostbench.reports.values.designs import Repeats, over_sets, sample_of
from boostbench.reports.values.differences import (
    FEWEST_SETS,
    ROUNDING,
    Estimate,
    estimate,
    joint_draws,
)
from boostbench.reports.values.frame import Study

if TYPE_CHECKING:
    import pandas as pd

#: Smallest probabilities of statements without a qualifier, and with "probably".
SURE, LIKELY = 0.95, 0.75
_INTERVAL = "95 % interval"
_COLUMNS = {
    "boosters": ("booster", "runs", "error", _INTERVAL, "best", "near_best"),
    "pairs": (
        *("left", "right", "lead", _INTERVAL),
        *("left_better", "equivalent", "right_better"),
    ),
}


@dataclass(frozen=True)
class Comparison:
    """Comparison of boosters, in words and in numbers.

    Attributes
    ----------
    sentence : str
        The conclusion: one for all data sets if there are at least five, else a line for each.
    boosters : DataFrame
        One row per data set and booster, sorted by error: dataset, booster, runs, error (in
        percent), low and high (its 95 % interval), best (probability of the lowest error),
        near_best (probability that no other booster is better by more than the rope).
    pairs : DataFrame
        One row per pair of boosters and data set (or all data sets) of the conclusion: dataset,
        left, right, lead (error of right minus error of left, in points), low and high (its 95 %
        interval), left_better, equivalent and right_better (probabilities), test.
    rope : float
        Largest difference, in points, of practically equivalent errors.
    """

    sentence: str
    boosters: pd.DataFrame
    pairs: pd.DataFrame
    rope: float

    @property
    def remarks(self) -> tuple[str, str]:
        """Notes on the columns of the tables, and the name of the test."""
        units = "Errors in percent, leads in points; equivalent, near best:"
        tests = ", ".join(self.pairs["test"].unique())
        return f"{units} within {self.rope:g}.", f"Test: {tests}."

    def shown(self) -> dict[str, list[dict[str, str]]]:
        """Return the tables as rows of texts."""
        tables = self.plain()
        labels = ("dataset",) if self.boosters["dataset"].nunique() > 1 else ()
        return {
            name: [{key: _text(row, key) for key in (*labels, *columns)} for row in tables[name]]
            for name, columns in _COLUMNS.items()
        }

    def plain(self) -> dict[str, Any]:
        """Return the comparison as lists and mappings."""
        frames = {key: getattr(self, key).to_dict("records") for key in ("boosters", "pairs")}
        return {"sentence": self.sentence, "rope": self.rope, **frames}


def _text(row: Mapping[str, Any], key: str) -> str:
    if key == _INTERVAL:
        return f"{row['low']:.2f} to {row['high']:.2f}"
    return f"{row[key]:.2f}" if isinstance(row[key], float) else str(row[key])


def check_rope(rope: float) -> None:
    """Raise `BoostbenchError` unless the rope is a number of points from 0 to 100."""
    if not 0 <= rope < 100:
        raise BoostbenchError(f"the rope must be points from 0 to 100, found {rope:g}")


def compare_boosters(study: Study, rope: float = 1.0) -> Comparison:
    """Compare the boosters of an experiment by their test errors after the last round.

    Parameters
    ----------
    study : Study
        Study of repeated cross-validation with a single noise.
    rope : float, default=1.0
        Largest difference, in points, of practically equivalent errors.
    """
    tables: dict[str, dict[str, Repeats]] = {name: {} for name in study.datasets}
    for (_, dataset, booster), results in study.cells.items():
        sample = sample_of(results, booster, metric="test_error")
        tables[dataset][booster] = sample.map(lambda error: 100 * error)
    return compare_errors(tables, rope)


def compare_errors(tables: Mapping[str, Mapping[str, Repeats]], rope: float = 1.0) -> Comparison:
    """Compare boosters by their errors in percent, given by data set and booster.

    On each data set, the folds that all boosters have in common count; a booster without results
    is left out.

    Raises
    ------
    BoostbenchError
        If there is no data set on which two boosters have two folds in common.
    """
    import pandas as pd

    check_rope(rope)
    places: dict[str, dict[str, Repeats]] = {}
    errors = []
    for place, table in tables.items():
        try:
            places[place] = _shared(place, table)
        except BoostbenchError as error:
            errors.append(error)
    if errors and not places:
        raise errors[0]
    names = list(dict.fromkeys(name for samples in tables.values() for name in samples))
    everywhere = [name for name in names if all(name in samples for samples in places.values())]
    concluded = list(places)  # data sets with a conclusion
    if len(places) >= FEWEST_SETS and len(everywhere) > 1:
        joint = {b: over_sets([samples[b] for samples in places.values()]) for b in everywhere}
        concluded = [f"{len(places)} data sets"]
        places = {concluded[0]: joint, **places}
    boosters, pairs, sentences = [], [], []
    for place, samples in places.items():
        rows = _ranking(place, samples, rope)
        boosters += rows
        if place in concluded:
            order = itertools.combinations([row["booster"] for row in rows], 2)
            new_pairs = [_pair(place, left, right, samples, rope) for left, right in order]
            pairs += new_pairs
            absent = [name for name in names if name not in samples]
            sentences.append(
                (f"On {place}, " if len(tables) > 1 else "")
                + _in_words(rows[0], new_pairs, rope)
                + (f" Left out for want of results: {listed(absent)}." if absent else "")
            )
    sentences += [f"No answer on {error}" for error in errors]
    return Comparison("\n".join(sentences), pd.DataFrame(boosters), pd.DataFrame(pairs), rope)


def _shared(place: str, samples: Mapping[str, Repeats]) -> dict[str, Repeats]:
    """Return the samples with values, restricted to their common units."""
    present = {name: sample for name, sample in samples.items() if sample.values}
    units = set.intersection(*(set(sample.values) for sample in (present or samples).values()))
    if len(present) < 2 or len(units) < 2:
        gaps = [gap for sample in samples.values() for gap in sample.gaps]
        what = "two boosters with two results are needed"
        raise BoostbenchError("; ".join([what, *gaps[:1]]), where=place)
    return {
        name: replace(sample, values={unit: sample.values[unit] for unit in sorted(units)})
        for name, sample in present.items()
    }


def _ranking(place: str, samples: Mapping[str, Repeats], rope: float) -> list[dict[str, Any]]:
    """Return one row per booster, sorted by error."""
    draws = joint_draws([*samples.values()])
    behind = draws - draws.min(axis=1, keepdims=True)
    lowest, near = behind <= ROUNDING, behind <= rope + ROUNDING
    best = (lowest / lowest.sum(axis=1, keepdims=True)).mean(axis=0)
    rows = []
    for column, (name, sample) in enumerate(samples.items()):
        mean = _estimate(sample, Repeats.constant(0.0, sample))
        low, high = np.clip(mean.interval, 0, 100)
        rows.append(
            {
                "dataset": place,
                "booster": name,
                "runs": sum(len(each.values) for each in sample.sets or (sample,)),
                "error": mean.difference,
                "low": float(low),
                "high": float(high),
                "best": float(best[column]),
                "near_best": float(near[:, column].mean()),
            }
        )
    return sorted(rows, key=lambda row: (row["error"], -row["best"]))


def _pair(
    place: str, left: str, right: str, samples: Mapping[str, Repeats], rope: float
) -> dict[str, Any]:
    """Return the row of a pair of boosters."""
    lead = _estimate(samples[right], samples[left])
    if lead.scale == 0.0:
        left_better, right_better = (
            float(sign * lead.difference > rope + ROUNDING) for sign in (1, -1)
        )
    else:
        left_better, right_better = lead.not_below(rope), lead.not_above(-rope)
    low, high = lead.interval
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
        "test": lead.test or "equal differences in all runs",
    }


def _estimate(left: Repeats, right: Repeats) -> Estimate:
    estimated = estimate(left, right)
    if estimated is None:
        raise BoostbenchError("boosters are compared by cross-validation, not on one given split")
    return estimated


def _in_words(best: Mapping[str, Any], pairs: Sequence[Mapping[str, Any]], rope: float) -> str:
    """Return the conclusion: the booster with the lowest error, and its relation to the others."""
    relations: dict[str, list[Mapping[str, Any]]] = {}
    for pair in pairs:
        if pair["left"] == best["booster"]:
            relations.setdefault(_relation(pair), []).append(pair)
    parts = [
        f"{relation.format(listed([pair['right'] for pair in group]))} ({_numbers(group, rope)})"
        for relation, group in relations.items()
    ]
    return f"{best['booster']} is best with probability {best['best']:.2f}; {'; '.join(parts)}."


def _relation(pair: Mapping[str, Any]) -> str:
    """Return a statement about the left booster, with a placeholder for the right one."""
    p = max(pair["left_better"], pair["equivalent"])
    if p < LIKELY:
        return "the runs cannot tell it from {}"
    probably = "" if p >= SURE else "probably "
    if pair["equivalent"] == p:
        return f"it and {{}} are {probably}practically equivalent"
    return f"it is {probably}better than {{}}"


def _numbers(pairs: Sequence[Mapping[str, Any]], rope: float) -> str:
    """Return the numbers of the first pair, whose right booster has the lowest error."""
    pair = pairs[0]
    runner_up = f" of {pair['right']}, the next," if len(pairs) > 1 else ""
    points = f"{rope:g} point{'s' * (rope != 1)}"
    probabilities = {
        f"{pair['left_better']:.2f} of more than {points}": pair["left_better"],
        f"{pair['equivalent']:.2f} within \N{PLUS-MINUS SIGN}{points}": pair["equivalent"],
    }
    largest = max(probabilities.values())
    likely = [text for text, p in probabilities.items() if p == largest >= LIKELY]
    return (
        f"difference{runner_up} {pair['lead']:.1f} points, 95 % interval [{pair['low']:.1f}, "
        f"{pair['high']:.1f}], probability {', '.join(likely or probabilities)}"
    )
