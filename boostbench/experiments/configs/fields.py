"""Types of config values, with their limits."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, InstanceOf, ValidationInfo

from boostbench.data.splits import Split
from boostbench.experiments.configs.components import mistakes_of
from boostbench.experiments.runs import Params
from boostbench.registry import Registry
from boostbench.source import show
from boostbench.validation import Distinct, Listed, MistakesError, Model

MAX_SEEDS = 10_000
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_BYTES = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_PART = r"\s*([0-9]{1,15}(?:\.[0-9]{1,15})?)\s*([A-Za-z])\s*"


@dataclass(frozen=True)
class Setting:
    """Files and names that a config may refer to while it is read."""

    files: tuple[Path, ...]  # the config and the configs it extends
    data_dirs: tuple[Path, ...] = ()
    #: Check the parameters of boosters, noise models and generators, which imports their modules.
    check_parameters: bool = False
    _checked: dict[object, MistakesError] = field(default_factory=dict, compare=False)

    def beside(self, name: str) -> Path:
        """Return a file named relative to the config or to a config that it extends."""
        paths = [file.parent / Path(os.path.expanduser(name)) for file in self.files]
        return next(filter(os.path.isfile, paths), paths[0])

    def source_of(self, name: str) -> str:
        """Return the name for the registry, with the full path of a plugin file."""
        file, separator, attribute = name.rpartition(".py:")
        if not separator:
            return name
        beside = self.beside(f"{file}.py")
        path = beside if os.path.isfile(beside) else Path(os.path.expanduser(f"{file}.py"))
        return f"{path.resolve()}:{attribute}"

    def check(self, kinds: Registry, source: str, params: Params, name: str = "") -> None:
        """Check the parameters of a component, if they are checked; see `mistakes_of`.

        Raises
        ------
        MistakesError
        """
        key = kinds.kind, source, params
        if self.check_parameters and key not in self._checked:
            self._checked[key] = mistakes_of(kinds, source, params.plain(), name)
        self._checked.get(key, MistakesError()).close()


def setting_of(info: ValidationInfo) -> Setting:
    """Return the setting of the config under validation."""
    setting: Setting = (info.context or {})["setting"]
    return setting


def is_number(value: Any) -> bool:
    """Return whether a value is a number; true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _seeds(value: Any) -> Any:
    if type(value) is int and 1 <= value <= MAX_SEEDS:
        return list(range(value))
    if not isinstance(value, list | tuple) or not value:
        what = f"must be a number of seeds from 1 to {MAX_SEEDS:,} or a list of them"
        raise ValueError(f"{what}, found {show(value)}")
    return value


def _split(value: Any) -> str | Params:
    Split.model_validate(value)
    return value if isinstance(value, str) else Params(value)


def _beside(value: Any, info: ValidationInfo) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be the path of a file, found {show(value)}")
    path = setting_of(info).beside(value)
    if not os.path.isfile(path):
        raise ValueError(f"there is no file {path}")
    return str(path.resolve())


def _with_units(wanted: str, units: Mapping[str, int]) -> BeforeValidator:
    """Return a validator of a number that may be written as text with units."""

    def read(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        parts = [(float(number), units.get(unit)) for number, unit in re.findall(_PART, value)]
        total = sum((number * (size or 0) for number, size in parts), 0.0)
        is_right = re.fullmatch(f"(?:{_PART})+", value) and all(size for _, size in parts)
        if not is_right or not 0 < total <= 2**53:
            raise ValueError(f"{value!r} is not {wanted}")
        return int(total) if total.is_integer() else total

    return BeforeValidator(read, json_schema_input_type=float | str)


Text = Annotated[str, Field(pattern=r"\S", max_length=10_000)]
Slug = Annotated[
    str,
    Field(
        pattern=r"^\w[\w.+-]*$",
        max_length=100,
        json_schema_extra={"wanted": "a valid folder name of letters, digits, '-', '_' and '.'"},
    ),
]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
Seeds = Annotated[
    Listed[Seed], BeforeValidator(_seeds, json_schema_input_type=int | list[Seed]), Distinct
]

#: A split in the form of `Run.split`.
SplitSpec = Annotated[
    str | InstanceOf[Params],
    BeforeValidator(_split, json_schema_input_type=Literal["official"] | Split),
]
BESIDE = BeforeValidator(_beside, json_schema_input_type=str)
#: A file, named relative to the config; validation returns its full path.
FileBeside = Annotated[str, BESIDE]
_DURATION, _SIZE = "a duration such as 90s, 30m or 1h30m", "a size such as 4G, at least 512M"
_Duration = Annotated[
    float, Field(gt=0, json_schema_extra={"wanted": _DURATION}), _with_units(_DURATION, _SECONDS)
]
_Size = Annotated[
    int, Field(ge=2**29, json_schema_extra={"wanted": _SIZE}), _with_units(_SIZE, _BYTES)
]


class Limits(Model):
    """Limits of one run.

    Attributes
    ----------
    time : float or None
        Wall time in seconds; the processes of the run are killed when it is over.
    memory : int or None
        Bytes, including the processes that the run starts; all are killed if they use more. A
        worker itself needs about 300 MiB.
    threads : int or None
        Threads of the boosters of this package, on which results do not depend. None: 1, or more
        in a local worker while others are idle.
    """

    time: _Duration | None = Field(
        default=None, description=f"Wall time, {_DURATION}, or in seconds."
    )
    memory: _Size | None = Field(default=None, description=f"Memory, {_SIZE}, or in bytes.")
    threads: Annotated[int, Field(ge=1, le=1_000)] | None = Field(
        default=None, description="Threads of this package's boosters."
    )


NO_LIMITS = Limits()
