"""Data sets whose training labels someone really gave, with true labels to test on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.plugins import BoostbenchError, Dataset, generators, load

Opinion = NDArray[np.bool_]
TRAIN = 0.7


def rated(
    rng: np.random.Generator, data: Dataset, opinion: str, given: Opinion, labels: str
) -> Dataset:
    """Return a data set without the opinion, whose training labels are the opinion or the truth.

    The division into training and test rows is random, the same for both kinds of labels.
    """
    if labels not in ("given", "true"):
        raise BoostbenchError(f"labels must be 'given' or 'true', found {labels!r}")
    order = rng.permutation(data.n_rows)
    n_train = round(TRAIN * data.n_rows)
    y = data.y.copy()
    if labels == "given":
        y[order[:n_train]] = given[order[:n_train]]
    kept = [j for j, name in enumerate(data.feature_names) if name != opinion]
    names = [data.feature_names[j] for j in kept]
    return Dataset.from_arrays(
        data.name, data.X[np.ix_(order, kept)], y[order], feature_names=names, n_train=n_train
    )


@generators.register("mammographic-rated")
def mammographic(rng: np.random.Generator, *, labels: str = "given") -> Dataset:
    """Masses in mammograms: a radiologist's opinion (BI-RADS 5 or more), and the biopsy."""
    data = load("mammographic")
    return rated(rng, data, "x1", data.X[:, 0] >= 5.0, labels)


@generators.register("refugee-appeals-rated")
def refugee_appeals(rng: np.random.Generator, *, labels: str = "given") -> Dataset:
    """Appeals of refugees: the opinion of an independent rater, and the judge's decision."""
    data = load("refugee-appeals")
    opinion = data.X[:, data.feature_names.index("rater")] == 1.0
    return rated(rng, data, "rater", opinion, labels)
