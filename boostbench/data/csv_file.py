"""Comma-separated files: a fast reading, and on any doubt a slow one that finds the line."""

from __future__ import annotations

import csv
import io
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from boostbench.data.catalog import DatasetEntry
from boostbench.data.parsed import MISSING, Parsed, find_target, parse_frame
from boostbench.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

csv.field_size_limit(2**31 - 1)  # a file is bounded as a whole, see `formats`


def parse_csv(content: bytes, entry: DatasetEntry, path: str) -> Parsed:
    """Read a CSV file: UTF-8, header row, commas; blank lines are skipped.

    Parameters
    ----------
    content : bytes
        The uncompressed file.
    entry : DatasetEntry
    path : str
        Name of the file, for messages.

    Raises
    ------
    DataError
        If the content is damaged; the message holds the line.
    """
    import pandas as pd

    text = decode(content, path)
    header_line, names = _header(text)
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(
            f"column {repeated[0]!r} occurs twice in the header; names must differ",
            where=f"{path}:{header_line}",
        )
    target = find_target(names, entry, f"{path}:{header_line}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # the rows are too long
            frame = read_cells(content, names, as_text=(target, "split"), skip=header_line)
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        check_widths(text, len(names), path)
        raise DataError(f"this is not a CSV table: {error}", where=path) from error
    # A short row is filled with missing cells; only its last cell betrays it.
    if frame.iloc[:, -1].isna().any():
        check_widths(text, len(names), path)
    return parse_frame(frame, entry, path, lambda row: f"{path}:{_line_of(text, row)}")


def read_cells(
    content: bytes, names: list[str], *, as_text: tuple[str, ...], skip: int, quote: str = '"'
) -> pd.DataFrame:
    """Read comma-separated rows below ``skip`` header lines; the columns ``as_text`` stay text."""
    import pandas as pd

    options: dict[str, Any] = {}
    if tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1):
        options["float_precision"] = "round_trip"  # exact; the only way since pandas 3.1
    frame: pd.DataFrame = pd.read_csv(
        io.BytesIO(content),
        header=None,
        names=names,
        index_col=False,
        skiprows=skip,
        dtype={name: str for name in names if name in as_text},
        na_values=list(MISSING),
        keep_default_na=False,
        skipinitialspace=True,
        low_memory=False,
        encoding="utf-8-sig",
        quotechar=quote,
        **options,
    )
    return frame


def decode(content: bytes, path: str) -> str:
    """Return the text of a file.

    Raises
    ------
    DataError
        If the file is empty, binary or not UTF-8.
    """
    if not content.strip():
        raise DataError("the file is empty; a header row and data rows are expected", where=path)
    if b"\0" in content:
        raise DataError("this is binary data, not text", where=path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"byte 0x{content[error.start]:02x} is not UTF-8; save the file as UTF-8",
            where=f"{path}:{line}",
        ) from error


def check_widths(text: str, n_columns: int, path: str) -> None:
    """Refuse the first row that is shorter or longer than the header.

    Raises
    ------
    DataError
        Naming its line.
    """
    for line, row in _rows(text):
        if len(row) != n_columns:
            raise DataError(
                f"the row has {len(row)} cells, the header has {n_columns}", where=f"{path}:{line}"
            )


def _header(text: str) -> tuple[int, list[str]]:
    """Return the number and the names of the first line that is not blank."""
    start = len(text) - len(text.lstrip())
    end = text.find("\n", start)
    _, cells = next(_rows(text[start : end if end >= 0 else None]))
    return text.count("\n", 0, start) + 1, [cell.strip() for cell in cells]


def _line_of(text: str, row: int) -> int:
    """Return the line on which a data row ends."""
    for index, (line, _) in enumerate(_rows(text)):
        if index == row + 1:
            return line
    return 1


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of every row that is not blank, the header first."""
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    for row in reader:
        if row:
            yield reader.line_num, row
