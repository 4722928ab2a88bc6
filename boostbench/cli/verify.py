"""`boostbench verify`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import Experiments, Json
from boostbench.cli.output import is_fancy, print_json, print_rows, warn_of_damage

if TYPE_CHECKING:
    from boostbench.reports.claims.verdicts import Verdict


def verify(*, asked: Experiments, as_json: Json = False) -> int:
    """Judge the claims of a paper by the runs.

    Nothing is trained. A claim is reproduced, not reproduced, or undecided; the reasons say how an
    undecided one could be decided. The exit code is 0 only if every claim is reproduced.

    Examples:
      boostbench verify noise20
      boostbench verify softmax-boosting/table2 --results DIR --json
    """
    experiments = asked.load(check_parameters=False)
    found = [(experiment.config.name, experiment.verify()) for experiment in experiments]
    warn_of_damage(experiments[0].store)
    if as_json:
        from boostbench.reports.claims.writing import verdict_json

        print_json([{"config": name, **verdict_json(v)} for name, its in found for v in its])
    else:
        _print(found)
    statuses = {verdict.status for _, verdicts in found for verdict in verdicts}
    return OK if statuses <= {"reproduced"} else INCOMPLETE


def _print(found: Sequence[tuple[str, Sequence[Verdict]]]) -> None:
    from boostbench.reports.claims.writing import evidence_rows, summary_line

    for name, verdicts in found:
        for number, verdict in enumerate(verdicts, start=1):
            claim = verdict.claim
            print(f"{name} {number}: {claim.says}")
            print(f"  {in_colour(verdict.status)}: {'; '.join(verdict.reasons)}")
            quoted = [claim.section, f'"{claim.quote}"'] if claim.quote else []
            print(f"  {', '.join([claim.origin, *quoted])}")
            for mark in verdict.marks:
                print(f"  {mark}")
            if claim.note:
                print(f"  note: {claim.note}")
            print()
            print_rows(evidence_rows(verdict))
            print()
    for name, verdicts in found:
        print(f"{name}: {summary_line(verdicts)}")


def in_colour(status: str) -> str:
    """Return the word of a verdict, coloured on a terminal."""
    colour = {"reproduced": 32, "not reproduced": 31}.get(status, 33)
    return f"\033[1;{colour}m{status}\033[0m" if is_fancy(sys.stdout) else status
