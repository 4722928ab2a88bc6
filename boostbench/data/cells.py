"""Readings of texts as numbers, dates and durations."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.data.catalog import WRITINGS

if TYPE_CHECKING:
    import pandas as pd

#: ``number``, ``category``, ``date``, ``id``, a way to write numbers (`WRITINGS`), a format of
#: dates such as ``%d/%m/%Y``, or the declared values of a category; empty: the cells decide.
Declared = str | tuple[str, ...]
Numbers = NDArray[np.float64]

_MONEY = r"(?-i:[A-Z]{0,2})[$€£¥₹₽₩₺₪]|(?:USD|EUR|GBP|JPY|CHF|CNY|INR|BRL|kr|Rs)\.? "
_NUMBERS = {
    writing: re.compile(
        rf"(?P<sign>[+-]?) ?(?P<before>{_MONEY}|) ?(?P<number>[+-]?("
        rf"(([1-9]\d{{0,2}}(?P<mark>[{other}' _])(\d{{2,3}}(?P=mark))*\d{{3}}|\d+)([{decimal}]\d*)?"
        rf"|[{decimal}]\d+)(e[+-]?\d+)?|inf(inity)?))"
        r" ?(?P<after>([^\d.,'+ -][^\d.,'+-]*)?)",
        re.ASCII | re.IGNORECASE,
    )
    for (writing, decimal), other in zip(WRITINGS.items(), ",.", strict=True)
}
_SYMBOLS = ("", *"%‰$€£¥₹")  # other texts beside numbers are units
_SCALES = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9}  # behind some of the numbers of a column
_DATES = (
    *("%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%b-%Y", "%d-%b-%y", "%d %b %Y", "%d %B %Y"),
    *("%b %d %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %H:%M:%S %Y", "%b %d %H:%M:%S %z %Y"),
    *("%Y年%m月%d日", "%G-W%V-%u", "%b-%Y", "%b-%y", "%b %Y", "%B %Y", "%m/%Y", "%m-%Y", "%Y/%m"),
)
_WEEKDAY = re.compile(r"(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? ", re.IGNORECASE)
_ZONE = re.compile(r"(?<=[\d.]) ?(UTC|GMT|Z)$")
_TIMES = (
    "",
    " %H:%M",
    " %H:%M:%S",
    " %H:%M:%S.%f",
    " %I:%M %p",
    " %I:%M:%S %p",
    " %H:%M:%S%z",
    " %H:%M:%S %z",
)
ISO = "ISO8601"
_ISO_DATE = re.compile(r"\d{4}-\d\d?(-\d\d?([T ]\d\d?:\d\d.*)?)?", re.ASCII)
_HAS_DATE = re.compile(r"\d\D+\d|[A-Za-z]{3}.*\d", re.ASCII)
_CLOCK = r"\d+:\d\d(:\d\d(\.\d+)?|\.\d+)?"
_UNITS = r"years?|yrs?|months?|w(?:ee)?ks?|days?|d|hours?|hrs?|h( ?\d+ ?m|\d\d)?|minutes?|mins?"
_SPAN = rf"(\d+(\.\d+)? ?({_UNITS}|seconds?|secs?|s|ms) ?)+"
_DURATION = re.compile(rf"[+-]?({_CLOCK}|{_SPAN}([+-]?{_CLOCK})?)", re.ASCII)
_ISO_SPAN = re.compile(
    r"([+-]?)P(?=\d|T\d)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?", re.ASCII
)
_LONG = re.compile(r"(\d+(?:\.\d+)?) ?(y|mo|w)[a-z]+")
#: Seconds of a mean year of the calendar, of its twelfth and of a week.
_LONG_UNITS = {"y": 31_556_952, "mo": 2_629_746, "w": 604_800}
_TWELVE_HOURS = re.compile(r"\d?\d(:\d\d(:\d\d)?)? ?[ap]\.?m\.?", re.ASCII | re.IGNORECASE)
_ASCII = dict.fromkeys((0x2013, 0x2212, 0xFF0D), "-") | dict.fromkeys((0x2019, 0x066C), "'")
_ASCII |= {0x066B: ".", 0xFF0E: ".", 0xFF0C: ",", 0xB5: "μ"}
_SAMPLE = 5  # texts by which a format is tried before it is tried on all


@dataclass(frozen=True)
class Reading:
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


def readings_of(words: Sequence[str], declared: Declared, *, is_plain: bool) -> list[Reading]:
    """Return the readings of texts as numbers, dates and durations, the first ones preferred."""
    if not words:
        return []
    if isinstance(declared, str) and "%" in declared:
        return [Reading("date", days_in(words, declared), declared)]
    if declared in WRITINGS:
        return [read_numbers(words, str(declared))]
    if not declared and _are_padded(words):
        return []
    readings = [] if declared == "date" else [read_numbers(words, writing) for writing in WRITINGS]
    if is_plain and readings and readings[0].is_whole and not any("," in word for word in words):
        return readings[:1]
    if declared == "number" or any(reading.is_whole for reading in readings):
        return readings
    return [*readings, *_dates(words), *durations_in(words)]


def _are_padded(words: Sequence[str]) -> bool:
    """Return whether words are codes of equal length such as 007, some with leading zeros."""
    is_code = re.compile(r"\d{2,}", re.ASCII).fullmatch
    is_equal = len({len(word) for word in words}) == 1 and all(map(is_code, words))
    return is_equal and any(word[0] == "0" for word in words)


def read_numbers(words: Sequence[str], writing: str, unit: str | None = None) -> Reading:
    """Read numbers with a unit, by default the same sign (``%``) or unit in all, or none."""
    values, symbols = np.full(len(words), np.nan), [""] * len(words)
    for i, word in enumerate(words):
        bare = _bare(word)
        if re.fullmatch("0x[0-9a-f]{1,13}", bare, re.ASCII | re.IGNORECASE):
            values[i] = int(bare, 16)
        elif match := _NUMBERS[writing].fullmatch(bare):
            number = match["number"].replace(match["mark"] or " ", "")
            if match["sign"] and number[0] in "+-":
                continue
            values[i] = float((match["sign"] + number).replace(WRITINGS[writing], "."))
            symbols[i] = (match["before"] + match["after"]).strip()
    read = Counter(symbol for symbol, value in zip(symbols, values, strict=True) if value == value)
    symbol = max(read, key=lambda each: read[each], default="")
    if symbol not in _SYMBOLS and set(symbols) != {symbol}:
        symbol = ""
    unscaled = {each.rstrip("kKMB") for each in symbols}
    if unit is None and len(unscaled) == 1 and len({*symbols}) > 1:
        symbol = unscaled.pop()
    symbol = symbol if unit is None else unit
    for i, each in enumerate(symbols):
        if each != symbol and each[:-1] == symbol and each[-1] in _SCALES:
            values[i], symbols[i] = values[i] * _SCALES[each[-1]], symbol
    values[[each != symbol for each in symbols]] = np.nan
    notes = [f"in {symbol}" if symbol else "", f"as {writing}" if WRITINGS[writing] == "," else ""]
    return Reading("number", values, ", ".join(filter(None, notes)), writing, symbol)


def _bare(word: str) -> str:
    """Return a number with ASCII digits, the sign in front, ``e`` before the exponent, unquoted."""
    if not word.isascii():
        word = word.translate(_ASCII)
        word = "".join(str(unicodedata.decimal(letter, letter)) for letter in word)
    word = re.sub(r"^(['\"])(.*)\1$", r"\2", word)
    word = re.sub(r"^\((.+)\)$|^([\d., ']*\d)-$", r"-\1\2", re.sub(r"(?<=\d)[.,]-+$", "", word))
    return re.sub(r"(?<=\d)[dD]([+-]?\d+)$", r"e\1", word) if "." in word else word


def _dates(words: Sequence[str]) -> Iterator[Reading]:
    """Yield readings as dates, in ISO 8601 or in a format that fits some of the first words."""
    if not any(map(_HAS_DATE.search, words[:_SAMPLE])):
        return
    reading = Reading("date", days_in(words, ISO), "days since 1970", ISO)
    yield reading
    for date in () if reading.is_whole else _DATES:
        for time in _TIMES if "%d" in date and "%H" not in date else ("",):
            if not np.isnan(days_in(words[:_SAMPLE], date + time)).all():
                yield Reading("date", days_in(words, date + time), date + time, date + time)


def days_in(words: Sequence[str], form: str) -> Numbers:
    """Return dates as days since 1970-01-01, NaN where a word is none."""
    import pandas as pd

    words = [_ZONE.sub("Z", _WEEKDAY.sub("", word)) for word in words]
    if form == ISO:
        words = [word if _ISO_DATE.fullmatch(word) else "" for word in words]
    dates = pd.to_datetime(pd.Series(words), format=form, errors="coerce", utc=True)
    return read_times(dates).values


def durations_in(words: Sequence[str]) -> Iterator[Reading]:
    """Yield the reading as durations, in seconds, if one of the words is such."""
    import pandas as pd

    if any(map(_TWELVE_HOURS.fullmatch, words)):
        bare = [re.sub("[ .]", "", word).upper() for word in words]
        bare = [re.sub(r"^(\d+)(?=[AP])", r"\1:00", word) for word in bare]
        short, long = (days_in(bare, form) for form in ("%I:%M%p", "%I:%M:%S%p"))
        days = np.where(np.isnan(short), long, short)
        yield Reading("duration", np.round(np.mod(days, 1) * 86_400), "seconds")

    texts = [*map(_as_pandas_reads, words)]
    if any(texts):
        read = read_times(pd.Series(pd.to_timedelta(texts, errors="coerce")))
        is_mean = any(re.search(r"P.*Y|P\d+M|y(ea)?r|month", word) for word in words)
        mean = "; a year is 365.2425 days, a month a twelfth of it" if is_mean else ""
        yield replace(read, note=f"seconds{mean}")


def _as_pandas_reads(word: str) -> str:
    """Return a duration without units that pandas does not know; empty if it is none."""
    if match := _ISO_SPAN.fullmatch(word):
        sign, years, months, weeks, days, time, *_ = match.groups("")
        months = months.replace("M", " months ")
        word = sign + years.replace("Y", " years ") + months + weeks.replace("W", " weeks ")
        word += days.replace("D", " days ") + time[1:].lower()
    elif not _DURATION.fullmatch(word):
        return ""
    word = f"0:{word}" if re.fullmatch(r"\d+:\d+\.\d+", word) else word
    word = f"{word}:00" if word.count(":") == 1 else word
    word = re.sub(r"(?<=\d) ?d(?!a)", " days ", re.sub(r"h(\d\d)$", r"h\1m", word))
    return _LONG.sub(lambda long: f"{float(long[1]) * _LONG_UNITS[long[2]]}s", word)


def read_times(cells: pd.Series) -> Reading:
    """Return dates as days since 1970-01-01, or durations as seconds."""
    import pandas as pd

    if pd.api.types.is_timedelta64_dtype(cells):
        return Reading("duration", cells.dt.total_seconds().to_numpy(np.float64), "seconds")
    origin = pd.Timestamp("1970-01-01", tz=cells.dt.tz and "UTC")
    days = (cells - origin).dt.total_seconds().to_numpy(np.float64) / 86400
    return Reading("date", days, "days since 1970")
