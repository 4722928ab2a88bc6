"""From a claim as it was written to a check that can be carried out."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from boostbench import registry
from boostbench.experiments.configs.claims import Claim
from boostbench.experiments.configs.fields import Notes, unknown
from boostbench.experiments.configs.options import Options, Scope
from boostbench.reports.claims.evidence import END, Case, Evidence, Selection, Studies
from boostbench.reports.claims.options import COMMON, Reader, in_scope, read_noises
from boostbench.reports.claims.shapes import AtLeast
from boostbench.reports.values.frame import Result, noise_label

__all__ = ["Check", "check_options", "read_claim"]


@dataclass(frozen=True)
class Check:
    """A claim that can be carried out.

    Attributes
    ----------
    claim : Claim
    kind : callable
    options : dict
        Of the kind, read.
    selection : Selection
    at_least : AtLeast
        The rule that every group of cases has to meet.
    """

    claim: Claim
    kind: Callable[..., Iterable[Case]]
    options: dict[str, Any]
    selection: Selection
    at_least: AtLeast

    def cases(self, results: Iterable[Result], studies: Studies | None = None) -> list[Case]:
        """Return what the claim makes of the runs of its config.

        Parameters
        ----------
        results : iterable of Result
        studies : callable or None, default=None
            Gives the runs of another config.
        """
        return list(self.kind(self.evidence(results, studies), **self.options))

    def evidence(self, results: Iterable[Result], studies: Studies | None = None) -> Evidence:
        """Return the runs as the claim sees them."""
        return Evidence(self.claim.scope, results, self.selection, studies)


def read_claim(claim: Claim) -> Check:
    """Return what carries a claim out."""
    notes = Notes()
    check = _read(claim.kind, claim.options.arguments(), claim.scope, notes)
    notes.close()
    assert check is not None
    return replace(check, claim=claim)


def check_options(kind: str, options: dict[str, Any], scope: Scope) -> None:
    """Read a claim's options, and try it where there are no runs yet.

    Raises
    ------
    MistakesError
        With every mistake found.
    """
    notes = Notes()
    check = _read(kind, options, scope, notes)
    if check is not None and not notes.found:
        _try(check, options, notes)
    notes.close()


def _read(name: str, written: dict[str, Any], scope: Scope, notes: Notes) -> Check | None:
    kind = registry.claims.get(name)
    own = _own_readers(kind)
    without = getattr(kind, "without", ())
    common = {key: read for key, read in COMMON.items() if key not in (*own, *without)}
    for key in written:
        if key not in own and key not in common:
            notes.add(unknown("key", str(key), [*own, *common], of=name), str(key))
    for option, parameter in _parameters(kind).items():
        if parameter.default is parameter.empty and option not in written:
            notes.add(f"needs {option!r}")
    readers = {**own, **common}
    read = {
        key: notes.take(in_scope(readers[key], scope), value, key)
        for key, value in written.items()
        if key in readers
    }
    if notes.found:
        return None
    defaults = getattr(kind, "defaults", {})
    at = COMMON["at"](defaults.get("at", END), scope)
    selection = Selection(
        value=read.get("value", defaults.get("value", "test_error")),
        at=read["at"] if "at" in common and "at" in read else at,
        datasets=read.get("datasets", scope.datasets),
        noises=read.get("noise") or read_noises(list(map(noise_label, scope.noises)), scope),
        excepted=read.get("except", ()),
        per=read.get("per", defaults.get("per", "dataset")),
        pooled=read.get("pooled", defaults.get("pooled", False)),
    )
    rule = read.get("at_least") if "at_least" in common else None
    options = {key: value for key, value in read.items() if key in own}
    claim = Claim("", name, Options(), scope=scope)
    return Check(claim, kind, options, selection, rule or AtLeast(share=1.0))


def _try(check: Check, written: dict[str, Any], notes: Notes) -> None:
    """Note what is wrong with options that are right one by one."""
    evidence = check.evidence(())
    cases = notes.take(lambda _: list(check.kind(evidence, **check.options)), None)
    if notes.found:
        return
    if not cases:
        notes.add(
            f"{check.claim.kind} has nothing to look at; 'except' or 'datasets' leave no case"
        )
    per_group = Counter(case.group for case in cases)
    asked, stated = check.at_least.count, written.get("of")
    for group, n in per_group.items():
        here = f" at {group}" if group else ""
        if asked is not None and asked > n:
            notes.add(f"at_least: {asked} is more than the {n} cases there are{here}", "at_least")
            return
        whole = n + evidence.n_excepted.get(group, 0)
        if stated is not None and stated not in (n, whole):
            notes.add(f"of: {stated}, but there are {n} cases{here}", "of")
            return


def _parameters(kind: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(kind).parameters
    return {name: its for name, its in parameters.items() if its.kind is its.KEYWORD_ONLY}


def _own_readers(kind: Callable[..., Any]) -> dict[str, Reader]:
    """Return what reads each option of a kind: what its annotation holds, else nothing does."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: _reader(hints.get(name)) for name in _parameters(kind)}


def _reader(hint: Any) -> Reader:
    for part in (hint, *get_args(hint)):
        if get_origin(part) is Annotated:
            reader: Reader = get_args(part)[1]
            return reader
    return lambda value, scope: value
