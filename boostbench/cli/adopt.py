"""`boostbench adopt`."""

from __future__ import annotations

from dataclasses import asdict

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import Jobs, Json, Quiet, Sample, SelectedRuns
from boostbench.cli.output import print_rows
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

    Some runs of each booster on each data set are repeated. If their results equal the old records,
    the other records of the same code are adopted, with a note in each; if one result differs, all
    of them stay stale. The exit code is 1 if records stay stale.

    Examples:
      boostbench adopt noise20 --data DIR
      boostbench adopt configs/softmax-boosting/figures1-4.yaml --sample 0.1 --jobs 2
    """
    rows = []
    for experiment in selection.load():
        with showing_progress(experiment.config.name, quiet=quiet) as listener:
            rows += experiment.revalidate(sample, jobs=jobs, on_event=listener)
    nothing = "no run is stale only because of its code"
    print_rows([asdict(row) for row in rows], as_json=as_json, nothing=nothing)
    return INCOMPLETE if any(row.stale for row in rows) else OK
