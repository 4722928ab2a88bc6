"""Templates of plugins and configs, which run as they are, and new files made of them."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from pathlib import Path

from boostbench import registry
from boostbench.data import catalog
from boostbench.errors import BoostbenchError, UnknownNameError

#: A line of the template, and its replacement in a config with a part of one's own.
_IN_CONFIG = {
    "booster": ("boosters: [", "boosters: [{name}, "),
    "noise": ("  - none\n", "  - none\n  - {{model: {name}, rate: 0.2}}\n"),
    "dataset": ("datasets: [", "datasets: [{name}, "),
}
KINDS = (*_IN_CONFIG, "config")


def write_template(kind: str, name: str, folder: Path = Path()) -> list[Path]:
    """Write a new plugin and a config that runs it, or a config alone.

    Parameters
    ----------
    kind : {"booster", "noise", "dataset", "config"}
    name : str
        Name of the part, and of the files with ``_`` in place of ``-``.
    folder : Path, default=the working directory

    Returns
    -------
    written : list of Path
        The plugin, if any, and the config.

    Raises
    ------
    BoostbenchError
        If the kind is unknown, the name is taken or cannot be one, or a file is there already.
    """
    if kind not in KINDS:
        raise UnknownNameError("kind", kind, KINDS, where="new")
    function = name.replace("-", "_")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or keyword.iskeyword(function):
        what = f"{name!r} must be words of small letters and digits, joined by '-', as in my-{kind}"
        raise BoostbenchError(what, where="new")
    if name in _taken(kind):
        raise BoostbenchError(f"there is a {kind} {name!r} already; choose another name")
    config, texts = _read("config.yaml").replace("my-config", name), {}
    if kind != "config":
        class_name = "".join(word.capitalize() for word in name.split("-"))
        written = {"booster": "my-booster", "noise": "my-noise", "dataset": "my-data"}[kind]
        text = _read(f"{kind}.py").replace(written, name).replace("MyBooster", class_name)
        texts[folder / f"{function}.py"] = text.replace(written.replace("-", "_"), function)
        before, after = _IN_CONFIG[kind]
        config = config.replace(before, after.format(name=name))
        config = config.replace("datasets:", f"plugins: {function}.py\ndatasets:", 1)
    texts[folder / f"{function}.yaml"] = config
    for path in texts:
        if path.exists():
            raise BoostbenchError("is there already; it is left as it is", where=str(path))
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return list(texts)


def _taken(kind: str) -> list[str]:
    if kind == "dataset":
        return [*registry.generators, *catalog()]
    kinds = {"booster": registry.boosters, "noise": registry.noise_models}
    return kinds[kind].names() if kind in kinds else []


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
