"""The specification's values, formulas, and hypothesis strategies that several files share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from boostbench.inputs import load_plugin
from boostbench.resources import shipped
from boostbench.theory.spaces import Space, two_constants

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "multiclass_theory.json").read_text()
)

#: Figures 1 to 6, and boosting against a lazy weak learner, beside their config.
COMPUTED = load_plugin(shipped("configs") / "multiclass-theory/computed.py")
LAZY = COMPUTED.lazy

#: Counter-examples of the paper, by their names in the file of vectors.
SPACES = {"two-constants": two_constants, "subsets": LAZY.subsets, "windows": LAZY.windows}


def kappa(K: int, gamma: float, eta: float) -> float:
    """Return the factor of the exponential loss per round, for the uniform baseline (41)."""
    spread = np.exp(eta) + np.exp(-eta) - 2.0
    return float(1.0 + (1.0 - gamma) / K * spread - (1.0 - np.exp(-eta)) * gamma)


def loss_factor(delta: float, mass: float, alpha: float | None = None) -> float:
    """By what AdaBoost.MM's loss is multiplied in a round (Lemma 24, 66); None: the exact step.

    delta is (A+ - A-) / L and mass (A+ + A-) / L.
    """
    if alpha is None:
        return float(1.0 - mass + np.sqrt(mass * mass - delta * delta))
    return float(
        1.0 - mass + 0.5 * ((mass + delta) * np.exp(-alpha) + (mass - delta) * np.exp(alpha))
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
def spaces(draw: st.DrawFn, n_classes: int | None = None) -> Space:
    """A random space of weak classifiers."""
    K = draw(st.integers(2, 4)) if n_classes is None else n_classes
    n, N = draw(st.integers(2, 6)), draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    y = rng.integers(K, size=n)
    right = rng.random((n, N)) < draw(st.sampled_from([0.2, 0.5, 0.8]))
    return Space("random", y, np.where(right, y[:, None], rng.integers(K, size=(n, N))), K)
