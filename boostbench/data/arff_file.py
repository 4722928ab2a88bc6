"""ARFF files of Weka and OpenML (dense; sparse ones are refused by name)."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

from boostbench.data.catalog import DatasetEntry
from boostbench.data.csv_file import decode, read_cells
from boostbench.data.parsed import MISSING, Parsed, is_number, parse_frame
from boostbench.errors import DataError

_ATTRIBUTE = re.compile(r"""@attribute\s+('[^']*'|"[^"]*"|\S+?)\s*(\{.*|\s\S.*)$""", re.IGNORECASE)
_NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True)
class _Attribute:
    name: str
    numeric: bool


def parse_arff(content: bytes, entry: DatasetEntry, path: str) -> Parsed:
    """Read a dense ARFF file.

    Without a ``target`` or ``class`` attribute the last one holds the labels.

    Raises
    ------
    DataError
        If the content is damaged; the message holds the line.
    """
    lines = decode(content, path).splitlines()
    attributes, first = _header(lines, path)
    rows = [
        (number, line)
        for number, line in enumerate(lines[first:], start=first + 1)
        if line.strip() and not line.lstrip().startswith("%")
    ]
    quote = "'" if any("'" in line for _, line in rows) else '"'
    _check_rows(rows, attributes, quote, path)
    names = [attribute.name for attribute in attributes]
    if not entry.target and not {"target", "class"} & {name.casefold() for name in names}:
        entry = entry.model_copy(update={"target": names[-1]})
    text = "\n".join(line for _, line in rows) or "\n"
    texts = tuple(a.name for a in attributes if not a.numeric)
    frame = read_cells(text.encode(), names, as_text=texts, skip=0, quote=quote)
    return parse_frame(frame, entry, path, lambda row: f"{path}:{rows[row][0]}")


def _header(lines: list[str], path: str) -> tuple[list[_Attribute], int]:
    """Return the attributes and the index of the first line after ``@data``."""
    attributes: list[_Attribute] = []
    for index, line in enumerate(lines):
        word = line.strip().lower()
        if word.startswith("@data"):
            if not attributes:
                raise DataError("there is no @attribute before @data", where=f"{path}:{index + 1}")
            return attributes, index + 1
        if word.startswith("@attribute"):
            match = _ATTRIBUTE.match(line.strip())
            if match is None:
                raise DataError(
                    f"{line.strip()!r} is not '@attribute NAME TYPE'", where=f"{path}:{index + 1}"
                )
            name = match.group(1).strip("'\"").strip()
            if name in (known.name for known in attributes):
                raise DataError(
                    f"attribute {name!r} occurs twice; names must differ",
                    where=f"{path}:{index + 1}",
                )
            kind = match.group(2).strip().lower()
            attributes.append(_Attribute(name, kind.startswith(_NUMERIC)))
    raise DataError("there is no line '@data'", where=path)


def _check_rows(
    rows: list[tuple[int, str]], attributes: list[_Attribute], quote: str, path: str
) -> None:
    """Refuse sparse rows, rows of the wrong width and text in a numeric attribute."""
    numeric = [(j, a.name) for j, a in enumerate(attributes) if a.numeric]
    for number, line in rows:
        where = f"{path}:{number}"
        try:
            [cells] = csv.reader([line], quotechar=quote, skipinitialspace=True, strict=True)
        except csv.Error as error:
            what = f"the quotes ({quote}) of the row do not match: {error}"
            raise DataError(what, where=where) from error
        if line.lstrip().startswith("{"):
            raise DataError("sparse ARFF is not read; save it dense or as CSV", where=where)
        if len(cells) != len(attributes):
            raise DataError(
                f"the row has {len(cells)} cells, there are {len(attributes)} attributes",
                where=where,
            )
        for j, name in numeric:
            cell = cells[j].strip()
            if cell not in MISSING and not is_number(cell):
                raise DataError(
                    f"attribute {name!r} holds {cell!r}, which is not a number", where=where
                )
