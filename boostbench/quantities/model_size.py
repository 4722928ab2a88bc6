"""Size of the fitted booster."""

from __future__ import annotations

import pickle
from contextlib import suppress
from typing import Any

from boostbench.quantities.quantity import quantity


@quantity(
    "model_size",
    words="bytes of the model",
    line="model (bytes)",
    needs="booster",
    kept="once",
    asked=("metrics", "model_size"),
    axis="size (bytes)",
    decimals=0,
    type=int,
)
def model_size(booster: Any) -> int | None:
    """Return the size of the pickled booster in bytes; None if it cannot be pickled."""
    with suppress(Exception):
        return len(pickle.dumps(booster, protocol=5))
    return None
