"""Readers of data files: convert CSV, ARFF, parquet and libsvm files to a table of numbers.

Text is parsed by a fast reader. After an error it is parsed again, line by line, to find the line.
"""

from __future__ import annotations

import base64
import bz2
import csv
import gzip
import io
import json
import re
import warnings
import zlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from boostbench.data.arff import ATTRIBUTE, SPECIAL, arff_cells, arff_type, unquoted
from boostbench.data.catalog import DatasetEntry
from boostbench.data.cells import Declared
from boostbench.data.columns import MISSING, Column, RowPlace
from boostbench.data.tables import (
    Parsed,
    check_numbers,
    check_size,
    clean_names,
    declared_types,
    find_target,
    is_number,
    numbers,
    parse_frame,
    refuse_text,
)
from boostbench.errors import DataError, import_extra
from boostbench.whole_files import read_bounded, read_file

if TYPE_CHECKING:
    import pandas as pd

csv.field_size_limit(2**31 - 1)  # `whole_files` limits the size of a file
SEPARATORS = ",;\t|"
_SEPARATOR_LINE = re.compile(r'\s*"?sep=(.)"?[ \t]*\n', re.IGNORECASE)


def parse_files(files: Sequence[tuple[Path, bytes]], entry: DatasetEntry) -> Parsed:
    """Parse one file, or the training and test file of a libsvm data set.

    A JSON file before them holds the target and the dropped columns, as stored with a download.

    The format is determined by the suffix: ``.csv`` or ``.tsv``, ``.arff``, ``.parquet``, otherwise
    libsvm.
    ``.gz`` and ``.bz2`` files are decompressed.

    Parameters
    ----------
    files : sequence of (Path, bytes)
        Paths and contents.
    entry : DatasetEntry

    Raises
    ------
    DataError
        If a file is damaged; for text formats the message holds the line.
    """
    name = files[0][0].name.lower().removesuffix(".gz").removesuffix(".bz2")
    if name.endswith(".json"):
        keys = json.loads(files[0][1])
        keys = {"target": entry.target or keys["target"], "drop": (*entry.drop, *keys["drop"])}
        return parse_files(files[1:], entry.model_copy(update=keys))
    contents = [(str(path), _unpack(path, packed)) for path, packed in files]
    path, content = contents[0]
    if name.endswith(".parquet"):
        frame = _parquet_frame(content, path)
        return parse_frame(frame, entry, path, lambda row: f"{path}: row {row + 1}")
    texts = [(path, _decode(content, path)) for path, content in contents]
    if name.endswith((".csv", ".tsv")):
        return _parse_csv(texts[0][1], entry, path)
    if name.endswith(".arff"):
        return _parse_arff(texts[0][1], entry, path)
    return _parse_libsvm(texts, entry)


def read_rows(path: Path, columns: Sequence[Column]) -> tuple[pd.DataFrame, RowPlace]:
    """Read a table of new rows, without labels.

    Parameters
    ----------
    path : Path
        CSV, ARFF or parquet file.
    columns : sequence of Column
        What its columns are; others may be there too.

    Returns
    -------
    frame : DataFrame
        Raw cells: texts or, where these tell no more, numbers.
    place : callable
        Function that returns ``file:line`` of a row.

    Raises
    ------
    DataError
        If the file is damaged, or its format is another one.
    """
    name = path.name.lower().removesuffix(".gz")
    content, where = _unpack(path, read_file(path)), str(path)
    if name.endswith(".parquet"):
        return _parquet_frame(content, where), lambda row: f"{where}: row {row + 1}"
    if name.endswith((".csv", ".tsv")):
        rows = _csv_cells(_decode(content, where), where)
    elif name.endswith(".arff"):
        rows, _ = _arff_rows(_decode(content, where), where)
    else:
        raise DataError("new rows are read from .csv, .arff and .parquet files", where=where)
    numbers = {each.name for each in columns if each.kind == "number" and not each.unit}
    numbers -= {each.name for each in columns if each.form == "1.234,5"}
    return rows.frame([each for each in rows.names if each not in numbers]), rows.place


def _unpack(path: Path, packed: bytes) -> bytes:
    suffix = path.suffix.lower()
    if suffix not in (".gz", ".bz2"):
        return packed
    tool, unpacked = ("gzip", gzip.open) if suffix == ".gz" else ("bzip2", bz2.open)
    try:
        with unpacked(io.BytesIO(packed)) as file:
            return read_bounded(file, path)
    except (EOFError, OSError, zlib.error) as error:
        raise DataError(
            f"the {tool} file is damaged or cut short ({error}); copy it again", where=str(path)
        ) from error


def _decode(content: bytes, path: str) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):  # Excel's "Unicode text"
        content = content.decode("utf-16", errors="replace").encode()
    if not content.strip():
        raise DataError("the file is empty; a header row and data rows are expected", where=path)
    if b"\0" in content:
        raise DataError("this is binary data, not text", where=path)
    try:
        text = content.decode("utf-8-sig").rstrip("\x1a")  # the end of a file of DOS
        return text.replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"byte 0x{content[error.start]:02x} is not UTF-8; save the file as UTF-8, or convert "
            "it, e.g. iconv -f CP1252 -t UTF-8 OLD > NEW if Windows wrote it",
            where=f"{path}:{line}",
        ) from error


@dataclass(frozen=True)
class _Cells:
    """Separated rows of a text below its header; blank lines are skipped."""

    body: str
    header: int  # number of lines before the body
    names: Sequence[str]  # of columns
    path: str
    separator: str = ","

    def frame(self, as_text: Sequence[str]) -> pd.DataFrame:
        """Return the cells as a data frame; columns in ``as_text`` are read as text."""
        import pandas as pd

        if '"' in self.body:
            self._check_widths()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)  # rows are too long
                frame: pd.DataFrame = pd.read_csv(
                    io.StringIO(self.body),
                    sep=self.separator,
                    header=None,
                    names=list(self.names),
                    index_col=False,
                    dtype={name: str for name in self.names if name in as_text},
                    na_values={name: list(MISSING) for name in self.names if name not in as_text},
                    keep_default_na=False,
                    skipinitialspace=True,
                    low_memory=False,
                )
        except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
            self._check_widths()
            raise DataError(f"this is not a table: {error}", where=self.path) from error
        # A short row is filled with missing cells, so its last cell is missing.
        is_short = frame.iloc[:, -1].isna() | (frame.iloc[:, -1] == "")
        if is_short.any():
            self._check_widths()
            ends = frame[is_short]  # rows of separators alone are blank lines
            is_short[is_short] = (ends.isna() | (ends == "")).all(axis=1)
            frame = frame[~is_short].reset_index(drop=True)
        return frame

    def place(self, row: int) -> str:
        """Return ``file:line`` of the last line of a row."""
        for index, (line, _) in enumerate(self._rows()):
            if index == row:
                return f"{self.path}:{line}"
        return self.path

    def _check_widths(self) -> None:
        """Raise DataError at the first row that is shorter or longer than the header."""
        for line, cells in self._rows():
            if len(cells) != len(self.names):
                raise DataError(
                    f"the row has {len(cells)} cells, the header has {len(self.names)}",
                    where=f"{self.path}:{line}",
                )

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        body, line = io.StringIO(self.body), self.header
        reader = csv.reader(body, delimiter=self.separator, skipinitialspace=True, strict=True)
        try:
            for cells in reader:
                line = self.header + reader.line_num
                if any(cells):
                    yield line, cells
        except csv.Error as error:
            what = "a quoted cell must end before a separator; a quote within it is doubled"
            raise DataError(what, where=f"{self.path}:{line + 1}") from error


def _csv_cells(text: str, path: str) -> _Cells:
    """Split a CSV file with a header row; blank lines are skipped.

    The separator is the one that Excel's first line ``sep=;`` names, or that of ``, ; | TAB`` which
    makes most cells of the header.
    """
    given = _SEPARATOR_LINE.match(text)
    skipped = text.count("\n", 0, given.end()) if given else 0
    lines = io.StringIO(text[given.end() :] if given else text)
    headers = [_header(lines, separator) for separator in (given[1] if given else SEPARATORS)]
    separator, names, n_lines, start, first = max(headers, key=lambda header: len(header[1]))
    if len(names) != len(first):  # separators at the end of the header or of the rows
        names += [""] * (len(first) - len(names)) if not any(first[len(names) :]) else []
        while len(names) > len(first) > 0 and not names[-1].strip():
            names.pop()
    where = f"{path}:{skipped + n_lines}"
    names = clean_names(names, "column", where)
    return _Cells(lines.getvalue()[start:], skipped + n_lines, names, path, separator)


def _header(lines: io.StringIO, separator: str) -> tuple[str, list[str], int, int, list[str]]:
    """Return separator, names, number of lines and end of the header, and the first row."""
    lines.seek(0)
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    rows = (cells for cells in reader if any(cells))
    return separator, next(rows, []), reader.line_num, lines.tell(), next(rows, [])


def _parse_csv(text: str, entry: DatasetEntry, path: str) -> Parsed:
    rows = _csv_cells(text, path)
    where = f"{path}:{rows.header}"
    target = find_target(rows.names, entry, where)
    as_text = {target, "split", *declared_types(entry, rows.names, where)}
    has_commas = rows.separator != "," and re.search(r"\d,\d", rows.body)
    frame = rows.frame(rows.names if has_commas else [*as_text])
    # Numbers lose their leading zeros, so columns of codes such as 007 are read again as text.
    if re.search(rf'(^|[{SEPARATORS}])[ "]*0\d', rows.body, re.MULTILINE):
        whole = [name for name in rows.names if frame[name].dtype.kind in "iu"]
        frame = rows.frame([*as_text, *whole]) if whole else frame
    unnamed = frame.filter(regex="^column ")
    frame = frame.drop(columns=unnamed.columns[(unnamed.isna() | (unnamed == "")).all()])
    return parse_frame(frame, entry, path, rows.place, is_plain=not has_commas)


def _parse_arff(text: str, entry: DatasetEntry, path: str) -> Parsed:
    """Parse an ARFF file; the default label is ``target``, ``class`` or the last attribute."""
    rows, kinds = _arff_rows(text, path)
    if not entry.target and not {"target", "class"} & {name.casefold() for name in kinds}:
        entry = entry.model_copy(update={"target": list(kinds)[-1]})
    numeric = [name for name, kind in kinds.items() if kind == "number"]
    frame = rows.frame([name for name in kinds if name not in numeric])
    for name in numeric:
        if frame[name].dtype.kind == "O" and len(frame):
            refuse_text(frame[name], rows.place, "the file declares it numeric")
    return parse_frame(frame, entry, path, rows.place, kinds)


def _arff_rows(text: str, path: str) -> tuple[_Cells, dict[str, Declared]]:
    """Return the rows of an ARFF file, and what it declares of its columns.

    The data are rewritten as CSV, one line for each line, so that both formats have one reader.
    """
    lines = text.split("\n")
    kinds: dict[str, Declared] = {}
    for header, line in enumerate(map(str.strip, lines), start=1):
        if line.lower().startswith("@data"):
            break
        if line.lower().startswith("@attribute"):
            where = f"{path}:{header}"
            match = ATTRIBUTE.fullmatch(line)
            if match is None:
                raise DataError(f"{line!r} is not '@attribute NAME TYPE'", where=where)
            *_, name = clean_names([*kinds, unquoted(match[1])], "attribute", where)
            kinds[name] = arff_type(match[2], where)
    else:
        raise DataError("there is no line '@data'", where=path)
    if not kinds:
        raise DataError("there is no @attribute before @data", where=f"{path}:{header}")
    # A cell that a sparse row leaves out is zero, or the first value.
    zero = {"number": "0"}
    usual = [k[0] if isinstance(k, tuple) else zero.get(k, "") for k in kinds.values()]
    body = io.StringIO()
    writer = csv.writer(body, lineterminator="\n")
    for number, line in enumerate(map(str.strip, lines[header:]), start=header + 1):
        if "," not in line and not line.startswith("{"):
            line = line.replace("\t", ",")
        if line.startswith("%"):
            body.write("\n")
        elif not SPECIAL.search(line):
            body.write(f"{line}\n")
        else:
            writer.writerow(arff_cells(line, usual, f"{path}:{number}"))
    return _Cells(body.getvalue(), header, list(kinds), path), kinds


def _parquet_frame(content: bytes, path: str) -> pd.DataFrame:
    pyarrow = import_extra("pyarrow", "parquet", where=path)
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(io.BytesIO(content))
        table = file.read()
        table.validate(full=True)  # detects text that is not UTF-8
        # Only this text says which numbers were categories when the file was written.
        text = base64.b64decode((file.metadata.metadata or {}).get(b"ARROW:schema", b""))
        written = pyarrow.ipc.read_schema(pyarrow.py_buffer(text)) if text else table.schema
        for j, (was, field) in enumerate(zip(written, table.schema, strict=True)):
            if pyarrow.types.is_dictionary(was.type):
                table = table.set_column(j, was.name, table.column(j).dictionary_encode())
            if pyarrow.types.is_nested(field.type):
                what = f"column {field.name!r} holds {field.type}; a cell must be one value"
                raise DataError(what, where=path)
            if pyarrow.types.is_binary(field.type) or pyarrow.types.is_large_binary(field.type):
                table = table.set_column(j, field.name, table.column(j).cast("string"))
        clean_names(table.column_names, "column", path)  # pandas renames or merges equal ones
        frame: pd.DataFrame = table.to_pandas()
        if any(frame.index.names):
            frame = frame.reset_index()
        frame.columns = clean_names(list(frame.columns), "column", path)
    except DataError:
        raise
    except Exception as error:  # damaged bytes may raise anything
        reason = str(error).partition("\n")[0]
        raise DataError(f"this is not a readable parquet file: {reason}", where=path) from error
    return frame


def _parse_libsvm(parts: Sequence[tuple[str, str]], entry: DatasetEntry) -> Parsed:
    """Parse lines ``label index:value ...`` of one file, or of a training and a test file.

    Indices count from 0 if one is 0, else from 1. Missing indices are zeros. Columns of zeros are
    appended up to the number of features in the catalog, because sparse files omit trailing zeros.
    """
    labels: list[str] = []
    places: list[str] = []
    rows, indices, values = array("q"), array("q"), array("d")
    n_train = 0
    for path, text in parts:
        n_train = len(labels)
        for number, line in enumerate(text.split("\n"), start=1):
            label, *cells = line.partition("#")[0].split() or [""]
            if label:
                places.append(f"{path}:{number}")
                labels.append(_libsvm_label(label, places[-1]))
                last = -1
                for cell in cells:
                    if not cell.startswith("qid:"):
                        last, value = _libsvm_cell(cell, last, places[-1])
                        rows.append(len(labels) - 1)
                        indices.append(last)
                        values.append(value)
    column = np.frombuffer(indices, dtype=np.int64)
    first = int(column.min(initial=1))
    width = max(int(column.max(initial=0)) + 1 - first, entry.n_features or 0)
    if not labels or not width:
        what = "there is no row" if not labels else "no row has a feature"
        raise DataError(f"{what}; a row is LABEL INDEX:VALUE ..., e.g. 1 3:0.5", where=parts[0][0])
    check_size(len(labels), width, parts[0][0])
    X = np.zeros((len(labels), width))
    X[np.frombuffer(rows, dtype=np.int64), column - first] = np.frombuffer(values)
    names = tuple(f"x{j + 1}" for j in range(width))
    check_numbers(X, names, lambda row: places[row])
    return Parsed(
        X=X,
        labels=np.array(labels, dtype=str),
        columns=numbers(names),
        in_test=np.arange(len(X)) >= n_train if len(parts) == 2 else None,
    )


def _libsvm_label(label: str, where: str) -> str:
    if not is_number(label):
        raise DataError(f"the label {label!r} is not a number", where=where)
    if not np.isfinite(float(label)):
        what = f"the label is missing ({label!r}); every row needs one, a finite number"
        raise DataError(what, where=where)
    return label


def _libsvm_cell(cell: str, last: int, where: str) -> tuple[int, float]:
    """Return index and value of a cell; raise DataError unless the index is above the last one."""
    digits, _, value = cell.partition(":")
    is_index = digits.isascii() and digits.isdigit() and len(digits) < 10
    if not (is_index and is_number(value)):
        raise DataError(f"{cell!r} is not INDEX:VALUE, e.g. 3:0.5", where=where)
    if int(digits) <= last:
        what = f"index {digits} follows {last}; indices must rise within a line"
        raise DataError(what, where=where)
    return int(digits), float(value)
