"""Claims as a config states them: a sentence, and one kind of check with its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from boostbench import registry
from boostbench.experiments.configs.entries import source_of
from boostbench.experiments.configs.fields import Text
from boostbench.experiments.configs.mistakes import Notes, unknown
from boostbench.experiments.configs.models import Model, validated
from boostbench.experiments.configs.options import Options, Scope, options_model
from boostbench.source import Place, show

MAX_CLAIMS = 1_000


@dataclass(frozen=True)
class Claim:
    """Something a paper says, with what would check it.

    Attributes
    ----------
    says : str
        In words.
    kind : str
        The name of a kind of claim.
    options : Options
        Of the kind.
    note : str
        What the reader of a verdict should know besides.
    scope : Scope
    places : mapping of Place to str
        Where each option was written.
    """

    says: str
    kind: str
    options: Options
    note: str = ""
    scope: Scope = field(default_factory=Scope, compare=False)
    places: Mapping[Place, str] = field(default_factory=dict, compare=False)

    def where(self, *place: str | int) -> str:
        """Return file and line of an option, or of the nearest value around it."""
        at: Place = (self.kind, *place)
        while at and at not in self.places:
            at = at[:-1]
        return self.places.get(at, str(self.scope.path))


class ClaimEntry(Model):
    """A claim: what is said, and one kind of check with its options."""

    says: Text = Field(description="What the paper says, in words.")
    note: Text | None = Field(None, description="What the reader of a verdict should know besides.")


def read_claims(value: Any, context: Mapping[str, Any]) -> tuple[Claim, ...]:
    """Read the key ``claims``: what is said, and one mapping that can be checked.

    Raises
    ------
    MistakesError
        If a kind or an option is not known or wrong.
    """
    if not isinstance(value, list) or len(value) > MAX_CLAIMS:
        raise ValueError(f"must be a list of at most {MAX_CLAIMS:,} claims, found {show(value)}")
    notes = Notes()
    found = [notes.take(lambda c: _read(c, context), claim, i) for i, claim in enumerate(value)]
    notes.close()
    return tuple(found)


def _read(value: Any, context: Mapping[str, Any]) -> Claim:
    if not isinstance(value, dict) or "says" not in value:
        raise ValueError(f"a claim must have 'says: ...' in words, found {show(value)}")
    notes = Notes()
    words = {key: value[key] for key in ("says", "note") if key in value}
    said: ClaimEntry = notes.take(lambda written: validated(ClaimEntry, written), words)
    kinds = [key for key in value if key not in words]
    if len(kinds) != 1 or not isinstance(value[kinds[0]], dict):
        notes.add(
            "a claim must have 'says' and one check such as 'compares: {...}', "
            f"found {', '.join(kinds) or 'none'}"
        )
        notes.close()
    kind = kinds[0]
    scope: Scope = context["scope"]
    if ".py:" not in kind and kind not in registry.claims:
        notes.add(unknown("kind of claim", kind, registry.claims.names()), kind)
        notes.close()

    def read(written: Any) -> Options:
        model = options_model(registry.claims, source_of(kind, context["setting"]))
        options = validated(model, written, context)
        options.check(scope)
        return options

    options = notes.take(read, value[kind], kind)
    notes.close()
    return Claim(said.says, kind, options, said.note or "", scope)
