"""Files of the libsvm / svmlight format: ``label index:value index:value ...``."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boostbench.data.catalog import DatasetEntry
from boostbench.data.csv_file import decode
from boostbench.data.parsed import Parsed, check_numbers, check_size, is_number
from boostbench.errors import DataError


def parse_libsvm(parts: Sequence[tuple[str, bytes]], entry: DatasetEntry) -> Parsed:
    """Read one file, or a training and a test file.

    An index that no row names is a column of zeros; columns are added up to the number of features
    the catalog expects, because sparse files leave trailing zeros out.

    Parameters
    ----------
    parts : sequence of (str, bytes)
        Name and uncompressed content; the second part is the test part.
    entry : DatasetEntry

    Raises
    ------
    DataError
        If a line is damaged; the message holds it.
    """
    from sklearn.datasets import load_svmlight_files

    for path, content in parts:
        decode(content, path)
    try:
        loaded = load_svmlight_files(
            [io.BytesIO(content) for _, content in parts], zero_based="auto"
        )
    except (ValueError, IndexError, OverflowError) as error:
        for path, content in parts:
            _check_lines(content, path)
        raise DataError(f"this is not a libsvm file: {error}", where=parts[0][0]) from error
    matrices, labels = loaded[0::2], loaded[1::2]
    width = max(matrices[0].shape[1], entry.n_features or 0)
    n_rows = sum(m.shape[0] for m in matrices)
    check_size(n_rows, width, parts[0][0])
    X = np.zeros((n_rows, width), dtype=np.float64)
    start = 0
    for matrix in matrices:
        X[start : start + matrix.shape[0], : matrix.shape[1]] = matrix.toarray()
        start += matrix.shape[0]
    n_train = matrices[0].shape[0]
    names = tuple(f"x{j + 1}" for j in range(width))

    def place(row: int) -> str:
        part, offset = (0, row) if row < n_train else (1, row - n_train)
        path, content = parts[part]
        return f"{path}:{_data_lines(content)[offset]}"

    check_numbers(X, names, place)
    return Parsed(
        X=X,
        labels=_texts(np.concatenate(labels)),
        feature_names=names,
        categories=(None,) * width,
        in_test=np.arange(len(X)) >= n_train if len(parts) == 2 else None,
    )


def _texts(labels: NDArray[np.float64]) -> NDArray[np.str_]:
    return np.array([repr(float(label)) for label in labels], dtype=str)


def _data_lines(content: bytes) -> list[int]:
    """Return the numbers of the lines that hold a row."""
    return [
        number
        for number, line in enumerate(content.splitlines(), start=1)
        if line.split(b"#")[0].strip()
    ]


def _check_lines(content: bytes, path: str) -> None:
    """Refuse the first line that is not ``label index:value ...`` with rising indices."""
    for number, line in enumerate(content.decode("utf-8").splitlines(), start=1):
        cells = line.split("#")[0].split()
        if not cells:
            continue
        where = f"{path}:{number}"
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
