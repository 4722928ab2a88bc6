"""Confusion matrices of the test samples."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from boostbench.quantities.quantity import quantity


@quantity(
    "confusion",
    words="confusion",
    needs="labels",
    kept="ladder",
    asked=("metrics", "confusion"),
    on_test=True,
    type=list[list[Annotated[int, Ge(0)]]],
)
def confusion(matrix: NDArray[np.int64]) -> list[list[int]]:
    """Return the numbers of test samples by class (row) and predicted class (column)."""
    found: list[list[int]] = matrix.tolist()
    return found
