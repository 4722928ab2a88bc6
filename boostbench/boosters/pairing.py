"""Check whether a weak learner can serve a booster, before any work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boostbench.errors import BoostbenchError
from boostbench.registry import weak_learners
from boostbench.weak_learners import make_weak_learner
from boostbench.weak_learners.base import WeakLearner
from boostbench.weak_learners.demands import either


def paired_learner(booster: Any, n_classes: int, name: str = "") -> Any:
    """Return the weak learner given by the parameter of a booster.

    Parameters
    ----------
    booster : BoostingClassifier
    n_classes : int
        K, on which the default weak learner may depend.
    name : str, default=""
        Name of the booster in messages; the name of its class by default.

    Raises
    ------
    ValueError
        If the weak learner does not support what the booster asks for, does not give what the
        booster `needs`, or has an option without effect on what the booster asks for.
    """
    spec, name = booster.weak_learner, name or type(booster).__name__
    learner = make_weak_learner(spec, booster.default_weak_learner(n_classes))
    lacking = _lacking(booster, learner)
    kinds = [kind for kind in booster.demands() if kind in learner.accepts]
    refusals = [_refusal(learner, kind) for kind in kinds]
    if not lacking and not (refusals and all(refusals)):
        return learner
    shown = repr(next(iter(spec)) if isinstance(spec, Mapping) else spec or learner)
    if lacking:
        suitable = ", ".join(other for other in weak_learners if _serves(booster, other))
        raise ValueError(
            f"{name} cannot use weak learner {shown}, which lacks {lacking}; use one of: {suitable}"
        )
    raise ValueError(f"{name} with weak learner {shown}: {refusals[0]}")


def _lacking(booster: Any, learner: Any) -> str:
    """Return what a weak learner is known to lack for a booster, in words, or an empty text."""
    demands = booster.demands()
    if demands and not set(demands) & set(learner.accepts):
        return f"answers to {either(demands)}"
    gives = getattr(learner, "gives", booster.needs)
    return next((need for need in booster.needs if need not in gives), "")


def _serves(booster: Any, name: str) -> bool:
    try:
        return not _lacking(booster, make_weak_learner(name))
    except (BoostbenchError, ImportError):  # a plugin that cannot be loaded
        return False


def _refusal(learner: Any, kind: type) -> str:
    """Return the reason why the options of a weak learner do not fit a kind of demand, if any."""
    if not isinstance(learner, WeakLearner):
        return ""
    try:
        learner.check(kind)
    except ValueError as error:
        return str(error)
    return ""
