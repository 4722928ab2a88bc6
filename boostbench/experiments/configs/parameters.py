"""Are the parameters of a config ones that the booster, weak learner or noise model takes?

This is looked at before any training, so that a misspelt parameter costs nothing. The classes are
imported for it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from boostbench import registry
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.expressions import is_expression
from boostbench.experiments.configs.mistakes import Notes, unknown

_SET_ELSEWHERE = {
    "n_estimators": "is the number of rounds; set the key 'rounds' of the config",
    "random_state": "follows from the key 'seeds' of the config",
}
_NOISE_ARGUMENTS = 4  # y, n_classes, rng and X come from the run
_ANY_NOISE = ("exact", "per_class")


def check_booster_params(source: str, name: str, params: Mapping[str, Any], notes: Notes) -> None:
    """Note what is wrong with one booster's parameters (after sweeps were written out).

    Parameters
    ----------
    source : str
        What the registry is asked for.
    name : str
        The booster's name in complaints.
    params : mapping of str to object
    notes : Notes
        Places are relative to the parameters.
    """
    try:
        booster = registry.boosters.get(source)
    except ImportError:
        return  # an optional package is absent: the plan skips these runs and says so
    except BoostbenchError as error:
        notes.add(error.what)
        return
    if inspect.isclass(booster) and not hasattr(booster, "fit"):
        notes.add(f"booster {name!r} must be a class with a method 'fit'")
        return
    for key, reason in _SET_ELSEWHERE.items():
        if key in params:
            notes.add(f"a booster's {key!r} {reason}", key)
    own = {key: value for key, value in params.items() if key not in _SET_ELSEWHERE}
    known = _parameters_of(booster)
    for key in own:
        if known is not None and key not in known:
            names = set(known) - set(_SET_ELSEWHERE)
            notes.add(unknown("parameter", key, names, of=f"booster {name!r}"), key)
    if notes.found:
        return
    if "weak_learner" in own:
        _check_weak_learner(own["weak_learner"], notes)
    if "booster" in own:
        _check_inner_booster(own["booster"], notes)
    if not notes.found:
        _check_values(booster, own, notes)
    if not notes.found:
        _check_together(booster, name, own, notes)


def check_noise_params(model: str, params: Mapping[str, Any], notes: Notes) -> None:
    """Note what is wrong with the parameters of a noise model."""
    arguments = list(inspect.signature(registry.noise_models.get(model)).parameters)
    known = [*arguments[_NOISE_ARGUMENTS:], *_ANY_NOISE]
    for key in params:
        if key not in known:
            names = [*known, "model", "rate"]
            notes.add(unknown("parameter", key, names, of=f"noise model {model!r}"), key)


def drawn_by(name: str) -> Collection[str]:
    """Return the names of what a generated problem may draw: its generator's parameters.

    Parameters
    ----------
    name : str
        A data set; one that is no generator draws nothing.
    """
    if name not in registry.generators:
        return ()
    return _parameters_of(registry.generators.get(name)) or ()


def check_generator_params(generator: str, params: Mapping[str, Any], notes: Notes) -> None:
    """Note what is wrong with the parameters of a data-set generator."""
    try:
        parameters = inspect.signature(registry.generators.get(generator)).parameters.values()
    except BoostbenchError as error:
        notes.add(error.what)
        return
    known = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    for key in params:
        if key not in known:
            notes.add(unknown("parameter", key, known, of=f"generator {generator!r}"), key)


def _check_weak_learner(spec: Any, notes: Notes) -> None:
    place = "weak_learner"
    if isinstance(spec, str):
        spec = {spec: {}}
    if not isinstance(spec, Mapping) or len(spec) != 1:
        notes.add("a weak learner is a name or {name: {parameter: value}}", place)
        return
    name, params = next(iter(spec.items()))
    params = {} if params is None else params
    if not isinstance(params, Mapping):
        notes.add(f"the parameters of the weak learner {name!r} must be a mapping", place, name)
        return
    try:
        learner = registry.weak_learners.get(name)
    except ImportError:
        return
    except BoostbenchError as error:
        notes.add(error.what, place)
        return
    known = _parameters_of(learner)
    for key in params:
        if known is not None and key not in known:
            what = unknown("parameter", key, known, of=f"weak learner {name!r}")
            notes.add(what, place, name, key)
    if not notes.found:
        _check_values(learner, params, notes, place, name)


def _check_together(cls: Any, name: str, params: Mapping[str, Any], notes: Notes) -> None:
    """Note values of a booster that are right alone and wrong together."""
    if not hasattr(cls, "_parameter_constraints"):
        return
    own = {key: value for key, value in params.items() if not _holds_expression(value)}
    try:
        booster = cls(**own)
        booster._validate_params()
    except (Exception, SystemExit) as error:
        notes.add(f"booster {name!r}: {_first_line(error)}")
        return
    if "weak_learner" in params and hasattr(booster, "demands"):
        _check_demands(set(booster.demands()), name, params["weak_learner"], notes)


def _check_demands(asked: set[type], name: str, spec: Any, notes: Notes) -> None:
    """Note it if the weak learner can never meet what the booster asks for."""
    learner = spec if isinstance(spec, str) else next(iter(spec))
    met = _accepted_by(learner)
    if asked and met and not asked & met:
        kinds = " or ".join(sorted(kind.__name__ for kind in asked))
        takers = [other for other in registry.weak_learners.names() if asked & _accepted_by(other)]
        notes.add(
            f"weak learner {learner!r} cannot meet {kinds}, which {name!r} asks for; "
            f"take one of: {', '.join(takers)}",
            "weak_learner",
        )


def _accepted_by(learner: str) -> set[type]:
    """Return the demands that a weak learner meets; none if it does not say."""
    try:
        return set(getattr(registry.weak_learners.get(learner), "accepts", ()))
    except (ImportError, BoostbenchError):
        return set()


def _check_inner_booster(spec: Any, notes: Notes) -> None:
    """Look into a booster that is made of another: ``booster: {splboost: {age: 3}}``."""
    spec = {spec: {}} if isinstance(spec, str) else spec
    if not isinstance(spec, Mapping) or len(spec) != 1:
        notes.add("is a name or {name: {parameter: value}}", "booster")
        return
    name, params = next(iter(spec.items()))
    if params is not None and not isinstance(params, Mapping):
        notes.add(f"the parameters of the booster {name!r} must be a mapping", "booster", name)
        return
    inner = Notes()
    check_booster_params(name, name, params or {}, inner)
    for place, what in inner.found:
        at = ("booster",) if isinstance(spec, str) else ("booster", name, *place)
        notes.found.append((at, what))


def _check_values(cls: Any, params: Mapping[str, Any], notes: Notes, *place: str) -> None:
    """Let the class itself judge the values; an expression has none yet."""
    ready = {key: value for key, value in params.items() if not _holds_expression(value)}
    for key, value in ready.items():
        try:
            plugin = cls(**{key: value})
            if hasattr(plugin, "_parameter_constraints"):
                plugin._validate_params()
        except (Exception, SystemExit) as error:
            notes.add(_first_line(error), *place, key)


def _first_line(error: BaseException) -> str:
    """Return what an exception says, with the sets that scikit-learn prints in a fixed order."""
    text = (str(error).splitlines() or [type(error).__name__])[0]
    return re.sub(
        r"\{(.*?)\}", lambda found: f"{{{', '.join(sorted(found[1].split(', ')))}}}", text
    )


def _holds_expression(value: Any) -> bool:
    return any(_expressions_in(value))


def _expressions_in(value: Any) -> Iterator[bool]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _expressions_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _expressions_in(item)
    elif isinstance(value, str):
        yield is_expression(value)


def _parameters_of(plugin: Any) -> Collection[str] | None:
    """Names of the keyword parameters, None when any name is taken."""
    try:
        parameters = inspect.signature(plugin).parameters.values()
    except (TypeError, ValueError):  # of some built-in classes nothing is known
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return [parameter.name for parameter in parameters]
