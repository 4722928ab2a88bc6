"""Reduction of records to the parts that the tables, figures and claims of a config read.

Reports hold reduced records in memory, and packed records are written from them, so both have the
same content.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from boostbench.experiments.runs import Run
from boostbench.experiments.store.record import SIZE_OF, Record
from boostbench.quantities import QUANTITIES
from boostbench.reports.values.designs import design_of
from boostbench.reports.values.frame import Result

if TYPE_CHECKING:
    from boostbench.experiments.configs.config import Config

#: Fields with the same value in most records, held once in memory.
_SHARED = ("n_per_class", "versions", "host", "threads", "inputs", "noise")
T = TypeVar("T")


class Unread:
    """Parts of records that nothing reads: most losses and edges, most rounds of some metrics.

    - The curves ``edge`` and ``loss`` are kept if an option of the report or of a claim names them.
    - A curve of floats, such as the log loss, is kept at the read rounds only and NaN elsewhere,
      unless a part without an option ``at``, such as a figure of curves, names it. So are the
      training errors for a file; in memory, counts are smaller than floats.
    - The correctness of test samples is kept at the read rounds, for data sets whose tests compare
      single test samples.

    The read rounds are the checkpoints, the last round, and all rounds that the report and the
    claims name. With selection of rounds they are all rounds. A figure, table or claim of a plugin
    names what it reads by an option or its default, such as ``value: MetricName = "edge"``.

    Parameters
    ----------
    config : Config
    heads : sequence of Run
        The runs of the results of the config.
    for_file : bool, default=False
        Whether the records are to be written into a file.
    """

    def __init__(self, config: Config, heads: Sequence[Run], *, for_file: bool = False) -> None:
        parts = [(part.written, part.options) for part in config.report]
        parts += [(each.entry[each.kind], each.options) for each in config.claims]
        written = str([entry for entry, _ in parts])
        drawn = _words([(e, dict(o)) for e, o in parts if "at" not in type(o).model_fields])
        named = _words(written) | drawn
        incidental = (name for name, each in QUANTITIES.items() if each.is_incidental)
        self._left_out = {QUANTITIES[name].curve for name in incidental if name not in named}
        self._whole = {each.curve for name, each in QUANTITIES.items() if name in drawn}
        counts = [each for each in QUANTITIES.values() if each.curve in SIZE_OF]
        self._whole |= {each.curve for each in counts if each.on_test or not for_file}
        self._by_sample = _tested_by_sample(heads)
        # Integers by themselves, unlike those in "0.2", "20 %" or "ranks-20".
        integers = re.findall(r"(?<![\w.-])\d+(?! ?[\w.%-])", written)
        rounds = {*map(int, integers), *config.checkpoints}
        selects_rounds = config.select is not None and config.select.rounds
        self._rounds = None if selects_rounds else rounds  # None: all
        self._known: dict[Hashable, Any] = {}

    def left_out(self, run: Run, record: Record) -> Record:
        """Return the record of a run, or of a trial for it, without the unread parts."""
        rounds, is_read = self._read_rounds(record.n_rounds, run.rounds)
        curves = {
            name: curve
            if is_read is None or name in self._whole
            else np.where(is_read, curve, np.nan)
            for name, curve in record.curves.items()
            if name not in self._left_out
        }
        right = record.by_round("right") if run.dataset in self._by_sample else {}
        right = {at: bits for at, bits in right.items() if int(at) in rounds}
        checkpoints = {**record.at_checkpoints, "right": right}
        if not any(checkpoints.values()):
            checkpoints = self._one(checkpoints)
        names = record.model_fields_set.intersection(_SHARED)
        same: dict[str, Any] = {name: self._one(getattr(record, name)) for name in names}
        same["run"] = run if run == record.run else record.run
        return record.model_copy(update={**same, "curves": curves, "at_checkpoints": checkpoints})

    def _one(self, value: T) -> T:
        """Return the first of equal values."""
        known: T = self._known.setdefault(str(value), value)
        return known

    def _read_rounds(
        self, n_made: int, requested: int
    ) -> tuple[set[int], NDArray[np.bool_] | None]:
        """Return the read rounds, and their mask among the rounds made; None if all are read."""
        if (n_made, requested) not in self._known:
            made = range(1, n_made + 1)
            rounds = {n_made, requested, *(made if self._rounds is None else self._rounds)}
            is_read = None if rounds.issuperset(made) else np.array([at in rounds for at in made])
            self._known[n_made, requested] = rounds, is_read
        known: tuple[set[int], NDArray[np.bool_] | None] = self._known[n_made, requested]
        return known


def _words(written: Any) -> set[str]:
    return set(re.findall(r"\w+", str(written)))


def _tested_by_sample(heads: Sequence[Run]) -> set[str]:
    """Return the data sets for which tests compare single test samples."""
    cells: dict[tuple[str, ...], list[Result]] = {}
    for run in heads:
        cell = (run.dataset, run.noise.label, run.method)
        cells.setdefault(cell, []).append(Result(run, "missing"))
    return {cell[0] for cell, results in cells.items() if design_of(results).counts_each}
