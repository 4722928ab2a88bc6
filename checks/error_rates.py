"""Error rates of verdicts for every design, on simulated experiments with a known truth.

    python -m checks.error_rates [--n 20000] [--seed 0]

For each design, the command prints the share of false verdicts about two equal boosters (at most
6 %, at a nominal 5 %) and the share of true differences that are found.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from boostbench.reports.claims.inference import Outcome, lower
from boostbench.reports.values.designs import Design, Repeats, over_sets

Pair = tuple[Repeats, Repeats]
Floats = NDArray[np.float64]
_NORMAL = NormalDist()
#: Half the distance between the class means of a feature, on which a stump errs in 31 % of cases.
_MEAN = 0.5


def _sample(errors: Floats, design: Design, on_each: Floats | None = None) -> Repeats:
    units = sorted(design.units)
    values = dict(zip(units, map(float, errors), strict=True))
    parts = {} if on_each is None else dict(zip(units, on_each, strict=True))
    return Repeats(values, design, on_each=parts)


def _design(n: int, source: str, ratio: float = 0.0) -> Design:
    units = frozenset((seed, 0) for seed in range(n))
    return Design(units, source, ratio, True, "one problem")  # type: ignore[arg-type]


def _stumps(x: Floats, y: Floats, train: NDArray[np.bool_]) -> Floats:
    """Return the test error, for each split, of a threshold midway between the class means."""
    above = y > 0
    up, down = train & above, train & ~above
    cut = ((up @ x) / up.sum(axis=1) + (down @ x) / down.sum(axis=1)) / 2
    wrong = (x[None, :] > cut[:, None]) != above
    return np.asarray((wrong & ~train).sum(axis=1) / (~train).sum(axis=1))


def _rows(rng: np.random.Generator, n: int, true: float) -> tuple[Floats, Floats, Floats]:
    """Return a feature for each of two boosters, whose errors differ by ``true``, and labels."""
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    better = -_NORMAL.inv_cdf(_NORMAL.cdf(-_MEAN) + true)
    return better * y + rng.normal(size=n), _MEAN * y + rng.normal(size=n), y


def fresh_data(rng: np.random.Generator, true: float) -> Pair:
    """Draw new training and test data for each of ten seeds."""
    errors = []
    train = (np.arange(300) < 200)[None, :]
    for _ in range(10):
        a, b, y = _rows(rng, 300, true)
        errors.append((_stumps(a, y, train)[0], _stumps(b, y, train)[0]))
    design = _design(10, "fresh data")
    left, right = np.array(errors).T
    return _sample(left, design), _sample(right, design)


def holdout(rng: np.random.Generator, true: float) -> Pair:
    """Split one data set of 300 rows ten times, with 30 % for testing."""
    a, b, y = _rows(rng, 300, true)
    train = rng.permuted(np.tile(np.arange(300) >= 90, (10, 1)), axis=1)
    design = _design(10, "splits", 90 / 210)
    return _sample(_stumps(a, y, train), design), _sample(_stumps(b, y, train), design)


def _folds(rng: np.random.Generator, true: float, n_folds: int, repeats: int) -> Pair:
    a, b, y = _rows(rng, 300, true)
    fold = rng.permuted(np.tile(np.arange(300) % n_folds, (repeats, 1)), axis=1)
    train = np.concatenate([fold != k for k in range(n_folds)])
    design = _design(n_folds * repeats, "splits", 1 / (n_folds - 1))
    return _sample(_stumps(a, y, train), design), _sample(_stumps(b, y, train), design)


def folds(rng: np.random.Generator, true: float) -> Pair:
    """Simulate fourfold cross-validation on one data set of 300 rows."""
    return _folds(rng, true, 4, 1)


def repeated_folds(rng: np.random.Generator, true: float) -> Pair:
    """Simulate fivefold cross-validation, repeated twice, on one data set of 300 rows."""
    return _folds(rng, true, 5, 2)


def other_data(rng: np.random.Generator, true: float) -> Pair:
    """Draw fresh data ten times for each booster independently."""
    left, _ = fresh_data(rng, true)
    _, right = fresh_data(rng, true)
    return left, replace(right, design=right.design._replace(problem="another problem"))


def _seeds(rng: np.random.Generator, true: float, n_seeds: int) -> Pair:
    n, sides = 300, []
    shared = rng.normal(size=n)
    for rate in (0.3 + true, 0.3):
        difficulty = shared + rng.normal(size=n)  # of samples, for both boosters and for one
        # One run gives no information on the variation between trained models.
        between = 0.3 * (n_seeds > 1)
        luck = between * rng.normal(size=(n_seeds, 1)) + rng.normal(size=(n_seeds, n))
        cut = -_NORMAL.inv_cdf(rate) * np.sqrt(3 + between**2)
        wrong = (difficulty + luck > cut).astype(np.float64)
        sides.append(_sample(wrong.mean(axis=1), _design(n_seeds, "one split"), wrong))
    return sides[0], sides[1]


def one_run(rng: np.random.Generator, true: float) -> Pair:
    """Simulate one run on one split with 300 test samples."""
    return _seeds(rng, true, 1)


def seeds_of_one_split(rng: np.random.Generator, true: float) -> Pair:
    """Simulate runs with five seeds on one split with 300 test samples."""
    return _seeds(rng, true, 5)


def several_sets(rng: np.random.Generator, true: float) -> Pair:
    """Simulate runs with five seeds on ten data sets, with a random difference on each data set."""
    design, sides = _design(5, "fresh data"), ([], [])  # type: ignore[var-annotated]
    for _ in range(10):
        level = rng.uniform(0.1, 0.4)
        difference = true + 0.02 * rng.standard_t(8)
        for side, excess in zip(sides, (difference, 0.0), strict=True):
            side.append(_sample(level + excess + 0.01 * rng.normal(size=5), design))
    return over_sets(sides[0]), over_sets(sides[1])


#: Simulation of each design, and a true difference that is found in most simulations.
DESIGNS: dict[str, tuple[Callable[[np.random.Generator, float], Pair], float]] = {
    "fresh data": (fresh_data, -0.05),
    "holdout": (holdout, -0.1),
    "folds": (folds, -0.15),
    "repeated folds": (repeated_folds, -0.1),
    "other data": (other_data, -0.05),
    "one run": (one_run, -0.1),
    "seeds of one split": (seeds_of_one_split, -0.1),
    "several sets": (several_sets, -0.02),
}


def outcomes(name: str, n: int, true: float, seed: int = 0) -> Iterator[Outcome]:
    """Yield the outcomes of the claim of a lower error on the left in n simulated experiments."""
    draw, _ = DESIGNS[name]
    rng = np.random.default_rng(seed)
    for _ in range(n):
        left, right = draw(rng, true)
        yield lower(left, right)


def naive(pair: Pair) -> Pair:
    """Return the same runs with a design that treats them as independent."""
    left, right = pair
    design = left.design._replace(source="fresh data", ratio=0.0)
    return replace(left, design=design), replace(right, design=design)


def false_share(name: str, n: int, seed: int = 0) -> tuple[float, float]:
    """Return the shares of false "holds" and false "fails" for equal boosters."""
    states = [outcome.state for outcome in outcomes(name, n, 0.0, seed)]
    return states.count("holds") / n, states.count("fails") / n


def found_share(name: str, n: int, seed: int = 0) -> float:
    """Return the share of true differences that are found."""
    return sum(each.state == "holds" for each in outcomes(name, n, DESIGNS[name][1], seed)) / n


def main() -> int:
    """Print the table; return 1 if a design has too many false verdicts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=20_000, help="simulated experiments per design")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    bad = 0
    print(f"{'design':20} {'false holds':>12} {'false fails':>12} {'found':>8}")
    for name in DESIGNS:
        holds, fails = false_share(name, options.n, options.seed)
        found = found_share(name, max(1, options.n // 5), options.seed)
        bad += holds + fails > 0.06
        print(f"{name:20} {holds:12.4f} {fails:12.4f} {found:8.3f}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
