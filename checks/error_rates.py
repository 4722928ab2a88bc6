"""False answers to claims for every kind and design, on simulated experiments with a known truth.

    python -m checks.error_rates [--n 1000] [--seed 0]

Boosters are equal, or values lie at the bound. The command prints a table in Markdown with the
share of experiments that are not open (at most 5 %, but for the error of the simulation), and of
printed values that are true and outside their prediction interval.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import NormalDist
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from boostbench.experiments.configs.kind_options import Claim, Options
from boostbench.reports.claims.claim_options import Rule
from boostbench.reports.claims.inference import Outcome, State, at_least, lower, near
from boostbench.reports.claims.kind import Case, UnitOfTest
from boostbench.reports.claims.verdicts import verdict_on
from boostbench.reports.figures.rank_figures import compare_ranks
from boostbench.reports.values.paper import PaperValue, compare_with_printed
from boostbench.reports.values.samples import Design, Repeats, over_sets

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


def _design(n: int, source: str, ratio: float = 0.0, n_test: int = 1) -> Design:
    units = frozenset((seed, 0) for seed in range(n))
    return Design(units, source, ratio, True, "one problem", n_test)  # type: ignore[arg-type]


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


def fresh_data(rng: np.random.Generator, true: float, n: int = 10) -> Pair:
    """Draw new training and test data for each of n seeds."""
    errors = []
    train = (np.arange(300) < 200)[None, :]
    for _ in range(n):
        a, b, y = _rows(rng, 300, true)
        errors.append((_stumps(a, y, train)[0], _stumps(b, y, train)[0]))
    design = _design(n, "fresh data")
    left, right = np.array(errors).T
    return _sample(left, design), _sample(right, design)


def holdout(rng: np.random.Generator, true: float, n: int = 10) -> Pair:
    """Split one data set of 300 rows n times, with 30 % for testing."""
    a, b, y = _rows(rng, 300, true)
    train = rng.permuted(np.tile(np.arange(300) >= 90, (n, 1)), axis=1)
    design = _design(n, "splits", 90 / 210)
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


def few_errors(rng: np.random.Generator, true: float, n: int = 2) -> Pair:
    """Draw n runs of few test samples, on which boosters often err equally often."""
    errors = rng.binomial(50, (0.05 + true, 0.05), size=(n, 2)).T / 50
    left, right = (_sample(each, _design(n, "fresh data")) for each in errors)
    return left, right


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


def _sets(rng: np.random.Generator, true: float, m: int, *, skewed: bool = False) -> Pair:
    """Simulate five seeds on each of m data sets, with a random difference on each data set."""
    design, sides = _design(5, "fresh data"), ([], [])  # type: ignore[var-annotated]
    for _ in range(m):
        level = rng.uniform(0.1, 0.4)
        excess = 0.02 * (rng.exponential() - 1 if skewed else rng.standard_t(8))
        for side, more in zip(sides, (true + excess, 0.0), strict=True):
            side.append(_sample(level + more + 0.01 * rng.normal(size=5), design))
    return over_sets(sides[0]), over_sets(sides[1])


Draw = Callable[[np.random.Generator, float], Pair]
#: Simulation of each design, and a true difference that is found in most simulations.
DESIGNS: dict[str, tuple[Draw, float]] = {
    "fresh data, 10 seeds": (fresh_data, -0.05),
    "fresh data, 3 seeds": (partial(fresh_data, n=3), -0.15),
    "fresh data, 2 seeds, few errors": (few_errors, 0.0),
    "fresh data, 3 seeds, few errors": (partial(few_errors, n=3), 0.0),
    "holdout, 10 splits": (holdout, -0.1),
    "holdout, 2 splits": (partial(holdout, n=2), 0.0),
    "4 folds": (folds, -0.15),
    "5 folds, twice": (repeated_folds, -0.1),
    "one run": (partial(_seeds, n_seeds=1), -0.1),
    "one split, 2 seeds": (partial(_seeds, n_seeds=2), 0.0),
    "one split, 3 seeds": (partial(_seeds, n_seeds=3), 0.0),
    "one split, 5 seeds": (partial(_seeds, n_seeds=5), -0.1),
    "mean of 2 data sets": (partial(_sets, m=2), 0.0),
    "mean of 5 data sets": (partial(_sets, m=5), 0.0),
    "mean of 8 data sets": (partial(_sets, m=8), -0.03),
    "mean of 20 data sets": (partial(_sets, m=20), -0.02),
    "mean of 8 data sets, skewed": (partial(_sets, m=8, skewed=True), -0.03),
    "mean of 20 data sets, skewed": (partial(_sets, m=20, skewed=True), -0.02),
}
CLAIM = Claim(says="a", kind="compares", options=Options())


def _verdict(cases: list[Case], rule: Rule, unit: UnitOfTest, chance: float = 0.5) -> State:
    kind: Any = SimpleNamespace(at_least=rule, unit=unit, fixed_unit=unit, chance=chance)
    return verdict_on(CLAIM, cases, kind).beyond


def _on_sets(
    rng: np.random.Generator, m: int, rule: Rule, *, rivals: int = 1, ties: float = 0.0
) -> State:
    """Judge "lower than all rivals", of which one is equal, on some of m data sets."""
    cases = []
    for k in range(m):
        own, other = rng.normal(size=2)
        is_tied = rng.random() < ties
        outcome = Outcome("open", here=bool(own < other) and not is_tied, tied=is_tied)
        cases.append(Case("", str(k), outcome, dataset=str(k)))
    return _verdict(cases, rule, "sets")


def _ranks(rng: np.random.Generator, m: int, n_mine: int, within: int) -> State:
    """Judge "one of several boosters is among the first", with as many equal rivals."""
    cases = []
    for k in range(m):
        errors = rng.normal(size=n_mine + within)
        here = bool((errors[n_mine:] < errors[:n_mine].min()).sum() < within)
        cases.append(Case("", str(k), Outcome("open", here=here), dataset=str(k)))
    chance = 1 - 1 / math.comb(n_mine + within, within)
    return _verdict(cases, Rule(share=0.5), "sets", chance)


def _each_set(rng: np.random.Generator, m: int, needed: int) -> State:
    """Judge "lower on so many of m data sets", all but one of which are clear."""
    differences = [*[-1.0] * (needed - 1), *[0.0] * (m - needed + 1)]
    tails = [_NORMAL.cdf(10 * d + rng.normal()) for d in differences]
    cases = [Case("", "", Outcome("open", p=(tail, 1 - tail))) for tail in tails]
    return _verdict(cases, Rule(needed), "runs")


def _share(rng: np.random.Generator, n: int, wanted: float) -> State:
    held = (rng.random(n) < wanted).astype(np.float64)
    return at_least(_sample(held, _design(n, "fresh data")), wanted).state


def _friedman(rng: np.random.Generator, n: int, k: int) -> State:
    errors = rng.random((n, k))
    _, p, critical_difference = compare_ranks(errors)
    spread = np.ptp(rankdata(errors, axis=1).mean(axis=0))
    differs = p <= 0.05 or spread > critical_difference
    return "holds" if differs else "open"


def _printed(rng: np.random.Generator, source: str, n: int) -> State:
    """Compare n runs with a printed one, all with 400 test samples."""
    n_test, rate, spread = 400, 0.2, 0.008  # a test sample varies by 0.02
    ratio = 3 / 7 if source == "splits" else 0.0
    shared = ratio / (1 + ratio) if source == "splits" else float(source == "one split")
    of_test = math.sqrt(rate * (1 - rate) / n_test)
    common = math.sqrt(shared) * of_test * rng.normal()
    runs = common + math.sqrt(1 - shared) * of_test * rng.normal(size=n + 1)
    runs = rate + runs + spread * rng.normal(size=n + 1)
    value = PaperValue("a", "b", 1, 0.0, float(runs[0]), f"{100 * runs[0]:.2f}", "")
    _, found = compare_with_printed(_sample(runs[1:], _design(n, source, ratio, n_test)), value)
    return "fails" if found.endswith("printed") else "open"


def _null_rows() -> dict[tuple[str, str], Callable[[np.random.Generator], State]]:
    """Return the simulations by kind and design; every state but "open" is false."""
    rows: dict[tuple[str, str], Callable[[np.random.Generator], State]] = {}
    for design, (draw, _) in DESIGNS.items():
        rows["lower", design] = lambda rng, draw=draw: lower(*draw(rng, 0.0)).state
    for design in ("fresh data, 10 seeds", "holdout, 10 splits", "one run", "mean of 8 data sets"):
        draw = DESIGNS[design][0]
        rows["equal within the true difference", design] = lambda rng, draw=draw: (
            near(*draw(rng, -0.1), 0.1).state
        )
    rows["equal within the true difference", "fresh data, 2 seeds, few errors"] = lambda rng: (
        near(*few_errors(rng, 0.02), 0.02).state
    )
    for n, wanted in ((10, 0.5), (10, 0.9), (100, 0.9)):
        rows[f"in {wanted} of the runs", f"{n} runs"] = lambda rng, n=n, wanted=wanted: _share(
            rng, n, wanted
        )
    most, third = Rule(share=0.5 + 1e-6), Rule(share=0.75)
    for m in (2, 3, 5, 8, 20):
        rows["on most sets", f"{m} data sets"] = lambda rng, m=m: _on_sets(rng, m, most)
        rows["on three quarters of the sets", f"{m} data sets"] = lambda rng, m=m: (
            "holds" if _on_sets(rng, m, third) == "holds" else "open"
        )
    rows["on most sets", "8 data sets, ties"] = lambda rng: _on_sets(rng, 8, most, ties=0.3)
    for m, mine, within in ((8, 1, 1), (8, 4, 1), (20, 1, 3)):
        design = f"{m} data sets, {mine} named"
        rows[f"rank within {within}", design] = lambda rng, m=m, mine=mine, within=within: (
            "holds" if _ranks(rng, m, mine, within) == "holds" else "open"
        )
    for m, needed in ((8, 8), (8, 5), (8, 1)):
        rows["on each of so many sets", f"{needed} of {m}"] = lambda rng, m=m, needed=needed: (
            "holds" if _each_set(rng, m, needed) == "holds" else "open"
        )
    for n, k in ((2, 2), (3, 3), (8, 2), (4, 4), (12, 3), (20, 5)):
        design = f"{n} data sets, {k} boosters"
        rows["ranks differ", design] = lambda rng, n=n, k=k: _friedman(rng, n, k)
    for source in ("one split", "splits", "fresh data"):
        for n in (1, 2, 3, 5, 10):
            rows["a printed value that is true", f"{source}, {n} runs"] = (
                lambda rng, source=source, n=n: _printed(rng, source, n)
            )
    return rows


NULLS = _null_rows()


def false_share(kind: str, design: str, n: int, seed: int = 0) -> float:
    """Return the share of n simulated experiments with a false answer."""
    rng = np.random.default_rng(seed)
    simulate = NULLS[kind, design]
    return sum(simulate(rng) in ("holds", "fails") for _ in range(n)) / n


def most(n: int) -> float:
    """Return the largest share of false answers in n simulations at 5 %: two and a half errors."""
    return 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / n)


def found_share(design: str, n: int, seed: int = 0) -> float:
    """Return the share of true differences that are found."""
    rng = np.random.default_rng(seed)
    draw, true = DESIGNS[design]
    return sum(lower(*draw(rng, true)).state == "holds" for _ in range(n)) / n


def naive(pair: Pair) -> Pair:
    """Return the same runs with a design that treats them as independent."""
    left, right = pair
    design = left.design._replace(source="fresh data", ratio=0.0)
    return replace(left, design=design), replace(right, design=design)


def main() -> int:
    """Print the table; return 1 if a kind has too many false answers with a design."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1000, help="simulated experiments per row")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    bad = 0
    print("| claim | design | false (%) |\n|---|---|--:|")
    for kind, design in NULLS:
        share = false_share(kind, design, options.n, options.seed)
        is_bad = share > most(options.n)
        bad += is_bad
        print(f"| {kind} | {design} | {100 * share:.1f}{' !' if is_bad else ''} |", flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
