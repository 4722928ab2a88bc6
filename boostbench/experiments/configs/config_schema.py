"""JSON schema of configs for editors: that of the models, with the registered names."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import models_json_schema

from boostbench import registry
from boostbench.data.catalog import catalog
from boostbench.experiments.configs.config import FILE, Config
from boostbench.experiments.configs.entries import BOOSTER_OPTIONS, DATA_SET_OPTIONS, DataSet
from boostbench.experiments.configs.kind_options import ClaimWords, options_model
from boostbench.experiments.runs import BoosterSpec, Noise

_FILE_KIND = ":"


def config_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a config file.

    Tables, figures and claims are restricted to the registered kinds and their options. Names of
    boosters and data sets are examples, because a config may name files instead. Loaded plugins are
    included.
    """
    kinds = registry.tables, registry.figures, registry.claims
    options = [{name: options_model(each, name) for name in each} for each in kinds]
    models: list[Any] = [Config, ClaimWords, DataSet, *chain(*map(dict.values, options))]
    places, found = models_json_schema([(each, "validation") for each in models])
    definitions = found["$defs"]
    tables, figures, claims = (
        {name: places[model, "validation"] for name, model in each.items()} for each in options
    )
    schema, claim = definitions.pop("Config"), definitions.pop("ClaimWords")
    properties = schema["properties"]
    del properties[FILE]
    claim["properties"] |= claims
    claim["patternProperties"] = {_FILE_KIND: {"type": "object"}}
    of_data = _own(DATA_SET_OPTIONS, definitions.pop("Data"), definitions.pop("DataSet"))
    of_booster = _own(BOOSTER_OPTIONS[:2], TypeAdapter(BoosterSpec).json_schema())
    rate = TypeAdapter(Noise).json_schema()["properties"]["rate"]
    of_noise = {
        "model": {"type": "string", "examples": registry.noise_models.names()},
        "rate": {"anyOf": [rate, {"type": "array", "items": rate}]},
    }
    noise = {"anyOf": [{"enum": ["none", None]}, _mapping(of_noise) | {"required": [*of_noise]}]}
    sets = {*catalog(()), *registry.generators.names()}
    properties["report"]["items"] = _entry(parts := tables | figures, parts, False)
    properties["claims"]["items"] = claim
    named = {"datasets": (sets, of_data), "boosters": (registry.boosters.names(), of_booster)}
    for key, (names, own) in named.items():
        properties[key] |= {"items": _entry(names, {}, _mapping(own)), "minItems": 1}
    properties["noise"] = {"anyOf": [noise, {"type": "array", "items": noise, "minItems": 1}]}
    inherited = {key: each for key, each in properties.items() if key not in ("name", "sizes")}
    size = _mapping(inherited) | {"additionalProperties": False}
    properties["sizes"]["additionalProperties"] = size
    properties["extends"] = {
        "type": "string",
        "description": "Config whose keys are inherited, by its relative path or its name.",
    }
    return {
        **_with_null(schema | {"$defs": definitions}),
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "boostbench config",
        "required": [],  # a config may inherit required keys
    }


def _with_null(schema: Any) -> Any:
    """Return a schema that allows null for every key, which removes what is inherited."""
    if isinstance(schema, list):
        return list(map(_with_null, schema))
    if not isinstance(schema, dict):
        return schema
    found = {key: _with_null(value) for key, value in schema.items()}
    below = found.get("properties", {})
    below |= {key: {"anyOf": [each, {"type": "null"}]} for key, each in below.items()}
    if isinstance(more := found.get("additionalProperties"), dict):
        found["additionalProperties"] = {"anyOf": [more, {"type": "null"}]}
    return found


def _mapping(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _entry(names: Iterable[str], known: dict[str, Any], others: Any) -> dict[str, Any]:
    """Return the schema of a name or ``{name: {options}}``.

    Parameters
    ----------
    names : iterable of str
        Suggestions, and the only names except files if ``others`` is False.
    known : dict of str to dict
        Schemas of the options of single names.
    others : dict or False
        Schema of the options of other names.
    """
    text = {"type": "string", "minLength": 1, "examples": sorted(names)}
    if others is False:
        text = {"anyOf": [{"enum": sorted(names)}, {"type": "string", "pattern": _FILE_KIND}]}
    mapping = _mapping(known)
    mapping["patternProperties"] = {_FILE_KIND: {"type": ["object", "null"]}}
    mapping["additionalProperties"] = others
    return {"anyOf": [text, mapping | {"minProperties": 1, "maxProperties": 1}]}


def _own(keys: Iterable[str], *schemas: dict[str, Any]) -> dict[str, Any]:
    """Return the schemas of keys, without the defaults, which other keys of a config decide."""
    properties = {key: each for schema in schemas for key, each in schema["properties"].items()}
    for key in keys:
        properties[key].pop("default", None)
    return {key: properties[key] for key in keys}
