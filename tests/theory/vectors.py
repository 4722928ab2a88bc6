"""The specification's values, and hypothesis strategies that several files share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "multiclass_theory.json").read_text()
)


@st.composite
def baselines(draw: st.DrawFn, n_classes: int | None = None) -> np.ndarray:
    """A distribution in which no wrong label leads the true one, the true label first."""
    K = draw(st.integers(2, 5)) if n_classes is None else n_classes
    gamma = draw(st.sampled_from([0.0, 0.1, 0.37]))
    # The leader takes weight 1, so that the true label can lead all by gamma.
    other = np.array([1.0, *draw(st.lists(st.floats(0, 1), min_size=K - 2, max_size=K - 2))])
    other *= (1 - gamma) / (other.sum() + other.max())
    return np.array([gamma + other.max(), *other])


@st.composite
def spaces(draw: st.DrawFn, n_classes: int | None = None) -> tuple[np.ndarray, np.ndarray, int]:
    """A random table of predictions, labels and K."""
    K = draw(st.integers(2, 4)) if n_classes is None else n_classes
    n, N = draw(st.integers(2, 6)), draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    y = rng.integers(K, size=n)
    right = rng.random((n, N)) < draw(st.sampled_from([0.2, 0.5, 0.8]))
    return np.where(right, y[:, None], rng.integers(K, size=(n, N))), y, K
