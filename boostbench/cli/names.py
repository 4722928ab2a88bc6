"""`boostbench list`, `show`, `schema`, `new` and `check`: what a config may name, and plugins."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from boostbench import registry
from boostbench.cli.options import Json, Plugins, argument, next_line
from boostbench.cli.output import INCOMPLETE, OK, print_json, print_rows
from boostbench.data.catalog import catalog, find_entry
from boostbench.errors import UnknownNameError
from boostbench.experiments.configs.shipped import paper_of, shipped_configs
from boostbench.inputs import load_plugins
from boostbench.quantities import QUANTITIES
from boostbench.reports.text import plain

#: Registry of each kind of plugin.
REGISTRIES = {
    "boosters": registry.boosters,
    "weak-learners": registry.weak_learners,
    "noise": registry.noise_models,
    "tables": registry.tables,
    "figures": registry.figures,
    "claims": registry.claims,
}
KINDS = (*REGISTRIES, "metrics", "datasets", "configs")
#: Arguments that boostbench passes to a plugin; a config cannot set them.
_SUPPLIED = {"n_estimators", "random_state", "y", "n_classes", "rng", "X", "study"}
_WIDEST = 300
#: Entry of a parameter in a docstring; names of attributes end in an underscore.
_ENTRY = re.compile(r"^(\w*[^\W_]) : .*\n?(?:[ ]+.*\n?)*", re.MULTILINE)


def list_(
    kind: Annotated[str, argument("KIND", f"One of {', '.join(KINDS)}.")],
    *,
    plugins: Plugins,
    as_json: Json = False,
) -> None:
    """List names: boosters, data sets, noise models, metrics, ...

    Examples:
      boostbench list boosters
      boostbench list datasets --json
    """
    if kind not in KINDS:
        raise UnknownNameError("kind", kind, KINDS, where="list")
    load_plugins(plugins, where="--plugin")
    print_rows(_rows_of(kind), as_json=as_json)


def show(
    name: Annotated[str, argument("NAME", "Name shown by `boostbench list`.")],
    *,
    plugins: Plugins,
    as_json: Json = False,
) -> None:
    """Show parameters, paper, equations and an example.

    Examples:
      boostbench show sm-boost
      boostbench show letter
      boostbench show noise20 --json
    """
    load_plugins(plugins, where="--plugin")
    if not (descriptions := [_describe(kind, name) for kind in KINDS if name in names_of(kind)]):
        known = {each for kind in KINDS for each in names_of(kind)}
        raise UnknownNameError("name", name, known, where="show", typed=registry.boosters.typed())
    if as_json:
        print_json(descriptions if len(descriptions) > 1 else descriptions[0])
    else:
        print("\n\n".join("\n".join(_lines(description)) for description in descriptions))


def schema(*, plugins: Plugins) -> None:
    """Print the JSON schema of configs, for editors.

    Examples:
      boostbench schema > boostbench.schema.json
    """
    from boostbench.experiments.configs.config_schema import config_schema

    load_plugins(plugins, where="--plugin")
    print_json(config_schema())


def names_of(kind: str) -> list[str]:
    """Return all names and aliases of a kind, without importing components."""
    if kind == "configs":
        return list(shipped_configs())
    if kind == "metrics":
        return list(QUANTITIES.asked_by("metrics"))
    if kind == "datasets":
        return [name for entry in catalog().values() for name in (entry.name, *entry.aliases)]
    return REGISTRIES[kind].names()


def _rows_of(kind: str) -> list[dict[str, Any]]:
    """Return a row for each name."""
    if kind == "configs":
        paths = shipped_configs().items()
        return [{"name": name, "paper": paper_of(path), "file": str(path)} for name, path in paths]
    if kind == "metrics":
        return [_metric_row(name) for name in names_of(kind)]
    if kind == "datasets":
        return dataset_rows()
    known = REGISTRIES[kind]
    return [{"name": name, "summary": _without_markup(known.summary(name))} for name in known]


def _metric_row(name: str) -> dict[str, Any]:
    """Return a metric by its name in ``metrics``, and the value in tables, figures and claims."""
    value = QUANTITIES.asked_by("metrics")[name]
    found = QUANTITIES[value]
    better = {True: "high", False: "low", None: ""}[found.higher]
    facts = {"value": value, "better": better, "needs": found.needs, "summary": found.words}
    return {"name": name, **facts}


def dataset_rows(data_dirs: Sequence[Path] = ()) -> list[dict[str, Any]]:
    """Return a row for each data set of the catalog, including data folders."""
    keys = ("name", "n_train", "n_test", "n_rows", "n_features", "n_classes", "title")
    entries = catalog(data_dirs).values()
    return [{key.removeprefix("n_"): getattr(entry, key) for key in keys} for entry in entries]


def _describe(kind: str, name: str) -> dict[str, Any]:
    """Return the description of a name, in JSON types."""
    head = {"name": name, "kind": kind}
    if kind == "metrics":
        return head | _metric_row(name)
    if kind == "datasets":
        return head | find_entry(name).model_dump(mode="json", exclude_defaults=True)
    if kind == "configs":
        path = shipped_configs()[name]
        return head | {"file": str(path), "text": path.read_text(encoding="utf-8").strip()}
    from boostbench.experiments.configs.kind_options import options_model

    kinds = REGISTRIES[kind]
    plugin, declaration = kinds.get(name), kinds.declarations[name]
    if kinds.base:
        model = options_model(kinds, name)
        parameters = {f.alias or key: f.description or "" for key, f in model.model_fields.items()}
    else:
        parameters = {
            each.name: "required" if each.default is each.empty else repr(each.default)
            for each in inspect.signature(plugin).parameters.values()
            if each.name not in _SUPPLIED and each.kind is not each.VAR_KEYWORD
        }
    return {
        **head,
        "printed_name": declaration.printed,
        "family": declaration.family,
        "python": declaration.origin.replace(":", "."),
        "parameters": parameters,
        "description": "\n\n".join(_documentation(plugin, {*parameters, *_SUPPLIED})),
    }


def _documentation(plugin: Any, parameters: Collection[str]) -> Iterator[str]:
    """Yield the docstrings of an object, and of the bases of a class that have sections.

    A base describes only those of its parameters that the class takes.
    """
    yield _without_markup(inspect.getdoc(plugin) or "")
    for base in inspect.getmro(plugin)[1:] if inspect.isclass(plugin) else ():
        text = inspect.cleandoc(vars(base).get("__doc__") or "")
        text = _ENTRY.sub(lambda entry: entry[0] if entry[1] in parameters else "", text)
        if base.__module__.startswith("boostbench.") and "\n----" in text:
            yield f"{base.__name__}: {_without_markup(text)}"


def _lines(description: dict[str, Any]) -> Iterator[str]:
    yield f"{description['name']} ({description['kind']})"
    for title, content in description.items():
        if title in {"name", "kind"} or content in (None, "", [], {}):
            continue
        if isinstance(content, dict):
            yield f"\n{title}:"
            yield from (f"  {key}: {value}".rstrip(": ") for key, value in content.items())
        elif "\n" in str(content):
            yield f"\n{textwrap.indent(content, '  ')}"
        else:
            text = ", ".join(map(str, content)) if isinstance(content, list) else content
            yield f"{title.replace('_', ' ')}: {text}"


def _without_markup(text: str) -> str:
    """Return text without reStructuredText markup."""
    text = re.sub(r":[a-z]+:`([^`]*)`", r"\1", text)
    text = re.sub(r"``([^`]*)``", r"\1", text)
    return re.sub(r"^( *)\.\. math::\n(?: *\n)?", "", text, flags=re.MULTILINE)


def check(
    plugin: Annotated[
        str,
        argument("FILE.py[:NAME]", "Python file; all that it registers is tested, or only NAME."),
    ],
) -> int:
    """Run the tests that all plugins of a kind must pass.

    Of boosters, weak learners, noise models and data sets, two runs of equal seeds must agree; a
    weak learner is tried with a booster for each demand that it answers. Boosters and weak learners
    must learn, noise models change labels, and boosters pass the estimator checks of scikit-learn.
    The exit code is 1 if a component fails.

    Examples:
      boostbench check my_booster.py
      boostbench check plugins.py:MyBooster
    """
    from boostbench.plugin_checks import check_plugin

    passed = []
    for part, failure in check_plugin(plugin):
        passed.append(not failure)
        print(f"{part}: {'FAILED' if failure else 'ok'}", flush=True)
        if failure:
            print(f"  {textwrap.shorten(plain(failure), _WIDEST, placeholder=' ...')}")
    print("all passed" if all(passed) else f"{passed.count(False)} of {len(passed)} failed")
    return OK if all(passed) else INCOMPLETE


def new(
    kind: Annotated[
        Literal["booster", "noise", "dataset", "config"],
        argument("KIND", "booster, noise, dataset or config."),
    ],
    name: Annotated[str, argument("NAME", "Small letters, digits and hyphens, e.g. my-booster.")],
) -> None:
    """Write the template of a plugin or config.

    A booster, noise model or data set is a Python file with a config that compares it. Both run
    unchanged. Existing files are not overwritten.

    Examples:
      boostbench new booster my-booster
      boostbench new config my-config
    """
    from boostbench.templates import write_template

    *plugin, config = write_template(kind, name)
    print(*plugin, config, sep="\n")
    for path in plugin:
        print(next_line("check", str(path)))
    print(next_line("run", str(config)))
