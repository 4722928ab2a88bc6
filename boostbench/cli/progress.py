"""Display of progress: a live line on a terminal, occasional lines elsewhere."""

from __future__ import annotations

import math
import shutil
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
_CLEAR = "\033[2K"  # erases the line on a terminal
Listener = Callable[["Progress"], None]


@contextmanager
def showing_progress(name: str, *, quiet: bool = False) -> Iterator[Listener | None]:
    """Yield a listener for `run_plan` that shows progress on stderr; None if ``quiet``.

    On a terminal it is one line that is overwritten; elsewhere there is a line now and then.
    """
    is_live = is_fancy(sys.stderr)
    next_time, notice = time.monotonic() + _FIRST_LINE_SECONDS, ""

    def listen(progress: Progress) -> None:
        nonlocal next_time, notice
        if is_live:
            running = [planned.run.id for planned in progress.running[:2]]
            parts = [_note(progress), progress.notice or ", ".join(running)]
            width = shutil.get_terminal_size().columns - 1
            text = f"{name}: {'; '.join(filter(None, parts))}"[:width]
            print(f"{_CLEAR}{text}", end="\r", file=sys.stderr, flush=True)
            return
        if progress.notice != notice:
            notice = progress.notice
            print(f"{name}: {notice or 'continuing'}", file=sys.stderr, flush=True)
        if time.monotonic() >= next_time:
            next_time = time.monotonic() + _LINE_SECONDS
            print(f"{name}: {_note(progress)}", file=sys.stderr, flush=True)

    try:
        yield None if quiet else listen
    finally:
        if is_live:
            print(_CLEAR, end="", file=sys.stderr, flush=True)


def n_runs(n: int) -> str:
    """Return ``"1 run"``, ``"2 runs"``, ..."""
    return f"{n} run" if n == 1 else f"{n} runs"


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
