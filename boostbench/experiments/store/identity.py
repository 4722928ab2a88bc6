"""The identity of a run: what it is, the code that decides it, the data it reads."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from boostbench import registry
from boostbench.errors import UnknownNameError
from boostbench.experiments.runs import CLEAN, Run
from boostbench.experiments.store.fingerprints import code_fingerprint

_PIPELINE = "boostbench.experiments.running.execution"


@dataclass(frozen=True, slots=True)
class Key:
    """Identity of a record; it counts for a run if value, code and data agree."""

    value: str  # 16 hex digits of the run's value without its number of rounds
    rounds: int  # T; one fit serves every smaller T as well, see `Booster.nested_rounds`
    code: str  # 8 hex digits of the code
    data: str  # 8 characters of the data's checksum; empty when the data is not there

    def __str__(self) -> str:
        return f"{self.value}-{self.rounds}-{self.code}-{self.data}"

    @classmethod
    def parse(cls, text: str) -> Key:
        """Return the key written as ``value-rounds-code-data``; ValueError if it is none."""
        value, rounds, code, data = text.split("-")
        return cls(value, int(rounds), sys.intern(code), sys.intern(data))


def value_of(run: Run) -> str:
    """Return 16 hex digits that stand for the value of a run without its number of rounds."""
    return hashlib.sha256(run.text.encode()).hexdigest()[:16]


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
    components = components_of(run.booster.component, run.booster.params.plain())
    origins = [_PIPELINE, *(origin for kind, name in components for origin in kind.origins(name))]
    if run.noise != CLEAN:
        origins.append(registry.noise_models.module(run.noise.component))
    if generator:
        origins.append(registry.generators.module(generator))
    return code_fingerprint(origins)


def is_own_code(run: Run) -> bool:
    """Return whether booster and weak learner of a run are this package's; imports neither."""
    try:
        components = [*components_of(run.booster.component, run.booster.params.plain())]
        return all(kind.module(name).startswith("boostbench.") for kind, name in components)
    except UnknownNameError:
        return False


def components_of(
    source: str, params: Mapping[str, Any]
) -> Iterator[tuple[registry.Registry, str]]:
    """Yield a booster and what its parameters name, at any depth."""
    yield registry.boosters, source
    for key, kind in registry.INNER.items():
        inner, its_params = _named(params.get(key))
        if inner is not None and not registry.boosters.is_foreign(source):
            if kind is registry.boosters:
                yield from components_of(inner, its_params)
            else:
                yield kind, inner


def _named(spec: Any) -> tuple[str | None, Mapping[str, Any]]:
    """Read ``name`` or ``{name: parameters}``; None if it is neither."""
    if isinstance(spec, Mapping):
        name, params = next(iter(spec.items()), (None, None))
        return name, params if isinstance(params, Mapping) else {}
    return (spec if isinstance(spec, str) else None), {}
