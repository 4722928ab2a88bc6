"""Comparison of boosters on any data: an experiment of names and files, and its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from boostbench.api import Experiment, Listener, Paths, paths_of
from boostbench.data import load
from boostbench.data.adding import add_file, row_numbers
from boostbench.data.catalog import SUFFIXES
from boostbench.errors import BoostbenchError
from boostbench.source import read_value

if TYPE_CHECKING:
    from boostbench.reports.comparison import Comparison

Booster = str | Mapping[str, Any]
#: Begins the name of a file's copy: no name of the catalog.
_OWN = "own-"


def compare(
    boosters: Sequence[Booster],
    on: str | Path | Sequence[str | Path],
    *,
    rope: float = 1.0,
    jobs: int | None = None,
    executor: Literal["local", "inline"] = "local",
    on_event: Listener | None = None,
    page: str | Path | None = None,
    **options: Any,
) -> Comparison:
    """Compare boosters on one or more data sets by repeated stratified cross-validation.

    Finished runs are kept in the results folder: the same call again, or one with more boosters or
    repeats, does only what is missing.

    Parameters
    ----------
    boosters, on, **options
        As for `comparison_experiment`.
    rope : float, default=1.0
        Points within which two errors are practically equivalent.
    jobs, executor, on_event
        As for `Experiment.run`.
    page : str, path or None, default=None
        HTML file that the answer is written to.

    Returns
    -------
    comparison : Comparison
        ``comparison.sentence`` is the answer, ``comparison.boosters`` a DataFrame.

    Raises
    ------
    BoostbenchError
        If a name, a file or a number is wrong, or too few runs have a result.
    KeyboardInterrupt
        After Ctrl-C; finished runs are kept.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> options = {"repeats": 1, "rounds": 5, "executor": "inline", "results": folder.name}
    >>> found = compare(["samme", "adaboost-mh"], "iris", **options)
    >>> list(found.boosters.columns)
    ['dataset', 'booster', 'runs', 'error', 'low', 'high', 'best', 'near_best']
    >>> folder.cleanup()
    """
    from boostbench.reports.comparison import check_rope

    check_rope(rope)
    experiment = comparison_experiment(boosters, on, **options)
    if experiment.run(jobs=jobs, executor=executor, on_event=on_event).interrupted:
        raise KeyboardInterrupt
    return answer(experiment, rope, page)


def answer(experiment: Experiment, rope: float, page: str | Path | None = None) -> Comparison:
    """Return which booster is best by the finished runs, and write it as a page."""
    from boostbench.reports.comparison import compare_boosters
    from boostbench.reports.comparison_page import write_page

    study = experiment.study()
    found = compare_boosters(study, rope)
    if page is not None:
        write_page(study, found, Path(page).expanduser())
    return found


def comparison_experiment(
    boosters: Sequence[Booster],
    on: str | Path | Sequence[str | Path],
    *,
    target: str = "",
    noise: float | str | Mapping[str, Any] = 0.0,
    folds: int = 5,
    repeats: int = 5,
    rounds: int = 100,
    results: str | Path = "results",
    data: Paths = (),
    plugins: Paths = (),
) -> Experiment:
    """Return the experiment whose results answer which booster is best.

    Parameters
    ----------
    boosters : sequence of str or mapping
        At least two: names, ``FILE.py:Class``, with parameters ``name:parameter=value`` (several
        with commas, inner ones with dots, as in ``samme:weak_learner.tree.max_leaf_nodes=4``), or
        ``{name: {parameter: value}}`` as in a config.
    on : str, path, or sequence of them
        Names of data sets, and files, which are copied into the results folder.
    target : str, default=""
        Label column of the files; ``target``, else ``class``, by default.
    noise : float, str or mapping, default=0.0
        Share of the training labels that are exchanged, or any noise model with its parameters:
        ``uniform-other:rate=0.2``, ``FILE.py:Class:rate=0.2``, or a mapping as in a config.
    folds, repeats : int, default=5
        So many times cross-validation with so many folds, stratified.
    rounds : int, default=100
    results, data, plugins
        As for `Experiment.load`.
    """
    names = [str(each) for each in ([on] if isinstance(on, str | Path) else on)]
    if len(boosters) < 2:
        raise BoostbenchError(f"a comparison needs two boosters or more, found {len(boosters)}")
    own = Path(results) / "compare" / "data"
    files = {name: _take(name, own, target) for name in names if _is_file(name)}
    if target and not files:
        raise BoostbenchError(f"no file is given whose label column {target!r} could be")
    config = {
        "name": "compare",
        "boosters": [_booster(booster) for booster in boosters],
        "rounds": rounds,
        "datasets": [files.get(name, name) for name in names],
        "split": {"folds": folds, "stratify": True},
        "noise": _noise(noise),
        "seeds": repeats,
        "report": ["distribution", "curves"],
    }
    folders = [*paths_of(data), *([own] if files else [])]
    return Experiment.load(config, results=results, data=folders, plugins=plugins)


def numbering_features(experiment: Experiment) -> Iterator[tuple[str, str]]:
    """Yield files, and features of theirs that only number the rows."""
    for entry in experiment.config.datasets:
        if entry.data.name.startswith(_OWN):
            for feature in row_numbers(load(entry.data.name, data_dirs=experiment.data)):
                yield entry.data.label, feature


def _booster(written: Booster) -> Booster:
    """Return the entry of a config for ``name:parameter=value,...``."""
    if not isinstance(written, str):
        return written
    name, params = _named(written)
    return {name: {"label": written, **params}} if params else written


def _noise(written: float | str | Mapping[str, Any]) -> str | Mapping[str, Any]:
    """Return the entry of a config for a rate, or for ``model:parameter=value,...``."""
    if isinstance(written, Mapping):
        return written
    try:
        rate = float(written)
    except ValueError:
        model, params = _named(str(written))
        return {"model": model, **params}
    return {"model": "exchange", "rate": rate} if rate else "none"


def _named(written: str) -> tuple[str, dict[str, Any]]:
    """Return a name and its parameters from ``name:parameter=value,...``."""
    match = re.fullmatch(r"(.+?):([\w.]+=.*)", written)
    if match is None:
        return written, {}
    params: dict[str, Any] = {}
    for part in re.split(r",(?=[\w.]+=)", match[2]):
        path, _, text = part.partition("=")
        value, complaint = read_value(text, written)
        if complaint is not None:
            raise complaint
        *outer, last = path.split(".")
        inner = params
        for key in outer:
            inner = inner.setdefault(key, {})
        inner[last] = value
    return match[1], params


def _is_file(name: str) -> bool:
    path = Path(name)
    return path.name.lower().endswith(SUFFIXES) or bool(path.suffix and path.is_file())


def _take(name: str, folder: Path, target: str) -> dict[str, Any]:
    """Copy a file into a data folder and return the entry of a config for it."""
    path = Path(name).expanduser()
    stem = path.name.partition(".")[0]
    own = _OWN + re.sub(r"[^\w-]+", "-", stem)
    add_file(path, own, folder, target=target)
    return {own: {"as": stem}}
