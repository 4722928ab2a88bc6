"""Functions for models that no run executes, and that the key of a record therefore leaves out.

A run records every round of a booster on numbers. Early stopping, warm starts, frames, explanations
and drawings of trees are for models. `models_only` marks their functions. Fingerprints leave out a
marked function and the modules that it imports, and a run that calls one fails, so that the numbers
of a record depend only on the code in its key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar, cast

from boostbench.errors import BoostbenchError

F = TypeVar("F", bound=Callable[..., Any])

_running = ContextVar("running", default=False)


@contextmanager
def run_in_progress() -> Iterator[None]:
    """Refuse calls of `models_only` functions within this context."""
    token = _running.set(True)
    try:
        yield
    finally:
        _running.reset(token)


def models_only(function: F) -> F:
    """Mark a function of this package that no run calls; it imports within what runs do not need.

    The function raises BoostbenchError if a run calls it.
    """

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if _running.get():
            raise BoostbenchError(
                f"{function.__qualname__} is for models; a run cannot call it, because its code is "
                "not part of the key of the record"
            )
        return function(*args, **kwargs)

    return cast(F, checked)
