"""Settings of a measurement."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Repeats and sizes of a measurement.

    Parameters
    ----------
    quick : bool
        Whether to use small data and few rounds, to test the benchmarks or find large deviations.
    repeats : int
        Number of turns of each contestant.
    budget : float
        Seconds after which a measure starts no further turn.
    """

    quick: bool = False
    repeats: int = 7
    budget: float = 60.0

    @property
    def rounds(self) -> int:
        """Number T of rounds of whole fits."""
        return 10 if self.quick else 100

    @property
    def max_rows(self) -> int:
        """Largest number of training rows of a data set."""
        return 5_000 if self.quick else 10**9
