"""Compilation of the kernels of a booster before its fit is timed."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from boostbench import registry
from boostbench.experiments.running.execution import make
from boostbench.experiments.runs import Run
from boostbench.experiments.streams import canonical_json

_ROUNDS = 2
_ROWS = 12
_warm: set[tuple[str, str]] = set()


def warm_up(run: Run) -> None:
    """Fit the booster of a run to a few rows, so that compilation does not count as training time.

    Exceptions are ignored here, because the real fit raises them again.
    """
    known = (run.booster.name, canonical_json(_kinds(run.booster.params.plain())))
    try:
        cls = registry.boosters.get(run.booster.component)
        if known in _warm or not cls.__module__.startswith("boostbench."):
            return
        rng = np.random.default_rng(0)
        for n_classes in (3, 2):  # some boosters support only two classes
            y = np.arange(_ROWS) % n_classes
            X = rng.normal(size=(_ROWS, 2)) + y[:, None]
            booster = make(run, X, n_classes, _ROUNDS)
            with suppress(ValueError):
                booster.fit(X, y)
                list(booster.staged_predict(X))
                _warm.add(known)
                return
    except Exception:
        return


def _kinds(value: Any) -> Any:
    """Replace all numbers in parameters by 0: compiled code does not depend on numbers."""
    if isinstance(value, dict):
        return {key: _kinds(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_kinds(item) for item in value]
    return 0 if isinstance(value, int | float) and not isinstance(value, bool) else value
