"""Estimates of wrong labels beside the truth, on ten data sets with injected noise.

    python -m benchmarks.wrong_labels [--data DIR] [--rows 2000] [--sets NAME ...] [--json FILE]

Labels are made wrong uniformly (``uniform-other``). Confident learning as in the package cleanlab,
where that is installed, gets the out-of-fold probabilities of as many fits of the same random
forest. The table, in Markdown, has the estimated shares in percent, and how many of the first
hundred suspicious rows have a wrong label. The data of the noise study lie in ``BOOSTBENCH_DATA``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boostbench import load_dataset, make_booster
from boostbench.label_errors import estimate, out_of_fold
from boostbench.noise import corrupt

SETS = (
    *("breast-cancer", "digits", "segment", "satimage", "pendigits"),
    *("letter", "splice", "spambase", "magic", "yeast"),
)
RATES = (0.0, 0.05, 0.1, 0.2, 0.3)
_FIRST, _REPEATS, _FOLDS = 100, 4, 5
_FOREST = make_booster("random-forest", n_estimators=100)


def measure(name: str, data: Sequence[Path], n_rows: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each rate: the truth, both estimates and both counts."""
    dataset = load_dataset(name, data=data)
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(dataset.n_rows)[:n_rows])
    common = np.bincount(dataset.y[rows], minlength=dataset.n_classes) >= 2 * _FOLDS
    rows = rows[common[dataset.y[rows]]]
    X = dataset.X[rows]
    classes, y = np.unique(dataset.y[rows], return_inverse=True)
    names = [dataset.classes[k] for k in classes]
    for rate in RATES:
        noise = np.random.default_rng(1)
        seen = corrupt(y, len(names), "uniform-other", rate, noise).y
        P = np.array([*out_of_fold(_FOREST, X, seen, _REPEATS, _FOLDS, seed=0)])
        found = estimate(seen, P, names)
        first = found.suspects["row"].to_numpy()[:_FIRST] - 1
        row = {
            "data set": name,
            "classes": len(names),
            "truth": float((seen != y).mean()),
            "estimate": found.share,
            "low": found.low,
            "high": found.high,
            "found": int((seen != y)[first].sum()),
        }
        yield {**row, **_by_cleanlab(X, y, seen)}


def _by_cleanlab(X: Any, y: Any, seen: Any) -> dict[str, Any]:
    """Return the estimate and the count of cleanlab; nothing where it is not installed."""
    try:
        from cleanlab.count import estimate_joint
        from cleanlab.rank import get_label_quality_scores
    except ModuleNotFoundError:
        return {"cleanlab": None, "found by cleanlab": None}
    half = (_out_of_fold(X, seen, seed) for seed in (0, 1))
    P = np.mean([each for pair in half for each in pair], axis=0)
    joint = estimate_joint(seen, P)
    order = np.argsort(get_label_quality_scores(seen, P), kind="stable")[:_FIRST]
    found = int((seen != y)[order].sum())
    return {"cleanlab": float(1.0 - np.trace(joint)), "found by cleanlab": found}


def _out_of_fold(X: Any, seen: Any, seed: int) -> list[Any]:
    """Return the probabilities of the first stage, without denied rows."""
    repetitions = out_of_fold(_FOREST, X, seen, _REPEATS, _FOLDS, seed=seed)
    return [next(repetitions) for _ in range(_REPEATS // 2)]


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return the rows as a table in Markdown, with the mean errors of both estimates."""
    lines = [
        "| data set | classes | truth | estimate (95 % interval) | cleanlab "
        "| wrong among first 100 | cleanlab |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        share = f"{100 * row['estimate']:.1f} ({100 * row['low']:.1f} to {100 * row['high']:.1f})"
        peer = "-" if row["cleanlab"] is None else f"{100 * row['cleanlab']:.1f}"
        counts = f"{row['found']} | {'-' if peer == '-' else row['found by cleanlab']}"
        truth = f"{100 * row['truth']:.1f}"
        cells = (row["data set"], row["classes"], truth, share, peer, counts)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, "", summary(rows)])


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """Return the mean absolute errors, the coverage of the intervals and the mean counts."""

    def error(key: str) -> str:
        pairs = [(row["truth"], row[key]) for row in rows if row[key] is not None]
        return f"{100 * np.mean([abs(a - b) for a, b in pairs]):.1f}" if pairs else "-"

    def count(key: str) -> str:
        counts = [row[key] for row in rows if row["truth"] > 0 and row[key] is not None]
        return f"{np.mean(counts):.1f}" if counts else "-"

    inside = np.mean([row["low"] - 1e-9 <= row["truth"] <= row["high"] + 1e-9 for row in rows])
    return (
        f"Mean absolute error in points: {error('estimate')}, cleanlab {error('cleanlab')}. "
        f"{100 * inside:.0f} % of the intervals hold the truth. Wrong among the first {_FIRST} "
        f"with noise, mean: {count('found')}, cleanlab {count('found by cleanlab')}."
    )


def main() -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, action="append", default=[])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--json", type=Path, help="file of earlier rows, to which new are added")
    options = parser.parse_args()
    rows = []
    if options.json is not None and options.json.exists():
        rows = json.loads(options.json.read_text())
    for name in options.sets:
        rows += measure(name, options.data, options.rows)
        if options.json is not None:
            options.json.write_text(json.dumps(rows))
        print(f"{name}: done", file=sys.stderr, flush=True)
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
