"""One hostile input and how the program took it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One input that was tried.

    Attributes
    ----------
    name : str
        The kind of input; cases of one name are counted together.
    ok : bool
        Whether the program behaved: a clear message and the right exit code, no traceback, in
        bounded time, no wrong number.
    detail : str
        Input and answer, where it did not.
    """

    name: str
    ok: bool
    detail: str = ""
