"""JSON schema of configs for editors, built from the models and the registered names."""

from __future__ import annotations

import inspect
from typing import Any

from boostbench import registry
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.components import parameter_names
from boostbench.experiments.configs.config import FILE, Config
from boostbench.experiments.configs.kind_options import options_model
from boostbench.registry import Registry
from boostbench.validation import resolved

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def config_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a config file.

    Tables, figures and claims are restricted to the registered kinds and their options. Names of
    boosters and data sets are examples, because a config may name files instead; parameters of the
    registered boosters are listed. Loaded plugins are included.
    """
    schema = Config.model_json_schema(by_alias=True)
    definitions = schema.setdefault("$defs", {})
    properties = schema["properties"]
    del properties[FILE]
    schema["required"] = []  # a config may inherit required keys
    properties["extends"] = {
        "type": "string",
        "description": "Config whose keys are inherited, by its relative path or its name.",
    }
    properties["report"]["items"] = _one_of(registry.tables, registry.figures)
    properties["claims"]["items"] = _claim(definitions.pop("ClaimWords"))
    _name_parameters(definitions["BoosterEntry"])
    inherited = {
        key: {"anyOf": [value, {"type": "null"}]}  # null removes an inherited key
        for key, value in properties.items()
        if key not in ("name", "sizes", "extends")
    }
    properties.update({key: value for key, value in inherited.items() if key in properties})
    size = {"type": "object", "properties": inherited, "additionalProperties": False}
    properties["sizes"] = {
        "type": "object",
        "description": properties["sizes"]["description"],
        "properties": dict.fromkeys(("quick", "standard", "full"), size),
        "additionalProperties": False,
    }
    head = {"$schema": _DRAFT, "title": "boostbench config"}
    return {**head, **_plain({**schema, **head})}


def _one_of(*several: Registry) -> dict[str, Any]:
    """Return the schema of a registered name or of ``{name: {options}}``."""
    options = {name: _options(kinds, name) for kinds in several for name in kinds.names()}
    return {
        "anyOf": [
            {"enum": list(options)},
            {"type": "string", "pattern": r"\.py:"},
            {
                "type": "object",
                "properties": {k: {"anyOf": [v, {"type": "null"}]} for k, v in options.items()},
                "patternProperties": {r"\.py:": {"type": ["object", "null"]}},
                "additionalProperties": False,
                "minProperties": 1,
                "maxProperties": 1,
            },
        ]
    }


def _claim(wording: dict[str, Any]) -> dict[str, Any]:
    kinds = {name: _options(registry.claims, name) for name in registry.claims.names()}
    return {
        "type": "object",
        "properties": {**wording["properties"], **kinds},
        "patternProperties": {r"\.py:": {"type": "object"}},
        "required": ["says"],
        "additionalProperties": False,
    }


def _options(kinds: Registry, name: str) -> dict[str, Any]:
    """Return the schema of the options of a kind, with references resolved."""
    try:
        schema = options_model(kinds, name).model_json_schema(by_alias=True)
    except (BoostbenchError, ImportError):  # a plugin that cannot be loaded
        return {"type": "object"}
    options: dict[str, Any] = resolved(schema, schema.get("$defs", {}))
    description = (inspect.getdoc(kinds.get(name)) or "").partition("\n")[0]
    return {**options, "description": description}


def _name_parameters(entry: dict[str, Any]) -> None:
    """Add the parameter names of every registered booster."""
    mapping = entry["anyOf"][1]
    general = mapping["additionalProperties"]["anyOf"][0]
    mapping["properties"] = {}
    for name in registry.boosters.names():
        try:
            known = parameter_names(registry.boosters, registry.boosters.get(name))
        except (BoostbenchError, ImportError):
            continue
        if known is None:
            continue
        own = {**{key: {} for key in known}, **general["properties"]}
        options = {**general, "properties": own, "additionalProperties": False}
        mapping["properties"][name] = {"anyOf": [options, {"type": "null"}]}


def _plain(schema: Any) -> Any:
    """Return a schema without the annotations for error messages."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if isinstance(schema, dict):
        return {k: _plain(v) for k, v in schema.items() if k != "wanted"}
    return schema
