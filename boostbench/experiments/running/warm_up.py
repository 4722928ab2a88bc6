"""Additions of a worker to a run: compilation of the kernels before the fit, and clocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from boostbench import registry
from boostbench.experiments.running.curves import takes_callback
from boostbench.experiments.running.execution import Phases, make
from boostbench.experiments.runs import Run
from boostbench.inputs import remove_damaged
from boostbench.quantities import QUANTITIES, Clock

_ROUNDS = 2
_MOST_DAMAGED = 100  # more kernels than a booster has
_ROWS = 12
#: A number in the JSON of parameters, on which compiled code does not depend.
_NUMBER = re.compile(r"(?<=[:,\[])-?[0-9][^,}\]]*")
#: Names and parameters of boosters that were fitted here.
_warm: set[tuple[str, str]] = set()


def warm_up(run: Run) -> bool:
    """Fit the booster of a run to a few rows, so that compilation does not count as training time.

    Kernels whose files are damaged are compiled anew. Other exceptions are ignored here, because
    the real fit raises them again.

    Returns
    -------
    is_new : bool
        True if kernels were compiled or loaded.
    """
    for _ in range(_MOST_DAMAGED):
        try:
            return _fit_to_few_rows(run)
        except Exception as error:
            if remove_damaged(error) is None:
                break
    return False


def _fit_to_few_rows(run: Run) -> bool:
    known = (run.booster.name, _NUMBER.sub("0", run.booster.params.text))
    cls = registry.boosters.get(run.booster.component)
    if known in _warm or not cls.__module__.startswith("boostbench."):
        return False
    rng = np.random.default_rng(0)
    for n_classes in (3, 2):  # some boosters support only two classes
        y = np.arange(_ROWS) % n_classes
        X = rng.normal(size=(_ROWS, 2)) + y[:, None]
        booster = make(run, X, n_classes, _ROUNDS)
        observer = {"on_round": lambda info: float(info.loss)} if takes_callback(booster) else {}
        try:
            booster.fit(X, y, **observer)
            list(booster.staged_predict(X))
        except ValueError as error:
            if remove_damaged(error):
                raise
        else:
            _warm.add(known)
            return True
    return False


class Clocks(Phases):
    """Times of the phases of one run.

    Attributes
    ----------
    seconds : dict of str to float
        Seconds by the `Quantity.curve` of each clock.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._phase = ""

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time a phase."""
        self._phase = name
        self._add(-1)
        yield
        self._add(1)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Stop the clocks of the present phase."""
        self._add(1)
        yield
        self._add(-1)

    def _add(self, sign: int) -> None:
        for clock in QUANTITIES.values():
            if isinstance(clock, Clock) and clock.phase == self._phase:
                seconds = self.seconds.get(clock.curve, 0.0) + sign * clock.now()
                self.seconds[clock.curve] = seconds

    def rounded(self) -> dict[str, float]:
        """Return the seconds of the finished phases, with three significant digits."""
        return {name: float(f"{max(0.0, value):.3g}") for name, value in self.seconds.items()}
