"""Misbehaving boosters, each in one command with runs of other boosters that must succeed.

The boosters are defined in ``tests/faults/hostile.py``; each kind of misbehaviour is a case.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil

from boostbench.inputs import load_plugin
from checks.attack.case import Case
from checks.attack.commands import records_of, run_command

HOSTILE = Path(__file__).parents[2] / "tests" / "faults" / "hostile.py"
CONFIG = """\
name: mixed
datasets: [iris, wine]
split: {{holdout: 0.3}}
noise: {{model: exchange, rate: 0.2}}
boosters: [{boosters}]
rounds: 3
seeds: [{seed}]
limits: {{time: {time}s, memory: 1G}}
"""
INNOCENT = "samme, sm-boost"
MOST_BYTES = 100_000


def attack(n: int, seed: int, folder: Path) -> Iterator[Case]:
    """Try each kind in turn from that of number ``seed`` on, with the boosters in random order."""
    rng = random.Random(seed)
    hostile = load_plugin(HOSTILE)
    kinds = list(hostile.EXPECTED)
    for i in range(n):
        data_seed, kind = divmod(seed + i, len(kinds))
        how = kinds[kind]
        alone = folder / f"alone-{data_seed}"
        if not alone.exists():
            _run(folder, alone, INNOCENT, data_seed, time=300)  # kernels may be compiled
        boosters = [*INNOCENT.split(", "), f"hostile: {{how: {how}}}"]
        rng.shuffle(boosters)
        results = folder / f"together-{i}"
        done = _run(folder, results, ", ".join(boosters), data_seed)
        wrong = _faults(done, alone, results, hostile.EXPECTED[how], hostile.LEFT_BEHIND)
        yield Case(how, not wrong, "; ".join(wrong))


def _run(
    folder: Path, results: Path, boosters: str, seed: int, time: int = 8
) -> subprocess.CompletedProcess[str]:
    config = folder / "mixed.yaml"
    config.write_text(CONFIG.format(boosters=boosters, seed=seed, time=time))
    command = run_command(config, results, "--plugin", str(HOSTILE))
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def _faults(
    done: subprocess.CompletedProcess[str],
    alone: Path,
    results: Path,
    expected: str | tuple[str, ...],
    left_behind: str,
) -> list[str]:
    """Return descriptions of all faults in the outcome of a command."""
    truth, records = records_of(alone), records_of(results)
    innocent = {key: record for key, record in records.items() if key in truth}
    bad = [record["status"] for key, record in records.items() if key not in truth]
    sizes = [path.stat().st_size for path in results.glob("runs/*/*.json")]
    left = [p for p in psutil.process_iter(["cmdline"]) if left_behind in (p.info["cmdline"] or ())]
    allowed = (expected,) if isinstance(expected, str) else expected
    checks = {
        f"innocent runs differ: {innocent}": innocent == truth,
        f"hostile runs are {bad}, expected {allowed}": len(bad) == 2 and {*bad} <= {*allowed},
        f"exit code {done.returncode}": done.returncode == int({*bad} != {"ok"}),
        f"stderr: {done.stderr[-2000:]}": "Traceback" not in done.stderr,
        f"{len(done.stderr)} characters on stderr": len(done.stderr) < MOST_BYTES,
        f"a record of {max(sizes, default=0)} bytes": max(sizes, default=0) < MOST_BYTES,
        f"left behind: {left}": not left,
    }
    return [fault for fault, is_right in checks.items() if not is_right]
