"""`python -m checks.official_rows DATA [--write]`: check the catalog against official rows.

The folder ``DATA`` holds the official rows of data sets, one file NAME.csv.gz each. The command
prints the checksums that differ from ``rows_sha256`` in the catalog. ``--write`` writes the hashes
of the rows of data sets whose copies in packages are in another order.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from boostbench.data.catalog import catalog
from boostbench.data.loading import locate, sha256_of_rows
from boostbench.data.official import HASHES, hashes_of, plain_cell
from boostbench.resources import shipped

#: Data sets whose rows are in another order, or among other rows, in packages.
REORDERED = ("dna", "pendigits", "pima", "satimage", "segment", "splice")


def main() -> int:
    """Compare checksums, and write hashes if requested; return 1 if a checksum differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true", help=f"write {HASHES}")
    options = parser.parse_args()
    n_wrong = 0
    for name, entry in catalog([options.data]).items():
        path = options.data / f"{name}.csv.gz"
        if not path.is_file() or entry.base:
            continue
        checksum = sha256_of_rows(locate(name, None, [options.data]))
        if checksum != entry.rows_sha256:
            n_wrong += bool(entry.rows_sha256)
            print(f"{name}: rows_sha256: {checksum}")
    if options.write:
        hashes = {name: _hashes(options.data / f"{name}.csv.gz") for name in REORDERED}
        np.savez(shipped("datasets") / HASHES, **hashes)
    return int(n_wrong > 0)


def _hashes(path: Path) -> np.ndarray:
    frame = pd.read_csv(path, dtype=str, keep_default_na=False).drop(
        columns="split", errors="ignore"
    )
    rows = [[plain_cell(cell) for cell in row] for row in frame.itertuples(index=False)]
    hashes = hashes_of(rows)
    assert len(set(hashes.tolist())) == len(set(map(tuple, rows))), f"{path}: two rows share a hash"
    return hashes


if __name__ == "__main__":
    raise SystemExit(main())
