"""`boostbench submit` with a real Slurm, run by the current user on this machine (make slurm).

The check starts munged, slurmctld and slurmd in a temporary folder, with four cores, and submits a
config as a job array. No run may be submitted or done twice, and no more jobs may run at a time
than allowed. A job that is killed, or requeued as by preemption, must not end other jobs, and a
requeued job must continue with its remaining runs. The same command must submit the runs that a
cancelled job left. The records must equal those of `boostbench run`. Without Slurm or submitit, the
check is skipped with a message and exit code 0.
"""

from __future__ import annotations

import getpass
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from checks.attack.commands import records_of

CONFIG = """\
name: batch
datasets: [iris, digits]
split: {holdout: 0.3}
noise: [none, {model: exchange, rate: 0.2}]
boosters: [adaboost-mh, samme]
rounds: 3000
seeds: 3
"""
MOST_JOBS = 3
PROGRAMS = ("munged", "mungekey", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol")
SETTINGS = """\
ClusterName=trial
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=bf_interval=2,sched_interval=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def main() -> int:
    """Run the check; return the exit code."""
    absent = [name for name in PROGRAMS if _program(name) is None]
    if absent or importlib.util.find_spec("submitit") is None:
        print(f"slurm: skipped, {', '.join(absent) or 'submitit'} is not installed here")
        return 0
    with tempfile.TemporaryDirectory(prefix="slurm-", dir="/tmp") as name, _daemons(Path(name)):
        _check(Path(name) / "work")
    print("slurm: all checks passed")
    return 0


def _check(folder: Path) -> None:
    folder.mkdir()
    config, results = folder / "batch.yaml", folder / "results"
    config.write_text(CONFIG)
    _boostbench("run", config, "--results", folder / "here", "--quiet", "--jobs", "2")
    truth = records_of(folder / "here")
    submitting = ("submit", config, "--results", results, "--slurm", "--most-jobs", MOST_JOBS)
    submitting += ("--job-time", "0.001s")

    output = _boostbench(*submitting)
    print(output.strip())
    array = output.split()[-1]
    expect("nothing to submit" in _boostbench(*submitting), "nothing is submitted twice")
    wait_for("jobs run", lambda: _states(array).count("RUNNING") == MOST_JOBS)
    wait_for("the first record", lambda: bool(records_of(results)))
    print(_boostbench("status", config, "--results", results).splitlines()[-1])

    killed, requeued, cancelled = _running(array)
    _call("scancel", "--signal=KILL", killed)
    _call("scontrol", "requeue", requeued)
    _call("scancel", cancelled)
    most = 0

    def is_over() -> bool:
        nonlocal most
        states = _states(array)
        most = max(most, states.count("RUNNING"))
        return not states

    wait_for("the array to end", is_over)
    expect(most <= MOST_JOBS, f"at most {MOST_JOBS} jobs ran at once, seen {most}")
    done = records_of(results)
    print(f"{len(done)} of {len(truth)} runs done; one job killed, one requeued, one cancelled")
    expect(0 < len(done) < len(truth), "the killed and the cancelled job left runs undone")

    output = _boostbench(*submitting)
    print(output.strip())
    expect(f"submitted {len(truth) - len(done)} run" in output, "the rest is submitted")
    second = output.split()[-1]
    wait_for("jobs run", lambda: "RUNNING" in _states(second))
    timed_out = _running(second)[0]
    time.sleep(20)  # until the job has begun, so that submitit handles the time limit signal
    _call("scancel", "--signal=USR2", timed_out)
    print(_boostbench("watch", config, "--results", results, "--every", "2").strip())
    expect(records_of(results) == truth, "the records are those of `run`")
    expect("nothing to submit" in _boostbench(*submitting), "nothing is left")
    starts = "".join(path.read_text() for path in (results / ".jobs" / "logs").glob("*.out"))
    n_early = starts.count("Starting with") - starts.count("Exiting after successful completion")
    print(f"{n_early} starts of jobs ended early")


def expect(condition: bool, description: str) -> None:
    """Print that a condition holds, or exit with an error."""
    if not condition:
        raise SystemExit(f"failed: {description}")
    print(f"ok: {description}")


def wait_for(event: str, condition: Callable[[], bool], seconds: float = 900.0) -> None:
    """Wait until a condition holds, or exit with an error after a time limit."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"waited {seconds:.0f} s for {event}")
        time.sleep(0.5)


def _boostbench(*words: object) -> str:
    command = [sys.executable, "-m", "boostbench", *map(str, words)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _states(array: str) -> list[str]:
    return _call("squeue", "--array", "--noheader", "--format=%T", f"--job={array}").split()


def _running(array: str) -> list[str]:
    words = ("squeue", "--array", "--noheader", "--states=RUNNING", "--format=%i")
    return _call(*words, f"--job={array}").split()


def _call(*command: str) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode and "Invalid job id" not in done.stdout:
        raise SystemExit(f"slurm: {' '.join(command)}: {done.stdout}")
    return "" if done.returncode else done.stdout


def _program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


def free_port() -> int:
    """Return a free TCP port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def is_open(port: int) -> bool:
    """Return whether a process listens on a TCP port of this machine."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def _daemons(folder: Path) -> Iterator[None]:
    """Start the three daemons, and terminate them at the end."""
    for name in ("state", "spool"):
        (folder / name).mkdir()
    folder.chmod(0o755)
    settings = SETTINGS.format(
        host=socket.gethostname().partition(".")[0],
        user=getpass.getuser(),
        folder=folder,
        controller=free_port(),
        node=free_port(),
    )
    (folder / "slurm.conf").write_text(settings)
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    key = folder / "munge.key"
    subprocess.run([str(_program("mungekey")), "--create", f"--keyfile={key}"], check=True)
    munge = [f"--key-file={key}", f"--socket={folder}/munge.socket"]
    munge += [f"--{kind}={folder}/munge.{kind[:-5]}" for kind in ("log-file", "pid-file")]
    munge += [f"--seed-file={folder}/munge.seed", "--foreground", "--force"]
    commands = (
        [str(_program("munged")), *munge],
        [str(_program("slurmctld")), "-D", "-f", str(folder / "slurm.conf")],
        [str(_program("slurmd")), "-D", "-f", str(folder / "slurm.conf")],
    )
    started = []
    try:
        with (folder / "daemons.log").open("w") as log:
            for command in commands:
                started.append(subprocess.Popen(command, stdout=log, stderr=log))
                time.sleep(2)
        try:
            wait_for("the node", lambda: "idle" in _call("sinfo", "--noheader"), 120)
        except SystemExit:
            for path in folder.glob("*.log"):
                print(f"--- {path.name}\n{path.read_text()[-3000:]}", file=sys.stderr)
            raise
        yield
    finally:
        for daemon in reversed(started):
            daemon.terminate()
            daemon.wait(60)


if __name__ == "__main__":
    sys.exit(main())
