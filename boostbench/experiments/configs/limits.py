"""Limits of a run, with durations and sizes such as ``30m`` and ``4G``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Self

from pydantic import BeforeValidator, Field

from boostbench.errors import BoostbenchError
from boostbench.validation import Model

_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_BYTES = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,15})?"
_MAX = 2**53


def parse_duration(text: str) -> float:
    """Return the seconds of a duration; a number without unit is in seconds.

    Raises
    ------
    BoostbenchError
        If ``text`` is not a positive duration.

    Examples
    --------
    >>> parse_duration("1h30m"), parse_duration("2.5s"), parse_duration("90")
    (5400.0, 2.5, 90.0)
    """
    cleaned = text.strip().lower()
    if re.fullmatch(_NUMBER, cleaned):
        seconds = float(cleaned)
    else:
        parts = "".join(rf"(?:(?P<{unit}>{_NUMBER})\s*{unit})?\s*" for unit in _SECONDS)
        match = re.fullmatch(parts, cleaned)
        numbers = {} if match is None else match.groupdict()
        seconds = sum(float(number or 0) * _SECONDS[unit] for unit, number in numbers.items())
    if not 0 < seconds <= _MAX:
        raise BoostbenchError(f"{text!r} is not a duration; write for example 90s, 30m or 1h30m")
    return seconds


def parse_size(text: str) -> int:
    """Return the bytes of a size; the unit, K, M, G or T, is required and a power of 1024.

    Raises
    ------
    BoostbenchError
        If ``text`` is not a positive size.

    Examples
    --------
    >>> parse_size("512M"), parse_size("1.5GiB") == 1.5 * 2**30
    (536870912, True)
    """
    match = re.fullmatch(rf"({_NUMBER})\s*([KMGT])(?:i?B)?", text.strip(), re.IGNORECASE)
    size = 0 if match is None else int(float(match[1]) * _BYTES[match[2].upper()])
    if not 0 < size <= _MAX:
        raise BoostbenchError(f"{text!r} is not a size; write for example 512M or 4G")
    return size


def _text(parse: Callable[[str], float]) -> BeforeValidator:
    """Return a validator of numbers that may be written as text with units."""
    return BeforeValidator(
        lambda value: parse(value) if isinstance(value, str) else value,
        json_schema_input_type=float | str,
    )


class Limits(Model):
    """Limits of one run.

    Attributes
    ----------
    time : float or None
        Wall time in seconds; the processes of the run are killed when it is over.
    memory : int or None
        Bytes, including the processes that the run starts. Allocations beyond the limit fail; if
        the memory exceeds it nevertheless, the processes are killed.
    threads : int or None
        Threads of the boosters of this package, on which results do not depend. None: 1, or more
        in a local worker while others are idle.
    """

    time: Annotated[float, Field(gt=0), _text(parse_duration)] | None = Field(
        default=None,
        description="Wall time, such as 90s, 30m or 1h30m; a number is in seconds.",
        json_schema_extra={"wanted": "a duration such as 90s, 30m or 1h30m"},
    )
    memory: Annotated[int, Field(ge=2**20), _text(parse_size)] | None = Field(
        default=None,
        description="Memory, such as 512M or 4G; a number is in bytes.",
        json_schema_extra={"wanted": "a size such as 512M or 4G"},
    )
    threads: Annotated[int, Field(ge=1, le=1_000)] | None = Field(
        default=None, description="Threads of this package's boosters."
    )

    def replaced(self, **limits: float | None) -> Self:
        """Return the limits with those given that are not None in place of these."""
        return self.model_copy(update={key: limit for key, limit in limits.items() if limit})


NO_LIMITS = Limits()
