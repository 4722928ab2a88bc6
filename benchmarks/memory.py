"""Measures of whole fits on many rows, each in a process of its own: memory and time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time

from benchmarks.data import COVTYPE, Data, covtype_like, generated
from benchmarks.fit_speed import fit, warm_up
from benchmarks.peers import lightgbm_multiclass
from benchmarks.settings import Settings
from benchmarks.table import Row, seconds

BYTES_PER_ROW_AND_CLASS = 24
BINNED_DATA = 3


def memory(settings: Settings) -> Iterator[Row]:
    """Compare the peak growth in a fit of AdaBoost.MH with a bound by binned data and scores."""
    n, rounds = (50_000, 10) if settings.quick else (500_000, 100)
    result = _in_own_process("adaboost-mh", COVTYPE, n, rounds)
    allowed = BINNED_DATA * result["binned"] + BYTES_PER_ROW_AND_CLASS * n * result["n_classes"]
    yield Row(
        f"memory of AdaBoost.MH fit, T={rounds} / allowed",
        f"{COVTYPE}, {n:,} rows",
        _megabytes(result["growth"]),
        _megabytes(allowed),
        result["growth"] / allowed,
        1.0,
        note=f"X itself is {_megabytes(result['X'])}",
    )


def large(settings: Settings) -> Iterator[Row]:
    """Compare time and memory of AdaBoost.MH with LightGBM on 50 features and five classes."""
    n, rounds = (20_000, 5) if settings.quick else (1_000_000, 100)
    turns = [
        [
            _in_own_process(program, "generated", n, rounds)
            for program in ("adaboost-mh", "lightgbm")
        ]
        for _ in range(min(settings.repeats, 3))
    ]
    for what, key, limit, text in (
        ("fit", "seconds", 1.0, seconds),
        ("memory of fit", "growth", 1.2, _megabytes),
    ):
        ours, peer = (median(result[key] for result in side) for side in zip(*turns, strict=True))
        yield Row(
            f"AdaBoost.MH {what}, T={rounds} / LightGBM",
            f"{n:,} rows, 50 features, 5 classes",
            text(ours),
            text(peer),
            ours / peer,
            limit,
        )


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.0f} MB"


def _in_own_process(program: str, data: str, n: int, rounds: int) -> dict[str, float]:
    """Return what `_measure` measures in a new process."""
    command = [sys.executable, "-m", "benchmarks.memory", program, data, str(n), str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    result: dict[str, float] = json.loads(done.stdout)
    return result


def _measure(program: str, data: Data, rounds: int) -> dict[str, float]:
    """Fit in this process, after a warm-up that loads all compiled code; return bytes, seconds."""
    if program == "lightgbm":
        lightgbm_multiclass(data.head(1000), 2)
    else:
        warm_up(program)
        fit(program, data.head(1000), 2)()
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak after generating the data
    before, start = _status("VmRSS"), process_time()
    if program == "lightgbm":
        lightgbm_multiclass(data, rounds)
    else:
        fit(program, data, rounds)()
    return {
        "seconds": process_time() - start,
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


def _main(program: str, data: str, n: int, rounds: int) -> None:
    rows = covtype_like(n) if data == COVTYPE else generated(data, n, 1000, 50, 5, 1000, 0.0)
    print(json.dumps(_measure(program, rows, rounds)))


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
