"""Parameters given as arithmetic expressions in the size of the data: ``"12 * (K - 1)"``.

K is the number of classes, n the number of training samples, d the number of features. The
operators are ``+ - * /`` and parentheses. Other text (``"best"``, ``"one-vs-all"``, a bare ``"K"``)
is not an expression, nor is a text of more than 200 characters. The absolute value of an expression
is at most 1e18.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from boostbench.errors import BoostbenchError, hint
from boostbench.source import Place

#: Names allowed in an expression.
NAMES = ("K", "n", "d")

_NODES = (
    *(ast.Expression, ast.BinOp, ast.UnaryOp, ast.Name, ast.Load),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.UAdd, ast.USub),
)
_MAX_LENGTH = 200
_MAX_VALUE = 1e18
_EXAMPLE = {"K": 3, "n": 1009, "d": 7}


def is_expression(text: str) -> bool:
    """Return whether a text is an arithmetic expression.

    Raises
    ------
    BoostbenchError
        If the text is arithmetic with a number or a known name, and with something unsupported.

    Examples
    --------
    >>> [is_expression(text) for text in ("12 * (K - 1)", "n / 4", "K", "sm-boost")]
    [True, True, False, False]
    """
    tree = _parse(text)
    if tree is None or not isinstance(tree.body, ast.BinOp | ast.UnaryOp | ast.Call):
        return False
    nodes = list(ast.walk(tree))
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    if not any(isinstance(node, ast.Constant) for node in nodes) and not {*names} & {*NAMES}:
        return False
    for node in nodes:
        is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
        if not is_number and not isinstance(node, _NODES):
            what = "can hold numbers, K, n, d, + - * / and ( ) only"
            raise BoostbenchError(f"the expression {text!r} {what}")
        if isinstance(node, ast.Name) and node.id not in NAMES:
            what = f"unknown name {node.id!r} in the expression {text!r}"
            raise BoostbenchError(f"{what}; {hint(node.id, NAMES)}")
    _value(tree, _EXAMPLE, text)
    return True


def texts_in(value: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """Yield every text in a parameter value, at any depth, with its place."""
    if isinstance(value, str):
        yield place, value
    items = value.items() if isinstance(value, Mapping) else ()
    for key, item in enumerate(value) if isinstance(value, list | tuple) else items:
        yield from texts_in(item, (*place, key))


def holds_expression(value: Any) -> bool:
    """Return whether a parameter value holds an expression, at any depth."""
    return any(is_expression(text) for _, text in texts_in(value))


def resolve(value: Any, sizes: Mapping[str, int]) -> Any:
    """Return ``value`` with every expression replaced by its result.

    Parameters
    ----------
    value : object
        A parameter value; expressions are replaced in mappings and lists too.
    sizes : mapping of str to int
        Values of K, n and d.

    Returns
    -------
    resolved : object
        Integral results are of type int.

    Examples
    --------
    >>> resolve({"tree": {"max_leaf_nodes": "12 * (K - 1)", "splitter": "best"}}, {"K": 3})
    {'tree': {'max_leaf_nodes': 24, 'splitter': 'best'}}
    """
    if isinstance(value, Mapping):
        return {key: resolve(item, sizes) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [resolve(item, sizes) for item in value]
    if not isinstance(value, str) or not is_expression(value):
        return value
    result = _value(_parse(value), sizes, value)
    return int(result) if float(result).is_integer() else result


def _parse(text: str) -> ast.Expression | None:
    if len(text) > _MAX_LENGTH:
        return None
    try:
        return ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _value(tree: Any, sizes: Mapping[str, int], text: str) -> Any:
    """Return the value of an expression whose nodes are all allowed."""
    try:
        result = eval(compile(tree, "expression", "eval"), {"__builtins__": {}}, dict(sizes))
    except ArithmeticError as error:
        raise BoostbenchError(f"the expression {text!r} has no value: {error}") from error
    if not abs(result) <= _MAX_VALUE:
        raise BoostbenchError(f"the expression {text!r} exceeds {_MAX_VALUE:g}")
    return result
