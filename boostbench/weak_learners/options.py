"""Options of trees, each declared once with its type, range, default and the demands it serves."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from numbers import Integral, Real
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, RealNotInt

from boostbench.declared import Count, Declared, Note
from boostbench.weak_learners.base import WeakLearner
from boostbench.weak_learners.binning import BinnedData, bin_features
from boostbench.weak_learners.demands import BinaryLabels, Targets, WeightedLabels


@dataclass(frozen=True)
class Serves(Note):
    """The demands on which an option has an effect; others refuse all values but the default."""

    demands: tuple[type, ...]


#: Groups of options that presets take: of the search for splits, the size of the tree, and the size
#: of its leaves. A preset takes an option of no group only by name.
SPLITS, SIZE, LEAF_SIZE = Note(), Note(), Note()


class BinnedLearner(WeakLearner, Declared, BaseEstimator):  # type: ignore[misc]
    """Base of weak learners on binned features.

    Parameters
    ----------
    splitter : {"best", "equal-width"}, default="best"
        "equal-width" considers only the thresholds that cut a range into `max_bins` parts of equal
        width.
    bin_range : {"feature", "global"}, default="feature"
        Range for "equal-width": of the training values of each feature, or of all features.
    max_bins : int, default=255
        Largest number of bins per feature, 2..255.
    """

    splitter: Literal["best", "equal-width"] = "best"
    bin_range: Annotated[Literal["feature", "global"], SPLITS] = "feature"
    max_bins: Annotated[int, Interval(Integral, 2, 255, closed="both"), SPLITS] = 255

    def prepare(
        self,
        X: NDArray[np.float64],
        rows: NDArray[np.intp] | None = None,
        count: NDArray[np.int64] | None = None,
    ) -> BinnedData:
        """Check the parameters and bin the training rows ``X[rows]`` of ``count`` samples each."""
        self._validate_params()
        edges = self.bin_range if self.splitter == "equal-width" else None
        return bin_features(X, rows, count, self.max_bins, edges=edges)


class TreeOptions(BinnedLearner):
    """Options of `boostbench.weak_learners.tree.Tree`.

    Parameters
    ----------
    criterion : str, default="auto"
        Impurity: for labels "gini" (the default), "entropy", "gain-ratio" (C4.5's choice among
        features of at least mean gain) or "error"; "cost" for costs; "squared-error" for targets.
    max_leaf_nodes : int or None, default=None
        At least 2; None for no limit.
    max_depth : int or None, default=None
        At least 1; None for no limit.
    min_samples_leaf : int, default=1
        Smallest number of samples in a leaf, counting equal samples.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the weight in a leaf, 0..0.5; not for costs.
    splitter : {"best", "random", "equal-width"}, default="best"
        "random" draws one threshold per feature and node, uniformly between the extreme values in
        the node, and takes the best of these. "equal-width" considers only the thresholds that cut
        a range into `max_bins` parts of equal width.
    max_features : int, float, "sqrt" or None, default=None
        Features drawn for each node: a number, a share in (0, 1] of all features, or the square
        root of their number, rounded down, at least 1; None for all features. As in scikit-learn,
        further features are drawn while all drawn features are constant in the node.
    zero_gain : bool, default=True
        Whether to split impure nodes without any gain.
    """

    criterion: Literal[
        "auto", "gini", "entropy", "gain-ratio", "error", "cost", "squared-error"
    ] = field(default="auto", kw_only=False)
    max_leaf_nodes: Annotated[int, Interval(Integral, 2, None, closed="left"), SIZE] | None = None
    max_depth: Annotated[Count, SIZE] | None = None
    min_samples_leaf: Annotated[Count, LEAF_SIZE] = 1
    min_weight_fraction_leaf: Annotated[
        float,
        Interval(Real, 0.0, 0.5, closed="both"),
        Serves((WeightedLabels, BinaryLabels, Targets)),
        LEAF_SIZE,
    ] = 0.0
    splitter: Annotated[Literal["best", "random", "equal-width"], SPLITS] = "best"  # type: ignore[assignment]
    max_features: Annotated[
        Count
        | Annotated[float, Interval(RealNotInt, 0.0, 1.0, closed="right")]
        | Literal["sqrt"]
        | None,
        SPLITS,
    ] = None
    zero_gain: bool = True


class GrowthRules(NamedTuple):
    """Rules of growth, as numbers only, for compiled code.

    A rule with the name of an option of the tree is its value, and `Tree._rules` computes the
    others.

    Attributes
    ----------
    kind, criterion : int
        Codes of `boostbench.weak_learners.criteria`.
    n_sums : int
        Number of sums per node: of classes, of costs, or 2 for targets.
    random : bool
        Whether to draw one threshold per feature and node instead of searching for the best.
    n_drawn : int
        Number of features drawn for each node; all features if there are no more.
    max_leaves : int
        Limit of the tree, at least 1; no more leaves than rows.
    seed : int
        Key of the random draws.
    histograms : int
        Largest number of stored histograms, at least 1.
    entry_cost : float
        Cost of an entry of a row in a compact histogram, relative to a bin of a full histogram; 0
        for compact histograms only, infinity for full histograms only.
    min_cases : float
        Smallest weight of a leaf in cases, of which a tree has as many as samples (C4.5); 0 for no
        limit.
    """

    kind: int
    criterion: int
    n_sums: int
    random: bool
    n_drawn: int
    max_leaves: int
    seed: int
    histograms: int
    max_depth: int
    min_samples_leaf: int
    min_weight_fraction_leaf: float
    zero_gain: bool
    entry_cost: float = 3.0
    min_cases: float = 0.0

    @classmethod
    def of(cls, tree: TreeOptions, **computed: Any) -> GrowthRules:
        """Return computed rules and the options of a tree as numbers, 2**63 - 1 for None."""
        learner: Any = type(tree)
        for name, number in _options_among_rules(learner):
            if name not in computed:
                value = getattr(tree, name)
                computed[name] = number(2**63 - 1 if value is None else value)
        return cls(**computed)


@cache  # for every round of a fit
def _options_among_rules(learner: type[TreeOptions]) -> list[tuple[str, type]]:
    """Return the names of the rules that are options of a learner, and their types."""
    types = get_type_hints(GrowthRules)
    return [(name, types[name]) for name in types if hasattr(learner, name)]
