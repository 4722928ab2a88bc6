"""Runs as values: everything that determines a result except code and data files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictFloat,
    StrictInt,
    StrictStr,
    TypeAdapter,
)
from pydantic.dataclasses import dataclass
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from boostbench.errors import BoostbenchError
from boostbench.experiments.streams import canonical_json

_NAME = r"^[^\W\d]\w*$"
#: Types are checked, including those of runs read from records.
CHECKED = ConfigDict(allow_inf_nan=False, populate_by_name=True)

Rounds = Annotated[StrictInt, Field(ge=1, le=1_000_000)]
#: Empty: the name. Not part of the value.
Label = Annotated[
    StrictStr,
    Field(pattern=r"^$|\S", max_length=10_000, description="Name in tables.", exclude=True),
]


class Params(Mapping[str, Any]):
    """An immutable, hashable JSON mapping.

    Examples
    --------
    >>> Params({"b": 2, "a": [1]}) == Params({"a": [1], "b": 2})
    True
    """

    __slots__ = ("text",)

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        #: Canonical JSON.
        self.text = canonical_json(dict(values)) if values else "{}"
        if "Infinity" in self.text or "NaN" in self.text:  # null in records, and so in keys
            json.loads(self.text, parse_constant=_refuse)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        plain = core_schema.plain_serializer_function_ser_schema(cls.plain)
        return core_schema.no_info_plain_validator_function(
            cls._of, serialization=plain, json_schema_input_schema=core_schema.dict_schema()
        )

    @classmethod
    def _of(cls, value: Any) -> Params:
        if not isinstance(value, Mapping):
            raise ValueError("must be a mapping")
        return value if isinstance(value, Params) else cls(value)

    def __getitem__(self, key: str) -> Any:
        return json.loads(self.text)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(json.loads(self.text))

    def __len__(self) -> int:
        return len(json.loads(self.text))

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Params) and self.text == other.text

    def __repr__(self) -> str:
        return f"Params({self.text})"

    def plain(self) -> dict[str, Any]:
        """Return a new plain dict."""
        values: dict[str, Any] = json.loads(self.text)
        return values


def _refuse(number: str) -> None:
    raise BoostbenchError(
        f"a parameter must be finite, found {number}; 1.0e+300 is as good as no limit"
    )


def _cost_matrix(value: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    numbers = [x for row in value for x in row]
    is_square = len(value) != 1 and all(len(row) == len(value) for row in value)
    if value and not (is_square and any(numbers) and min(numbers) >= 0):
        raise PydanticCustomError("cost", "not a cost matrix")
    return value


#: The name, or the full path of a plugin file and the class or function; not part of the value.
Source = Annotated[str, Field(exclude=True)]
Encoding = Annotated[
    Literal["ordinal", "one-hot"],
    Field(description="Conversion of categorical columns to numbers."),
]
Missing = Annotated[
    StrictFloat | Literal["keep", "median", "most-frequent"],
    Field(description="Replacement of missing values."),
]
#: Cost of a predicted class (column) for a true class (row), in the order of the classes. If
#: empty, all errors have equal cost and only errors are counted.
CostMatrix = Annotated[
    tuple[tuple[StrictFloat, ...], ...],
    AfterValidator(_cost_matrix),
    Field(
        description="Cost of a prediction (column) for a class (row).",
        json_schema_extra={
            "wanted": "a matrix of costs, a row per true class and a column per answer, such as "
            "[[0, 1], [5, 0]]"
        },
    ),
]


@dataclass(frozen=True, config=CHECKED)
class Data:
    """A data set and the conversion of its columns."""

    #: Entry of the catalog, or generator: a registered name, or "file.py:function" without the
    #: folder.
    name: StrictStr
    params: Params = field(default_factory=Params)  # parameters of the generator
    encode: Encoding = "ordinal"
    missing: Missing = "keep"
    cost: CostMatrix = ()
    label: Annotated[Label, Field(alias="as")] = field(default="", compare=False)
    source: Source = field(default="", compare=False)

    @property
    def component(self) -> str:
        """Name of the data set, or path and function of a plugin file."""
        return self.source or self.name


@dataclass(frozen=True, config=CHECKED)
class Noise:
    """A label-noise model at one rate; ``CLEAN`` is no noise."""

    model: StrictStr = "none"  # a registered name, or "file.py:function" without the folder
    #: Fraction of the training samples chosen for corruption, 0 to 1, or the name of an entry of
    #: `Dataset.extras` that holds it.
    rate: Annotated[
        Annotated[StrictFloat, Field(ge=0, le=1)] | Annotated[StrictStr, Field(pattern=_NAME)],
        Field(json_schema_extra={"wanted": "a number from 0 to 1"}),
    ] = 0.0
    params: Params = field(default_factory=Params)  # parameters of the model
    source: Source = field(default="", compare=False)

    @property
    def is_clean(self) -> bool:
        """True for no noise."""
        return self == CLEAN

    @property
    def label(self) -> str:
        """Model and rate; ``"clean"`` for no noise."""
        if self.is_clean:
            return "clean"
        rate = self.rate if isinstance(self.rate, str) else f"{self.rate:g}"
        return f"{self.model} {rate}"

    @cached_property
    def full_label(self) -> str:
        """The label with the parameters of the model."""
        params = ", ".join(f"{key}={value}" for key, value in self.params.items())
        return f"{self.label} ({params})" if params else self.label

    @property
    def component(self) -> str:
        """Registered name, or path and attribute of a plugin file."""
        return self.source or self.model


CLEAN = Noise()


@dataclass(frozen=True, config=CHECKED)
class Axis:
    """A parameter of a grid, with its candidate values."""

    path: tuple[str, ...]  # keys that lead to it in the parameters of the booster
    values: tuple[Any, ...]  # JSON values

    @property
    def name(self) -> str:
        """Name of the parameter, the last key of its path."""
        return self.path[-1]


@dataclass(frozen=True, config=CHECKED)
class BoosterSpec:
    """A booster with its parameters."""

    name: StrictStr  # a registered name, or "file.py:Class" without the folder
    #: As in the config; expressions in K, n and d are evaluated when the data is loaded.
    params: Params = field(default_factory=Params)
    label: Label = field(default="", compare=False)
    source: Source = field(default="", compare=False)
    #: Number of rounds, in place of that of the config; not part of the value.
    rounds: Annotated[
        Rounds | None, Field(description="Number of rounds of this booster alone.", exclude=True)
    ] = field(default=None, compare=False)
    #: Parameters to select; not part of the value.
    grid: Annotated[tuple[Axis, ...], Field(exclude=True)] = field(default=(), compare=False)

    @property
    def component(self) -> str:
        """Registered name, or path and attribute of a plugin file."""
        return self.source or self.name

    @property
    def takes_cost_of_data(self) -> bool:
        """True if the parameter ``cost`` is ``"data"``, the cost matrix of the data set."""
        return self.params.get("cost") == "data"

    def parameter(self, name: str) -> Any:
        """Return the value of a parameter, searched at any depth; None if absent."""
        return _found(name, self.params)


def _found(name: str, params: Mapping[str, Any]) -> Any:
    if name in params:
        return params[name]
    deeper = (_found(name, inner) for inner in params.values() if isinstance(inner, Mapping))
    return next((value for value in deeper if value is not None), None)


@dataclass(frozen=True, config=CHECKED)
class Run:
    """Fit of a booster to a training set with possibly corrupted labels, and its evaluation."""

    data: Annotated[Data, Field(alias="dataset")]
    split: StrictStr | Params  # "official" or parameters of the split
    noise: Annotated[Noise, BeforeValidator(lambda value: CLEAN if value is None else value)]
    booster: BoosterSpec
    rounds: Annotated[StrictInt, Field(ge=1, le=10**7)]  # T
    #: Split, noise and booster draw from random streams derived from the seed, see `streams.py`.
    seed: Annotated[StrictInt, Field(ge=0, lt=2**63)]
    #: Quantities recorded besides the error curves.
    record: tuple[StrictStr, ...] = ()
    #: Rounds at which quantities and confusion matrices are recorded; empty without them.
    checkpoints: tuple[StrictInt, ...] = ()
    #: Metrics of the predictions on the test part, besides the error (`boostbench.quantities`).
    metrics: tuple[StrictStr, ...] = ()
    #: Cross-validation within the training part (``folds``, ``stratify``) instead of a single fit;
    #: the errors on all validation parts together are recorded.
    validation: Params | None = None

    def __hash__(self) -> int:
        # Only the most distinctive fields: plans look up each run many times.
        problem = self.seed, self.split, self.data.name, self.noise.rate
        return hash((*problem, self.rounds, self.booster.params))

    def value(self) -> dict[str, Any]:
        """Return the run as JSON-able data, without labels."""
        value: dict[str, Any] = _RUN.dump_python(self, mode="json", by_alias=True)
        value["noise"] = None if self.noise.is_clean else value["noise"]
        # Keys of runs are older than these fields.
        for holder, name in ((value["dataset"], "cost"), (value, "metrics"), (value, "validation")):
            if not holder[name]:
                del holder[name]
        return value

    @cached_property
    def around_seed(self) -> tuple[str, str]:
        """The value without its number of rounds, as canonical JSON, before and after the seed.

        Runs that differ by the seed share it.
        """
        value = self.value()
        before = {name: value[name] for name in value if name < "seed" and name != "rounds"}
        after = {name: value[name] for name in value if name > "seed"}
        return canonical_json(before)[:-1], canonical_json(after)[1:]

    def with_seed(self, seed: int) -> Run:
        """Return the run with another seed, without validation."""
        other = object.__new__(Run)
        other.__dict__.update(self.__dict__, seed=seed, around_seed=self.around_seed)
        return other

    @property
    def dataset(self) -> str:
        """Name of the data set in tables."""
        return self.data.label or self.data.name

    @property
    def method(self) -> str:
        """Name of the booster in tables."""
        return self.booster.label or self.booster.name

    @property
    def id(self) -> str:
        """Readable identifier, such as ``dna/sm-boost/exchange-0.2/seed-0``."""
        noise = self.noise.label.replace(" ", "-")
        fold = self.split.get("fold") if isinstance(self.split, Params) else None
        end = "" if fold is None else f"/fold-{fold}"
        return f"{self.dataset}/{self.method}/{noise}/seed-{self.seed}{end}"


_RUN = TypeAdapter(Run)
