"""Checks of the parameters of boosters, weak learners, noise models and generators.

They come before any training, so that a misspelt parameter costs nothing. The components are
imported for it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from boostbench import registry
from boostbench.errors import BoostbenchError, unknown
from boostbench.experiments.configs.expressions import holds_expression
from boostbench.registry import Registry
from boostbench.validation import MistakesError

_SET_ELSEWHERE = {
    "n_estimators": "is the number of rounds; set the key 'rounds' of the config",
    "random_state": "follows from the key 'seeds' of the config",
}
#: Of this package's boosters alone.
_N_JOBS = "a booster's 'n_jobs' changes no result; say `limits: {threads: N}` in the config instead"
#: Number of leading arguments the program itself passes: y, n_classes, rng and X, or rng.
_PASSED = {"noise model": 4, "data-set generator": 1}
#: Parameters that every noise model takes besides.
_ANY_NOISE = ("exact", "per_class")


def parameter_names(kinds: Registry, component: Any) -> list[str] | None:
    """Return the parameters that a config may set; None if any name is taken, or none is known."""
    try:
        parameters = inspect.signature(component).parameters
    except (TypeError, ValueError):  # of some built-in classes nothing is known
        return None
    if _takes_any(parameters):
        return None
    names = list(parameters)[_PASSED.get(kinds.kind, 0) :]
    if kinds is registry.boosters:
        return [name for name in names if name not in _SET_ELSEWHERE]
    return [*names, *_ANY_NOISE] if kinds is registry.noise_models else names


def _takes_any(parameters: Mapping[str, inspect.Parameter]) -> bool:
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())


def drawn_by(name: str) -> list[str]:
    """Return the names of what a generated problem may draw: its generator's parameters.

    Parameters
    ----------
    name : str
        A data set; one that is no generator draws nothing.
    """
    if name not in registry.generators:
        return []
    return parameter_names(registry.generators, registry.generators.get(name)) or []


def check_component(
    kinds: Registry, source: str, params: Mapping[str, Any], mistakes: MistakesError, name: str = ""
) -> None:
    """Note what is wrong with the parameters of a component (after sweeps were written out).

    Parameters
    ----------
    kinds : Registry
        The boosters, weak learners, noise models or generators.
    source : str
        Name in the registry.
    params : mapping of str to object
    mistakes : MistakesError
        Takes the complaints; places are relative to the parameters.
    name : str, default=""
        The component's name in complaints; that of the source by default.
    """
    name = name or source
    is_booster = kinds is registry.boosters
    try:
        component = kinds.get(source)
    except ImportError:
        return  # an optional package is absent: the plan skips these runs and says so
    except BoostbenchError as error:
        mistakes.add(error.what)
        return
    if is_booster and inspect.isclass(component) and not hasattr(component, "fit"):
        mistakes.add(f"booster {name!r} must be a class with a method 'fit'")
    abstract = {key for key in dir(component) if _is_abstract(getattr(component, key, None))}
    if abstract:
        mistakes.add(f"{kinds.kind} {name!r} must define {', '.join(sorted(abstract))}")
    _check_names(kinds, component, name, params, mistakes)
    if is_booster and "n_jobs" in params and kinds.module(source).startswith("boostbench."):
        mistakes.add(_N_JOBS, "n_jobs")
    if mistakes.found or kinds not in (registry.boosters, registry.weak_learners):
        return
    if is_booster:
        for key, inner in registry.INNER.items():
            if key in params and not kinds.is_foreign(source):
                _check_inner(inner, params[key], mistakes, key)
    if not mistakes.found:
        _check_values(component, params, mistakes)
    if not mistakes.found and is_booster and hasattr(component, "_parameter_constraints"):
        _check_together(component, name, params, mistakes)


def _is_abstract(attribute: Any) -> bool:
    return bool(getattr(attribute, "__isabstractmethod__", False))


def _check_names(
    kinds: Registry, component: Any, name: str, params: Mapping[str, Any], mistakes: MistakesError
) -> None:
    known = parameter_names(kinds, component)
    also = ("model", "rate") if kinds is registry.noise_models else ()
    for key in params:
        if kinds is registry.boosters and key in _SET_ELSEWHERE:
            mistakes.add(f"a booster's {key!r} {_SET_ELSEWHERE[key]}", key)
        elif known is not None and key not in known:
            of = f"{kinds.kind.removeprefix('data-set ')} {name!r}"
            mistakes.add(unknown("parameter", key, (*known, *also), of=of), key)


def _check_inner(kinds: Registry, spec: Any, mistakes: MistakesError, place: str) -> None:
    """Look into a component that is a parameter: a name, or ``{splboost: {age: 3}}``."""
    spec = {spec: None} if isinstance(spec, str) else spec
    if not isinstance(spec, Mapping) or len(spec) != 1:
        mistakes.add(f"a {kinds.kind} is a name or {{name: {{parameter: value}}}}", place)
        return
    name, params = next(iter(spec.items()))
    if params is not None and not isinstance(params, Mapping):
        mistakes.add(f"the parameters of the {kinds.kind} {name!r} must be a mapping", place, name)
        return
    inner = MistakesError()
    check_component(kinds, name, params or {}, inner)
    mistakes.found += [((place, name, *at) if at else (place,), what) for at, what in inner.found]


def _check_values(cls: Any, params: Mapping[str, Any], mistakes: MistakesError) -> None:
    """Let the class itself judge the values; an expression has none yet."""
    for key, value in _ready(params).items():
        try:
            component = cls(**{key: value})
            if hasattr(component, "_parameter_constraints"):
                component._validate_params()
        except (Exception, SystemExit) as error:
            mistakes.add(_first_line(error), key)


def _check_together(
    cls: Any, name: str, params: Mapping[str, Any], mistakes: MistakesError
) -> None:
    """Note values of a booster that are right alone and wrong together."""
    try:
        booster = cls(**_ready(params))
        booster._validate_params()
    except (Exception, SystemExit) as error:
        mistakes.add(f"booster {name!r}: {_first_line(error)}")
        return
    if "weak_learner" in params and hasattr(booster, "demands"):
        _check_demands(booster, name, params["weak_learner"], mistakes)


def _check_demands(booster: Any, name: str, spec: Any, mistakes: MistakesError) -> None:
    """Note it if the weak learner can never meet what the booster asks for."""
    learner = spec if isinstance(spec, str) else next(iter(spec))
    asked = set(booster.demands())
    met = _met_by(learner, booster)
    if asked and met is not None and not asked & met:
        kinds = " or ".join(sorted(kind.__name__ for kind in asked))
        names = registry.weak_learners.names()
        takers = [other for other in names if asked & (_met_by(other, booster) or set())]
        mistakes.add(
            f"weak learner {learner!r} cannot meet {kinds}, which {name!r} asks for; "
            f"take one of: {', '.join(takers)}",
            "weak_learner",
        )


def _met_by(learner: str, booster: Any) -> set[type] | None:
    """Return the demands of a booster that a weak learner meets; None if it does not say."""
    try:
        cls = registry.weak_learners.get(learner)
    except (ImportError, BoostbenchError):
        return None
    if getattr(booster, "needs_tree_per_question", False) and getattr(
        cls, "joins_questions", False
    ):
        return set()
    return set(cls.accepts) if getattr(cls, "accepts", ()) else None


def _ready(params: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in params.items() if not holds_expression(value)}


def _first_line(error: BaseException) -> str:
    """Return what an exception says, with the sets that scikit-learn prints in a fixed order."""
    text = (str(error).splitlines() or [type(error).__name__])[0]
    return re.sub(
        r"\{(.*?)\}", lambda found: f"{{{', '.join(sorted(found[1].split(', ')))}}}", text
    )
