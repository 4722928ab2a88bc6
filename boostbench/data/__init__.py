"""Data sets: catalog, sources, generators, and splits into training and test rows."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from boostbench.data.catalog import DatasetEntry, catalog, find_entry, search_dirs

if TYPE_CHECKING:
    from boostbench.data.dataset import Dataset, impute
    from boostbench.data.loading import load
    from boostbench.data.sources import Located, locate
    from boostbench.data.splits import Split, fold_ids, parse_split, split

__all__ = [
    "Dataset",
    "DatasetEntry",
    "Located",
    "Split",
    "catalog",
    "find_entry",
    "fold_ids",
    "impute",
    "load",
    "locate",
    "parse_split",
    "search_dirs",
    "split",
]

_MODULES = {
    "dataset": ("Dataset", "impute"),
    "loading": ("load",),
    "sources": ("Located", "locate"),
    "splits": ("Split", "fold_ids", "parse_split", "split"),
}


def __getattr__(name: str) -> Any:
    # Imported on first use, since the catalog alone (`boostbench list datasets`) needs no numpy.
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"boostbench.data.{module}"), name)
    raise AttributeError(f"module 'boostbench.data' has no attribute {name!r}")
