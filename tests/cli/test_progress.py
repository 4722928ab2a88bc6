"""Progress that is told while runs are under way."""

import math
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from boostbench.cli import run as progress
from boostbench.experiments.running.conduct import Progress


class LongRun:
    """Stands for a run."""

    id = "letter/sm-boost (subsample=0.5)/exchange-0.2/seed-3"


def after(done, n_failed=0, *, seconds=61.0):
    """Return the progress of 9 runs, two of them under way."""
    counts = {"ok": done - n_failed, "failed": n_failed}
    running = (SimpleNamespace(run=LongRun()), SimpleNamespace(run=LongRun()))
    return Progress(9, counts, [(None, None)] * n_failed, running=running, seconds=seconds)


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(time=0.0)
    monkeypatch.setattr(progress.time, "monotonic", lambda: now.time)
    return now


def test_without_a_terminal_lines_are_rare(capsys, clock):
    with progress.showing_progress("tiny") as listen:
        for second, n_failed in [(1, 0), (2, 1), (6, 1), (34, 1), (37, 1)]:
            clock.time = second
            listen(after(min(second, 8), n_failed))
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "tiny: 6/9 runs, 1 min 1 s, about 30.5 s left, 1 failed",
        "tiny: 8/9 runs, 1 min 1 s, about 7.6 s left, 1 failed",
    ]


@pytest.mark.parametrize(
    ("done", "seconds", "line"),
    [
        (0, 61.0, "0/9 runs, 1 min 1 s"),
        (1, 61.0, "1/9 runs, 1 min 1 s, about 8 min 8 s left"),
        (0, 9.0, "0/9 runs, 9.0 s, kernels are compiled once, up to a minute"),
    ],
)
def test_a_line_tells_what_is_known(capsys, clock, done, seconds, line):
    with progress.showing_progress("tiny") as listen:
        clock.time += 40
        listen(after(done, seconds=seconds))
    assert capsys.readouterr().err == f"tiny: {line}\n"


def test_the_time_left_leaves_out_the_first_runs_which_compile():
    one_more = Progress(9, {"ok": 3}, seconds=61.0, warm=(60.0, 2))
    assert one_more.remaining == 6.0
    assert math.isnan(replace(one_more, counts={"ok": 2}).remaining)


def test_quiet_tells_nothing(capsys):
    with progress.showing_progress("tiny", quiet=True) as listen:
        assert listen is None
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_on_a_terminal_there_is_one_line_whatever_its_width(capsys, monkeypatch, columns):
    monkeypatch.setattr(progress, "is_fancy", lambda stream: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.showing_progress("tiny") as listen:
        listen(after(3))
        listen(after(4, 1))
    err = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    last = [line for line in re.split(r"[\r\n]+", err) if "tiny: 4/9 runs, 1 min 1 s" in line][-1]
    assert len(last) <= columns
    assert ("sm-boost (subsample=0.5)/exchange" in last) == (columns == 120)
