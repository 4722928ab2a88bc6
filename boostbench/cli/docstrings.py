"""Parsing of numpydoc docstrings for `boostbench show`."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boostbench.validation import Model

_UNDERLINED = re.compile(r"^([A-Z][\w ]*)\n-{3,}\n", re.MULTILINE)
#: Arguments that boostbench passes to a plugin; a config cannot set them.
_SUPPLIED = {"n_estimators", "random_state", "y", "n_classes", "rng", "X", "study"}
_PARAMETER = re.compile(r"^(\S[^:\n]*?)(?: : ([^\n]*))?\n", re.MULTILINE)


def sections_of(plugin: Any) -> dict[str, str]:
    """Return the sections of a docstring by title; the text before the first has the title "".

    Examples
    --------
    >>> def f():
    ...     '''Do it.
    ...
    ...     References
    ...     ----------
    ...     Somebody 1999.
    ...     '''
    >>> sections_of(f)
    {'': 'Do it.', 'References': 'Somebody 1999.'}
    """
    text = without_markup(inspect.getdoc(plugin) or "") + "\n"
    parts = ["", *_UNDERLINED.split(text)]  # each title before its text
    return {title: part.strip("\n") for title, part in zip(parts[::2], parts[1::2], strict=True)}


def parameters_of(plugin: Any, *, options: type[Model] | None = None) -> list[dict[str, Any]]:
    """Return name, type, default and description of each parameter that a config may set.

    Parameters missing in the docstring of a class are documented by its bases or by the fields of
    its ``options`` model. The options of a claim are the attributes of its class; a config may use
    aliases of them.
    """
    from boostbench.validation import described

    lineage = inspect.getmro(plugin)[::-1] if inspect.isclass(plugin) else (plugin,)
    fields = {} if options is None else options.model_fields
    documented = {name: described(options, name) for name in fields if options is not None}
    documented |= {name: text for each in lineage for name, text in _documented(each).items()}
    return [
        {
            "name": getattr(fields.get(name), "alias", None) or name,
            "type": documented.get(name, ("", ""))[0].partition(", default=")[0],
            "default": None if parameter.default is parameter.empty else parameter.default,
            "required": parameter.default is parameter.empty,
            "description": documented.get(name, ("", ""))[1],
        }
        for name, parameter in inspect.signature(plugin).parameters.items()
        if name not in _SUPPLIED and parameter.kind is not parameter.VAR_KEYWORD
    ]


def _documented(plugin: Any) -> dict[str, tuple[str, str]]:
    """Return type and description of each parameter in the docstring of an object itself."""
    sections = sections_of(plugin)
    section = "\n".join([*(sections.get(name, "") for name in ("Attributes", "Parameters")), ""])
    _, *parts = _PARAMETER.split(section)
    return {
        name.strip(" *"): (kind or "", inspect.cleandoc(text))
        for names, kind, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        for name in names.split(",")
    }


def without_markup(text: str) -> str:
    """Return text without reStructuredText markup."""
    text = re.sub(r":[a-z]+:`([^`]*)`", r"\1", text)
    text = re.sub(r"``([^`]*)``", r"\1", text)
    return re.sub(r"^( *)\.\. math::\n(?: *\n)?", "", text, flags=re.MULTILINE)
