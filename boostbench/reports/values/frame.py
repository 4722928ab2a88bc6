"""Results of the runs of an experiment, and their error curves as tidy data frames."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError, UnknownNameError
from boostbench.experiments.planning.plans import Result as Result  # re-exported for plugins
from boostbench.experiments.runs import Run
from boostbench.experiments.store.record import Record
from boostbench.experiments.store.records import PACKED, PackedRecords, RecordStore
from boostbench.quantities import NUMBERS, QUANTITIES
from boostbench.whole_files import in_home

if TYPE_CHECKING:
    import pandas as pd

    from boostbench.experiments.configs.config import Config


_log = logging.getLogger(__name__)
#: Columns of a data frame that describe the run and the quantity, with their types.
_LABELS: dict[str, Any] = {
    **dict.fromkeys(("dataset", "booster", "parameters", "noise_model", "noise"), "category"),
    **{"noise_rate": float, "seed": int, "fold": int, "stopped": int, "metric": "category"},
}
EXPORT_COLUMNS = (
    *("dataset", "booster", "parameters", "noise_model", "noise_rate", "seed"),
    *("round", "metric", "value", "carried"),
)
#: Value of T that stands for the last round of each run.
END: Final = "end"
#: Rounds of a frame: given ones, the last of each run, or all.
Rounds = Sequence[int] | Literal["end"] | None
#: The errors that every run records.
ERRORS = tuple(name for name, each in NUMBERS.items() if each.always and each.type is int)


@dataclass(frozen=True)
class Study:
    """Config and results of an experiment."""

    config: Config
    results: tuple[Result, ...]  # in the order of the config: noises, data sets, boosters, seeds
    #: Returns the study of another config; without it, claims that need one are undecided.
    study_of: Callable[[Config], Study] | None = field(default=None, compare=False, repr=False)

    @cached_property
    def noises(self) -> list[str]:
        """Labels of the noises, in the order of the config."""
        return list(dict.fromkeys(noise for noise, _, _ in self.cells))

    @cached_property
    def datasets(self) -> list[str]:
        """Labels of the data sets with results, in the order of the config."""
        present = {result.run.dataset for result in self.results}
        return [name for name in self.config.scope().datasets if name in present]

    @cached_property
    def boosters(self) -> list[str]:
        """Labels of the boosters with runs, in the order of the config."""
        present = {result.run.method for result in self.results}
        return [name for name in self.config.scope().boosters if name in present]

    @cached_property
    def contenders(self) -> list[str]:
        """Labels of the boosters with a finished run; others may lack a package."""
        finished = {result.run.method for result in self.results if result.ok}
        return [name for name in self.boosters if name in finished]

    @cached_property
    def cells(self) -> dict[tuple[str, str, str], list[Result]]:
        """Results by the labels of noise, data set and booster, in the order of the config."""
        cells: dict[tuple[str, str, str], list[Result]] = {}
        for result in self.results:
            labels = (result.noise, result.run.dataset, result.run.method)
            cells.setdefault(labels, []).append(result)
        return cells

    def only(
        self, boosters: Sequence[str] = (), datasets: Sequence[str] = (), noises: Sequence[str] = ()
    ) -> Study:
        """Return the part of the study with the given labels; an empty sequence selects all."""
        wanted = noises, datasets, boosters
        selected: list[Result] = []
        for labels, results in self.cells.items():
            if all(not w or label in w for w, label in zip(wanted, labels, strict=True)):
                selected += results
        return Study(self.config, tuple(selected))


def collect(config: Config, results: Sequence[Result]) -> Study:
    """Return the study of an experiment, with its results in the order of the config.

    Parameters
    ----------
    config : Config
    results : sequence of Result
        As returned by `Plan.results`.

    Returns
    -------
    study : Study

    Raises
    ------
    BoostbenchError
        If there are no runs.
    """
    if not results and config.datasets:
        raise BoostbenchError("there is no run to report on", where=str(config.path))
    scope = config.scope()
    labels = [noise.full_label for noise in config.noise], scope.datasets, scope.boosters

    def place(result: Result) -> tuple[int, ...]:
        own = result.noise, result.run.dataset, result.run.method
        places = [[*known, name].index(name) for known, name in zip(labels, own, strict=True)]
        return *places, result.run.seed, result.fold

    return Study(config, tuple(sorted(results, key=place)))


def check_recorded(study: Study, metric: str) -> None:
    """Raise an error if there are finished runs but none recorded a metric.

    Raises
    ------
    BoostbenchError
        Names the settings that make runs record the metric.
    """
    usable = [result for result in study.results if result.ok]
    if usable and not any(holds(result, metric) for result in usable):
        how = QUANTITIES[metric].asks
        raise BoostbenchError(f"no run recorded {metric}; in the config, {how} makes runs do so")


def error_curve(
    result: Result, metric: str, rounds: NDArray[np.int64] | Sequence[int] | None = None
) -> NDArray[np.float64]:
    """Return a metric of a run, such as an error rate, at given rounds.

    Parameters
    ----------
    result : Result
        Result with a record.
    metric : str
        A key of `QUANTITIES`.
    rounds : sequence of int, default=None
        Rounds from 1 to T; all by default. After an early stop the last value counts.

    Returns
    -------
    errors : ndarray of float64, shape (len(rounds),)
        Fractions from 0 to 1, or the unit of another metric; NaN if it was not recorded. A value of
        the whole run, such as its time, is that of its last round.
    """
    record = result.record
    assert record is not None
    quantity = QUANTITIES[metric]
    at = np.arange(1, result.run.rounds + 1) if rounds is None else np.asarray(rounds)
    if quantity.kept == "once":
        value = quantity.of_run(record)
        return np.where(at >= result.run.rounds, np.nan if value is None else value, np.nan)
    values: NDArray[np.float64] = record.curve_at(quantity.curve, at).astype(np.float64)
    if not quantity.held:
        values[at > len(record.curve(quantity.curve))] = np.nan
    return values / float(getattr(record, quantity.counted)) if quantity.counted else values


def error_at(result: Result, metric: str, at: int | str | None = None) -> float:
    """Return `error_curve` at the round that T means, see `round_of`; NaN if there is none."""
    T = round_of(result.run, at)
    return math.nan if T is None else float(error_curve(result, metric, [T])[0])


def round_of(run: Run, at: int | str | None) -> int | None:
    """Return the round of a run that is meant by T, by default its last; None beyond its rounds.

    A booster with a fixed number of rounds has its last value at later rounds too.
    """
    T = run.rounds if at is None or at == END else int(at)
    return None if run.rounds < T and not run.booster.rounds else T


def tidy(
    results: Sequence[Result], rounds: Rounds = None, metrics: Iterable[str] = ERRORS
) -> pd.DataFrame:
    """Return error curves as a data frame with one row per run, round and metric.

    Parameters
    ----------
    results : sequence of Result
        Results without a record have no rows.
    rounds : sequence of int, "end" or None, default=None
        Rounds to include: all by default, the last of each run with ``"end"``. Rounds beyond the T
        of a run are omitted, unless its booster has a fixed number of rounds; then the last value
        stands for later rounds.
    metrics : iterable of str, default=all of `ERRORS`

    Returns
    -------
    frame : DataFrame
        Columns of `EXPORT_COLUMNS`, ``noise`` (its label), ``fold`` and ``stopped`` (the last round
        of the run). ``value`` is a fraction; ``carried`` is true for rounds after the last one of
        the run, whose value is carried forward.
    """
    import pandas as pd

    metrics = list(metrics)
    for metric in metrics:
        if metric not in NUMBERS:
            raise UnknownNameError("metric", metric, NUMBERS)
    curves = [(result, metric) for result in results if result.ok for metric in metrics]
    grids = [_grid(result.run, rounds) for result, _ in curves]
    rows = [(*_labels(result), metric) for result, metric in curves]
    labels = pd.DataFrame(rows, columns=[*_LABELS]).astype(_LABELS)
    frame = labels.loc[labels.index.repeat([len(grid) for grid in grids])].reset_index(drop=True)
    frame["round"] = np.concatenate([np.empty(0, np.int64), *grids])
    values = [error_curve(*curve, grid) for curve, grid in zip(curves, grids, strict=True)]
    frame["value"] = np.concatenate([np.empty(0), *values])
    frame["carried"] = frame["round"] > frame["stopped"]
    return frame


def _labels(result: Result) -> tuple[Any, ...]:
    run, record = result.run, result.record
    assert record is not None
    booster = run.dataset, run.method, run.booster.params.text
    noise = run.noise.model, result.noise, result.noise_rate
    return *booster, *noise, run.seed, result.fold, record.n_rounds


def export_rows(
    results: Sequence[Result], rounds: Rounds = None, asked: Iterable[str] = ()
) -> pd.DataFrame:
    """Return the rows that ``boostbench export`` prints.

    Parameters
    ----------
    results : sequence of Result
    rounds : sequence of int, "end" or None, default=None
        All by default; the last of each run with ``"end"``.
    asked : iterable of str, default=()
        The ``metrics`` of the config; rows of times are included if they are among them.

    Returns
    -------
    frame : DataFrame
        Columns of `EXPORT_COLUMNS`, followed by ``noise`` (its label) if noises differ in other
        parameters than the rate, and by ``fold`` if the splits have folds.

    Raises
    ------
    BoostbenchError
        If no run has a record.
    """
    if not any(result.ok for result in results):
        what = f"none of the {len(results)} runs has a result yet; `boostbench run` makes them"
        raise BoostbenchError(what)
    wanted = [name for name, each in NUMBERS.items() if name in asked or not each.is_incidental]
    recorded = [name for name in wanted if any(holds(result, name) for result in results)]
    whole = tidy(results, rounds, recorded)
    frame = whole.dropna(subset="value", ignore_index=True)
    if len(frame) < len(whole):
        absent = f"{len(whole) - len(frame)} of {len(whole)} values are not recorded"
        _log.warning("%s, by packed records or as metrics of other experiments", absent)
    has_folds = bool((frame["fold"] > 0).any())
    noises = {(r.run.noise.model, r.noise_rate): r.noise for r in results if r.ok}
    has_params = not {r.noise for r in results if r.ok} <= {*noises.values()}
    return frame[[*EXPORT_COLUMNS, *["noise"] * has_params, *["fold"] * has_folds]]


def load_results(
    results: str | Path = "results", rounds: Sequence[int] | None = None
) -> pd.DataFrame:
    """Return the records of a results folder as `Experiment.results` does, without a config.

    A folder without records is read from the packed records in the folders of its reports. Those
    of a run that parameter selection rejected hold only the errors that decided it.

    Parameters
    ----------
    results : path, default="results"
    rounds : sequence of int or None, default=None
        All by default.

    Raises
    ------
    BoostbenchError
        If the folder holds no record of a finished run.
    """
    stores = [RecordStore(in_home(results))]
    if not stores[0].all_paths():
        stores = [PackedRecords(file) for file in sorted(in_home(results).glob(f"*/{PACKED}"))]
    records: dict[str, Record] = {}
    for store in stores:
        for path in store.all_paths():
            record, other = store.read(path), records.get(path.name)
            if record and not (other and len(other.curves) > len(record.curves)):
                records[path.name] = record
    if not records:
        raise BoostbenchError("there are no run records here", where=str(results))
    found = [Result(each.run, each.status, each.why, each) for each in records.values()]
    return export_rows(found, rounds)


def holds(result: Result, metric: str) -> bool:
    """Return whether a run has a record with a metric."""
    quantity, record = QUANTITIES[metric], result.record
    if not result.ok or record is None:
        return False
    if quantity.kept == "once":
        return quantity.of_run(record) is not None
    return quantity.curve in record.curves


def _grid(run: Run, rounds: Rounds) -> NDArray[np.int64]:
    """Return the rounds of `tidy` for one run."""
    if rounds is None:
        return np.arange(1, run.rounds + 1)
    asked = [run.rounds] if rounds == END else sorted({int(T) for T in np.ravel(rounds)})
    return np.array([T for T in asked if round_of(run, T) is not None], dtype=np.int64)
