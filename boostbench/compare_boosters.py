"""Comparison of boosters on catalog data sets and data files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from boostbench.api import Experiment, Listener, Paths, paths_of
from boostbench.data.adding import add_file
from boostbench.data.catalog import SUFFIXES
from boostbench.data.columns import Column
from boostbench.data.loading import load
from boostbench.errors import BoostbenchError
from boostbench.plugin_files import load_plugin
from boostbench.quantities import QUANTITIES
from boostbench.source import read_value

if TYPE_CHECKING:
    from boostbench.reports.comparison import Comparison

Booster = str | Mapping[str, Any]
#: Prefix of the data set names of copied files; no name of the catalog has it.
_PREFIX = "own-"


def compare(
    boosters: Sequence[Booster],
    on: str | Path | Sequence[str | Path],
    *,
    metric: str = "error",
    rope: float | None = None,
    jobs: int | None = None,
    executor: Literal["local", "inline"] = "local",
    on_event: Listener | None = None,
    page: str | Path | None = None,
    **options: Any,
) -> Comparison:
    """Compare boosters on one or more data sets by repeated stratified cross-validation.

    Finished runs are kept in the results folder: repeating the call, or calling with more boosters
    or repeats, does only the missing runs.

    Parameters
    ----------
    boosters, on, **options
        As for `comparison_experiment`.
    metric : str, default="error"
        Name of a metric in a config, such as ``"log_loss"``.
    rope : float or None, default=None
        Region of practical equivalence: the largest difference at which two means count as
        equivalent, in points or the unit of the metric. By default 1 point or, for metrics without
        percent, 0.01.
    jobs, executor, on_event
        As for `Experiment.run`.
    page : str, path or None, default=None
        HTML file to write the comparison to.

    Returns
    -------
    comparison : Comparison
        ``comparison.sentence`` is the conclusion, ``comparison.boosters`` a DataFrame.

    Raises
    ------
    BoostbenchError
        If a name, a file or a number is invalid, or too few runs have a result.
    KeyboardInterrupt
        After Ctrl-C; finished runs are kept.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> options = {"repeats": 1, "rounds": 5, "executor": "inline", "results": folder.name}
    >>> comparison = compare(["samme", "adaboost-mh"], "iris", **options)
    >>> list(comparison.boosters.columns)
    ['dataset', 'booster', 'runs', 'error', 'low', 'high', 'best', 'near_best']
    >>> folder.cleanup()
    """
    from boostbench.reports.comparison import rope_of

    experiment = comparison_experiment(boosters, on, metric=metric, **options)
    if experiment.run(jobs=jobs, executor=executor, on_event=on_event).interrupted:
        raise KeyboardInterrupt
    return answer(experiment, rope_of(rope, metric), page)


def answer(
    experiment: Experiment, rope: float | None = None, page: str | Path | None = None
) -> Comparison:
    """Compare the boosters by the finished runs, and write the page if its path is given."""
    from boostbench.reports.comparison import compare_boosters
    from boostbench.reports.comparison_page import write_page

    study = experiment.study()
    comparison = compare_boosters(study, rope, experiment.config.metrics[0])
    if page is not None:
        write_page(study, comparison, Path(page).expanduser())
    return comparison


def comparison_experiment(
    boosters: Sequence[Booster],
    on: str | Path | Sequence[str | Path],
    *,
    target: str = "",
    drop: Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    noise: float | str | Mapping[str, Any] = 0.0,
    folds: int = 5,
    repeats: int = 5,
    rounds: int = 100,
    metric: str = "error",
    results: str | Path = "results",
    data: Paths = (),
    plugins: Paths = (),
) -> Experiment:
    """Return the experiment that compares boosters by cross-validation.

    Parameters
    ----------
    boosters : sequence of str or mapping
        At least two boosters. Each is a name or ``FILE.py:Class``, optionally with parameters as in
        ``name:parameter=value`` (separated by commas, nested with dots, such as
        ``samme:weak_learner.tree.max_leaf_nodes=4``), or a mapping ``{name: {parameter: value}}``
        as in a config.
    on : str, path, or sequence of them
        Names of data sets, and data files, which are copied into the results folder.
    target : str, default=""
        Label column of the files; by default ``target``, otherwise ``class``.
    drop : sequence of str, default=()
        Columns of the files to leave out.
    types : mapping of str to str, default=None
        What columns of the files are, where their cells do not tell: see
        `boostbench.data.columns.Declared`.
    noise : float, str or mapping, default=0.0
        Share of the training labels to exchange, or a noise model with its parameters:
        ``uniform-other:rate=0.2``, ``FILE.py:Class:rate=0.2``, or a mapping as in a config.
    folds : int, default=5
        Number of folds of the stratified cross-validation.
    repeats : int, default=5
        Number of repetitions of the cross-validation.
    rounds : int, default=100
        Number of boosting rounds.
    metric : str, default="error"
        Metric to record and compare by.
    results, data, plugins
        As for `Experiment.load`.
    """
    names = [str(each) for each in ([on] if isinstance(on, str | Path) else on)]
    if len(boosters) < 2:
        raise BoostbenchError(f"a comparison needs two boosters or more, found {len(boosters)}")
    copies = Path(results) / "compare" / "data"
    given: dict[str, Any] = {"target": target, "drop": drop, "types": types}
    files = {name: _copy_file(name, copies, given) for name in names if _is_file(name)}
    if any(given.values()) and not files:
        raise BoostbenchError("target, drop and types are given, but no data file is given")
    for plugin in paths_of(plugins):
        load_plugin(plugin)
    config = {
        "name": "compare",
        "boosters": [_booster_entry(booster) for booster in boosters],
        "rounds": rounds,
        "datasets": [files.get(name, name) for name in names],
        "split": {"folds": folds, "stratify": True},
        "noise": _noise_entry(noise),
        "seeds": repeats,
        "metrics": [metric],
        "report": _report_on(metric),
    }
    folders = [*paths_of(data), *([copies] if files else [])]
    return Experiment.load(config, results=results, data=folders, plugins=plugins)


def _report_on(metric: str) -> list[Any]:
    """Return the figures of a comparison by a metric."""
    name = QUANTITIES.asked_by("metrics").get(metric)
    if name is None:
        return []  # the config is refused
    quantity = QUANTITIES[name]
    has_curve = quantity.kept == "rounds" and not quantity.always
    return [{"curves": {"y": name}} if has_curve else "curves"]


def file_columns(experiment: Experiment) -> Iterator[tuple[str, tuple[Column, ...]]]:
    """Yield the label of each data file, and what its columns became."""
    for entry in experiment.config.datasets:
        if entry.data.name.startswith(_PREFIX):
            yield entry.data.label, load(entry.data.name, data_dirs=experiment.data).columns


def _booster_entry(booster: Booster) -> Booster:
    """Return the config entry for ``name:parameter=value,...``."""
    if not isinstance(booster, str):
        return booster
    name, params = _split_parameters(booster)
    return {name: {"label": booster, **params}} if params else booster


def _noise_entry(noise: float | str | Mapping[str, Any]) -> str | Mapping[str, Any]:
    """Return the config entry for a rate, or for ``model:parameter=value,...``."""
    if isinstance(noise, Mapping):
        return noise
    try:
        rate = float(noise)
    except ValueError:
        model, params = _split_parameters(str(noise))
        return {"model": model, **params}
    return {"model": "exchange", "rate": rate} if rate else "none"


def _split_parameters(text: str) -> tuple[str, dict[str, Any]]:
    """Split ``name:parameter=value,...`` into the name and the nested parameters."""
    match = re.fullmatch(r"(.+?):([\w.]+=.*)", text)
    if match is None:
        return text, {}
    params: dict[str, Any] = {}
    for part in re.split(r",(?=[\w.]+=)", match[2]):
        path, _, value_text = part.partition("=")
        value, error = read_value(value_text, text)
        if error is not None:
            raise error
        *outer, last = path.split(".")
        inner = params
        for key in outer:
            inner = inner.setdefault(key, {})
        inner[last] = value
    return match[1], params


def _is_file(name: str) -> bool:
    path = Path(name)
    return path.name.lower().endswith(SUFFIXES) or bool(path.suffix and path.is_file())


def _copy_file(name: str, folder: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """Copy a file into a data folder and return its config entry."""
    path = Path(name).expanduser()
    stem = path.name.partition(".")[0]
    dataset = _PREFIX + re.sub(r"[^\w-]+", "-", stem)
    add_file(path, dataset, folder, **given, replace=True)
    return {dataset: {"as": stem}}
