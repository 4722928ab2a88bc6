"""`boostbench adopt`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import (
    Configs,
    Data,
    Jobs,
    Json,
    Only,
    Plugins,
    Quiet,
    Results,
    Settings,
    Size,
)
from boostbench.cli.output import print_rows, warn_of_damage
from boostbench.cli.progress import showing_progress


def adopt(
    configs: Configs,
    *,
    data: Data,
    results: Results = Path("results"),
    sample: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="How many of the stale runs of each booster on each data set are done again; at "
            "least one.",
        ),
    ] = 0.05,
    jobs: Jobs = None,
    only: Only,
    settings: Settings,
    size: Size = None,
    plugin: Plugins,
    quiet: Quiet = False,
    as_json: Json = False,
) -> int:
    """Keep stale results that a change of the code left as they are.

    Of each booster on each data set some runs are done again. If they give what the old records
    say, the other records of that code are adopted, with a note in each; if one differs, all stay
    stale. The exit code is 1 if some do.

    Examples:
      boostbench adopt noise20 --data DIR
      boostbench adopt configs/softmax-boosting/figures1-4.yaml --sample 0.1 --jobs 2
    """
    from boostbench.api import load_experiments

    experiments = load_experiments(
        configs,
        results=results,
        data=data,
        overrides=settings,
        size=size,
        only=only,
        plugins=plugin,
    )
    rows = []
    for experiment in experiments:
        with showing_progress(experiment.config.name, quiet=quiet) as listener:
            rows += experiment.revalidate(sample, jobs=jobs, on_event=listener)
        warn_of_damage(experiment.store)
    if rows or as_json:
        print_rows([asdict(row) for row in rows], as_json=as_json)
    else:
        print("nothing is stale for its code alone")
    return INCOMPLETE if any(row.stale for row in rows) else OK
