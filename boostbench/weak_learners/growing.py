"""Growing: best-first growth of trees from the statistics of the rows.

The rows of a leaf are contiguous. Of two children, the histogram of the one with fewer rows is
built; that of the other one is the difference from the parent's histogram. An upper bound of the
gain of any split of a leaf is the key of the leaf in the queue until its best split is known; the
histogram of the leaf is built only when this key is the largest. Most pure leaves, and all leaves
that remain when the tree is full, therefore need no histogram. A leaf of few rows has a
compact histogram instead, whose cost is proportional to the number of rows (see
`boostbench.weak_learners.compact`).

Nodes are numbered in order of creation (left child, right child), and the inner nodes of the
finished tree in order of splitting, so the first l - 1 inner nodes form the best-first tree of l
leaves.

Threads take one tree after the other. A thread that finds none left builds and searches histograms
of some features for the large nodes of another thread's tree (see `boostbench.weak_learners.team`).

For each criterion there are two kernels, compiled on first use: one grows trees, the other searches
parts of nodes for it in other threads. The criterion is a constant of the kernel, so numba prunes
the branches of other criteria before it compiles the functions called in them. In the same way it
leaves out pruning, compact histograms and teams if the argument for their work space is None, and
compiles another version of the kernel when they are needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boostbench.compiled import inner, kernel, stage
from boostbench.threads import in_parts, n_threads
from boostbench.weak_learners.binning import BinnedData
from boostbench.weak_learners.compact import build_compact, in_data, is_cheaper
from boostbench.weak_learners.criteria import (
    C45,
    COST,
    COSTS,
    ENTROPY,
    ERROR,
    GAIN_RATIO,
    GINI,
    SQUARED_ERROR,
    TWO_CLASSES,
    entropy,
    impurity,
    most_gain,
    resolution,
)
from boostbench.weak_learners.heap import pop, push
from boostbench.weak_learners.histograms import (
    build_costs,
    build_labels,
    build_targets,
    share_of,
    subtract,
)
from boostbench.weak_learners.nodes import (
    least_weight,
    may_split,
    place_histogram,
    release,
    split_node,
    start_table,
)
from boostbench.weak_learners.options import GrowthRules
from boostbench.weak_learners.packing import list_leaves, pack, place_rows
from boostbench.weak_learners.pruning import Pruning, PruningRules, prune
from boostbench.weak_learners.splitting import (
    best_ratio,
    draw,
    next_occupied,
    search_costs,
    search_entropy,
    search_error,
    search_gini,
    search_targets,
    search_two_classes,
    sum_left,
    threshold_of,
)
from boostbench.weak_learners.statistics import (
    count_samples,
    prepare_costs,
    prepare_labels,
    prepare_targets,
    square_of,
)
from boostbench.weak_learners.structures import GrownTrees, Histogram, Numbers, Work
from boostbench.weak_learners.team import (
    Team,
    hand_in,
    has_members,
    join,
    post,
    take,
    take_tree,
    wait_for_all,
    wait_for_part,
)
from boostbench.weak_learners.traversal import BLOCK, place

#: Number of additions at the roots of all trees below which threads share no node, as starting
#: them takes longer.
_SHARED_TREE = 300_000
#: Smallest number of additions to a histogram and sums to search for which threads share a node.
_SHARED_NODE = 30_000


def grow_trees(
    data: BinnedData, rules: GrowthRules, numbers: Numbers, pruning: PruningRules | None = None
) -> GrownTrees:
    """Grow one tree per column of a demand, in several threads (the kernels run without the GIL).

    Parameters
    ----------
    data : BinnedData
    rules : GrowthRules
    numbers : Numbers
    pruning : PruningRules, optional
        None for no pruning.

    Returns
    -------
    GrownTrees
    """
    n_trees = 1 if rules.kind == COSTS else len(numbers.numbers)
    trees, n_taken = GrownTrees.room(n_trees, rules.max_leaves, data.n_rows), np.zeros(1, np.int64)
    criterion = rules.criterion
    drawn = rules.random or rules.n_drawn < data.n_features
    plain = rules.n_sums == 2 and not drawn and rules.min_samples_leaf <= 1
    if criterion == GINI and plain and not data.has_missing:
        criterion = TWO_CLASSES
    elif criterion in (GAIN_RATIO, C45):
        criterion = ENTROPY
    # drawn features, and a choice by the mean gain, need all features in one part
    whole = rules.n_drawn < data.n_features or rules.criterion in (GAIN_RATIO, C45)
    size = n_trees * (data.dense_codes.size + data.sparse_bins.size)
    n_parts = 1 if whole or size < _SHARED_TREE else data.n_parts
    n_members = min(n_threads(size), max(n_trees, n_parts))
    works = Work.spaces(min(n_trees, n_members), rules, data, numbers)
    shared = n_parts > 1 and n_members > 1
    teams = [Team.of(n_parts, _SHARED_NODE) if shared else None for _ in works]
    grow, help_grow = _KERNELS[criterion]

    def take_part(members: slice) -> None:
        for work, team in list(zip(works, teams, strict=True))[members]:
            try:
                space = pruning and Pruning.space(
                    pruning, numbers.numbers, data.samples, rules.n_sums
                )
                grow(data, rules, numbers, space, work, work.compact, team, n_taken, trees)
            finally:
                if team is not None:
                    team.close()
        for work, team in zip(works, teams, strict=True):
            if team is not None and team.is_open:
                help_grow(data, rules, work.of_member(), team)

    in_parts(take_part, n_members)
    trees = trees.without_gaps()
    unplaced = np.flatnonzero(trees.unplaced)
    if len(unplaced):

        def place_part(part: slice) -> None:
            work = np.empty(BLOCK, trees.leaves.dtype), np.empty(BLOCK, np.int32)
            place(data.codes, trees.nodes, trees.node_offset, unplaced[part], trees.leaves, *work)

        in_parts(place_part, len(unplaced), trees.leaves.size)
    return trees


def _part_for(criterion: int, build: Any, search: Any) -> Any:
    """Return the function that searches a part of the features of a node by a criterion."""

    @inner
    def find_in_part(data, rules, work, compact, part, stop):  # type: ignore[no-untyped-def]
        """Find the best split of the node of the current step in some parts of the features."""
        tree, step, share = work.tree, work.step[0], share_of(data, part, stop)
        leaf, total, n_bins = tree.nodes[step.node], tree.total[step.node], data.low.shape[0]
        first, end = share.first, share.end
        if compact is not None and leaf.compact:
            rows = tree.rows[leaf.start : leaf.end]
            sums = work.histogram[step.searched]
            n_bins, end = build_compact(data, share, tree, rows, total, compact, sums)
            offset, sizes = compact.offset[: end + 1], compact.n_bins[:end]
            hist = Histogram(sums, offset, sizes, n_bins, True, total)
        else:
            if step.built >= 0:
                sums, its_total = work.histogram[step.place], tree.total[step.built]
                rows = tree.rows[tree.nodes[step.built].start : tree.nodes[step.built].end]
                build(rules, data, share, tree, rows, its_total, sums)
                if step.whole >= 0:
                    subtract(rules.kind, data, share, work.histogram[step.whole], sums, its_total)
            sums = work.histogram[step.searched]
            hist = Histogram(sums, data.offset, data.n_bins, n_bins, False, total)
        feature = search(rules, data, hist, step, first, end, work.scan)
        if criterion == ENTROPY and rules.criterion != ENTROPY:
            feature = best_ratio(rules, hist, end, work.scan.best)
        found = work.found[part]
        found.feature = feature
        if feature < 0:
            return
        best = work.scan.best[feature]
        b, right = best.bin, next_occupied(rules, hist, feature, best.bin)
        found.key, found.gain, found.missing_left = best.key, max(best.gain, 0.0), best.missing_left
        left = work.left[part] if part > 0 else tree.left[step.node]
        sum_left(rules, hist, feature, b, best.missing_left, left)
        if compact is not None and leaf.compact:
            found.feature, b, right = in_data(data, compact, feature, b, right)
        if criterion != TWO_CLASSES and rules.random and b < data.n_bins[feature] - 1:
            found.bin, found.threshold = draw(rules, data, hist, step, feature)
        else:
            found.bin, found.threshold = threshold_of(rules, data, found.feature, b, right)

    return find_in_part


_part_gini = _part_for(GINI, build_labels, search_gini)
_part_entropy = _part_for(ENTROPY, build_labels, search_entropy)
_part_error = _part_for(ERROR, build_labels, search_error)
_part_two_classes = _part_for(TWO_CLASSES, build_labels, search_two_classes)
_part_costs = _part_for(COST, build_costs, search_costs)
_part_targets = _part_for(SQUARED_ERROR, build_targets, search_targets)


@stage
def _do_part(criterion, data, rules, work, compact, part, stop):  # type: ignore[no-untyped-def]
    if criterion == TWO_CLASSES:
        _part_two_classes(data, rules, work, compact, part, stop)
    elif criterion == COST:
        _part_costs(data, rules, work, compact, part, stop)
    elif criterion == SQUARED_ERROR:
        _part_targets(data, rules, work, compact, part, stop)
    elif criterion == ERROR:
        _part_error(data, rules, work, compact, part, stop)
    elif criterion == GINI:
        _part_gini(data, rules, work, compact, part, stop)
    else:
        _part_entropy(data, rules, work, compact, part, stop)


def _kernel_for(criterion: int) -> Any:
    """Return the kernel that grows trees by a criterion."""

    @kernel
    def grow(  # type: ignore[no-untyped-def]
        data, rules, numbers, pruning, work, compact, team, n_taken, trees
    ):
        tree, queue = work.tree, work.queue
        nodes, root = tree.nodes, tree.total[0]
        column = take_tree(n_taken)
        while column < trees.leaves.shape[0]:
            number = numbers.numbers[column]
            count = data.samples[column if data.samples.shape[0] > 1 else 0]
            if criterion == COST:
                sample = prepare_costs(numbers.numbers, tree.rows, tree.stat, root)
            elif criterion == SQUARED_ERROR:
                weight = numbers.weights[column if numbers.weights.shape[0] > 1 else 0]
                sample = prepare_targets(number, weight, tree.rows, tree.stat, root)
            else:
                rows, label, stat = tree.rows, tree.label, tree.stat
                sample = prepare_labels(rules.kind, number, count, rows, label, stat, root)
            if criterion != TWO_CLASSES and (criterion == COST or rules.min_samples_leaf > 1):
                count_samples(count, tree.rows[: sample.n_active], tree.stat, root)
            start_table(sample, tree)
            tie, n_open, n_splits, n_known = 0.0, np.int64(0), np.int64(0), np.int64(0)
            while sample.n_active > 0:
                end = 2 * n_splits + 1
                for node in range(n_known, end):  # the root, or two children
                    leaf, total = nodes[node], tree.total[node]
                    if criterion == SQUARED_ERROR:
                        leaf.square = square_of(tree.stat, tree.rows[leaf.start : leaf.end])
                    if criterion == ENTROPY:
                        leaf.impurity = entropy(rules, total)
                    else:
                        leaf.impurity = impurity(rules, total, leaf.square)
                    if compact is not None:
                        leaf.compact = is_cheaper(rules, data, leaf.end - leaf.start, total)
                    if node == 0:
                        tie = resolution(rules, total, leaf.square, sample.scale)
                    if may_split(rules, sample.unit, leaf, total, tie):
                        gain = most_gain(rules, total, leaf.impurity)
                        n_open = push(queue, n_open, np.rint(gain / tie) + 1.0, node)
                if end - n_known == 2 and nodes[end - 2].compact and nodes[end - 1].compact:
                    release(nodes[nodes[end - 1].parent], tree.free)
                n_known = end
                if n_open == 0 or n_splits + 1 >= rules.max_leaves:
                    break
                node = queue[0].node
                n_open = pop(queue, n_open)
                if nodes[node].feature >= 0:
                    tree.split_order[n_splits] = node
                    n_splits += 1
                    split_node(data, node, end, tree)
                    continue
                _find(criterion, data, rules, sample, column, node, work, compact, team)
                if nodes[node].feature >= 0 and (rules.zero_gain or nodes[node].gain > tie):
                    n_open = push(queue, n_open, np.rint(nodes[node].gain / tie), node)
                else:
                    release(nodes[node], tree.free)
            list_leaves(criterion, rules, n_splits, tree)
            leaves = trees.leaves[column]
            trees.unplaced[column] = sample.n_active < leaves.shape[0]
            if pruning is not None:
                n_splits = prune(data, pruning, number, column, n_splits, tree)
                trees.unplaced[column] = True
            pack(criterion, rules, data.n_bins, numbers, sample, column, n_splits, tree, trees)
            if trees.unplaced[column]:
                for i in range(leaves.shape[0]):
                    leaves[i] = -1
            if pruning is None:
                place_rows(tree, n_splits, leaves)
            column = take_tree(n_taken)

    return grow


def _help_for(criterion: int) -> Any:
    """Return the kernel of the other members of a team, which search parts of shared nodes."""

    @kernel
    def help_grow(data, rules, work, team):  # type: ignore[no-untyped-def]
        join(team)
        part = wait_for_part(team)
        while part >= 0:
            _do_part(criterion, data, rules, work, None, part, part + 1)
            hand_in(team)
            part = wait_for_part(team)

    return help_grow


#: Kernels of each criterion: for the leader and for the other members of a team.
_KERNELS = {
    criterion: (_kernel_for(criterion), _help_for(criterion))
    for criterion in (GINI, ENTROPY, ERROR, TWO_CLASSES, COST, SQUARED_ERROR)
}


@inner
def is_shared(rules, data, n_rows, team):  # type: ignore[no-untyped-def]
    """Return whether a node has enough rows to add and bins to search to be shared by threads."""
    n_entries = data.sparse_bins.shape[0] // data.codes.shape[1] + data.dense_offset.shape[0]
    n_bins = rules.n_sums * data.low.shape[0]
    return has_members(team) and n_rows * n_entries + n_bins >= team.least


@stage
def _find(  # type: ignore[no-untyped-def]
    criterion, data, rules, sample, column, node, work, compact, team
):
    """Find the best split of a leaf and write it to the node table."""
    tree, step, n_rows = work.tree, work.step[0], np.int64(0)
    leaf, total = tree.nodes[node], tree.total[node]
    step.node, step.impurity, step.square = node, leaf.impurity, leaf.square
    step.grid = 1.0 / resolution(rules, total, leaf.square, sample.scale)
    step.least_weight = least_weight(rules, sample.unit, tree.total[0], total)
    step.unit, step.stream = sample.unit, stream_of(rules.seed, column, node)
    step.built, step.searched = -1, leaf.slot
    if leaf.compact:
        step.searched = work.histogram.shape[0] - 1
    elif leaf.slot < 0:
        step.built, step.place, step.whole = place_histogram(tree.nodes, tree.free, node)
        step.searched = step.place if step.built == node else step.whole
        n_rows = tree.nodes[step.built].end - tree.nodes[step.built].start
    n_parts, n_found, chosen = data.cuts.shape[0] - 1, 1, 0
    if team is None:
        _do_part(criterion, data, rules, work, compact, 0, n_parts)
    else:
        shared = not leaf.compact and is_shared(rules, data, n_rows, team)
        part, stop = 0, n_parts  # all parts together
        if shared:
            post(team)
            part, n_found = take(team), n_parts
        while part >= 0:  # one call for both cases, as each call is compiled
            _do_part(criterion, data, rules, work, compact, part, part + 1 if shared else stop)
            if shared:
                hand_in(team)
            part = take(team) if shared else -1
        if shared:
            wait_for_all(team)
    for part in range(1, n_found):  # the first part wins ties
        best, other = work.found[chosen], work.found[part]
        if other.feature >= 0 and (best.feature < 0 or other.key > best.key):
            chosen = part
    best = work.found[chosen]
    leaf.feature, leaf.bin, leaf.threshold = best.feature, best.bin, best.threshold
    leaf.missing_left, leaf.gain = best.missing_left, best.gain
    if chosen > 0:
        for k in range(total.shape[0]):
            tree.left[node, k] = work.left[chosen, k]


@inner
def stream_of(seed, column, node):  # type: ignore[no-untyped-def]
    """Return the key of the random draws of a node.

    It does not depend on the order of the rows, since the numbers of nodes do not.
    """
    x = np.uint64(seed) + np.uint64(column) * np.uint64(0xD1342543DE82EF95)
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xDABA0B6EB09322E3)
    x = x + np.uint64(node) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(32))
