"""The `boostbench` command with its subcommands, and the entry point of the console script."""

from __future__ import annotations

import inspect
import io
import logging
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer

from boostbench import __version__
from boostbench.cli.guard import BAD_INPUT, guarded
from boostbench.cli.output import PrintedLog, discard_output, print_error

#: Commands by the module that has them, in the order of the help text.
_COMMANDS = {
    "run": "run plan status",
    "report": "report site export",
    "verify": "verify reproduce adopt",
    "compare": "compare labels fit predict",
    "names": "list show new check schema",
}


def _help(command: Callable[..., Any]) -> str:
    """Return the docstring as help text; paragraphs with indented lines keep their line breaks."""
    paragraphs = (inspect.getdoc(command) or "").split("\n\n")
    return "\n\n".join(f"\b\n{p}" if "\n  " in p else p for p in paragraphs)


app = typer.Typer(
    name="boostbench",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(value: bool) -> None:
    if value:
        print(f"boostbench {__version__}")
        raise typer.Exit()


def boostbench(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Reproduce and compare multiclass and noise-robust boosting.

    Examples:
      boostbench compare samme sm-boost --on wine
      boostbench run noise20 --size quick
      boostbench report noise20 --size quick --open

    Exit codes: 0 success; 1 some runs failed or were skipped, or a claim is not reproduced;
    2 invalid input; 70 a bug in boostbench; 130 interrupted.
    """


def _add(app: typer.Typer, module: str, commands: str) -> None:
    for name in commands.split():
        function = "list_" if name == "list" else name
        command = guarded(getattr(import_module(f"boostbench.cli.{module}"), function))
        app.command(name, help=_help(command))(command)


app.callback(help=_help(boostbench))(boostbench)
for _module, _names in _COMMANDS.items():
    _add(app, _module, _names)
data_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.add_typer(data_app, name="data", help="List, fetch and add data sets.")
_add(data_app, "data", "list fetch add")


def _prepare() -> None:
    r"""Make the command independent of closed streams, their encoding, and settings of libraries.

    A stream that the shell closed (``>&-``) becomes the null device. Letters that the encoding of a
    stream lacks are printed as escapes, such as ``\xb1``.
    """
    os.environ.pop("MPLBACKEND", None)  # figures need no display; the value may be of a notebook
    uncompiled = os.environ.pop("NUMBA_DISABLE_JIT", "0")
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
            os.set_inheritable(descriptor, True)  # for worker processes
        if getattr(sys, name) is None:
            setattr(sys, name, open(descriptor, "r" if descriptor == 0 else "w"))  # noqa: SIM115
        if descriptor and isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if uncompiled not in ("", "0"):
        print_error("NUMBA_DISABLE_JIT is ignored: boosters of this package must be compiled")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, default=None
        Arguments without the program name; ``sys.argv[1:]`` by default.
    """
    _prepare()
    logging.getLogger("boostbench").handlers = [PrintedLog()]
    try:
        try:
            app(arguments, prog_name="boostbench")
        finally:
            sys.stdout.flush()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except OSError as error:  # of the output: of a help text, or buffered
        discard_output()
        if not isinstance(error, BrokenPipeError):
            print_error(f"standard output: {error.strerror}")
            return BAD_INPUT
    return 0
