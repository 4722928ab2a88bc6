"""Output of commands: tables, JSON, messages on stderr, and exit codes."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.errors import import_extra
from boostbench.reports.text import csv_text, plain, visible
from boostbench.whole_files import check_place, write_file

if TYPE_CHECKING:
    import pandas as pd

    from boostbench.data.columns import Column

#: Exit codes: success; some runs failed or were skipped, or a claim is not reproduced.
OK, INCOMPLETE = 0, 1
Row = Mapping[str, Any]
_SHOWN = 3  # names of columns in a line


def is_fancy(stream: Any) -> bool:
    """Return whether ``stream`` is a terminal that supports colours and live displays."""
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def print_json(value: Any) -> None:
    """Print a value as indented JSON; letters are escaped if stdout is not UTF-8."""
    is_unicode = "utf" in (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    print(json.dumps(value, indent=2, ensure_ascii=not is_unicode, default=str))


def print_rows(rows: Sequence[Row], *, as_json: bool = False, columns: Sequence[str] = ()) -> None:
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
    titles = [column.replace("_", " ") for column in columns]
    lines = [titles, *([_text(row[column]) for column in columns] for row in rows)]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    for line in lines:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join(padded).rstrip())


def print_columns(columns: Iterable[Column]) -> None:
    """Print what each column of a file became; plain numbers share one line."""
    names = [column.name for column in columns if column.is_plain]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    rows: list[Any] = [(", ".join(names[:_SHOWN]) + more, "number", "", 0, "")] if names else []
    for each in columns:
        if not each.is_plain:
            n_values = "" if each.values is None else len(each.values)
            missing = each.missing if each.is_feature else ""
            rows.append((each.name, each.kind, n_values, missing, each.note))
    titles = ("column", "read_as", "values", "missing", "note")
    print_rows([dict(zip(titles, row, strict=True)) for row in rows])


def check_output(file: Path | None) -> None:
    """Refuse a place of a table that is no file, and parquet without its package."""
    if file is None:
        return
    check_place(file)
    if file.suffix == ".parquet":
        import_extra("pyarrow", "parquet", where=str(file))


def write_table(table: pd.DataFrame, file: Path | None, texts: Iterable[str] = ()) -> None:
    """Print a table as CSV, or write it to a file: as parquet by that suffix, otherwise as CSV.

    In CSV, a spreadsheet shall not compute the ``texts``, columns with text of others.
    """
    check_output(file)
    safe = table.assign(**{name: table[name].map(csv_text) for name in texts})
    if file is None:
        print(safe.to_csv(index=False, lineterminator="\n"), end="")
    elif file.suffix == ".parquet":
        write_file(file, table.to_parquet(index=False))
    else:
        write_file(file, safe.to_csv(index=False, lineterminator="\n").encode())


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


def _text(value: Any) -> str:
    return "" if value is None else plain(str(value))
