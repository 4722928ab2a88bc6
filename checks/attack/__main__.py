"""`python -m checks.attack [AREA ...] [--n N] [--seed S]`: count how hostile inputs are taken.

An area is a module of this package with ``attack(n, seed, folder) -> Iterator[Case]``.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

AREAS = {"configs": 10_000, "data": 5_000, "records": 5_000, "plugins": 100, "kills": 200}
SHOWN = 5


def main() -> int:
    """Attack the areas named and print a table; return 1 if any case went wrong."""
    parser = argparse.ArgumentParser(prog="python -m checks.attack", description=__doc__)
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"of {', '.join(AREAS)}")
    parser.add_argument("--n", type=int, help="inputs in each area; by default as many as count")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    unknown = set(asked.areas) - set(AREAS)
    if unknown:
        parser.error(f"unknown area {min(unknown)!r}; choose from {', '.join(AREAS)}")
    n_wrong = 0
    for area in asked.areas or AREAS:
        n_wrong += _attacked(area, asked.n or AREAS[area], asked.seed)
    return int(n_wrong > 0)


def _attacked(area: str, n: int, seed: int) -> int:
    """Attack one area, print its counts, and return how many cases went wrong."""
    module = importlib.import_module(f"checks.attack.{area}")
    tried: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        for case in module.attack(n, seed, Path(folder)):
            tried[case.name] += 1
            if not case.ok:
                wrong[case.name] += 1
                if wrong[case.name] <= SHOWN:
                    print(f"{area}: {case.name}: {case.detail}", file=sys.stderr)
    for name, count in sorted(tried.items()):
        print(f"{area:8} {name:40} {count:6} tried {wrong[name]:5} wrong")
    seconds = time.monotonic() - start
    print(f"{area:8} {'all':40} {tried.total():6} tried {wrong.total():5} wrong  {seconds:.0f} s")
    return wrong.total()


if __name__ == "__main__":
    sys.exit(main())
