"""Base class of pydantic models, and error messages about invalid values.

Models are ordinary pydantic models. This module replaces the error messages of pydantic: a field
may say in words what its value must be (``wanted`` in its JSON schema). A validator refuses a value
by a ValueError, such as a `BoostbenchError`, or several parts of a value by a `MistakesError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetJsonSchemaHandler,
    GetPydanticSchema,
    ModelWrapValidatorHandler,
    Strict,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import CoreSchema, ErrorDetails

from boostbench.errors import BoostbenchError, ConfigError, nearest, unknown
from boostbench.source import Place, show

#: Step of a place after which steps are relative to the top of the file.
TOP = ".."
#: Errors that pydantic reports as a consequence of other errors.
_CONSEQUENCES = ("default_factory_not_called", "default_factory_error")
#: Words for valid values by type of error; those of pydantic for others.
_VALID = {
    **dict.fromkeys(("int_type", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "finite_number"), "a number"),
    **dict.fromkeys(("list_type", "tuple_type", "sequence_str"), "a list"),
    **dict.fromkeys(("dict_type", "mapping_type", "model_type", "dataclass_type"), "a mapping"),
    "bool_type": "true or false",
    "greater_than": "above {gt:,}",
    "greater_than_equal": "at least {ge:,}",
    "less_than": "below {lt:,}",
    "less_than_equal": "at most {le:,}",
    "none_required": "",
    "string_pattern_mismatch": "of the form {pattern}",
    "string_type": "text",
    "too_short": "a list of at least {min_length}",
}
T = TypeVar("T")
M = TypeVar("M", bound="Model")

#: A place within a value, and a message or an error with its own location.
Mistake = tuple[Place, str | BoostbenchError]
#: A list in YAML, a tuple in Python.
Listed = Annotated[tuple[T, ...], Strict(False)]


class MistakesError(ValueError):
    """Errors in parts of a value, collected while it is read; raised by `close`.

    Attributes
    ----------
    found : list of (Place, str or BoostbenchError)
    """

    def __init__(self, *found: Mistake) -> None:
        super().__init__()
        self.found = list(found)

    def __str__(self) -> str:
        return "; ".join(
            f"{'.'.join(map(str, place))} {what}" if str(what).startswith("must ") else str(what)
            for place, what in self.found
        )

    def add(self, what: str, *place: str | int) -> None:
        """Add an error about the part of the value at ``place``."""
        self.found.append((place, what))

    def take(self, read: Callable[..., Any], value: Any, *place: str | int) -> Any:
        """Return ``read(value)``, or None after adding the errors that it raises."""
        try:
            return read(value)
        except ValueError as error:
            self.found += [((*place, *inner), what) for inner, what in mistakes_in(error)]
        return None

    def close(self) -> None:
        """Raise this exception if any error was added."""
        if self.found:
            raise self


def mistakes_in(error: ValueError) -> list[Mistake]:
    """Return the errors in an exception with their places."""
    if isinstance(error, MistakesError):
        return error.found
    if isinstance(error, ValidationError):
        return [
            ((*each["loc"], *place), what)
            for each in error.errors()
            for place, what in _raised_by_validator(each) or [((), each["msg"])]
        ]
    if isinstance(error, ConfigError):
        return [((), each) for each in error.complaints]
    return [((), error.what if isinstance(error, BoostbenchError) else str(error))]


def first_mistake(error: ValueError) -> tuple[Place, str]:
    """Return place and text of the first error in an exception."""
    place, what = mistakes_in(error)[0]
    return place, str(what)


def _raised_by_validator(error: ErrorDetails) -> list[Mistake]:
    """Return the errors raised by a validator; empty for errors of pydantic itself."""
    cause = (error.get("ctx") or {}).get("error")
    return mistakes_in(cause) if isinstance(cause, ValueError) else []


class Model(BaseModel):
    """Base of models: frozen mappings of known keys, without type conversion."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, arbitrary_types_allowed=True
    )

    @classmethod
    def written(cls, value: Any) -> Any:
        """Return a value of a config as a mapping of the keys of this model."""
        return value

    @model_validator(mode="wrap")
    @classmethod
    def _explain_errors(cls, value: Any, handler: ModelWrapValidatorHandler[M]) -> M:
        if isinstance(value, cls):
            return value  # type: ignore[return-value]
        written = cls.written(value)
        try:
            return handler(written)
        except ValidationError as error:
            raise MistakesError(*_translated(error, cls, written)) from None


def validated(kind: type[T], value: Mapping[str, Any]) -> T:
    """Return a `Model` or a pydantic dataclass with the given fields.

    Raises
    ------
    MistakesError
        With the errors of all fields.
    """
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise MistakesError(*_translated(error, kind, value)) from None


def as_list(value: Any) -> Any:
    """Return a list or tuple unchanged, any other value as a list of one; refuse an empty list."""
    if value == []:
        raise ValueError("must not be an empty list")
    return value if isinstance(value, list | tuple) else [value]


def _or_one(schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
    """Return the JSON schema of a list, or of one of its items."""
    listed = handler(schema)
    return {"anyOf": [listed.get("items", {}), listed]}


def _distinct(values: tuple[Any, ...]) -> tuple[Any, ...]:
    first = {value: index for index, value in reversed([*enumerate(values)])}
    twice = [((i,), f"{show(v)} is listed twice") for i, v in enumerate(values) if first[v] < i]
    MistakesError(*twice).close()
    return values


#: Refuses lists with repeated values.
Distinct = AfterValidator(_distinct)
#: A single value or a list in YAML, a tuple in Python.
OneOrMore = Annotated[
    tuple[T, ...], Strict(False), BeforeValidator(as_list), GetPydanticSchema(None, _or_one)
]


def _translated(error: ValidationError, model: Any, written: Any) -> Iterator[Mistake]:
    """Yield the errors in ``written``, translated from those of pydantic.

    ``model`` is a `Model` or a pydantic dataclass.
    """
    refused: dict[Place, tuple[Any, list[ErrorDetails]]] = {}
    fields = model.__pydantic_fields__.items()
    keys = {key: f for name, f in fields if (key := f.alias or name)[0] != "<"}
    for each in error.errors():
        place, value = _within(written, each["loc"])
        if mistakes := _raised_by_validator(each):
            yield from (((*place, *inner), what) for inner, what in mistakes)
        elif each["type"] == "missing":
            key = str(each["loc"][0])
            text = keys[key].description or ""
            described = f": {text[:1].lower()}{text[1:].rstrip('.')}" if text else ""
            yield (), f"needs {key!r}{described}"
        elif each["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
            yield place, unknown("key", str(place[-1]), keys)
        elif each["loc"] and each["loc"][-1] == "[key]":
            choices = re.findall(r"'(.*?)'", str(each["ctx"].get("expected")))
            yield place, unknown("key", str(place[-1]), choices)
        elif each["type"] == "too_short" and len(value) >= each["ctx"]["min_length"]:
            continue  # errors in the items are reported instead
        elif each["type"] not in _CONSEQUENCES:
            refused.setdefault(place, (value, []))[1].append(each)
    for place, (value, several) in refused.items():
        yield place, f"must be {_valid(model, place, value, several)}"


def _within(value: Any, loc: Place) -> tuple[Place, Any]:
    """Return the steps of ``loc`` that exist in a value, and the value there.

    Other steps of ``loc`` name members of unions.
    """
    place: Place = ()
    for step in loc:
        is_there = (isinstance(value, dict) and step in value) or (
            isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value)
        )
        if is_there:
            value, place = value[step], (*place, step)
    return place, value


def _valid(model: Any, place: Place, value: Any, errors: Sequence[ErrorDetails]) -> str:
    """Return the words for valid values at a place, from the errors there, and the value found."""
    fields = model.__pydantic_fields__.items()
    own = [f for name, f in fields if place[:1] in ((name,), (f.alias,))]
    wanted = [*_wanted_in(own[0])] if len(place) == 1 else []
    wanted = wanted or [*filter(None, map(_wanted_by, errors))]
    choices = " ".join(str(each.get("ctx", {}).get("expected")) for each in errors)
    close = nearest(value, re.findall("'(.*?)'", choices)) if isinstance(value, str) else None
    hint = f"; did you mean {close!r}?" if close else ""
    if type(value) is float and value.is_integer() and "a whole number" in wanted:
        hint = f"; write {value:.0f}"
    return f"{' or '.join(dict.fromkeys(wanted)) or 'another value'}, found {show(value)}{hint}"


def _wanted_by(error: ErrorDetails) -> str:
    """Return the words for valid values of an error; empty if it has none."""
    text = _VALID.get(error["type"], error["msg"].removeprefix("Input should be "))
    return text.format(**error.get("ctx", {}))


def _wanted_in(kind: Any) -> Iterator[str]:
    """Yield the words of a field, or within its type, that say what its value must be."""
    extra = getattr(kind, "json_schema_extra", None)
    if isinstance(extra, Mapping) and "wanted" in extra:
        yield str(extra["wanted"])
    for inner in (getattr(kind, "annotation", None), *get_args(kind)):
        yield from () if inner is None else _wanted_in(inner)
