"""Types of the values of a config, and the limits of what a config may ask for."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Field,
    InstanceOf,
    ValidationError,
    ValidationInfo,
    WrapValidator,
)

from boostbench.data import Split, parse_split
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.mistakes import MistakesError
from boostbench.experiments.configs.models import Checked, Distinct, Listed, Read, explained
from boostbench.experiments.configs.quantities import parse_duration, parse_size
from boostbench.experiments.runs import Params
from boostbench.source import show

MAX_ROUNDS = 1_000_000
MAX_SEEDS = 10_000
MAX_FOLDS = 1_000
#: Variants of one entry that lists of values make, and points of a grid.
MAX_VARIANTS = 1_000
MAX_RUNS = 200_000

_RECORDS = Literal[
    "bound", "edges", "margins", "sample_weights", "scores", "smooth_risk", "weights"
]


def is_number(value: Any) -> bool:
    """Return whether a value is a number; YAML's true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbered(value: Any, info: ValidationInfo) -> Any:
    if type(value) is int and 1 <= value <= MAX_SEEDS:
        return list(range(value))
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_SEEDS:
        found = f"a list of {len(value):,}" if isinstance(value, list) else show(value)
        what = f"must be a number of seeds from 1 to {MAX_SEEDS:,} or a list of them, found {found}"
        raise ValueError(what)
    return value


def _cost_matrix(value: Any, info: ValidationInfo) -> Any:
    rows = value if isinstance(value, list) else []
    numbers = [x for row in rows if isinstance(row, list) for x in row]
    if (
        len(rows) < 2
        or any(not isinstance(row, list) or len(row) != len(rows) for row in rows)
        or not all(map(is_number, numbers))
        or not all(0 <= x < math.inf for x in numbers)
        or not any(numbers)
    ):
        raise ValueError(
            "must be a matrix of costs, a row per true class and a column per answer, such as "
            f"[[0, 1], [5, 0]], found {show(value)}"
        )
    return value


def _duration(value: Any, info: ValidationInfo) -> float | None:
    if value is None:
        return None
    if not is_number(value) and not isinstance(value, str):
        raise ValueError(f"must be a duration such as 90s, 30m or 1h30m, found {show(value)}")
    return parse_duration(str(value))


def _size(value: Any, info: ValidationInfo) -> int | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError(f"must be a size such as 512M or 4G, found {show(value)}")
    return parse_size(value)


def _split(value: Any, info: ValidationInfo) -> str | Params:
    try:
        folds = (
            Split.model_validate(value) if isinstance(value, dict) else parse_split(value)
        ).folds
    except ValidationError as error:
        raise MistakesError(list(explained(error, Split, value))) from None
    if (folds or 0) > MAX_FOLDS:
        raise ValueError(f"must have at most {MAX_FOLDS:,} folds, found {folds:,}")
    return value if isinstance(value, str) else Params(value)


def _rate(value: Any, info: ValidationInfo) -> float | str:
    if isinstance(value, str) and value.isidentifier():
        return value
    if not is_number(value) or not 0 <= value <= 1:
        raise ValueError(f"must be a number from 0 to 1, found {show(value)}")
    return float(value)


def _beside(value: str, info: ValidationInfo) -> str:
    path: Path = (info.context or {})["setting"].beside(value)
    try:
        is_there = path.is_file()
    except OSError:  # no system has a file of such a name
        is_there = False
    if not is_there:
        raise BoostbenchError(f"there is no file {path}")
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
Rounds = Annotated[int, Field(ge=1, le=MAX_ROUNDS)]
Seed = Annotated[int, Field(ge=0)]
Seeds = Annotated[Listed[Seed], Read(_numbered, int | list[Seed]), Distinct]
Checkpoints = Annotated[
    Listed[Rounds],
    Field(min_length=1, max_length=1_000, examples=[[10, 100]]),
    Distinct,
    AfterValidator(lambda rounds: tuple(sorted(rounds))),
]

#: Edges are in every record: asking for them makes no other run.
Records = Annotated[
    Listed[_RECORDS],
    Distinct,
    AfterValidator(lambda names: tuple(sorted({*names} - {"edges"}))),
]
#: A number, or the name under which a problem holds its own rate.
Rate = Annotated[float | str, Read(_rate, Annotated[float, Field(ge=0, le=1)] | str)]
Costs = Annotated[Listed[Listed[float]], Read(_cost_matrix, list[list[float]])]
#: In seconds; None for no limit.
Duration = Annotated[float | None, Read(_duration, float | str | None)]
#: In bytes; None for no limit.
Size = Annotated[int | None, Read(_size, str | None)]
#: A split as `Run` holds it.
SplitSpec = Annotated[str | InstanceOf[Params], Read(_split, Literal["official"] | Split)]
Encoding = Literal["ordinal", "one-hot"]
Missing = float | Literal["keep", "median", "most-frequent"]
#: Keeps a whole number whole where a float is asked for: as a parameter, 4 is not 4.0.
AS_WRITTEN = WrapValidator(lambda value, check: (check(value), value)[1])
#: A file, named by its path from the config; its full path when validated.
FileBeside = Annotated[str, Checked(_beside)]
