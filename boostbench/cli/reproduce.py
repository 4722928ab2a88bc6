"""`boostbench reproduce`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli.guard import INCOMPLETE, INTERRUPTED, OK
from boostbench.cli.options import Data, Jobs, Plugins, Results, Size, completing
from boostbench.cli.output import complain, warn_of_damage
from boostbench.cli.report import print_table
from boostbench.cli.run import run_and_tell
from boostbench.cli.verify import in_colour
from boostbench.errors import BoostbenchError, nearest, unknown
from boostbench.experiments.configs.shipped import find_config, shipped_configs

if TYPE_CHECKING:
    from boostbench.api import Experiment
    from boostbench.experiments.configs.config import Config

_SIZES = ("quick", "standard", "full")


def configs_by_paper() -> dict[str, list[Path]]:
    """Return the shipped configs by paper: those in its folder, then others that name it."""
    from boostbench.experiments.configs.layers import read_extended

    found: dict[str, list[Path]] = {}
    for name, path in sorted(shipped_configs().items(), key=lambda item: "/" not in item[0]):
        paper = name.rpartition("/")[0] or read_extended(path)[0].data.get("paper", "")
        found.setdefault(paper.partition(",")[0].strip(), []).append(path)
    found.pop("", None)
    return found


def reproduce(
    papers: Annotated[
        list[str],
        typer.Argument(
            metavar="PAPER",
            help="A folder of the shipped configs, such as softmax-boosting; or single configs, "
            "by path or name.",
            autocompletion=completing(configs_by_paper),
        ),
    ],
    *,
    data: Data,
    results: Results = Path("results"),
    jobs: Jobs = None,
    size: Size = None,
    plugins: Plugins,
) -> int:
    """Run, report and verify everything of a paper.

    Every config is run (finished runs are kept), its report is written and its claims are judged;
    then README.md in the results folder summarizes all experiments there. A config without the
    given size takes its next larger size; without a larger one it is run as it is.

    Examples:
      boostbench reproduce softmax-boosting --size quick --data DIR --jobs 2
      boostbench reproduce noise20 --data DIR
    """
    from boostbench.api import Experiment, load_experiments
    from boostbench.reports.overview import write_overview

    if size is not None and size not in _SIZES:
        raise BoostbenchError(unknown("size", size, _SIZES), where="--size")
    # All configs are checked before the first is run.
    experiments = load_experiments(_paths(papers), results=results, data=data, plugins=plugins)
    codes = []
    for config in [experiment.config for experiment in experiments]:
        its_size = _size_of(config, size)
        experiment = Experiment.load(config.path, results=results, data=data, size=its_size)
        print(f"== {config.name}{f' ({its_size})' if its_size else ''}", flush=True)
        codes.append(run_and_tell(experiment, jobs=jobs))
        if codes[-1] == INTERRUPTED:
            return INTERRUPTED
        codes.append(_report(experiment))
    print(write_overview(results))
    return max(codes)


def _paths(references: Sequence[str]) -> list[Path]:
    """Return the configs of papers, and those named singly, each once."""
    known = configs_by_paper()
    found: list[Path] = []
    for reference in references:
        paper = reference.rstrip("/").removeprefix("configs/")
        try:
            found += known[paper] if paper in known else [find_config(reference)]
        except BoostbenchError as error:
            close = nearest(reference, known)
            hint = f"; did you mean the paper {close!r}?" if close else ""
            raise BoostbenchError(f"{error.what}{hint}", where=error.where) from error
    return list(dict.fromkeys(found))


def _size_of(config: Config, size: str | None) -> str | None:
    """Return the given size, or the next larger one that the config has."""
    larger = _SIZES[_SIZES.index(size) :] if size else ()
    return next((name for name in larger if name in config.sizes), None)


def _report(experiment: Experiment) -> int:
    """Write a report and print its verdicts; return 1 unless all runs and claims are well."""
    try:
        made = experiment.report()
    except BoostbenchError as error:
        # A config without a single run, for instance because its data is absent, stops no other.
        complain(error)
        return INCOMPLETE
    finally:
        warn_of_damage(experiment.store)
    page = made.write(experiment.report_folder)[-1]
    print_table(made)
    for verdict in made.verdicts:
        claim = verdict.claim
        print(f"{in_colour(verdict.status)} ({claim.origin}): {claim.says} ({verdict.reasons[0]})")
    print(page)
    print(experiment.pack(), end="\n\n")
    all_hold = all(verdict.status == "reproduced" for verdict in made.verdicts)
    return OK if made.is_whole and all_hold else INCOMPLETE
