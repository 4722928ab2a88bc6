"""Names that a config may use, by kind, and their descriptions."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boostbench import registry
from boostbench.cli.docstrings import parameters_of, sections_of, without_markup
from boostbench.cli.output import complain
from boostbench.errors import PluginError, absence
from boostbench.experiments.configs.shipped import shipped_configs

#: Registries of the kinds whose names stand for plugins.
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
#: Arguments that the program passes to a plugin itself; a config does not set them.
_SUPPLIED = {
    "boosters": ("n_estimators", "random_state"),
    "noise": ("y", "n_classes", "rng", "X"),
    "figures": ("study",),
    "tables": ("study",),
    "claims": ("evidence",),
}


def load_plugins(files: list[Path]) -> None:
    """Make known what the files given by ``--plugin`` register."""
    for file in files:
        registry.use_plugin(file, where="--plugin")


def names_of(kind: str) -> list[str]:
    """Return all names of a kind, aliases too; nothing that they stand for is imported."""
    if kind == "configs":
        return list(shipped_configs())
    if kind == "datasets":
        from boostbench.data import catalog

        return [name for entry in catalog().values() for name in (entry.name, *entry.aliases)]
    return REGISTRIES[kind].names()


def rows_of(kind: str) -> list[dict[str, Any]]:
    """Return a row for each name; plugins that cannot be loaded are named on stderr instead."""
    if kind == "configs":
        return _config_rows()
    if kind == "datasets":
        return dataset_rows()
    names = REGISTRIES[kind]
    broken = names.broken()
    for name, reason in broken.items():
        complain(f"skipped {names.kind} {name!r} of the package {reason}")
    return [
        {"name": name, "summary": without_markup(names.summary(name))}
        for name in names
        if name not in broken
    ]


def dataset_rows(data_dirs: Sequence[Path] = ()) -> list[dict[str, Any]]:
    """Return a row for each data set of the catalog, and of data folders."""
    from boostbench.data import catalog

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
    from boostbench.experiments.configs.sweeps import expand_sweeps

    rows = []
    for name, path in shipped_configs().items():
        written = read_extended(path)[0].data
        rows.append(
            {
                "name": name,
                "paper": written.get("paper", ""),
                "datasets": len(written.get("datasets", ())),
                "boosters": sum(len(expand_sweeps(_swept(b))) for b in written.get("boosters", ())),
                "rounds": written.get("rounds"),
                "file": str(path),
            }
        )
    return rows


def _swept(booster: Any) -> dict[str, Any]:
    """Return the parameters of a booster of a config without the grid, a choice of one point."""
    params = next(iter(booster.values())) if isinstance(booster, dict) else {}
    return {key: value for key, value in (params or {}).items() if key != "grid"}


def describe(kind: str, name: str) -> dict[str, Any]:
    """Return the description of ``name``, an entry of ``boostbench list KIND``.

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
    from boostbench.experiments.configs.kind_options import options_model

    try:
        plugin = REGISTRIES[kind].get(name)
    except ModuleNotFoundError as error:
        raise PluginError(absence(f"{REGISTRIES[kind].kind} {name!r}", error)) from error
    sections = sections_of(plugin)
    options = options_model(REGISTRIES[kind], name) if kind in _WITH_OPTIONS else None
    parameters = parameters_of(plugin, skip=_SUPPLIED.get(kind, ()), options=options)
    return {
        "python": f"{plugin.__module__}.{plugin.__qualname__}",
        "description": sections[""],
        "parameters": parameters,
        "paper": sections.get("References", ""),
        "example": sections.get("Examples", ""),
        "config": _config_example(kind, name, parameters),
    }


def _config_example(kind: str, name: str, parameters: list[dict[str, Any]]) -> str:
    import yaml

    shown = {
        parameter["name"]: parameter["default"]
        for parameter in parameters
        if isinstance(parameter["default"], (bool, int, float, str))
    }
    one = {name: shown} if shown else name
    examples: dict[str, Any] = {
        "boosters": {"boosters": [one]},
        "weak-learners": {"weak_learner": one},
        "noise": {"noise": {"model": name, "rate": 0.2, **shown}},
    }
    if kind not in examples:
        return ""
    return yaml.safe_dump(examples[kind], default_flow_style=None, sort_keys=False, width=1000)[:-1]
