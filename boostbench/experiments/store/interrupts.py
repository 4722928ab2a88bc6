"""Ctrl-C and the signals of batch systems: they interrupt a command, but never a write."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
#: Signals that follow the first within this time are taken as the same wish.
_SAME_SECONDS = 2.0


class _State:
    """State of the one handler; signals are handled in the main thread alone."""

    holding = 0
    is_held = False
    raised = -math.inf


def _handle(*_: Any) -> None:
    if _State.holding:
        _State.is_held = True
    elif time.monotonic() - _State.raised >= _SAME_SECONDS:
        _State.raised = time.monotonic()
        raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGINT, SIGTERM and SIGHUP; once, if several come quickly.

    An ignored SIGINT or SIGHUP stays ignored: a shell does that for what it starts in the
    background, and ``nohup`` does. SIGTERM counts always.
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
    """Hold the signals of `interruptible` back until the block has ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _State.holding += 1
    try:
        yield
    finally:
        _State.holding -= 1
        if _State.is_held and not _State.holding:
            _State.is_held = False
            _handle()


def interrupted_since(begin: float) -> bool:
    """Return whether `interruptible` has raised since ``time.monotonic()`` was ``begin``."""
    return _State.raised >= begin
