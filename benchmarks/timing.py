"""Fair timing: contestants take turns, and medians decide."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

#: A contestant does its work once and returns the seconds of the part that counts.
Contestant = Callable[[], float]


@dataclass
class Stopwatch:
    """Adds up the CPU seconds spent in its ``with`` blocks.

    CPU time, as wall time on a busy machine measures the neighbours; for one thread on a quiet
    machine they are the same.
    """

    seconds: float = 0.0
    _start: float = field(default=0.0, repr=False)

    def __enter__(self) -> Stopwatch:
        self._start = time.process_time()
        return self

    def __exit__(self, *exception: object) -> None:
        self.seconds += time.process_time() - self._start


def whole(work: Callable[[], object]) -> Contestant:
    """Make a contestant of a function all of which counts."""

    def contestant() -> float:
        watch = Stopwatch()
        with watch:
            work()
        return watch.seconds

    return contestant


def elapsed(work: Callable[[], object]) -> Contestant:
    """Make a contestant of a function whose threads share the work: seconds of a clock."""

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
    """Let contestants take turns; return the median of each.

    Parameters
    ----------
    contestants : sequence of callable
        Each returns its own seconds. They should be warm: nothing is compiled on their account.
    repeats : int
        Turns, at least 1.
    budget : float
        No new turn starts after so many wall seconds.
    choose : callable, default=median
        Makes one number of a contestant's turns; the least is the steadier one where others use
        the machine too.
    """
    start = time.perf_counter()
    results: list[list[float]] = []
    while len(results) < repeats and (not results or time.perf_counter() - start < budget):
        results.append([contestant() for contestant in contestants])
    return [choose(turns) for turns in zip(*results, strict=True)]
