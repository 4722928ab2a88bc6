"""`boostbench reproduce`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from boostbench.cli.guard import INCOMPLETE, INTERRUPTED, OK
from boostbench.cli.options import Data, Jobs, Plugins, Results, Size, argument, completing
from boostbench.cli.output import print_error
from boostbench.cli.report import print_table
from boostbench.cli.run import run_and_print
from boostbench.cli.verify import in_colour
from boostbench.errors import BoostbenchError, nearest, unknown
from boostbench.experiments.configs.shipped import find_config, shipped_configs

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


def reproduce(
    papers: Annotated[
        list[str],
        argument(
            "PAPER",
            "Paper, such as softmax-boosting, or a config.",
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
    """Run, report and verify all configs of a paper.

    Does the missing runs, writes the reports, judges the claims, and writes an overview, index.html
    in the results folder. A config without the given size takes its next larger one.

    Examples:
      boostbench reproduce softmax-boosting --size quick --data DIR --jobs 2
      boostbench reproduce noise20 --data DIR
    """
    from boostbench.api import Experiment, load_experiments
    from boostbench.reports.overview import write_overview

    if size is not None and size not in _SIZES:
        raise BoostbenchError(unknown("size", size, _SIZES), where="--size")
    # Check all configs before running the first.
    experiments = load_experiments(_paths(papers), results=results, data=data, plugins=plugins)
    codes = []
    for config in [experiment.config for experiment in experiments]:
        config_size = _size_of(config, size)
        experiment = Experiment.load(config.path, results=results, data=data, size=config_size)
        print(f"== {config.name}{f' ({config_size})' if config_size else ''}", flush=True)
        codes.append(run_and_print(experiment, jobs=jobs))
        if codes[-1] == INTERRUPTED:
            return INTERRUPTED
        codes.append(_report(experiment))
    print(write_overview(results))
    return max(codes)


def _paths(references: Sequence[str]) -> list[Path]:
    """Return the configs of papers and single configs, without repetitions."""
    by_paper = configs_by_paper()
    paths: list[Path] = []
    for reference in references:
        paper = reference.rstrip("/").removeprefix("configs/")
        try:
            paths += by_paper[paper] if paper in by_paper else [find_config(reference)]
        except BoostbenchError as error:
            close = nearest(reference, by_paper)
            hint = f"; did you mean the paper {close!r}?" if close else ""
            raise BoostbenchError(f"{error.what}{hint}", where=error.where) from error
    return list(dict.fromkeys(paths))


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
    page = made.write(experiment.report_folder)[-1]
    print_table(made)
    for view in map(view_of, made.verdicts):
        print(f"{in_colour(view)} ({view.origin}): {view.says} ({view.counts})")
    print(page)
    print(experiment.pack(), end="\n\n")
    all_hold = all(verdict.status == "reproduced" for verdict in made.verdicts)
    return OK if made.is_whole and all_hold else INCOMPLETE
