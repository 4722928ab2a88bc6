"""Lookup of configs by path or, for shipped configs, by name."""

from __future__ import annotations

from pathlib import Path

from boostbench.errors import BoostbenchError, nearest
from boostbench.resources import shipped


def shipped_configs() -> dict[str, Path]:
    """Return the shipped configs by name: ``"noise20"``, ``"softmax-boosting/table2"``."""
    folder = shipped("configs")
    paths = sorted(folder.rglob("*.yaml"))
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in paths}


def find_config(reference: str) -> Path:
    """Return the file of a config given as a path or as the name of a shipped config.

    The suffix ``.yaml`` of a path may be left out.

    Raises
    ------
    BoostbenchError
        If there is no such file or name; the message suggests a similar one.
    """
    path = Path(reference)
    if path.is_file():
        return path
    known = shipped_configs()
    if reference in known:
        return known[reference]
    if path.name and path.with_name(f"{path.name}.yaml").is_file():
        return path.with_name(f"{path.name}.yaml")
    if path.is_dir():
        raise BoostbenchError("is a folder; name the configs in it", where=reference)
    raise BoostbenchError(f"no such config file{_hint(path, known)}", where=reference)


def _hint(path: Path, known: dict[str, Path]) -> str:
    siblings = [*path.parent.glob("*.yaml"), *path.parent.glob("*.yml")]
    close = nearest(path.name, [sibling.name for sibling in siblings])
    if close is not None:
        return f"; did you mean '{path.parent / close}'?"
    close = nearest(path.with_suffix("").as_posix(), known)
    if close is not None:
        return f"; did you mean the shipped config {close!r}?"
    return "; `boostbench list configs` names those that ship with boostbench"
