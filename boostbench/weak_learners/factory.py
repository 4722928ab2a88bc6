"""Conversion of the ``weak_learner`` parameter of a booster to a weak learner."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from boostbench.errors import hint
from boostbench.registry import weak_learners


def make_weak_learner(
    spec: str | Mapping[str, Mapping[str, Any]] | Any | None,
    defaults: tuple[str, Mapping[str, Any]] = ("tree", {}),
) -> Any:
    """Return the weak learner given by a ``weak_learner`` parameter.

    Parameters
    ----------
    spec : None, str, mapping or object
        None for the default; a registered name; ``{name: parameters}``; a weak learner, returned
        unchanged; or a scikit-learn classifier that takes ``sample_weight``.
    defaults : (str, mapping), default=("tree", {})
        Name and parameters of the default learner. If `spec` names the same learner, the parameters
        are defaults for those missing in `spec`.

    Returns
    -------
    WeakLearner or any object with its members

    Raises
    ------
    UnknownNameError
        If no weak learner has the name.
    ValueError
        If a parameter is unknown, or the object is neither a weak learner nor a classifier.

    Examples
    --------
    >>> make_weak_learner({"tree": {"max_depth": 3}}, ("tree", {"max_leaf_nodes": 12}))
    Tree(max_depth=3, max_leaf_nodes=12)
    """
    default_name, default_params = defaults
    if spec is None:
        spec = default_name
    if not isinstance(spec, str | Mapping):
        return _as_learner(spec)
    name, params = weak_learners.named(spec)
    learner_class = weak_learners.get(name)
    if name == default_name:
        params = {**default_params, **params}
    _check_parameters(name, learner_class, params)
    return learner_class(**params)


def _check_parameters(name: str, learner_class: Any, params: Mapping[str, Any]) -> None:
    known = inspect.signature(learner_class).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return
    for unknown in (parameter for parameter in params if parameter not in known):
        meant = hint(str(unknown), known)
        raise ValueError(f"weak learner {name!r} has no parameter {unknown!r}; {meant}")


def _as_learner(candidate: Any) -> Any:
    if hasattr(candidate, "prepare") and hasattr(candidate, "accepts"):
        return candidate
    if hasattr(candidate, "fit") and hasattr(candidate, "predict"):
        from boostbench.weak_learners.estimator import EstimatorLearner

        return EstimatorLearner(candidate)
    known = ", ".join(weak_learners.names())
    raise ValueError(
        f"{candidate!r} is not a weak learner: give a name ({known}), {{name: parameters}}, a weak "
        "learner, or a scikit-learn classifier"
    )
