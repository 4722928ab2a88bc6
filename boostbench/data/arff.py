"""Lines of ARFF files: types of attributes, and cells of rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from boostbench.data.cells import Declared
from boostbench.data.columns import clean
from boostbench.errors import DataError

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(\S.*)", re.IGNORECASE)
_CELL = re.compile(rf"\s*({_QUOTED}|\d+\s+(?:{_QUOTED})|[^,]*?)\s*(,|$)")
_JAVA = {"yyyy": "%Y", "yy": "%y", "MM": "%m", "M": "%m", "MMM": "%b", "dd": "%d", "d": "%d"}
_JAVA |= {"HH": "%H", "hh": "%I", "a": "%p", "mm": "%M", "ss": "%S", "SSS": "%f"}
SPECIAL = re.compile(r"""['"\\{}]""")


def arff_type(text: str, where: str) -> Declared:
    """Return the declared values of a nominal attribute, or the kind."""
    word = re.split(r"[ \[]", text, maxsplit=1)[0]
    if text.startswith("{") and text.endswith("}"):
        return tuple(clean(value) for value in split_arff(text[1:-1]))
    if word.lower() in ("numeric", "real", "integer"):
        return "number"
    if word.lower() == "date":  # without a format that is known, the cells decide
        form = re.sub(r"'(.*?)'|(\w)\2*", _strptime, unquoted(text.partition(" ")[2].strip()))
        return form if "%" in form and "?" not in form else "date"
    if word.lower() == "string":
        return ""
    raise DataError(f"attributes of type {text!r} are not supported", where=where)


def _strptime(match: re.Match[str]) -> str:
    """Return a part of a format of dates, as Java writes it, in the form of `strptime`."""
    return match[1] if match[1] is not None else _JAVA.get(match[0], "?")


def arff_cells(line: str, usual: Sequence[str], where: str) -> list[str]:
    """Return the cells of a row with quotes or backslashes, or of a sparse row."""
    if re.search(r",\s*\{[^{}]*\}$", line):
        raise DataError("instance weights are not supported; remove them", where=where)
    if not line.startswith("{"):
        return [clean(cell) for cell in split_arff(line)]
    if not line.endswith("}"):
        raise DataError("a sparse row ends with '}'", where=where)
    cells = list(usual)
    for pair in split_arff(line[1:].removesuffix("}")) if line.strip("{} ") else []:
        index, _, cell = pair.replace("\t", " ").partition(" ")
        if not index.isdigit() or int(index) >= len(cells):
            what = f"{pair!r} is not 'INDEX VALUE' with an index below {len(cells)}"
            raise DataError(what, where=where)
        cells[int(index)] = clean(unquoted(cell.strip()))
    return cells


def split_arff(line: str) -> list[str]:
    """Split at commas outside quotes."""
    cells, end = [], 0
    while match := _CELL.match(line, end):
        cells.append(unquoted(match[1]))
        if not match[2]:
            break
        end = match.end()
    return cells


def unquoted(text: str) -> str:
    """Return a value without its quotes and the backslashes that escape."""
    if len(text) < 2 or text[0] not in "'\"" or text[-1] != text[0]:
        return text
    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", _escaped, text[1:-1])


def _escaped(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else {"n": "\n", "t": "\t"}.get(code, code)
