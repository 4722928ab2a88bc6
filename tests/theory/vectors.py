"""The specification's values, formulas, and hypothesis strategies that several files share."""

from itertools import combinations
from math import floor

import numpy as np
from hypothesis import strategies as st

from boostbench.inputs import load_plugin
from boostbench.resources import shipped
from boostbench.theory.spaces import Space, two_constants
from tests.boosters.vectors import read

VECTORS = read("multiclass_theory")

#: Figures 1 to 6, and boosting against a lazy weak learner, beside their config.
COMPUTED = load_plugin(shipped("configs") / "multiclass-theory/computed.py")
LAZY = COMPUTED.lazy


def subsets(n=6, n_classes=3, n_right=3):
    """Return a space for which AdaBoost.MH's condition is too strong (section 4).

    For every set of ``n_right`` of the n samples and every d = 1..K-1, the space contains the
    classifier that is correct on the set and predicts ``(y_i + d) mod K`` elsewhere. The shifts d
    balance the wrong votes. With ``n_right = n ((1-gamma)/K + gamma)``, the conditions
    edge-over-random (uniform), MR and minimal hold with edge exactly gamma, whereas M1 and MH hold
    only with edge ``2 n_right / n - 1``.

    Parameters
    ----------
    n : int
        Number of samples; sample i has the label ``i mod K``.
    n_classes : int
        Number K of classes.
    n_right : int
        Number of samples on which a classifier is correct, from 0 to n.
    """
    y = np.arange(n) % n_classes
    columns = []
    for chosen in combinations(range(n), n_right):
        wrong = np.ones(n, dtype=np.int64)
        wrong[list(chosen)] = 0
        columns += [(y + wrong * d) % n_classes for d in range(1, n_classes)]
    return Space("subsets", y, np.stack(columns, axis=1), n_classes)


def windows(n=11, n_classes=3, gamma=0.3):
    """Return a boostable space that fails an edge-over-random condition (Theorem 5).

    There are n classifiers. Classifier j is correct on ``w = floor(n (1/2 + gamma/K))`` consecutive
    samples from j on, cyclically, and predicts the lowest wrong label elsewhere, which is (15) for
    the uniform baseline. Since w > n/2, the plurality vote is always correct.

    Parameters
    ----------
    n : int
        Number of samples, more than K / gamma; sample i has the label ``i mod K``.
    n_classes : int
        Number K of classes; the condition fails for K >= 3.
    gamma : float
        Edge of the condition, in (0, 1).
    """
    y = np.arange(n) % n_classes
    lowest_wrong = (y == 0).astype(np.int64)
    width = floor(n * (0.5 + gamma / n_classes) + 1e-9)
    sample, first = np.ogrid[:n, :n]
    right = (sample - first) % n < width
    return Space("windows", y, np.where(right, y[:, None], lowest_wrong[:, None]), n_classes)


#: Counter-examples of the paper, by their names in the file of vectors.
SPACES = {"two-constants": two_constants, "subsets": subsets, "windows": windows}


def kappa(K, gamma, eta):
    """Return the factor of the exponential loss per round, for the uniform baseline (41)."""
    spread = np.exp(eta) + np.exp(-eta) - 2.0
    return float(1.0 + (1.0 - gamma) / K * spread - (1.0 - np.exp(-eta)) * gamma)


def loss_factor(delta, mass, alpha=None):
    """By what AdaBoost.MM's loss is multiplied in a round (Lemma 24, 66); None: the exact step.

    delta is (A+ - A-) / L and mass (A+ + A-) / L.
    """
    if alpha is None:
        return float(1.0 - mass + np.sqrt(mass * mass - delta * delta))
    return float(
        1.0 - mass + 0.5 * ((mass + delta) * np.exp(-alpha) + (mass - delta) * np.exp(alpha))
    )


@st.composite
def baselines(draw):
    """A distribution in which no wrong label leads the true one, the true label first."""
    K = draw(st.integers(2, 5))
    gamma = draw(st.sampled_from([0.0, 0.1, 0.37]))
    # The leader takes weight 1, so that the true label can lead all by gamma.
    other = np.array([1.0, *draw(st.lists(st.floats(0, 1), min_size=K - 2, max_size=K - 2))])
    other *= (1 - gamma) / (other.sum() + other.max())
    return np.array([gamma + other.max(), *other])


@st.composite
def spaces(draw):
    """A random space of weak classifiers."""
    K = draw(st.integers(2, 4))
    n, N = draw(st.integers(2, 6)), draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    y = rng.integers(K, size=n)
    right = rng.random((n, N)) < draw(st.sampled_from([0.2, 0.5, 0.8]))
    return Space("random", y, np.where(right, y[:, None], rng.integers(K, size=(n, N))), K)
