"""Accuracy after each round, for all that has predictions after each round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.typing import ArrayLike


class StagedScore:
    """Mixin of classifiers with ``staged_predict``."""

    staged_predict: Any

    def staged_score(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Iterator[float]:
        """Yield the accuracy after each round."""
        from sklearn.metrics import accuracy_score  # its import takes a tenth of a second

        for predicted in self.staged_predict(X):
            yield accuracy_score(y, predicted, sample_weight=sample_weight)
