"""Environment of a run: machine, threads, memory, limits; none decides a result."""

from __future__ import annotations

import os
import platform
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

#: Set to 1 before any library is loaded, so that N jobs use N cores.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
_MB = 2**20
IS_LINUX = platform.system() == "Linux"
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


@cache
def host() -> dict[str, Any]:
    """Return the kind of machine, without its name."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu_model(),
        "cpus": os.cpu_count(),
    }


def _cpu_model() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor()
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return match[1].strip() if match else platform.processor()


def limit_threads(n: int = 1) -> None:
    """Hold the numerical libraries that are loaded already to ``n`` threads."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=n)
    numba = sys.modules.get("numba")
    if numba is not None and n < numba.config.NUMBA_NUM_THREADS:
        numba.set_num_threads(n)


def threads() -> dict[str, int]:
    """Return the number of threads of each numerical library in this process."""
    return dict(_threads(len(sys.modules)))  # looked up again only after something was imported


@lru_cache(maxsize=1)
def _threads(n_modules: int) -> dict[str, int]:
    from threadpoolctl import threadpool_info

    found = {str(pool["internal_api"]): int(pool["num_threads"]) for pool in threadpool_info()}
    numba = sys.modules.get("numba")
    if numba is not None:
        found["numba"] = int(numba.config.NUMBA_NUM_THREADS)  # get_num_threads() starts them all
    return found


def reset_peak_memory() -> None:
    """Start a new high-water mark, so that a worker's earlier runs do not count (Linux only)."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def peak_memory_mb() -> float | None:
    """Return the largest resident memory since the last reset, in MiB; None if unknown."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        match = re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE)
        if match:
            return round(int(match[1]) / 1024, 1)
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (_MB if sys.platform == "darwin" else 1024), 1)


@contextmanager
def memory_limit(limit: int | None) -> Iterator[None]:
    """Let allocations beyond ``limit`` bytes of private memory fail with MemoryError.

    The limit is on data segment, heap and private mappings (RLIMIT_DATA). Address space that
    numba and OpenBLAS reserve without using it does not count, which is why it is not RLIMIT_AS.
    """
    if limit is None or not IS_LINUX:
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    hard = before[1]
    wanted = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def die_with_parent() -> None:
    """Have the system kill this process when its parent ends (Linux only)."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of descendants whose parent ends, so that none gets lost (Linux only)."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if IS_LINUX:
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(option, value)
