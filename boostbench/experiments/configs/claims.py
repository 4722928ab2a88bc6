"""Claims as a config states them: a sentence, and one kind of check with its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field, model_validator

from boostbench import registry
from boostbench.errors import unknown
from boostbench.experiments.configs.fields import Text
from boostbench.experiments.configs.kind_options import Options, Scope, options_model
from boostbench.source import show, where_in
from boostbench.validation import MistakesError, Model

MAX_CLAIMS = 1_000
#: The paper; us; mathematics, which runs can only confirm; or us, against what the paper says.
Origin = Literal["paper", "ours", "identity", "against the paper"]


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, and the check of it."""

    says: str
    kind: str  # of claim
    options: Options
    note: str = ""  # what the reader of a verdict should know besides
    origin: Origin = "ours"
    section: str = ""  # of the paper, or its table or figure
    quote: str = ""  # the paper's words there
    scope: Scope = field(default_factory=Scope, compare=False)
    written: Any = field(default=None, compare=False)  # the claim in the config

    def where(self, *place: str | int) -> str:
        """Return file and line of an option, or of the nearest value around it."""
        return where_in(self.written, (self.kind, *place)) or str(self.scope.path)


class ClaimWords(Model):
    """The words of a claim: what is said, and by whom."""

    says: Text = Field(description="The claim in words.")
    note: Text = Field("", description="A remark for the reader of the verdict.")
    origin: Origin = Field("ours", description="Source of the claim; each is counted apart.")
    section: Text = Field("", description="Section, table or figure of the paper.")
    quote: Text = Field("", description="The paper's words there; ... stands for what is left out.")

    @model_validator(mode="after")
    def _quotes_the_paper(self) -> ClaimWords:
        missing = [key for key in ("section", "quote") if not getattr(self, key)]
        if "paper" in self.origin and missing:
            raise ValueError(
                f"a claim of origin {self.origin!r} must have {' and '.join(missing)}: where the "
                "paper says so, and its words"
            )
        return self


def read_claims(value: Any, context: Mapping[str, Any]) -> tuple[Claim, ...]:
    """Read the key ``claims``: what is said, and one mapping that can be checked.

    Raises
    ------
    MistakesError
        If a kind or an option is not known or wrong.
    """
    if not isinstance(value, list) or len(value) > MAX_CLAIMS:
        raise ValueError(f"must be a list of at most {MAX_CLAIMS:,} claims, found {show(value)}")
    mistakes = MistakesError()
    found = [mistakes.take(lambda c: _read(c, context), claim, i) for i, claim in enumerate(value)]
    mistakes.close()
    return tuple(found)


def _read(value: Any, context: Mapping[str, Any]) -> Claim:
    if not isinstance(value, dict) or "says" not in value:
        raise ValueError(f"a claim must have 'says: ...' in words, found {show(value)}")
    mistakes = MistakesError()
    words = {key: value[key] for key in ClaimWords.model_fields if key in value}
    said: ClaimWords = mistakes.take(ClaimWords.model_validate, words)
    kinds = [key for key in value if key not in words]
    if len(kinds) != 1 or not isinstance(value[kinds[0]], dict):
        mistakes.add(
            "a claim must have 'says' and one check such as 'compares: {...}', "
            f"found {', '.join(kinds) or 'none'}"
        )
        mistakes.close()
    kind = kinds[0]
    scope: Scope = context["scope"]
    if ".py:" not in kind and kind not in registry.claims:
        mistakes.add(unknown("kind of claim", kind, registry.claims.names()), kind)
        mistakes.close()

    def read(written: Any) -> Options:
        model = options_model(registry.claims, context["setting"].source_of(kind))
        options = model.model_validate(written, context=context)
        options.check(scope)
        return options

    options = mistakes.take(read, value[kind], kind)
    mistakes.close()
    return Claim(kind=kind, options=options, scope=scope, written=value, **said.model_dump())
