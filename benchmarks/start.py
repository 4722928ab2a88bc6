"""Measures of start-up times: the first fit on a machine, short commands, and finished runs."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.settings import Settings
from benchmarks.table import Row, seconds
from benchmarks.timing import Contestant, compete

FIRST_FIT = """
import time
from boostbench.boosters import make_booster
from sklearn.datasets import load_digits
X, y = load_digits(return_X_y=True)
imported = time.process_time()
make_booster("adaboost-mh", n_estimators=1).fit(X, y)
print(time.process_time() - imported)
"""
CONFIG = {"datasets": ["iris", "wine"], "split": {"holdout": 0.3}, "rounds": 5}
PLUGIN = """
from boostbench.boosters.samme import SAMME
from boostbench.registry import boosters

@boosters.register("mine")
class Mine(SAMME):
    pass
"""


def start(settings: Settings) -> Iterator[Row]:
    """Compare least CPU seconds of whole processes, including imports, with limits."""
    with tempfile.TemporaryDirectory() as folder:
        cache = str(Path(folder) / "cache")
        first_fit = [sys.executable, "-c", FIRST_FIT]
        (fitted,) = compete([_process(first_fit, cache)], 1, 0.0)
        cold, warm, fit = compete(
            [
                lambda: _process(first_fit, tempfile.mkdtemp(dir=folder))(),
                _process(first_fit, cache),
                lambda: float(_run(first_fit, cache)),
            ],
            min(settings.repeats, 3),
            settings.budget,
            choose=min,
        )
        yield _row("first fit of AdaBoost.MH, nothing compiled", "digits", min(cold, fitted), 8.0)
        yield _row("first fit of AdaBoost.MH, compiled before", "digits", warm, None)
        yield _row("the same without imports", "digits", fit, 0.3)
        commands = _commands(Path(folder), cache)
        contestants = [_process(_command(words), cache) for words in commands.values()]
        times = compete(contestants, settings.repeats, settings.budget, choose=min)
        for (label, words), time in zip(commands.items(), times, strict=True):
            yield _row(f"boostbench {label}", "", time, 1.0 if words[0] == "run" else 0.3)


def _row(measure: str, data: str, time: float, allowed: float | None) -> Row:
    limit = "-" if allowed is None else f"{allowed:g} s allowed"
    ratio, target = (None, None) if allowed is None else (time / allowed, 1.0)
    return Row(measure, data, seconds(time), limit, ratio, target, note="the least of the repeats")


def _command(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "boostbench", *words]


def _commands(folder: Path, cache: str) -> dict[str, list[str]]:
    """Return arguments of the program by label, after carrying out all runs."""
    plugin, results = folder / "mine.py", str(folder / "results")
    plugin.write_text(PLUGIN)
    commands = {"--help": ["--help"]}
    commands |= {f"list {kind}": ["list", kind] for kind in ("boosters", "datasets", "configs")}
    for name, booster, plugins in (("done", "samme", []), ("done-plugin", "mine", [str(plugin)])):
        config = folder / f"{name}.yaml"
        keys = {"name": name, **CONFIG, "boosters": [booster]}
        config.write_text(json.dumps(keys | ({"plugins": plugins} if plugins else {})))
        label = f"run, all done{', with a plugin' if plugins else ''}"
        commands[label] = ["run", str(config), "--results", results, "--quiet"]
        _run(_command(commands[label]), cache)
    return commands


def _process(command: Sequence[str], cache: str) -> Contestant:
    """Return a contestant that runs a process and returns its CPU seconds."""

    def contestant() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        _run(command, cache)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    return contestant


def _run(command: Sequence[str], cache: str) -> str:
    """Run a process with its cache of compiled kernels in a folder; return its output."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError((done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1])
    return done.stdout
