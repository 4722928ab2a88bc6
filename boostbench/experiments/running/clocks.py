"""Times of the phases of a run, by the clocks that the quantities declare."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from boostbench.experiments.running.execution import Phases
from boostbench.quantities import QUANTITIES, Clock


class Clocks(Phases):
    """Times of the phases of one run.

    Attributes
    ----------
    seconds : dict of str to float
        Seconds by the `Quantity.curve` of each clock, in microseconds.
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
        """Return the seconds of the finished phases, to the microsecond."""
        return {name: round(max(0.0, value), 6) for name, value in self.seconds.items()}
