"""Write the minutes of the runs behind the results, by experiment and phase: run_times.csv.

    python -m benchmarks.run_times [--results results]

They are those that each run has timed, read from the packed records. Metrics, the split, noise and
the record are not timed.
"""

from __future__ import annotations

import argparse
import csv
import json
import lzma
import re
from collections import Counter
from pathlib import Path

PHASES = ("load", "warm_up", "fit", "predict")
_CLOCKS = re.compile(rb'"seconds": (\{[^}]*\})')


def minutes_of(file: Path) -> Counter[str]:
    """Return the number of runs in a packed file, and their minutes by phase and in all."""
    minutes: Counter[str] = Counter()
    for line in lzma.decompress(file.read_bytes()).splitlines():
        found = _CLOCKS.search(line)
        if found is None:
            continue
        minutes["runs"] += 1
        for phase, seconds in json.loads(found[1]).items():
            minutes[phase] += seconds / 60
            minutes["minutes"] += seconds / 60
    return minutes


def main() -> None:
    """Write a row for each experiment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("results"))
    files = sorted(parser.parse_args().results.glob("*/records.jsonl.xz"))
    with Path(__file__).with_suffix(".csv").open("w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["experiment", "runs", "minutes", *PHASES])
        for file in files:
            minutes = minutes_of(file)
            cells = (f"{minutes[phase]:.2f}" for phase in ("minutes", *PHASES))
            writer.writerow([file.parent.name, minutes["runs"], *cells])


if __name__ == "__main__":
    main()
