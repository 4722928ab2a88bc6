"""Faults at single system calls: a write, a rename and so on fails, or the process is killed there.

Each command that writes files is run in a forked process in a copy of a folder, where the k-th
system call that changes a file fails with an error, or kills the process. Each file must then be
as before the command or as after it, undisturbed; an error must be one line with exit code 1 or 2,
and the same command, repeated, must give what an undisturbed one gives. A C compiler is needed,
since a preloaded library (`faults.c`) makes the calls fail.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import io
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from boostbench import load_model
from boostbench.cli import main
from boostbench.errors import BoostbenchError
from boostbench.experiments.running import conduct
from boostbench.experiments.running.executors import InlineExecutor
from boostbench.experiments.store.records import RecordStore
from checks.attack.case import Case

CONFIG = """\
name: struck
datasets: [iris, wine]
split: {holdout: 0.3}
boosters: [samme, adaboost-mh]
rounds: 6
seeds: 2
report: [table, curves]
"""
TABLE = "a,b,target\n" + "".join(f"{i % 7},{'uvw'[i % 3]},{'xy'[i % 2]}\n" for i in range(40))
#: Errors of the calls; 0 kills.
ERRORS = (0, errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EACCES)
QUIET = "run struck.yaml --executor inline --quiet"
ADOPTED = "run adopted.yaml --executor inline --quiet"
FIT = "fit samme --on table.csv --rounds 3 -o model.skops"
COMPARE = "compare samme adaboost-mh --on table.csv --folds 2 --repeats 1 --rounds 2"
LABELS = "labels table.csv --repeats 2 --rounds 2 -o suspects.csv"
REPORT = "report struck.yaml"
OVERVIEW = f"{QUIET} --set seeds=1", REPORT, "report --all"
PAPER = "report struck.yaml --paper"
EXPORT = "export struck.yaml -o rows.csv"
#: A booster of a file, and the same after a change that leaves its numbers alone.
PLUGIN = """\
from sklearn.dummy import DummyClassifier


class Prior(DummyClassifier):
    def __init__(self, n_estimators=1, random_state=None):
        super().__init__()
        self.n_estimators = n_estimators
        self.random_state = random_state

    def staged_predict(self, X):
        yield from [self.predict(X)] * self.n_estimators
"""
CHANGED = PLUGIN.replace(
    "self.n_estimators = n_estimators", "self.n_estimators = int(n_estimators)"
)
FILES = {
    "struck.yaml": CONFIG,
    "adopted.yaml": CONFIG.replace("struck", "adopted").replace(
        "[samme, adaboost-mh]", "['prior.py:Prior']"
    ),
    "table.csv": TABLE,
    "iris.csv": TABLE.replace("u", "z"),
    "changed.py": CHANGED,
    "prior.py": PLUGIN,
}
#: In place of a command: the plugin is changed.
CHANGE = "change the plugin"
#: By name: commands that prepare a folder, and the command under attack.
COMMANDS = {
    "run": ([], QUIET),
    "run more rounds": ([f"{QUIET} --set rounds=3"], f"{QUIET} --fresh"),
    "report": ([QUIET], "report struck.yaml"),
    "report again": ([f"{QUIET} --set seeds=1", "report struck.yaml", QUIET], "report struck.yaml"),
    "pack again": (
        [f"{QUIET} --set seeds=1", "report struck.yaml --pack", QUIET],
        "report struck.yaml --pack",
    ),
    "report all": ([QUIET, REPORT], "report --all"),
    "report all again": ([*OVERVIEW, QUIET], "report --all"),
    "paper again": ([f"{QUIET} --set seeds=1", PAPER, QUIET], PAPER),
    "export": ([QUIET], EXPORT),
    "export again": ([f"{QUIET} --set seeds=1", EXPORT, QUIET], EXPORT),
    "site again": ([*OVERVIEW, "site", QUIET, "report --all"], "site"),
    "data add": ([], "data add table.csv --name mine"),
    "data add again": (
        ["data add iris.csv --name mine"],
        "data add table.csv --name mine --replace",
    ),
    "new": ([], "new booster my-booster"),
    "fit": ([], FIT),
    "fit again": ([f"{FIT} --seed 1"], FIT),
    "predict": ([FIT], "predict model.skops table.csv -o predicted.csv"),
    "predict again": (
        [FIT, "predict model.skops iris.csv -o predicted.csv"],
        "predict model.skops table.csv -o predicted.csv",
    ),
    "labels": ([], LABELS),
    "labels again": ([f"{LABELS} --seed 1"], LABELS),
    "compare": ([], COMPARE),
    "compare more": ([COMPARE], f"{COMPARE} --rounds 3 --page page.html"),
    "adopt": ([ADOPTED, CHANGE], "adopt adopted.yaml --quiet"),
}
State = dict[str, bytes]


def attack(n: int, seed: int, folder: Path) -> Iterator[Case]:
    """Make ``n`` calls fail."""
    library, source = folder / "faults.so", Path(__file__).with_suffix(".c")
    compile_ = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"]
    subprocess.run(compile_, check=True)
    command = [sys.executable, "-m", __name__, str(library), str(folder), str(n), str(seed)]
    environment = {**os.environ, "LD_PRELOAD": str(library), "MPLBACKEND": "agg"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield Case(*json.loads(line))
    if process.returncode:
        yield Case("faults", False, f"the injector ended with {process.returncode}")


def _inject(library: str, folder: Path, n: int, seed: int) -> Iterator[Case]:
    """Run each command with faults, in this process with the preloaded library."""
    faults, rng = ctypes.CDLL(library), random.Random(seed)
    os.environ["BOOSTBENCH_CACHE"] = str(folder / "cache")
    warm = folder / "warm"  # forked processes find all modules imported
    warm.mkdir()
    _lay_out(warm)
    conduct.LocalExecutor = _inline  # type: ignore[misc,assignment]
    with contextlib.chdir(warm), contextlib.redirect_stdout(io.StringIO()):
        for command in (QUIET, "report struck.yaml", "report --all", FIT, COMPARE, LABELS):
            main(command.split())
    for number, (name, (before, command)) in enumerate(COMMANDS.items()):
        start, place = folder / f"start-{number}", folder / f"place-{number}"
        start.mkdir()
        _lay_out(start)
        for each in before:
            if each == CHANGE:
                shutil.copy(start / "changed.py", start / "prior.py")
                continue
            code, told, _ = _run(faults, start, each, -1, 0)
            assert code in (0, 1), (each, code, told)  # 1: runs of the report are missing
        first = _state(start)
        shutil.copytree(start, place)
        _, told, n_calls = _run(faults, place, command, -1, 0)
        if not n_calls:
            yield Case(name, False, f"{command} writes nothing: {told}")
            continue
        last = _state(place)
        quota = n // len(COMMANDS) + (number < n % len(COMMANDS))
        for _ in range(quota):
            k, error = rng.randint(1, n_calls), rng.choice(ERRORS)
            shutil.rmtree(place)
            shutil.copytree(start, place)
            code, told, _ = _run(faults, place, command, k, error)
            problem = _problem(place, first, last, code, told, error)
            if not problem:
                code, told, _ = _run(faults, place, command, -1, 0)
                again = "" if command.startswith(("new", "data")) else f"exit {code}: {told}"
                problem = again if code else _problem(place, last, last, 0, "", 0)
            kind = errno.errorcode.get(error, "SIGKILL")
            detail = f"{command}: call {k} of {n_calls}, {kind}: {problem}"
            yield Case(name, not problem, detail)


def _lay_out(folder: Path) -> None:
    for file, text in FILES.items():
        (folder / file).write_text(text)


def _inline(jobs: int = 1, data_dirs: Sequence[str] = (), limits: object = None) -> InlineExecutor:
    """Do the runs of commands that offer no other executor in the process under attack."""
    return InlineExecutor(data_dirs)


def _run(
    faults: ctypes.CDLL, place: Path, command: str, k: int, error: int
) -> tuple[int, str, int]:
    """Return exit code, messages and number of calls of a command in a forked process."""
    told, counted = place.parent / "told.txt", place.parent / "calls.txt"
    counted.write_text("0")
    told.write_text("")
    process = os.fork()
    if not process:
        os.chdir(place)
        err = io.StringIO()
        with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()):
            faults.fault_arm(str(place).encode(), k, error)
            code = main(command.split())
            calls = faults.fault_calls()
            faults.fault_arm(b"", -1, 0)
        told.write_text(err.getvalue())
        counted.write_text(str(calls))
        os._exit(code)
    status = os.waitpid(process, 0)[1]
    return os.waitstatus_to_exitcode(status), told.read_text()[-500:], int(counted.read_text())


def _state(place: Path) -> State:
    """Return the contents of all files but temporary ones and locks."""
    files = (path for path in place.rglob("*") if path.is_file() and path.suffix != ".tmp")
    names = {str(path.relative_to(place)): path for path in files}
    return {name: path.read_bytes() for name, path in names.items() if ".locked" not in name}


def _problem(place: Path, first: State, last: State, code: int, told: str, error: int) -> str:
    """Return what is wrong after a command with a fault; empty if nothing is."""
    now = _state(place)
    if lost := first.keys() - now.keys():
        return f"{min(lost)} is lost"
    for name, content in now.items():
        whole = content in (first.get(name), last.get(name))
        if not whole and not _is_complete(place / name):
            return f"{name} is neither old nor new"
    if code == 0 and not now.keys() >= last.keys():
        return f"exit 0 without {min(last.keys() - now.keys())}"
    if error and (code not in (0, 1, 2) or "Traceback" in told or (code and not told.strip())):
        return f"exit {code}: {told}"
    return ""


def _is_complete(path: Path) -> bool:
    """Return whether a file that tells times, which differ, is whole: a record, model or page."""
    if path.suffix == ".skops":
        with contextlib.suppress(BoostbenchError):
            return load_model(path).pipeline is not None
        return False
    if path.suffix == ".html":
        return path.read_text(encoding="utf-8").rstrip().endswith("</html>")
    if path.suffix != ".json" or "runs" not in path.parts:
        return False
    results = path.parents[len(path.parts) - 1 - path.parts.index("runs") - 1]
    return RecordStore(results).read(path) is not None


if __name__ == "__main__":
    LIBRARY, FOLDER, N, SEED = sys.argv[1:]
    for found in _inject(LIBRARY, Path(FOLDER), int(N), int(SEED)):
        print(json.dumps([found.name, found.ok, found.detail]), flush=True)
