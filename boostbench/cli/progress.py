"""Display of progress: a live line on a terminal, occasional lines elsewhere."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from boostbench.cli.output import is_fancy
from boostbench.reports.text import duration

if TYPE_CHECKING:
    from boostbench.experiments.running.conduct import Progress

_FIRST_LINE_SECONDS, _LINE_SECONDS, _COMPILE_SECONDS = 5, 30, 60
Listener = Callable[["Progress"], None]


@contextmanager
def showing_progress(name: str, *, quiet: bool = False) -> Iterator[Listener | None]:
    """Yield a listener for `run_plan` that shows progress on stderr, or None.

    Parameters
    ----------
    name : str
        Name of the config.
    quiet : bool, default=False
        Yield None, to show nothing.
    """
    if quiet:
        yield None
    elif is_fancy(sys.stderr):
        from rich.console import Console
        from rich.text import Text

        with Console(stderr=True).status(name) as status:

            def listen(progress: Progress) -> None:
                running = [planned.run.id for planned in progress.running[:2]]
                parts = [_note(progress), progress.notice or ", ".join(running)]
                text = f"{name}: {'; '.join(filter(None, parts))}"
                status.update(Text(text, no_wrap=True, overflow="ellipsis"))

            yield listen
    else:
        yield _occasional_lines(name)


def n_runs(n: int) -> str:
    """Return ``"1 run"``, ``"2 runs"``, ..."""
    return f"{n} run" if n == 1 else f"{n} runs"


def _occasional_lines(name: str) -> Listener:
    next_time, notice = time.monotonic() + _FIRST_LINE_SECONDS, ""

    def listen(progress: Progress) -> None:
        nonlocal next_time, notice
        if progress.notice != notice:
            notice = progress.notice
            print(f"{name}: {notice or 'continuing'}", file=sys.stderr, flush=True)
        if time.monotonic() >= next_time:
            next_time = time.monotonic() + _LINE_SECONDS
            print(f"{name}: {_note(progress)}", file=sys.stderr, flush=True)

    return listen


def _note(progress: Progress) -> str:
    elapsed = duration(progress.seconds)
    parts = [f"{progress.done}/{progress.total} runs", elapsed]
    if not progress.done and progress.seconds < _COMPILE_SECONDS:
        parts.append("kernels are compiled once, up to a minute")
    if not math.isnan(progress.remaining):
        parts.append(f"about {duration(progress.remaining)} left")
    if progress.failures:
        parts.append(f"{len(progress.failures)} failed")
    return ", ".join(parts)
