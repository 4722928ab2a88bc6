"""C4.5 trees, in the two versions used in the experiments of the papers."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from boostbench.declared import Positive, Share
from boostbench.portable import erfc_inverse
from boostbench.registry import weak_learners
from boostbench.weak_learners.base import LEAVES, TREE_PER_CLASS
from boostbench.weak_learners.demands import BinaryLabels, WeightedLabels
from boostbench.weak_learners.pruning import PruningRules
from boostbench.weak_learners.tree import Tree

_SQRT2 = 1.4142135623730951
#: C4.5's table of normal quantiles, which is interpolated between confidence levels.
_LEVELS = [0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0]
_QUANTILES = [4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0]


@weak_learners.register("c45")
class C45(Tree, takes=("max_depth", "max_bins")):
    r"""C4.5 decision tree for weighted labels, with threshold splits only.

    Cases are the samples of positive weight, with weights scaled to sum to their number. The split
    has the largest gain ratio among the features whose best information gain (bits) is at least
    the mean of these gains less 1e-3. A node of fewer than ``2 * min_cases`` cases is a leaf.

    ``version="release-8"``: children hold at least ``min(max(0.1 N / K, min_cases), 25)`` cases;
    :math:`\log_2(\text{candidates}) / N` is subtracted from the gain; the threshold is a value of
    the data; subtrees that save no training error are cut; pruning may raise subtrees.
    ``version="simple"``: children hold at least `min_cases` cases; thresholds are midpoints;
    pruning replaces subtrees by leaves, but never the root.

    Parameters
    ----------
    version : {"release-8", "simple"}, default="release-8"
    max_depth : int or None, default=None
        At least 1; None for no limit.
    min_cases : float, default=2.0
        C4.5's option m, positive.
    confidence : float, default=0.25
        C4.5's CF, in (0, 1); smaller values prune more.
    max_bins
        As for `Tree`.

    Notes
    -----
    A categorical column is split by thresholds on its codes, whereas C4.5 makes a branch per value.

    References
    ----------
    Quinlan 1993. "release-8" is for Mukherjee & Schapire 2013, "simple" for the SPLBoost paper.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = C45()
    >>> h = learner.fit(learner.prepare(X), WeightedLabels(y.astype("int32"), np.ones(150), 3))
    >>> h.trees.n_leaves, int((h.labels != y).sum())
    (5, 3)
    """

    version: Literal["release-8", "simple"] = "release-8"
    min_cases: Positive = 2.0
    confidence: Share = 0.25

    accepts = (WeightedLabels, BinaryLabels)
    gives = (LEAVES, TREE_PER_CLASS)
    _criteria: ClassVar = {WeightedLabels: ("gain-ratio",), BinaryLabels: ("gain-ratio",)}

    def _criterion(self, kind: type) -> str:
        return "c45" if self.version == "release-8" else "gain-ratio"

    def _pruning_rules(self) -> PruningRules:
        release_8 = self.version == "release-8"
        if release_8:
            z = float(np.interp(self.confidence, _LEVELS, _QUANTILES))
        else:
            z = _SQRT2 * erfc_inverse(2.0 * self.confidence)  # the normal quantile
        cap = 0.67 if release_8 else 1.0
        return PruningRules(float(self.confidence), z * z, cap, release_8)
