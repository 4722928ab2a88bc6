"""Python interface to experiments: plan, run, results, report and verdicts.

The command line is built on this module. Nothing here prints, exits or reads ``sys.argv``;
progress is reported to callbacks, damaged records to the logger ``"boostbench"``, and every error
is a `BoostbenchError`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.data.adding import is_data_file, load_file
from boostbench.data.catalog import search_dirs
from boostbench.data.dataset import Dataset
from boostbench.data.loading import load
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.file import load_config, load_configs
from boostbench.experiments.planning.grid import expand, select
from boostbench.experiments.planning.planner import check_data, make_plan
from boostbench.experiments.planning.plans import Plan
from boostbench.experiments.runs import Run
from boostbench.experiments.store.records import PACKED, PackedRecords, RecordStore, pack
from boostbench.inputs import load_plugins
from boostbench.whole_files import in_home

# Imports that a single method needs are local to it, so that planning loads no plotting library
# and reporting no executor.
if TYPE_CHECKING:
    import pandas as pd

    from boostbench.experiments.planning.repeating import Repeated
    from boostbench.experiments.running.conduct import Progress
    from boostbench.reports.claims.verdicts import Verdict
    from boostbench.reports.experiment_report import Report
    from boostbench.reports.values.frame import Study

Paths = str | Path | Sequence[str | Path]
Listener = Callable[["Progress"], None]


@dataclass(frozen=True)
class Experiment:
    """A config with its folders of records and data.

    Attributes
    ----------
    config : Config
    store : RecordStore
        Records in the results folder.
    data : tuple of Path
        Folders with data files, searched before ``BOOSTBENCH_DATA`` and ``datasets/``.
    runs : tuple of Run
        Selected runs of the config. With parameter selection, each run stands for all fits that
        the selection needs.
    shard : str or None
        "i/n": only the i-th of n parts of the plan.
    size : str or None
        Size variant of the config.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> overrides = {"datasets": ["iris"], "rounds": 5, "seeds": 1}
    >>> experiment = Experiment.load("quickstart", results=folder.name, overrides=overrides)
    >>> experiment
    Experiment('quickstart', 6 runs)
    >>> experiment.plan()
    Plan(6 runs: {'missing': 6})
    >>> experiment.run(executor="inline").counts
    {'ok': 6}
    >>> frame = experiment.results(rounds=[5])
    >>> list(frame.columns[:3]), frame["metric"].nunique()
    (['dataset', 'booster', 'parameters'], 3)
    >>> folder.cleanup()
    """

    config: Config
    store: RecordStore
    data: tuple[Path, ...]
    runs: tuple[Run, ...]
    shard: str | None = None
    size: str | None = None

    def __repr__(self) -> str:
        return f"Experiment({self.config.name!r}, {len(self.runs)} runs)"

    @classmethod
    def load(cls, config: str | Path | Mapping[str, Any], **options: Any) -> Experiment:
        """Read and check a config.

        Parameters
        ----------
        config : str, path or mapping
            A file, the name of a shipped config such as ``"noise20"``, or the keys of a config.
        **options
            Options ``results``, ``data``, ``overrides``, ``size``, ``only``, ``shard`` and
            ``plugins`` of `load_experiments`.

        Raises
        ------
        ConfigError
            If the config is wrong; lists all mistakes.
        BoostbenchError
            If a file, folder, size, plugin or pattern is missing or invalid.
        """
        return load_experiments([config], **options)[0]

    def plan(self, *, check_packages: bool = True) -> Plan:
        """Compare the runs with the existing records, without training anything.

        Parameters
        ----------
        check_packages : bool, default=True
            Import the boosters, to skip runs that need a package that is not installed.

        Returns
        -------
        plan : Plan
            ``plan.counts()`` by status, ``plan.todo()``, ``plan.rows()`` for a DataFrame.
        """
        plan = self._plan_of(self.store, check_packages=check_packages)
        return plan if self.shard is None else plan.shard(self.shard)

    def run(
        self,
        *,
        jobs: int | None = None,
        executor: str = "local",
        retry: str | Sequence[str] = (),
        fresh: bool = False,
        plan: Plan | None = None,
        on_event: Listener | None = None,
    ) -> Progress:
        """Run all missing and stale runs; each record is written as soon as its run has ended.

        With parameter selection, planning and running alternate until the plan has no new runs.

        Parameters
        ----------
        jobs : int or None, default=None
            Number of parallel runs, each on one thread while others wait; None: number of cores.
        executor : str, default="local"
            What does the runs: "local", worker processes; "inline", this process; or a Dask
            cluster, by the address of its scheduler.
        retry : str or sequence of str, default=()
            Do only the runs with one of these statuses, such as ``"failed,timeout"``.
        fresh : bool, default=False
            Do all runs again.
        plan : Plan or None, default=None
            What `plan` returned, if it is at hand.
        on_event : callable or None, default=None
            Called with the `Progress` after every step.

        Returns
        -------
        outcome : Progress
            Returned after Ctrl-C too, with ``interrupted`` set; finished runs are kept.

        Raises
        ------
        BoostbenchError
            If an argument is invalid, or records cannot be written.
        """
        from boostbench.experiments.running.conduct import Progress, make_executor, run_plan

        plan = plan or self.plan()
        words = [retry] if isinstance(retry, str) else retry
        retry = [status.strip() for word in words for status in word.split(",")]
        todo = plan.todo(retry=retry, fresh=fresh)
        outcome, done = Progress(), set[Run]()
        if todo:
            with make_executor(executor, self.data, jobs, self.config.limits) as pool:
                check_data(plan, todo, self.data)
                while todo and not (outcome.interrupted or outcome.n_left):
                    run_plan(todo, self.store, pool, on_event=on_event, progress=outcome)
                    done |= {planned.run for planned in todo}
                    if self.config.select is None or retry:
                        break
                    plan = self.plan()
                    todo = tuple(p for p in plan.todo(fresh=fresh) if p.run not in done)
        untouched = tuple(planned for planned in plan.runs if planned.run not in done)
        return replace(outcome, untouched=untouched)

    def repeat(self, share: float = 0.05, **options: Any) -> list[Repeated]:
        """Repeat a sample of the recorded runs, and compare the results with the records.

        The records are those behind the report, which may be packed. The results folder is not
        changed.

        Parameters
        ----------
        share : float, default=0.05
            Share of the runs to repeat, 0 to 1; at least one of each booster on each data set.
        **options
            Options ``jobs``, ``executor`` and ``on_event`` of `run`.

        Returns
        -------
        outcomes : list of Repeated
            One for each data set, booster and version of the code; empty if there are no records.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C.
        """
        from boostbench.experiments.planning.repeating import families, repeat_sample

        recorded = [planned for planned in self._plan_to_report().runs if planned.status == "ok"]
        with self._elsewhere(options) as do:
            return list(repeat_sample(families(recorded), share, do).values())

    def adopt(self, share: float = 0.05, **options: Any) -> list[Repeated]:
        """Keep stale records if a repeated sample of their runs gives the same results.

        Without stale records, the packed records of other code are kept so, in their file.

        Parameters
        ----------
        share : float, default=0.05
            Share of stale runs to repeat, 0 to 1; at least one of each booster on each data set.
        **options
            Options ``jobs``, ``executor`` and ``on_event`` of `run`.

        Returns
        -------
        outcomes : list of Repeated
            One for each data set, booster and version of the older code.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C; new records are kept.
        """
        from boostbench.experiments.planning.repeating import adopt, of_other_code

        file = self.report_folder / PACKED
        if not file.is_file() or any(of_other_code(self.plan().runs)):
            return adopt(self.plan, share, partial(self._done, **options))
        packed = PackedRecords(file)
        with self._elsewhere(options) as do:
            outcomes = adopt(partial(self._plan_of, packed), share, do)
        if any(outcome.agrees for outcome in outcomes):
            pack(filter(None, map(packed.read, packed.all_paths())), file)
        return outcomes

    def study(self, *, whole: bool = True) -> Study:
        """Return the results of all runs; unless ``whole``, without values no report reads."""
        from boostbench.reports.values.frame import collect
        from boostbench.reports.values.part_options import Unread

        plan = self._plan_to_report()
        results = plan.results() if whole else plan.results(Unread(self.config, self.runs).left_out)
        return replace(collect(self.config, results), study_of=self._study_of)

    def results(self, rounds: Sequence[int] | None = None) -> pd.DataFrame:
        """Return the recorded curves as one row per run, round and metric.

        Parameters
        ----------
        rounds : sequence of int or None, default=None
            Rounds to return; None: all rounds.

        Returns
        -------
        frame : DataFrame
            Columns: dataset, booster, parameters (JSON), noise_model, noise_rate, seed, fold (if
            the splits have folds), round, metric, value (errors are fractions, 0 to 1),
            carried (True after the last round of a run that stopped early).

        Raises
        ------
        BoostbenchError
            If no run has a record.
        """
        from boostbench.reports.values.frame import export_rows

        return export_rows(self.study().results, rounds, self.config.metrics)

    def report(self) -> Report:
        """Make tables, figures and verdicts; ``report.write(folder)`` writes them with a page.

        Raises
        ------
        BoostbenchError
            If no run has a result.
        """
        from boostbench.reports.experiment_report import make_report

        packed = [size for size in self.config.sizes if (self._folder(size) / PACKED).is_file()]
        study, size = self.study(whole=False), self.size or ""
        return make_report(study, size=size, packed=packed)

    def verify(self) -> tuple[Verdict, ...]:
        """Judge the claims of the config by the existing records."""
        from boostbench.reports.claims.verdicts import judge

        return judge(self.study(whole=False))

    def pack(self, folder: Path | None = None) -> Path:
        """Write the records behind the report into one compressed file, and return its path.

        The file lacks the values that neither the report nor a claim reads (see `Unread`), and
        holds only the errors compared in the selection for candidates that were not selected.
        `study`, `report`, `verify` and `repeat` read it for runs without a record.

        Parameters
        ----------
        folder : Path or None, default=None
            Folder of the file ``records.jsonl.xz``; None: the folder of the report.

        Raises
        ------
        BoostbenchError
            If the folder has such a file with records of further runs, which would be lost.
        """
        from boostbench.reports.values.part_options import Unread

        file, plan = (folder or self.report_folder) / PACKED, self._plan_to_report()
        packed = PackedRecords(file).stored("").values() if file.is_file() else ()
        kept = (each.recorded for each in plan.runs if each.recorded and each.status != "stale")
        most = dict(sorted((key.value, key.rounds) for key in kept))  # rounds of each value
        if lost := [key for keys in packed for key in keys if key.rounds > most.get(key.value, 0)]:
            what = f"is kept: {len(lost)} of its {sum(map(len, packed))} records are of runs that"
            raise BoostbenchError(f"{what} have none here; do them, or delete it", where=str(file))
        left_out = Unread(self.config, self.runs, for_file=True).left_out
        pack((left_out(run, record) for run, record in plan.records()), file)
        return file

    @property
    def report_folder(self) -> Path:
        """Folder of the report, in the results folder."""
        return self._folder(self.size)

    def _folder(self, size: str | None) -> Path:
        name = self.config.name if size is None else f"{self.config.name}-{size}"
        return self.store.folder.parent / name

    def _plan_to_report(self) -> Plan:
        """Compare the runs with their records; those without one, with the packed records.

        With a selection of parameters, packed records count only if no run has a record.
        """
        packed = self.report_folder / PACKED
        if not packed.is_file():
            return self._plan_of(self.store)
        is_empty = not any(self.store.stored(name) for name in {run.data.name for run in self.runs})
        own = None if is_empty else self._plan_of(self.store)
        published = self._plan_of(PackedRecords(packed))
        if own is None or not any(planned.recorded for planned in own.runs):
            return published
        if self.config.select is not None:
            return own
        why = "taken from the packed records"
        taken = [replace(other, reason=other.reason or why) for other in published.runs]
        pairs = zip(own.runs, taken, strict=True)
        runs = (mine if mine.recorded or not other.recorded else other for mine, other in pairs)
        return Plan(tuple(runs))

    @contextmanager
    def _elsewhere(self, options: Mapping[str, Any]) -> Iterator[Callable[[Sequence[Run]], Plan]]:
        """Return a function that does runs anew, with records that are not kept."""
        with tempfile.TemporaryDirectory() as folder:
            yield partial(replace(self, store=RecordStore(folder))._done, **options)

    def _plan_of(self, store: RecordStore, **options: bool) -> Plan:
        return make_plan(self.runs, store, self.data, config=self.config, **options)

    def _done(self, runs: Sequence[Run], **options: Any) -> Plan:
        """Do single runs, without a selection of parameters, and return their plan."""
        config = self.config.model_copy(update={"select": None})
        single = replace(self, config=config, runs=tuple(runs), shard=None)
        outcome = single.run(**options)
        if outcome.interrupted:
            raise KeyboardInterrupt
        plan = single.plan()
        done = {planned.run: planned for planned in plan.runs}
        for planned, record in outcome.failures:  # a skipped run leaves no record with its reason
            status, reason = record.status, record.why
            done[planned.run] = replace(planned, status=status, reason=reason, recorded=None)
        return replace(plan, runs=tuple(done.values()))

    def _study_of(self, other: Config) -> Study:
        """Return the results of another config, in this size if it has it, with no more rounds."""
        size = self.size if self.size in other.sizes else None
        variant = load_config(other.path, size=size, check_parameters=False)
        variant = variant.model_copy(update={"rounds": min(variant.rounds, self.config.rounds)})
        return replace(self, config=variant, runs=tuple(expand(variant)), size=size).study()


def load_experiments(
    configs: Iterable[str | Path | Mapping[str, Any]],
    *,
    results: str | Path = "results",
    data: Paths = (),
    overrides: Mapping[str, Any] | Sequence[str] = (),
    size: str | None = None,
    only: str | Sequence[str] = (),
    shard: str | None = None,
    plugins: Paths = (),
    check_parameters: bool = True,
) -> tuple[Experiment, ...]:
    """Read and check several configs that share a results folder.

    Parameters
    ----------
    configs : iterable of str, path or mapping
    results : path, default="results"
        Folder of run records and reports. Need not exist.
    data : path or sequence of path, default=()
        Folders with data files.
    overrides : mapping, str or sequence of str, default=()
        Values that replace those of the config: ``{"rounds": 100, "noise.rate": 0.1}`` or
        ``["rounds=100"]``.
    size : str or None, default=None
        Variant under ``sizes`` in the config.
    only : str or sequence of str, default=()
        Names of data sets, boosters or noises, or patterns of run ids: keep only matching runs.
        Each must match in at least one config.
    shard : str or None, default=None
        "i/n": only the i-th of n parts of the plan.
    plugins : path or sequence of path, default=()
        Python files that register boosters or other parts.
    check_parameters : bool, default=True
        Check the parameters of boosters, weak learners and noise models, which imports them.
        Reports need no check.

    Raises
    ------
    ConfigError
        If a config is wrong; lists the mistakes of all configs.
    BoostbenchError
        If a folder, plugin or pattern is missing or invalid, or two configs have the same name.
    """
    folders = paths_of(data)
    if isinstance(overrides, Mapping):
        in_yaml = partial(json.dumps, ensure_ascii=False, default=str)
        overrides = [f"{key}={in_yaml(value)}" for key, value in overrides.items()]
    overrides, only = ([x] if isinstance(x, str) else x for x in (overrides, only))
    load_plugins(paths_of(plugins), where="--plugin")
    search_dirs(folders)  # raises now, because a missing folder is not a config error
    loaded = load_configs(
        configs, overrides, size=size, data_dirs=folders, check_parameters=check_parameters
    )
    store = RecordStore(in_home(results))
    runs_of_configs = [expand(config) for config in loaded]
    selected = set(select([run for runs in runs_of_configs for run in runs], only, size))
    return tuple(
        Experiment(config, store, folders, tuple(r for r in runs if r in selected), shard, size)
        for config, runs in zip(loaded, runs_of_configs, strict=True)
    )


def load_dataset(name: str | Path, *, data: Paths = (), **options: Any) -> Dataset:
    """Load a data set of the catalog or of a data folder, or a data file.

    Parameters
    ----------
    name : str or path
        Name or alias, or a CSV, ARFF, parquet or libsvm file.
    data : path or sequence of path, default=()
        Folders with data files, searched before ``BOOSTBENCH_DATA`` and ``datasets/``.
    **options
        Options ``params``, ``encode``, ``missing`` and ``rng`` of `boostbench.data.loading.load`;
        for a file ``target``, ``drop`` and ``types`` of `boostbench.compare`, and ``encode``.

    Examples
    --------
    >>> load_dataset("iris").X.shape
    (150, 4)
    """
    (path,) = paths_of(name)
    if is_data_file(str(path)):
        return load_file(path, **options)
    return load(str(name), data_dirs=paths_of(data), **options)


def paths_of(paths: Paths) -> tuple[Path, ...]:
    """Return one path or several paths as a tuple; a table has no path."""
    if hasattr(paths, "columns"):
        raise BoostbenchError("a table is no path; write a file, as by X.to_csv('x.csv'), first")
    return tuple(map(in_home, [paths] if isinstance(paths, str | Path) else paths))
