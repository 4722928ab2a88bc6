"""`boostbench verify`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import Experiments, Jobs, Json, Sample
from boostbench.cli.output import is_fancy, print_json, print_rows
from boostbench.cli.progress import showing_progress
from boostbench.errors import BoostbenchError

if TYPE_CHECKING:
    from boostbench.reports.claims.verdicts import Verdict
    from boostbench.reports.claims.view import ClaimView


def verify(
    *,
    selection: Experiments,
    sample: Sample = 0.05,
    jobs: Jobs = None,
    as_json: Json = False,
) -> int:
    """Judge the claims of a paper, or repeat runs of a bundle.

    For a config, nothing is trained. A claim is reproduced, not reproduced or undecided; the
    reasons of an undecided claim say what would decide it. The exit code is 0 only if all claims
    are reproduced.

    For a bundle (NAME.zip, see `boostbench bundle`), a sample of the runs (--sample) is repeated
    with the code and data of this machine, including the plugins in the bundle. Each result is the
    same to the bit, the same within 1e-9, or differs. The exit code is 0 only if all runs of the
    sample could be repeated and none differs.

    Examples:
      boostbench verify noise20
      boostbench verify softmax-boosting/table2 --results DIR --json
      boostbench verify noise20.zip --data DIR --sample 0.2
    """
    bundles = [Path(config) for config in selection.configs if config.endswith(".zip")]
    if bundles:
        if len(bundles) < len(selection.configs):
            raise BoostbenchError("verify configs or bundles, not both at a time", where="verify")
        rows = [row for file in bundles for row in _compare(file, selection, sample, jobs)]
        print_rows(rows, as_json=as_json)
        return OK if all(row["verdict"].startswith("same") for row in rows) else INCOMPLETE
    experiments = selection.load(check_parameters=False)
    judged = [(experiment.config.name, experiment.verify()) for experiment in experiments]
    if as_json:
        from boostbench.reports.claims.writing import verdict_json

        rows = [{"config": name, **verdict_json(v)} for name, verdicts in judged for v in verdicts]
        print_json(rows)
    else:
        _print(judged)
    statuses = {verdict.status for _, verdicts in judged for verdict in verdicts}
    return OK if statuses <= {"reproduced"} else INCOMPLETE


def _compare(
    file: Path, selection: Experiments, sample: float, jobs: int | None
) -> list[dict[str, str]]:
    """Repeat a sample of the runs of a bundle and return a row for each comparison."""
    from boostbench.bundles import check_bundle

    with showing_progress(file.name) as listener:
        results = check_bundle(
            file, data=selection.data, share=sample, jobs=jobs, on_event=listener
        )
    return [{"bundle": file.name, **asdict(result)} for result in results]


def _print(judged: Sequence[tuple[str, Sequence[Verdict]]]) -> None:
    from boostbench.reports.claims.view import counts_in_words, evidence_rows, view_of

    for name, verdicts in judged:
        for number, verdict in enumerate(verdicts, start=1):
            view = view_of(verdict)
            print(f"{name} {number}: {view.says}")
            print(f"  {in_colour(view)}: {'; '.join(view.reasons)}")
            quote = f', "{view.quote}"' if view.quote else ""
            print(f"  {view.source}{quote}")
            for mark in view.marks:
                print(f"  {mark}")
            if view.note:
                print(f"  note: {view.note}")
            print()
            print_rows(evidence_rows(verdict))
            print()
    for name, verdicts in judged:
        print(f"{name}: {counts_in_words(map(view_of, verdicts))}")


def in_colour(view: ClaimView) -> str:
    """Return the words of a verdict, coloured on a terminal."""
    colour = {"good": 32, "bad": 31, "": 33}[view.tone]
    return f"\033[1;{colour}m{view.verdict}\033[0m" if is_fancy(sys.stdout) else view.verdict
