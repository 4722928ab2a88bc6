"""`boostbench verify`, `reproduce` and `adopt`: claims, and repeated runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from boostbench.cli.options import SAMPLE, Experiments, Jobs, Json, Quiet, SelectedRuns
from boostbench.cli.output import INCOMPLETE, OK, is_fancy, print_error, print_json, print_rows
from boostbench.cli.report import write_report
from boostbench.cli.run import run_and_print, showing_progress
from boostbench.errors import BoostbenchError, unknown
from boostbench.experiments.configs.shipped import paper_of, shipped_configs

if TYPE_CHECKING:
    from boostbench.api import Experiment
    from boostbench.experiments.planning.repeating import Repeated
    from boostbench.reports.claims.verdicts import ClaimView, Verdict

_SIZES = ("quick", "standard", "full")
#: Messages about a config without runs to repeat, by the method of `Experiment`.
_NOTHING = {
    "repeat": "no run has a valid record to repeat; `status` says why",
    "adopt": "no record is of other code alone",
}


def verify(
    *,
    selection: Experiments,
    sample: Annotated[float | None, SAMPLE] = None,
    jobs: Jobs = None,
    as_json: Json = False,
) -> int:
    """Judge the claims of a paper, or repeat some of its runs.

    A claim is true or false in these runs, and that is beyond chance or could be chance. The exit
    code is 0 only if there are claims, and all are reproduced: true, and beyond chance.

    With --sample, some runs are repeated, and compared with their records or the packed records.
    The results folder stays as it is. The exit code is 0 only if all results are the same (real
    numbers within 1e-9).

    Examples:
      boostbench verify noise20
      boostbench verify softmax-boosting/table2 --results DIR --json
      boostbench verify noise20 --size standard --data DIR --sample 0.1
    """
    if sample is not None:
        return repeat_runs(selection, "repeat", sample, jobs, as_json, as_json)
    if jobs:
        raise BoostbenchError("is for --sample; leave it out", where="--jobs")
    experiments = selection.load(check_parameters=False)
    judged = [(experiment.config.name, experiment.verify()) for experiment in experiments]
    if as_json:
        from boostbench.reports.claims.verdicts import verdict_json

        rows = [{"config": name, **verdict_json(v)} for name, verdicts in judged for v in verdicts]
        print_json(rows)
    else:
        _print(judged)
    statuses = {verdict.status for _, verdicts in judged for verdict in verdicts}
    return OK if statuses == {"reproduced"} else INCOMPLETE


def _print(judged: Sequence[tuple[str, Sequence[Verdict]]]) -> None:
    from boostbench.reports.claims.verdicts import counts_in_words, evidence_rows, view_of

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


def configs_by_paper() -> dict[str, list[Path]]:
    """Return the shipped configs by paper: those in its folder, then others that refer to it."""
    configs: dict[str, list[Path]] = {}
    for name, path in sorted(shipped_configs().items(), key=lambda item: "/" not in item[0]):
        paper = name.rpartition("/")[0] or paper_of(path)
        configs.setdefault(paper.partition(",")[0].strip(), []).append(path)
    configs.pop("", None)
    return configs


def reproduce(*, selection: Experiments, jobs: Jobs = None) -> int:
    """Run, report and verify configs, or all configs of a paper.

    CONFIG may be the name of a paper, such as softmax-boosting. Does the missing runs, writes the
    reports, judges the claims, and writes an overview, index.html in the results folder. A config
    without the given size takes its next larger one.

    Examples:
      boostbench reproduce softmax-boosting --size quick --data DIR --jobs 2
      boostbench reproduce noise20 --data DIR
    """
    from boostbench.reports.overview import write_overview

    size = selection.size
    if size is not None and size not in _SIZES:
        raise BoostbenchError(unknown("size", size, _SIZES), where="--size")
    by_paper, configs = configs_by_paper(), dict[str, None]()
    for given in selection.configs:
        paths = by_paper.get(given.rstrip("/").removeprefix("configs/"), [given])
        configs |= dict.fromkeys(map(str, paths))
    # Check all configs before running the first.
    experiments = replace(selection, configs=[*configs], size=None).load()
    larger = _SIZES[_SIZES.index(size) :] if size else ()
    codes: list[int] = []
    for experiment in experiments:
        config = experiment.config
        if sized := next((name for name in larger if name in config.sizes), None):
            (experiment,) = replace(selection, configs=[str(config.path)], size=sized).load()
        print(f"== {config.name}{f' ({sized})' if sized else ''}", flush=True)
        codes.append(run_and_print(experiment, experiment.plan(), quiet=False, jobs=jobs))
        codes.append(_report(experiment))
    print(write_overview(selection.results))
    return max(codes)


def _report(experiment: Experiment) -> int:
    """Write a report and print its verdicts; return 0 if it is complete and all claims hold."""
    from boostbench.reports.claims.verdicts import view_of

    try:
        made, code, _ = write_report(experiment, pack=True)
    except BoostbenchError as error:
        # A config without any run, for example without its data, does not stop the others.
        print_error(error)
        return INCOMPLETE
    for view in map(view_of, made.verdicts):
        print(f"{in_colour(view)} ({view.origin}): {view.says} ({view.reasons[0]})")
    print()
    return code if all(verdict.status == "reproduced" for verdict in made.verdicts) else INCOMPLETE


def adopt(
    *,
    selection: SelectedRuns,
    sample: Annotated[float, SAMPLE] = 0.05,
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> int:
    """Keep stale results that a code change does not affect.

    Repeats some runs of each booster on each data set. If all results equal the old records, the
    other records of the same code are kept, with a note in each. Without stale records, packed
    records of other code are kept so. The exit code is 1 if results differ.

    Examples:
      boostbench adopt noise20 --data DIR
      boostbench adopt configs/softmax-boosting/figures1-4.yaml --sample 0.1 --jobs 2
    """
    return repeat_runs(selection, "adopt", sample, jobs, quiet, as_json)


def repeat_runs(
    selection: Experiments, method: str, share: float, jobs: int | None, quiet: bool, as_json: bool
) -> int:
    """Repeat a sample of runs by a method of `Experiment`, and print how they compare.

    Boosters whose results are not the recorded ones come first, in a table. The exit code is 0 if
    all results are the recorded ones, and each config has any to repeat; none need be adopted.
    """
    from boostbench.experiments.planning.repeating import in_words

    outcomes: dict[str, list[Repeated]] = {}
    for experiment in selection.load():
        name = experiment.config.name
        with showing_progress(name, quiet=quiet) as listener:
            outcomes[name] = getattr(experiment, method)(share, jobs=jobs, on_event=listener)
        if not outcomes[name]:
            print_error(f"{name}: {_NOTHING[method]}")
    parts = [(name, part) for name, each in outcomes.items() for part in each]
    rows = [{"config": name, **asdict(part)} for name, part in parts if as_json or not part.agrees]
    columns = ("config", "dataset", "booster", "code", "runs", "sample", "done", "same", "why")
    if rows or as_json:
        print_rows(rows, as_json=as_json, columns=columns)
    for name, each in outcomes.items():
        if each and not as_json:
            print(f"{name}: {in_words(each)}")
    agree = all(part.agrees for _, part in parts) and (method == "adopt" or all(outcomes.values()))
    return OK if agree else INCOMPLETE
