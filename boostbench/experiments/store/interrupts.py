"""Interruption of commands by Ctrl-C and signals of batch systems, except during writes."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
#: Further signals within this time after the first are ignored.
_SAME_SECONDS = 2.0


class _State:
    """State of the signal handler; Python runs handlers in the main thread only."""

    n_blocks = 0  # open blocks of `uninterrupted`
    is_pending = False  # True if a signal arrived in such a block
    raised = -math.inf  # time of the last KeyboardInterrupt


def _handle(*_: Any) -> None:
    if _State.n_blocks:
        _State.is_pending = True
    elif time.monotonic() - _State.raised >= _SAME_SECONDS:
        _State.raised = time.monotonic()
        raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGINT, SIGTERM and SIGHUP; once for signals in quick succession.

    SIGINT and SIGHUP remain ignored if they were ignored before, as for background processes of a
    shell and under ``nohup``. SIGTERM is always handled.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    if _handle not in before.values():
        _State.raised = -math.inf
    try:
        for number, handler in before.items():
            if handler is not signal.SIG_IGN or number == signal.SIGTERM:
                signal.signal(number, _handle)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Defer the signals of `interruptible` to the end of the block."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _State.n_blocks += 1
    try:
        yield
    finally:
        _State.n_blocks -= 1
        if _State.is_pending and not _State.n_blocks:
            _State.is_pending = False
            _handle()


def interrupted_since(begin: float) -> bool:
    """Return whether `interruptible` raised KeyboardInterrupt since monotonic time ``begin``."""
    return _State.raised >= begin
