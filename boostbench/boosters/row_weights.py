"""Sample weights of any booster, read off its demand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.portable import row_sums, total
from boostbench.weak_learners.demands import BinaryLabels, Costs, Demand, WeightedLabels


def row_weights(demand: Demand | None, n: int) -> NDArray[np.float64]:
    r"""Return the share of each row in a demand.

    =================  ===================================================================
    weighted labels    the weight
    binary labels      the sum of the magnitudes over all questions
    costs              the sum over all answers of their cost above the row's cheapest one
    targets            weight times ``|target|``: the gradient of a regression's loss
    =================  ===================================================================

    Parameters
    ----------
    demand : Demand or None
        None asks nothing.
    n : int
        Number of rows.

    Returns
    -------
    weights : ndarray of float64, shape (n,)
        They sum to 1, or all are 0 when no row has influence.

    Examples
    --------
    >>> row_weights(Costs(np.array([[-1.0, 0.5, 0.5], [2.0, 2.0, 3.0]])), 2).tolist()
    [0.75, 0.25]
    """
    if demand is None:
        return np.zeros(n)
    w = _sizes(demand)
    size = total(w)
    return w / size if size > 0.0 else np.zeros(n)


def _sizes(demand: Demand) -> NDArray[np.float64]:
    if isinstance(demand, WeightedLabels):
        return demand.weight
    if isinstance(demand, BinaryLabels):
        return row_sums(np.abs(demand.signed_weight))
    if isinstance(demand, Costs):
        above = demand.cost - demand.cost.min(axis=1, keepdims=True)
        return row_sums(above)
    return row_sums(demand.weight * np.abs(demand.target))
