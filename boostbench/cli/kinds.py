"""Names that a config may use, with descriptions, for `boostbench list` and `show`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boostbench import registry
from boostbench.cli.docstrings import parameters_of, sections_of, without_markup
from boostbench.cli.output import print_error
from boostbench.errors import PluginError, absence
from boostbench.experiments.configs.shipped import shipped_configs
from boostbench.plugin_files import load_plugin

#: Registry of each kind of plugin.
REGISTRIES = {
    "boosters": registry.boosters,
    "weak-learners": registry.weak_learners,
    "noise": registry.noise_models,
    "tables": registry.tables,
    "figures": registry.figures,
    "claims": registry.claims,
}
KINDS = (*REGISTRIES, "datasets", "configs")
_WITH_OPTIONS = ("tables", "figures", "claims")
#: Arguments that boostbench passes to a plugin; a config cannot set them.
_SUPPLIED = {
    "boosters": ("n_estimators", "random_state"),
    "noise": ("y", "n_classes", "rng", "X"),
    "figures": ("study",),
    "tables": ("study",),
    "claims": ("evidence",),
}


def load_plugins(files: list[Path]) -> None:
    """Execute the plugin files given by ``--plugin``."""
    for file in files:
        load_plugin(file, where="--plugin")


def names_of(kind: str) -> list[str]:
    """Return all names and aliases of a kind, without importing components."""
    if kind == "configs":
        return list(shipped_configs())
    if kind == "datasets":
        from boostbench.data.catalog import catalog

        return [name for entry in catalog().values() for name in (entry.name, *entry.aliases)]
    return REGISTRIES[kind].names()


def rows_of(kind: str) -> list[dict[str, Any]]:
    """Return a row for each name; report plugins that cannot be loaded on stderr."""
    if kind == "configs":
        return _config_rows()
    if kind == "datasets":
        return dataset_rows()
    registered = REGISTRIES[kind]
    broken = registered.broken()
    for name, reason in broken.items():
        print_error(f"skipped {registered.kind} {name!r} of the package {reason}")
    return [
        {"name": name, "summary": without_markup(registered.summary(name))}
        for name in registered
        if name not in broken
    ]


def dataset_rows(data_dirs: Sequence[Path] = ()) -> list[dict[str, Any]]:
    """Return a row for each data set of the catalog, including data folders."""
    from boostbench.data.catalog import catalog

    return [
        {
            "name": entry.name,
            "train": entry.n_train,
            "test": entry.n_test,
            "rows": entry.n_rows,
            "features": entry.n_features,
            "classes": entry.n_classes,
            "title": entry.title,
        }
        for entry in catalog(data_dirs).values()
    ]


def _config_rows() -> list[dict[str, Any]]:
    from boostbench.experiments.configs.layers import read_extended

    return [
        {"name": name, "paper": read_extended(path)[0].data.get("paper", ""), "file": str(path)}
        for name, path in shipped_configs().items()
    ]


def describe(kind: str, name: str) -> dict[str, Any]:
    """Return the description of a name of a kind.

    Returns
    -------
    description : dict
        Begins with ``name`` and ``kind``; JSON types except for default values of parameters.
    """
    head = {"name": name, "kind": kind}
    if kind == "datasets":
        from boostbench.data.catalog import find_entry

        return head | find_entry(name).model_dump(mode="json", exclude_defaults=True)
    if kind == "configs":
        path = shipped_configs()[name]
        text = inspect.cleandoc(path.read_text(encoding="utf-8"))
        return head | {"file": str(path), "text": text}
    return head | _describe_plugin(kind, name)


def _describe_plugin(kind: str, name: str) -> dict[str, Any]:
    from boostbench.experiments.configs.kind_options import options_model

    try:
        plugin = REGISTRIES[kind].get(name)
    except ModuleNotFoundError as error:
        raise PluginError(absence(f"{REGISTRIES[kind].kind} {name!r}", error)) from error
    sections = sections_of(plugin)
    options = options_model(REGISTRIES[kind], name) if kind in _WITH_OPTIONS else None
    parameters = parameters_of(plugin, skip=_SUPPLIED.get(kind, ()), options=options)
    declaration = REGISTRIES[kind].declaration(name)
    return {
        "printed_name": declaration.printed,
        "family": declaration.family,
        "python": f"{plugin.__module__}.{plugin.__qualname__}",
        "description": sections[""],
        "parameters": parameters,
        "paper": sections.get("References", ""),
        "example": sections.get("Examples", ""),
        "config": _config_example(kind, name, parameters),
    }


def _config_example(kind: str, name: str, parameters: list[dict[str, Any]]) -> str:
    import yaml

    defaults = {
        parameter["name"]: parameter["default"]
        for parameter in parameters
        if isinstance(parameter["default"], (bool, int, float, str))
    }
    component = {name: defaults} if defaults else name
    examples: dict[str, Any] = {
        "boosters": {"boosters": [component]},
        "weak-learners": {"weak_learner": component},
        "noise": {"noise": {"model": name, "rate": 0.2, **defaults}},
    }
    if kind not in examples:
        return ""
    return yaml.safe_dump(examples[kind], default_flow_style=None, sort_keys=False, width=1000)[:-1]
