"""Wrong labels from a range of codes that is not that of the classes, and data sets for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from boostbench.plugins import Dataset, generators, load, noise_models


@generators.register("coded")
def coded(rng: np.random.Generator, *, of: str = "dna", foreign: int = 1) -> Dataset:
    """Return a data set with further classes that no row has, as places of codes that are no class.

    Parameters
    ----------
    rng : numpy.random.Generator
        Not used.
    of : str, default="dna"
        Name of a data set with a file.
    foreign : int, default=1
        Number of further classes, at least 0.
    """
    data = load(of)
    names = tuple(f"no class {k + 1}" for k in range(foreign))
    return replace(data, name=of, classes=(*data.classes, *names))


@generators.register("part")
def part(rng: np.random.Generator, *, of: str = "satimage", test: bool = False) -> Dataset:
    """Return one official part of a data set alone, without a split.

    Parameters
    ----------
    rng : numpy.random.Generator
        Not used.
    of : str, default="satimage"
        Name of a data set with a file.
    test : bool, default=False
        The test part instead of the training part.
    """
    data = load(of)
    assert data.official is not None, f"{of} has no official split"
    rows = data.official[int(test)]
    return replace(data, name=of, X=data.X[rows], y=data.y[rows], official=None)


@noise_models.register("codes")
def codes(
    y: NDArray[np.int64],
    n_classes: int,
    rng: np.random.Generator,
    X: NDArray[np.float64] | None,
    first: int = 0,
    further: int = 0,
    foreign: int = 1,
    other: bool = False,
) -> NDArray[np.int64]:
    """A code drawn uniformly from a range of codes; a code that is no class is a class of its own.

    The K true classes have the codes 0 to K - 1. The range has K + ``further`` codes,
    from ``first`` on.

    Parameters
    ----------
    first : int, default=0
        First code of the range; negative codes are no class.
    further : int, default=0
        Number of codes of the range beyond K.
    foreign : int, default=1
        Number of the last classes, those without rows; so many codes at most are no class.
    other : bool, default=False
        Whether the own code of a sample is left out.
    """
    K = n_classes - foreign
    size = K + further
    drawn = first + rng.integers(size, size=len(y))
    if other:
        steps = rng.integers(1, size, size=len(y))
        drawn = np.where(y >= first, first + (y - first + steps) % size, drawn)
    outside = (drawn < 0) | (drawn >= K)
    return np.where(outside, K + np.where(drawn < 0, -1 - drawn, drawn - K), drawn)
