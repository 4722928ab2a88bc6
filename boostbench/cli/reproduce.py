"""`boostbench reproduce`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli.guard import INCOMPLETE, INTERRUPTED, OK
from boostbench.cli.options import Data, Jobs, Plugins, Results, Size
from boostbench.cli.output import warn_of_damage
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
    """Return the shipped configs by paper: those in its folder, and others that name it."""
    from boostbench.experiments.configs.file import load_config
    from boostbench.reports.overview import paper_of

    found: dict[str, list[Path]] = {}
    elsewhere = []
    for name, path in shipped_configs().items():
        folder, in_folder, _ = name.rpartition("/")
        if in_folder:
            found.setdefault(folder, []).append(path)
        else:
            elsewhere.append(path)
    for path in elsewhere:
        paper = paper_of(load_config(path, check_parameters=False))
        if paper in found:
            found[paper].append(path)
    return found


def _paper_names(incomplete: str) -> list[str]:
    folders = {name.rpartition("/")[0] for name in shipped_configs()} - {""}
    return sorted(name for name in folders if name.startswith(incomplete))


def reproduce(
    papers: Annotated[
        list[str],
        typer.Argument(
            metavar="PAPER",
            help="A folder of the shipped configs, such as softmax-boosting; or single configs, "
            "by path or name.",
            autocompletion=_paper_names,
            show_default=False,
        ),
    ],
    *,
    data: Data,
    results: Results = Path("results"),
    jobs: Jobs = None,
    size: Size = None,
    plugin: Plugins,
) -> int:
    """Run, report and verify everything of a paper.

    Every config is run (finished runs are kept), reported on and judged; then README.md in the
    results folder tells of all experiments there. A config without the size asked for takes its
    next larger one, in the end itself.

    Examples:
      boostbench reproduce softmax-boosting --size quick --data DIR --jobs 2
      boostbench reproduce noise20 --data DIR
    """
    from boostbench.api import Experiment, load_experiments
    from boostbench.reports.overview import write_overview

    if size is not None and size not in _SIZES:
        raise BoostbenchError(unknown("size", size, _SIZES), where="--size")
    # All of them are checked before the first is run.
    experiments = load_experiments(_paths(papers), results=results, data=data, plugins=plugin)
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
    known = configs_by_paper()
    found: dict[Path, None] = {}
    for reference in references:
        name = _paper_name(reference)
        if name in known:
            found |= dict.fromkeys(known[name])
            continue
        try:
            found[find_config(reference)] = None
        except BoostbenchError as error:
            close = nearest(reference, known)
            hint = f"; did you mean the paper {close!r}?" if close else ""
            raise BoostbenchError(f"{error.what}{hint}", where=error.where) from error
    return list(found)


def _paper_name(reference: str) -> str:
    return reference.rstrip("/").removeprefix("configs/")


def _size_of(config: Config, size: str | None) -> str | None:
    """Return the size asked for, or the next larger one that the config has."""
    larger = _SIZES[_SIZES.index(size) :] if size else ()
    return next((name for name in larger if name in config.sizes), None)


def _report(experiment: Experiment) -> int:
    """Report on a config and print its verdicts; 1 unless all runs and claims are well."""
    try:
        made = experiment.report()
    except BoostbenchError as error:
        # Without a single run, for instance for want of the data, the other configs go on.
        print(f"boostbench: {error}", file=sys.stderr)
        return INCOMPLETE
    finally:
        warn_of_damage(experiment.store)
    print_table(made)
    for verdict in made.verdicts:
        print(f"{in_colour(verdict.status)}: {verdict.claim.says} ({verdict.reasons[0]})")
    print(made.write(experiment.report_folder)[-1], end="\n\n")
    all_hold = all(verdict.status == "reproduced" for verdict in made.verdicts)
    return OK if made.is_whole and all_hold else INCOMPLETE
