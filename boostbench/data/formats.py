"""Choice of the reader of a file, and unpacking."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib
from collections.abc import Sequence
from pathlib import Path

from boostbench.data.arff_file import parse_arff
from boostbench.data.catalog import DatasetEntry
from boostbench.data.csv_file import parse_csv
from boostbench.data.files import read_bounded
from boostbench.data.libsvm_file import parse_libsvm
from boostbench.data.parsed import Parsed, parse_frame
from boostbench.errors import DataError


def parse_files(files: Sequence[tuple[Path, bytes]], entry: DatasetEntry) -> Parsed:
    """Parse one file, or the two parts of a libsvm set.

    The format follows from the name: ``.csv``, ``.arff``, ``.parquet``, anything else is libsvm;
    ``.gz`` and ``.bz2`` are unpacked.

    Parameters
    ----------
    files : sequence of (Path, bytes)
        Names and what `read_file` returned.
    entry : DatasetEntry

    Raises
    ------
    DataError
        If a file is damaged.
    """
    name = files[0][0].name.lower().removesuffix(".gz").removesuffix(".bz2")
    contents = [(str(path), _unpack(path, packed)) for path, packed in files]
    if name.endswith(".csv"):
        return parse_csv(contents[0][1], entry, contents[0][0])
    if name.endswith(".arff"):
        return parse_arff(contents[0][1], entry, contents[0][0])
    if name.endswith(".parquet"):
        return _parse_parquet(contents[0][1], entry, contents[0][0])
    return parse_libsvm(contents, entry)


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
    except (EOFError, OSError, ValueError, zlib.error) as error:
        raise DataError(
            f"the {tool} file is damaged or cut short ({error}); copy it again", where=str(path)
        ) from error


def _parse_parquet(content: bytes, entry: DatasetEntry, path: str) -> Parsed:
    import pandas as pd

    try:
        import pyarrow
    except ImportError as error:
        raise DataError(
            "parquet needs the package pyarrow: pip install 'boostbench[parquet]'", where=path
        ) from error
    try:
        frame = pd.read_parquet(io.BytesIO(content), engine="pyarrow")
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"this is not a readable parquet file: {reason}", where=path) from error
    frame.columns = [str(column).strip() for column in frame.columns]
    return parse_frame(frame, entry, path, lambda row: f"{path}: row {row + 1}")
