"""Report and claims of a config: entries that name a kind of table, figure or claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, InstanceOf, model_validator

from boostbench import registry
from boostbench.errors import unknown
from boostbench.experiments.configs.entries import name_and_options, read_list
from boostbench.experiments.configs.fields import Text
from boostbench.experiments.configs.kind_options import Options, Scope, read_options
from boostbench.source import show, where_in
from boostbench.validation import MistakesError, Model

#: Source of a claim: the paper, this project, mathematics (runs can only confirm an identity), or
#: this project in contradiction to the paper.
Origin = Literal["paper", "ours", "identity", "against the paper"]


class ClaimWords(Model):
    """Wording and source of a claim."""

    says: Text = Field(description="The claim in words.")
    note: str = Field("", description="A remark for the reader of the verdict.")
    origin: Origin = Field("ours", description="Source of the claim.")
    section: str = Field("", description="Section, table or figure of the paper.")
    quote: str = Field("", description="Wording of the paper; ... marks an omission.")
    changed: str = Field(
        "", description="Change made after its results were seen, with its date; always shown."
    )
    misprint: str = Field(
        "", description="Reason why the paper's own values do not satisfy the claim; always shown."
    )

    @model_validator(mode="after")
    def _check_quote(self) -> ClaimWords:
        missing = [key for key in ("section", "quote") if not getattr(self, key)]
        if "paper" in self.origin and missing:
            raise ValueError(
                f"a claim of origin {self.origin!r} must have {' and '.join(missing)}: the place "
                "in the paper and its wording"
            )
        return self


class Claim(ClaimWords):
    """A claim and its check."""

    kind: str  # registered name of the kind of claim
    options: InstanceOf[Options]
    scope: InstanceOf[Scope] = Field(default_factory=Scope)
    entry: Any = None  # the mapping in the config

    def where(self, *place: str | int) -> str:
        """Return file and line of an option, or of the nearest enclosing value."""
        return where_in(self.entry, (self.kind, *place)) or str(self.scope.path)


def read_claims(value: Any, context: Mapping[str, Any]) -> tuple[Claim, ...]:
    """Return the claims listed under the key ``claims``.

    Raises
    ------
    MistakesError
        If a kind or an option is unknown or invalid.
    """
    return read_list(value, partial(_read_claim, context), "a list of claims")


def _read_claim(context: Mapping[str, Any], value: Any) -> Claim:
    if not isinstance(value, dict) or "says" not in value:
        raise ValueError(f"a claim must have 'says: ...' in words, found {show(value)}")
    mistakes = MistakesError()
    words = {key: value[key] for key in ClaimWords.model_fields if key in value}
    mistakes.take(ClaimWords.model_validate, words)
    kinds = [key for key in value if key not in words]
    if len(kinds) != 1 or not isinstance(value[kinds[0]], dict):
        mistakes.add(
            "a claim must have 'says' and one check such as 'compares: {...}', "
            f"found {', '.join(kinds) or 'none'}"
        )
        mistakes.close()
    kind = kinds[0]
    if kind not in registry.claims:
        mistakes.add(unknown("kind of claim", kind, registry.claims.names()), kind)
        mistakes.close()
    source = context["setting"].source_of(kind)
    read = partial(read_options, registry.claims, source, context=context)
    options = mistakes.take(read, value[kind], kind)
    mistakes.close()
    return Claim(kind=kind, options=options, scope=context["scope"], entry=value, **words)


def check_in_print(claims: Sequence[Claim], papers: Sequence[Path]) -> None:
    """Check that the printed values satisfy the claims of the paper, or that a reason is given.

    Parameters
    ----------
    claims : sequence of Claim
    papers : sequence of Path
        Files of printed values that the tables and figures of the config show.

    Raises
    ------
    MistakesError
    """
    mistakes = MistakesError()
    for index, claim in enumerate(claims):
        if claim.origin == "paper" and papers:
            answer = claim.options.in_print(claim.scope, papers)
            if answer is False and not claim.misprint:
                what = "the printed values do not satisfy it; correct it, or give the reason as"
                mistakes.add(f"{what} 'misprint'", index, claim.kind)
            if answer and claim.misprint:
                mistakes.add("the printed values satisfy it", index, "misprint")
    mistakes.close()


@dataclass(frozen=True)
class ReportPart:
    """A table or a figure of the report."""

    name: str  # name of the files, without suffix
    kind: str  # registered name, or ``FILE.py:function``
    options: Options
    written: Mapping[str, Any] = field(default_factory=dict, compare=False)


def read_parts(value: Any, context: Mapping[str, Any]) -> tuple[ReportPart, ...]:
    """Read the parts of a report.

    The name of a part is its option ``name`` or its kind.

    Raises
    ------
    MistakesError
        If a kind or an option is unknown or invalid, or two parts have the same name.
    """
    wanted = "a list of parts such as [table: {...}]"
    parts = read_list(value, partial(_read_part, context), wanted)
    mistakes = MistakesError()
    names = [part.name for part in parts]
    for index, name in enumerate(names):
        if name in names[:index]:
            what = f"two parts of the report are called {name!r}; give one another 'name'"
            mistakes.add(what, index)
    mistakes.close()
    return parts


def _read_part(context: Mapping[str, Any], entry: Any) -> ReportPart:
    name, written = name_and_options(entry, "part of the report")
    kind = context["setting"].source_of(name)
    kinds = registry.tables if kind in registry.tables.names() else registry.figures
    if kind not in kinds:
        known = [*registry.tables.names(), *registry.figures.names()]
        raise ValueError(unknown("part of the report", kind, known))
    options = read_options(kinds, kind, written, context)
    own_name = getattr(options, "name", None) or kind.rpartition(":")[2]
    return ReportPart(own_name, kind, options, written)
