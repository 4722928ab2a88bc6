"""Environment of a run: machine, threads and memory. Results do not depend on it."""

from __future__ import annotations

import os
import platform
import re
import signal
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

#: Variables set to 1 before any library is loaded, so that N jobs use N cores.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
IS_LINUX = platform.system() == "Linux"


@cache
def host() -> dict[str, Any]:
    """Return the operating system, CPU model and number of CPUs."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": _in_file("/proc/cpuinfo", r"^model name\s*:\s*(.+)$") or platform.processor(),
        "cpus": os.cpu_count(),
    }


def reset_peak_memory() -> None:
    """Reset the peak memory, so that earlier runs of a worker do not count (Linux only)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_memory_mb() -> float | None:
    """Return the peak resident memory since the last reset, in MiB (Linux only); else None."""
    kibibytes = _in_file("/proc/self/status", r"^VmHWM:\s*(\d+) kB$")
    return round(int(kibibytes) / 1024, 1) if kibibytes else None


def _in_file(path: str, pattern: str) -> str:
    """Return what the group of a pattern matches in a file; empty without the file or a match."""
    with suppress(OSError):
        text = Path(path).read_text(encoding="utf-8", errors="replace")
        if match := re.search(pattern, text, re.MULTILINE):
            return match[1].strip()
    return ""


def die_with_parent() -> None:
    """Make the system kill this process when its parent ends (Linux only)."""
    _prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends (Linux only)."""
    _prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


def _prctl(option: int, value: int) -> None:
    if IS_LINUX:
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(option, value)
