"""Write the tables of measured numbers in pages, from results/: ``make docs``.

A table stands between ``<!-- table NAME -->`` and ``<!-- end -->``; a test holds it to this script.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from boostbench.data.catalog import find_entry
from boostbench.registry import boosters
from boostbench.reports.text import markdown_table

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "results"
STUDY = RESULTS / "noise-study-defaults-standard"
#: Methods in the table of mean errors, as the CSV file names them.
METHODS = (
    "filteredrandom-forest",
    "random-forest",
    "catboost",
    "xgboost",
    "sm-boost",
    "splboost",
    "adaboost-mh",
    "adaboost",
)
NOISES = {
    "clean": "none",
    "uniform-other 0.2": "20 %",
    "uniform-other 0.4": "40 %",
    "pair 0.4": "40 %, to the next class",
}


def page(path: Path) -> str:
    """Return the text of a page with its tables written anew."""
    pattern = re.compile(r"(<!-- table (\S+) -->\n).*?(<!-- end -->)", re.S)
    return pattern.sub(
        lambda found: f"{found[1]}{TABLES[found[2]]()}\n{found[3]}",
        path.read_text(encoding="utf-8"),
    )


def where_to_start() -> str:
    """Return the recommended methods by classes and share of wrong labels, of any other class."""
    rows = []
    for row in _rows(STUDY / "take-this.csv"):
        kind, _, share = row["wrong_labels"].partition(" ")
        if kind in ("none", "uniform-other"):
            beside = row["asgoodwithinapoint"].partition(" and ")[0].split(", ")
            taken = ", ".join(dict.fromkeys(map(_name, beside)))
            classes, _, sets = row["classes"].partition(" (")
            classes = {"2": "two", "≥ 3": "three or more"}[classes] + f" ({sets}"
            rows.append([classes, share or "none", _name(row["take"]), row["itserror"], taken])
    head = ["classes", "wrong labels", "start with", "error (95 % interval)", "within a point"]
    return markdown_table(head, [False] * 5, rows).strip()


def mean_errors() -> str:
    """Return the mean errors of some methods over the sets of two, and of more classes."""
    rows = _errors(STUDY)
    noises = {False: [*NOISES], True: [*NOISES][:-1]}  # of two classes, the next is the other one
    shown = []
    for method in METHODS:
        means = [
            _mean(rows, method, noise, is_two=is_two)
            for is_two, names in noises.items()
            for noise in names
        ]
        shown.append([_name(method), *means])
    clean, *noisy = NOISES.values()
    head = [f"three classes or more: {clean}", *noisy, f"two classes: {clean}", *noisy[:-1]]
    return markdown_table(["", *head], [False] + [True] * len(head), shown).strip()


def tuned() -> str:
    """Return the mean errors with defaults and with chosen parameters."""
    rows = _errors(RESULTS / "noise-study-tuned-standard")
    methods = ("random-forest", "sm-boost", "xgboost", "adaboost-mh")
    shown = [
        [way, *(_mean(rows, f"{method}{mark}", "uniform-other 0.4") for method in methods)]
        for way, mark in (("defaults", ""), ("chosen", "(tuned)"))
    ]
    return markdown_table(["", *map(_name, methods)], [False] + [True] * 4, shown).strip()


def _errors(folder: Path) -> list[dict[str, str]]:
    """Return the rows of data sets in a table of errors."""
    below = ("mean rank", "wins/ties/losses")
    return [row for row in _rows(folder / "errors.csv") if row["data_set"] not in below]


def _mean(
    rows: list[dict[str, str]], method: str, noise: str, *, is_two: bool | None = None
) -> str:
    """Return a mean over data sets: over those of two or more classes, or all for None."""
    errors = [
        float(row[method])
        for row in rows
        if row["noise"] == noise and is_two in (None, find_entry(row["data_set"]).n_classes == 2)
    ]
    return f"{fmean(errors):.1f}"


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _name(printed: str) -> str:
    """Return what a user types for a name in print."""
    name = boosters.meant(printed)
    return f"`{name}`" if name else "–"


TABLES = {"where-to-start": where_to_start, "mean-errors": mean_errors, "tuned": tuned}


def pages() -> Iterator[Path]:
    """Yield the pages that have tables."""
    for path in sorted(DOCS.rglob("*.md")):
        if "<!-- table " in path.read_text(encoding="utf-8"):
            yield path


if __name__ == "__main__":
    for each in pages():
        each.write_text(page(each), encoding="utf-8")
