"""Generation of documentation pages from the program and from results/, for ``make docs``.

``reference/`` gets a page for each registry of classes, one of all quantities, and one of all
config keys, from the JSON schema that ``boostbench schema`` prints. The page of a paper gets a
section on its results.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from numpydoc.docscrape import NumpyDocString

from boostbench.experiments.configs.config_schema import config_schema
from boostbench.quantities import QUANTITIES
from boostbench.registry import (
    Registry,
    boosters,
    claims,
    figures,
    noise_models,
    tables,
    weak_learners,
)
from boostbench.reports.claims.verdicts import STATUSES
from boostbench.reports.overview import by_paper
from boostbench.reports.text import markdown, markdown_table

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
#: Title and registry of each page that lists registered classes.
LISTS = {
    "boosters": ("Parameters of boosters", boosters),
    "weak-learners": ("Parameters of weak learners", weak_learners),
    "noise-models": ("Parameters of noise models", noise_models),
}
_CONFIGS = """\
# Keys of configs

Written from the JSON schema of configs, which `boostbench schema` prints. [Configs](../configs.md),
[reports](../reports.md) and [claims](../claims.md) explain them. Parameters of
[boosters](boosters.md) and [noise models](noise-models.md) have pages of their own.
"""


def write_reference() -> None:
    """Write the pages of ``reference/``."""
    REFERENCE.mkdir(exist_ok=True)
    for page, (title, registry) in LISTS.items():
        text = "\n".join([f"# {title}\n", *_classes(registry)])
        (REFERENCE / f"{page}.md").write_text(text, encoding="utf-8")
    text = "\n".join([_CONFIGS, *_keys_of_configs()])
    (REFERENCE / "configs.md").write_text(text, encoding="utf-8")
    (REFERENCE / "quantities.md").write_text(_quantities(), encoding="utf-8")


def list_of_references() -> str:
    """Return the section on the pages of ``reference/``, which only the built documentation has."""
    links = [f"- [{title}](reference/{page}.md)" for page, (title, _) in LISTS.items()]
    others = (
        "- [Keys of configs](reference/configs.md)",
        "- [Quantities](reference/quantities.md)",
    )
    return "\n".join(["\n## All parameters\n", *links, *others])


def _quantities() -> str:
    """Return the page of the quantities: their words, and what records them."""
    titles = ["quantity", "", "recorded", "requires"]
    rows = []
    for name, each in QUANTITIES.items():
        key, word = each.asked or ("", "")
        recorded = "always" if each.always or not key else f"`{key}: [{word}]`"
        rows.append([f"`{name}`", markdown(each.words), recorded, markdown(each.requires)])
    return "\n".join(["# Quantities\n", markdown_table(titles, [False] * len(titles), rows)])


def results_of(paper: str) -> str:
    """Return the sections of a paper's page on its committed results: verdicts and figures."""
    rows, pictures = [], []
    for folder, summary in by_paper(ROOT / "results")[paper][1]:
        title = markdown(summary.heading)
        page = f"../../results/{folder}/report.html"
        verdicts = [claim.verdict for claim in summary.claims if claim.origin == "paper"]
        counts = [str(verdicts.count(status)) if verdicts else "" for status in STATUSES]
        rows.append([f"[{title}]({page})", *counts])
        for name in summary.figures:
            picture = f"../../results/{folder}/{name}.png"
            pictures += [f"[![{title}: {name}]({picture})]({page})\n", f"*{title} ({name})*\n"]
    is_number = [False, *(True for _ in STATUSES)]
    table = markdown_table(["experiment", *STATUSES], is_number, rows)
    return "\n".join(["\n## Results\n", _OUTCOME, table, "\n## Figures\n", *pictures])


_OUTCOME = """\
Verdicts on the claims of the paper. The page of each experiment shows the evidence, the tables with
the printed values, and the origin of the numbers. [Claims](../claims.md#verdicts) explains how
they are judged.
"""


def _classes(registry: Registry) -> Iterator[str]:
    for name in registry.names():
        if registry.is_foreign(name):
            continue  # documented by the package that it comes from
        try:
            component = registry.get(name)
        except ModuleNotFoundError as error:
            yield f"## `{name}`\n\n{registry.summary(name)} It needs {error.name}.\n"
            continue
        kind = "autoclass" if isinstance(component, type) else "autofunction"
        directive = (
            f"```{{eval-rst}}\n.. {kind}:: {component.__module__}.{component.__qualname__}\n```"
        )
        yield f"## `{name}`\n\n{directive}\n"


_schema = cache(config_schema)


def _definition(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the definition that a schema refers to, if any, as a list."""
    name = schema.get("$ref", "").rpartition("/")[2]
    return [_schema()["$defs"][name]] if name else []


def _keys_of_configs() -> Iterator[str]:
    schema = _schema()
    lists = (_mapping(schema["properties"][key], "items") for key in _NESTED)
    parts, kinds = (_mapping(each["items"]) for each in lists)
    yield from _section("A config", schema)
    for key, title in _ENTRIES.items():
        yield from _section(title, _entry(schema["properties"][key]))
    for name, title in _DEFINITIONS.items():
        yield from _section(title, _entry(schema["$defs"][name]))
    for registry, title in ((tables, "Table"), (figures, "Figure")):
        for name in registry.names():
            if name in parts["properties"]:
                options = _mapping(parts["properties"][name])
                yield from _section(f"{title} `{name}`", options, registry.get(name))
    words = {key: value for key, value in kinds["properties"].items() if key not in claims.names()}
    yield from _section("Claims", {**kinds, "properties": words})
    for name in claims.names():
        yield from _section(f"Claim `{name}`", kinds["properties"][name], claims.get(name))


#: Keys of a config whose entries have keys, and the headings under which these are listed.
_ENTRIES = {"datasets": "Data set", "boosters": "Booster", "noise": "Noise"}
#: Definitions of the schema, and the headings under which their keys are listed.
_DEFINITIONS = {
    "Split": "Split",
    "Select": "Select",
    "Reach": "Range",
    "Folds": "Folds",
    "Limits": "Limits",
}
#: Keys of a config whose items have options by kind.
_NESTED = ("report", "claims")


def _section(title: str, schema: Mapping[str, Any], documented: Any = None) -> Iterator[str]:
    """Yield a heading, the summary of a docstring, and a table of the keys of a schema."""
    descriptions = _descriptions(documented)
    yield f"## {title}\n"
    if documented is not None:
        yield f"{inspect.getdoc(documented).partition(chr(10) * 2)[0]}\n"
    rows, schema = [], _mapping(schema)
    for key, value in schema["properties"].items():
        value = _plain(value)
        default = "needed" if key in schema.get("required", ()) else _default(value)
        behind = [each for each in _definition(value) if each["title"] not in _DEFINITIONS]
        described = [each["description"] for each in (value, *behind) if "description" in each]
        meaning = "".join(described[:1]).partition("\n\n")[0] or descriptions.get(key, "")
        rows.append([f"`{key}`", _type(value), default, _code(meaning)])
    yield markdown_table(["key", "value", "default", "meaning"], [False] * 4, rows)
    yield ""


def _plain(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema without the alternative null, which stands for an empty value."""
    options = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    if len(options) != 1 or not {"description", "title"}.isdisjoint(schema):
        return schema
    return _plain(options[0])


def _mapping(schema: Mapping[str, Any], key: str = "properties") -> Mapping[str, Any]:
    """Return the first alternative that has keys, or items."""
    queue = [schema]
    for each in queue:
        if key in each:
            return each
        queue += each.get("anyOf", ())
        queue += _definition(each)
    raise LookupError(schema)


def _entry(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of an entry that is written as ``{name: {options}}``, or the schema."""
    items = _plain(schema).get("items", schema)
    for each in items.get("anyOf", ()):
        if isinstance(each.get("additionalProperties"), dict):
            return _mapping(each["additionalProperties"])
    return _mapping(schema)


def _descriptions(documented: Any) -> dict[str, str]:
    """Return descriptions of parameters and attributes from docstrings, also of base classes."""
    descriptions = {}
    for each in getattr(documented, "__mro__", [documented])[::-1]:
        page = NumpyDocString(inspect.getdoc(each) or "")
        for parameter in [*page["Parameters"], *page["Attributes"]]:
            for name in parameter.name.split(", "):
                descriptions[name] = " ".join(parameter.desc)
    return descriptions


def _type(schema: Mapping[str, Any]) -> str:
    """Return a description of the values that a schema allows."""
    if "$ref" in schema:
        title = _DEFINITIONS.get(schema["$ref"].rpartition("/")[2], "").lower()
        if not title:
            return "mapping"
        return f"[{title}](#{title.replace(' ', '-')})"
    if "anyOf" in schema or "oneOf" in schema:
        options = schema.get("anyOf") or schema["oneOf"]
        words = dict.fromkeys(_type(each) for each in options if each.get("type") != "null")
        return " or ".join(words)
    if "const" in schema:
        return f"`{schema['const']}`".lower()
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    words = {"string": "text", "object": "mapping", "boolean": "true or false"}
    bounds = [
        f"{sign} {schema[key]}"
        for key, sign in (
            ("minimum", "≥"),
            ("exclusiveMinimum", ">"),
            ("maximum", "≤"),
            ("exclusiveMaximum", "<"),
        )
        if key in schema
    ]
    return " ".join([words.get(kind, kind), ", ".join(bounds)]).strip()


def _default(schema: Mapping[str, Any]) -> str:
    default = schema.get("default")
    if default is None or default in ("", [], {}) or isinstance(default, dict):
        return ""
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _code(text: str) -> str:
    """Return what a docstring says as a cell of Markdown."""
    return text.replace("``", "`").replace("|", r"\|").replace("\n", " ")
