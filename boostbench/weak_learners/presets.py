"""Trees with names in the papers: `Tree` with some parameters fixed."""

from __future__ import annotations

from typing import ClassVar

from boostbench.registry import weak_learners
from boostbench.weak_learners.demands import BinaryLabels, Costs, Targets, WeightedLabels
from boostbench.weak_learners.options import LEAF_SIZE, SIZE, SPLITS
from boostbench.weak_learners.tree import Tree


@weak_learners.register("stump")
class Stump(Tree, takes=("criterion", SPLITS)):
    """A `Tree` of two leaves.

    Examples
    --------
    >>> Stump().get_params()["criterion"]
    'auto'
    """

    max_leaf_nodes = 2


@weak_learners.register("greedy")
class Greedy(Tree, takes=(SIZE, SPLITS)):
    """Tree that greedily minimises the summed cost of its answers.

    Best first; the value of a node is ``min_k sum_i C[i, k]``, and a split that gains at most
    1e-12 of the sum of all costs (above each row's smallest) is never made. Weighted labels count
    as costs: the weight for every wrong answer. A tree of s nodes has ``(s + 1) // 2`` leaves.

    References
    ----------
    Mukherjee & Schapire 2013, Sec. 10 ("greedy"); Kuznetsov, Mohri & Syed 2014.

    Examples
    --------
    >>> Greedy(max_leaf_nodes=5)
    Greedy(max_leaf_nodes=5)
    """

    zero_gain = False
    accepts = (Costs, WeightedLabels, BinaryLabels)
    _criteria: ClassVar = {Costs: ("cost",), WeightedLabels: ("error",), BinaryLabels: ("error",)}


@weak_learners.register("greedy-info")
class GreedyInfo(Tree, takes=(SIZE, SPLITS)):
    """`Greedy` with the information gain (bits of entropy) of the weighted labels.

    References
    ----------
    Mukherjee & Schapire 2013, Sec. 10 ("greedy-info").

    Examples
    --------
    >>> GreedyInfo(max_leaf_nodes=5)
    GreedyInfo(max_leaf_nodes=5)
    """

    zero_gain = False
    accepts = (WeightedLabels, BinaryLabels)
    _criteria: ClassVar = {WeightedLabels: ("entropy",), BinaryLabels: ("entropy",)}


@weak_learners.register("regression-tree")
class RegressionTree(Tree, takes=(SIZE, LEAF_SIZE, SPLITS)):
    """Weighted least-squares tree, as scikit-learn's, of at most 8 leaves of at least 2 rows.

    Examples
    --------
    >>> RegressionTree().get_params()["max_leaf_nodes"]
    8
    """

    max_leaf_nodes = 8
    min_samples_leaf = 2
    accepts = (Targets,)
