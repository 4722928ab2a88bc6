"""Cache folder of downloaded files, parsed tables and sources.

The folder is ``BOOSTBENCH_CACHE`` or, if this is not set, a subfolder of the cache folder of the
platform. It may be deleted at any time. If it cannot be written, nothing is cached.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter

from boostbench.data.columns import Column
from boostbench.data.tables import Parsed
from boostbench.whole_files import write_file

_COLUMNS = TypeAdapter(tuple[Column, ...])
_DIGEST_SIZE = hashlib.sha256().digest_size  # a cached file begins with the digest of its content


def cache_dir() -> Path:
    """Return the path of the cache folder, which may not exist."""
    given = os.environ.get("BOOSTBENCH_CACHE")
    if given:
        return Path(given).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "boostbench"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "boostbench"


def read_kept(name: str) -> bytes | None:
    """Return the content stored by `keep` under a name; None if it is missing or damaged."""
    try:
        content = (cache_dir() / name).read_bytes()
    except OSError:
        return None
    digest, content = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
    return content if digest == hashlib.sha256(content).digest() else None


def keep(name: str, content: bytes) -> None:
    """Store ``content`` in a file of the cache folder; do nothing if it cannot be written."""
    with suppress(OSError):
        write_file(cache_dir() / name, hashlib.sha256(content).digest() + content)


@lru_cache(maxsize=1)
def _readers() -> str:
    """Return a digest of the modules of this folder, since tables that others read may differ."""
    modules = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(module.read_bytes() for module in modules)).hexdigest()[:16]


def read_parsed(key: str) -> Parsed | None:
    """Return the table that this version stored under ``key``; None if it is missing or damaged."""
    content = read_kept(f"columns/{_readers()}-{key}.npz")
    if content is None:
        return None
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return Parsed(
            X=arrays["X"].astype(np.float64),
            labels=arrays["labels"],
            columns=_COLUMNS.validate_json(str(arrays["columns"])),
            in_test=arrays.get("in_test"),
        )


def write_parsed(key: str, parsed: Parsed) -> None:
    """Store a table under ``key``."""
    arrays: dict[str, np.ndarray] = {
        "X": _smallest(parsed.X),
        "labels": parsed.labels,
        "columns": np.array(_COLUMNS.dump_json(parsed.columns).decode()),
    }
    if parsed.in_test is not None:
        arrays["in_test"] = parsed.in_test
    content = io.BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]
    keep(f"columns/{_readers()}-{key}.npz", content.getvalue())


def _smallest(X: np.ndarray) -> np.ndarray:
    """Return ``X`` as uint8 if this is exact, as for images, which saves 7/8 of the space."""
    if not np.isfinite(X).all() or X.min() < 0 or X.max() > 255:
        return X
    small = X.astype(np.uint8)
    return small if np.array_equal(small, X) else X
