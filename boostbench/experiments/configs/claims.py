"""Claims as a config states them: a sentence, and one kind of check with its options.

Here they are only read; what the options mean, and whether they are right, is known to the kinds
(`boostbench.reports.claims`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boostbench import registry
from boostbench.experiments.configs.fields import Notes, text, unknown
from boostbench.source import Place, show

__all__ = ["Claim", "Scope", "read_claims"]

_WORDS = ("says", "note")


@dataclass(frozen=True)
class Scope:
    """What the config that states a claim is about, before a size or ``--set`` took from it.

    Attributes
    ----------
    datasets, boosters : tuple of str
        Labels.
    noises : tuple of Noise
    rounds : int
        The largest number of rounds that any run makes.
    checkpoints, seeds : tuple of int
    path : Path
        The config.
    names : mapping of str to str
        The plain name of what a label stands for.
    """

    datasets: tuple[str, ...] = ()
    boosters: tuple[str, ...] = ()
    noises: tuple[Any, ...] = ()
    rounds: int = 0
    checkpoints: tuple[int, ...] = ()
    seeds: tuple[int, ...] = ()
    path: Path = Path()
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Claim:
    """Something a paper says, with what would check it.

    Attributes
    ----------
    says : str
        In words.
    kind : str
        The name of a kind of claim.
    options : dict
        Of the kind, as written.
    note : str
        What the reader of a verdict should know besides.
    places : mapping of Place to str
        Where each option was written.
    scope : Scope
    """

    says: str
    kind: str
    options: Mapping[str, Any]
    note: str = ""
    places: Mapping[Place, str] = field(default_factory=dict, compare=False)
    scope: Scope = field(default_factory=Scope, compare=False)

    def where(self, *place: str | int) -> str:
        """Return file and line of an option, or of the nearest value around it."""
        at: Place = (self.kind, *place)
        while at and at not in self.places:
            at = at[:-1]
        return self.places.get(at, str(self.scope.path))


def read_claims(value: Any) -> tuple[Claim, ...]:
    """Read the key ``claims``: what is said, and one mapping that can be checked."""
    if not isinstance(value, list):
        raise ValueError(f"must be a list of claims, found {show(value)}")
    notes = Notes()
    found = [_claim(claim, index, notes) for index, claim in enumerate(value)]
    notes.close()
    return tuple(claim for claim in found if claim is not None)


def _claim(value: Any, index: int, notes: Notes) -> Claim | None:
    if not isinstance(value, dict) or "says" not in value:
        notes.add(f"a claim must have 'says: ...' in words, found {show(value)}", index)
        return None
    for key in _WORDS:
        if key in value:
            notes.take(text, value[key], index, key)
    kinds = [key for key in value if key not in _WORDS]
    if len(kinds) != 1 or not isinstance(value[kinds[0]], dict):
        notes.add(
            "a claim must have 'says' and one check such as 'wins: {...}', "
            f"found {', '.join(kinds) or 'none'}",
            index,
        )
        return None
    kind = kinds[0]
    if kind not in registry.claims:
        notes.add(unknown("kind of claim", kind, registry.claims.names()), index, kind)
    return Claim(str(value["says"]), kind, value[kind], str(value.get("note", "")))
