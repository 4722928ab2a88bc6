"""Area under the ROC curve, as ``roc_auc_score(multi_class="ovr")`` of scikit-learn.

The mean over the classes k of the fraction of pairs, a sample of class k and a sample of another
class, in which the former has the larger probability of k; ties count one half. Classes without
test samples are omitted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.quantities.quantity import metric


@metric("auc", words="test AUC", needs="probabilities", higher=True, unit="%")
def auc(P: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    """Return the area under the ROC curve of each class against the rest, averaged over classes.

    With two classes, return the area for the second class. NaN if all samples have one class.
    """
    from scipy.stats import rankdata

    from boostbench.portable import mean

    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        return float("nan")
    if P.shape[1] == 2:
        classes, counts = classes[1:], counts[1:]
    ranks = rankdata(P, axis=0)
    # sums of halves are exact
    above = np.array([ranks[y == k, k].sum() for k in classes]) - counts * (counts + 1) / 2
    return mean(above / (counts * (len(y) - counts)))
