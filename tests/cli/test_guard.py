"""Exit codes, and what is said on stderr."""

import contextlib
import errno
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer

from boostbench.cli.app import guarded
from boostbench.errors import BoostbenchError, ConfigError


def ending_of(command):
    with pytest.raises(typer.Exit) as end:
        guarded(command)()
    return end.value.exit_code


def raising(error):
    def command():
        raise error

    return command


@dataclass(frozen=True, kw_only=True)
class Fruit:
    """Options of a fruit."""

    names: Annotated[list[str], typer.Argument(help="Of the fruit.")]
    ripe: Annotated[bool, typer.Option("--ripe", help="To be eaten today.")] = False


def test_the_fields_of_a_dataclass_are_options(capsys):
    def buy(*, fruit: Fruit, price: Annotated[float, typer.Option(min=0.0)] = 1.0):
        print(fruit, price)
        return 0

    app = typer.Typer()
    app.command()(guarded(buy))
    assert app(["apple", "--price", "2", "pear", "--ripe"], standalone_mode=False) == 0
    assert capsys.readouterr().out == f"{Fruit(names=['apple', 'pear'], ripe=True)} 2.0\n"
    assert app(["fig"], standalone_mode=False) == 0
    assert capsys.readouterr().out == f"{Fruit(names=['fig'])} 1.0\n"


RAISE_IT = "raise the limit (`ulimit -a` shows it) or give a lower --jobs"
UNFIT = "a package that boostbench needs cannot be loaded: Numba needs NumPy 2.3 or less. Got 2.5."


@pytest.mark.parametrize(
    ("error", "code", "lines"),
    [
        (BoostbenchError("rounds is wrong", where="a:4"), 2, ["a:4: rounds is wrong"]),
        (ConfigError([BoostbenchError(each) for each in ("one", "two")]), 2, ["one", "two"]),
        (PermissionError(errno.EACCES, "denied", "results"), 2, ["results: denied"]),
        (KeyboardInterrupt(), 130, ["interrupted"]),
        (MemoryError(), 2, [f"Cannot allocate memory; {RAISE_IT}"]),
        (
            ImportError("_y.so: failed to map segment from shared object"),
            2,
            [f"Cannot allocate memory; {RAISE_IT}"],
        ),
        (ImportError("Numba needs NumPy 2.3 or less. Got 2.5.\nMore.", name="numba"), 2, [UNFIT]),
        (
            ImportError("_x.so: cannot open shared object file: Too many open files"),
            2,
            [f"Too many open files; {RAISE_IT}"],
        ),
        (
            RuntimeError("can't start new thread"),
            2,
            [f"Resource temporarily unavailable; {RAISE_IT}"],
        ),
    ],
)
def test_each_complaint_is_one_line(capsys, error, code, lines):
    assert ending_of(raising(error)) == code
    assert capsys.readouterr().err == "".join(f"boostbench: {line}\n" for line in lines)


def test_a_bug_is_two_lines_and_a_traceback_in_a_file(capsys):
    assert ending_of(raising(ZeroDivisionError("by zero"))) == 70
    err = capsys.readouterr().err
    assert "internal error: ZeroDivisionError: by zero" in err
    assert "Traceback" not in err
    file = Path(re.search(r"its traceback is in (.*)", err)[1])
    assert "ZeroDivisionError: by zero" in file.read_text()
    file.unlink()


def test_a_closed_pipe_is_quiet():
    command = [sys.executable, "-m", "boostbench", "list", "figures", "--help"]
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True)
    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr


INTERRUPTED_IMPORT = """
import os, signal, sys
import boostbench.__main__
class Interrupting:
    def find_spec(self, name, *_):
        if name == "boostbench.cli":
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupting())
boostbench.__main__.main()
"""


def test_ctrl_c_while_modules_are_loaded_shows_no_traceback():
    command = [sys.executable, "-c", INTERRUPTED_IMPORT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (130, "boostbench: interrupted\n")


@pytest.mark.usefixtures("sigterm_interrupts")
def test_an_interrupt_that_a_library_wraps_is_still_an_interrupt(capsys):
    def command():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            signal.pause()
        except KeyboardInterrupt:
            raise ImportError("a module of numpy failed to import") from None

    assert ending_of(command) == 130
    assert capsys.readouterr().err == "boostbench: interrupted\n"


def test_a_command_in_the_background_ends_when_it_is_asked_to():
    """A shell lets what it starts with ``&`` ignore Ctrl-C."""
    program = (
        "import os, signal\n"
        "from boostbench.cli.app import guarded\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "guarded(lambda: os.kill(os.getpid(), signal.SIGTERM) or signal.pause())()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=3000
    )
    assert "interrupted" in done.stderr


def test_a_run_whose_streams_are_closed_is_done_all_the_same(tiny):
    tiny.write_text(tiny.read_text().replace("samme", "random-forest"))  # compiles no kernels
    program = f'"{sys.executable}" -m boostbench'
    for command in (
        f'run {tiny} --only "iris/random-forest/*" --executor inline <&- >&- 2>&-',
        "list noise >&-",
        "list noise 2>&-",
    ):
        done = subprocess.run(["sh", "-c", f"{program} {command}"], timeout=120)
        assert done.returncode == 0
    assert len(list((tiny.parent / "results" / "runs").rglob("*.json"))) == 1


def test_an_interrupt_that_the_command_swallowed_is_not_lost():
    def command():
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        return 0

    assert ending_of(command) == 130
