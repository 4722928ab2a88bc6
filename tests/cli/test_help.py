"""Help, version, and mistakes in the command itself."""

import subprocess
import sys

import pytest

from boostbench import __version__
from boostbench.cli.names import KINDS

HEAVY = {"sklearn", "pandas", "numba", "matplotlib", "numpy"}
HEAVY |= {"scipy.special", "scipy.stats"}  # scipy itself loads its parts when they are asked for


def modules_after(*commands):
    """Return what is loaded after some commands, one after the other in a process of their own."""
    code = (
        "import sys; from boostbench.cli import main\n"
        f"codes = [main(command.split()) for command in {[*map(str, commands)]}]\n"
        "print(*sys.modules, file=sys.stderr); sys.exit(any(codes))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


LISTS = [f"list {kind}" for kind in KINDS if kind != "metrics"]


def test_help_and_lists_import_nothing_heavy():
    assert not modules_after("--help", "--version", "run --help", *LISTS) & HEAVY
    assert not modules_after("list metrics") & (HEAVY - {"numpy"})


@pytest.mark.parametrize("command", ["status", "run --quiet"])
def test_with_nothing_left_to_do_no_booster_is_imported(done, command):
    assert not modules_after(f"{command} {done}") & (HEAVY - {"numpy"})


def test_version(boostbench):
    assert boostbench("--version").out == f"boostbench {__version__}\n"


def test_without_a_command_the_help_is_printed(boostbench):
    outcome = boostbench()
    assert outcome.code == 2
    assert "Usage: boostbench" in outcome.out + outcome.err
