"""Configs: what an experiment compares, and how each of its keys is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationInfo

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs import entries, fields
from boostbench.experiments.configs.claims import Claim, Scope, read_claims
from boostbench.experiments.configs.entries import DataEntry, ReportPart, Setting
from boostbench.experiments.configs.fields import Notes
from boostbench.experiments.configs.protocol import Select, read_select
from boostbench.experiments.runs import CLEAN, Booster, Noise, Params
from boostbench.source import show

__all__ = ["Config", "Limits", "checkpoint_ladder"]


def _checked(check: Callable[[Any], Any]) -> PlainValidator:
    """Return a validator; pydantic collects ValueError only."""

    def validate(value: Any) -> Any:
        try:
            return check(value)
        except BoostbenchError as error:
            raise ValueError(error.what) from error

    return PlainValidator(validate)


def _in_setting(read: Callable[[Any, Setting], Any]) -> PlainValidator:
    def validate(value: Any, info: ValidationInfo) -> Any:
        return read(value, (info.context or {})["setting"])

    return PlainValidator(validate)


def _sizes(value: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(value, dict) or not all(isinstance(part, dict) for part in value.values()):
        raise ValueError(
            f"must be {{quick: {{key: value}}}} with keys of a config, found {show(value)}"
        )
    known = [key for key in Config.model_fields if key not in ("sizes", "name", "path")]
    notes = Notes()
    notes.keys(value, ("quick", "standard", "full"))
    for size, part in value.items():
        notes.keys(part, known, size)
    notes.close()
    return value


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Limits(_Strict):
    """What one run may use.

    Attributes
    ----------
    time : float or None
        Seconds of wall time.
    memory : int or None
        Bytes.
    """

    time: Annotated[float | None, _checked(fields.duration)] = None
    memory: Annotated[int | None, _checked(fields.size)] = None


class Config(_Strict):
    """An experiment.

    Attributes
    ----------
    name : str
        Names the folder of its report.
    title, paper, description : str
    datasets : tuple of DataEntry
    encode, missing : str
        How categorical columns and missing values are read, unless a data set says otherwise.
    split : str or Params
    noise : tuple of Noise
    boosters : tuple of Booster
        Sweeps are written out.
    rounds : int
        Number of rounds T.
    checkpoints : tuple of int
        Rounds that tables show, ascending.
    seeds : tuple of int
    record : tuple of str
        What is recorded beside error curves, loss and edges.
    select : Select or None
        How parameters are chosen; None if nothing is.
    limits : Limits
    report : tuple of ReportPart
    claims : tuple of Claim
    sizes : dict
        Replacements of keys for ``--size``.
    path : Path
        The file.
    """

    name: Annotated[str, _checked(fields.slug)]
    title: Annotated[str, _checked(fields.text)] = ""
    paper: Annotated[str, _checked(fields.text)] = ""
    description: Annotated[str, _checked(fields.text)] = ""
    datasets: Annotated[tuple[DataEntry, ...], _in_setting(entries.data_entries)]
    encode: Annotated[str, _checked(fields.one_of(*entries.ENCODINGS))] = "ordinal"
    missing: Annotated[str | float, _checked(entries.missing_rule)] = "keep"
    split: Annotated[str | Params, _checked(entries.split_spec)] = "official"
    noise: Annotated[tuple[Noise, ...], _in_setting(entries.noises)] = (CLEAN,)
    boosters: Annotated[tuple[Booster, ...], _in_setting(entries.boosters)]
    rounds: Annotated[int, _checked(fields.whole(1))]
    checkpoints: Annotated[tuple[int, ...], _checked(fields.checkpoints)] = ()
    seeds: Annotated[tuple[int, ...], _checked(fields.seeds)] = (0,)
    record: Annotated[tuple[str, ...], _checked(fields.records)] = ()
    select: Annotated[Select | None, _checked(read_select)] = None
    limits: Limits = Limits()
    report: Annotated[tuple[ReportPart, ...], _in_setting(entries.report_parts)] = ()
    claims: Annotated[tuple[Claim, ...], _checked(read_claims)] = ()
    sizes: Annotated[dict[str, dict[str, Any]], _checked(_sizes)] = {}
    path: Path = Field(alias="<file>")

    @property
    def most_rounds(self) -> int:
        """The largest number of rounds that any run makes."""
        own = [entry.rounds or 0 for entry in self.datasets]
        own += [booster.rounds or 0 for booster in self.boosters]
        return max([self.rounds, *own])

    def scope(self) -> Scope:
        """Return what the config is about."""
        return Scope(
            tuple(entry.data.label or entry.data.name for entry in self.datasets),
            tuple(booster.label or booster.name for booster in self.boosters),
            tuple(self.noise),
            self.most_rounds,
            self.checkpoints,
            self.seeds,
            self.path,
            {
                **{entry.data.label: entry.data.name for entry in self.datasets},
                **{booster.label: booster.name for booster in self.boosters},
            },
        )


def checkpoint_ladder(rounds: int) -> tuple[int, ...]:
    """Return the rounds 1, 2, 5, 10, 20, 50, ... up to ``rounds``, which is always among them.

    Examples
    --------
    >>> checkpoint_ladder(150)
    (1, 2, 5, 10, 20, 50, 100, 150)
    """
    steps = (m * 10**e for e in range(len(str(rounds))) for m in (1, 2, 5))
    return (*(step for step in steps if step < rounds), rounds)
