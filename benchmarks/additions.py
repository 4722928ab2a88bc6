"""Measures of the histogram kernel against bare loops.

They use private functions of the tree engine, since the kernel has no public interface.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit

from benchmarks.data import Data
from benchmarks.settings import Settings
from benchmarks.table import Row
from benchmarks.timing import Contestant, compete, whole
from boostbench.weak_learners import BinaryLabels, Tree
from boostbench.weak_learners.histograms import build_labels, share_of
from boostbench.weak_learners.structures import Numbers, Work

#: Additions in one turn, enough for the resolution of the clock.
ADDITIONS = 20_000_000


def histogram_additions(data: Data, settings: Settings) -> Iterator[Row]:
    """Compare the additions per second of a root histogram with those of a bare loop in cache."""
    ours, n_ours = our_additions(data)
    bare, n_bare = bare_additions()
    a, b = compete([ours, bare], settings.repeats, settings.budget)
    speed, bare_speed = n_ours / a / 1e6, n_bare / b / 1e6
    yield Row(
        "histogram additions / bare loop",
        data.name,
        f"{speed:.0f} M/s",
        f"{bare_speed:.0f} M/s",
        speed / bare_speed,
        0.5,
        at_least=True,
    )


def histogram_bandwidth(data: Data, settings: Settings) -> Iterator[Row]:
    """Compare bytes of binned data and weights per second with those of a bare loop.

    The loop only sums what it reads, so it measures the speed at which memory delivers the data.
    """
    ours, n_ours = our_additions(data)
    prepared, n = Tree(max_leaf_nodes=2).prepare(data.X), len(data.y)
    codes, bins = prepared.dense_codes, prepared.sparse_bins
    stat, label = np.full(n, 2**40, dtype=np.int64), (data.y == 0).astype(np.int32)
    moved = sum(array.nbytes for array in (codes, bins, stat, label))
    passes = n_ours // (codes.size + len(bins))
    flat = codes.ravel()
    _read(1, flat, bins, stat, label)
    bare = whole(lambda: _read(passes, flat, bins, stat, label))
    a, b = compete([ours, bare], settings.repeats, settings.budget, choose=min)
    speed, bare_speed = passes * moved / a / 1e9, passes * moved / b / 1e9
    yield Row(
        "bytes read by a root histogram / bare loop",
        data.name,
        f"{speed:.2f} GB/s",
        f"{bare_speed:.2f} GB/s",
        speed / bare_speed,
        None,
        note=f"{moved / 1e6:.1f} MB a pass; the least of the repeats",
    )


def our_additions(data: Data) -> tuple[Contestant, int]:
    """Return a contestant that builds root histograms of two classes, and the number of additions.

    The additions that the sparse storage saves are not counted.
    """
    learner, n = Tree(max_leaf_nodes=2), len(data.y)
    prepared = learner.prepare(data.X)
    label = (data.y == 0).astype(np.int32)
    rules = learner._rules(prepared, BinaryLabels(np.ones((n, 1))), None)
    numbers = Numbers(label, np.ones((1, n)), np.ones((1, 1)))
    tree = Work.spaces(1, rules, prepared, numbers)[0].tree
    tree.label[:], tree.stat[:] = label, 2**40
    rows = np.arange(n, dtype=np.uint32)
    total = np.bincount(label, minlength=2) * 2**40
    histogram = np.zeros(2 * len(prepared.low), dtype=np.int64)
    additions = prepared.dense_codes.size + len(prepared.sparse_bins)
    repeats = -(-ADDITIONS // additions)
    arguments = (rules, prepared, tree, rows, total, histogram)
    _build(1, *arguments)
    return whole(lambda: _build(repeats, *arguments)), repeats * additions


def bare_additions() -> tuple[Contestant, int]:
    """Return a contestant that repeatedly adds 1,000 rows of 16 features, and the additions."""
    rng = np.random.default_rng(0)
    bins = rng.integers(64, size=(1_000, 16)) + 64 * np.arange(16)
    weight = np.full(1_000, 2**40, dtype=np.int64)
    histogram = np.zeros(64 * 16, dtype=np.int64)
    repeats = -(-ADDITIONS // bins.size)
    _add(1, bins, weight, histogram)
    return whole(lambda: _add(repeats, bins, weight, histogram)), repeats * bins.size


@njit
def _build(repeats: int, rules: Any, data: Any, tree: Any, rows: Any, total: Any, out: Any) -> None:
    share = share_of(data, 0, data.cuts.shape[0] - 1)
    for _ in range(repeats):
        build_labels(rules, data, share, tree, rows, total, out)


@njit
def _read(passes: int, codes: Any, bins: Any, stat: Any, label: Any) -> int:
    total = 0
    for p in range(passes):
        for code in codes:
            total += code ^ p
        for b in bins:
            total += b ^ p
        for i in range(len(stat)):
            total += stat[i] ^ label[i] ^ p
    return total


@njit
def _add(repeats: int, bins: Any, weight: Any, histogram: Any) -> None:
    for _ in range(repeats):
        for i in range(len(bins)):
            for j in range(bins.shape[1]):
                histogram[bins[i, j]] += weight[i]
