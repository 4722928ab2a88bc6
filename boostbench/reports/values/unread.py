"""Records without what no table, figure or claim of a config reads."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from boostbench.experiments.runs import Run
from boostbench.experiments.store.record import Record
from boostbench.reports.values.designs import design_of
from boostbench.reports.values.frame import Result

if TYPE_CHECKING:
    from boostbench.experiments.configs.config import Config


def without_unread(
    config: Config, heads: Sequence[Run], records: Iterable[tuple[Run, Record]]
) -> Iterator[tuple[Run, Record]]:
    """Leave out the loss, the edges and the samples that were right, where nothing reads them.

    Parameters
    ----------
    config : Config
    heads : sequence of Run
        The runs that the config's results stand for.
    records : iterable of (Run, Record)
        Of these runs, or of the trials behind them.
    """
    written = [part.written for part in config.report] + [each.written for each in config.claims]
    curves = ("loss",) if re.search(r"\bedge\b", str(written)) else ("loss", "edge")
    by_sample = _tested_by_sample(heads)
    for run, record in records:
        yield run, without(record, curves, right=run.dataset in by_sample)


def without(record: Record, curves: Collection[str], *, right: bool) -> Record:
    """Return a record without some curves and, if ``right`` is false, without ``right``."""
    update: dict[str, Any] = {
        "curves": {name: curve for name, curve in record.curves.items() if name not in curves}
    }
    if not right:
        update["at_checkpoints"] = record.at_checkpoints.model_copy(update={"right": {}})
    return record.model_copy(update=update)


def _tested_by_sample(heads: Sequence[Run]) -> set[str]:
    """Return the data sets on which tests count test samples one by one."""
    cells: dict[tuple[str, ...], list[Result]] = {}
    for run in heads:
        cell = (run.dataset, run.noise.label, run.method)
        cells.setdefault(cell, []).append(Result(run, "missing"))
    return {cell[0] for cell, its in cells.items() if design_of(its).counts_each}
