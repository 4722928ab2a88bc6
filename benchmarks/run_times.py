"""Write the minutes of the runs behind the results, by experiment and phase: run_times.csv.

    python -m benchmarks.run_times [--results results]

They are read from the packed records. The phases are those that each run has timed; the rest is the
time from start to end less these: metrics, the split, noise, and the record. Start and end are
known to the second, so the rest is right on average only.
"""

from __future__ import annotations

import argparse
import csv
import json
import lzma
import re
from collections import Counter
from datetime import datetime
from pathlib import Path

PHASES = ("load", "warm_up", "fit", "predict")
_CLOCKS = re.compile(
    rb'"seconds": (\{[^}]*\}).*?"started": "([^"]*)", "finished": "([^"]*)"', re.DOTALL
)


def minutes_of(file: Path) -> Counter[str]:
    """Return the number of runs in a packed file, and their minutes by phase and in all."""
    minutes: Counter[str] = Counter()
    for line in lzma.decompress(file.read_bytes()).splitlines():
        found = _CLOCKS.search(line)
        if found is None:
            continue
        started, finished = (datetime.fromisoformat(found[n].decode()) for n in (2, 3))
        minutes["runs"] += 1
        minutes["minutes"] += (finished - started).total_seconds() / 60
        for phase, seconds in json.loads(found[1]).items():
            minutes[phase] += seconds / 60
    return minutes


def main() -> None:
    """Write a row for each experiment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("results"))
    files = sorted(parser.parse_args().results.glob("*/records.jsonl.xz"))
    with Path(__file__).with_suffix(".csv").open("w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["experiment", "runs", "minutes", *PHASES, "rest"])
        for file in files:
            minutes = minutes_of(file)
            timed = [minutes["minutes"], *(minutes[phase] for phase in PHASES)]
            timed.append(2 * timed[0] - sum(timed))
            cells = (f"{each:.2f}" for each in timed)
            writer.writerow([file.parent.name, minutes["runs"], *cells])


if __name__ == "__main__":
    main()
