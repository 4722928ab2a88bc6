"""Threads that the parts of a fit share; the result is the same for any number of them.

Compiled functions run without Python's lock, so threads of one process work side by side.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

R = TypeVar("R")

#: Microseconds of processor time, and of the period in which a container may use them.
_CPU_MAX = Path("/sys/fs/cgroup/cpu.max")

#: Helpers of this thread and their number, or none; the threads of the pool have none themselves.
_helpers: ContextVar[tuple[ThreadPoolExecutor, int] | None] = ContextVar("helpers", default=None)
os.register_at_fork(after_in_child=lambda: _helpers.set(None))  # threads stay with the parent


def n_cores() -> int:
    """Return the number of cores that this process may use, by its affinity and its container."""
    affinity = getattr(os, "sched_getaffinity", None)
    n = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # no control group, or "max" for no limit
        quota, period = map(int, _CPU_MAX.read_text().split())
        n = min(n, max(quota // period, 1))
    return n


def n_threads() -> int:
    """Return how many threads the work here may use."""
    _, n_helpers = _helpers.get() or (None, 0)
    return n_helpers + 1


@contextmanager
def threads(n_jobs: int | None) -> Iterator[None]:
    """Let the work within use so many threads.

    Parameters
    ----------
    n_jobs : int or None
        As in scikit-learn: -1 for all cores, -2 for all but one. None leaves the threads that the
        surrounding work was given, one if none was.
    """
    if n_jobs is None:
        yield
        return
    n_helpers = (n_jobs if n_jobs > 0 else max(n_cores() + 1 + n_jobs, 1)) - 1
    with ThreadPoolExecutor(max(n_helpers, 1)) as pool:  # starts no thread before there is work
        before = _helpers.set((pool, n_helpers) if n_helpers else None)
        try:
            yield
        finally:
            _helpers.reset(before)


def in_parts(work: Callable[[slice], R], n: int) -> list[R]:
    """Do the work on n items in contiguous parts, one for each thread.

    Parameters
    ----------
    work : callable
        Called with the slice of a part.
    n : int
        At least 1.

    Returns
    -------
    list
        Values that the calls returned, in the order of the parts.

    Examples
    --------
    >>> with threads(2):
    ...     in_parts(lambda part: sum(range(10)[part]), 10)
    [10, 35]
    """
    pool, n_helpers = _helpers.get() or (None, 0)
    n_parts = min(n_helpers + 1, n)
    if pool is None or n_parts == 1:
        return [work(slice(0, n))]
    ends = [n * part // n_parts for part in range(n_parts + 1)]
    own, *others = map(slice, ends, ends[1:])
    helped = [pool.submit(work, part) for part in others]
    return [work(own), *(future.result() for future in helped)]
