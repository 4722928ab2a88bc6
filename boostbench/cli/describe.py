"""Descriptions of single names, as `boostbench show` prints them."""

from __future__ import annotations

import inspect
from typing import Any

from boostbench.cli.docstrings import parameters_of, sections_of
from boostbench.cli.kinds import REGISTRIES
from boostbench.experiments.configs.shipped import shipped_configs

#: Arguments that the program passes to a plugin itself, so that users never write it in a config.
_SUPPLIED = {
    "boosters": ("n_estimators", "random_state"),
    "noise": ("y", "n_classes", "rng", "X"),
    "figures": ("study",),
    "tables": ("study",),
    "claims": ("evidence",),
}


def describe(kind: str, name: str) -> dict[str, Any]:
    """Return what is known of ``name``, an entry of ``boostbench list KIND``.

    Returns
    -------
    description : dict
        JSON-able but for default values of parameters; begins with ``name`` and ``kind``.
    """
    head = {"name": name, "kind": kind}
    if kind == "datasets":
        from boostbench.data import find_entry

        return head | find_entry(name).model_dump(mode="json", exclude_defaults=True)
    if kind == "configs":
        path = shipped_configs()[name]
        text = inspect.cleandoc(path.read_text(encoding="utf-8"))
        return head | {"file": str(path), "text": text}
    return head | _of_plugin(kind, name)


def _of_plugin(kind: str, name: str) -> dict[str, Any]:
    plugin = REGISTRIES[kind].get(name)
    sections = sections_of(plugin)
    parameters = parameters_of(plugin, skip=_SUPPLIED.get(kind, ()))
    return {
        "python": f"{plugin.__module__}.{plugin.__qualname__}",
        "description": sections[""],
        "parameters": parameters,
        "paper": sections.get("References", ""),
        "example": sections.get("Examples", ""),
        "config": _config_example(kind, name, parameters),
    }


def _config_example(kind: str, name: str, parameters: list[dict[str, Any]]) -> str:
    shown = {
        parameter["name"]: parameter["default"]
        for parameter in parameters
        if isinstance(parameter["default"], (bool, int, float, str))
    }
    inside = "".join(f", {key}: {_yaml(value)}" for key, value in shown.items())
    if kind == "boosters":
        return f"boosters:\n  - {name}: {{{inside[2:]}}}" if shown else f"boosters: [{name}]"
    if kind == "weak-learners":
        return f"weak_learner: {{{name}: {{{inside[2:]}}}}}" if shown else f"weak_learner: {name}"
    if kind == "noise":
        return f"noise: {{model: {name}, rate: 0.2{inside}}}"
    return ""


def _yaml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
