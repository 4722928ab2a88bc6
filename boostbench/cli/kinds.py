"""The kinds of things that have names, and what can be said of each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boostbench import registry
from boostbench.cli.docstrings import without_markup
from boostbench.errors import UnknownNameError
from boostbench.experiments.configs.shipped import shipped_configs
from boostbench.registry import Registry

Row = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """One word of ``boostbench list``.

    Attributes
    ----------
    names : callable
        Returns all names, other names of the same thing too, without importing what they stand for.
    rows : callable
        Returns one row per name, what ``boostbench list`` prints.
    registry : Registry or None
        Where plugins of the kind register.
    """

    names: Callable[[], list[str]]
    rows: Callable[[], list[Row]]
    registry: Registry | None = None


def load_plugins(files: list[Path]) -> None:
    """Execute the files given by ``--plugin``."""
    for file in files:
        registry.load_plugin(file, where="--plugin")


def find_kind(name: str) -> Kind:
    """Return the kind called ``name``.

    Raises
    ------
    UnknownNameError
        If there is none; the message holds the nearest.
    """
    if name not in KINDS:
        raise UnknownNameError("kind", name, KINDS, where="list")
    return KINDS[name]


def kinds_of(name: str) -> list[str]:
    """Return the kinds that have something called ``name``."""
    return [kind for kind, its in KINDS.items() if name in its.names()]


def rows_of(kind: Kind) -> list[Row]:
    """Return the rows of a kind; plugins that cannot be loaded are named on stderr."""
    if kind.registry is not None:
        for name, reason in kind.registry.broken().items():
            message = f"skipped {kind.registry.kind} {name!r} of the package {reason}"
            print(f"boostbench: {message}", file=sys.stderr)
    return kind.rows()


def _of_registry(registry: Registry) -> Kind:
    def rows() -> list[Row]:
        return [
            {"name": name, "summary": without_markup(registry.summary(name))}
            for name in registry.names()
            if name not in registry.broken()
        ]

    return Kind(registry.names, rows, registry)


def _dataset_names() -> list[str]:
    from boostbench.data import catalog

    return [name for entry in catalog().values() for name in (entry.name, *entry.aliases)]


def _dataset_rows() -> list[Row]:
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


def _config_rows() -> list[Row]:
    from boostbench.experiments.configs.grids import count_variants
    from boostbench.experiments.configs.layers import read_extended

    rows = []
    for name, path in shipped_configs().items():
        written = read_extended(path)[0].data
        rows.append(
            {
                "name": name,
                "paper": written.get("paper", ""),
                "datasets": len(written.get("datasets", ())),
                "boosters": sum(map(count_variants, map(_fixed, written.get("boosters", ())))),
                "rounds": written.get("rounds"),
                "file": str(path),
            }
        )
    return rows


def _fixed(booster: Any) -> Any:
    """Return a booster of a config without the grid, of which one point is chosen."""
    if not isinstance(booster, dict):
        return booster
    return [{k: v for k, v in params.items() if k != "grid"} for params in booster.values()]


KINDS = {
    "boosters": _of_registry(registry.boosters),
    "weak-learners": _of_registry(registry.weak_learners),
    "datasets": Kind(_dataset_names, _dataset_rows),
    "noise": _of_registry(registry.noise_models),
    "configs": Kind(lambda: list(shipped_configs()), _config_rows),
    "tables": _of_registry(registry.tables),
    "figures": _of_registry(registry.figures),
    "claims": _of_registry(registry.claims),
}
