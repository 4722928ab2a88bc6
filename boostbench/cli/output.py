"""Output of commands: tables, JSON, and messages on stderr."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from boostbench.reports.text import plain, visible

if TYPE_CHECKING:
    from boostbench.data.columns import Column
    from boostbench.experiments.planning.plans import Plan
    from boostbench.experiments.planning.repeating import Repeated
    from boostbench.experiments.store.record import Record

Row = Mapping[str, Any]
_SHOWN = 3  # names of columns in a line


def is_fancy(stream: Any) -> bool:
    """Return whether ``stream`` is a terminal that supports colours and live displays."""
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def print_json(value: Any) -> None:
    """Print a value as indented JSON; letters are escaped if stdout is not UTF-8."""
    is_unicode = "utf" in (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    print(json.dumps(value, indent=2, ensure_ascii=not is_unicode, default=str))


def print_rows(
    rows: Sequence[Row],
    *,
    as_json: bool = False,
    columns: Sequence[str] = (),
) -> None:
    """Print rows as a table or, with all keys, as a JSON list.

    Parameters
    ----------
    rows : sequence of mapping
        Rows with equal keys.
    as_json : bool, default=False
    columns : sequence of str, default=()
        Keys to show in the table, in this order; empty: all.
    """
    if as_json:
        print_json([dict(row) for row in rows])
        return
    columns = columns or (list(rows[0]) if rows else [])
    cells = [[_text(row[column]) for column in columns] for row in rows]
    titles = [column.replace("_", " ") for column in columns]
    lines = [titles, *cells]
    widths = [max(len(line[column]) for line in lines) for column in range(len(titles))]
    for line in lines:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join(padded).rstrip())


def print_groups(plan: Plan, *, left_out: Collection[str]) -> None:
    """Print the runs of a plan by data set, status and reason, except some statuses."""
    rows = [
        {
            "what": runs[0].run.id if len(runs) == 1 else dataset,
            "runs": len(runs),
            "status": status,
            "why": reason,
        }
        for (dataset, status, reason), runs in plan.groups().items()
        if status not in left_out
    ]
    if rows:
        print()
        print_rows(rows)


def print_columns(columns: Iterable[Column]) -> None:
    """Print what each column of a file became; plain numbers share one line."""
    names = [column.name for column in columns if column.is_plain]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    plain_ones = {"column": ", ".join(names[:_SHOWN]) + more, "read_as": "number"}
    rows: list[Row] = [{**plain_ones, "values": "", "missing": 0, "note": ""}] if names else []
    rows += [
        {
            "column": column.name,
            "read_as": column.kind,
            "values": len(column.values) if column.values is not None else "",
            "missing": column.missing if column.is_feature else "",
            "note": column.note,
        }
        for column in columns
        if not column.is_plain
    ]
    print_rows(rows)


def print_repeated(
    outcomes: Mapping[str, Sequence[Repeated]], *, as_json: bool = False, nothing: str = ""
) -> None:
    """Print comparisons of repeated runs with their records, as one line for each config.

    Boosters whose results are not the recorded ones come first, in a table.

    Parameters
    ----------
    outcomes : mapping of str to sequence of Repeated
        Outcomes by name of the config.
    as_json : bool, default=False
        Print all outcomes as a JSON list instead.
    nothing : str, default=""
        Text to print for a config without outcomes.
    """
    from boostbench.experiments.planning.repeating import in_words

    rows = [
        ({"config": name, **asdict(part)}, part.agrees)
        for name, parts in outcomes.items()
        for part in parts
    ]
    if as_json:
        print_json([row for row, _ in rows])
        return
    columns = ("config", "dataset", "booster", "code", "runs", "sample", "done", "same", "why")
    if disagreeing := [row for row, agrees in rows if not agrees]:
        print_rows(disagreeing, columns=columns)
    for name, parts in outcomes.items():
        if parts or nothing:
            print(f"{name}: {in_words(parts) if parts else nothing}")


def print_error(message: object) -> None:
    """Print a message on stderr, prefixed by the name of the program."""
    with suppress(OSError):  # stderr is full or closed
        for line in visible(str(message)).splitlines():
            print(f"boostbench: {line}", file=sys.stderr, flush=True)


def discard_output() -> None:
    """Drop what could not be written to stdout; Python would write it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class PrintedLog(logging.Handler):
    """Handler that prints the messages of the library, such as those on damaged records."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message on stderr."""
        print_error(record.getMessage())


def print_log(record: Record | None) -> None:
    """Print the last output of a failed run, including its traceback, on stderr."""
    log = [] if record is None or record.error is None else record.error.log_tail
    for line in log:
        print(f"  {visible(line)}", file=sys.stderr)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(item) for item in value)
    if isinstance(value, float):
        return f"{0.0 if abs(value) < 1e-12 else value:.6g}"
    return plain(str(value))
