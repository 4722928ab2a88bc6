"""The identity of a run: what it is, the code that decides it, the data it reads."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from boostbench import registry
from boostbench.experiments.fingerprints import code_fingerprint
from boostbench.experiments.runs import CLEAN, Run, canonical_json

__all__ = ["Key", "code_of", "value_of"]

_PIPELINE = "boostbench.experiments.run"


@dataclass(frozen=True)
class Key:
    """What a record is of; it counts for a run if value, code and data agree.

    Attributes
    ----------
    value : str
        16 hex digits of the run's value without its number of rounds.
    rounds : int
        Number of rounds T. One fit serves every smaller T as well, see `Booster.nested_rounds`.
    code : str
        8 hex digits of the code.
    data : str
        8 characters of the data's checksum; empty when the data is not there.
    """

    value: str
    rounds: int
    code: str
    data: str

    def __str__(self) -> str:
        return f"{self.value}-{self.rounds}-{self.code}-{self.data}"

    @classmethod
    def parse(cls, text: str) -> Key:
        """Return the key written as ``value-rounds-code-data``; ValueError if it is none."""
        value, rounds, code, data = text.split("-")
        return cls(value, int(rounds), code, data)


def value_of(run: Run) -> str:
    """Return 16 hex digits that stand for the value of a run without its number of rounds."""
    value = run.value()
    del value["rounds"]
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:16]


def code_of(run: Run, generator: str = "") -> str:
    """Return 8 hex digits of the code that decides the result of a run.

    Parameters
    ----------
    run : Run
    generator : str, default=""
        The generator behind the data set, if there is one.

    Returns
    -------
    fingerprint : str
        That of the booster's module, the weak learner's, the noise model's, the generator's, and
        the pipeline from the data to the record, each with all it imports.

    Raises
    ------
    UnknownNameError
        If the booster, weak learner, noise model or generator is not known here.
    """
    origins = [_PIPELINE, registry.boosters.module(run.booster.source or run.booster.name)]
    weak_learner = run.booster.params.get("weak_learner")
    if isinstance(weak_learner, Mapping):
        weak_learner = next(iter(weak_learner), None)
    if weak_learner is not None:
        origins.append(registry.weak_learners.module(weak_learner))
    if run.noise != CLEAN:
        origins.append(registry.noise_models.module(run.noise.model))
    if generator:
        origins.append(registry.generators.module(generator))
    return code_fingerprint(origins)
