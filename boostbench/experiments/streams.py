"""Random streams of runs, derived from names."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


def canonical_json(value: Any) -> str:
    """Return the canonical JSON of a value: sorted keys, no spaces, full precision.

    Examples
    --------
    >>> canonical_json({"b": [1, 0.5], "a": None})
    '{"a":null,"b":[1,0.5]}'
    """
    return _encode(value)


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def stream(run: Any, purpose: str) -> np.random.Generator:
    """Return the random stream of a `Run` for data, split, noise, booster or inner folds.

    The stream depends only on the seed, the purpose and the data set, and for noise on the model
    but not on the rate. Therefore all boosters see the same split and the same corrupted labels,
    the folds of one seed come from one permutation, and the labels corrupted at a small rate are a
    subset of those corrupted at a larger rate. The order of runs has no effect.
    """
    import numpy as np

    name = [run.seed, purpose, run.data.name, run.data.params.plain()]
    if purpose == "noise":
        name.append(run.noise.model)
    digest = hashlib.sha256(canonical_json(name).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence([int(word) for word in words]))
