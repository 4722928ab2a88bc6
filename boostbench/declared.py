"""Declaration of estimator parameters: name, range and default in one line.

>>> class Shrunk(Declared):
...     learning_rate: Annotated[float, Interval(Real, 0, 1, closed="right")] = 0.1
>>> Shrunk(learning_rate=0.5).learning_rate
0.5

The annotation makes ``learning_rate`` a keyword argument of the constructor, which only stores
it, and turns the range into a constraint that scikit-learn checks in `fit`. A class with its own
``__init__`` and `_parameter_constraints`, as in scikit-learn, is left unchanged.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection
from dataclasses import dataclass
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
)

from sklearn.utils._param_validation import Interval, Options, StrOptions

Positive = Annotated[float, Interval(Real, 0, None, closed="neither")]
#: Positive, infinity included.
PositiveOrInfinite = Annotated[float, Interval(Real, 0, None, closed="right")]
NotNegative = Annotated[float, Interval(Real, 0, None, closed="left")]
#: Number in (0, 1).
Share = Annotated[float, Interval(Real, 0, 1, closed="neither")]
Count = Annotated[int, Interval(Integral, 1, None, closed="left")]


class Note:
    """Metadata in a parameter's annotation, or in a part of it, that are not a constraint."""


@dataclass_transform(kw_only_default=True)
class Declared:
    """Base of classes whose annotated attributes are constructor parameters.

    The type of an attribute determines its constraint: a `Literal` allows its values, ``bool``
    allows True and False, ``| None`` also allows None, and the metadata of `Annotated` are
    scikit-learn constraints, which replace that of the type, or a `Note`. A `ClassVar` is not a
    parameter and removes an inherited one. A plain assignment changes the default of an inherited
    parameter.

    A subclass ``class Preset(Base, takes=("a", NOTE))`` has, of the parameters of its bases, only
    those of a name or `Note` in `takes`; the others keep the value of the class attribute.

    >>> class Base(Declared):
    ...     depth: Count = 3
    ...     leaves: Count | None = None
    >>> class Stump(Base, takes=("leaves",)):
    ...     depth = 1
    >>> Stump(leaves=2).depth
    1
    >>> Stump(depth=2)
    Traceback (most recent call last):
    TypeError: Stump.__init__() got an unexpected keyword argument 'depth'
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {}
    #: Notes of each parameter that has any.
    _parameter_notes: ClassVar[dict[str, tuple[Note, ...]]] = {}

    def __init_subclass__(cls, takes: Collection[str | Note] | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        with_init = next(base for base in cls.__mro__ if "__init__" in vars(base))
        if with_init is not object and "__dataclass_fields__" not in vars(with_init):
            return
        constraints: dict[str, Any] = {}
        notes: dict[str, tuple[Note, ...]] = {}
        for base in reversed(cls.__mro__[1:]):
            constraints |= vars(base).get("_parameter_constraints", {})
            notes |= vars(base).get("_parameter_notes", {})
        own = inspect.get_annotations(cls, eval_str=True)
        for name in constraints.keys() - own.keys():
            if takes is not None and {name, *notes.get(name, ())}.isdisjoint(takes):
                own[name] = ClassVar[Any]
            elif name in vars(cls):
                own[name] = _INHERITED
        for name, declared in own.items():
            if ClassVar in (declared, get_origin(declared)):
                constraints.pop(name, None)
                notes.pop(name, None)
            elif declared is not _INHERITED:
                constraints[name] = _constraints_of(declared)
                notes[name] = _notes(declared)
        cls.__annotations__ = own
        doc = cls.__doc__
        dataclass(kw_only=True, repr=False, eq=False)(cls)
        cls.__doc__ = doc  # `dataclass` replaces a missing docstring by the signature
        cls._parameter_constraints = constraints
        cls._parameter_notes = {name: found for name, found in notes.items() if found}


#: Annotation of an inherited parameter with another default.
_INHERITED = Annotated[Any, "inherited"]


def _notes(declared: Any) -> tuple[Note, ...]:
    if isinstance(declared, Note):
        return (declared,)
    return tuple(note for part in get_args(declared) for note in _notes(part))


def _constraints_of(declared: Any) -> Any:
    """Return the entry of scikit-learn's ``_parameter_constraints`` for a type."""
    origin, parts = get_origin(declared), get_args(declared)
    if declared is Any:
        return "no_validation"
    if origin is Annotated:
        stated = [found for found in parts[1:] if not isinstance(found, Note)]
        return stated or _constraints_of(parts[0])
    if origin in (Union, UnionType):
        return [constraint for part in parts for constraint in _constraints_of(part)]
    if origin is Literal:
        is_text = all(isinstance(value, str) for value in parts)
        return [StrOptions(set(parts)) if is_text else Options(Integral, set(parts))]
    return [{bool: "boolean", NoneType: None}.get(declared, declared)]
