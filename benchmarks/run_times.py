"""Minutes of the runs behind the results, by paper and phase, from the packed records.

    python -m benchmarks.run_times [--results results]

The phases are those that each run has timed; the rest is the time from start to end less these:
metrics, the split, noise, and the record. Start and end are known to the second, so the rest is
right on average only.
"""

from __future__ import annotations

import argparse
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
        minutes["in all"] += (finished - started).total_seconds() / 60
        for phase, seconds in json.loads(found[1]).items():
            minutes[phase] += seconds / 60
    return minutes


def main() -> None:
    """Print a table with a row for each paper."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("results"))
    papers = [folder.name for folder in Path("configs").iterdir() if folder.is_dir()]
    by_paper: dict[str, Counter[str]] = {}
    for file in sorted(parser.parse_args().results.glob("*/records.jsonl.xz")):
        name = file.parent.name
        paper = next((known for known in papers if name.startswith(known)), name)
        by_paper.setdefault(paper, Counter()).update(minutes_of(file))
    by_paper["together"] = sum(by_paper.values(), Counter())
    print(f"| paper | runs | minutes | {' | '.join(PHASES)} | rest |")
    print("|---|" + "--:|" * (len(PHASES) + 3))
    for paper, minutes in by_paper.items():
        timed = [minutes[phase] for phase in PHASES]
        cells = [minutes["in all"], *timed, minutes["in all"] - sum(timed)]
        print(f"| {paper} | {minutes['runs']:,} | {' | '.join(f'{cell:.0f}' for cell in cells)} |")


if __name__ == "__main__":
    main()
