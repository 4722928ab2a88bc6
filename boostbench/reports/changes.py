"""Differences between two results folders: cells of tables, verdicts, whole experiments.

The comparison reads the committed files of reports rather than records, so that folders of two
machines or two versions of the program can be compared.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from boostbench.errors import BoostbenchError
from boostbench.reports.summary import ReportSummary, read_summaries

_REMARKS = " remarks"
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")


@dataclass(frozen=True)
class Change:
    """A difference between the two folders."""

    experiment: str  # name of its folder
    part: str  # a table's name, "claim", "runs", or empty for the experiment as a whole
    place: str  # row and column of a cell, or the statement of a claim
    before: str  # content in the first folder; empty if absent
    after: str
    difference: float | None = None  # after minus before, in the table's unit, if both are numbers


def changes(before: Path, after: Path) -> list[Change]:
    """Compare two results folders, experiment by experiment.

    Parameters
    ----------
    before, after : path
        Folders that `boostbench report` wrote to.

    Returns
    -------
    changes : list of Change
        Sorted by experiment; empty if tables and verdicts are equal.

    Raises
    ------
    BoostbenchError
        If a folder holds no reports, or a file of a report cannot be read.
    """
    old, new = _experiments(before), _experiments(after)
    differences: list[Change] = []
    for name in sorted({*old, *new}):
        if name not in new or name not in old:
            contents = ("there", "") if name in old else ("", "there")
            differences.append(Change(name, "", "", *contents))
            continue
        both = old[name], new[name]
        runs = ({"with a result": f"{each.runs.ok} of {each.runs.planned}"} for each in both)
        differences += _changes(name, "runs", *runs)
        for table in sorted({*both[0].tables, *both[1].tables}):
            cells = (_cells(folder / name / f"{table}.csv") for folder in (before, after))
            differences += _changes(name, table, *cells)
        verdicts = ({claim.says: claim.verdict for claim in each.claims} for each in both)
        differences += _changes(name, "claim", *verdicts)
    return differences


def _experiments(folder: Path) -> dict[str, ReportSummary]:
    summaries = dict(read_summaries(folder))
    if not summaries:
        what = "there are no reports here; `boostbench report CONFIG` writes some"
        raise BoostbenchError(what, where=str(folder))
    return summaries


def _changes(
    name: str, part: str, old: Mapping[str, str], new: Mapping[str, str]
) -> Iterator[Change]:
    """Yield the differences between the contents of a part, by place."""
    for place in {**old, **new}:
        before, after = old.get(place, ""), new.get(place, "")
        if before != after:
            are_numbers = _NUMBER.fullmatch(before) and _NUMBER.fullmatch(after)
            difference = round(float(after) - float(before), 6) if are_numbers else None
            yield Change(name, part, place, before, after, difference)


def _cells(path: Path) -> dict[str, str]:
    """Return the cells of a table of a report, by row labels and column as one text."""
    if not path.is_file():
        return {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
    except (OSError, ValueError, csv.Error) as error:
        what = "is not the table of a report; `boostbench report` writes it anew"
        raise BoostbenchError(what, where=str(path)) from error
    columns = [
        column for column, title in enumerate(header) if f"{title}{_REMARKS}" in header[column:]
    ]
    n_labels = min(columns, default=len(header))
    return {
        ", ".join([*row[:n_labels], header[column]]): row[column]
        for row in rows
        for column in columns
        if column < len(row)
    }
