"""Progress of the work: a live bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from boostbench.cli.output import is_fancy

if TYPE_CHECKING:
    from boostbench.experiments.running.conduct import Event, Progress

_LINE_EVERY_SECONDS = 30
Listener = Callable[["Event"], None]


@contextmanager
def showing_progress(name: str, *, quiet: bool = False) -> Iterator[Listener | None]:
    """Yield a listener for `run_plan` that shows the progress on stderr.

    Parameters
    ----------
    name : str
        Name of the config.
    quiet : bool, default=False
        Show nothing.
    """
    if quiet:
        yield None
    elif is_fancy(sys.stderr):
        with _live_bar(name) as listener:
            yield listener
    else:
        yield _occasional_lines(name)


def n_runs(n: int) -> str:
    """Return ``"1 run"``, ``"2 runs"``, ..."""
    return f"{n} run" if n == 1 else f"{n} runs"


def in_words(seconds: float) -> str:
    """Return a duration in words.

    Examples
    --------
    >>> in_words(0.4), in_words(42), in_words(240), in_words(5400), in_words(200000)
    ('0.4 s', '42 s', '4 min', '1 h 30 min', '2 d 7 h')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 24 * 60:
        return f"{minutes // 60} h {minutes % 60:02d} min"
    return f"{minutes // 1440} d {minutes % 1440 // 60} h"


@contextmanager
def _live_bar(name: str) -> Iterator[Listener]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    bar = Bar(*columns, TextColumn("{task.fields[note]}"), console=Console(stderr=True))
    task = bar.add_task(name, total=None, note="")

    def listen(event: Event) -> None:
        bar.start()  # with the first event: there is no bar where nothing is to do
        progress = event.progress
        running = ", ".join(planned.run.id for planned in progress.running[:2])
        note = f"{_note(progress)}  {progress.notice or running}"
        bar.update(task, total=progress.total, completed=progress.done, note=note)

    try:
        yield listen
    finally:
        bar.stop()


def _occasional_lines(name: str) -> Listener:
    last, notice = time.monotonic(), ""

    def listen(event: Event) -> None:
        nonlocal last, notice
        if event.progress.notice != notice:
            notice = event.progress.notice
            print(f"{name}: {notice or 'going on'}", file=sys.stderr)
        if time.monotonic() - last >= _LINE_EVERY_SECONDS:
            last = time.monotonic()
            progress = event.progress
            done = f"{name}: {progress.done} of {progress.total} runs"
            print(f"{done}, {_note(progress)}", file=sys.stderr)

    return listen


def _note(progress: Progress) -> str:
    parts = [f"{in_words(progress.seconds)} so far"]
    if progress.done:  # before the first run ends, compiling hides what a run costs
        parts.append(f"about {in_words(progress.remaining)} to go")
    failed = len(progress.failures)
    return ", ".join([f"{failed} failed", *parts] if failed else parts)
