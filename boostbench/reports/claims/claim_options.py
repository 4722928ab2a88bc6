"""Types of the options of claims, checked against the config that states the claim.

Validators take the data sets, noises, boosters and rounds of the config from the `Scope` in the
validation context.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Le
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationInfo,
    model_validator,
)

from boostbench import quantities
from boostbench.errors import nearest
from boostbench.experiments.configs.fields import is_number
from boostbench.experiments.configs.kind_options import (
    BoosterLabel,
    DataSetLabel,
    NoiseLabel,
    scope_of,
)
from boostbench.reports.values.frame import END
from boostbench.reports.values.part_options import MetricName as MetricName
from boostbench.source import show
from boostbench.validation import Distinct, Listed, Model, OneOrMore, as_list

Whole = Annotated[int, Ge(1)]
#: Largest absolute value of a number in a claim; sums of much larger numbers overflow.
_MOST = 1e9
Number = Annotated[float, Ge(0), Le(_MOST)]
#: Share of runs.
Share = Annotated[float, Gt(0), Le(1)]
SignedNumber = Annotated[float, Ge(-_MOST), Le(_MOST)]
_PERCENT = re.compile(r"([-+]?\d+(?:\.\d+)?) ?%")


Labels = Annotated[OneOrMore[BoosterLabel], Distinct]


def _several(labels: tuple[str, ...]) -> tuple[str, ...]:
    if len(labels) < 2:
        raise ValueError(f"must be a list of at least two boosters, found {show(list(labels))}")
    return labels


#: At least two boosters.
SeveralLabels = Annotated[Labels, AfterValidator(_several)]
Datasets = Annotated[OneOrMore[DataSetLabel], Distinct]


def _levels(levels: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    labels = _several(tuple(label for level in levels for label in level))
    if len(levels) < 2:
        raise ValueError(f"must have at least two levels, found {show([*map(list, levels)])}")
    if twice := [label for label in labels if labels.count(label) > 1]:
        raise ValueError(f"{twice[0]!r} is listed twice")
    return levels


#: Boosters in an order; boosters in a nested list share a level.
Levels = Annotated[Listed[Labels], AfterValidator(_levels)]


def _by_rate(labels: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    """Return noise labels sorted by rate; without labels, all noises of the config.

    Rates that are drawn with the problem, given as texts, come last.
    """
    noises = scope_of(info).noises
    rates = {n.full_label: math.inf if isinstance(n.rate, str) else n.rate for n in noises}
    return tuple(sorted(labels or rates, key=lambda label: rates.get(label, 0.0)))


Noises = Annotated[OneOrMore[NoiseLabel], Distinct, AfterValidator(_by_rate)]


def _round(value: int | str, info: ValidationInfo) -> int | str:
    most = scope_of(info).rounds
    if value != END and int(value) > most and "rounds" not in scope_of(info).unknown:
        raise ValueError(f"at: {value} is beyond the {most} rounds that are made")
    return value


def _at(value: Any, info: ValidationInfo) -> Any:
    return list(scope_of(info).checkpoints) if value == "checkpoints" else as_list(value)


_Round = Annotated[Whole | Literal["end"], AfterValidator(_round)]
At = Annotated[
    Listed[_Round],
    BeforeValidator(_at, json_schema_input_type=_Round | list[_Round] | Literal["checkpoints"]),
    Distinct,
    Field(json_schema_extra={"wanted": "one or several numbers of rounds, 'end' or 'checkpoints'"}),
]


class _Exception(Model):
    """Excluded cells: those that match every given field."""

    dataset: DataSetLabel | None = None
    noise: NoiseLabel | None = None
    at: _Round | None = None
    booster: BoosterLabel | None = None


Exceptions = Annotated[
    Listed[_Exception], Field(json_schema_extra={"wanted": "a list such as [{dataset: letter}]"})
]


#: Named shares of the cases.
_SHARES = {"all": 1.0, "most": 0.5 + 1e-6}


@dataclass(frozen=True)
class Rule:
    """Number of cases that must hold, as a count or as a share of the cases."""

    count: int | None = None
    share: float = 1.0  # used if there is no count

    def needed(self, n: int) -> int:
        """Return the number of n cases that must hold.

        Examples
        --------
        >>> Rule(6).needed(8), Rule(share=0.6).needed(8), Rule().needed(8)
        (6, 5, 8)
        """
        return math.ceil(self.share * n - 1e-9) if self.count is None else self.count

    def is_met(self, answers: Sequence[bool | None]) -> bool | None:
        """Return whether enough cases are true; None if unknown cases could change it.

        Examples
        --------
        >>> Rule(2).is_met([True, None, True]), Rule(2).is_met([True, None, False])
        (True, None)
        """
        needed = self.needed(len(answers))
        if answers.count(True) >= needed:
            return True
        return False if len(answers) - answers.count(False) < needed else None

    def share_of(self, n_cases: int, n_sets: int) -> float:
        """Return the share of the data sets that the rule asks for; of "all", all but one.

        Examples
        --------
        >>> Rule(6).share_of(8, 8), Rule(6).share_of(16, 8), Rule().share_of(20, 10)
        (0.75, 0.375, 0.9)
        """
        return min(self.share if self.count is None else self.count / n_cases, 1 - 1 / n_sets)

    def __repr__(self) -> str:
        words = {share: word for word, share in _SHARES.items()}
        return words.get(self.share, str(self.share)) if self.count is None else str(self.count)

    def text(self, n: int) -> str:
        """Return the rule in words."""
        needed = self.needed(n)
        return "all" if needed == n else f"at least {needed}"


def _rule(value: Any) -> Rule:
    if isinstance(value, str) and value in _SHARES:
        return Rule(share=_SHARES[value])
    if isinstance(value, float) and 0 < value < 1:
        return Rule(share=value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        what = "must be a number, a share such as 0.6, all or most"
        raise ValueError(f"{what}, found {show(value)}")
    return Rule(count=value)


AtLeast = Annotated[
    Rule, PlainValidator(_rule, json_schema_input_type=float | Literal["all", "most"])
]


class Amount(Model):
    """Amount of a quantity, with its unit; a negative one is a tolerance.

    Attributes
    ----------
    points : float
        Percentage points.
    absolute : float
        Part in the unit of the quantity.
    relative : float
        Part as a share of the other value.
    """

    points: SignedNumber = 0.0
    absolute: SignedNumber = 0.0
    relative: SignedNumber = 0.0

    @model_validator(mode="after")
    def _is_one(self) -> Amount:
        if len(self.model_fields_set) > 1 and not isinstance(self, Tolerance):
            raise ValueError("needs one of points, absolute and relative")
        return self

    @classmethod
    def written(cls, value: Any) -> Any:
        """Return the written value, which must be a mapping."""
        if not isinstance(value, dict):
            what = "must say its unit, such as {points: 1.5} or {relative: 0.1}"
            raise ValueError(f"{what}, found {show(value)}")
        return value

    def of(self, value: float | None = None) -> float:
        """Return the amount beside another value; 0 if none is given."""
        relative = self.relative * abs(value or 0.0)
        parts = {"points": self.points / 100, "absolute": self.absolute, "relative": relative}
        return max((parts[name] for name in self.model_fields_set), default=0.0)

    def check(self, name: str) -> None:
        """Refuse points of a quantity, by its name, that is not a percentage.

        A relative margin needs a quantity that is never negative.

        Raises
        ------
        ValueError
        """
        metric = quantities.QUANTITIES[name]
        if metric.unit != "%" and "points" in self.model_fields_set:
            raise ValueError(f"{metric.words} has no points; give it as absolute or relative")
        if metric.least is None and self.relative and not isinstance(self, Tolerance):
            raise ValueError(f"{metric.words} may be negative; give the amount as absolute")


class Tolerance(Amount):
    """Largest difference between equivalent values; of several parts the largest counts."""

    points: Number = 0.0
    absolute: Number = 0.0
    relative: Number = 0.0


class OtherQuantity(Model):
    """Quantity on the right side of a comparison; fields not given are those of the left side.

    Attributes
    ----------
    booster, noise, value : str or None
    at : int, "end" or None
    times : float
        Factor of the quantity.
    plus : Amount
        Amount that is added to the product.
    """

    booster: BoosterLabel | None = None
    noise: NoiseLabel | None = None
    value: MetricName | None = None
    at: _Round | None = None
    times: Number = 1.0
    plus: Amount = Amount()

    @model_validator(mode="after")
    def _is_another(self) -> OtherQuantity:
        if not {"booster", "noise", "value", "at"} & self.model_fields_set:
            raise ValueError("must give at least one of booster, at, noise and value")
        if self.plus.relative:
            raise ValueError("plus has no relative part; times multiplies the other value")
        return self

    @property
    def words(self) -> str:
        """The quantity in words, such as "0.9 × samme at T = 50 + 2 points"."""
        parts = [f"{self.times:g} ×"] if self.times != 1.0 else []
        parts += filter(None, [self.booster, self.value, self.noise])
        parts += [f"at T = {self.at}"] if self.at else []
        amounts = self.plus.model_dump(exclude_unset=True).items()
        return " ".join([*parts, *(f"+ {amount:g} {unit}" for unit, amount in amounts)])


def _bound(value: Any, info: ValidationInfo) -> Any:
    percent = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    metric = quantities.QUANTITIES.get(info.data.get("value", ""))
    if percent and metric and metric.unit != "%":
        raise ValueError(f"{metric.words} is not a percentage; write a number, found {show(value)}")
    number = float(percent[1]) / 100 if percent else value
    if is_number(number):
        if abs(number) > _MOST:
            raise ValueError(f"must be a number of at most {_MOST:g} in size, found {show(value)}")
        return float(number)
    if isinstance(value, dict):
        return OtherQuantity.model_validate(value, context=info.context)
    if value in ("noise_rate", "others"):
        return value
    scope = scope_of(info)
    is_name = isinstance(value, str) and nearest(value, scope.boosters)
    if not is_name and not isinstance(value, list) and "boosters" not in scope.unknown:
        what = "a booster or a list of them, others, a number, 15%, noise_rate or {booster: NAME}"
        raise ValueError(f"must be {what}, found {show(value)}")
    return _LABELS.validate_python(value, context=info.context)


_LABELS: TypeAdapter[tuple[str, ...]] = TypeAdapter(Labels)
#: Right side of a comparison: a number, ``noise_rate``, boosters, or another quantity.
Bound = Annotated[float | str | tuple[str, ...] | OtherQuantity, BeforeValidator(_bound)]
Counts = dict[BoosterLabel, OneOrMore[Annotated[int, Ge(0)]]]
