"""Conversion of functions to Typer commands with exit codes and one-line error messages."""

from __future__ import annotations

import errno
import functools
import inspect
import os
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

import typer

from boostbench.cli.output import discard_output, print_error
from boostbench.errors import BoostbenchError
from boostbench.experiments.store.interrupts import interrupted_since, interruptible
from boostbench.inputs import remove_damaged

OK = 0
#: Some runs failed or were skipped.
INCOMPLETE = 1
#: Invalid command, config, data file or plugin.
BAD_INPUT = 2
#: A bug in boostbench.
BUG = 70
#: Stopped by Ctrl-C, SIGTERM or SIGHUP.
INTERRUPTED = 130


def guarded(command: Callable[..., int]) -> Callable[..., None]:
    """Return a Typer command that exits with the code of ``command``.

    Exceptions become exit codes, with a line on stderr: `BoostbenchError` and `OSError` become
    `BAD_INPUT`, KeyboardInterrupt becomes `INTERRUPTED` and other exceptions become `BUG`.

    Parameters
    ----------
    command : callable
        Function that returns an exit code. A parameter whose type is a dataclass is replaced by one
        option per field.
    """
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {
        p.name: p.annotation for p in parameters if is_dataclass(p.annotation)
    }
    options = [option for parameter in parameters for option in _options_of(parameter)]

    @functools.wraps(command)
    def run(**arguments: Any) -> None:
        for name, group in groups.items():
            values = {field.name: arguments.pop(field.name) for field in fields(group)}
            arguments[name] = group(**values)
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


def _exit_code_of(command: Callable[[], int], start: float) -> int:
    try:
        code = command()
    except BoostbenchError as error:
        print_error(str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        print_error("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader (head, less) has closed the pipe
        discard_output()
        return OK
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        print_error(f"{place}{error.strerror or error}")
        return BAD_INPUT
    except Exception as error:
        if interrupted_since(start):  # Ctrl-C may cause another exception, e.g. in an import
            print_error("interrupted")
            return INTERRUPTED
        if remedy := _remedy_of(error):
            print_error(remedy)
            return BAD_INPUT
        print_error(f"internal error: {type(error).__name__}: {error}")
        print_error(f"this is a bug in boostbench; its traceback is in {_write_traceback()}")
        return BUG
    return code


def _remedy_of(error: Exception) -> str:
    """Return a line on an exception that the machine caused; empty for a bug.

    Such are a resource that ran out, such as memory, a damaged file, and a package that cannot be
    loaded.
    """
    what = str(error)
    if isinstance(error, MemoryError) or "failed to map segment" in what:  # of a library
        what = os.strerror(errno.ENOMEM)
    for code in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN):
        if (shortage := os.strerror(code)) in what:
            return f"{shortage}; raise the limit (`ulimit -a` shows it) or give a lower --jobs"
    if index := remove_damaged(error):
        return f"{index}: numba could not load this file, which is removed now; try again"
    if isinstance(error, ImportError) and not (error.name or "").startswith("boostbench"):
        reason = what.strip().partition("\n")[0]
        return f"a package that boostbench needs cannot be loaded: {reason}"
    return ""


def _write_traceback() -> str:
    with tempfile.NamedTemporaryFile(
        "w", prefix="boostbench-", suffix=".traceback.txt", delete=False, encoding="utf-8"
    ) as file:
        traceback.print_exc(file=file)
    return file.name
