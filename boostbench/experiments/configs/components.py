"""Checks of the parameters of boosters, weak learners, noise models and generators.

The checks import the components and run before any training, so that a misspelt parameter costs
no computation.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from boostbench import registry
from boostbench.errors import AbsentError, BoostbenchError, unknown
from boostbench.experiments.configs.expressions import holds_expression
from boostbench.registry import Registry, name_and_options
from boostbench.source import show
from boostbench.validation import MistakesError

_SET_ELSEWHERE = {
    "n_estimators": "is the number of rounds; set the key 'rounds' of the config",
    "random_state": "follows from the key 'seeds' of the config",
}
_EVERY_ROUND = "is for models; an experiment records every round, and `select` chooses among them"
#: Refusals of parameters by boosters of this package.
_NOT_IN_RUNS = {
    "n_jobs": "does not affect results; set `limits: {threads: N}` instead",
    "early_stopping": _EVERY_ROUND,
    "warm_start": _EVERY_ROUND,
    "verbose": "prints within a fit; `run` shows the progress",
}
#: Number of leading arguments passed by the program: (y, n_classes, rng, X) and (rng,).
_PASSED = {"noise model": 4, "data-set generator": 1}
#: Further parameters of every noise model.
_ANY_NOISE = ("exact", "per_class")


def parameter_names(kinds: Registry, component: Any) -> list[str] | None:
    """Return the parameters that a config may set; None if any name is accepted or unknown."""
    try:
        parameters = inspect.signature(component).parameters
    except (TypeError, ValueError):  # some built-in classes have no signature
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return None
    names = list(parameters)[_PASSED.get(kinds.kind, 0) :]
    if kinds is registry.boosters:
        return [name for name in names if name not in _SET_ELSEWHERE]
    return [*names, *_ANY_NOISE] if kinds is registry.noise_models else names


def mistakes_of(
    kinds: Registry, source: str, params: Mapping[str, Any], name: str = ""
) -> MistakesError:
    """Return the errors in the parameters of a component, after sweeps are expanded.

    Parameters
    ----------
    kinds : Registry
        Registry of boosters, weak learners, noise models or generators.
    source : str
        Registered name.
    params : mapping of str to object
    name : str, default=""
        Name of the component in messages; ``source`` by default.

    Returns
    -------
    mistakes : MistakesError
        Places are relative to the parameters.
    """
    name, mistakes = name or source, MistakesError()
    is_booster = kinds is registry.boosters
    is_trained = is_booster or kinds is registry.weak_learners
    try:
        component = kinds.get(source)
    except BoostbenchError as error:
        if not (is_trained and isinstance(error, AbsentError)):  # runs of absent ones are skipped
            mistakes.add(error.what)
        return mistakes
    members = ((key, getattr(component, key, None)) for key in dir(component))
    if abstract := [key for key, each in members if getattr(each, "__isabstractmethod__", None)]:
        mistakes.add(f"{kinds.kind} {name!r} must define {', '.join(sorted(abstract))}")
    is_own = kinds.module(source).startswith("boostbench.")
    refused = _SET_ELSEWHERE | (_NOT_IN_RUNS if is_own else {}) if is_booster else {}
    known = parameter_names(kinds, component)
    other_keys = ("model", "rate") if kinds is registry.noise_models else ()
    for key in params:
        if key in refused:
            mistakes.add(f"a booster's {key!r} {refused[key]}", key)
        elif known is not None and key not in known:
            owner = f"{kinds.kind.removeprefix('data-set ')} {name!r}"
            mistakes.add(unknown("parameter", key, (*known, *other_keys), of=owner), key)
    for key in _ANY_NOISE if kinds is registry.noise_models else ():
        if not isinstance(params.get(key, True), bool):
            mistakes.add(f"must be true or false, found {show(params[key])}", key)
    if kinds is registry.noise_models and known and not mistakes.found:
        takes = [*inspect.signature(component).parameters.items()][_PASSED[kinds.kind] :]
        for key, each in takes:
            # an empty default of ours, the transition of `matrix`, is never right
            is_empty = each.default is each.empty or (is_own and each.default == ())
            if key not in params and is_empty and each.kind is not each.VAR_POSITIONAL:
                found = re.search(rf"(?m)^{key} (: .+)", inspect.getdoc(component) or "")
                mistakes.add(f"needs {key!r}{found[1] if found else ''}")
    if is_booster and not mistakes.found and not kinds.is_foreign(source):
        for key in [key for key in registry.INNER if key in params]:
            mistakes.take(partial(_check_inner, registry.INNER[key]), params[key], key)
    if is_trained and not mistakes.found:
        _check_values(kinds, component, name, params, mistakes)
    return mistakes


def _check_inner(kinds: Registry, spec: Any) -> None:
    """Check a parameter that is itself a component: a name, or ``{splboost: {age: 3}}``."""
    name, params = name_and_options(spec, kinds.kind)
    found = mistakes_of(kinds, name, params).found
    MistakesError(*(((name, *at) if at else (), what) for at, what in found)).close()


def _check_values(
    kinds: Registry, cls: Any, name: str, params: Mapping[str, Any], mistakes: MistakesError
) -> None:
    """Check each value, and then all together, by the class itself.

    Expressions are left out, because they are not evaluated yet.
    """
    plain = _without_expressions(params)
    alone = [(key, {key: value}) for key, value in plain.items()]
    for key, given in (*alone, ("", plain)):
        if not key and mistakes.found:
            return
        try:
            component = cls(**given)
            if hasattr(component, "_parameter_constraints"):
                component._validate_params()
        except (Exception, SystemExit) as error:
            whole = "" if key else f"{kinds.kind} {name!r}: "
            mistakes.add(f"{whole}{_first_line(error)}", *filter(None, [key]))
    has_learner = plain.get("weak_learner") is not None and hasattr(component, "asking")
    if has_learner and not mistakes.found:
        _check_pair(component, name, mistakes)


def _check_pair(booster: Any, name: str, mistakes: MistakesError) -> None:
    """Add an error if the weak learner cannot serve the booster."""
    from boostbench.boosters.pairing import paired_learner  # slow import

    try:
        asking = booster.asking()
        if hasattr(asking, "needs"):
            paired_learner(asking, 2, name)
    except ImportError:
        return  # an optional package is absent
    except (Exception, SystemExit) as error:
        mistakes.add(_first_line(error), "weak_learner")


def _without_expressions(params: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _without_expressions(value) if isinstance(value, Mapping) else value
        for key, value in params.items()
        if isinstance(value, Mapping) or not holds_expression(value)
    }


def _first_line(error: BaseException) -> str:
    """Return the first line of an exception, with the sets printed by scikit-learn sorted."""
    text = (str(error).splitlines() or [type(error).__name__])[0]
    return re.sub(r"\{(.*?)\}", lambda m: f"{{{', '.join(sorted(m[1].split(', ')))}}}", text)
