"""What the options of claims come to: rules, tolerances, bounds, and how a kind is marked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from boostbench.reports.values.metrics import Metric

__all__ = ["AtLeast", "Boundary", "Tolerance", "shaped"]

Kind = TypeVar("Kind", bound=Callable[..., Any])


def shaped(*, without: Sequence[str] = (), **defaults: Any) -> Callable[[Kind], Kind]:
    """Say that a kind has no use for some of the common options, or other defaults of them."""

    def mark(kind: Kind) -> Kind:
        kind.without = tuple(without)  # type: ignore[attr-defined]
        kind.defaults = defaults  # type: ignore[attr-defined]
        return kind

    return mark


@dataclass(frozen=True)
class AtLeast:
    """How many of n cases have to hold.

    Attributes
    ----------
    count : int or None
    share : float or None
        Of the cases, if no count is given.
    """

    count: int | None = None
    share: float | None = None

    def needed(self, n: int) -> int:
        """Return the number of cases.

        Examples
        --------
        >>> AtLeast(6).needed(8), AtLeast(share=0.6).needed(8), AtLeast(share=1.0).needed(8)
        (6, 5, 8)
        """
        if self.count is not None:
            return self.count
        return math.ceil((self.share or 0.0) * n - 1e-9)

    def text(self, n: int) -> str:
        """Return the rule in words."""
        needed = self.needed(n)
        return "all" if needed == n else f"at least {needed}"


@dataclass(frozen=True)
class Tolerance:
    """How far two values may be apart: the larger of a number of points and a share.

    Attributes
    ----------
    points : float
        Percent points of errors; of other quantities in their own unit.
    relative : float
        Share of the value compared with.
    """

    points: float = 0.0
    relative: float = 0.0

    def of(self, value: float, metric: Metric) -> float:
        """Return the tolerance around a value."""
        return max(self.points / metric.scale, self.relative * abs(value))


@dataclass(frozen=True)
class Boundary:
    """What a quantity is compared with.

    Attributes
    ----------
    number : float or None
        Errors as fractions.
    is_rate : bool
        The noise rate of the run.
    booster, noise, value : str
        Of another quantity; empty: as in the quantity compared.
    at : int, "end" or None
    times, plus : float
        The other quantity is multiplied and added to.
    """

    number: float | None = None
    is_rate: bool = False
    booster: str = ""
    noise: str = ""
    value: str = ""
    at: int | str | None = None
    times: float = 1.0
    plus: float = 0.0
