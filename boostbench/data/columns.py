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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.data.catalog import WRITINGS
from boostbench.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

#: Cells that are missing in every column, unless the column is declared a category.
MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "<NA>", "#N/A")

#: Cells, in lower case, that are missing if all other cells are numbers, dates or durations.
_MARKERS = frozenset(
    (
        *(".", "..", "-", "--", "*", "none", "null", "na", "n.a.", "nd", "missing", "unknown"),
        *("#n/a", "#value!", "#div/0!", "#ref!", "#num!", "#name?", "#null!"),
    )
)

#: Function that returns ``file:line`` (or ``file: row n``) of a row, counted from 0.
RowPlace = Callable[[int], str]
#: ``number``, ``category``, ``date``, ``id``, a way to write numbers (`WRITINGS`), a format of
#: dates such as ``%d/%m/%Y``, or the declared values of a category; empty: the cells decide.
Declared = str | tuple[str, ...]
Numbers = NDArray[np.float64]

_NUMBERS = {
    writing: re.compile(
        r"(?P<sign>[+-]?) ?(?P<before>[$€£¥₹]?) ?(?P<number>[+-]?("
        rf"(([1-9]\d{{0,2}}(?P<mark>[{other}' ])(\d{{2,3}}(?P=mark))*\d{{3}}|\d+)([{decimal}]\d*)?"
        rf"|[{decimal}]\d+)(e[+-]?\d+)?|inf(inity)?))"
        r" ?(?P<after>([^\d.,'+ -][^\d.,'+-]*)?)",
        re.ASCII | re.IGNORECASE,
    )
    for (writing, decimal), other in zip(WRITINGS.items(), ",.", strict=True)
}
_SYMBOLS = ("", *"%‰$€£¥₹")  # other texts beside numbers are units
_DATES = (
    *("%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%b-%Y", "%d-%b-%y", "%d %b %Y", "%d %B %Y"),
    *("%b %d %Y", "%b %d, %Y", "%B %d, %Y"),
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p")
_ISO = "ISO8601"
_ISO_DATE = re.compile(r"\d{4}-\d\d?(-\d\d?([T ]\d\d?:\d\d.*)?)?", re.ASCII)
_HAS_DATE = re.compile(r"\d\D+\d|[A-Za-z]{3}.*\d", re.ASCII)
_CLOCK = r"\d+:\d\d(:\d\d(\.\d+)?)?"
_SPAN = r"(\d+(\.\d+)? ?(days?|d|hours?|hrs?|h|minutes?|mins?|seconds?|secs?|s|ms) ?)+"
_DURATION = re.compile(rf"[+-]?({_CLOCK}|{_SPAN}([+-]?{_CLOCK})?|P[\dDTHMS.]+)", re.ASCII)
_TWELVE_HOURS = re.compile(r"\d?\d:\d\d(:\d\d)? ?[ap]\.?m\.?", re.ASCII | re.IGNORECASE)
_INVISIBLE = dict.fromkeys((0xAD, 0x200B, 0x2060, 0xFEFF))
_MINUS = dict.fromkeys((0x2013, 0x2212, 0xFF0D), "-") | {0x2019: "'"}
_SAMPLE = 5  # texts by which a format is tried before it is tried on all
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
    """

    name: str
    kind: Literal["number", "date", "duration", "category", "id", "dropped", "label"]
    values: tuple[str, ...] | None = None
    missing: int = 0
    note: str = ""
    form: str = ""
    unit: str = ""

    @property
    def is_feature(self) -> bool:
        """True unless the column is left out."""
        return self.kind not in ("id", "dropped", "label")

    @property
    def is_plain(self) -> bool:
        """True for numbers of which there is nothing to say."""
        return self.kind == "number" and not self.missing and not self.note


@dataclass(frozen=True)
class _Reading:
    """Values of the distinct texts of a column under one reading; NaN where it does not fit."""

    kind: Literal["number", "date", "duration"]
    values: Numbers
    note: str = ""
    form: str = ""  # type that declares this reading
    unit: str = ""

    @property
    def is_whole(self) -> bool:
        """True if all texts fit."""
        return not np.isnan(self.values).any()


def clean(text: object) -> str:
    r"""Return a cell, label or name in the form that decides whether two are the same.

    White space around it is removed, and within it (line breaks too) is one space; letters with
    accents have one form (Unicode NFC). Characters without width (zero-width space, soft hyphen)
    are left out. Upper and lower case stay different.

    Examples
    --------
    >>> clean("  dark\n red ")
    'dark red'
    """
    return " ".join(unicodedata.normalize("NFC", str(text)).translate(_INVISIBLE).split())


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
    def of(cls, cells: pd.Series, place: RowPlace, declared: Declared = "") -> Texts:
        """Return the texts of a column; declared values, and words of a category, are no gaps."""
        import pandas as pd

        if not declared and isinstance(cells.dtype, pd.CategoricalDtype):
            declared = tuple(map(clean, cells.cat.categories))
        codes, distinct = pd.factorize(cells)
        texts = np.array([*map(clean, distinct), ""], dtype=str)
        texts, same = np.unique(texts, return_inverse=True)
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

    def refuse(self, odd: NDArray[np.bool_], n_fit: int, kind: str) -> None:
        """Raise DataError for texts that do not fit the other ones, or the declaration."""
        rows = np.flatnonzero(odd[self.index])
        where = self.place(int(rows[0]))
        words = [repr(str(self.texts[self.index[row]])) for row in rows[:_SHOWN]]
        for k, row in enumerate(rows[1:_SHOWN].tolist(), start=1):
            words[k] += f" ({self.place(row).rpartition(':')[2].strip()})"
        if len(rows) > _SHOWN:
            words.append(f"{len(rows) - _SHOWN} more")
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
    from pandas.api import types

    name = str(cells.name)
    if types.is_datetime64_any_dtype(cells) or types.is_timedelta64_dtype(cells):
        return _measured(name, _times(cells))
    is_number = types.is_numeric_dtype(cells) and not types.is_bool_dtype(cells)
    if is_number and (declared in ("", "number") or declared in WRITINGS):
        values = cells.to_numpy(np.float64, na_value=np.nan)
        is_rounded = types.is_integer_dtype(cells) and np.max(np.abs(values), initial=0) >= 2**53
        note = "integers beyond 2^53 are rounded" if is_rounded else ""
        return _measured(name, _Reading("number", values, note))
    column = Texts.of(cells, place, declared)
    if column.declared == "category" or isinstance(column.declared, tuple):
        return _codes(column, ordered=getattr(cells.dtype, "ordered", False))
    counts = np.bincount(column.index, minlength=len(column.texts)) * ~column.missing
    is_marker = np.array([text.lower() in _MARKERS for text in column.texts]) & (counts > 0)
    real = np.flatnonzero((counts > 0) & ~is_marker)
    readings = _readings(column.texts[real].tolist(), declared, is_plain=is_plain)
    values = np.full(len(column.texts), np.nan)
    whole = [reading for reading in readings if reading.is_whole]
    if whole:
        found = _chosen(whole, column, real)
    elif not len(real) and (declared or not is_marker.any()):
        found = _Reading("number", np.empty(0), "no cell has a value")
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
    gone = column.texts[is_marker].tolist()
    return _measured(name, replace(found, values=values[column.index]), gone)


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
    from pandas.api import types

    is_time = types.is_datetime64_any_dtype(cells) or types.is_timedelta64_dtype(cells)
    if is_time and column.kind == _times(cells).kind:
        return (values := _times(cells).values), np.zeros(len(values), dtype=bool)
    if types.is_numeric_dtype(cells) and not types.is_bool_dtype(cells) and column.kind == "number":
        values = cells.to_numpy(np.float64, na_value=np.nan)
        return values, np.isinf(values)
    found = Texts.of(cells, lambda row: "", column.values or "")
    words, missing = found.texts.tolist(), found.missing
    if column.values is not None:
        values = _coded(words, column.values)
    else:
        if column.kind == "number":
            values = _numbers(words, column.form or next(iter(WRITINGS)), column.unit).values
        elif column.kind == "date":
            values = _days(words, column.form or _ISO)
        else:
            values = next((each.values for each in _durations(words)), np.full(len(words), np.nan))
        missing |= np.isnan(values) & np.array([word.lower() in _MARKERS for word in words])
    values = np.where(missing, np.nan, values)
    odd = ~np.isfinite(values) & ~missing
    return values[found.index], odd[found.index]


def _coded(words: Sequence[str], values: Sequence[str]) -> Numbers:
    """Return the codes of words; NaN for others. Equal numbers are one value, as are booleans."""
    code = {value: float(number) for number, value in enumerate(values)}
    if set(values) <= {"true", "false"} or set(values) <= {"True", "False"}:
        code = {value.lower(): number for value, number in code.items()}
        words = [word.lower() for word in words]
    numbers = {number_of(value): code[value] for value in code}
    numbers.pop(None, None)
    return np.array([code.get(w, numbers.get(number_of(w), np.nan)) for w in words])


def _measured(name: str, reading: _Reading, gone: Sequence[str] = ()) -> tuple[Numbers, Column]:
    """Return the values of a column and its description; ``gone`` are words for missing cells."""
    n_missing = int(np.isnan(reading.values).sum())
    note = "; ".join(filter(None, [reading.note, _missing(gone)]))
    return reading.values, Column(
        name, reading.kind, None, n_missing, note, reading.form, reading.unit
    )


def _missing(words: Sequence[str]) -> str:
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return f"missing: {', '.join(map(repr, words[:_SHOWN]))}{more}" if words else ""


def _times(cells: pd.Series) -> _Reading:
    """Return dates as days since 1970-01-01, or durations as seconds."""
    import pandas as pd

    if pd.api.types.is_timedelta64_dtype(cells):
        return _Reading("duration", cells.dt.total_seconds().to_numpy(np.float64), "seconds")
    origin = pd.Timestamp("1970-01-01", tz=cells.dt.tz and "UTC")
    days = (cells - origin).dt.total_seconds().to_numpy(np.float64) / 86400
    return _Reading("date", days, "days since 1970")


def _codes(column: Texts, *, ordered: bool = False) -> tuple[Numbers, Column]:
    """Return the codes of a category; declared values keep their order if ``ordered``."""
    texts, declared = column.texts, column.declared
    if isinstance(declared, tuple):
        word, where = column.first(~column.missing & ~np.isin(texts, declared))
        if where:
            what = f"column {column.name!r} holds {word!r}, not a declared value"
            raise DataError(what, where=where)
    used = np.bincount(column.index, minlength=len(texts)) > 0
    words = {text: text for text in texts[used & ~column.missing].tolist()}
    if {text.lower() for text in words} == {"true", "false"} and len(words) > 2:
        words = {text: text.lower() for text in words}
    values = in_order(set(words.values()))
    if ordered:
        values = tuple(value for value in declared if value in words)
    code = {value: float(number) for number, value in enumerate(values)}
    codes = np.array([code[words[t]] if t in words else np.nan for t in texts.tolist()])
    codes = codes[column.index]
    is_folded = len({value.casefold() for value in values}) < len(values)
    notes = [
        "some values differ only in case" if is_folded else "",
        _missing([text for text in texts[used & column.missing].tolist() if text]),
    ]
    n_missing, note = int(np.isnan(codes).sum()), "; ".join(filter(None, notes))
    return codes, Column(column.name, "category", values, n_missing, note)


def in_order(words: Iterable[str]) -> tuple[str, ...]:
    """Return distinct words in numeric order if all are numbers, else in text order."""
    words = sorted(words)
    numbers = {word: number_of(word) for word in words}
    if any(number is None for number in numbers.values()):
        return tuple(words)
    return tuple(sorted(words, key=lambda word: numbers[word] or 0))


def _chosen(whole: Sequence[_Reading], column: Texts, real: NDArray[np.intp]) -> _Reading:
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


def _readings(words: Sequence[str], declared: Declared, *, is_plain: bool) -> list[_Reading]:
    """Return the readings of texts as numbers, dates and durations, the first ones preferred."""
    if not words:
        return []
    if isinstance(declared, str) and "%" in declared:
        return [_Reading("date", _days(words, declared), declared)]
    if declared in WRITINGS:
        return [_numbers(words, str(declared))]
    if not declared and _are_padded(words):
        return []
    readings = [] if declared == "date" else [_numbers(words, writing) for writing in WRITINGS]
    if is_plain and readings and readings[0].is_whole and not any("," in word for word in words):
        return readings[:1]
    if declared == "number" or any(reading.is_whole for reading in readings):
        return readings
    return [*readings, *_dates(words), *_durations(words)]


def _are_padded(words: Sequence[str]) -> bool:
    """Return whether words are codes of equal length such as 007, some with leading zeros."""
    is_code = re.compile(r"\d{2,}", re.ASCII).fullmatch
    is_equal = len({len(word) for word in words}) == 1 and all(map(is_code, words))
    return is_equal and any(word[0] == "0" for word in words)


def _numbers(words: Sequence[str], writing: str, unit: str | None = None) -> _Reading:
    """Read numbers with a unit, by default the same sign (``%``) or unit in all, or none."""
    values, symbols = np.full(len(words), np.nan), [""] * len(words)
    for i, word in enumerate(words):
        bare = _bare(word)
        if re.fullmatch("0x[0-9a-f]{1,13}", bare, re.ASCII | re.IGNORECASE):
            values[i] = int(bare, 16)
        elif match := _NUMBERS[writing].fullmatch(bare):
            number = match["sign"] + match["number"].replace(match["mark"] or " ", "")
            values[i] = float(number.replace(WRITINGS[writing], "."))
            symbols[i] = match["before"] + match["after"].strip()
    read = Counter(symbol for symbol, value in zip(symbols, values, strict=True) if value == value)
    symbol = max(read, key=lambda each: read[each], default="")
    if symbol not in _SYMBOLS and set(symbols) != {symbol}:
        symbol = ""
    symbol = symbol if unit is None else unit
    values[[each != symbol for each in symbols]] = np.nan
    notes = [f"in {symbol}" if symbol else "", f"as {writing}" if WRITINGS[writing] == "," else ""]
    return _Reading("number", values, ", ".join(filter(None, notes)), writing, symbol)


def _bare(word: str) -> str:
    """Return a number with ASCII digits, the sign in front, and ``e`` before the exponent."""
    if not word.isascii():
        word = word.translate(_MINUS)
        word = "".join(str(unicodedata.decimal(letter, letter)) for letter in word)
    word = re.sub(r"^\((.+)\)$|^([\d., ']*\d)-$", r"-\1\2", word)
    return re.sub(r"(?<=\d)[dD]([+-]?\d+)$", r"e\1", word) if "." in word else word


def _dates(words: Sequence[str]) -> Iterator[_Reading]:
    """Yield readings as dates, in ISO 8601 or in a format that fits some of the first words."""
    if not any(map(_HAS_DATE.search, words[:_SAMPLE])):
        return
    reading = _Reading("date", _days(words, _ISO), "days since 1970", _ISO)
    yield reading
    for date in () if reading.is_whole else _DATES:
        for time in _TIMES:
            if not np.isnan(_days(words[:_SAMPLE], date + time)).all():
                yield _Reading("date", _days(words, date + time), date + time, date + time)


def _days(words: Sequence[str], form: str) -> Numbers:
    """Return dates as days since 1970-01-01, NaN where a word is none."""
    import pandas as pd

    if form == _ISO:
        words = [word if _ISO_DATE.fullmatch(word) else "" for word in words]
    dates = pd.to_datetime(pd.Series(words), format=form, errors="coerce", utc=True)
    return _times(dates).values


def _durations(words: Sequence[str]) -> Iterator[_Reading]:
    import pandas as pd

    if any(map(_TWELVE_HOURS.fullmatch, words)):
        bare = [re.sub("[ .]", "", word).upper() for word in words]
        short, long = (_days(bare, form) for form in ("%I:%M%p", "%I:%M:%S%p"))
        days = np.where(np.isnan(short), long, short)
        yield _Reading("duration", np.round(np.mod(days, 1) * 86_400), "seconds")

    texts = [word if _DURATION.fullmatch(word) else "" for word in words]
    if any(texts):
        full = [f"{text}:00" if text.count(":") == 1 else text for text in texts]
        yield _times(pd.Series(pd.to_timedelta(full, errors="coerce")))
