"""Threads for parallel work within a fit. Results do not depend on the number of threads.

Compiled functions release the global interpreter lock, so the threads run in parallel.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

R = TypeVar("R")

#: Numbers to process below which work is not split: the call of a helper thread takes longer.
_LEAST = 200_000

#: Pool of helper threads and their number; None: no helpers. Helper threads have no helpers.
_helpers: ContextVar[tuple[ThreadPoolExecutor, int] | None] = ContextVar("helpers", default=None)
os.register_at_fork(after_in_child=lambda: _helpers.set(None))  # threads do not survive a fork


def n_cores() -> int:
    """Return the number of cores available to this process, by affinity and container limit."""
    from joblib import cpu_count  # slow import

    return int(cpu_count())


def n_threads(size: float = math.inf) -> int:
    """Return the number of threads that share work on ``size`` numbers of the calling thread."""
    _, n_helpers = _helpers.get() or (None, 0)
    return n_helpers + 1 if size >= _LEAST else 1


@contextmanager
def threads(n_jobs: int | None) -> Iterator[None]:
    """Set the number of threads within a ``with`` block.

    Parameters
    ----------
    n_jobs : int or None
        As in scikit-learn: -1 for all cores, -2 for all but one. None: unchanged, 1 by default.
    """
    if n_jobs is None:
        yield
        return
    n_helpers = (n_jobs if n_jobs > 0 else max(n_cores() + 1 + n_jobs, 1)) - 1
    with ThreadPoolExecutor(max(n_helpers, 1)) as pool:  # starts threads only when used
        before = _helpers.set((pool, n_helpers) if n_helpers else None)
        try:
            yield
        finally:
            _helpers.reset(before)


def in_parts(work: Callable[[slice], R], n: int, size: float = math.inf) -> list[R]:
    """Split the work on n items into contiguous parts and process them in parallel.

    Work that is split within a part is done by the thread of the part.

    Parameters
    ----------
    work : callable
        Function of the slice of items to process.
    n : int
        Number of items, at least 1.
    size : float, default=inf
        Number of numbers to process in all; little work is not split.

    Returns
    -------
    results : list
        Results of the calls, in the order of the parts.

    Examples
    --------
    >>> with threads(2):
    ...     in_parts(lambda part: sum(range(10)[part]), 10)
    [10, 35]
    """
    pool, _ = _helpers.get() or (None, 0)
    n_parts = min(n_threads(size), n)
    if pool is None or n_parts == 1:
        return [work(slice(0, n))]
    ends = [n * part // n_parts for part in range(n_parts + 1)]
    own, *others = map(slice, ends, ends[1:])
    helped = [pool.submit(work, part) for part in others]
    before = _helpers.set(None)
    try:
        done = work(own)
    finally:
        _helpers.reset(before)
    return [done, *(future.result() for future in helped)]
