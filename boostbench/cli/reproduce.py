"""`boostbench reproduce`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from boostbench.cli.guard import INCOMPLETE, INTERRUPTED, OK
from boostbench.cli.options import Experiments, Jobs
from boostbench.cli.output import print_error
from boostbench.cli.report import print_table
from boostbench.cli.run import run_and_print
from boostbench.cli.verify import in_colour
from boostbench.errors import BoostbenchError, unknown
from boostbench.experiments.configs.shipped import shipped_configs

if TYPE_CHECKING:
    from boostbench.api import Experiment
    from boostbench.experiments.configs.config import Config

_SIZES = ("quick", "standard", "full")


def configs_by_paper() -> dict[str, list[Path]]:
    """Return the shipped configs by paper: those in its folder, then others that refer to it."""
    from boostbench.experiments.configs.layers import read_extended

    configs: dict[str, list[Path]] = {}
    for name, path in sorted(shipped_configs().items(), key=lambda item: "/" not in item[0]):
        paper = name.rpartition("/")[0] or read_extended(path, [])[0].data.get("paper", "")
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
    codes = []
    for experiment in experiments:
        config, sized = experiment.config, _size_of(experiment.config, size)
        if sized:
            chosen = replace(selection, configs=[str(config.path)], size=sized)
            (experiment,) = chosen.load()
        print(f"== {config.name}{f' ({sized})' if sized else ''}", flush=True)
        codes.append(run_and_print(experiment, jobs=jobs))
        if codes[-1] == INTERRUPTED:
            return INTERRUPTED
        codes.append(_report(experiment))
    print(write_overview(selection.results))
    return max(codes)


def _size_of(config: Config, size: str | None) -> str | None:
    """Return the given size or the next larger one of a config; None if it has neither."""
    larger = _SIZES[_SIZES.index(size) :] if size else ()
    return next((name for name in larger if name in config.sizes), None)


def _report(experiment: Experiment) -> int:
    """Write a report and print its verdicts; return 0 if it is complete and all claims hold."""
    from boostbench.reports.claims.view import view_of

    try:
        made = experiment.report()
    except BoostbenchError as error:
        # A config without any run, for example without its data, does not stop the others.
        print_error(error)
        return INCOMPLETE
    print_table(made)
    print(made.write(experiment.report_folder)[-1], experiment.pack(), sep="\n")
    for view in map(view_of, made.verdicts):
        print(f"{in_colour(view)} ({view.origin}): {view.says} ({view.counts})")
    print()
    all_hold = all(verdict.status == "reproduced" for verdict in made.verdicts)
    return OK if made.is_whole and all_hold else INCOMPLETE
