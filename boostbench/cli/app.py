"""The `boostbench` command: its subcommands, exit codes and one-line error messages."""

from __future__ import annotations

import errno
import functools
import inspect
import io
import logging
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from boostbench import __version__
from boostbench.cli.options import flag
from boostbench.cli.output import OK, PrintedLog, discard_output, print_error
from boostbench.errors import BoostbenchError
from boostbench.experiments.store.interrupts import interrupted_since, interruptible
from boostbench.inputs import remove_damaged
from boostbench.whole_files import in_home

#: Exit codes: an invalid command, config, data file or plugin; a bug in boostbench; stopped by
#: Ctrl-C, SIGTERM or SIGHUP.
BAD_INPUT, BUG, INTERRUPTED = 2, 70, 130


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
        bool, flag("Print the version.", "--version", callback=_print_version, is_eager=True)
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


def guarded(command: Callable[..., int | None]) -> Callable[..., None]:
    """Return a Typer command that exits with the code of ``command``, by default 0.

    Exceptions become exit codes, with a line on stderr: `BoostbenchError` and `OSError` become
    `BAD_INPUT`, KeyboardInterrupt becomes `INTERRUPTED` and other exceptions become `BUG`.

    Parameters
    ----------
    command : callable
        Function that may return an exit code. A parameter whose type is a dataclass is replaced by
        one option per field.
    """
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    groups = [parameter for parameter in parameters if is_dataclass(parameter.annotation)]
    options = [option for parameter in parameters for option in _options_of(parameter)]

    @functools.wraps(command)
    def run(**arguments: Any) -> None:
        for name, value in arguments.items():  # a shell expands no ~ after --output=
            arguments[name] = in_home(value) if isinstance(value, Path) else value
        for group in groups:
            values = {field.name: arguments.pop(field.name) for field in fields(group.annotation)}
            arguments[group.name] = group.annotation(**values)
        start = time.monotonic()
        with interruptible():
            code = _exit_code_of(lambda: command(**arguments), start)
        # Ctrl-C is lost where exceptions are ignored, such as destructors and broken plugins.
        raise typer.Exit(INTERRUPTED if interrupted_since(start) else code)

    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def _options_of(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """Return the parameter itself or, if its type is a dataclass, an option per field."""
    group = parameter.annotation
    if not is_dataclass(group):
        return [parameter.replace(kind=parameter.KEYWORD_ONLY)]
    types = get_type_hints(group, include_extras=True)
    declared = inspect.signature(group).parameters.values()  # type: ignore[arg-type]
    return [option.replace(annotation=types[option.name]) for option in declared]


def _exit_code_of(command: Callable[[], int | None], start: float) -> int:
    code, what = BAD_INPUT, ""
    try:
        return command() or OK
    except BoostbenchError as error:
        what = str(error)
    except BrokenPipeError:  # the reader (head, less) has closed the pipe
        discard_output()
        return OK
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        what = f"{place}{error.strerror or error}"
    except (Exception, KeyboardInterrupt) as error:
        # Ctrl-C may cause another exception, e.g. in an import.
        if isinstance(error, KeyboardInterrupt) or interrupted_since(start):
            code, what = INTERRUPTED, "interrupted"
        elif not (what := _remedy_of(error)):
            descriptor, trace = tempfile.mkstemp(".traceback.txt", "boostbench-")
            with open(descriptor, "w", encoding="utf-8") as file:
                traceback.print_exc(file=file)
            code, what = BUG, f"internal error: {type(error).__name__}: {error}"
            what += f"\nthis is a bug in boostbench; its traceback is in {trace}"
    print_error(what)
    return code


def _remedy_of(error: Exception) -> str:
    """Return a line on an exception that the machine caused; empty for a bug.

    Such are a resource that ran out, such as memory, a damaged file, and a package that cannot be
    loaded.
    """
    what = str(error)
    if isinstance(error, MemoryError) or "failed to map segment" in what:  # of a library
        what = os.strerror(errno.ENOMEM)
    if what.endswith(("start new thread", "join thread before it is started")):  # of joblib
        what = os.strerror(errno.EAGAIN)
    for code in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN):
        if (shortage := os.strerror(code)) in what:
            return f"{shortage}; raise the limit (`ulimit -a` shows it) or give a lower --jobs"
    if index := remove_damaged(error):
        return f"{index}: numba could not load this file, which is removed now; try again"
    if isinstance(error, ImportError) and not (error.name or "").startswith("boostbench"):
        reason = what.strip().partition("\n")[0]
        return f"a package that boostbench needs cannot be loaded: {reason}"
    return ""


app.callback(help=_help(boostbench))(boostbench)
data_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.add_typer(data_app, name="data", help="List, fetch and add data sets.")
for _group, _module, _commands in (  # in the order of the help text
    (app, "run", "run plan status"),
    (app, "report", "report site export"),
    (app, "verify", "verify reproduce adopt"),
    (app, "compare", "compare labels fit predict"),
    (app, "names", "list show new check schema"),
    (data_app, "data", "list fetch add"),
):
    for _name in _commands.split():
        _function = "list_" if _name == "list" else _name
        _command = guarded(getattr(import_module(f"boostbench.cli.{_module}"), _function))
        _group.command(_name, help=_help(_command))(_command)


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
