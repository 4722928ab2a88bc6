"""Parameters given as arithmetic expressions in the size of the data: ``"12 * (K - 1)"``.

K is the number of classes, n the number of training samples, d the number of features. The
operators are ``+ - * / // **`` and parentheses, the functions ``min`` and ``max``. Other text
(``"best"``, ``"one-vs-all"``, a bare ``"K"``) is not an expression, nor is a text of more than 200
characters. The absolute value of every part of an expression is at most 1e18.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from boostbench.errors import BoostbenchError, hint
from boostbench.source import Place

#: Names allowed in an expression.
NAMES = ("K", "n", "d")

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"min": min, "max": max}
_MAX_LENGTH = 200
_MAX_EXPONENT = 64
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
    >>> [is_expression(text) for text in ("12 * (K - 1)", "min(n, 100)", "K", "sm-boost")]
    [True, True, False, False]
    """
    tree = _parse(text)
    if tree is None or not isinstance(tree, ast.BinOp | ast.UnaryOp | ast.Call):
        return False
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    numbers = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    if not numbers and not any(name in NAMES for name in names):
        return False
    _evaluate(tree, _EXAMPLE, text)
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
    result = _evaluate(_parse(value), sizes, value)
    return int(result) if float(result).is_integer() else result


def _parse(text: str) -> ast.expr | None:
    if len(text) > _MAX_LENGTH:
        return None
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _evaluate(node: ast.AST | None, sizes: Mapping[str, int], text: str) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return _bounded(node.value, text)
    if isinstance(node, ast.Name):
        if node.id in sizes:
            return sizes[node.id]
        raise BoostbenchError(
            f"unknown name {node.id!r} in the expression {text!r}; {hint(node.id, NAMES)}"
        )
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_evaluate(node.operand, sizes, text))
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _evaluate(node.left, sizes, text), _evaluate(node.right, sizes, text)
        return _apply(node.op, left, right, text)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _FUNCTIONS.get(node.func.id)
        if function is not None and len(node.args) >= 2:
            return function(*(_evaluate(argument, sizes, text) for argument in node.args))
    raise BoostbenchError(
        f"the expression {text!r} can hold numbers, K, n, d, + - * / // ** ( ), min and max only"
    )


def _apply(operation: ast.operator, left: Any, right: Any, text: str) -> Any:
    if isinstance(operation, ast.Pow) and abs(right) > _MAX_EXPONENT:
        raise BoostbenchError(
            f"the expression {text!r} has an exponent beyond {_MAX_EXPONENT}; use a smaller one"
        )
    try:
        result = _BINARY[type(operation)](left, right)
    except (ArithmeticError, ValueError) as error:
        raise BoostbenchError(f"the expression {text!r} has no value: {error}") from error
    return _bounded(result, text)


def _bounded(value: Any, text: str) -> Any:
    if isinstance(value, complex) or not abs(value) <= _MAX_VALUE:
        raise BoostbenchError(
            f"the expression {text!r} has no value: a part is complex or exceeds {_MAX_VALUE:g}"
        )
    return value
