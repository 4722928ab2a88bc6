"""Outcome of one hostile input."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A hostile input and its outcome.

    Attributes
    ----------
    name : str
        Kind of input; cases of the same kind are counted together.
    ok : bool
        Whether the program gave a clear message and the right exit code in bounded time, without
        traceback and without wrong numbers.
    detail : str
        Input and output of a failed case.
    """

    name: str
    ok: bool
    detail: str = ""
