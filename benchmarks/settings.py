"""Settings of a measurement."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Numbers of repeats and sizes of a measurement.

    Parameters
    ----------
    quick : bool
        Small data and few rounds: shows that all runs, and where it is far off.
    repeats : int
        Turns of every contestant.
    budget : float
        Seconds after which a measure starts no further turn.
    """

    quick: bool = False
    repeats: int = 7
    budget: float = 60.0

    @property
    def rounds(self) -> int:
        """Rounds T of the whole fits."""
        return 10 if self.quick else 100

    @property
    def max_rows(self) -> int:
        """Training rows to keep of a data set."""
        return 5_000 if self.quick else 10**9
