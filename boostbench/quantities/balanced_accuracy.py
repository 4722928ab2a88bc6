"""Balanced accuracy, as ``balanced_accuracy_score`` of scikit-learn.

The mean over the classes of the recall; classes without test samples are omitted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.quantities.quantity import metric


@metric("balanced_accuracy", words="balanced test accuracy", needs="labels", higher=True, unit="%")
def balanced_accuracy(confusion: NDArray[np.int64]) -> float:
    """Return the mean recall of the classes that have samples.

    Examples
    --------
    >>> balanced_accuracy(np.array([[1, 0], [1, 1]]))
    0.75
    """
    from boostbench.portable import mean

    n = confusion.sum(axis=1)
    return mean(np.diag(confusion)[n > 0] / n[n > 0])
