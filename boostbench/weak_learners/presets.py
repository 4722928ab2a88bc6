"""Trees the papers name: `Tree` with the choices made."""

from __future__ import annotations

from typing import ClassVar

from boostbench.weak_learners.demands import BinaryLabels, Costs, Targets, WeightedLabels
from boostbench.weak_learners.tree import Tree

__all__ = ["Greedy", "GreedyInfo", "RegressionTree", "Stump"]


class Stump(Tree):
    """A `Tree` of two leaves.

    Parameters
    ----------
    criterion, splitter, trim, max_bins, n_jobs
        As of `Tree`.

    Examples
    --------
    >>> Stump().get_params()["criterion"]
    'auto'
    """

    def __init__(
        self,
        criterion: str = "auto",
        *,
        splitter: str = "best",
        trim: float = 0.0,
        max_bins: int = 255,
        n_jobs: int = 1,
    ) -> None:
        super().__init__(
            criterion,
            max_leaf_nodes=2,
            splitter=splitter,
            trim=trim,
            max_bins=max_bins,
            n_jobs=n_jobs,
        )


class Greedy(Tree):
    """Tree that greedily minimises the summed cost of its answers.

    Best first; the value of a node is ``min_k sum_i C[i, k]``, and a split that gains at most
    1e-12 of the sum of all costs (above each row's smallest) is never made. Weighted labels count
    as costs: the weight for every wrong answer.

    Parameters
    ----------
    max_leaf_nodes, max_depth, splitter, max_bins, n_jobs
        As of `Tree`. A tree of s nodes has ``(s + 1) // 2`` leaves.

    References
    ----------
    Mukherjee & Schapire 2013, Sec. 9 ("greedy"); Kuznetsov, Mohri & Syed 2014.

    Examples
    --------
    >>> Greedy(max_leaf_nodes=5)
    Greedy(max_leaf_nodes=5)
    """

    accepts: ClassVar[tuple[type, ...]] = (Costs, WeightedLabels, BinaryLabels)
    _criteria: ClassVar[dict[type, tuple[str, ...]]] = {
        Costs: ("cost",),
        WeightedLabels: ("error",),
        BinaryLabels: ("error",),
    }

    def __init__(
        self,
        *,
        max_leaf_nodes: int | None = None,
        max_depth: int | None = None,
        splitter: str = "best",
        max_bins: int = 255,
        n_jobs: int = 1,
    ) -> None:
        super().__init__(
            max_leaf_nodes=max_leaf_nodes,
            max_depth=max_depth,
            splitter=splitter,
            zero_gain=False,
            max_bins=max_bins,
            n_jobs=n_jobs,
        )


class GreedyInfo(Tree):
    """`Greedy` with the information gain (bits of entropy) of the weighted labels.

    Parameters
    ----------
    max_leaf_nodes, max_depth, splitter, max_bins, n_jobs
        As of `Tree`.

    References
    ----------
    Mukherjee & Schapire 2013, Sec. 9 ("greedy-info").

    Examples
    --------
    >>> GreedyInfo(max_leaf_nodes=5)
    GreedyInfo(max_leaf_nodes=5)
    """

    accepts: ClassVar[tuple[type, ...]] = (WeightedLabels, BinaryLabels)
    _criteria: ClassVar[dict[type, tuple[str, ...]]] = {
        WeightedLabels: ("entropy",),
        BinaryLabels: ("entropy",),
    }

    def __init__(
        self,
        *,
        max_leaf_nodes: int | None = None,
        max_depth: int | None = None,
        splitter: str = "best",
        max_bins: int = 255,
        n_jobs: int = 1,
    ) -> None:
        super().__init__(
            max_leaf_nodes=max_leaf_nodes,
            max_depth=max_depth,
            splitter=splitter,
            zero_gain=False,
            max_bins=max_bins,
            n_jobs=n_jobs,
        )


class RegressionTree(Tree):
    """Weighted least-squares tree, as scikit-learn's, of at most 8 leaves of at least 2 rows.

    Parameters
    ----------
    max_leaf_nodes : int or None, default=8
    min_samples_leaf : int, default=2
    max_depth, min_weight_fraction_leaf, splitter, max_bins, n_jobs
        As of `Tree`.

    Examples
    --------
    >>> RegressionTree().get_params()["max_leaf_nodes"]
    8
    """

    accepts: ClassVar[tuple[type, ...]] = (Targets,)

    def __init__(
        self,
        *,
        max_leaf_nodes: int | None = 8,
        max_depth: int | None = None,
        min_samples_leaf: int = 2,
        min_weight_fraction_leaf: float = 0.0,
        splitter: str = "best",
        max_bins: int = 255,
        n_jobs: int = 1,
    ) -> None:
        super().__init__(
            max_leaf_nodes=max_leaf_nodes,
            max_depth=max_depth,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            splitter=splitter,
            max_bins=max_bins,
            n_jobs=n_jobs,
        )
