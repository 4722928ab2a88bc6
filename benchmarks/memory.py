"""Measure of the memory that a fit adds to a process that already holds the data."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import COVTYPE, covtype_like
from benchmarks.settings import Settings
from benchmarks.table import Row

BYTES_PER_ROW_AND_CLASS = 24
BINNED_DATA = 3


def memory(settings: Settings) -> Iterator[Row]:
    """Compare the peak growth in a fit of AdaBoost.MH with a bound by binned data and scores."""
    n, rounds = (50_000, 10) if settings.quick else (500_000, 100)
    command = [sys.executable, "-m", "benchmarks.memory", str(n), str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    result = json.loads(done.stdout)
    allowed = BINNED_DATA * result["binned"] + BYTES_PER_ROW_AND_CLASS * n * result["n_classes"]
    yield Row(
        f"memory of AdaBoost.MH fit, T={rounds} / allowed",
        f"{COVTYPE}, {n:,} rows",
        f"{result['growth'] / 1e6:.0f} MB",
        f"{allowed / 1e6:.0f} MB",
        result["growth"] / allowed,
        1.0,
        note=f"X itself is {result['X'] / 1e6:.0f} MB",
    )


def _measure(n: int, rounds: int) -> dict[str, int]:
    """Fit in this process, after a warm-up that loads all compiled code; return sizes in bytes."""
    from boostbench.boosters import make_booster

    data = covtype_like(n)
    make_booster("adaboost-mh", n_estimators=2).fit(data.X[:1000], data.y[:1000])
    booster = make_booster("adaboost-mh", n_estimators=rounds)
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak after generating the data
    before = _status("VmRSS")
    booster.fit(data.X, data.y)
    return {
        "growth": _status("VmHWM") - before,
        "binned": data.X.size,
        "X": data.X.nbytes,
        "n_classes": data.n_classes,
    }


def _status(key: str) -> int:
    """Return an entry of /proc/self/status in bytes (Linux only)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return 1024 * int(line.split()[1])
    raise KeyError(key)


if __name__ == "__main__":
    print(json.dumps(_measure(int(sys.argv[1]), int(sys.argv[2]))))
