"""Random streams derived from names, so that nothing depends on order or on who else runs."""

from __future__ import annotations

import hashlib

import numpy as np

from boostbench.experiments.runs import Run, canonical_json


def rng_for(purpose: str, run: Run) -> np.random.Generator:
    """Return the stream of one purpose of a run.

    It depends on the seed, the purpose and the data set only (and, for noise, on the model but not
    on the rate): all boosters see the same split and the same corrupted labels, the folds of one
    seed come from one permutation, and the labels corrupted at a small rate are among those
    corrupted at a larger one.

    Parameters
    ----------
    purpose : {"data", "split", "noise", "booster"}
    run : Run

    Returns
    -------
    rng : numpy.random.Generator
    """
    name = [run.seed, purpose, run.data.name, run.data.params.plain()]
    if purpose == "noise":
        name.append(run.noise.model)
    digest = hashlib.sha256(canonical_json(name).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence([int(word) for word in words]))
