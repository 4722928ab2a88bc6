"""Types of config values, with their limits."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    InstanceOf,
    ValidationInfo,
    WrapValidator,
)
from pydantic_core import core_schema

from boostbench.data.splits import Split
from boostbench.errors import unknown
from boostbench.experiments.configs.components import check_component
from boostbench.experiments.runs import Axis, Params, Rounds
from boostbench.plugin_files import load_plugin
from boostbench.quantities import QUANTITIES
from boostbench.quantities.quantity import Setting as Key
from boostbench.registry import Registry
from boostbench.source import show
from boostbench.validation import Distinct, Listed, Mistake, MistakesError

MAX_SEEDS = 10_000
MAX_FOLDS = 1_000
MAX_RUNS = 200_000


@dataclass(frozen=True)
class Setting:
    """Files and names that a config may refer to while it is read."""

    files: tuple[Path, ...]  # the config and the configs it extends
    data_dirs: tuple[Path, ...] = ()
    #: Check the parameters of boosters, noise models and generators, which imports their modules.
    check_parameters: bool = False
    _checked: dict[object, list[Mistake]] = field(default_factory=dict, compare=False)

    @property
    def path(self) -> Path:
        """The file of the config."""
        return self.files[0]

    def beside(self, name: str) -> Path:
        """Return a file named relative to the config or to a config that it extends."""
        paths = [file.parent / Path(os.path.expanduser(name)) for file in self.files]
        return next((path for path in paths if is_file(path)), paths[0])

    def source_of(self, name: str) -> str:
        """Return the name for the registry, with the full path of a plugin file."""
        file, separator, attribute = name.rpartition(".py:")
        if not separator:
            return name
        beside = self.beside(f"{file}.py")
        path = beside if is_file(beside) else Path(os.path.expanduser(f"{file}.py"))
        return f"{path.resolve()}:{attribute}"

    def check(
        self,
        kinds: Registry,
        source: str,
        params: Params,
        name: str = "",
        grid: Sequence[Axis] = (),
    ) -> None:
        """Check the parameters of a component, if they are checked.

        Parameters
        ----------
        kinds, source, name
            As for `check_component`.
        params : Params
        grid : sequence of Axis, default=()
            Parameters whose values are those of a grid.

        Raises
        ------
        MistakesError
        """
        key = kinds.kind, source, params
        if self.check_parameters and key not in self._checked:
            mistakes = MistakesError()
            check_component(kinds, source, params.plain(), mistakes, name)
            self._checked[key] = mistakes.found
        mistakes = MistakesError()
        for at, what in self._checked.get(key, ()):
            is_in_grid = any(all(map(operator.eq, at, axis.path)) for axis in grid)
            mistakes.found.append(((*(("grid",) if is_in_grid else ()), *at), what))
        mistakes.close()


def setting_of(info: ValidationInfo) -> Setting:
    """Return the setting of the config under validation."""
    setting: Setting = (info.context or {})["setting"]
    return setting


def is_file(path: Path) -> bool:
    """Return whether a path is a file; False for a name that the system refuses."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_number(value: Any) -> bool:
    """Return whether a value is a number; true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True)
class _Asked:
    """Type of the names by which a key of a config asks for quantities, those of plugins too."""

    key: Key

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {"enum": list(QUANTITIES.asked_by(self.key))}

    def _checked(self, name: str) -> str:
        known = QUANTITIES.asked_by(self.key)
        if name not in known:
            raise ValueError(unknown("quantity", name, known))
        return name


def _recorded(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in order, without those that are in every record and change no run."""
    asked = QUANTITIES.asked_by("record")
    return tuple(sorted(name for name in names if not QUANTITIES[asked[name]].always))


def _seeds(value: Any) -> Any:
    if type(value) is int and 1 <= value <= MAX_SEEDS:
        return list(range(value))
    if not isinstance(value, list | tuple) or not value:
        what = f"must be a number of seeds from 1 to {MAX_SEEDS:,} or a list of them"
        raise ValueError(f"{what}, found {show(value)}")
    return value


def _split(value: Any) -> str | Params:
    folds = Split.model_validate(value).folds or 0
    if folds > MAX_FOLDS:
        raise ValueError(f"must have at most {MAX_FOLDS:,} folds, found {folds:,}")
    return value if isinstance(value, str) else Params(value)


def _beside(value: Any, info: ValidationInfo) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be the path of a file, found {show(value)}")
    path = setting_of(info).beside(value)
    if not is_file(path):
        raise ValueError(f"there is no file {path}")
    return str(path.resolve())


def _load_plugin(value: str, info: ValidationInfo) -> str:
    path = setting_of(info).beside(value)
    load_plugin(path)
    return str(path.resolve())


Text = Annotated[str, Field(pattern=r"\S", max_length=10_000)]
Slug = Annotated[
    str,
    Field(
        pattern=r"^\w[\w.+-]*$",
        max_length=100,
        json_schema_extra={"wanted": "a valid folder name of letters, digits, '-', '_' and '.'"},
    ),
]
Seed = Annotated[int, Field(ge=0)]
Seeds = Annotated[
    Listed[Seed], BeforeValidator(_seeds, json_schema_input_type=int | list[Seed]), Distinct
]
CheckpointRounds = Annotated[
    Listed[Rounds],
    Field(min_length=1, examples=[[10, 100]]),
    Distinct,
    AfterValidator(lambda rounds: tuple(sorted(rounds))),
]

#: Names of quantities that a run records on request.
Records = Annotated[Listed[Annotated[str, _Asked("record")]], Distinct, AfterValidator(_recorded)]
#: Names of metrics of the predictions on the test part.
Metrics = Annotated[Listed[Annotated[str, _Asked("metrics")]], Distinct]
#: A split in the form of `Run.split`.
SplitSpec = Annotated[
    str | InstanceOf[Params],
    BeforeValidator(_split, json_schema_input_type=Literal["official"] | Split),
]
#: Validates a value as a float but keeps an int: parameters 4 and 4.0 make different runs.
AS_WRITTEN = WrapValidator(lambda value, check: (check(value), value)[1])
#: A plugin file, named relative to the config; validation loads it and returns its full path.
Plugin = Annotated[str, AfterValidator(_load_plugin)]
BESIDE = BeforeValidator(_beside, json_schema_input_type=str)
#: A file, named relative to the config; validation returns its full path.
FileBeside = Annotated[str, BESIDE]
