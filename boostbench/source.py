"""Reading of YAML files with the file and line of every value.

Values follow YAML 1.2 (``1e-3`` is a number). Values that YAML 1.1 and 1.2 interpret differently
(``no``, ``012``, ``1:30``) and repeated keys are refused. The size of a file, its nesting depth and
its number of values are limited.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from boostbench.errors import BoostbenchError, ConfigError, DataError
from boostbench.whole_files import read_file

#: Place of a value in a file: keys and list indices from the top.
Place = tuple[str | int, ...]

_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(?i:inf|nan)")
_WORDS = {
    **dict.fromkeys(["", "~", "null", "Null", "NULL"]),
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
}
_TRUTH = re.compile(r"(yes|no|on|off)", re.IGNORECASE)
#: Numbers and truth values of YAML 1.1 alone.
_TRAPS = re.compile(
    rf"{_TRUTH.pattern}|[-+]?0[0-9_]+|[-+]?0[box][0-9a-fA-F_]+|[-+]?[0-9]+(:[0-5]?[0-9])+(\.[0-9]*)?"
    r"|[-+]?[0-9][0-9_]*_[0-9_]*(\.[0-9_]*)?",
    re.IGNORECASE,
)
_TRAP = (
    "{0} has another meaning in YAML 1.1 than in 1.2; write '{0}' in quotes for text, and a plain "
    "number, true or false otherwise"
)
_TAGS = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))
_MAX_BYTES = 2**20
_MAX_DEPTH = 40
_MAX_VALUES = 100_000
_MAX_INTEGER = 2**63
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class Items(list[Any]):
    """A list in a file, with the location of each item in ``at``; of other origin, without."""

    at: dict[int, str]


class Keys(dict[str, Any]):
    """A mapping in a file, with the location of each key in ``at``."""

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        super().__init__(values or {})
        self.at: dict[str, str] = {}

    def updated(self, other: Mapping[str, Any], without: Collection[str] = ()) -> Keys:
        """Return a copy updated with another mapping, except the keys ``without``."""
        found = Keys({k: v for k, v in {**self, **other}.items() if k not in without})
        found.at = {**self.at, **getattr(other, "at", {})}
        return found


@dataclass
class Source:
    """The content of a YAML file as plain data."""

    name: str  # name of the file in messages
    data: Any  # `Keys`, `Items`, text, numbers, truth values and None
    at: str = ""  # location of the top-level value

    def where(self, place: Place) -> str:
        """Return file and line (or ``--set`` text) of a place or the nearest enclosing value."""
        return where_in(self.data, place) or self.at or self.name

    def resolve(self, place: Place) -> Place:
        """Return the place in the file that ``place`` denotes, see `_steps`."""
        return tuple(step for step, _ in _steps(self.data, place))


def source_of(data: Mapping[str, Any], name: str) -> Source:
    """Return a source with data given by Python code, without lines."""

    def held(value: Any) -> Any:
        if isinstance(value, Mapping):
            return Keys({key: held(item) for key, item in value.items()})
        return Items(map(held, value)) if isinstance(value, list | tuple) else value

    return Source(name, held(data))


def where_in(data: Any, place: Place) -> str:
    """Return the location of the value at ``place``, or of the nearest enclosing value."""
    found = ""
    for step, holder in _steps(data, place):
        found = getattr(holder, "at", {}).get(step, found)
    return found


def _steps(data: Any, place: Place) -> Iterator[tuple[str | int, Any]]:
    """Yield every step to a place in the file, with its container.

    ``place`` may omit the name of an entry, and of its grid: a parameter that is at ``boosters, 0,
    sm-boost, grid, M`` in the file has the place ``boosters, 0, M`` in checks. It may also have an
    index where the file has a single value instead of a list.
    """
    holder = data
    for step in place:
        if isinstance(step, int) and not isinstance(holder, list):
            continue
        while isinstance(holder, dict) and step not in holder:
            below = [name for name, of in holder.items() if step in _names_in(of)]
            if len(below) != 1:
                break
            yield below[0], holder
            holder = holder[below[0]]
        yield step, holder
        try:
            holder = holder[step]
        except (KeyError, IndexError, TypeError):
            holder = None


def _names_in(options: Any) -> set[Any]:
    """Return the keys of the options of an entry, and of its grid."""
    holders = [options, options.get("grid")] if isinstance(options, dict) else []
    return {key for holder in holders if isinstance(holder, dict) for key in holder}


def show(value: Any) -> str:
    """Return a value in the form of messages.

    Examples
    --------
    >>> show("ten"), show(True), show([1, 2]), show(None)
    ("'ten'", 'true', '[1, 2]', 'nothing')
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        inner = ", ".join(f"{key}: {show(item)}" for key, item in value.items())
        text = f"{{{inner}}}"
    elif isinstance(value, list | tuple):
        text = f"[{', '.join(show(item) for item in value)}]"
    else:
        text = repr(value)
    return _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:56]} ..."


def _is_printable(text: str) -> bool:
    """Return whether a text has no control characters except line feeds and tabs."""
    categories = (unicodedata.category(letter)[0] for letter in text if letter not in "\n\t")
    return text.isprintable() or "C" not in categories


def read_source(path: Path) -> tuple[Source, list[BoostbenchError]]:
    """Read a YAML file.

    Returns
    -------
    source : Source
    complaints : list of BoostbenchError
        Repeated keys, ambiguous values and tags, with their lines; the rest of the file is read.

    Raises
    ------
    ConfigError
        If the file cannot be read, exceeds a limit or is not YAML.
    """
    return _read(read_text(path), _Reader(str(path)))


def read_text(path: Path) -> str:
    """Return the text of a file.

    Raises
    ------
    ConfigError
        If the file cannot be read, exceeds a limit or is not in UTF-8.
    """
    try:
        return read_file(path, _MAX_BYTES).decode("utf-8-sig")
    except DataError as error:
        raise ConfigError([error]) from error
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 text (byte {error.start}); save it as UTF-8"
        raise _refused(str(path), what) from error


def read_value(text: str, where: str) -> Any:
    """Return the value of a YAML text located at ``where``; BoostbenchError if it has none."""
    try:
        source, complaints = _read(text, _Reader(where, with_lines=False))
    except ConfigError as error:
        raise error.complaints[0] from error
    if complaints:
        raise complaints[0]
    return source.data


def _read(text: str, reader: _Reader) -> tuple[Source, list[BoostbenchError]]:
    try:
        _check_depth(text, reader)
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or str(error).splitlines()[0]
        context = getattr(error, "context", None)
        if mark and text[mark.index : mark.index + 1] == "\t":
            what, context = "a tab cannot indent; use spaces", None
        what = f"not YAML: {what}{f' ({context})' if context else ''}"
        raise _refused(reader.at(mark), what) from error
    if node is None:
        return Source(reader.name, None), reader.complaints
    return Source(reader.name, reader.value(node), reader.where(node)), reader.complaints


def _check_depth(text: str, reader: _Reader) -> None:
    """Refuse a text that is nested too deep, event by event: `yaml.compose` is recursive."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _MAX_DEPTH:
            what = f"is nested more than {_MAX_DEPTH} levels deep"
            raise _refused(reader.at(event.start_mark), what)


def _refused(where: str, what: str) -> ConfigError:
    return ConfigError([BoostbenchError(what, where=where)])


class _Reader:
    """Converts YAML nodes to values with their locations."""

    def __init__(self, name: str, *, with_lines: bool = True) -> None:
        self.name = name
        self.with_lines = with_lines
        self.complaints: list[BoostbenchError] = []
        self._count = 0

    def value(self, node: yaml.Node, depth: int = 0) -> Any:
        self._count += 1
        if self._count > _MAX_VALUES or depth > _MAX_DEPTH:
            if self._count <= _MAX_VALUES + 1:  # report excessive aliases once
                self.complain(node, "an alias that holds itself, or too many of them")
            return None
        if node.tag not in _TAGS:
            tag = node.tag.replace("tag:yaml.org,2002:", "!!")
            self.complain(node, f"the tag {tag} is not supported; leave it out")
            return str(node.value) if isinstance(node, yaml.ScalarNode) else None
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, depth)
        if isinstance(node, yaml.SequenceNode):
            items = Items(self.value(item, depth + 1) for item in node.value)
            items.at = {index: self.where(item) for index, item in enumerate(node.value)}
            return items
        assert isinstance(node, yaml.ScalarNode)
        try:
            return _scalar(node)
        except ValueError as error:
            self.complain(node, str(error))
            return node.value

    def mapping(self, node: yaml.MappingNode, depth: int) -> Keys:
        result = Keys()
        for key_node, value_node in node.value:
            key = key_node.value
            if not isinstance(key_node, yaml.ScalarNode):
                self.complain(key_node, "a key must be text, found a list or a mapping")
            elif not _is_printable(key):
                self.complain(key_node, f"the key {show(key)} holds characters that do not print")
            elif key == "<<":
                self.complain(key_node, "merge keys (<<) are not supported; repeat the keys")
            elif not key_node.style and _TRUTH.fullmatch(key):
                self.complain(key_node, _TRAP.format(key))
            elif key in result:
                self.complain(key_node, f"key {key!r} is given twice; first at {result.at[key]}")
            else:
                result.at[key] = self.where(key_node)
                result[key] = self.value(value_node, depth + 1)
        return result

    def complain(self, node: yaml.Node, what: str) -> None:
        self.complaints.append(BoostbenchError(what, where=self.where(node)))

    def where(self, node: yaml.Node) -> str:
        return self.at(node.start_mark)

    def at(self, mark: Any) -> str:
        return f"{self.name}:{mark.line + 1}" if self.with_lines and mark else self.name


def _scalar(node: yaml.ScalarNode) -> Any:
    """Return the value of a scalar of YAML 1.2; ValueError if it is ambiguous or out of range."""
    text = str(node.value)
    if not _is_printable(text):
        raise ValueError(f"{show(text)} holds characters that do not print")
    if node.style:  # quoted or block text
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _TRAPS.fullmatch(text):
        raise ValueError(_TRAP.format(text))
    if _INT.fullmatch(text):
        if len(text) > 20 or abs(int(text)) >= _MAX_INTEGER:
            raise ValueError(f"{_cut(text)} is beyond the integers of 64 bits")
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(re.sub(r"\.(?=[a-z])", "", text.casefold()))
        if abs(number) == math.inf and "inf" not in text.casefold():
            raise ValueError(f"{_cut(text)} is beyond floating-point numbers")
        return number
    return text
