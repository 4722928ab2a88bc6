"""Identity of a run: fingerprints of its value, its code and its data."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from boostbench import registry
from boostbench.errors import UnknownNameError
from boostbench.experiments.runs import Run
from boostbench.experiments.store.fingerprints import code_fingerprint, user_files
from boostbench.quantities import QUANTITIES

#: Module of the pipeline from the data to the numbers of a record.
PIPELINE = "boostbench.experiments.running.execution"


@dataclass(frozen=True, slots=True)
class Key:
    """Identity of a record; a record is valid for a run if value, code and data agree."""

    value: str  # as by `value_of`
    rounds: int  # T; a record may be valid for smaller T too, see `Booster.nested_rounds`
    code: str  # as by `code_of`
    data: str  # first 8 characters of the checksum of the data; empty if the data is absent

    def __str__(self) -> str:
        return f"{self.value}-{self.rounds}-{self.code}-{self.data}"

    @classmethod
    def parse(cls, text: str) -> Key:
        """Return the key of the text ``value-rounds-code-data``; ValueError if malformed."""
        value, rounds, code, data = text.split("-")
        return cls(value, int(rounds), sys.intern(code), sys.intern(data))


def value_of(run: Run) -> str:
    """Return 16 hex digits that identify a run without its number of rounds."""
    return hashlib.sha256(run.text.encode()).hexdigest()[:16]


def code_of(run: Run, generator: str = "") -> str:
    """Return the fingerprint, 8 hex digits, of the code that determines the result of a run.

    The code consists of the modules of the booster, the weak learner, the noise model, the
    generator and the quantities that the run records, the pipeline from the data to the numbers of
    the record, and all their imports, except installed packages.

    Parameters
    ----------
    run : Run
    generator : str, default=""
        Name of the generator of the data set, if any.

    Raises
    ------
    UnknownNameError
        If the booster, weak learner, noise model or generator is not registered.
    """
    components = [
        *components_of(run.booster.component, run.booster.params.plain()),
        *((registry.quantities, name) for name in QUANTITIES.recorded(run.metrics, run.record)),
    ]
    origins = [PIPELINE, *(origin for kind, name in components for origin in kind.origins(name))]
    foreign = [kind.module(name) for kind, name in components if kind.is_foreign(name)]
    origins += [origin for module in foreign for origin in user_files(module)]
    if not run.noise.is_clean:
        origins.append(registry.noise_models.module(run.noise.component))
    if generator:
        origins.append(registry.generators.module(generator))
    return code_fingerprint(origins)


def is_own_code(run: Run) -> bool:
    """Return whether booster and weak learner belong to this package, without imports."""
    try:
        components = [*components_of(run.booster.component, run.booster.params.plain())]
        return all(kind.module(name).startswith("boostbench.") for kind, name in components)
    except UnknownNameError:
        return False


def components_of(
    source: str, params: Mapping[str, Any]
) -> Iterator[tuple[registry.Registry, str]]:
    """Yield a booster and the components named by its parameters, at any depth."""
    yield registry.boosters, source
    for key, kind in registry.INNER.items():
        inner, inner_params = _name_and_params(params.get(key))
        if inner is not None and not registry.boosters.is_foreign(source):
            if kind is registry.boosters:
                yield from components_of(inner, inner_params)
            else:
                yield kind, inner


def _name_and_params(spec: Any) -> tuple[str | None, Mapping[str, Any]]:
    """Return name and parameters of ``name`` or ``{name: parameters}``; else (None, {})."""
    if isinstance(spec, Mapping):
        name, params = next(iter(spec.items()), (None, None))
        return name, params if isinstance(params, Mapping) else {}
    return (spec if isinstance(spec, str) else None), {}
