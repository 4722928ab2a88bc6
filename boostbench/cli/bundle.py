"""`boostbench bundle`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boostbench.cli.guard import OK
from boostbench.cli.options import Experiments
from boostbench.cli.output import warn_of_damage


def bundle(
    *,
    asked: Experiments,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Folder that gets a NAME.zip for each config."
        ),
    ] = Path("."),
) -> int:
    """Write an experiment into one archive, for others to verify.

    It holds the config with what it extends and all files that they name, catalogs of data sets,
    every record, the report, environment and checksums of the data; no raw data.
    `boostbench verify NAME.zip` does some of the runs again on another machine.

    Examples:
      boostbench bundle noise20
      boostbench bundle my-study.yaml --results DIR --output DIR
    """
    from boostbench.bundles import write_bundle

    for experiment in asked.load(check_parameters=False):
        file = output / f"{experiment.report_folder.name}.zip"
        write_bundle(experiment, file)
        print(file)
        warn_of_damage(experiment.store)
    return OK
