"""Printed values of a paper, read from a CSV file beside a config, and their agreement with ours.

The placebo of an agreement is that of a printed value with our values in the wrong columns of its
table.
"""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import product
from pathlib import Path
from typing import Literal

from boostbench.errors import BoostbenchError, ConfigError, DataError, nearest
from boostbench.reports.values.estimates import ROUNDING, Estimate
from boostbench.reports.values.samples import Repeats
from boostbench.source import read_text

#: The quantity that papers print.
PRINTED = "test_error"
_REQUIRED = ("dataset", "method", "T", "noise", "error", "unit")
#: Text for a cell without a number in the paper.
NO_VALUE = "–"


@dataclass(frozen=True)
class PaperValue:
    """A printed error of a paper."""

    dataset: str  # name of the data set in boostbench
    method: str  # name of the method in boostbench
    rounds: int
    noise: float  # rate, 0 to 1
    error: float | None  # as a fraction; None if the paper has no number
    text: str  # in percent as printed, with "± std" if printed; a dash without a number
    accuracy_text: str  # the same for 100 % minus the error
    doubt: str = ""  # reason why the number is doubtful or absent
    std: float | None = None  # standard deviation over runs, as a fraction
    repeats: int = 1  # number of runs whose mean it is
    column: str = ""  # of the paper: its table and its name of the method

    @property
    def remark(self) -> str:
        """The doubt in a sentence."""
        what = "paper has no value" if self.error is None else "paper's value doubtful"
        return f"{what}: {self.doubt}"

    @property
    def rounding(self) -> float:
        """One unit of the last printed digit, as a fraction."""
        digits = self.text.split(" ")[0].partition(".")[2]
        return float(10.0 ** -(len(digits) + 2))


class PaperValues(dict[tuple[str, str, float], dict[int, PaperValue]]):
    """Printed values of one file: by data set, method and noise, those of each T."""

    def __repr__(self) -> str:
        return f"PaperValues({len(self)} places)"

    def add(self, value: PaperValue) -> None:
        """Add a value; ValueError if there is one in its place."""
        by_rounds = self.setdefault((value.dataset, value.method, value.noise), {})
        if value.rounds in by_rounds:
            what = f"a second value for {value.dataset}, {value.method}, T = {value.rounds}"
            raise ValueError(f"{what}, noise {value.noise:g}")
        by_rounds[value.rounds] = value

    def find(
        self, datasets: Iterable[str], methods: Iterable[str], rounds: int | None, noise: float
    ) -> PaperValue | None:
        """Return the value for the first matching pair of names; None if there is none.

        Parameters
        ----------
        datasets, methods : iterable of str
            Names to look up, in order of preference.
        rounds : int or None
            Rounds T; None for the largest printed T.
        noise : float
            Noise rate, 0 to 1.
        """
        for names in product(datasets, methods, [round(noise, 6)]):
            by_rounds = self.get(names, {})
            T = max(by_rounds, default=0) if rounds is None else rounds
            if T in by_rounds:
                return by_rounds[T]
        return None


def read_paper_values(path: Path | str) -> PaperValues:
    """Read a file of printed values.

    Parameters
    ----------
    path : Path
        CSV file with the columns dataset, method, T, noise, error and unit (``percent`` or
        ``fraction``), and optionally std, runs (number of runs whose mean it is), doubt, and the
        paper's own table and paper_label (of the method); other columns are ignored. An empty
        error is a cell without a number in the paper.

    Returns
    -------
    values : PaperValues

    Raises
    ------
    ConfigError
        All errors, by line.
    """
    complaints: list[BoostbenchError] = []
    values = PaperValues()
    for where, row in read_rows(path, _REQUIRED):
        try:
            values.add(_value({"table": Path(path).stem, **row}))
        except ValueError as error:
            complaints.append(DataError(str(error), where=where))
    if not values and not complaints:
        complaints.append(DataError("holds no value below its header", where=str(path)))
    if complaints:
        raise ConfigError(complaints)
    return values


def read_rows(
    path: Path | str, required: Sequence[str]
) -> list[tuple[str, dict[str | None, str | None]]]:
    """Return the rows of a CSV file with their file and line; check the required columns.

    Raises
    ------
    ConfigError
        If the file cannot be read or lacks a column.
    """
    reader = csv.DictReader(io.StringIO(read_text(Path(path)), newline=""))
    if not (columns := [column for column in reader.fieldnames or () if column]):
        what = "is empty; the first line must name the columns"
        raise ConfigError([DataError(what, where=str(path))])
    complaints: list[BoostbenchError] = []
    for name in required:
        if name not in columns:
            close = nearest(name, [column for column in columns if column not in required])
            hint = f"; is it {close!r}?" if close else f"; it has {', '.join(columns)}"
            complaints.append(DataError(f"has no column {name!r}{hint}", where=f"{path}:1"))
    if complaints:
        raise ConfigError(complaints)
    return [(f"{path}:{reader.line_num}", dict(row)) for row in reader]


def _value(row: Mapping[str | None, str | None]) -> PaperValue:
    if None in row or None in row.values():
        raise ValueError("has more or fewer fields than the header")
    cells = {key or "": (text or "").strip() for key, text in row.items()}
    for name in ("dataset", "method"):
        if not cells[name]:
            raise ValueError(f"{name} is empty")
    exponent = {"percent": 0, "fraction": 2}.get(cells["unit"])  # of ten, to convert to percent
    if exponent is None:
        raise ValueError(f"unit must be percent or fraction, found {cells['unit']!r}")
    points, spread = (
        _number(cells, name, 0, 100 // 10**exponent).scaleb(exponent) if cells.get(name) else None
        for name in ("error", "std")
    )
    std = "" if spread is None else f" ± {spread:f}"
    return PaperValue(
        cells["dataset"],
        cells["method"],
        int(_number(cells, "T", 1, whole=True)),
        round(float(_number(cells, "noise", 0, 1)), 6),
        None if points is None else float(points) / 100,
        NO_VALUE if points is None else f"{points:f}{std}",
        NO_VALUE if points is None else f"{100 - points:f}{std}",
        cells.get("doubt", ""),
        None if spread is None else float(spread) / 100,
        int(_number(cells, "runs", 1, whole=True)) if cells.get("runs") else 1,
        f"{cells['table']}, {cells.get('paper_label') or cells['method']}",
    )


def _number(
    cells: Mapping[str, str], name: str, least: int, most: float = math.inf, *, whole: bool = False
) -> Decimal:
    with suppress(InvalidOperation):
        number = Decimal(cells[name])
        if number.is_finite() and least <= number <= most and not (whole and number % 1):
            return number
    kind = "a whole number" if whole else "a number"
    limits = f"of at least {least}" if most == math.inf else f"from {least} to {most}"
    raise ValueError(f"{name} must be {kind} {limits}, found {cells[name]!r}")


Agreement = Literal["agrees", "better than printed", "worse than printed", "cannot tell"]
Compared = tuple[Estimate, Agreement] | tuple[None, Literal[""]]
#: Largest half-width of an informative interval: absolute, and as a share of the printed value.
_ABSOLUTE, _RELATIVE = 0.015, 0.25
#: Name of the test for one run on a given split, which cannot confirm.
ONE_DRAW = "interval of the test samples alone"


def compare_with_printed(ours: Repeats, printed: PaperValue) -> Compared:
    """Return the estimated difference, ours minus printed, and the agreement.

    They are None and empty if either has no value.

    The printed error agrees if it lies in the 95 % prediction interval around ours, and the
    interval is narrow: at most 1.5 points or a quarter of the printed error on each side. In a
    wider interval nothing can be told, unless our mean has the printed digits.

    The interval holds what a new run of the paper would vary (`Design.of_a_run`): on a given split,
    which the paper shares, the draws alone, by our variance between seeds; on other splits of the
    same data set, or on new data, also the training and test samples, by the larger of our variance
    between runs and the binomial variance of the test samples. A printed standard deviation goes
    before.

    Parameters
    ----------
    ours : Repeats
        Errors on one data set, with as many test samples as the paper's.
    printed : PaperValue
    """
    values = [*ours.values.values()]
    if not values or printed.error is None:
        return None, ""
    n, mean = len(values), sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values) / (n - 1) if n > 1 else None
    of_a_run = ours.design.of_a_run(spread, (mean + printed.error) / 2)
    own = of_a_run / n
    theirs = (of_a_run if printed.std is None else printed.std**2) / printed.repeats
    estimated = own if printed.std is not None else own + theirs
    from_spread = estimated if of_a_run == spread else 0.0
    variance = own + theirs + printed.rounding**2 / 12
    # Satterthwaite: only the part of the variance estimated from our repeats is uncertain.
    df = (n - 1) * (variance / from_spread) ** 2 if from_spread > 0 else math.inf
    is_equal = abs(mean - printed.error) <= printed.rounding / 2 + ROUNDING
    is_known = n > 1 or not ours.design.is_given or is_equal or printed.std is not None
    test = "95 % prediction interval" if is_known else ONE_DRAW
    estimate = Estimate(mean - printed.error, test, n, 0.0, variance, min(df, 1e6))
    is_informative = is_equal or estimate.reach <= max(_ABSOLUTE, _RELATIVE * printed.error)
    agreement: Agreement = "agrees" if is_informative else "cannot tell"
    if abs(estimate.difference) > estimate.reach and not is_equal:
        agreement = "better than printed" if estimate.difference < 0 else "worse than printed"
    return estimate, agreement


@dataclass(frozen=True)
class Held:
    """Agreement of a printed value with ours."""

    agreement: Agreement
    #: Share of the other columns of our table that agree with it too; None without other columns.
    placebo: float | None = None


#: Meaning of a chance level, the sum of placebos.
PLACEBO = "would agree with another column of the table by chance"


def hold(
    printed: PaperValue, ours: Repeats, columns: Iterable[tuple[PaperValue | None, Repeats]]
) -> Held | None:
    """Compare a printed value with ours, and with the columns at its place in our table."""
    _, found = compare_with_printed(ours, printed)
    agree = ((its, compare_with_printed(each, printed)[1] == "agrees") for its, each in columns)
    return Held(found, placebo_of(printed, agree)) if found else None


def placebo_of(
    printed: PaperValue, agree: Iterable[tuple[PaperValue | None, bool]]
) -> float | None:
    """Return the share of wrong columns that agree with a printed value, its chance level.

    Parameters
    ----------
    printed : PaperValue
    agree : iterable of (PaperValue or None, bool)
        What is printed in each column of the table, and whether our values there agree with
        ``printed``; wrong are the columns of another method.
    """
    wrong = [agrees for value, agrees in agree if value and value.method != printed.method]
    return statistics.fmean(wrong) if wrong else None


def in_words(agreements: Iterable[Held]) -> str:
    """Return the numbers of printed values by agreement, and their placebo, in words."""
    agreements = list(agreements)
    states = [each.agreement for each in agreements]
    parts = [f"{states.count('agrees')} of {len(states)} printed numbers agree"]
    placebos = [each.placebo for each in agreements if each.placebo is not None]
    parts[0] += f" ({sum(placebos):.1f} {PLACEBO})" * bool(placebos)
    others = {"better than printed": "ours is better for {}", "worse than printed": "worse for {}"}
    others["cannot tell"] = "{} cannot be told"
    parts += [others[state].format(states.count(state)) for state in others if state in states]
    return ", ".join(parts)
