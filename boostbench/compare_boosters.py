"""Comparison of boosters on catalog data sets and data files."""

from __future__ import annotations

import inspect
import json
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from boostbench.api import Experiment, Listener, Paths, paths_of
from boostbench.data.adding import add_file, is_data_file
from boostbench.data.cautions import cautions, leaks_of
from boostbench.data.columns import Column
from boostbench.data.dataset import Dataset
from boostbench.data.loading import load
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.file import load_config
from boostbench.inputs import FILE_MODULE, is_installed, load_plugins, write_plugin
from boostbench.quantities import QUANTITIES
from boostbench.registry import Registry, weak_learners
from boostbench.registry import boosters as known_boosters
from boostbench.resources import shipped
from boostbench.source import read_value
from boostbench.whole_files import in_home, write_file

if TYPE_CHECKING:
    from boostbench.reports.comparison import Comparison

Booster = str | Mapping[str, Any] | Any
#: Prefix of the data set names of copied files; no name of the catalog has it.
PREFIX = "own-"
#: A parameter of ``name:parameter=value,...`` that is no list, since lists name their own variants.
_FIXED = re.compile(r"(?:[\w.]+[.])?(\w+=(?!\s*\[).*?)(?=,[\w.]+=|$)")
_LEAK = "alone gives the label; --drop it unless it is known before"
_DIVIDES = "training and test rows, for 'split: official' in a config; not used here"
#: Folder of the report whose table of recommendations is the advice.
ADVICE = "results/noise-study-defaults-standard"
#: Columns of that table in its CSV file, and as they are shown.
_ADVICE_COLUMNS = {
    "classes": "classes",
    "wrong_labels": "wrong labels",
    "take": "take",
    "nexttoit": "next to it",
    "error(%)": "error (%)",
    "regretelsewhere": "regret elsewhere",
}


def compare(
    boosters: Sequence[Booster],
    on: Paths,
    *,
    rope: float | None = None,
    jobs: int | None = None,
    executor: Literal["local", "inline"] = "local",
    on_event: Listener | None = None,
    page: str | Path | None = None,
    **options: Any,
) -> Comparison:
    """Compare boosters on one or more data sets by repeated stratified cross-validation.

    Finished runs are kept in the results folder: repeating the call, or calling with more boosters
    or repeats, does only the missing runs. A class with fewer samples than folds is warned of.

    Parameters
    ----------
    boosters, on, **options
        As for `experiment_on`; at least two boosters.
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
    experiment = comparison_experiment(boosters, on, rope, **options)
    folds = len({run.split for run in experiment.runs})
    for label, dataset in data_of(experiment):
        for remark in cautions(dataset, folds):
            warnings.warn(f"{label}: {remark}", stacklevel=2)
    if experiment.run(jobs=jobs, executor=executor, on_event=on_event).interrupted:
        raise KeyboardInterrupt
    comparison = answer(experiment, rope, page)
    remember(experiment, comparison, on=on, **options)
    return comparison


def answer(
    experiment: Experiment, rope: float | None = None, page: str | Path | None = None
) -> Comparison:
    """Compare the boosters by the finished runs, and write the page if its path is given."""
    from boostbench.reports.comparison import compare_boosters, write_page

    study = experiment.study()
    data, metric = dict(data_of(experiment)), experiment.config.metrics[0]
    comparison = compare_boosters(study, data, rope, metric)
    if page is not None:
        write_page(study, comparison, in_home(page))
    return comparison


def remember(
    experiment: Experiment, comparison: Comparison, **options: Any
) -> list[dict[str, Any]]:
    """Store the best booster of each data set in the results folder, for `last_winner`.

    Returns
    -------
    winners : list of dict
        Options of `boostbench.models.fit_model`, one for each data set.
    """
    kept = ("target", "drop", "types", "encode", "rounds", "data", "plugins")
    same = {key: options[key] for key in kept if options.get(key) not in (None, "ordinal")}
    by_label = {each.label or each.name: each for each in experiment.config.boosters}
    winners = []
    for on in _names(options["on"]):
        rows = comparison.boosters[comparison.boosters["dataset"] == _stem(on)]
        if len(rows):
            best = by_label[rows["booster"].iloc[0]]
            params = best.params.plain()
            told = ",".join(f"{key}={json.dumps(value)}" for key, value in params.items())
            own = {"rounds": best.rounds} if best.rounds else {}
            name = ":".join(filter(None, [best.component, told]))
            winners.append({"booster": name, "on": on, **same, **own})
    path = _folder(options.get("results", "results")) / "last.json"
    write_file(path, json.dumps(winners, indent=2, default=str).encode())
    return winners


def last_winner(results: str | Path = "results", on: str = "") -> dict[str, Any]:
    """Return the options of `boostbench.models.fit_model` for the best of the last `compare`.

    Parameters
    ----------
    results : str or path, default="results"
    on : str, default=""
        One of the data sets of that comparison; may be omitted if it had one.

    Raises
    ------
    BoostbenchError
        If there is no such comparison.
    """
    path = _folder(results) / "last.json"
    winners: dict[str, dict[str, Any]] = {}
    with suppress(OSError, ValueError, LookupError, TypeError):  # absent, or damaged
        winners = {each["on"]: each for each in json.loads(path.read_bytes())}
    if not winners:
        what = "name a booster; without one, the best of the last 'boostbench compare' is fitted"
        raise BoostbenchError(f"{what}, and there was none", where=str(results))
    if on not in winners and (on or len(winners) > 1):
        known = ", ".join(winners)
        what = f"the last comparison was on {known}; name a booster, or one of these with --on"
        raise BoostbenchError(what, where=str(path))
    return winners[on or next(iter(winners))]


def advised(on: Paths, **options: Any) -> tuple[list[dict[str, str]], list[Booster]]:
    """Return what the noise study recommends for data sets, and the boosters to compare on them.

    Parameters
    ----------
    on, **options
        As for `experiment_on`.

    Returns
    -------
    rows : list of dict
        Rows of the study's table of recommendations that are for data with as many classes.
    boosters : list of mapping
        All that these rows recommend, and those next to it if the share of wrong labels is unknown.

    Raises
    ------
    BoostbenchError
        If the file with the recommendations is missing, or as for `experiment_on`.
    """
    with TemporaryDirectory() as folder:  # a copy of a file is not kept
        experiment = experiment_on(["samme"], on, **{**options, "results": folder})
        two = {data.n_classes == 2 for _, data in data_of(experiment)}
    table = shipped(ADVICE) / "recommended.csv"
    if not table.is_file():
        what = "the recommendations of the noise study are not here; name boosters to compare"
        raise BoostbenchError(what, where=str(table))
    read = pd.read_csv(table, usecols=[*_ADVICE_COLUMNS], dtype=str, keep_default_na=False)
    read = read[read["classes"].eq("2").isin(two)].rename(columns=_ADVICE_COLUMNS)
    rows: list[Any] = read.to_dict("records")
    config = load_config("noise-study/defaults", ["claims="], check_parameters=False)
    known = {each.label: each for each in config.boosters}
    unknown = [row for row in rows if row["wrong labels"] == "unknown"]
    beside = [label for row in unknown for label in row["next to it"].split(", ")]
    labels = dict.fromkeys([*(row["take"] for row in rows), *beside])
    chosen = [known[label] for label in labels if label in known]
    return rows, [{b.component: {"label": b.label, **b.params.plain()}} for b in chosen]


def comparison_experiment(
    boosters: Sequence[Booster], on: Paths, rope: float | None = None, **options: Any
) -> Experiment:
    """Return the experiment that compares boosters by cross-validation.

    Parameters
    ----------
    boosters, on, **options
        As for `experiment_on`; at least two boosters.
    rope : float or None, default=None
        As for `compare`; only checked.
    """
    from boostbench.reports.comparison import rope_of

    rope_of(rope, options.get("metric", "error"))  # before the training
    boosters = [boosters] if isinstance(boosters, str) else boosters
    if len(boosters) < 2:
        raise BoostbenchError(f"name two boosters or more, or take --advise; found {len(boosters)}")
    return experiment_on(boosters, on, **options)


def experiment_on(
    boosters: Sequence[Booster],
    on: Paths,
    *,
    target: str = "",
    drop: Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    encode: str = "ordinal",
    noise: float | str | Mapping[str, Any] = 0.0,
    folds: int = 5,
    repeats: int = 5,
    rounds: int = 100,
    metric: str = "error",
    results: str | Path = "results",
    data: Paths = (),
    plugins: Paths = (),
    name: str = "compare",
) -> Experiment:
    """Return the experiment that cross-validates boosters.

    Parameters
    ----------
    boosters : sequence of str, mapping or estimator
        Each is a name or ``FILE.py:Class``, optionally with parameters as in
        ``name:parameter=value`` (separated by commas, nested with dots, such as
        ``samme:weak_learner.tree.max_leaf_nodes=4``), a mapping ``{name: {parameter: value}}``
        as in a config, or a classifier object or its class, also of a notebook or of the running
        script. The runs set the seed of an object; its number of rounds counts if it is not the
        default.
    on : str, path, or sequence of them
        Names of data sets, and data files, which are copied into the results folder.
    target : str, default=""
        Label column of the files; by default ``target``, otherwise ``class``.
    drop : sequence of str, default=()
        Columns of the files to leave out.
    types : mapping of str to str, default=None
        What columns of the files are, where their cells do not tell: see
        `boostbench.data.cells.Declared`.
    encode : {"ordinal", "one-hot"}, default="ordinal"
        Encoding of categories, see `boostbench.data.loading.load`.
    noise : float, str or mapping, default=0.0
        Share of the training labels that are made wrong, uniformly (``uniform-other``), or a noise
        model with its parameters: ``pair:rate=0.2``, ``FILE.py:Class:rate=0.2``, or a mapping as in
        a config.
    folds : int, default=5
        Number of folds of the stratified cross-validation.
    repeats : int, default=5
        Number of repetitions of the cross-validation.
    rounds : int, default=100
        Number of boosting rounds.
    metric : str, default="error"
        Name of a metric in a config, such as ``"log_loss"``, to record and compare by.
    results, data, plugins
        As for `Experiment.load`.
    name : str, default="compare"
        Name of the experiment, in messages.
    """
    names = _names(on)
    if twice := [stem for stem, n in Counter(map(_stem, names)).items() if n > 1]:
        what = f"two data sets are called {twice[0]!r}; name each once, or rename a file"
        raise BoostbenchError(what, where="--on")
    copies = _folder(results) / "data"
    given: dict[str, Any] = {"target": target, "drop": drop, "types": types}
    load_plugins(paths_of(plugins))
    curve = QUANTITIES.asked_by("metrics").get(metric, "test_error")  # a wrong one is refused
    has_own_curve = QUANTITIES[curve].kept == "rounds" and not QUANTITIES[curve].always
    config = {
        "name": name,
        "boosters": [_booster_entry(booster, _folder(results)) for booster in boosters],
        "rounds": rounds,
        "split": {"folds": folds, "stratify": True},
        "noise": _noise_entry(noise),
        "seeds": repeats,
        "encode": encode,
        "metrics": list(dict.fromkeys([metric, "confusion"])),
        "report": [{"curves": {"y": curve}} if has_own_curve else "curves"],
    }
    with ExitStack() as undo:  # what is refused leaves no copy
        files = {
            each: _copy_file(each, copies, given, undo) for each in names if is_data_file(each)
        }
        if any(given.values()) and not files:
            raise BoostbenchError("target, drop and types are given, but no data file is given")
        config["datasets"] = [files.get(each, each) for each in names]
        folders = [*paths_of(data), *([copies] if files else [])]
        experiment = Experiment.load(config, results=results, data=folders, plugins=plugins)
        if len(experiment.config.noise) > 1:
            what = "boosters are compared under one noise; give one value"
            raise BoostbenchError(what, where="noise")
        undo.pop_all()
    return experiment


def data_of(experiment: Experiment) -> Iterator[tuple[str, Dataset]]:
    """Yield the label of each data set, and the data set with notes on `leaks_of` and a split."""
    folders = experiment.data
    for data in (entry.data for entry in experiment.config.datasets):
        found = load(data.component, data.params.plain(), folders, data.encode, data.missing)
        leaks = leaks_of(found)
        columns = [
            replace(c, note=f"{c.note}; {_LEAK}".removeprefix("; ")) if c.name in leaks else c
            for c in found.columns
        ]
        if found.official is not None and found.name.startswith(PREFIX):
            columns.append(Column("split", "dropped", note=_DIVIDES))
        yield data.label or data.name, replace(found, columns=tuple(columns))


def _names(on: Paths) -> list[str]:
    paths_of(on)  # refuses a table
    return [str(each) for each in ([on] if isinstance(on, str | Path) else on)]


def _folder(results: str | Path) -> Path:
    """Return the folder of a comparison in the results folder."""
    return in_home(results) / "compare"


def _booster_entry(booster: Booster, folder: Path) -> Any:
    """Return the config entry for ``name:parameter=value,...``, a class or an object."""
    if isinstance(booster, Mapping):
        return booster
    if not isinstance(booster, str):
        return _entry_of(booster, folder)
    name, params = split_parameters(booster)
    known = known_boosters.declarations.get(name)
    is_imported = known and known.plugin and not known.origin.startswith(FILE_MODULE)
    component = _name_of(known.plugin, known_boosters, folder) if known and is_imported else name
    label = name.rpartition(":")[2]
    own = re.findall(_FIXED, booster.removeprefix(name)) if params else ()
    label += f" ({', '.join(own)})" if own else ""
    return booster if component == label == booster else {component: {"label": label, **params}}


def _entry_of(booster: Any, folder: Path) -> dict[str, Any]:
    """Return the config entry for a class or an object."""
    from boostbench.boosters.classifiers import as_booster

    name, params = _component(booster, known_boosters, folder)
    params.pop("random_state", None)
    kept = inspect.signature(as_booster(booster if inspect.isclass(booster) else type(booster)))
    names = {"n_estimators", "iterations"} | ({"max_iter"} - kept.parameters.keys())
    given = [params.pop(name) for name in names & params.keys()]
    rounds = {"rounds": given[0]} if given else {}
    shown = ", ".join(f"{key}={value!r}" for key, value in {**params, **rounds}.items())
    label = getattr(booster, "__name__", type(booster).__name__) + f"({shown})" * bool(shown)
    return {name: {"label": label, **rounds, **params}}


def _component(found: Any, registry: Registry, folder: Path) -> tuple[str, dict[str, Any]]:
    """Return the name of a class or of an object's class, and parameters besides the defaults."""
    cls: Any = found if inspect.isclass(found) else type(found)
    if not hasattr(cls, "fit"):
        raise BoostbenchError(f"a booster is a name or a classifier, found {found!r}")
    params = {}
    if cls is not found:
        defaults = {key: each.default for key, each in inspect.signature(cls).parameters.items()}
        if "kwargs" in defaults:  # LightGBM and XGBoost
            defaults = cls().get_params(deep=False)
        for key, value in found.get_params(deep=False).items():
            if key in defaults and repr(defaults[key]) == repr(value):
                continue
            params[key] = value
            if hasattr(value, "get_params"):
                inner, its_own = _component(value, weak_learners, folder)
                params[key] = {inner: its_own} if its_own else inner
            elif not isinstance(value, (str, int, float, list, tuple, dict, type(None))):
                what = f"parameter {key} of {cls.__name__} is {value!r}, which no run can record"
                raise BoostbenchError(f"{what}; give a name, numbers, texts, lists or mappings")
    return _name_of(cls, registry, folder), params


def _name_of(cls: Any, registry: Registry, folder: Path) -> str:
    """Return a name by which a registry finds a class."""
    inner = getattr(cls, "classifier", None)
    cls = inner if inspect.isclass(inner) else cls  # a class of another package
    if cls.__module__ == "__main__":
        return f"{write_plugin(cls, folder / 'boosters')}:{cls.__name__}"
    file = inspect.getsourcefile(cls)
    if file is None or is_installed(file) or cls.__module__.startswith("boostbench."):
        return registry.name_of(cls)
    return f"{file}:{cls.__qualname__}"


def _noise_entry(noise: float | str | Mapping[str, Any]) -> str | Mapping[str, Any]:
    """Return the config entry for a rate, or for ``model:parameter=value,...``."""
    if isinstance(noise, Mapping):
        return noise
    try:
        rate = float(noise)
    except ValueError:
        model, params = split_parameters(str(noise))
        if not params and model != "none":
            what = f"must be a share, such as 0.3, or as in exchange:rate=0.3; found {noise!r}"
            raise BoostbenchError(what, where="noise") from None
        return {"model": model, **params} if params else "none"
    return {"model": "uniform-other", "rate": rate} if rate else "none"


def split_parameters(text: str) -> tuple[str, dict[str, Any]]:
    """Split ``name:parameter=value,...`` into the name and the nested parameters."""
    if (match := re.fullmatch(r"(.+?):([\w.]+=.*)", text)) is None:
        return text, {}
    params: dict[str, Any] = {}
    given = [part.partition("=")[::2] for part in re.split(r",(?=[\w.]+=)", match[2])]
    for path, value_text in given:
        if sum(f"{other}.".startswith(f"{path}.") for other, _ in given) > 1:
            what = f"{path} is given twice; a component and its parameter are one, as in"
            raise BoostbenchError(f"{what} weak_learner.tree.max_leaf_nodes=4", where=text)
        *outer, last = path.split(".")
        inner = params
        for key in outer:
            inner = inner.setdefault(key, {})
        inner[last] = read_value(value_text, text)
    return match[1], params


def _copy_file(
    name: str, folder: Path, given: Mapping[str, Any], undo: ExitStack
) -> dict[str, Any]:
    """Copy a file into a data folder and return its config entry; ``undo`` removes a new copy."""
    # With the suffix, unless it is the usual one: mine.csv and mine.tsv are two files.
    dataset = PREFIX + re.sub(r"[^\w-]+", "-", Path(name).name.removesuffix(".csv"))
    before = {*folder.glob(f"{dataset}.*")}
    added, *_ = add_file(in_home(name), dataset, folder, **given, replace=True)
    for path in {*folder.glob(f"{dataset}.*")} - before:
        undo.callback(path.unlink, missing_ok=True)
    next(cautions(added, 0), None)  # refuses labels that tell all rows apart
    return {dataset: {"as": _stem(name)}}


def _stem(name: str) -> str:
    """Return the label of a data set or file in a comparison."""
    return Path(name).name.partition(".")[0] if is_data_file(name) else name
