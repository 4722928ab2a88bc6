"""Table kind ``effort``: number of runs, sample sizes, rounds, times and memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from boostbench.experiments.store.record import Record
from boostbench.reports.tables.table import BEYOND, Row, Table, TableCell
from boostbench.reports.values.frame import Study
from boostbench.reports.values.part_options import Title
from boostbench.validation import OneOrMore


class _Column(NamedTuple):
    title: str
    read: Callable[[Record], float | None]
    format: str


_COLUMNS = {
    "n_train": _Column("training samples", lambda record: record.n_train, ".0f"),
    "n_test": _Column("test samples", lambda record: record.n_test, ".0f"),
    "rounds": _Column("rounds made", lambda record: record.n_rounds, ".0f"),
    "fit_time": _Column("fit (s)", lambda record: record.seconds.get("fit"), ".2f"),
    "predict_time": _Column("predict (s)", lambda record: record.seconds.get("predict"), ".2f"),
    "memory": _Column("memory (MB)", lambda record: record.peak_memory_mb, ".0f"),
}


def effort(
    study: Study,
    *,
    columns: OneOrMore[
        Literal["n_train", "n_test", "rounds", "fit_time", "predict_time", "memory"]
    ] = ("n_train", "n_test", "rounds", "fit_time"),
    title: Title = "",
) -> Table:
    """Build the table of the effort of the runs, one row per data set and booster.

    A cell is the median over seeds, folds and noises.

    Parameters
    ----------
    columns : str or sequence of str, default=("n_train", "n_test", "rounds", "fit_time")
        Any of the default columns, ``predict_time`` (for the test samples after every round) and
        ``memory``.
    """
    rows, threads = [], 1
    for dataset in study.datasets:
        for booster in study.boosters:
            results = study.only([booster], [dataset]).results
            if results:
                records = [r.record for r in results if r.ok and r.record is not None]
                n = len(records)
                threads = max([threads, *(r.threads.get("boostbench", 1) for r in records)])
                runs = f"{n}" if n == len(results) else f"{n} of {len(results)}"
                status = "" if records else results[0].status
                cells = (_cell(_COLUMNS[column], records, status) for column in columns)
                rows.append(Row((dataset, booster), (TableCell(runs, value=str(n)), *cells)))
    resources = "one thread" if threads == 1 else f"1 to {threads} threads"
    return Table(
        title=title or f"{study.config.title or study.config.name}: effort",
        names=("data set", "booster"),
        columns=("runs", *(_COLUMNS[column].title for column in columns)),
        rows=tuple(rows),
        footers=(f"Medians over the runs of a booster on a data set, each on {resources}.",),
    )


def _cell(column: _Column, records: Sequence[Record], status: str) -> TableCell:
    values = [value for value in map(column.read, records) if value is not None]
    if not values:
        return TableCell(status or BEYOND)
    text = format(float(np.median(values)), column.format)
    return TableCell(text, value=text)
