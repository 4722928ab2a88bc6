"""A run record as a value: what a run was, how it ended, and its curves.

Records are validated when they are made and when they are read, so that whoever is given one need
not ask whether a field is there. docs/architecture.md explains the fields.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetPydanticSchema,
    NonNegativeFloat,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    model_validator,
)
from pydantic_core import CoreSchema, core_schema
from typing_extensions import Self

from boostbench.experiments.runs import Run
from boostbench.experiments.store.identity import Key
from boostbench.validation import first_mistake

FORMAT: Literal[1] = 1
#: Statuses of runs that went wrong; their records stay until ``--retry`` asks for them.
FAILURES = ("failed", "timeout", "out-of-memory", "killed")

#: Digits of a digest that is to notice a change, where many are kept together.
SHORT = 16
_DIGEST = b', "digest": "'
_SIZES = ("n_train", "n_features", "n_classes", "n_test")
#: Curves of counts, and the field that says out of how many.
SIZE_OF = {
    "train_errors": "n_train",
    "train_errors_clean": "n_train",
    "test_errors": "n_test",
    "validation_errors": "n_validation",
}


#: A number of samples, rounds or errors, no larger than arrays of counts can hold.
Natural = Annotated[int, Field(ge=0, lt=2**31)]


def complaint(error: ValidationError) -> str:
    """Return the first thing that is wrong with a record, in a few words."""
    place, what = first_mistake(error)
    return f"{'.'.join(map(str, place))}: {what}" if place else what


def signed(plain: Mapping[str, Any], *, digits: int = 64) -> bytes:
    """Return JSON that ends with a digest of all before it, or with its first digits."""
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False)
    # A lone surrogate, which UTF-8 cannot hold, becomes its escape in JSON.
    body = text.encode("utf-8", "backslashreplace")[:-1]
    return body + _DIGEST + _digest(body)[:digits] + b'"}\n'


def unsigned(content: bytes) -> bytes | None:
    """Return what was signed but for the last brace; None if it was cut off or changed since."""
    body, _, rest = content.rpartition(_DIGEST)
    digest = _digest(body)
    return body if rest in (digest + b'"}\n', digest[:SHORT] + b'"}\n') else None


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


def _key(value: object) -> Key:
    if not isinstance(value, str | Key):
        raise ValueError("must be the text of a key")
    return Key.parse(value) if isinstance(value, str) else value


def _array(values: list[int] | list[float | None]) -> NDArray[Any]:
    """Return counts as int32 and other curves as float64, where None is NaN."""
    try:
        # As arrays, thousands of curves of a thousand rounds fit into memory.
        return np.array(values, dtype=np.int32 if all(map(_is_int, values[:1])) else np.float64)
    except OverflowError as error:
        raise ValueError(str(error)) from None


def _is_int(value: object) -> bool:
    return isinstance(value, int)


def _plain(curve: NDArray[Any]) -> list[int] | list[float | None]:
    return [None if value != value else value for value in curve.tolist()]


def _curve_schema(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    counts = Annotated[list[int], Field(fail_fast=True)]
    lists = Annotated[counts | list[float | None], Field(union_mode="left_to_right")]
    return core_schema.no_info_after_validator_function(
        _array,
        handler.generate_schema(lists),
        serialization=core_schema.plain_serializer_function_ser_schema(_plain),
    )


def _none_as_empty(value: object) -> object:
    return {} if value is None else value


Curve = Annotated[NDArray[Any], GetPydanticSchema(_curve_schema)]
_Value = int | float | None
_Round = Annotated[str, Field(pattern="^(0|[1-9][0-9]{0,7})$")]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False)


class Corruption(_Strict):
    """Corruption of the training labels; ``rate`` also where the problem drew it."""

    model: str
    rate: float
    n_chosen: Natural
    n_changed: Natural
    confusion: list[list[int]]


class Failure(_Strict):
    """Reason why a run has no result."""

    kind: str
    message: str
    where: str = ""  # file, line and function of a plugin that raised
    log_tail: list[str] = []

    @property
    def text(self) -> str:
        """Kind, message and place."""
        said = ": ".join(filter(None, (self.kind, self.message)))
        return f"{said} ({self.where})" if self.where else said


class Checkpoints(_Strict):
    """Values recorded at single rounds, by the round as text."""

    margins: dict[_Round, list[float | None]] = {}
    scores: dict[_Round, list[list[float | None]]] = {}
    labels: list[int] = []
    sample_weights: dict[_Round, list[float]] = {}
    right: dict[_Round, str] = {}
    confusion: dict[_Round, list[list[Natural]]] = {}


class Summary(_Strict):
    """A record without its long parts.

    Of a run that went wrong, sizes are 0 and ``seconds`` is empty.
    """

    format: Literal[1] = FORMAT
    key: Annotated[Key, PlainValidator(_key), PlainSerializer(str)]
    run: Annotated[Run, PlainSerializer(Run.value)]
    status: Literal["ok", "failed", "timeout", "out-of-memory", "killed", "skipped", "stale"]
    error: Failure | None = None
    stop_reason: str = ""
    nested_rounds: bool = False
    n_rounds: Natural = 0
    n_train: Natural = 0
    n_test: Natural = 0
    n_validation: Natural = 0
    n_classes: Natural = 0
    n_features: Natural = 0
    n_per_class: list[Natural] = []
    seconds: dict[str, NonNegativeFloat] = {}
    peak_memory_mb: NonNegativeFloat | None = None
    model_size: Annotated[int, Field(ge=0)] | None = None
    versions: dict[str, str] = {}
    host: dict[str, str | int | None] = {}
    threads: dict[str, int] = {}
    started: str = ""
    finished: str = ""
    inputs: dict[str, str] = {}
    adopted: dict[str, Any] | None = None

    @property
    def total_seconds(self) -> float:
        """Seconds of all parts of the run."""
        return sum(self.seconds.values())

    @property
    def why(self) -> str:
        """Message of the error, with its kind where the run raised it; empty if all went well."""
        if self.error is None:
            return ""
        return self.error.text if self.status == "failed" else self.error.message

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.key.rounds != self.run.rounds:
            raise ValueError(f"its key is of {self.key.rounds} rounds, its run of another number")
        if self.status != "ok":
            if self.error is None:
                raise ValueError("it does not say what went wrong")
            return self
        if self.n_rounds > self.run.rounds:
            raise ValueError(f"{self.n_rounds} rounds were made, more than were asked for")
        sizes = _SIZES if self.run.validation is None else (*_SIZES[:-1], "n_validation")
        absent = [name for name in sizes if not getattr(self, name)]
        if absent or not self.seconds:
            raise ValueError(f"{(*absent, 'seconds')[0]} is missing")
        return self

    def plain(self) -> dict[str, Any]:
        """Return the record as JSON-able data."""
        first = {"format": self.format, "key": str(self.key)}
        return first | self.model_dump(exclude_unset=True) | {"fingerprints": asdict(self.key)}


class Record(Summary):
    """A run record.

    Attributes
    ----------
    round_zero : dict
        Values before the first round, by the name of the curve.
    noise : Corruption or None
    curves : dict of str to ndarray
        One entry per round: int32 counts, or float64, NaN where there is no value.
    at_checkpoints : Checkpoints
    """

    round_zero: Annotated[dict[str, _Value], BeforeValidator(_none_as_empty)] = {}
    noise: Corruption | None = None
    curves: Annotated[dict[str, Curve], BeforeValidator(_none_as_empty)] = {}
    at_checkpoints: Annotated[Checkpoints, BeforeValidator(_none_as_empty)] = Checkpoints()

    def curve(self, name: str) -> NDArray[Any]:
        """Return a curve, or the value at round 0 alone if there were no rounds.

        NaN if it was not recorded.
        """
        curve = self.curves.get(name)
        if curve is not None and len(curve):
            return curve
        zero = self.round_zero.get(name)
        return np.array([math.nan if zero is None else zero])

    def curve_at(self, name: str, rounds: NDArray[np.int64]) -> NDArray[Any]:
        """Return the values of a curve at some rounds; after an early stop the last one holds."""
        curve = self.curve(name)
        held: NDArray[Any] = curve[np.minimum(rounds, len(curve)) - 1]
        return held

    def right_at(self, at: int) -> NDArray[np.bool_] | None:
        """Return which test samples were right after ``at`` rounds; None if it was not kept."""
        bits = self.at_checkpoints.right.get(str(min(at, self.n_rounds)))
        if bits is None:
            return None
        packed = np.frombuffer(base64.b64decode(bits), dtype=np.uint8)
        return np.unpackbits(packed, count=self.n_test).view(np.bool_)

    @model_validator(mode="after")
    def _has_curves(self) -> Self:
        if self.status != "ok":
            return self
        needed = {"validation_errors"} if self.run.validation else {"train_errors", "test_errors"}
        if len(self.curves) == 1:  # the one that a choice looked at; see `Plan.records`
            needed = {"validation_errors", "test_errors"} & set(self.curves) or needed
        for name in needed:
            if name not in self.curves or name not in self.round_zero:
                raise ValueError(f"the curve {name} is missing")
        for name, curve in self.curves.items():
            if len(curve) != self.n_rounds:
                raise ValueError(f"{name} has {len(curve)} entries for {self.n_rounds} rounds")
            size = SIZE_OF.get(name)
            if size and not (
                curve.min(initial=0) >= 0 and curve.max(initial=0) <= getattr(self, size)
            ):
                raise ValueError(f"{name} holds what is no count out of {size}")
        errors = self.curve("test_errors")
        for at, bits in self.at_checkpoints.right.items():
            n_wrong = self.n_test - int.from_bytes(base64.b64decode(bits), "big").bit_count()
            is_round = min(1, self.n_rounds) <= int(at) <= self.n_rounds
            if not is_round or n_wrong != errors[max(int(at), 1) - 1]:
                raise ValueError(f"right at round {at} does not agree with test_errors")
        return self
