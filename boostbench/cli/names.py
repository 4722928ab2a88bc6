"""`boostbench list`, `show` and `schema`: the names that a config may use."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from boostbench import registry
from boostbench.cli.docstrings import parameters_of, sections_of, without_markup
from boostbench.cli.guard import OK
from boostbench.cli.options import Json, Plugins, argument, completing
from boostbench.cli.output import print_json, print_rows
from boostbench.errors import PluginError, UnknownNameError, absence
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


def list_(
    kind: Annotated[
        str,
        argument("KIND", f"One of {', '.join(KINDS)}.", autocompletion=completing(lambda: KINDS)),
    ],
    *,
    plugins: Plugins,
    as_json: Json = False,
) -> int:
    """List names: boosters, weak learners, data sets, noise models, ...

    Examples:
      boostbench list boosters
      boostbench list datasets --json
    """
    if kind not in KINDS:
        raise UnknownNameError("kind", kind, KINDS, where="list")
    _load_plugins(plugins)
    print_rows(_rows_of(kind), as_json=as_json)
    return OK


def show(
    name: Annotated[
        str,
        argument(
            "NAME",
            "Name shown by `boostbench list`.",
            autocompletion=completing(lambda: _all_names()),
        ),
    ],
    *,
    plugins: Plugins,
    as_json: Json = False,
) -> int:
    """Show parameters, paper, equations and an example.

    Examples:
      boostbench show sm-boost
      boostbench show letter
      boostbench show noise20 --json
    """
    _load_plugins(plugins)
    descriptions = [_describe(kind, name) for kind in KINDS if name in names_of(kind)]
    if not descriptions:
        meant = registry.boosters.meant(name)
        raise UnknownNameError("name", name, _all_names(), meant=meant, where="show")
    if as_json:
        print_json(descriptions if len(descriptions) > 1 else descriptions[0])
    else:
        print("\n\n".join("\n".join(_lines(description)) for description in descriptions))
    return OK


def schema(*, plugins: Plugins) -> int:
    """Print the JSON schema of configs, for editors.

    Examples:
      boostbench schema > boostbench.schema.json
    """
    from boostbench.experiments.configs.config_schema import config_schema

    _load_plugins(plugins)
    print_json(config_schema())
    return OK


def _load_plugins(files: list[Path]) -> None:
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


def _all_names() -> list[str]:
    return sorted({name for kind in KINDS for name in names_of(kind)})


def _rows_of(kind: str) -> list[dict[str, Any]]:
    """Return a row for each name."""
    if kind == "configs":
        from boostbench.experiments.configs.layers import read_extended

        return [
            {
                "name": name,
                "paper": read_extended(path, [])[0].data.get("paper", ""),
                "file": str(path),
            }
            for name, path in shipped_configs().items()
        ]
    if kind == "datasets":
        return dataset_rows()
    known = REGISTRIES[kind]
    return [{"name": name, "summary": without_markup(known.summary(name))} for name in known]


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


def _describe(kind: str, name: str) -> dict[str, Any]:
    """Return the description of a name, in JSON types except for defaults of parameters."""
    head = {"name": name, "kind": kind}
    if kind == "datasets":
        from boostbench.data.catalog import find_entry

        return head | find_entry(name).model_dump(mode="json", exclude_defaults=True)
    if kind == "configs":
        path = shipped_configs()[name]
        text = inspect.cleandoc(path.read_text(encoding="utf-8"))
        return head | {"file": str(path), "text": text}
    from boostbench.experiments.configs.kind_options import options_model

    kinds = REGISTRIES[kind]
    try:
        plugin = kinds.get(name)
    except ModuleNotFoundError as error:
        raise PluginError(absence(f"{kinds.kind} {name!r}", error)) from error
    inner = getattr(plugin, "classifier", None)
    component = inner if inspect.isclass(inner) else plugin  # a class of another package
    sections = sections_of(plugin)
    declaration = kinds.declarations().get(name, registry.Declaration())
    options = options_model(kinds, name) if kind in ("tables", "figures", "claims") else None
    return {
        **head,
        "printed_name": declaration.printed,
        "family": declaration.family,
        "python": f"{component.__module__}.{component.__qualname__}",
        "description": sections[""],
        "parameters": parameters_of(plugin, options=options),
        "paper": sections.get("References", ""),
        "example": sections.get("Examples", ""),
    }


def _lines(description: dict[str, Any]) -> Iterator[str]:
    yield f"{description['name']} ({description['kind']})"
    for title, content in description.items():
        if title in {"name", "kind"} or content in (None, "", [], {}):
            continue
        if title == "parameters":
            yield "\nparameters:"
            yield from (line for parameter in content for line in _parameter_lines(parameter))
        elif "\n" in str(content):
            yield f"\n{title}:"
            yield textwrap.indent(str(content), "  ")
        else:
            text = ", ".join(map(str, content)) if isinstance(content, list) else content
            yield f"{title.replace('_', ' ')}: {text}"


def _parameter_lines(parameter: dict[str, Any]) -> Iterator[str]:
    value = "required" if parameter["required"] else f"default {parameter['default']!r}"
    kind = f"{parameter['type']}, " if parameter["type"] else ""
    yield f"  {parameter['name']}: {kind}{value}"
    yield textwrap.indent(parameter["description"], "      ")
