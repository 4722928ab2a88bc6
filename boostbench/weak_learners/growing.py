"""Growing: trees best first, from the statistics of the rows.

The rows of a leaf are contiguous. Of two children only the one with fewer rows has its histogram
built; the other's is the parent's minus that. A leaf's histogram is built only when its impurity,
which bounds the gain of any split of it, is the largest key among all leaves: most pure leaves, and
all leaves left when the tree is full, never cost one. A leaf of few rows has a compact histogram
instead, which costs nothing but what its rows cost (see `boostbench.weak_learners.compact`).

Nodes are numbered as they arise (children: left, right), the inner nodes of the finished tree in
the order in which they were split. So the first l - 1 of them are the best-first tree of l leaves.

There is a kernel per criterion, compiled when a tree first needs it. The criterion is a constant
in it: numba drops the branches of other criteria before it compiles what they call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boostbench.compiled import inner, kernel, stage
from boostbench.weak_learners.binning import BinnedData
from boostbench.weak_learners.compact import build_compact, in_data, is_cheaper
from boostbench.weak_learners.criteria import (
    C45,
    COST,
    ENTROPY,
    ERROR,
    GAIN_RATIO,
    GINI,
    SQUARED_ERROR,
    TWO_CLASSES,
    entropy,
    impurity,
    resolution,
)
from boostbench.weak_learners.heap import pop, push
from boostbench.weak_learners.histograms import (
    build_costs,
    build_labels,
    build_targets,
    subtract,
)
from boostbench.weak_learners.nodes import (
    least_weight,
    may_split,
    place_histogram,
    release,
    smaller,
    split_node,
    start_table,
    take_off,
)
from boostbench.weak_learners.packing import assign_leaves, list_leaves, pack
from boostbench.weak_learners.pruning import Pruning, prune
from boostbench.weak_learners.splitting import (
    Searched,
    best_ratio,
    draw,
    next_occupied,
    search_costs,
    search_entropy,
    search_error,
    search_gini,
    search_targets,
    search_two_classes,
    threshold_of,
)
from boostbench.weak_learners.statistics import (
    add_costs,
    add_labels,
    add_targets,
    count_samples,
    prepare_costs,
    prepare_labels,
    prepare_targets,
)
from boostbench.weak_learners.structures import (
    GrownTrees,
    GrowthRules,
    Histogram,
    Numbers,
    Work,
)


def grow_trees(
    data: BinnedData, rules: GrowthRules, numbers: Numbers, pruning: Pruning | None = None
) -> GrownTrees:
    """Grow one tree per column of a demand, one after the other.

    The trees are independent of each other: calls for some of the columns each, in threads of
    their own, give the same trees (the kernels run without the GIL).

    Parameters
    ----------
    data : BinnedData
    rules : GrowthRules
    numbers : Numbers
    pruning : Pruning, optional
        Rules and work space of pruning; absent: the trees are not pruned.

    Returns
    -------
    GrownTrees
    """
    trees = GrownTrees.room(len(numbers.columns), rules.max_leaves, data.n_rows)
    criterion = rules.criterion
    drawn = rules.random or rules.max_features < data.n_features
    plain = rules.n_sums == 2 and not drawn and rules.min_samples <= 1
    if criterion == GINI and plain and len(data.low) == data.n_bins.sum():
        criterion = TWO_CLASSES
    elif criterion in (GAIN_RATIO, C45):
        criterion = ENTROPY
    work = Work.space(rules, data, numbers.labels)
    _KERNELS[criterion](data, rules, numbers, pruning, work, trees)
    nodes, answers = trees.nodes[: trees.node_offset[-1]], trees.answers[: trees.leaf_offset[-1]]
    return trees._replace(nodes=nodes, answers=answers)


def _kernel_for(criterion: int) -> Any:
    """Return the kernel of a criterion, which is a constant in it."""

    @kernel
    def grow(data, rules, numbers, pruning, work, trees):  # type: ignore[no-untyped-def]
        tree, queue = work.tree, work.queue
        nodes = tree.nodes
        for t in range(numbers.columns.shape[0]):
            column = numbers.columns[t]
            number = numbers.numbers[column]
            count = data.samples[column if data.samples.shape[0] > 1 else 0]
            if criterion == COST:
                sample = prepare_costs(numbers.numbers, tree.rows, tree.stat)
            elif criterion == SQUARED_ERROR:
                weight = numbers.weights[column if numbers.weights.shape[0] > 1 else 0]
                sample = prepare_targets(number, weight, tree.rows, tree.stat)
            else:
                rows, label, stat = tree.rows, tree.label, tree.stat
                sample = prepare_labels(rules.kind, number, count, rows, label, stat)
            if criterion != TWO_CLASSES and (criterion == COST or rules.min_samples > 1):
                count_samples(count, tree.stat)
            start_table(sample, tree)
            tie, n_open, n_splits, n_known = 0.0, np.int64(0), np.int64(0), np.int64(0)
            while sample.n_active > 0:
                end = 2 * n_splits + 1
                if n_known < end:  # the root, or two children
                    _measure(criterion, data, rules, n_known, end, tree)
                    if n_known == 0:
                        tie = resolution(rules, tree.total[0], nodes[0].square, sample.scale)
                    for node in range(n_known, end):
                        if may_split(rules, sample.unit, nodes[node], tree.total[node], tie):
                            bound = np.rint(nodes[node].impurity / tie) + 1.0
                            n_open = push(queue, n_open, bound, node)
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
                _find(criterion, data, rules, sample, column, node, work)
                if nodes[node].feature >= 0 and (rules.zero_gain or nodes[node].gain > tie):
                    n_open = push(queue, n_open, np.rint(nodes[node].gain / tie), node)
                else:
                    release(nodes[node], tree.free)
            list_leaves(criterion, rules, n_splits, tree)
            n_placed = sample.n_active
            if pruning is not None:
                n_splits = prune(data, pruning, number, column, n_splits, tree)
                n_placed = 0
            pack(criterion, rules, numbers, sample, t, n_splits, tree, trees)
            assign_leaves(data, tree, n_splits, n_placed, trees.leaves[t])

    return grow


_KERNELS = {criterion: _kernel_for(criterion) for criterion in range(TWO_CLASSES + 1)}


@stage
def _measure(criterion, data, rules, first, end, tree):  # type: ignore[no-untyped-def]
    """Compute sums and impurities of the root, or of two children: the smaller one's first."""
    nodes, total = tree.nodes, tree.total
    small = smaller(nodes, first) if end - first == 2 else first
    for i in range(end - first):
        node = small if i == 0 else first + end - 1 - small
        new, rows = nodes[node], tree.rows[nodes[node].start : nodes[node].end]
        if criterion == SQUARED_ERROR:  # squares are no integers: no subtraction
            new.square = add_targets(tree.stat, rows, total[node])
        elif i > 0:
            take_off(total[new.parent], total[small], total[node])
        elif criterion == COST:
            add_costs(tree.stat, rows, total[node])
        else:
            add_labels(tree.label, tree.stat, rows, total[node])
        if criterion == ENTROPY:
            new.impurity = entropy(rules, total[node])
        else:
            new.impurity = impurity(rules, total[node], new.square)
        if criterion != COST and criterion != SQUARED_ERROR:
            new.compact = is_cheaper(rules, data, rows, total[node])
    if end - first == 2 and nodes[first].compact and nodes[first + 1].compact:
        release(nodes[nodes[first].parent], tree.free)


@stage
def _find(criterion, data, rules, sample, column, node, work):  # type: ignore[no-untyped-def]
    """Find the best split of a leaf and note it in the table."""
    tree, scan = work.tree, work.scan
    leaf, total = tree.nodes[node], tree.total[node]
    sums = work.histogram[work.histogram.shape[0] - 1]
    hist = Histogram(sums, data.offset, data.n_bins, data.low.shape[0])
    if criterion != COST and criterion != SQUARED_ERROR and leaf.compact:
        bins = work.compact
        size, d = build_compact(data, tree, tree.rows[leaf.start : leaf.end], total, bins, sums)
        hist = Histogram(sums, bins.offset[: d + 1], bins.n_bins[:d], size)
    else:
        place = leaf.slot
        if place < 0:
            built, place, whole = place_histogram(tree.nodes, tree.free, node)
            rows = tree.rows[tree.nodes[built].start : tree.nodes[built].end]
            sums = work.histogram[place]
            if criterion == COST:
                build_costs(rules, data, tree, rows, tree.total[built], sums)
            elif criterion == SQUARED_ERROR:
                build_targets(rules, data, tree, rows, tree.total[built], sums)
            else:
                build_labels(rules, data, tree, rows, tree.total[built], sums)
            if whole >= 0:
                subtract(rules.kind, work.histogram[whole], sums, tree.total[built])
            if built != node:
                place = whole
        hist = Histogram(work.histogram[place], data.offset, data.n_bins, data.low.shape[0])
    grid = 1.0 / resolution(rules, total, leaf.square, sample.scale)
    least = least_weight(rules, sample.unit, tree.total[0], total)
    key = stream_of(rules.seed, column, node)
    searched = Searched(total, leaf.impurity, leaf.square, grid, least, sample.unit, key)
    if criterion == TWO_CLASSES:
        feature = search_two_classes(rules, hist, searched, scan)
    elif criterion == COST:
        feature = search_costs(rules, data, hist, searched, scan)
    elif criterion == SQUARED_ERROR:
        feature = search_targets(rules, data, hist, searched, scan)
    elif criterion == ERROR:
        feature = search_error(rules, data, hist, searched, scan)
    elif criterion == GINI:
        feature = search_gini(rules, data, hist, searched, scan)
    else:
        feature = search_entropy(rules, data, hist, searched, scan)
        if rules.criterion != ENTROPY:
            feature = best_ratio(rules, searched, hist.n_bins.shape[0], scan.best)
    leaf.feature = feature
    if feature >= 0:
        best = scan.best[feature]
        b, right = best.bin, next_occupied(rules, hist, total, feature, best.bin)
        leaf.missing_left, leaf.gain = best.missing_left, max(best.gain, 0.0)
        if criterion != COST and criterion != SQUARED_ERROR and leaf.compact:
            leaf.feature, b, right = in_data(data, work.compact, feature, b, right)
        if criterion != TWO_CLASSES and rules.random and b < data.n_bins[feature] - 1:
            leaf.bin, leaf.threshold = draw(rules, data, hist, searched, feature)
        else:
            leaf.bin, leaf.threshold = threshold_of(rules, data, leaf.feature, b, right)
    if not rules.subtraction:
        release(leaf, tree.free)


@inner
def stream_of(seed, column, node):  # type: ignore[no-untyped-def]
    """Return the key of a node's draws: nodes are numbered alike whatever the order of rows."""
    x = np.uint64(seed) + np.uint64(column) * np.uint64(0xD1342543DE82EF95)
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xDABA0B6EB09322E3)
    x = x + np.uint64(node) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(32))
