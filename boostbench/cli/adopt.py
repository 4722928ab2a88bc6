"""`boostbench adopt`."""

from __future__ import annotations

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import Jobs, Json, Quiet, Sample, SelectedRuns
from boostbench.cli.output import print_repeated
from boostbench.cli.progress import showing_progress


def adopt(
    *,
    selection: SelectedRuns,
    sample: Sample = 0.05,
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> int:
    """Keep stale results that a code change does not affect.

    Repeats some runs of each booster on each data set. If all results equal the old records, the
    other records of the same code are kept, with a note in each. The exit code is 1 if records stay
    stale.

    Examples:
      boostbench adopt noise20 --data DIR
      boostbench adopt configs/softmax-boosting/figures1-4.yaml --sample 0.1 --jobs 2
    """
    outcomes = {}
    for experiment in selection.load():
        name = experiment.config.name
        with showing_progress(name, quiet=quiet) as listener:
            outcomes[name] = experiment.adopt(sample, jobs=jobs, on_event=listener)
    print_repeated(outcomes, as_json=as_json, nothing="no run is stale because of its code alone")
    agree = all(part.agrees for each in outcomes.values() for part in each)
    return OK if agree else INCOMPLETE
