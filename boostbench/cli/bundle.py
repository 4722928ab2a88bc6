"""`boostbench bundle`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boostbench.cli.guard import OK
from boostbench.cli.options import Experiments


def bundle(
    *,
    selection: Experiments,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for NAME.zip of each config."),
    ] = Path("."),
) -> int:
    """Write an experiment to one archive that others can verify.

    The archive holds the config with all files that it uses, the catalogs of data sets, all
    records, the report, the environment and the checksums of the data, but no raw data.
    `boostbench verify NAME.zip` repeats some of the runs on another machine.

    Examples:
      boostbench bundle noise20
      boostbench bundle my-study.yaml --results DIR --output DIR
    """
    from boostbench.bundles import write_bundle

    for experiment in selection.load(check_parameters=False):
        file = output / f"{experiment.report_folder.name}.zip"
        write_bundle(experiment, file)
        print(file)
    return OK
