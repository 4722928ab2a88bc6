"""`python -m checks.attack [AREA ...] [--n N] [--seed S]`: try hostile inputs, count failures.

An area is a module of this package with ``attack(n, seed, folder) -> Iterator[Case]``.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

#: Areas, and the default number of inputs in each.
AREAS = {
    "configs": 10_000,
    "data": 5_000,
    "records": 5_000,
    "plugins": 100,
    "kills": 200,
    "faults": 300,
}
#: Number of failures of each kind whose details are printed.
SHOWN = 5
#: Seconds after which a line says how far an area is.
BETWEEN_LINES = 20.0


def main() -> int:
    """Attack the given areas and print a table; return 1 if any case failed."""
    parser = argparse.ArgumentParser(prog="python -m checks.attack", description=__doc__)
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"any of {', '.join(AREAS)}")
    sizes = ", ".join(f"{area}: {n}" for area, n in AREAS.items())
    parser.add_argument("--n", type=int, help=f"inputs in each area (default: {sizes})")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    unknown = set(options.areas) - set(AREAS)
    if unknown:
        parser.error(f"unknown area {min(unknown)!r}; choose from {', '.join(AREAS)}")
    n_wrong = 0
    for area in options.areas or AREAS:
        n_wrong += _attack(area, options.n or AREAS[area], options.seed)
    return int(n_wrong > 0)


def _attack(area: str, n: int, seed: int) -> int:
    """Attack one area and print counts; return the number of failed cases."""
    module = importlib.import_module(f"checks.attack.{area}")
    tried: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    start = said = time.monotonic()
    print(f"{area}: {n} inputs, seed {seed}", file=sys.stderr, flush=True)
    stops = contextlib.suppress(KeyboardInterrupt)  # Ctrl-C gives the counts so far
    with tempfile.TemporaryDirectory(prefix="attack-") as folder, stops:
        for case in module.attack(n, seed, Path(folder)):
            tried[case.name] += 1
            if not case.ok:
                wrong[case.name] += 1
                if wrong[case.name] <= SHOWN:
                    print(f"{area}: {case.name}: {case.detail}", file=sys.stderr, flush=True)
            if time.monotonic() > said + BETWEEN_LINES:
                said = time.monotonic()
                line = f"{tried.total()} of {n} tried, {wrong.total()} wrong, {said - start:.0f} s"
                print(f"{area}: {line}", file=sys.stderr, flush=True)
    for name, count in sorted(tried.items()):
        print(f"{area:8} {name:40} {count:6} tried {wrong[name]:5} wrong")
    seconds = time.monotonic() - start
    print(f"{area:8} {'all':40} {tried.total():6} tried {wrong.total():5} wrong  {seconds:.0f} s")
    return wrong.total()


if __name__ == "__main__":
    sys.exit(main())
