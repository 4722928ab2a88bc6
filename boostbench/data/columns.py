"""Columns of a table: what the cells of a column are, and their values as numbers.

A column is what its file or its catalog entry declares. Otherwise its cells decide; the first of
these that reads all cells (except missing ones) is taken: numbers, dates, durations, and else
categories. A column of which at least half of the rows are numbers or dates, but not all, is
refused. The rules are in ``docs/adding-a-data-set.md``.
"""

from __future__ import annotations

import json
import re
import shlex
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.data.catalog import WRITINGS
from boostbench.data.cells import (
    ISO,
    Declared,
    Numbers,
    Reading,
    days_in,
    durations_in,
    read_numbers,
    read_times,
    readings_of,
)
from boostbench.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

#: Cells that are missing in every column, unless the column is declared a category.
MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "<NA>", "#N/A")

#: Cells, in lower case, that are missing if all other cells are numbers, dates or durations.
_MARKERS = frozenset(
    (
        *(".", "..", "-", "--", "*", "none", "null", "na", "n.a.", "nd", "missing", "unknown"),
        *("nat", "nil", "(null)", "<null>", "\\n", "-nan", "-nan(ind)", "nan%", "#na", "#n/a n/a"),
        *("1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan", "not available"),
        *("#n/a", "#value!", "#div/0!", "#ref!", "#num!", "#name?", "#null!"),
    )
)

#: Function that returns ``file:line`` (or ``file: row n``) of a row, counted from 0.
RowPlace = Callable[[int], str]
_EXCEL_TEXT = re.compile(r'^="([^"]*)"$')
_INVISIBLE = dict.fromkeys((0xAD, 0x200B, 0x2060, 0xFEFF))
_SHOWN = 3  # odd cells in a message


@dataclass(frozen=True)
class Column:
    """A column of a table, and how it was read.

    Attributes
    ----------
    name : str
    kind : {"number", "date", "duration", "category", "id", "dropped", "label"}
        Dates are days since 1970-01-01, durations seconds, categories codes 0, 1, ... of their
        values. The last three kinds are not features.
    values : tuple of str, or None
        Values of a category, in the order of their codes.
    missing : int
        Number of missing cells.
    note : str
        Further facts for the user, e.g. the format of the dates.
    form : str
        Way to write the numbers (`WRITINGS`), or format of the dates; empty for typed cells.
    unit : str
        Text beside all numbers, such as ``%``.
    gaps : tuple of str
        Words among the numbers, dates or durations that are missing cells, also in new rows.
    """

    name: str
    kind: Literal["number", "date", "duration", "category", "id", "dropped", "label"]
    values: tuple[str, ...] | None = None
    missing: int = 0
    note: str = ""
    form: str = ""
    unit: str = ""
    gaps: tuple[str, ...] = ()

    @property
    def is_feature(self) -> bool:
        """True unless the column is left out."""
        return self.kind not in ("id", "dropped", "label")

    @property
    def is_plain(self) -> bool:
        """True for numbers of which there is nothing to say."""
        return self.kind == "number" and not self.missing and not self.note


def clean(text: object) -> str:
    r"""Return a cell, label or name in the form that decides whether two are the same.

    White space around it is removed, and within it (line breaks too) is one space; letters with
    accents have one form (Unicode NFC). Characters without width (zero-width space, soft hyphen)
    are left out, and so is the sign of Excel for texts: ``="5"`` is ``5``. Upper and lower case
    stay different.

    Examples
    --------
    >>> clean("  dark\n red ")
    'dark red'
    """
    plain = " ".join(unicodedata.normalize("NFC", str(text)).translate(_INVISIBLE).split())
    return _EXCEL_TEXT.sub(r"\1", plain)


def number_of(label: str) -> Decimal | None:
    """Return the number that a label is written as, exactly; None if the label is text.

    ``01`` and ``1e5`` are text, ``1.5e3`` is a number.
    """
    pattern = r"[+-]?((0|[1-9]\d*)(\.\d*(e[+-]?\d+)?)?|\.\d+)"
    return Decimal(label) if re.fullmatch(pattern, label, re.ASCII | re.IGNORECASE) else None


@dataclass(frozen=True)
class Texts:
    """Cells of a column as texts; those of the rows are ``texts[index]``.

    Attributes
    ----------
    name : str
    index : ndarray of intp, shape (n_rows,)
    texts : ndarray of str
        Distinct clean texts, sorted.
    missing : ndarray of bool
        Which of them are missing.
    declared : Declared
        See `Declared`; also the values of a category of pandas or parquet.
    place : callable
        Function that returns ``file:line`` of a row.
    """

    name: str
    index: NDArray[np.intp]
    texts: NDArray[np.str_]
    missing: NDArray[np.bool_]
    declared: Declared
    place: RowPlace

    @classmethod
    def of(
        cls, cells: pd.Series, place: RowPlace, declared: Declared = "", *, alike: bool = False
    ) -> Texts:
        """Return the texts of a column; declared values, and words of a category, are no gaps.

        With ``alike``, texts of the same number or truth value as a declared value are that value.
        """
        import pandas as pd

        if not declared and isinstance(cells.dtype, pd.CategoricalDtype):
            declared = tuple(map(clean, cells.cat.categories))
        codes, distinct = pd.factorize(cells)
        words = [*map(clean, distinct), ""]
        if alike and isinstance(declared, tuple):
            words = _as_declared(words, declared)
        texts, same = np.unique(np.array(words, dtype=str), return_inverse=True)
        missing = np.isin(texts, MISSING[:1] if declared == "category" else MISSING)
        if isinstance(declared, tuple):
            missing &= ~np.isin(texts, declared)
        return cls(str(cells.name), same[codes], texts, missing, declared, place)

    def first(self, which: NDArray[np.bool_]) -> tuple[str, str]:
        """Return the first cell with one of some texts, and its place; empty if there is none."""
        if not which[self.index].any():
            return "", ""
        row = int(np.argmax(which[self.index]))
        return str(self.texts[self.index[row]]), self.place(row)

    def check_declared(self) -> None:
        """Raise DataError if a cell is none of the declared values, if there are such."""
        if isinstance(self.declared, tuple):
            word, where = self.first(~self.missing & ~np.isin(self.texts, self.declared))
            if where:
                what = f"column {self.name!r} holds {word!r}, not a declared value"
                raise DataError(what, where=where)

    def refuse(self, odd: NDArray[np.bool_], n_fit: int, kind: str) -> None:
        """Raise DataError for texts that do not fit the other ones, or the declaration."""
        rows = np.flatnonzero(odd[self.index])
        where = self.place(int(rows[0]))
        shown = rows[np.sort(np.unique(self.index[rows], return_index=True)[1])[:_SHOWN]].tolist()
        words = [repr(str(self.texts[self.index[row]])) for row in shown]
        for k, row in enumerate(shown[1:], start=1):
            words[k] += f" ({self.place(row).rpartition(':')[2].strip()})"
        if len(rows) > len(shown):
            words.append(f"{len(rows) - len(shown)} more")
        cells = " and ".join([words[0], ", ".join(words[1:])][: len(words)])
        if self.declared:
            what = f"column {self.name!r} holds {cells}, but is declared {self.declared!r}"
        else:
            what = (
                f"column {self.name!r} holds {n_fit} {kind}s, but also {cells}; mend them, or "
                f"declare the column: {how_to_declare(self.name, 'number')} if they are missing, "
                f"{how_to_declare(self.name, 'category')} if all cells are text"
            )
        raise DataError(what, where=where)


def _as_declared(words: Sequence[str], values: Sequence[str]) -> list[str]:
    """Return words, replaced by the declared value that is the same number or truth value."""
    known, is_truth = set(values), {*values} <= {"true", "false"} or {*values} <= {"True", "False"}
    key: Callable[[str], Any] = str.lower if is_truth else number_of
    same = {key(value): value for value in values if key(value) is not None}
    return [word if word in known else same.get(key(word), word) for word in words]


def how_to_declare(name: str, kind: str) -> str:
    """Return the option that declares a column, and the key of a catalog entry that does."""
    option = f"--type {shlex.quote(f'{name}={kind}')}"
    return f"{option} (in the description: types: {json.dumps({name: kind}, ensure_ascii=False)})"


def read_column(
    cells: pd.Series,
    place: RowPlace,
    declared: Declared = "",
    *,
    is_plain: bool = True,
    strict: bool = True,
) -> tuple[Numbers, Column]:
    """Return the values of a column as numbers, NaN if missing, and what they are.

    Parameters
    ----------
    cells : Series
        Texts, or values of a typed file.
    place : callable
        Function that returns ``file:line`` of a row.
    declared : str or tuple of str, default=""
        See `Declared`.
    is_plain : bool, default=True
        Whether the decimal mark is surely a point in a column without commas.
    strict : bool, default=True
        Whether a column of which half the rows are numbers or dates must hold nothing else.

    Raises
    ------
    DataError
        If cells do not fit the declaration, or what they are is not certain.
    """
    name, typed = str(cells.name), _typed(cells)
    if typed and (typed.kind != "number" or declared in ("", "number", *WRITINGS)):
        return _measured(name, typed)
    column = Texts.of(cells, place, declared)
    if column.declared == "category" or isinstance(column.declared, tuple):
        return _codes(column, ordered=getattr(cells.dtype, "ordered", False))
    counts = np.bincount(column.index, minlength=len(column.texts)) * ~column.missing
    is_marker = np.array([text.lower() in _MARKERS for text in column.texts]) & (counts > 0)
    real = np.flatnonzero((counts > 0) & ~is_marker)
    readings = readings_of(column.texts[real].tolist(), declared, is_plain=is_plain)
    values = np.full(len(column.texts), np.nan)
    whole = [reading for reading in readings if reading.is_whole]
    if whole:
        found = _chosen(whole, column, real)
    elif not len(real) and (declared or not is_marker.any()):
        found = Reading("number", np.empty(0), "no cell has a value")
    else:
        fitting = [int(counts[real[~np.isnan(reading.values)]].sum()) for reading in readings]
        n_fit = max(fitting, default=0)
        if not declared and (not strict or 2 * n_fit < counts.sum()):
            return _codes(column)
        found = readings[fitting.index(n_fit)]
        is_marker[real[np.isnan(found.values)]] = True
        if declared != "number":
            column.refuse(is_marker, n_fit, found.kind)
    values[real] = found.values
    gaps = column.texts[is_marker].tolist()
    return _measured(name, replace(found, values=values[column.index]), gaps)


def read_alike(cells: pd.Series, column: Column) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return the values of new cells, read as those of a column were.

    Parameters
    ----------
    cells : Series
        Texts, or values of a typed file.
    column : Column
        A feature, as `read_column` returned it.

    Returns
    -------
    values : ndarray of float64
        NaN for missing cells, and for those that cannot be read.
    odd : ndarray of bool
        Which cells are not missing, but cannot be read: values of a category that were not seen
        before, or cells of another type.
    """
    typed = _typed(cells)
    if typed and typed.kind == column.kind:
        return typed.values, np.isinf(typed.values)
    found = Texts.of(cells, lambda row: "", column.values or "", alike=True)
    words, missing = found.texts.tolist(), found.missing
    if column.values is not None:
        values = _coded(words, column.values)
    else:
        if column.kind == "number":
            values = read_numbers(words, column.form or next(iter(WRITINGS)), column.unit).values
        elif column.kind == "date":
            values = days_in(words, column.form or ISO)
        else:
            values = np.full(len(words), np.nan)
            for each in durations_in(words):
                values = np.where(np.isnan(values), each.values, values)
        gaps = [word.lower() in _MARKERS or word in column.gaps for word in words]
        missing |= np.isnan(values) & np.array(gaps)
    values = np.where(missing, np.nan, values)
    odd = ~np.isfinite(values) & ~missing
    return values[found.index], odd[found.index]


def _typed(cells: pd.Series) -> Reading | None:
    """Return the values of a column of numbers, dates or durations; None for other cells."""
    from pandas.api import types

    if types.is_datetime64_any_dtype(cells) or types.is_timedelta64_dtype(cells):
        return read_times(cells)
    if not types.is_numeric_dtype(cells) or types.is_bool_dtype(cells):
        return None
    values = cells.to_numpy(np.float64, na_value=np.nan)
    is_rounded = types.is_integer_dtype(cells) and np.max(np.abs(values), initial=0) >= 2**53
    return Reading("number", values, "integers beyond 2^53 are rounded" if is_rounded else "")


def _coded(words: Sequence[str], values: Sequence[str]) -> Numbers:
    """Return the positions of words among the values of a category; NaN for others."""
    code = {value: float(number) for number, value in enumerate(values)}
    return np.array([code.get(word, np.nan) for word in words])


def _measured(name: str, reading: Reading, gaps: Sequence[str] = ()) -> tuple[Numbers, Column]:
    """Return the values of a column and its description; ``gaps`` are words for missing cells."""
    n_missing = int(np.isnan(reading.values).sum())
    note = "; ".join(filter(None, [reading.note, _missing(gaps)]))
    facts = n_missing, note, reading.form, reading.unit, tuple(gaps)
    return reading.values, Column(name, reading.kind, None, *facts)


def _missing(words: Sequence[str]) -> str:
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return f"missing: {', '.join(map(repr, words[:_SHOWN]))}{more}" if words else ""


def _codes(column: Texts, *, ordered: bool = False) -> tuple[Numbers, Column]:
    """Return the codes of a category; declared values keep their order if ``ordered``."""
    texts, declared = column.texts, column.declared
    column.check_declared()
    used = np.bincount(column.index, minlength=len(texts)) > 0
    real = used & ~column.missing
    words = fold_booleans(texts[real].tolist())
    values = in_order(set(words))
    if ordered:
        values = tuple(value for value in declared if value in words)
    codes = np.full(len(texts), np.nan)
    codes[real] = _coded(words, values)
    codes = codes[column.index]
    is_folded = len({value.casefold() for value in values}) < len(values)
    n_rows = int(np.isfinite(codes).sum())
    is_free = (
        len(values) > max(20, n_rows / 4) and sum(" " in value for value in values) > n_rows / 8
    )
    notes = [
        f"{len(values)} different texts in {n_rows} rows, as in free text" if is_free else "",
        "some values differ only in case" if is_folded else "",
        _missing([text for text in texts[used & column.missing].tolist() if text]),
    ]
    n_missing, note = int(np.isnan(codes).sum()), "; ".join(filter(None, notes))
    return codes, Column(column.name, "category", values, n_missing, note)


def fold_booleans(words: Sequence[str]) -> Sequence[str]:
    """Return words in lower case if they are true and false in several cases, else unchanged."""
    lower = [word.lower() for word in words]
    return lower if {*lower} == {"true", "false"} and len({*words}) > 2 else words


def in_order(words: Iterable[str]) -> tuple[str, ...]:
    """Return distinct words in numeric order if all are numbers, else in text order."""
    words = sorted(words)
    numbers = {word: number_of(word) for word in words}
    if any(number is None for number in numbers.values()):
        return tuple(words)
    return tuple(sorted(words, key=lambda word: numbers[word] or 0))


def _chosen(whole: Sequence[Reading], column: Texts, real: NDArray[np.intp]) -> Reading:
    """Return the first reading; raise DataError if another one of the kind has other values."""
    first = whole[0]
    for other in whole[1:]:
        differing = real[first.values != other.values]
        if other.kind == first.kind and differing.size:
            word, where = column.first(np.isin(np.arange(len(column.texts)), differing))
            raise DataError(
                f"column {column.name!r} holds {word!r}, which is a {first.kind} as {first.form} "
                f"and as {other.form}; declare it: {how_to_declare(column.name, first.form)} or "
                f"{how_to_declare(column.name, other.form)}",
                where=where,
            )
    return first
