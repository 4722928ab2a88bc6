"""Lists of the measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks import additions, fit_speed, growth, memory, start, tree_speed
from benchmarks.data import NAMES, SHAPES, Data
from benchmarks.settings import Settings
from benchmarks.table import Row

#: Measures that are taken on data sets, and the data sets suitable for each.
ON_DATA: dict[str, tuple[Callable[[Data, Settings], Iterator[Row]], tuple[str, ...]]] = {
    "tree-lightgbm": (tree_speed.tree_and_lightgbm, NAMES),
    "tree-sklearn": (tree_speed.tree_and_sklearn, tuple(SHAPES)),
    "mh-lightgbm": (fit_speed.mh_and_lightgbm, tuple(SHAPES)),
    "samme-sklearn": (fit_speed.samme_and_sklearn, tuple(SHAPES)),
    "sm-mh": (fit_speed.sm_and_mh, tuple(SHAPES)),
    "staged-lightgbm": (fit_speed.staged_and_lightgbm, tuple(SHAPES)),
    "row": (fit_speed.one_row, ("pendigits", "letter")),
    "threads": (fit_speed.one_and_two_threads, ("letter", "mnist")),
    "histogram": (additions.histogram_additions, NAMES),
    "bandwidth": (additions.histogram_bandwidth, NAMES),
}
#: Measures that generate their data.
ALONE: dict[str, Callable[[Settings], Iterator[Row]]] = {
    "scaling": tree_speed.scaling,
    "growth": growth.growth,
    "memory": memory.memory,
    "large": memory.large,
    "start": start.start,
}
MEASURES = (*ON_DATA, *ALONE)
