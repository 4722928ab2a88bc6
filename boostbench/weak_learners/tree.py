"""Decision trees on binned features, for every kind of demand."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from boostbench.registry import weak_learners
from boostbench.weak_learners.base import LEAVES, NESTED_TREES, TREE_PER_CLASS, Hypothesis
from boostbench.weak_learners.binning import BinnedData
from boostbench.weak_learners.criteria import CRITERIA, KIND_OF
from boostbench.weak_learners.demands import (
    BinaryLabels,
    Costs,
    Demand,
    Targets,
    WeightedLabels,
    either,
)
from boostbench.weak_learners.growing import grow_trees
from boostbench.weak_learners.options import GrowthRules, Serves, TreeOptions
from boostbench.weak_learners.path import GrowthPath
from boostbench.weak_learners.pruning import PruningRules
from boostbench.weak_learners.structures import GrownTrees, Numbers

#: Bytes of stored histograms of a growing tree; others are built again when needed.
_HISTOGRAM_BYTES = 64 << 20

_FOR_LABELS = ("gini", "entropy", "gain-ratio", "error")


@weak_learners.register("tree")
class Tree(TreeOptions):
    """Binary decision tree, grown best first as scikit-learn's CART.

    The leaf whose split decreases the impurity mass most is split next. A split sends
    ``x <= threshold`` left, with the threshold midway between neighbouring values of the rows of
    the node. Rows of weight 0 have no influence. Leaves predict by weighted majority, by least
    summed cost, or by weighted mean. Impure nodes are split even without any gain, after all splits
    with a gain, unless `zero_gain` is False. Ties are broken by the lowest feature, then the lowest
    threshold; among leaves by the older leaf; among labels by the lowest one (-1 before +1).

    On features of at most `max_bins` distinct values, the tree equals CART's up to ties; features
    of more values are binned. The parameters are those of `TreeOptions`.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> tree = Tree(max_leaf_nodes=2)
    >>> demand = BinaryLabels(np.array([[0.1], [0.3], [-0.2], [-0.4]]))
    >>> h = tree.fit(tree.prepare(X), demand)
    >>> from boostbench.weak_learners.drawing import FittedTree
    >>> print(FittedTree(h.trees))
    x0 <= 1.5
    |-- class 0 +1
    else
    |-- class 0 -1
    """

    accepts: ClassVar[tuple[type, ...]] = (WeightedLabels, BinaryLabels, Costs, Targets)
    gives: ClassVar[tuple[str, ...]] = (LEAVES, TREE_PER_CLASS, NESTED_TREES)

    #: Criteria for each kind of demand; the first one is "auto".
    _criteria: ClassVar[dict[type, tuple[str, ...]]] = {
        WeightedLabels: _FOR_LABELS,
        BinaryLabels: _FOR_LABELS,
        Costs: ("cost",),
        Targets: ("squared-error",),
    }

    def check(self, kind: type) -> None:
        """Raise ValueError if a kind of demand is not supported, or an option has no effect on it.

        Parameters
        ----------
        kind : type
            Class of the demand.
        """
        super().check(kind)
        fitting = ("auto", *self._criteria[kind])
        if self.criterion not in fitting:
            raise ValueError(
                f"criterion {self.criterion!r} does not fit {kind.__name__}; "
                f"it takes {' or '.join(map(repr, fitting))}"
            )
        own: Any = type(self)
        for name, demands in _without_effect(own, kind):
            value = getattr(self, name)
            if value != getattr(own, name):
                raise ValueError(
                    f"{name}={value!r} has no effect on {kind.__name__}; "
                    f"it serves {either(demands)}"
                )

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
            As by `check`, or if ``rng`` is missing.
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
            As by `fit`, or if the demand needs several trees.
        """
        grown = self.grow(data, demand, rng)
        if len(grown.root_impurity) != 1:
            raise ValueError(f"a growth path is one tree; {type(demand).__name__} asks for several")
        return GrowthPath(grown, data.n_features)

    def _rules(
        self, data: BinnedData, demand: Demand, rng: np.random.Generator | None
    ) -> GrowthRules:
        kind = type(demand)
        self.check(kind)
        n_sums = 2
        if isinstance(demand, WeightedLabels):
            n_sums = int(demand.n_classes)
        elif isinstance(demand, Costs):
            n_sums = int(demand.cost.shape[1])
        random, n_drawn = self.splitter == "random", self._n_drawn(data.n_features)
        draws = random or n_drawn < data.n_features
        if draws and rng is None:
            raise ValueError("splitter='random' and max_features need a random generator")
        leaves = min(
            self.max_leaf_nodes or data.n_rows, data.n_rows, 1 << min(self.max_depth or 62, 62)
        )
        cells = (n_sums + 1) * data.low.shape[0]
        return GrowthRules.of(
            self,
            kind=KIND_OF[kind],
            criterion=CRITERIA[self._criterion(kind)],
            n_sums=n_sums,
            random=random,
            n_drawn=n_drawn,
            max_leaves=max(int(leaves), 1),
            seed=int(rng.integers(2**62)) if draws and rng is not None else 0,
            histograms=max(2, _HISTOGRAM_BYTES // (8 * cells)),
        )

    def _criterion(self, kind: type) -> str:
        """Return the criterion of growth for a kind of demand."""
        return self._criteria[kind][0] if self.criterion == "auto" else self.criterion

    def _n_drawn(self, n_features: int) -> int:
        """Return the number of features drawn for each node."""
        asked = self.max_features
        if asked is None:
            return n_features
        if isinstance(asked, str):  # "sqrt"
            return max(math.isqrt(n_features), 1)
        is_number = np.issubdtype(type(asked), np.integer)
        return min(max(int(asked if is_number else asked * n_features), 1), n_features)


@cache
def _without_effect(learner: type[Tree], kind: type) -> tuple[tuple[str, tuple[type, ...]], ...]:
    """Return the options without effect on a kind of demand, with the kinds that they serve."""
    return tuple(
        (name, note.demands)
        for name, notes in learner._parameter_notes.items()
        for note in notes
        if isinstance(note, Serves) and kind not in note.demands
    )


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


def _rows(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the transpose in C order, without a copy if the columns are in Fortran order."""
    return np.ascontiguousarray(np.asarray(columns).T, dtype=np.float64)
