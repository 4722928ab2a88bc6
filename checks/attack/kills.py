"""Kills and signals at random moments, each followed by the same command.

The targets are the command itself, the server, supervisors that are forked from it, and workers
that are forked from these, while they start, between runs, and during runs and writes. In all cases
the command must end in bounded time without a traceback, leave no process and, unless killed
itself, no partially written file, and all records must be right. Repetitions of the command must
complete all runs with the results of an undisturbed command.
"""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from checks.attack.case import Case
from checks.attack.commands import records_of, run_command

CONFIG = """\
name: struck
datasets: [iris, wine]
split: {holdout: 0.3}
noise: [none, {model: exchange, rate: 0.2}]
boosters: [samme, adaboost-mh]
rounds: 40
seeds: 12
"""
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
TARGETS = ("command", "server", "supervisor", "worker")
PATIENCE = 120.0
START_SECONDS, WORK_SECONDS = 4.0, 1.0
STRIKES = 8
Records = dict[str, dict[str, Any]]


def attack(n: int, seed: int, folder: Path) -> Iterator[Case]:
    """Send ``n`` signals."""
    rng = random.Random(seed)
    config = folder / "struck.yaml"
    config.write_text(CONFIG)
    subprocess.run(run_command(config, folder / "truth"), check=True, capture_output=True)
    truth = records_of(folder / "truth")
    strikes = _strikes(n, rng)
    n_folders = 0
    while strikes:
        results = folder / str(n_folders)
        n_folders += 1
        while strikes and not _is_complete(results, truth):
            yield from _struck_command(config, results, truth, strikes, rng)
        yield _final_command(config, results, truth)


def _strikes(n: int, rng: random.Random) -> list[tuple[str, signal.Signals]]:
    """Return n pairs of target and signal, all pairs about equally often, in random order."""
    pairs = [(target, number) for target in TARGETS for number in SIGNALS]
    strikes = [pairs[i % len(pairs)] for i in range(n)]
    rng.shuffle(strikes)
    return strikes


def _struck_command(
    config: Path,
    results: Path,
    truth: Records,
    strikes: list[tuple[str, signal.Signals]],
    rng: random.Random,
) -> Iterator[Case]:
    """Run the command once, sending signals until it ends."""
    partial_before = {*results.rglob("*.tmp")}  # of commands that were killed before
    records_before = records_of(results)  # some killed, and perhaps not repeated by this command
    process = subprocess.Popen(
        run_command(config, results),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    command = psutil.Process(process.pid)
    done: list[tuple[str, signal.Signals]] = []
    family = {command}
    time.sleep(rng.uniform(0.0, START_SECONDS))
    while strikes and process.poll() is None and len(done) < STRIKES:
        target, number = strikes[-1]
        struck = _target(command, target, rng)
        if struck is None:
            # The target does not exist yet, or no longer: try another one first.
            strikes.insert(0, strikes.pop())
        else:
            family |= {struck, *_children(command)}
            try:
                struck.send_signal(number)
            except psutil.NoSuchProcess:
                continue
            done.append(strikes.pop())
            if target == "command":
                break
        time.sleep(rng.uniform(0.0, WORK_SECONDS))
    wrong = _faults(process, family, results, truth, done, partial_before, records_before)
    for target, number in done:
        yield Case(f"{target} {number.name}", not wrong, "; ".join(wrong))


def _faults(
    process: subprocess.Popen[str],
    family: set[psutil.Process],
    results: Path,
    truth: Records,
    done: list[tuple[str, signal.Signals]],
    partial_before: set[Path],
    records_before: Records,
) -> list[str]:
    """Return descriptions of all faults in the end of a command that received signals."""
    begin = time.monotonic()
    try:
        _, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return [f"no end in {PATIENCE:g} s after {done}"]
    seconds = time.monotonic() - begin
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    last, number = done[-1] if done else ("", signal.SIGKILL)
    is_command = last == "command"
    codes = {-number} if number == signal.SIGKILL else {130, -number, 0, 1}
    records = records_of(results)
    changed = [
        key
        for key, record in records.items()
        if record not in (truth[key], records_before.get(key))
        and (record["status"] != "killed" or _spares_workers(done))
    ]
    partial = {*results.rglob("*.tmp")} - partial_before
    checks = {
        f"traceback after {done}: {err[-1500:]}": "Traceback" not in err and "bug" not in err,
        f"exit code {process.returncode} after {done}": process.returncode
        in (codes | {0, 1} if is_command else {0, 1}),
        f"{len(changed)} records differ after {done}": not changed,
        f"left running: {alive}": not alive,
        f"partially written: {partial}": not partial or (is_command and number == signal.SIGKILL),
        f"took {seconds:.0f} s to end": seconds < PATIENCE / 2,
    }
    return [fault for fault, is_right in checks.items() if not is_right]


def _spares_workers(done: list[tuple[str, signal.Signals]]) -> bool:
    """Return whether only the command received signals, so that no run was recorded as killed."""
    return all(target == "command" for target, _ in done)


def _final_command(config: Path, results: Path, truth: Records) -> Case:
    """Run the command without signals, then again for killed runs; compare the records."""
    for options in ((), ("--retry", "killed")):
        command = run_command(config, results, *options)
        subprocess.run(command, capture_output=True, timeout=10 * PATIENCE)
    records = records_of(results)
    wrong = [key for key in truth if records.get(key) != truth[key]]
    return Case("all runs in the end", not wrong, f"{len(wrong)} of {len(truth)} differ")


def _is_complete(results: Path, truth: Records) -> bool:
    return len(list(results.glob("runs/*/*.json"))) == len(truth)


def _target(command: psutil.Process, target: str, rng: random.Random) -> psutil.Process | None:
    family = [command]
    for _ in range(TARGETS.index(target)):
        family = [child for each in family for child in _children(each)]
    return rng.choice(family) if family else None


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children()
    except psutil.NoSuchProcess:
        return []
