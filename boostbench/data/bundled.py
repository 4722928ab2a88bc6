"""The data sets that scikit-learn carries with it; no file and no network is needed."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

import numpy as np

from boostbench.data.tables import Parsed

_FILES = {
    "breast-cancer": "breast_cancer.csv",
    "digits": "digits.csv.gz",
    "iris": "iris.csv",
    "wine": "wine_data.csv",
}


def bundled_checksum(name: str) -> str:
    """Return the sha256 of the file scikit-learn ships; the package is not imported."""
    spec = importlib.util.find_spec("sklearn")
    folders = [] if spec is None else list(spec.submodule_search_locations or [])
    file = Path(folders[0]) / "datasets" / "data" / _FILES[name]
    return hashlib.sha256(file.read_bytes()).hexdigest()


def parse_bundled(name: str) -> Parsed:
    """Read one of scikit-learn's bundled sets; labels are the names of its classes."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name.replace('-', '_')}")()
    X = np.asarray(bunch.data, dtype=np.float64)
    return Parsed(
        X=X,
        labels=np.array([str(bunch.target_names[k]) for k in bunch.target], dtype=str),
        feature_names=tuple(str(feature) for feature in bunch.feature_names),
        categories=(None,) * X.shape[1],
        in_test=None,
    )
