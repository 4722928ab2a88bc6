"""YAML with the line of every key, so that a complaint can name the place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from boostbench.errors import DataError

__all__ = ["Lines", "read_yaml"]

Lines = dict[tuple[str | int, ...], int]


def read_yaml(path: Path) -> tuple[Any, Lines]:
    """Read one YAML document.

    Parameters
    ----------
    path : Path
        A UTF-8 file.

    Returns
    -------
    value : object
        What ``yaml.safe_load`` gives; None for an empty file.
    lines : dict
        The line (from 1) of every key and list item, by its path from the root.

    Raises
    ------
    DataError
        If the file is not YAML, or a key occurs twice in one mapping.
    """
    import yaml

    loader_class = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        with path.open(encoding="utf-8") as file:
            loader = loader_class(file)
            try:
                node = loader.get_single_node()
                if node is None:
                    return None, {}
                lines: Lines = {}
                return _value(loader, node, (), lines, path), lines
            finally:
                loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = str(path) if mark is None else f"{path}:{mark.line + 1}"
        raise DataError(f"this is not YAML: {error.problem}", where=where) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"this is not YAML: {reason}", where=str(path)) from error


def _value(loader: Any, node: Any, at: tuple[str | int, ...], lines: Lines, path: Path) -> Any:
    lines[at] = node.start_mark.line + 1
    if node.id == "sequence":
        return [_value(loader, item, (*at, i), lines, path) for i, item in enumerate(node.value)]
    if node.id != "mapping":
        return loader.construct_object(node, deep=True)
    mapping: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        line = key_node.start_mark.line + 1
        if key in mapping:
            first = lines[(*at, key)]
            raise DataError(
                f"key {key!r} is given twice, first in line {first}", where=f"{path}:{line}"
            )
        mapping[key] = _value(loader, value_node, (*at, key), lines, path)
        lines[(*at, key)] = line
    return mapping
