"""Run records: the run, its outcome and its curves.

Records are validated on creation and on reading, so that other code can rely on their fields. A
record is a JSON file:

=====================  ===========================================================================
``format``, ``key``    version of this layout; value-rounds-code-data
``run``                all fields of the run
``status``             ok, failed, timeout, out-of-memory or killed
``error``              kind, message and the last lines of output, or null
``stop_reason``        of an early stop; ``n_rounds`` is the number of rounds in the ensemble
``nested_rounds``      whether the fit also gives the results for every smaller T
``n_train``, ...       sizes; samples of each class in both parts
``curves``             per round: counts of errors, loss, edge, metrics; costs and bounds on request
``at_checkpoints``     ``right``: the test samples that are classified correctly, as packed bits in
                       base64; on request margins, scores, weights, matrices; ``model_size``
``round_zero``         the same counts before the first round
``noise``              model, rate, chosen and changed labels, confusion matrix
``seconds``            of the clocks; ``peak_memory_mb``, ``threads``, ``versions``, ``host``,
                       ``started`` and ``finished`` are circumstances too
``inputs``             files that a plugin read besides the sources in its key, with digests
``digest``             checksum of the file
=====================  ===========================================================================
"""

from __future__ import annotations

import base64
import math
import os
import platform
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    NonNegativeFloat,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    model_validator,
)

from boostbench.experiments.runs import Run
from boostbench.experiments.store.identity import Key
from boostbench.inputs import digest_of
from boostbench.quantities import QUANTITIES, Clock
from boostbench.validation import first_mistake

#: Statuses of failed runs; failed runs are repeated only with ``--retry``.
FAILURES = ("failed", "timeout", "out-of-memory", "killed")

#: Packages whose version may affect the last digits of any result; not part of a key.
_NUMERICAL = ("numpy", "scipy", "scikit-learn", "numba")
#: Curves of counts, with the field that holds the number of samples.
SIZE_OF = {q.curve: q.counted for q in QUANTITIES.values() if q.type is int and q.counted}
#: Names of the times whose sum is that of a run.
_PARTS = [each.curve for each in QUANTITIES.values() if isinstance(each, Clock) and each.part]

#: A number of samples, rounds or errors, within the range of int32.
Natural = Annotated[int, Field(ge=0, lt=2**31)]


#: Distributions by top-level module. They are read once: it takes as long as a small run.
_owners = cache(metadata.packages_distributions)


@cache
def versions(package: str = "") -> dict[str, str]:
    """Return the versions of Python and of the packages behind a result.

    Parameters
    ----------
    package : str, default=""
        Top-level module of the booster, whose package is added.
    """
    names = dict.fromkeys(("boostbench", *_NUMERICAL, *_owners().get(package, ())))
    installed = {name: version for name in names if (version := _version(name))}
    return {"python": platform.python_version(), **installed}


@cache
def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def complaint(error: ValidationError) -> str:
    """Return the first validation error of a record as text."""
    place, what = first_mistake(error)
    return f"{'.'.join(map(str, place))}: {what}" if place else what


def _array(values: list[int] | list[float | None]) -> NDArray[Any]:
    """Return counts as int32 and other curves as float64, where None is NaN."""
    try:
        # Arrays take far less memory than lists.
        is_count = all(isinstance(value, int) for value in values[:1])
        return np.array(values, dtype=np.int32 if is_count else np.float64)
    except OverflowError as error:
        raise ValueError(str(error)) from None


def _plain(curve: NDArray[Any]) -> list[int] | list[float | None]:
    return [None if value != value else value for value in curve.tolist()]


_NONE_AS_EMPTY = BeforeValidator(lambda value: {} if value is None else value)


if TYPE_CHECKING:
    Curve = NDArray[Any]
else:
    Curve = Annotated[
        Annotated[list[int], Field(fail_fast=True)] | list[float | None],
        Field(union_mode="left_to_right"),
        AfterValidator(_array),
        PlainSerializer(_plain),
    ]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False, extra="allow")


class Corruption(_Strict):
    """Corruption of the training labels; ``rate`` is a number even if drawn by the generator."""

    model: str
    rate: float
    n_chosen: Natural
    n_changed: Natural
    confusion: list[list[int]]


class Failure(_Strict):
    """Cause of the failure of a run."""

    kind: str
    message: str
    where: str = ""  # file, line and function in a plugin
    log_tail: list[str] = []


class Summary(_Strict):
    """A record without its curves and values at checkpoints.

    For a failed run, sizes are 0 and ``seconds`` is empty.
    """

    model_config = ConfigDict(extra="ignore")

    format: Literal[1] = 1
    key: Annotated[Key, PlainValidator(Key.parse), PlainSerializer(str)]
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
        return sum(self.seconds.get(name, 0.0) for name in _PARTS)

    @property
    def other_versions(self) -> str:
        """Libraries behind the record whose installed version differs from the recorded one.

        They are numerical libraries, and the package of the booster.
        """
        return ", ".join(
            f"{name} {version} (here {_version(name) or 'absent'})"
            for name, version in self.versions.items()
            if name not in ("python", "boostbench") and version != _version(name)
        )

    def inputs_now(self, folder: str) -> dict[str, str]:
        """Return the files that the run read with their digests of now, of absent ones as before.

        Relative paths are those in the folder of the plugin. The machine that writes the report may
        lack the files.
        """
        return {
            path: digest_of(os.path.join(folder, path)) or before
            for path, before in self.inputs.items()
        }

    @property
    def why(self) -> str:
        """Text of the error, of an exception with its kind and place; empty without one."""
        if self.error is None or self.status != "failed":
            return self.error.message if self.error else ""
        text = ": ".join(filter(None, (self.error.kind, self.error.message)))
        return f"{text} ({self.error.where})" if self.error.where else text

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        if self.status != "ok":
            if self.error is None:
                raise ValueError("the error is missing")
            return self
        if not self.n_rounds <= self.run.rounds == self.key.rounds:
            what = f"{self.n_rounds} of {self.run.rounds} rounds"
            raise ValueError(f"{what}, with a key of {self.key.rounds}")
        tested = "n_test" if self.run.validation is None else "n_validation"
        sizes = ("n_train", "n_features", "n_classes", tested)
        absent = [name for name in sizes if not getattr(self, name)]
        if absent or not self.seconds:
            raise ValueError(f"{(*absent, 'seconds')[0]} is missing")
        return self

    def plain(self) -> dict[str, Any]:
        """Return the record as JSON-able data."""
        head = {"format": self.format, "key": str(self.key)}
        # Records of 0.2 have the parts of the key once more.
        return head | self.model_dump(exclude_unset=True, exclude={"fingerprints"})


class Record(Summary):
    """A run record.

    Attributes
    ----------
    round_zero : dict
        Values before the first round, by name of the curve.
    noise : Corruption or None
    curves : dict of str to ndarray
        One entry per round: int32 counts, or float64 with NaN for missing values.
    at_checkpoints : dict
        Other values by `Quantity.curve`: by round, as text, or one for the whole run.
    """

    model_config = ConfigDict(extra="allow")  # fields of other versions stay as they are

    round_zero: Annotated[dict[str, int | float | None], _NONE_AS_EMPTY] = {}
    noise: Corruption | None = None
    curves: Annotated[dict[str, Curve], _NONE_AS_EMPTY] = {}
    at_checkpoints: Annotated[dict[str, JsonValue], _NONE_AS_EMPTY] = {}

    def curve(self, name: str) -> NDArray[Any]:
        """Return a curve, or its value at round 0 if there were no rounds; NaN if not recorded."""
        curve = self.curves.get(name)
        if curve is not None and len(curve):
            return curve
        zero = None if self.n_rounds else self.round_zero.get(name)
        return np.array([math.nan if zero is None else zero])

    def curve_at(self, name: str, rounds: NDArray[np.int64]) -> NDArray[Any]:
        """Return the values of a curve at some rounds, constant after an early stop."""
        curve = self.curve(name)
        values: NDArray[Any] = curve[np.minimum(rounds, len(curve)) - 1]
        return values

    def by_round(self, name: str) -> dict[str, Any]:
        """Return values at checkpoints by the round as text; empty if not recorded."""
        values = self.at_checkpoints.get(name)
        return dict(values) if isinstance(values, dict) else {}

    def right_at(self, at: int) -> NDArray[np.bool_] | None:
        """Return a mask of the correctly classified test samples after ``at`` rounds, or None."""
        bits = self.by_round("right").get(str(min(at, self.n_rounds)))
        if bits is None:
            return None
        packed = np.frombuffer(base64.b64decode(bits), dtype=np.uint8)
        return np.unpackbits(packed, count=self.n_test).view(np.bool_)

    @model_validator(mode="after")
    def _check_curves(self) -> Self:
        if self.status != "ok":
            return self
        needed = {"validation_errors"} if self.run.validation else {"train_errors", "test_errors"}
        if len(self.curves) == 1:  # packed trial of a selection, see `Plan.records`
            needed = {"validation_errors", "test_errors"} & set(self.curves) or needed
        if absent := needed - (self.curves.keys() & self.round_zero.keys()):
            raise ValueError(f"the curve {min(absent)} is missing")
        for name, curve in self.curves.items():
            if len(curve) != self.n_rounds:
                raise ValueError(f"{name} has {len(curve)} entries for {self.n_rounds} rounds")
            size = SIZE_OF.get(name)
            if size and ((curve < 0) | (curve > getattr(self, size))).any():
                raise ValueError(f"{name} holds values outside 0 to {size}")
        errors = self.curve("test_errors")
        for at, bits in self.by_round("right").items():
            n_wrong = self.n_test - int.from_bytes(base64.b64decode(str(bits)), "big").bit_count()
            is_round = min(1, self.n_rounds) <= int(at) <= self.n_rounds
            if not is_round or n_wrong != errors[max(int(at), 1) - 1]:
                raise ValueError(f"right at round {at} does not agree with test_errors")
        return self
