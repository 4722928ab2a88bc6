"""F1, as ``f1_score(average="macro")`` of scikit-learn.

The mean over the classes of ``2 TP / (2 TP + FP + FN)``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.quantities.quantity import metric


@metric("f1", words="test F1", needs="labels", higher=True, unit="%")
def f1(confusion: NDArray[np.int64]) -> float:
    """Return the mean F1 of the classes that have samples or predictions."""
    from boostbench.portable import mean

    both = confusion.sum(axis=0) + confusion.sum(axis=1)
    return mean(2.0 * np.diag(confusion)[both > 0] / both[both > 0])
