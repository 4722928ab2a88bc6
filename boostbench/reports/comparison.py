"""Boosters compared by repeated cross-validation: which one is best, and by how much.

Posterior probabilities of the difference d of two mean errors, with a region of practical
equivalence (rope): d < -rope, |d| <= rope, d > rope (Benavoli et al. 2017, JMLR 18). On one data
set d follows the correlated t test; over data sets, of which there must be five, the bootstrap.
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
from boostbench.reports.values.frame import Study, error_at

if TYPE_CHECKING:
    import pandas as pd

#: Probabilities from which on words are certain, and from which on they say "probably".
SURE, LIKELY = 0.95, 0.75
_INTERVAL = "95 % interval"
_SHOWN = {
    "boosters": ("booster", "runs", "error", _INTERVAL, "best", "near_best"),
    "pairs": (
        *("left", "right", "lead", _INTERVAL),
        *("left_better", "equivalent", "right_better"),
    ),
}


@dataclass(frozen=True)
class Comparison:
    """The best of some boosters, in words and in numbers.

    Attributes
    ----------
    sentence : str
        The answer; over five data sets or more one for all of them, else a line for each.
    boosters : DataFrame
        A row for each data set and booster, the lowest error first: dataset, booster, runs, error
        (in percent), low and high (its 95 % interval), best (probability of the lowest error),
        near_best (probability that no other is better by more than the rope).
    pairs : DataFrame
        A row for each pair, of what the answer is about: dataset, left, right, lead (points by
        which the left one's error is lower), low and high, left_better, equivalent and
        right_better (probabilities), test.
    rope : float
        Points within which two errors are practically equivalent.
    """

    sentence: str
    boosters: pd.DataFrame
    pairs: pd.DataFrame
    rope: float

    @property
    def remarks(self) -> tuple[str, str]:
        """Notes on the columns of the tables, and the test that was made."""
        units = "Errors in percent, leads in points; equivalent, near best:"
        tests = ", ".join(self.pairs["test"].unique())
        return f"{units} within {self.rope:g}.", f"Test: {tests}."

    def shown(self) -> dict[str, list[dict[str, str]]]:
        """Return the tables as rows of texts."""
        told, several = self.plain(), ["dataset"] * (self.boosters["dataset"].nunique() > 1)
        return {
            name: [{key: _text(row, key) for key in (*several, *columns)} for row in told[name]]
            for name, columns in _SHOWN.items()
        }

    def plain(self) -> dict[str, Any]:
        """Return all of it as lists and mappings."""
        frames = {key: getattr(self, key).to_dict("records") for key in ("boosters", "pairs")}
        return {"sentence": self.sentence, "rope": self.rope, **frames}


def _text(row: Mapping[str, Any], key: str) -> str:
    if key == _INTERVAL:
        return f"{row['low']:.2f} to {row['high']:.2f}"
    return f"{row[key]:.2f}" if isinstance(row[key], float) else str(row[key])


def check_rope(rope: float) -> None:
    """Refuse a rope that is not a number of points from 0 to 100."""
    if not 0 <= rope < 100:
        raise BoostbenchError(f"the rope must be points from 0 to 100, found {rope:g}")


def compare_boosters(study: Study, rope: float = 1.0) -> Comparison:
    """Compare the boosters of an experiment by their test errors after the last round.

    Parameters
    ----------
    study : Study
        Of repeated cross-validation at one noise.
    rope : float, default=1.0
        Points.
    """

    def sample(dataset: str, booster: str) -> Repeats:
        return sample_of(
            study.only([booster], [dataset]).results,
            lambda result: 100 * error_at(result, "test_error"),
            booster,
            absent=lambda result: "" if result.ok else result.reason or result.status,
            on_test=True,
        )

    tables = {name: {b: sample(name, b) for b in study.boosters} for name in study.datasets}
    return compare_errors(tables, rope)


def compare_errors(tables: Mapping[str, Mapping[str, Repeats]], rope: float = 1.0) -> Comparison:
    """Compare boosters by their errors in percent, by data set and booster.

    Of a data set the folds count that all boosters have done; one without any is left out.

    Raises
    ------
    BoostbenchError
        If on no data set two boosters have two folds in common.
    """
    import pandas as pd

    check_rope(rope)
    places: dict[str, dict[str, Repeats]] = {}
    complaints = []
    for place, table in tables.items():
        try:
            places[place] = _shared(place, table)
        except BoostbenchError as error:
            complaints.append(error)
    if complaints and not places:
        raise complaints[0]
    names = list(dict.fromkeys(name for samples in tables.values() for name in samples))
    everywhere = [name for name in names if all(name in samples for samples in places.values())]
    asked = list(places)
    if len(places) >= FEWEST_SETS and len(everywhere) > 1:
        joint = {b: over_sets([samples[b] for samples in places.values()]) for b in everywhere}
        asked = [f"{len(places)} data sets"]
        places = {asked[0]: joint, **places}
    boosters, pairs, sentences = [], [], []
    for place, samples in places.items():
        rows = _standing(place, samples, rope)
        boosters += rows
        if place in asked:
            order = itertools.combinations([row["booster"] for row in rows], 2)
            its = [_pair(place, left, right, samples, rope) for left, right in order]
            pairs += its
            absent = [name for name in names if name not in samples]
            sentences.append(
                (f"On {place}, " if len(tables) > 1 else "")
                + _in_words(rows[0], its, rope)
                + (f" Left out for want of results: {listed(absent)}." if absent else "")
            )
    sentences += [f"No answer on {complaint}" for complaint in complaints]
    return Comparison("\n".join(sentences), pd.DataFrame(boosters), pd.DataFrame(pairs), rope)


def _shared(place: str, samples: Mapping[str, Repeats]) -> dict[str, Repeats]:
    """Return the samples that are not empty, in the units that they share."""
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


def _standing(place: str, samples: Mapping[str, Repeats], rope: float) -> list[dict[str, Any]]:
    """Return a row for each booster, the lowest error first."""
    draws = joint_draws([*samples.values()])
    behind = draws - draws.min(axis=1, keepdims=True)
    lowest, near = behind <= ROUNDING, behind <= rope + ROUNDING
    best = (lowest / lowest.sum(axis=1, keepdims=True)).mean(axis=0)
    rows = []
    for column, (name, sample) in enumerate(samples.items()):
        found = _estimate(sample, Repeats.constant(0.0, sample))
        low, high = np.clip(found.interval, 0, 100)
        rows.append(
            {
                "dataset": place,
                "booster": name,
                "runs": sum(len(each.values) for each in sample.sets or (sample,)),
                "error": found.difference,
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
    found = _estimate(samples[right], samples[left])
    if found.scale == 0.0:
        lower, higher = (float(sign * found.difference > rope + ROUNDING) for sign in (1, -1))
    else:
        lower, higher = found.not_below(rope), found.not_above(-rope)
    low, high = found.interval
    return {
        "dataset": place,
        "left": left,
        "right": right,
        "lead": found.difference,
        "low": low,
        "high": high,
        "left_better": lower,
        "equivalent": max(0.0, 1 - lower - higher),
        "right_better": higher,
        "test": found.test or "equal differences in all runs",
    }


def _estimate(left: Repeats, right: Repeats) -> Estimate:
    found = estimate(left, right)
    if found is None:
        raise BoostbenchError("boosters are compared by cross-validation, not on one given split")
    return found


def _in_words(lead: Mapping[str, Any], pairs: Sequence[Mapping[str, Any]], rope: float) -> str:
    """Return the answer: the booster with the lowest error, then every other against it."""
    told: dict[str, list[Mapping[str, Any]]] = {}
    for pair in pairs:
        if pair["left"] == lead["booster"]:
            told.setdefault(_relation(pair), []).append(pair)
    parts = [
        f"{relation.format(listed([pair['right'] for pair in its]))} ({_numbers(its, rope)})"
        for relation, its in told.items()
    ]
    return f"{lead['booster']} is best with probability {lead['best']:.2f}; {'; '.join(parts)}."


def _relation(pair: Mapping[str, Any]) -> str:
    p = max(pair["left_better"], pair["equivalent"])
    if p < LIKELY:
        return "the runs cannot tell it from {}"
    probably = "" if p >= SURE else "probably "
    if pair["equivalent"] == p:
        return f"it and {{}} are {probably}practically equivalent"
    return f"it is {probably}better than {{}}"


def _numbers(pairs: Sequence[Mapping[str, Any]], rope: float) -> str:
    """Return the numbers of the nearest of several boosters of one relation."""
    pair = pairs[0]
    which = f" of {pair['right']}, the next," if len(pairs) > 1 else ""
    points = f"{rope:g} point{'s' * (rope != 1)}"
    chances = {
        f"{pair['left_better']:.2f} of more than {points}": pair["left_better"],
        f"{pair['equivalent']:.2f} within \N{PLUS-MINUS SIGN}{points}": pair["equivalent"],
    }
    likely = [words for words, p in chances.items() if p == max(chances.values()) >= LIKELY]
    return (
        f"difference{which} {pair['lead']:.1f} points, 95 % interval [{pair['low']:.1f}, "
        f"{pair['high']:.1f}], probability {', '.join(likely or chances)}"
    )
