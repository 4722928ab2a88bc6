"""The names that a config may use, by kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from boostbench import registry
from boostbench.cli.docstrings import without_markup
from boostbench.cli.output import complain
from boostbench.experiments.configs.shipped import shipped_configs

KINDS = (
    "boosters",
    "weak-learners",
    "datasets",
    "noise",
    "configs",
    "tables",
    "figures",
    "claims",
)
#: Registries of the kinds whose names stand for plugins.
REGISTRIES = {
    "boosters": registry.boosters,
    "weak-learners": registry.weak_learners,
    "noise": registry.noise_models,
    "tables": registry.tables,
    "figures": registry.figures,
    "claims": registry.claims,
}


def load_plugins(files: list[Path]) -> None:
    """Execute the files given by ``--plugin``."""
    for file in files:
        registry.load_plugin(file, where="--plugin")


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
        return _dataset_rows()
    names = REGISTRIES[kind]
    broken = names.broken()
    for name, reason in broken.items():
        complain(f"skipped {names.kind} {name!r} of the package {reason}")
    return [
        {"name": name, "summary": without_markup(names.summary(name))}
        for name in names
        if name not in broken
    ]


def _dataset_rows() -> list[dict[str, Any]]:
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
        for entry in catalog().values()
    ]


def _config_rows() -> list[dict[str, Any]]:
    from boostbench.experiments.configs.grids import expand_sweeps
    from boostbench.experiments.configs.layers import read_extended

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
