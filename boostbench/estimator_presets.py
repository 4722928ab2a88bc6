"""Presets: subclasses of an estimator with fixed parameter values."""

from __future__ import annotations

import inspect
import sys
from typing import Any, TypeVar

T = TypeVar("T")


def preset(
    base: type[T],
    name: str,
    doc: str,
    *,
    chosen: dict[str, Any] | None = None,
    hidden: tuple[str, ...] = (),
    defaults: dict[str, Any] | None = None,
    **attributes: Any,
) -> type[T]:
    """Return a subclass of an estimator that differs only in its parameters.

    Parameters
    ----------
    base : type
        A scikit-learn estimator whose constructor only stores parameters.
    name : str
        Name of the class, equal to the variable to which it is assigned.
    doc : str
        Docstring of the class. The remaining parameters are documented by ``base``.
    chosen : dict or None, default=None
        Parameters fixed to the given values and removed from the constructor.
    hidden : tuple of str, default=()
        Parameters fixed to their defaults and removed from the constructor.
    defaults : dict or None, default=None
        New default values of remaining parameters.
    **attributes
        Class attributes.

    Returns
    -------
    cls : type

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> Stump = preset(DecisionTreeClassifier, "Stump", "A stump.", chosen={"max_depth": 1})
    >>> Stump(criterion="entropy")
    Stump(criterion='entropy')
    >>> Stump(max_depth=2)
    Traceback (most recent call last):
    TypeError: got an unexpected keyword argument 'max_depth'
    """
    chosen, defaults = chosen or {}, defaults or {}
    init: Any = base.__init__
    signature = inspect.signature(init)
    kept = signature.replace(
        parameters=[
            parameter.replace(default=defaults.get(parameter.name, parameter.default))
            for parameter in signature.parameters.values()
            if parameter.name not in chosen and parameter.name not in hidden
        ]
    )

    def __init__(*args: Any, **kwargs: Any) -> None:  # noqa: N807
        bound = kept.bind(*args, **kwargs)
        bound.apply_defaults()
        init(*bound.args, **bound.kwargs, **chosen)

    __init__.__signature__ = kept  # type: ignore[attr-defined]
    module = sys._getframe(1).f_globals["__name__"]
    members = {"__init__": __init__, "__doc__": doc, "__module__": module, **attributes}
    return type(name, (base,), members)
