"""JSON schema of configs for editors, built from the models and the registered names."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from boostbench import registry
from boostbench.data import catalog
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.components import parameter_names
from boostbench.experiments.configs.config import FILE, Config
from boostbench.experiments.configs.entries import (
    DATA_OPTIONS,
    DATA_SET_OPTIONS,
    DataSet,
)
from boostbench.experiments.configs.kind_options import options_model
from boostbench.experiments.runs import BoosterSpec, Data, Noise
from boostbench.registry import Registry
from boostbench.validation import resolved, schema_of

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
    properties["datasets"] |= {"items": _data_set(), "minItems": 1}
    properties["boosters"] |= {"items": _booster(), "minItems": 1}
    noise = _noise()
    properties["noise"]["anyOf"] = [noise, {"type": "array", "items": noise, "minItems": 1}]
    del properties["noise"]["type"], properties["noise"]["items"]
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
    names = {"anyOf": [{"enum": list(options)}, {"type": "string", "pattern": r"\.py:"}]}
    files = {"patternProperties": {r"\.py:": {"type": ["object", "null"]}}}
    return _entry(names, options, {**files, "additionalProperties": False})


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


def _entry(names: dict[str, Any], known: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a name or ``{name: {options}}``, with the options of known names."""
    properties = {name: {"anyOf": [own, {"type": "null"}]} for name, own in known.items()}
    mapping = {"type": "object", "properties": properties, "minProperties": 1, "maxProperties": 1}
    return {"anyOf": [names, {**mapping, **others}]}


def _any_entry(
    names: Iterable[str], known: dict[str, Any], options: dict[str, Any]
) -> dict[str, Any]:
    """Return the schema of an entry of any name, with suggestions; ``options`` of all names."""
    others = {"anyOf": [{"type": "object", "properties": options}, {"type": "null"}]}
    text = {"type": "string", "minLength": 1, "examples": sorted(names)}
    return _entry(text, known, {"additionalProperties": others})


def _data_set() -> dict[str, Any]:
    kinds = ((key, Data if key in DATA_OPTIONS else DataSet) for key in DATA_SET_OPTIONS)
    options = {key: schema_of(kind, key) for key, kind in kinds}
    return _any_entry({*catalog(()), *registry.generators.names()}, {}, options)


def _booster() -> dict[str, Any]:
    """Return the schema of a booster, with the parameter names of every registered booster."""
    grid = {"type": "object", "description": "Candidate values of parameters, for 'select'."}
    options = {key: schema_of(BoosterSpec, key) for key in ("label", "rounds")} | {"grid": grid}
    of_names: dict[str, Any] = {}
    for name in registry.boosters.names():
        try:
            known = parameter_names(registry.boosters, registry.boosters.get(name))
        except (BoostbenchError, ImportError):
            continue
        if known is not None:
            own = {**{key: {} for key in known}, **options}
            of_names[name] = {"type": "object", "properties": own, "additionalProperties": False}
    return _any_entry(registry.boosters.names(), of_names, options)


def _noise() -> dict[str, Any]:
    rate = schema_of(Noise, "rate")
    mapping = {
        "type": "object",
        "properties": {
            "model": {"type": "string", "examples": registry.noise_models.names()},
            "rate": {"anyOf": [rate, {"type": "array", "items": rate}]},
        },
        "required": ["model", "rate"],
    }
    return {"anyOf": [{"const": "none"}, {"type": "null"}, mapping]}


def _plain(schema: Any) -> Any:
    """Return a schema without the annotations for error messages."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if isinstance(schema, dict):
        return {k: _plain(v) for k, v in schema.items() if k != "wanted"}
    return schema
