"""Runnable templates of plugins and configs, and their use for new files."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from pathlib import Path

from boostbench import registry
from boostbench.data.catalog import catalog_index
from boostbench.errors import BoostbenchError
from boostbench.source import read_value
from boostbench.whole_files import write_files

#: By kind of plugin: a text of ``config.yaml``, and its replacement that uses the plugin.
_CONFIG_EDITS = {
    "booster": ("boosters: [", "boosters: [{name}, "),
    "noise": ("  - none\n", "  - none\n  - {{model: {name}, rate: 0.2}}\n"),
    "dataset": ("datasets: [", "datasets: [{name}, "),
}


def write_template(kind: str, name: str) -> list[Path]:
    """Write a new plugin and a config that runs it, or a config alone, into the working directory.

    Parameters
    ----------
    kind : {"booster", "noise", "dataset", "config"}
    name : str
        Name of the plugin or config. The files have this name with ``_`` in place of ``-``.

    Returns
    -------
    paths : list of Path
        The plugin, if any, and the config.

    Raises
    ------
    BoostbenchError
        If the name is invalid or in use, or a file already exists.
    """
    function = name.replace("-", "_")
    is_name = re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) and read_value(name, "new") == name
    if not is_name or keyword.iskeyword(function):
        what = f"{name!r} must be words of small letters and digits, joined by '-', as in my-{kind}"
        raise BoostbenchError(what, where="new")
    registries = {"booster": registry.boosters, "noise": registry.noise_models}
    data_sets = {"dataset": [*registry.generators, *catalog_index()]}
    if name in (registries | data_sets).get(kind, ()):
        raise BoostbenchError(f"there is a {kind} {name!r} already; choose another name")
    config, contents = _read("config.yaml").replace("my-config", name), {}
    if kind != "config":
        class_name = "".join(word.capitalize() for word in name.split("-"))
        example = {"booster": "my-booster", "noise": "my-noise", "dataset": "my-data"}[kind]
        template, own = _read(f"{kind}.py"), class_name if kind == "booster" else function
        if name != example and own in re.findall(r"\w+", template):
            what = f"the template uses the name {own!r}; choose another"
            raise BoostbenchError(what, where="new")
        plugin = template.replace(example, name).replace("MyBooster", class_name)
        contents[Path(f"{function}.py")] = plugin.replace(example.replace("-", "_"), function)
        before, after = _CONFIG_EDITS[kind]
        config = config.replace(before, after.format(name=name))
        config = config.replace("datasets:", f"plugins: {function}.py\ndatasets:", 1)
    contents[Path(f"{function}.yaml")] = config
    for path in contents:
        if path.exists():
            raise BoostbenchError("exists already and is not overwritten", where=str(path))
    write_files({path: text.encode() for path, text in contents.items()})
    return list(contents)


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
