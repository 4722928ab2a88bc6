"""Decision trees on binned features, for every kind of demand."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from boostbench.weak_learners.base import Hypothesis
from boostbench.weak_learners.binning import BinnedData, bin_features
from boostbench.weak_learners.criteria import CRITERIA, KIND_OF
from boostbench.weak_learners.demands import BinaryLabels, Costs, Demand, Targets, WeightedLabels
from boostbench.weak_learners.growing import grow_trees
from boostbench.weak_learners.path import GrowthPath
from boostbench.weak_learners.pruning import PruningRules
from boostbench.weak_learners.structures import GrownTrees, GrowthRules, Numbers

#: Bytes of stored histograms of a growing tree; others are built again when needed.
_HISTOGRAM_BYTES = 64 << 20

#: Cost of an entry of a row in a compact histogram, relative to a bin of a full histogram.
_ENTRY_COST = 3.0

_NO_LIMIT = 2**63 - 1

_FOR_LABELS = ("gini", "entropy", "gain-ratio", "error")


class Tree(BaseEstimator):  # type: ignore[misc]
    """Binary decision tree, grown best first as scikit-learn's CART.

    The leaf whose split decreases the impurity mass most is split next. A split sends
    ``x <= threshold`` left, with the threshold midway between neighbouring values of the rows of
    the node. Rows of weight 0 have no influence. Leaves predict by weighted majority, by least
    summed cost, or by weighted mean. Impure nodes are split even without any gain, after all splits
    with a gain, unless `zero_gain` is False. Ties are broken by the lowest feature, then the lowest
    threshold; among leaves by the older leaf; among labels by the lowest one (-1 before +1).

    On features of at most `max_bins` distinct values, the tree equals CART's up to ties; features
    of more values are binned.

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
        Smallest share of the weight in a leaf, 0..0.5; ignored for costs.
    splitter : {"best", "random", "equal-width"}, default="best"
        "random" draws one threshold per feature and node, uniformly between the extreme values in
        the node, and takes the best of these. "equal-width" considers only the thresholds that cut
        a range into `max_bins` parts of equal width.
    bin_range : {"feature", "global"}, default="feature"
        Range for "equal-width": of the training values of each feature, or of all features.
    max_features : int, float, "sqrt" or None, default=None
        Features drawn for each node: a number, a share in (0, 1] of all features, or the square
        root of their number, rounded down, at least 1; None for all features. As in scikit-learn,
        further features are drawn while all drawn features are constant in the node.
    zero_gain : bool, default=True
        Whether to split impure nodes without any gain.
    trim : float, default=0.0
        Share of the weight, in [0, 1), of the lightest samples, which are left out (Friedman,
        Hastie & Tibshirani 2000, Sec. 9); for labels only.
    max_bins : int, default=255
        Largest number of bins per feature, 2..255.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> tree = Tree(max_leaf_nodes=2)
    >>> demand = BinaryLabels(np.array([[0.1], [0.3], [-0.2], [-0.4]]))
    >>> h = tree.fit(tree.prepare(X), demand)
    >>> print(h.trees.to_text(0))
    x0 <= 1.5
    |-- class 0 +1
    else
    |-- class 0 -1
    """

    accepts: ClassVar[tuple[type, ...]] = (WeightedLabels, BinaryLabels, Costs, Targets)

    #: Criteria for each kind of demand; the first one is "auto".
    _criteria: ClassVar[dict[type, tuple[str, ...]]] = {
        WeightedLabels: _FOR_LABELS,
        BinaryLabels: _FOR_LABELS,
        Costs: ("cost",),
        Targets: ("squared-error",),
    }

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "criterion": [StrOptions({"auto", *_FOR_LABELS, "cost", "squared-error"})],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
        "splitter": [StrOptions({"best", "random", "equal-width"})],
        "bin_range": [StrOptions({"feature", "global"})],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
            StrOptions({"sqrt"}),
            None,
        ],
        "zero_gain": ["boolean"],
        "trim": [Interval(Real, 0.0, 1.0, closed="left")],
        "max_bins": [Interval(Integral, 2, 255, closed="both")],
    }

    def __init__(
        self,
        criterion: str = "auto",
        *,
        max_leaf_nodes: int | None = None,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        splitter: str = "best",
        bin_range: str = "feature",
        max_features: float | str | None = None,
        zero_gain: bool = True,
        trim: float = 0.0,
        max_bins: int = 255,
    ) -> None:
        self.criterion = criterion
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.splitter = splitter
        self.bin_range = bin_range
        self.max_features = max_features
        self.zero_gain = zero_gain
        self.trim = trim
        self.max_bins = max_bins

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

    def fit(
        self, data: BinnedData, demand: Demand, rng: np.random.Generator | None = None
    ) -> Hypothesis:
        """Grow one tree, or one tree per question or target of the demand.

        Parameters
        ----------
        data : BinnedData
            From `prepare`.
        demand : WeightedLabels, BinaryLabels, Costs or Targets
        rng : numpy.random.Generator, optional
            Generator for drawn thresholds and features; required if either is drawn.

        Returns
        -------
        Hypothesis

        Raises
        ------
        ValueError
            If the criterion does not fit the demand, or ``rng`` is missing.
        """
        return self.grow(data, demand, rng).hypothesis(data.n_features)

    def grow(
        self, data: BinnedData, demand: Demand, rng: np.random.Generator | None = None
    ) -> GrownTrees:
        """Grow as `fit` does, and return the trees with impurities and gains."""
        if isinstance(demand, WeightedLabels | BinaryLabels) and demand.count is not None:
            drawn = np.ascontiguousarray(np.atleast_2d(demand.count.T), dtype=np.int64)
            data = data._replace(samples=drawn)
        rules = self._rules(data, demand, rng)
        numbers = numbers_of(demand)
        if self.trim > 0.0 and isinstance(demand, WeightedLabels | BinaryLabels):
            trimmed = _trimmed(numbers.numbers, self.trim, data.samples)
            numbers = numbers._replace(numbers=trimmed)
        return grow_trees(data, rules, numbers, self._pruning_rules())

    def _pruning_rules(self) -> PruningRules | None:
        """Return None, as the trees are not pruned."""
        return None

    def grow_path(
        self,
        data: BinnedData,
        demand: WeightedLabels | Costs,
        rng: np.random.Generator | None = None,
    ) -> GrowthPath:
        """Grow one tree as `fit` does, and return it with all smaller best-first trees.

        Raises
        ------
        ValueError
            If the criterion does not fit the demand, or the demand needs several trees.
        """
        grown = self.grow(data, demand, rng)
        if len(grown.root_impurity) != 1:
            raise ValueError(f"a growth path is one tree; {type(demand).__name__} asks for several")
        return GrowthPath(grown, data.n_features)

    def _rules(
        self, data: BinnedData, demand: Demand, rng: np.random.Generator | None
    ) -> GrowthRules:
        criterion = self._criterion_for(demand)
        n_sums = 2
        if isinstance(demand, WeightedLabels):
            n_sums = int(demand.n_classes)
        elif isinstance(demand, Costs):
            n_sums = int(demand.cost.shape[1])
        random, max_features = self.splitter == "random", self._n_drawn(data.n_features)
        draws = random or max_features < data.n_features
        if draws and rng is None:
            raise ValueError("splitter='random' and max_features need a random generator")
        leaves = _NO_LIMIT if self.max_leaf_nodes is None else int(self.max_leaf_nodes)
        depth = _NO_LIMIT if self.max_depth is None else int(self.max_depth)
        cells = (n_sums + 1) * data.low.shape[0]
        return GrowthRules(
            kind=KIND_OF[type(demand)],
            criterion=CRITERIA[criterion],
            n_sums=n_sums,
            random=random,
            max_features=max_features,
            max_leaves=max(min(leaves, 1 << min(depth, 62), data.n_rows), 1),
            max_depth=depth,
            min_samples=int(self.min_samples_leaf),
            min_weight_fraction=float(self.min_weight_fraction_leaf),
            min_cases=0.0,
            zero_gain=bool(self.zero_gain),
            seed=int(rng.integers(2**62)) if draws and rng is not None else 0,
            histograms=max(2, _HISTOGRAM_BYTES // (8 * cells)),
            subtraction=True,
            entry_cost=_ENTRY_COST,
        )

    def _n_drawn(self, n_features: int) -> int:
        """Return the number of features drawn for each node."""
        asked = self.max_features
        if asked is None:
            return n_features
        if isinstance(asked, str):  # "sqrt"
            return max(math.isqrt(n_features), 1)
        is_number = np.issubdtype(type(asked), np.integer)
        return min(max(int(asked if is_number else asked * n_features), 1), n_features)

    def _criterion_for(self, demand: Demand) -> str:
        if type(demand) not in self.accepts:
            met = " or ".join(kind.__name__ for kind in self.accepts)
            raise ValueError(
                f"{type(self).__name__} meets {met}, it cannot meet {type(demand).__name__}"
            )
        fitting = self._criteria[type(demand)]
        if self.criterion == "auto":
            return fitting[0]
        if self.criterion not in fitting:
            raise ValueError(
                f"criterion {self.criterion!r} does not fit {type(demand).__name__}; "
                f"it takes {' or '.join(map(repr, ('auto', *fitting)))}"
            )
        return self.criterion


def numbers_of(demand: Demand) -> Numbers:
    """Return the arrays of a demand in the layout of the kernels."""
    if isinstance(demand, WeightedLabels):
        labels = np.ascontiguousarray(demand.y, dtype=np.int32)
        numbers = _rows(np.asarray(demand.weight)[:, None])
        return Numbers(labels, numbers, np.zeros((1, 1)))
    if isinstance(demand, Targets):
        numbers, weights = _rows(demand.target), _rows(demand.weight)
    else:
        matrix = demand.cost if isinstance(demand, Costs) else demand.signed_weight
        numbers, weights = _rows(matrix), np.zeros((1, 1))
    return Numbers(np.zeros(1, np.int32), numbers, weights)


def _trimmed(
    numbers: NDArray[np.float64], share: float, count: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Set the numbers of the lightest samples of each tree to 0; equally light samples together."""
    magnitude = np.abs(numbers)
    of_sample = magnitude / np.maximum(count, 1)
    order = np.argsort(of_sample, axis=1)
    sums = np.take_along_axis(magnitude, order, axis=1).cumsum(axis=1)
    n_light = (sums <= share * sums[:, -1:]).sum(axis=1, keepdims=True)
    first = np.take_along_axis(order, np.minimum(n_light, order.shape[1] - 1), axis=1)
    least = np.take_along_axis(of_sample, first, axis=1)
    # the tolerance treats weights that differ by rounding as equal
    return np.where(of_sample >= least * (1.0 - 1e-12), numbers, 0.0)


def _rows(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the transpose in C order, without a copy if the columns are in Fortran order."""
    return np.ascontiguousarray(np.asarray(columns).T, dtype=np.float64)
