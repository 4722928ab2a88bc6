"""`python -m checks.official_rows DATA [--write]`: the catalog's facts about official rows.

``DATA`` holds the official rows of data sets, one CSV file each. Said is which ``rows_sha256`` of
the catalog differ; ``--write`` writes the row hashes of the sets whose copies in packages stand in
another order.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from boostbench.data import catalog, locate
from boostbench.data.loading import sha256_of_rows
from boostbench.data.official import HASHES, hashes_of, plain_cell
from boostbench.resources import shipped

#: Sets whose rows stand in another order, or beside others, in packages.
REORDERED = ("dna", "pendigits", "pima", "satimage", "segment", "splice")


def main() -> int:
    """Compare, and write if asked; return 1 if a checksum differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true", help=f"write {HASHES}")
    asked = parser.parse_args()
    n_wrong = 0
    for name, entry in catalog([asked.data]).items():
        path = asked.data / f"{name}.csv.gz"
        if not path.is_file() or entry.base:
            continue
        found = sha256_of_rows(locate(name, None, [asked.data]))
        if found != entry.rows_sha256:
            n_wrong += bool(entry.rows_sha256)
            print(f"{name}: rows_sha256: {found}")
    if asked.write:
        hashes = {name: _hashes(asked.data / f"{name}.csv.gz") for name in REORDERED}
        np.savez(shipped("datasets") / HASHES, **hashes)
    return int(n_wrong > 0)


def _hashes(path: Path) -> np.ndarray:
    frame = pd.read_csv(path, dtype=str, keep_default_na=False).drop(
        columns="split", errors="ignore"
    )
    rows = [[plain_cell(cell) for cell in row] for row in frame.itertuples(index=False)]
    hashes = hashes_of(rows)
    assert len(set(hashes.tolist())) == len(set(map(tuple, rows))), f"{path}: two rows of one hash"
    return hashes


if __name__ == "__main__":
    raise SystemExit(main())
