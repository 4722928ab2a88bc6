"""Weak learners: decision trees on binned features, and adapted scikit-learn classifiers.

A booster passes a *demand* on the training rows (`WeightedLabels`, `BinaryLabels`, `Costs` or
`Targets`) to a weak learner, which returns a `Hypothesis`, whose trees form a `Forest`.
"""

from boostbench.weak_learners.base import LEAVES, NESTED_TREES, TREE_PER_CLASS, Hypothesis
from boostbench.weak_learners.c45 import C45
from boostbench.weak_learners.demands import (
    BinaryLabels,
    Costs,
    Demand,
    Targets,
    WeightedLabels,
)
from boostbench.weak_learners.factory import make_weak_learner
from boostbench.weak_learners.forest import Forest
from boostbench.weak_learners.path import GrowthPath
from boostbench.weak_learners.presets import Greedy, GreedyInfo, RegressionTree, Stump
from boostbench.weak_learners.tree import Tree
