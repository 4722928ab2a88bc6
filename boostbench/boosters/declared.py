"""Parameters of an estimator, each declared in one line: name, range and default.

>>> class Shrunk(Declared):
...     learning_rate: Annotated[float, Interval(Real, 0, 1, closed="right")] = 0.1
>>> Shrunk(learning_rate=0.5).learning_rate
0.5

makes ``learning_rate`` a keyword of the constructor, which only stores it, and its range a
constraint that scikit-learn checks in `fit`. A class that has an ``__init__`` of its own, and
`_parameter_constraints`, as estimators commonly are written, is left as it is.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin

from sklearn.utils._param_validation import Interval, Options, StrOptions
from typing_extensions import dataclass_transform

Positive = Annotated[float, Interval(Real, 0, None, closed="neither")]
#: Infinity is allowed.
PositiveOrInfinite = Annotated[float, Interval(Real, 0, None, closed="right")]
NotNegative = Annotated[float, Interval(Real, 0, None, closed="left")]
#: In (0, 1).
Share = Annotated[float, Interval(Real, 0, 1, closed="neither")]
Count = Annotated[int, Interval(Integral, 1, None, closed="left")]


@dataclass_transform(kw_only_default=True)
class Declared:
    """Base of classes whose annotated attributes are the parameters of their constructor.

    The constraint of a parameter follows from its type: a `Literal` allows its values, bool True
    and False, ``| None`` None too, and the metadata of `Annotated` are constraints of scikit-learn.
    A `ClassVar` is no parameter; it takes one of a base away.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        with_init = next(base for base in cls.__mro__ if "__init__" in vars(base))
        if with_init is not object and "__dataclass_fields__" not in vars(with_init):
            return
        constraints: dict[str, Any] = {}
        for base in reversed(cls.__mro__[1:]):
            constraints |= vars(base).get("_parameter_constraints", {})
        for name, declared in inspect.get_annotations(cls, eval_str=True).items():
            kinds: list[Any] = [declared, get_origin(declared)]
            if ClassVar in kinds:
                constraints.pop(name, None)
            else:
                constraints[name] = _constraints_of(declared)
        doc = cls.__doc__
        dataclass(kw_only=True, repr=False, eq=False)(cls)
        cls.__doc__ = doc  # None where a class has none, not the signature
        cls._parameter_constraints = constraints


def _constraints_of(declared: Any) -> Any:
    """Return what scikit-learn's ``_parameter_constraints`` hold for a type."""
    origin, parts = get_origin(declared), get_args(declared)
    if declared is Any:
        return "no_validation"
    if origin is Annotated:
        return list(declared.__metadata__)
    if origin in (Union, UnionType):
        return [constraint for part in parts for constraint in _constraints_of(part)]
    if origin is Literal:
        is_text = all(isinstance(value, str) for value in parts)
        return [StrOptions(set(parts)) if is_text else Options(Integral, set(parts))]
    return [{bool: "boolean", NoneType: None}.get(declared, declared)]
