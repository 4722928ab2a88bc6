"""Records without what no table, figure or claim of a config reads.

A report holds them so in memory, and packed records are written so: the two say the same.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.experiments.runs import Run
from boostbench.experiments.store.fingerprints import modules_behind
from boostbench.experiments.store.record import Record
from boostbench.reports.values.designs import design_of
from boostbench.reports.values.frame import Result
from boostbench.reports.values.metrics import METRICS

if TYPE_CHECKING:
    from boostbench.experiments.configs.config import Config

_OWN_CODE = Path(__file__).parents[2]
#: Facts that most records share, of which one is held in memory.
_SHARED = ("n_per_class", "versions", "host", "threads", "inputs")


class Unread:
    """What nothing reads: most losses, edges and samples that were right.

    The curve ``edge`` is read if an option of the report or of a claim names it, and either if the
    code of a kind that is a plugin does. Which test samples were right is read where tests go by
    them, at the checkpoints, at the last round and at the rounds that claims name.

    Parameters
    ----------
    config : Config
    heads : sequence of Run
        The runs that the config's results stand for.
    """

    def __init__(self, config: Config, heads: Sequence[Run]) -> None:
        parts = [part.written for part in config.report]
        claims = [claim.written[claim.kind] for claim in config.claims]
        named = set(re.findall(r"\w+", str([parts, claims])))
        self._curves = {"loss", "edge"} - (named & METRICS.keys()) - {*_words_of_plugins(config)}
        self._by_sample = _tested_by_sample(heads)
        # The rounds that a choice of parameters keeps are known when it is made.
        self._rounds = None if config.select else named | set(map(str, config.checkpoints))
        self._known: dict[str, Any] = {}

    def left_out(self, run: Run, record: Record) -> Record:
        """Return the record of a run, or of a trial behind it, without what nothing reads."""
        right: Collection[str] | None = ()
        if run.dataset in self._by_sample:
            right = self._rounds and {*self._rounds, str(record.n_rounds)}
        values = {name: getattr(record, name) for name in sorted(record.model_fields_set)}
        for name in values.keys() & _SHARED:
            values[name] = self._known.setdefault(str(values[name]), values[name])
        values |= _rest(record, self._curves, right)
        values["run"] = run if run == record.run else record.run
        names = self._known.setdefault(str([*values]), {*values})
        return Record.model_construct(names, **values)


def without(record: Record, curves: Collection[str], *, right: Collection[str]) -> Record:
    """Return a record without some curves, and with ``right`` at some rounds alone."""
    return record.model_copy(update=_rest(record, curves, right))


def _rest(record: Record, curves: Collection[str], right: Collection[str] | None) -> dict[str, Any]:
    """Return what is left of the long parts of a record; ``right`` as it is if None."""
    rest: dict[str, Any] = {"curves": {k: v for k, v in record.curves.items() if k not in curves}}
    if right is not None:
        kept = {at: bits for at, bits in record.at_checkpoints.right.items() if at in right}
        rest["at_checkpoints"] = record.at_checkpoints.model_copy(update={"right": kept})
    return rest


def _words_of_plugins(config: Config) -> Iterator[str]:
    """Yield the words in quotation marks in the code of other packages' kinds that read curves."""
    own = [part.options for part in config.report] + [claim.options for claim in config.claims]
    for options in own:
        kind = options.function if options.is_derived else type(options)
        file = inspect.getsourcefile(inspect.unwrap(kind))
        for path in modules_behind(file) if file and not _is_own(Path(file)) else ():
            text = "" if _is_own(path) else path.read_text(encoding="utf-8")
            if re.search(r"\.curve(s|_at)?\b", text):
                yield from re.findall(r"""["'](\w+)["']""", text)


def _is_own(path: Path) -> bool:
    return path.is_relative_to(_OWN_CODE)


def _tested_by_sample(heads: Sequence[Run]) -> set[str]:
    """Return the data sets on which tests count test samples one by one."""
    cells: dict[tuple[str, ...], list[Result]] = {}
    for run in heads:
        cell = (run.dataset, run.noise.label, run.method)
        cells.setdefault(cell, []).append(Result(run, "missing"))
    return {cell[0] for cell, its in cells.items() if design_of(its).counts_each}
