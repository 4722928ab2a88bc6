"""Shared by all tests: what a test loads or starts is its own."""

import contextlib
import os
import signal
import subprocess
import sys

import psutil
import pytest
from hypothesis import HealthCheck, settings

from boostbench import inputs, registry
from boostbench.experiments.running.environment import THREAD_VARIABLES
from boostbench.experiments.store import interrupts

# A test of much input takes as long as the machine is busy.
slow = [HealthCheck.too_slow]
settings.register_profile("any-machine", deadline=None, suppress_health_check=slow)
settings.load_profile("any-machine")

# The threads of several workers of pytest would wait for each other, spinning, on the same cores.
os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))

# Tests start many processes. Without stored bytecode each of them compiles all sources again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def end_with_all_children(number, frame):
    """End at once, and with pytest its workers and all that tests have started."""
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            child.kill()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def pytest_configure(config):
    signal.signal(signal.SIGTERM, end_with_all_children)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` lets it be ignored


#: Reasons for which continuous integration, too, may skip a test; any other one is a failure.
MAY_BE_ABSENT = (
    "BOOSTBENCH_DATA",
    "is not there",  # a file of real data
    "boostbench[baselines]",
    "'catboost'",
    "'cleanlab'",
    "'lightgbm'",
    "'tabicl'",
    "'tabpfn'",
    "'xgboost'",
    "Chromium",
    "pdflatex",
    "/dev/full",
    "may write everywhere",
)


def failed_if_skipped_in_ci(report):
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[2])
        if not any(words in reason for words in MAY_BE_ABSENT):
            report.outcome, report.longrepr = "failed", f"CI must not skip this: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return failed_if_skipped_in_ci((yield))


pytest_make_collect_report = pytest_runtest_makereport


def pytest_xdist_auto_num_workers(config):
    """Return one more than there are cores: many tests wait for processes that they started."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def own_plugins():
    """Forget the plugins that a test loads, and what they executed and read."""
    modules, executed, noted = set(sys.modules), dict(inputs._executed), dict(inputs._noted)
    kinds = [kind for kind in vars(registry).values() if isinstance(kind, registry.Registry)]
    registered = [dict(kind.declarations) for kind in kinds]
    yield
    for name in set(sys.modules) - modules:
        if name.startswith("boostbench_plugin_"):
            del sys.modules[name]
    now = [inputs._executed, inputs._noted, *(kind.declarations for kind in kinds)]
    for kept, before in zip(now, [executed, noted, *registered], strict=True):
        kept.clear()
        kept.update(before)


ALL_SIGNALS = interrupts._SIGNALS


@pytest.fixture(autouse=True)
def sigterm_ends_pytest(monkeypatch):
    """Keep a SIGTERM sent to pytest from the command that a test does in this process."""
    others = tuple(number for number in ALL_SIGNALS if number != signal.SIGTERM)
    monkeypatch.setattr(interrupts, "_SIGNALS", others)


@pytest.fixture
def sigterm_interrupts(sigterm_ends_pytest, monkeypatch):
    """Leave SIGTERM to commands in this process."""
    monkeypatch.setattr(interrupts, "_SIGNALS", ALL_SIGNALS)


@pytest.fixture(autouse=True)
def split_all_work(monkeypatch):
    """Split little work, too, if a test has several threads."""
    monkeypatch.setattr("boostbench.threads._LEAST", 0)


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """Work in an empty folder, with no data folder named."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BOOSTBENCH_DATA", raising=False)
    return tmp_path


@pytest.fixture
def in_this_process(monkeypatch):
    """Do the runs of commands that offer no other executor than worker processes here."""
    do_runs_here(monkeypatch)


def do_runs_here(patch):
    from boostbench.experiments.running import conduct  # only where tests are run

    def inline(jobs=1, data_dirs=(), limits=None):
        return conduct.InlineExecutor(data_dirs)

    patch.setattr(conduct, "LocalExecutor", inline)


@pytest.fixture
def start_process():
    """Return a function that starts a command in a session of its own, with a piped stdout.

    Ctrl-C and a hang-up count there, also where a shell or nohup lets them be ignored. What is
    left in the end is killed.
    """
    started = []
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
        signal.SIGHUP: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    }

    def start(command, **options):
        process = subprocess.Popen(
            list(map(str, command)),
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,
        )
        started.append(process)
        return process

    yield start
    for number, handler in before.items():
        signal.signal(number, handler)
    for process in started:
        family = family_of(process) if process.poll() is None else []
        for member in family:
            if member.is_running():
                os.kill(member.pid, signal.SIGKILL)
        process.communicate()
        psutil.wait_procs(family, timeout=60)


def family_of(process):
    """Return a process and its descendants."""
    parent = psutil.Process(process.pid)
    return [parent, *parent.children(recursive=True)]
