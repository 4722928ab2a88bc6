"""Readers of data files: convert CSV, ARFF, parquet and libsvm files to a table of numbers.

Text is parsed by a fast reader. After an error it is parsed again, line by line, to find the line.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boostbench.data.catalog import DatasetEntry
from boostbench.data.tables import (
    MISSING,
    Parsed,
    check_numbers,
    check_size,
    find_target,
    is_number,
    parse_frame,
)
from boostbench.errors import DataError, import_extra
from boostbench.whole_files import read_bounded

if TYPE_CHECKING:
    import pandas as pd

csv.field_size_limit(2**31 - 1)  # `whole_files` limits the size of a file
_ATTRIBUTE = re.compile(r"""@attribute\s+('[^']*'|"[^"]*"|\S+?)\s*(\{.*|\s\S.*)$""", re.IGNORECASE)
_NUMERIC = ("numeric", "real", "integer")


def parse_files(files: Sequence[tuple[Path, bytes]], entry: DatasetEntry) -> Parsed:
    """Parse one file, or the training and test file of a libsvm data set.

    The format is determined by the suffix: ``.csv``, ``.arff``, ``.parquet``, otherwise libsvm.
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
    contents = [(str(path), _unpack(path, packed)) for path, packed in files]
    path, content = contents[0]
    if name.endswith(".parquet"):
        return _parse_parquet(content, entry, path)
    texts = [(path, _decode(content, path)) for path, content in contents]
    if name.endswith(".csv"):
        return _parse_csv(texts[0][1], entry, path)
    if name.endswith(".arff"):
        return _parse_arff(texts[0][1], entry, path)
    return _parse_libsvm(texts, entry)


def parse_bundled(name: str) -> Parsed:
    """Return a data set bundled with scikit-learn; labels are class names."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name.replace('-', '_')}")()
    X = np.asarray(bunch.data, dtype=np.float64)
    return Parsed(
        X=X,
        labels=np.array([str(bunch.target_names[k]) for k in bunch.target], dtype=str),
        feature_names=tuple(str(feature) for feature in bunch.feature_names),
        categories=(None,) * X.shape[1],
        in_test=None,
    )


def _unpack(path: Path, packed: bytes) -> bytes:
    suffix = path.suffix.lower()
    if not packed or suffix not in (".gz", ".bz2"):
        return packed
    magic, tool = (b"\x1f\x8b", "gzip") if suffix == ".gz" else (b"BZh", "bzip2")
    if not packed.startswith(magic):
        raise DataError(
            f"the name says {tool}, but the file does not begin as one; unpacked files go without "
            f"{suffix!r}",
            where=str(path),
        )
    try:
        unpacked = gzip.open if suffix == ".gz" else bz2.open
        with unpacked(io.BytesIO(packed)) as file:
            return read_bounded(file, path)
    except DataError:
        raise
    except (EOFError, OSError, ValueError, zlib.error) as error:
        raise DataError(
            f"the {tool} file is damaged or cut short ({error}); copy it again", where=str(path)
        ) from error


def _decode(content: bytes, path: str) -> str:
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


@dataclass(frozen=True)
class _Cells:
    """Comma-separated rows of a text below its header; blank lines are skipped."""

    text: str
    header: int  # number of lines
    names: Sequence[str]  # of columns
    path: str
    quote: str = '"'

    def frame(self, as_text: Sequence[str]) -> pd.DataFrame:
        """Return the cells as a data frame; columns in ``as_text`` are read as text."""
        import pandas as pd

        options: dict[str, Any] = {}
        if tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1):
            options["float_precision"] = "round_trip"  # exact; always so since pandas 3.1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)  # rows are too long
                frame: pd.DataFrame = pd.read_csv(
                    io.StringIO(self.text),
                    header=None,
                    names=list(self.names),
                    index_col=False,
                    skiprows=self.header,
                    dtype={name: str for name in self.names if name in as_text},
                    na_values=list(MISSING),
                    keep_default_na=False,
                    skipinitialspace=True,
                    low_memory=False,
                    quotechar=self.quote,
                    **options,
                )
        except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
            self._check_widths()
            raise DataError(f"this is not a table: {error}", where=self.path) from error
        # A short row is filled with missing cells, so its last cell is missing.
        if frame.iloc[:, -1].isna().any():
            self._check_widths()
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
        lines = io.StringIO(self.text, newline="")
        for _ in range(self.header):
            lines.readline()
        reader = csv.reader(lines, quotechar=self.quote, skipinitialspace=True)
        for cells in reader:
            if cells:
                yield self.header + reader.line_num, cells


def _csv_cells(text: str, path: str) -> _Cells:
    """Split a CSV file with a header row and commas; blank lines are skipped."""
    start = len(text) - len(text.lstrip())
    end = text.find("\n", start)
    [cells] = csv.reader([text[start : end if end >= 0 else None]], skipinitialspace=True)
    names = [cell.strip() for cell in cells]
    header = text.count("\n", 0, start) + 1
    _check_distinct(names, "column", f"{path}:{header}")
    return _Cells(text, header, names, path)


def _parse_csv(text: str, entry: DatasetEntry, path: str) -> Parsed:
    rows = _csv_cells(text, path)
    target = find_target(rows.names, entry, f"{path}:{rows.header}")
    return parse_frame(rows.frame((target, "split")), entry, path, rows.place)


def _parse_arff(text: str, entry: DatasetEntry, path: str) -> Parsed:
    """Parse a dense ARFF file; the default label is ``target``, ``class`` or the last attribute."""
    lines = text.splitlines()
    words = [line.strip().lower() for line in lines]
    data = next((n for n, word in enumerate(words) if word.startswith("@data")), None)
    if data is None:
        raise DataError("there is no line '@data'", where=path)
    kinds: dict[str, str] = {}
    for number, line in enumerate(lines[:data], start=1):
        if words[number - 1].startswith("@attribute"):
            match = _ATTRIBUTE.match(line.strip())
            if match is None:
                what = f"{line.strip()!r} is not '@attribute NAME TYPE'"
                raise DataError(what, where=f"{path}:{number}")
            name = match[1].strip("'\"").strip()
            _check_distinct([*kinds, name], "attribute", f"{path}:{number}")
            kinds[name] = match[2].strip().lower()
    if not kinds:
        raise DataError("there is no @attribute before @data", where=f"{path}:{data + 1}")
    for index, line in enumerate(lines):
        if index <= data or line.lstrip().startswith("%"):
            lines[index] = ""
        elif line.lstrip().startswith("{"):
            what = "sparse ARFF is not read; save it dense or as CSV"
            raise DataError(what, where=f"{path}:{index + 1}")
    if not entry.target and not {"target", "class"} & {name.casefold() for name in kinds}:
        entry = entry.model_copy(update={"target": list(kinds)[-1]})
    body = "\n".join(lines)
    rows = _Cells(body, data + 1, list(kinds), path, "'" if "'" in body else '"')
    numeric = [name for name, kind in kinds.items() if kind.startswith(_NUMERIC)]
    frame = rows.frame([name for name in kinds if name not in numeric])
    return parse_frame(frame, entry, path, rows.place, numeric)


def _check_distinct(names: Sequence[str], kind: str, where: str) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        what = f"{kind} {repeated[0]!r} occurs twice in the header; names must differ"
        raise DataError(what, where=where)


def _parse_parquet(content: bytes, entry: DatasetEntry, path: str) -> Parsed:
    import_extra("pyarrow", "parquet", where=path)
    from pyarrow import parquet

    try:
        table = parquet.read_table(io.BytesIO(content))
        table.validate(full=True)  # detects text that is not UTF-8
        frame = table.to_pandas()
    except Exception as error:  # damaged bytes may raise anything
        reason = str(error).partition("\n")[0]
        raise DataError(f"this is not a readable parquet file: {reason}", where=path) from error
    frame.columns = [str(column).strip() for column in frame.columns]
    return parse_frame(frame, entry, path, lambda row: f"{path}: row {row + 1}")


def _parse_libsvm(parts: Sequence[tuple[str, str]], entry: DatasetEntry) -> Parsed:
    """Parse lines ``label index:value ...`` of one file, or of a training and a test file.

    Missing indices are zeros. Columns of zeros are appended up to the number of features in the
    catalog, because sparse files omit trailing zeros.
    """
    from scipy import sparse
    from sklearn.datasets import load_svmlight_files

    files = [io.BytesIO(text.encode()) for _, text in parts]
    try:
        loaded = load_svmlight_files(files, zero_based="auto")
    except (ValueError, IndexError, OverflowError) as error:
        for path, text in parts:
            _check_libsvm_lines(text, path)
        raise DataError(f"this is not a libsvm file: {error}", where=parts[0][0]) from error
    matrices, labels = loaded[0::2], loaded[1::2]
    rows = sparse.vstack(matrices, format="csr")
    width = max(rows.shape[1], entry.n_features or 0)
    check_size(rows.shape[0], width, parts[0][0])
    X = np.zeros((rows.shape[0], width))
    X[:, : rows.shape[1]] = rows.toarray()
    names = tuple(f"x{j + 1}" for j in range(width))
    check_numbers(X, names, lambda row: [at for p in parts for at, _ in _libsvm_rows(*p)][row])
    return Parsed(
        X=X,
        labels=np.array([repr(float(label)) for label in np.concatenate(labels)], dtype=str),
        feature_names=names,
        categories=(None,) * width,
        in_test=np.arange(len(X)) >= len(labels[0]) if len(parts) == 2 else None,
    )


def _libsvm_rows(path: str, text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield ``file:line`` and the cells of each line that holds a row."""
    for number, line in enumerate(text.splitlines(), start=1):
        if cells := line.split("#")[0].split():
            yield f"{path}:{number}", cells


def _check_libsvm_lines(text: str, path: str) -> None:
    """Raise DataError at the first line that is not ``label index:value ...``, indices rising."""
    for where, cells in _libsvm_rows(path, text):
        if not is_number(cells[0]):
            raise DataError(f"the label {cells[0]!r} is not a number", where=where)
        last = -1
        for cell in cells[1:]:
            index, colon, value = cell.partition(":")
            if index == "qid":
                continue
            if not colon or not index.isdigit() or not is_number(value):
                raise DataError(f"{cell!r} is not INDEX:VALUE, e.g. 3:0.5", where=where)
            if int(index) <= last:
                raise DataError(
                    f"index {index} follows {last}; indices must rise within a line", where=where
                )
            last = int(index)
