"""Durations, sizes and shards as users write them."""

from __future__ import annotations

import re

from boostbench.errors import BoostbenchError

__all__ = ["parse_duration", "parse_shard", "parse_size"]

_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_BYTES = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def parse_duration(text: str, *, where: str) -> float:
    """Return seconds; a bare number is seconds.

    Raises
    ------
    BoostbenchError
        If ``text`` is not a positive duration.

    Examples
    --------
    >>> parse_duration("1h30m", where="--time-limit")
    5400.0
    >>> parse_duration("2.5s", where="--time-limit")
    2.5
    """
    seconds = _as_number(text)
    if seconds is None:
        match = re.fullmatch(
            "".join(rf"(?:(?P<{unit}>\d+(?:\.\d+)?)\s*{unit})?\s*" for unit in _SECONDS),
            text.strip().lower(),
        )
        parts = match.groupdict() if match is not None else {}
        seconds = sum(float(parts[unit] or 0) * _SECONDS[unit] for unit in parts)
    if seconds <= 0:
        raise BoostbenchError(
            f"{text!r} is not a duration; write for example 90s, 30m or 1h30m", where=where
        )
    return seconds


def parse_size(text: str, *, where: str) -> int:
    """Return bytes; K, M, G and T are powers of 1024, and a unit is required.

    Raises
    ------
    BoostbenchError
        If ``text`` is not a positive size.

    Examples
    --------
    >>> parse_size("512M", where="--memory-limit")
    536870912
    >>> parse_size("1.5GiB", where="--memory-limit") == 1.5 * 2**30
    True
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT])(?:i?B)?", text.strip(), re.IGNORECASE)
    size = int(float(match[1]) * _BYTES[match[2].upper()]) if match is not None else 0
    if size <= 0:
        raise BoostbenchError(f"{text!r} is not a size; write for example 512M or 4G", where=where)
    return size


def parse_shard(text: str, *, where: str) -> tuple[int, int]:
    """Return (i, n) of the i-th of n shards, 1 <= i <= n.

    Raises
    ------
    BoostbenchError
        If ``text`` is not such a pair.

    Examples
    --------
    >>> parse_shard("2/8", where="--shard")
    (2, 8)
    """
    match = re.fullmatch(r"(\d+)\s*/\s*(\d+)", text.strip())
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise BoostbenchError(
            f"{text!r} is not a shard; write i/n with 1 <= i <= n, for example 2/8", where=where
        )
    return int(match[1]), int(match[2])


def _as_number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*\d+(\.\d+)?\s*", text) else None
