"""Trees with names in the papers: `Tree` with some parameters fixed."""

from __future__ import annotations

from boostbench.estimator_presets import preset
from boostbench.weak_learners.demands import BinaryLabels, Costs, Targets, WeightedLabels
from boostbench.weak_learners.tree import Tree

Stump = preset(
    Tree,
    "Stump",
    """A `Tree` of two leaves.

    Examples
    --------
    >>> Stump().get_params()["criterion"]
    'auto'
    """,
    chosen={"max_leaf_nodes": 2},
    hidden=("max_depth", "min_samples_leaf", "min_weight_fraction_leaf", "zero_gain"),
)

#: Parameters that "greedy" and "greedy-info" do not have.
_GREEDY = ("criterion", "min_samples_leaf", "min_weight_fraction_leaf", "trim")

Greedy = preset(
    Tree,
    "Greedy",
    """Tree that greedily minimises the summed cost of its answers.

    Best first; the value of a node is ``min_k sum_i C[i, k]``, and a split that gains at most
    1e-12 of the sum of all costs (above each row's smallest) is never made. Weighted labels count
    as costs: the weight for every wrong answer. A tree of s nodes has ``(s + 1) // 2`` leaves.

    References
    ----------
    Mukherjee & Schapire 2013, Sec. 9 ("greedy"); Kuznetsov, Mohri & Syed 2014.

    Examples
    --------
    >>> Greedy(max_leaf_nodes=5)
    Greedy(max_leaf_nodes=5)
    """,
    chosen={"zero_gain": False},
    hidden=_GREEDY,
    accepts=(Costs, WeightedLabels, BinaryLabels),
    _criteria={Costs: ("cost",), WeightedLabels: ("error",), BinaryLabels: ("error",)},
)

GreedyInfo = preset(
    Tree,
    "GreedyInfo",
    """`Greedy` with the information gain (bits of entropy) of the weighted labels.

    References
    ----------
    Mukherjee & Schapire 2013, Sec. 9 ("greedy-info").

    Examples
    --------
    >>> GreedyInfo(max_leaf_nodes=5)
    GreedyInfo(max_leaf_nodes=5)
    """,
    chosen={"zero_gain": False},
    hidden=_GREEDY,
    accepts=(WeightedLabels, BinaryLabels),
    _criteria={WeightedLabels: ("entropy",), BinaryLabels: ("entropy",)},
)

RegressionTree = preset(
    Tree,
    "RegressionTree",
    """Weighted least-squares tree, as scikit-learn's, of at most 8 leaves of at least 2 rows.

    Examples
    --------
    >>> RegressionTree().get_params()["max_leaf_nodes"]
    8
    """,
    hidden=("criterion", "zero_gain", "trim"),
    defaults={"max_leaf_nodes": 8, "min_samples_leaf": 2},
    accepts=(Targets,),
)
