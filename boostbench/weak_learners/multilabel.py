"""Decision stump for all classes at once, with a vector in each leaf."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.compiled import inner, kernel
from boostbench.portable import log, total
from boostbench.registry import weak_learners
from boostbench.weak_learners.base import LEAVES, Hypothesis
from boostbench.weak_learners.binning import BinnedData
from boostbench.weak_learners.demands import BinaryLabels
from boostbench.weak_learners.forest import Forest
from boostbench.weak_learners.options import BinnedLearner
from boostbench.weak_learners.splitting import settle

Floats = NDArray[np.float64]

SIGN, REAL, FACTORED = range(3)
_CODES = {"sign": SIGN, "real": REAL, "factored": FACTORED}

#: Scores whose difference is at most this fraction of the weight tie.
_TIE = 1e-12


@weak_learners.register("multilabel-stump")
class MultiLabelStump(BinnedLearner):
    r"""Decision stump with one threshold for all classes and, on each side, a value per class.

    With :math:`W^\pm_{ql}` the weight on side q of rows with the label :math:`\pm 1` for class l:

    ============  =====================================================  =========================
    answers       value on side q for class l                            the threshold maximises
    ============  =====================================================  =========================
    "sign"        sign of :math:`W^+_{ql} - W^-_{ql}`, +1 at 0           :math:`\sum_{ql}
                                                                         |W^+_{ql} - W^-_{ql}|`
    "real"        :math:`\frac12 \ln\frac{W^+_{ql} + b}{W^-_{ql} + b}`   :math:`-2 \sum_{ql}
                                                                         \sqrt{W^+_{ql} W^-_{ql}}`
    "factored"    :math:`v_l` below, :math:`-v_l` above, v = +-1         the weighted correlation
    ============  =====================================================  =========================

    The smoothing b is the summed weight divided by the number of pairs of a sample and a class.
    Ties are broken by the lowest feature, then by the lowest threshold. Missing values go to the
    side of the better score, above the threshold on ties.

    Parameters
    ----------
    answers : {"sign", "real", "factored"}, default="sign"

    References
    ----------
    Schapire & Singer, "BoosTexter", 2000, Sec. 4; Schapire & Singer 1999, Sec. 5.

    Examples
    --------
    >>> stump = MultiLabelStump()
    >>> demand = BinaryLabels(np.array([[0.2, -0.2], [-0.3, 0.3]]))
    >>> h = stump.fit(stump.prepare(np.array([[1.0], [2.0]])), demand)
    >>> h.values(2).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """

    answers: Literal["sign", "real", "factored"] = field(default="sign", kw_only=False)

    accepts: ClassVar[tuple[type, ...]] = (BinaryLabels,)
    gives: ClassVar[tuple[str, ...]] = (LEAVES,)  # a single tree answers all questions

    def fit(
        self, data: BinnedData, demand: BinaryLabels, rng: np.random.Generator | None = None
    ) -> Hypothesis:
        """Find the best stump.

        Parameters
        ----------
        data : BinnedData
            From `prepare`.
        demand : BinaryLabels
        rng : numpy.random.Generator, optional
            Not used.

        Returns
        -------
        Hypothesis
            One tree of at most two leaves with a value per class.

        Raises
        ------
        ValueError
            If the demand is not a `BinaryLabels`.
        """
        self.check(type(demand))
        weight = np.ascontiguousarray(demand.signed_weight, dtype=np.float64)
        rows = np.flatnonzero(weight.any(axis=1))
        tie = _TIE * total(np.abs(weight))
        samples = data.samples.T if demand.count is None else demand.count
        n_pairs = int(np.broadcast_to(samples, weight.shape).sum())
        stat = weight
        if self.answers == "real":
            stat = np.hstack([np.maximum(weight, 0.0), np.maximum(-weight, 0.0)])
        m, code = stat.shape[1], _CODES[self.answers]
        sums, work = np.empty((256, m)), np.zeros((2, m))
        counts = np.empty(256, dtype=np.int64)
        split = _best_split(data, stat, rows, code, tie, sums, counts, work)
        feature, last, threshold, missing_left = split
        found = int(feature >= 0)
        bins = data.codes[feature]
        above = (bins > last) & ~((bins == data.n_bins[feature]) & missing_left)
        leaves = (above & bool(found)).astype(np.int16)
        vectors = self._vectors(weight, n_pairs, leaves, 1 + found)
        trees = Forest(
            feature=[feature][:found],
            threshold=[threshold][:found],
            missing_left=[missing_left][:found],
            left=[~0][:found],
            right=[~1][:found],
            node_offset=[0, found],
            leaf_value=vectors,
            leaf_column=np.full(1 + found, -1),
            leaf_offset=[0, 1 + found],
            n_features=data.n_features,
        )
        return Hypothesis(trees, leaves[None, :])

    def _vectors(
        self, weight: Floats, n_pairs: int, leaves: NDArray[np.int16], n_leaves: int
    ) -> Floats:
        """Return the values of each leaf, shape (n_leaves, K)."""
        sides = [weight[leaves == leaf] for leaf in range(n_leaves)]
        plus = np.array([[total(np.maximum(w, 0.0)) for w in side.T] for side in sides])
        minus = np.array([[total(np.maximum(-w, 0.0)) for w in side.T] for side in sides])
        size = total(plus) + total(minus)
        if self.answers == "real":
            b = size / max(n_pairs, 1)
            return 0.5 * log((plus + b) / (minus + b)) if size > 0.0 else np.zeros_like(plus)
        G = plus - minus
        if self.answers == "factored" and n_leaves == 2:
            v = np.where(G[0] - G[1] >= -_TIE * size, 1.0, -1.0)
            return np.array([v, -v])
        return np.where(-_TIE * size <= G, 1.0, -1.0)


@kernel
def _best_split(  # type: ignore[no-untyped-def]
    data, stat, rows, answers, tie, histogram, count, work
):
    """Return feature, last bin on the left, threshold and side of missing values; or feature -1."""
    m = stat.shape[1]
    best_feature, best_bin, best_missing = -1, -1, False
    left, whole = work[0], work[1]  # both are 0
    for i in rows:
        for k in range(m):
            whole[k] += stat[i, k]
    # constant predictions may be better than any factored split
    best = _score(left, whole, answers) if answers == FACTORED else -np.inf
    for j in range(data.codes.shape[0]):
        n_bins = data.n_bins[j]
        for b in range(256):
            count[b] = 0
            for k in range(m):
                histogram[b, k] = 0.0
        codes = data.codes[j]
        for i in rows:
            b = codes[i]
            count[b] += 1
            for k in range(m):
                histogram[b, k] += stat[i, k]
        for side in range(2 if count[n_bins] > 0 else 1):  # missing values, if any, go left
            n_left = count[n_bins] if side == 1 else 0
            for k in range(m):
                left[k] = histogram[n_bins, k] if side == 1 else 0.0
            for b in range(n_bins):
                if count[b] == 0:
                    continue
                n_left += count[b]
                for k in range(m):
                    left[k] += histogram[b, k]
                if n_left == rows.shape[0]:
                    break
                score = _score(left, whole, answers)
                if score > best + tie:
                    best = score
                    best_feature, best_bin, best_missing = j, b, side == 1
    last, threshold = best_bin, np.inf
    if best_feature >= 0:
        first, n_bins = data.offset[best_feature], data.n_bins[best_feature]
        right = n_bins  # first bin on the right with weight; missing values are none
        for i in rows:
            following = np.int64(data.codes[best_feature, i])
            if following > best_bin:
                right = min(right, following)
        last = n_bins - 1
        if right < n_bins:
            middle = 0.5 * data.high[first + best_bin] + 0.5 * data.low[first + right]
            last, threshold = settle(data.low, data.high, first, best_bin, right, middle)
    return best_feature, last, threshold, best_missing


@inner
def _score(left, whole, answers):  # type: ignore[no-untyped-def]
    score = 0.0
    if answers == REAL:
        K = left.shape[0] // 2
        for k in range(K):
            plus, minus = max(whole[k] - left[k], 0.0), max(whole[K + k] - left[K + k], 0.0)
            score -= 2.0 * (np.sqrt(left[k] * left[K + k]) + np.sqrt(plus * minus))
    elif answers == SIGN:
        for k in range(left.shape[0]):
            score += abs(left[k]) + abs(whole[k] - left[k])
    else:
        for k in range(left.shape[0]):
            score += abs(2.0 * left[k] - whole[k])
    return score
