"""`boostbench verify`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import Experiments, Jobs, Json, option
from boostbench.cli.output import is_fancy, print_error, print_json, print_repeated, print_rows
from boostbench.cli.progress import showing_progress

if TYPE_CHECKING:
    from boostbench.reports.claims.verdicts import Verdict
    from boostbench.reports.claims.view import ClaimView


def verify(
    *,
    selection: Experiments,
    sample: Annotated[
        float | None,
        option(
            "SHARE",
            "Repeat this share of the runs of each booster on each data set, at least one.",
            min=0.0,
            max=1.0,
        ),
    ] = None,
    jobs: Jobs = None,
    as_json: Json = False,
) -> int:
    """Judge the claims of a paper, or repeat some of its runs.

    A claim is true or false in these runs, and that is beyond chance or could be chance. The exit
    code is 0 only if all claims are reproduced: true, and beyond chance.

    With --sample, some runs are repeated, and compared with their records or the packed records.
    The results folder stays as it is. The exit code is 0 only if all results are the same (real
    numbers within 1e-9).

    Examples:
      boostbench verify noise20
      boostbench verify softmax-boosting/table2 --results DIR --json
      boostbench verify noise20 --size standard --data DIR --sample 0.1
    """
    if sample is not None:
        return _repeat(selection, sample, jobs, as_json)
    experiments = selection.load(check_parameters=False)
    judged = [(experiment.config.name, experiment.verify()) for experiment in experiments]
    if as_json:
        from boostbench.reports.claims.view import verdict_json

        rows = [{"config": name, **verdict_json(v)} for name, verdicts in judged for v in verdicts]
        print_json(rows)
    else:
        _print(judged)
    statuses = {verdict.status for _, verdicts in judged for verdict in verdicts}
    return OK if statuses <= {"reproduced"} else INCOMPLETE


def _repeat(selection: Experiments, share: float, jobs: int | None, as_json: bool) -> int:
    """Repeat a sample of the recorded runs, and print the comparison with the records."""
    outcomes = {}
    for experiment in selection.load():
        with showing_progress(experiment.config.name, quiet=as_json) as listener:
            repeated = experiment.repeat(share, jobs=jobs, on_event=listener)
        outcomes[experiment.config.name] = repeated
        if not repeated:
            what = "no run has a valid record to repeat; `status` says why"
            print_error(f"{experiment.config.name}: {what}")
    print_repeated(outcomes, as_json=as_json)
    agree = all(each and all(part.agrees for part in each) for each in outcomes.values())
    return OK if agree else INCOMPLETE


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
