"""The key ``report`` of a config: a list of tables and figures with distinct names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boostbench import registry
from boostbench.errors import unknown
from boostbench.experiments.configs.entries import name_and_options, read_list
from boostbench.experiments.configs.kind_options import Options, read_options
from boostbench.validation import MistakesError

MAX_PARTS = 200


@dataclass(frozen=True)
class ReportPart:
    """A table or a figure of the report."""

    name: str  # name of the files, without suffix
    kind: str  # registered name, or ``FILE.py:function``
    options: Options
    written: Mapping[str, Any] = field(default_factory=dict, compare=False)


def read_parts(value: Any, context: Mapping[str, Any]) -> tuple[ReportPart, ...]:
    """Read the parts of a report.

    The name of a part is its option ``name`` or its kind.

    Raises
    ------
    MistakesError
        If a kind or an option is unknown or invalid, or two parts have the same name.
    """
    wanted = f"a list of at most {MAX_PARTS} parts such as [table: {{...}}]"
    parts = read_list(value, lambda _, entry: _read(entry, context), wanted, most=MAX_PARTS)
    mistakes = MistakesError()
    names = [part.name for part in parts]
    for index, name in enumerate(names):
        if name in names[:index]:
            what = f"two parts of the report are called {name!r}; give one another 'name'"
            mistakes.add(what, index)
    mistakes.close()
    return parts


def _read(entry: Any, context: Mapping[str, Any]) -> ReportPart:
    name, written = name_and_options(entry, "part of the report")
    kind = context["setting"].source_of(name)
    kinds = registry.tables if kind in registry.tables else registry.figures
    if ".py:" not in kind and kind not in kinds:
        known = [*registry.tables.names(), *registry.figures.names()]
        raise ValueError(unknown("part of the report", kind, known))
    options = read_options(kinds, kind, written, context)
    own_name = getattr(options, "name", None) or kind.rpartition(".py:")[2]
    return ReportPart(own_name, kind, options, written)
