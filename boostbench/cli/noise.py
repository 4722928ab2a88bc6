"""`boostbench noise`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boostbench.cli.guard import OK
from boostbench.cli.options import SelectedRuns
from boostbench.errors import BoostbenchError

_SUFFIXES = (".png", ".svg", ".pdf")


def noise(
    *,
    selection: SelectedRuns,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="Write this .png, .svg or .pdf file."),
    ] = Path("noise.png"),
) -> int:
    """Draw the label noise of a config.

    For each data set and noise, draws the training samples of the first seed (and fold) in two
    dimensions, with their corrupted labels, and the confusion matrix of the labels. Nothing is
    trained.

    Examples:
      boostbench noise noise20 --only letter -o letter.png
      boostbench noise quickstart --set datasets=[wine] --set 'noise={model: rater, rate: 0.2}'
    """
    if output.suffix not in _SUFFIXES:
        raise BoostbenchError(f"write to a {', '.join(_SUFFIXES)} file", where=f"--output {output}")

    from boostbench.reports.figures.style import files_of
    from boostbench.reports.figures.wrong_labels import draw_noise
    from boostbench.reports.files import write_file

    experiments = selection.load()
    if len(experiments) > 1:
        raise BoostbenchError("a figure shows one config; name only one", where="noise")
    files = files_of(draw_noise(experiments[0].runs, experiments[0].data))
    print(write_file(output, getattr(files, output.suffix[1:])))
    return OK
