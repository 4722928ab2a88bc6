"""Official rows of a data set: checksum of their content, and order by row hashes.

Copies of a data set may differ in row order, number format and missing rows. ``rows_sha256`` in the
catalog is a checksum of the official rows that does not depend on the file format;
``row-hashes.npz`` holds a short hash of each official row, in the official order.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from boostbench.data.dataset import encode_labels
from boostbench.data.tables import Parsed, is_number
from boostbench.errors import DataError
from boostbench.resources import shipped

HASHES = "row-hashes.npz"


def rows_sha256(parsed: Parsed) -> str:
    """Return the checksum of numbers, categories, labels and, if there is one, the division.

    It has 64 hex digits.
    """
    y, classes = encode_labels(parsed.labels.tolist())
    X = np.where(np.isnan(parsed.X), np.nan, parsed.X + 0.0)  # one bit pattern for NaN and for zero
    categories = [column.values for column in parsed.features]
    digest = hashlib.sha256(json.dumps([X.shape, categories, classes]).encode())
    digest.update(X.astype(">f8").tobytes())
    digest.update(y.astype(">i8").tobytes())
    digest.update(b"" if parsed.in_test is None else parsed.in_test.astype(np.uint8).tobytes())
    return digest.hexdigest()


def plain_cell(cell: str) -> str:
    """Return a cell in canonical form: numbers to 12 digits, texts stripped.

    Examples
    --------
    >>> plain_cell(" 2.0"), plain_cell("-0.8740000000000001"), plain_cell("EI ")
    ('2', '-0.874', 'EI')
    """
    cell = cell.strip()
    return f"{float(cell) + 0.0:.12g}" if is_number(cell) else cell


def hashes_of(rows: Iterable[Sequence[str]]) -> NDArray[np.uint32]:
    """Return 32 bits of the sha256 of each row of plain cells."""
    lines = (",".join(row).encode() for row in rows)
    return np.array(
        [int.from_bytes(hashlib.sha256(line).digest()[:4], "big") for line in lines],
        dtype=np.uint32,
    )


def in_official_order(name: str, rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the official rows of a data set in the official order.

    Other rows are left out. If no row hashes are known, all rows are returned unchanged.

    Parameters
    ----------
    name : str
        Name of the data set.
    rows : sequence of sequence of str
        Cells of each row in canonical form, the label last.

    Raises
    ------
    DataError
        If an official row is missing.
    """
    official = _official_hashes().get(name)
    if official is None:
        return list(rows)
    places: dict[int, list[int]] = {}
    for place, found in enumerate(hashes_of(rows).tolist()):
        places.setdefault(found, []).append(place)
    ordered = []
    for number, wanted in enumerate(official.tolist(), start=1):
        its = places.get(wanted)
        if not its:
            raise DataError(f"row {number} of the {len(official)} official rows is not among them")
        ordered.append(rows[its.pop()])  # rows with equal hashes are equal
    return ordered


@lru_cache(maxsize=1)
def _official_hashes() -> dict[str, NDArray[np.uint32]]:
    with np.load(shipped("datasets") / HASHES, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}
