"""What is told while runs are under way."""

from types import SimpleNamespace

import pytest

from boostbench.cli import progress
from boostbench.cli.options import parse_shard
from boostbench.errors import BoostbenchError
from boostbench.experiments.running.conduct import Event, Progress


def event(done, n_failed=0):
    counts = {"ok": done - n_failed, "failed": n_failed}
    so_far = Progress(9, counts, [(None, None)] * n_failed, seconds=61.0, remaining=300.0)
    return Event("finished", so_far)


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(time=0.0)
    monkeypatch.setattr(progress.time, "monotonic", lambda: now.time)
    return now


def test_away_from_a_terminal_a_line_comes_now_and_then(capsys, clock):
    with progress.showing_progress("tiny") as listen:
        for second, n_failed in [(1, 0), (29, 1), (31, 1), (59, 1), (62, 1)]:
            clock.time = second
            listen(event(second, n_failed))
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "tiny: 31 of 9 runs, 1 failed, 61 s so far, about 5 min to go",
        "tiny: 62 of 9 runs, 1 failed, 61 s so far, about 5 min to go",
    ]


def test_nothing_is_foretold_before_the_first_run_ends(capsys, clock):
    with progress.showing_progress("tiny") as listen:
        clock.time = 40
        listen(event(0))
    assert capsys.readouterr().err == "tiny: 0 of 9 runs, 61 s so far\n"


def test_quiet_tells_nothing(capsys):
    with progress.showing_progress("tiny", quiet=True) as listen:
        assert listen is None
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_there_is_a_bar(capsys, monkeypatch):
    monkeypatch.setattr(progress, "is_fancy", lambda stream: True)
    with progress.showing_progress("tiny") as listen:
        listen(event(3))
        listen(event(4, 1))
    err = capsys.readouterr().err
    assert "tiny" in err
    assert "4/9" in err
    assert "1 failed, 61 s so far, about 5 min to go" in err


@pytest.mark.parametrize("text", ["", "2", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/2"])
def test_a_shard_is_i_of_n(text):
    with pytest.raises(BoostbenchError, match="is not a shard; write i/n"):
        parse_shard(text)
