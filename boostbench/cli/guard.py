"""Ends of commands: exit codes, and one line instead of a traceback."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from typing import Any

import typer

from boostbench.errors import BoostbenchError
from boostbench.experiments.store.interrupts import interrupted_since, interruptible
from boostbench.reports.text import visible

OK = 0
#: Some runs failed or were skipped.
INCOMPLETE = 1
#: Something in the command, a config, a data file or a plugin has to be mended.
BAD_INPUT = 2
#: A bug in boostbench.
BUG = 70
#: Stopped by Ctrl-C, or asked to end (SIGTERM, SIGHUP).
INTERRUPTED = 130


def guarded(command: Callable[..., int]) -> Callable[..., None]:
    """Return a Typer command that ends with the exit code ``command`` returns or deserves.

    Parameters
    ----------
    command : callable
        Returns an exit code. A `BoostbenchError` or an `OSError` ends it with `BAD_INPUT`, Ctrl-C
        with `INTERRUPTED`, any other exception with `BUG`; each with a line on stderr.
    """

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        with interruptible():
            code = _exit_code_of(lambda: command(*args, **kwargs))
        raise typer.Exit(code)

    return run


def _exit_code_of(command: Callable[[], int]) -> int:
    begin = time.monotonic()
    try:
        code = command()
        sys.stdout.flush()
    except BoostbenchError as error:
        _complain(str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has seen enough. Python flushes stdout once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        _complain(f"{place}{error.strerror or error}")
        return BAD_INPUT
    except Exception as error:
        if interrupted_since(begin):  # an import, say, that makes another error of Ctrl-C
            _complain("interrupted")
            return INTERRUPTED
        _complain(f"internal error: {type(error).__name__}: {error}")
        _complain(f"this is a bug in boostbench; its traceback is in {_written_traceback()}")
        return BUG
    return code


def _complain(message: str) -> None:
    for line in visible(message).splitlines():
        print(f"boostbench: {line}", file=sys.stderr)


def _written_traceback() -> str:
    with tempfile.NamedTemporaryFile(
        "w", prefix="boostbench-", suffix=".traceback.txt", delete=False, encoding="utf-8"
    ) as file:
        traceback.print_exc(file=file)
    return file.name
