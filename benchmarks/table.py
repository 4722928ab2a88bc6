"""Table of the benchmarks, for the terminal, as Markdown and as CSV."""

from __future__ import annotations

import csv
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

COLUMNS = ("measure", "data set", "ours", "peer", "ratio", "target", "met", "note")
PACKAGES = ("boostbench", "numba", "numpy", "scikit-learn", "lightgbm")


@dataclass(frozen=True)
class Row:
    """A measurement and its target.

    Parameters
    ----------
    measure, data : str
        Names of the measure and of the data.
    ours, peer : str
        The two measured values with units.
    ratio : float or None
        Ratio to compare with the target; None if the measure failed.
    target : float or None
        Bound of the ratio; None for no bound.
    at_least : bool, default=False
        Whether the target is a lower bound instead of an upper bound.
    ok : bool, default=True
        Whether side conditions hold, such as equal test errors.
    note : str, default=""
        Remarks.
    """

    measure: str
    data: str
    ours: str
    peer: str
    ratio: float | None
    target: float | None
    at_least: bool = False
    ok: bool = True
    note: str = ""

    @property
    def met(self) -> bool | None:
        """True if the target is met; None if there is no ratio or no target."""
        if self.ratio is None or self.target is None:
            return None
        return self.ok and (
            self.ratio >= self.target if self.at_least else self.ratio <= self.target
        )

    def cells(self) -> tuple[str, ...]:
        """Return the row as text."""
        met = {None: "-", True: "yes", False: "no"}[self.met]
        ratio = "-" if self.ratio is None else f"{self.ratio:.3g}"
        target = "-"
        if self.target is not None:
            target = f"{'>=' if self.at_least else '<='} {self.target:g}"
        return (self.measure, self.data, self.ours, self.peer, ratio, target, met, self.note)


def seconds(value: float) -> str:
    """Format a duration in s or ms.

    Examples
    --------
    >>> seconds(0.00123), seconds(2.5)
    ('1.23 ms', '2.50 s')
    """
    return f"{value:.2f} s" if value >= 1.0 else f"{1e3 * value:.3g} ms"


def show(rows: Sequence[Row], console: Console) -> None:
    """Print the table."""
    table = Table(title="boostbench and its peers", caption=conditions())
    for name in COLUMNS:
        table.add_column(name, justify="right" if name in COLUMNS[2:5] else "left")
    colours = {None: "", True: "green", False: "red"}
    for row in rows:
        table.add_row(*map(escape, row.cells()), style=colours[row.met])
    console.print(table)


def write(rows: Sequence[Row], folder: Path, command: str) -> list[Path]:
    """Write the table as Markdown and CSV to a folder; return the two paths.

    Parameters
    ----------
    rows : sequence of Row
        Rows of the table.
    folder : Path
        Created if missing.
    command : str
        Command that produced the rows.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["# boostbench and its peers", "", f"`{command}`, {date.today()}. {conditions()}", ""]
    lines += ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(row.cells()) + " |" for row in rows]
    markdown, table = folder / "benchmarks.md", folder / "benchmarks.csv"
    markdown.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(row.cells() for row in rows)
    return [markdown, table]


def conditions() -> str:
    """Return a description of the method, the machine and the versions of packages."""
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"{package} absent")
    return (
        "One process; one thread and CPU seconds, where nothing else is said; medians of "
        "interleaved repeats. "
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; "
        f"{', '.join(versions)}."
    )
