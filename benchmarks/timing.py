"""Timing of contestants that take turns, summarised by medians."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

#: Does its work once and returns the seconds of the timed part.
Contestant = Callable[[], float]


@dataclass
class Stopwatch:
    """Sum of the CPU seconds spent in the ``with`` blocks of the stopwatch.

    Unlike wall time, CPU time does not depend on other programs. For one thread on an idle machine
    the two are equal.
    """

    seconds: float = 0.0
    _start: float = field(default=0.0, repr=False)

    def __enter__(self) -> Stopwatch:
        self._start = time.process_time()
        return self

    def __exit__(self, *exception: object) -> None:
        self.seconds += time.process_time() - self._start


def whole(work: Callable[[], object]) -> Contestant:
    """Return a contestant for a function, by CPU seconds."""

    def contestant() -> float:
        watch = Stopwatch()
        with watch:
            work()
        return watch.seconds

    return contestant


def elapsed(work: Callable[[], object]) -> Contestant:
    """Return a contestant for a function with several threads, by wall seconds."""

    def contestant() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return contestant


def compete(
    contestants: Sequence[Contestant],
    repeats: int,
    budget: float,
    choose: Callable[[Sequence[float]], float] = median,
) -> list[float]:
    """Let contestants take turns; return the median time of each.

    Parameters
    ----------
    contestants : sequence of callable
        Functions that return the seconds of a turn, with all code compiled beforehand.
    repeats : int
        Number of turns, at least 1.
    budget : float
        Wall seconds after which no new turn starts.
    choose : callable, default=median
        Summary of the turns of a contestant. The minimum varies less than the median if other
        programs use the machine.
    """
    start = time.perf_counter()
    results: list[list[float]] = []
    while len(results) < repeats and (not results or time.perf_counter() - start < budget):
        results.append([contestant() for contestant in contestants])
    return [choose(turns) for turns in zip(*results, strict=True)]
