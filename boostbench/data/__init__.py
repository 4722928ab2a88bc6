"""Data sets: a catalog, sources tried in order, generators, and splits into train and test."""

from boostbench.data.catalog import DatasetEntry, catalog, find_entry, search_dirs
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
