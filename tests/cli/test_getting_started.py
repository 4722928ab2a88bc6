"""The commands of the getting-started page, one after the other, as they are pasted."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from boostbench.registry import boosters

PAGE = Path(__file__).resolve().parents[2] / "docs/getting-started.md"


@pytest.fixture(autouse=True)
def own_names(monkeypatch):
    """Forget what plugins of a test registered in this process."""
    monkeypatch.setattr(boosters, "_registered", dict(boosters._registered))


def commands():
    """Return the commands of the page that follow the installation."""
    text = PAGE.read_text(encoding="utf-8").partition("pip install .\n```")[2]
    return re.findall(r"^\$ (.*)$", text, re.M)


def test_every_command_of_the_page_works(boostbench, in_this_process, tmp_path):
    typed = commands()
    assert len(typed) >= 12
    for command in typed:
        program, *arguments = shlex.split(command)
        if program == "python":
            subprocess.run([sys.executable, *arguments], cwd=tmp_path, check=True)
            continue
        outcome = boostbench(*arguments)
        assert (program, outcome.code) == ("boostbench", 0), f"{command}: {outcome.err}"
        if arguments[0] == "compare":
            assert " is best with probability " in outcome.out
    for name in ("quickstart", "first-try", "my-booster"):
        assert (tmp_path / "results" / name / "report.html").is_file()
