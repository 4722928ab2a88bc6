"""Planning: the runs of an experiment compared with the records there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from boostbench import registry
from boostbench.errors import ConfigError, DataError, DataUnavailableError, PluginError, absence
from boostbench.experiments.planning.plans import Plan, PlannedRun
from boostbench.experiments.planning.run_times import Estimates
from boostbench.experiments.planning.selection import Selection, groups_of
from boostbench.experiments.runs import BoosterSpec, Data, Run
from boostbench.experiments.store.identity import Key, code_of, components_of, value_of
from boostbench.experiments.store.packed import PackedRecords
from boostbench.experiments.store.record import Record, Summary
from boostbench.experiments.store.records import AnyRecord, RecordStore
from boostbench.experiments.store.versions import other_versions
from boostbench.inputs import digest_of

if TYPE_CHECKING:
    from boostbench.data import DatasetEntry
    from boostbench.experiments.configs.config import Config


def make_plan(
    runs: Iterable[Run],
    store: RecordStore,
    data_dirs: Sequence[str | Path] = (),
    *,
    config: Config | None = None,
    check_packages: bool = False,
    strict: bool = False,
    keep: Callable[[Run, Record], Record] | None = None,
) -> Plan:
    """Compare runs with the records there are.

    Parameters
    ----------
    runs : iterable of Run
    store : RecordStore
    data_dirs : sequence of path, default=()
    config : Config or None, default=None
        If it has the key ``select``, the runs are those among which parameters are chosen: the plan
        holds the fits that the choices take, as far as they follow from the records.
    check_packages : bool, default=False
        Import the boosters, so that a run whose package is absent is skipped.
    strict : bool, default=False
        A record made with other versions of the numerical libraries does not count.
    keep : callable or None, default=None
        Returns what `Plan.results` holds of a run's record; records are then read whole, and once.
        None: a plan reads their summaries.

    Returns
    -------
    plan : Plan

    Notes
    -----
    A record counts for a run if value, code and data agree; one of more rounds does too, if the
    booster's first rounds do not depend on how many follow. Where the data is absent, as it may be
    on the machine that writes the report, the newest record of the same value and code counts.
    """
    planner = _Planner(store, tuple(data_dirs), check_packages, strict)

    def kept(run: Run, record: Record | None) -> Record | None:
        return record if keep is None or record is None else keep(run, record)

    if config is None or config.select is None:
        if keep is None:
            for run in runs:
                planner.find(run, store.summary)
            store.keep_summaries()
            return Plan(planner.planned())
        for run in runs:
            planner.find(run, lambda path, own=run: kept(own, store.read(path)))  # type: ignore[misc]
        planned = planner.planned()
        results = [p.result(record) for p, record in zip(planned, planner.records(), strict=True)]
        return Plan(planned, lambda: results)

    def read(run: Run, curve: str) -> Record | None:
        return planner.find(run, lambda path: store.read_curve(path, curve))

    selections = [Selection(group, config, read) for group in groups_of(runs, config.select)]
    planned = planner.planned()
    by_run = {each.run: each for each in planned}
    n_open = sum(
        selection.status(head, by_run)[0] == "missing"
        for selection in selections
        for head in selection.heads
    )
    return Plan(
        planned,
        lambda: [
            replace(result, record=kept(head, result.record))
            for its in selections
            for head, result in ((head, its.result(head, by_run)) for head in its.heads)
        ],
        n_open,
        {run: its.curve for its in selections for run in its.tried()},
    )


def plan_to_report(
    runs: Sequence[Run],
    store: RecordStore,
    packed: Path,
    data_dirs: Sequence[str | Path] = (),
    *,
    config: Config | None = None,
    keep: Callable[[Run, Record], Record] | None = None,
) -> Plan:
    """Compare runs with the records there are; if none has one, with packed records.

    Parameters
    ----------
    runs, store, data_dirs, config, keep
        As for `make_plan`.
    packed : Path
        A file of `PackedRecords`; need not exist.
    """
    plan = make_plan(runs, store, data_dirs, config=config, keep=keep)
    if not packed.is_file() or any(planned.found for planned in plan.runs):
        return plan
    archive = PackedRecords(packed)
    store.damaged += archive.damaged
    archive.damaged = store.damaged  # what is found later is told with the rest
    return make_plan(runs, archive, data_dirs, config=config, keep=keep)


def have_records(
    runs: Iterable[Run], store: RecordStore, data_dirs: Sequence[str | Path] = ()
) -> bool:
    """Return whether each run has a record of its code and data, however it ended."""
    planner = _Planner(store, tuple(data_dirs), check_packages=False, strict=False)
    keys = ((run.data.name, planner.key_of(run)) for run in runs)
    return all(any(key == its.key for its in store.find(name, key.value)) for name, key in keys)


def check_data(planned: Iterable[PlannedRun], data_dirs: Sequence[str | Path] = ()) -> None:
    """Read the data of some runs once, before the first of them is trained.

    Raises
    ------
    ConfigError
        With what is wrong with each data set.
    """
    from boostbench.data import load, locate

    complaints = []
    for data in dict.fromkeys(each.run.data for each in planned):
        params = data.params.plain()
        try:
            if locate(data.name, params, data_dirs).kind != "generator":
                load(data.name, params, data_dirs)
        except DataError as error:
            complaints.append(error)
    if complaints:
        raise ConfigError(complaints)


@dataclass(frozen=True)
class _Source:
    """Facts about a data set before it is read."""

    checksum: str
    reason: str  # why it is absent
    entry: DatasetEntry


class _Planner:
    """Compares runs with records, and looks everything up once for all runs.

    The arguments are those of `make_plan`.
    """

    def __init__(
        self,
        store: RecordStore,
        data_dirs: tuple[str | Path, ...],
        check_packages: bool,
        strict: bool,
    ) -> None:
        self.store = store
        self.data_dirs = data_dirs
        self.check_packages = check_packages
        self.strict = strict
        #: Status of a run by the newest record of its code and data, and that record if it counts;
        #: a summary is not kept, of which there may be very many. By the key, which is compared
        #: faster than the run.
        self._found: dict[Key, tuple[Run, PlannedRun | None, Record | None]] = {}
        self._estimates = Estimates()
        #: Code and data of runs that differ by their seed alone.
        self._shared: dict[tuple[str, str], tuple[str, str]] = {}
        self._sources: dict[Data, _Source] = {}
        self._packages: dict[str, str] = {}
        self._is_binary: dict[str, bool] = {}

    def find(self, run: Run, read: Callable[[Path], AnyRecord | None]) -> AnyRecord | None:
        """Return what ``read`` returns of the record that counts for a run, None if none does.

        A run is looked up once.
        """
        key = self.key_of(run)
        found = self._found.get(key)
        if found is None:
            planned, record = self._look_up(run, key, read) or (None, None)
            is_stale = planned is not None and planned.status == "stale"
            if record is not None and not is_stale:
                self._estimates.add(record)
            is_kept = isinstance(record, Record) and not is_stale
            found = run, planned, cast("Record", record) if is_kept else None
            self._found[key] = found
        return cast("AnyRecord | None", found[2])

    def records(self) -> list[Record | None]:
        """Return the records that were kept of the runs, in the order of `planned`."""
        return [record for _, _, record in self._found.values()]

    def _look_up(
        self, run: Run, key: Key, read: Callable[[Path], Summary | None]
    ) -> tuple[PlannedRun, Summary] | None:
        found = None
        for its in reversed(self.store.find(run.data.name, key.value, run.rounds)):
            changed = _difference(its.key, key)
            if changed and not self.store.is_archive:
                continue
            record = read(its.path)
            if record is not None and (its.key.rounds == run.rounds or record.nested_rounds):
                planned = PlannedRun.of(record, its, self.store, run)
                outdated = "" if self.store.is_archive else self._outdated(record)
                if not outdated:
                    absent = "" if key.data else "the data is absent; the newest record counts"
                    if not planned.reason and (changed or absent):
                        planned = replace(planned, reason=changed or absent)
                    return planned, record
                found = replace(planned, status="stale", reason=outdated), record
        return found

    def _outdated(self, record: Summary) -> str:
        """Return what else changed since a record was made; empty if nothing did.

        A file that is not here, as on the machine that writes the report, is passed over.
        """
        for path, digest in record.inputs.items():
            if digest_of(path) not in ("", digest):
                return f"{path}, which it read, changed since it was done"
        others = other_versions(record) if self.strict else ""
        return f"it was done with {others}" if others else ""

    def planned(self) -> tuple[PlannedRun, ...]:
        """Return the runs with their statuses, in the order in which they were looked up."""
        for key, (run, *_) in self._found.items():
            if not self._estimates.know(run):  # a record of other rounds or code tells the time
                others = self.store.find(run.data.name, key.value)
                record = self.store.summary(others[0].path) if others else None
                if record is not None:
                    self._estimates.add(record)
        return tuple(
            planned if planned and planned.status != "stale" else self._undone(run, key, planned)
            for key, (run, planned, _) in self._found.items()
        )

    def _undone(self, run: Run, key: Key, stale: PlannedRun | None) -> PlannedRun:
        """Return a run without a record that counts, with its status."""
        source = self._source(run)
        missing = PlannedRun(
            run,
            "missing",
            "",
            key,
            self._estimates.seconds(run, source.entry),
            self.store,
            is_guess=not self._estimates.know(run),
        )
        obstacle = (
            source.reason
            or self._absent_package(run.booster)
            or self._too_many_classes(run, source.entry)
        )
        if obstacle:
            return replace(missing, status="skipped", reason=obstacle)
        if stale is not None:
            return replace(missing, status="stale", reason=stale.reason, found=stale.found)
        for its in reversed(self.store.find(run.data.name, key.value, run.rounds)):
            if reason := _difference(its.key, key):
                return replace(missing, status="stale", reason=reason, found=its)
        return missing

    def key_of(self, run: Run) -> Key:
        """Return the key that a record of the run must have."""
        if run.around_seed not in self._shared:
            source = self._source(run)
            code = code_of(run, source.entry.generator)
            self._shared[run.around_seed] = code, source.checksum[:8]
        return Key(value_of(run), run.rounds, *self._shared[run.around_seed])

    def _source(self, run: Run) -> _Source:
        from boostbench.data import find_entry, locate

        if run.data not in self._sources:
            entry = find_entry(run.data.name, self.data_dirs)
            checksum, reason = "", ""
            try:
                located = locate(run.data.name, run.data.params.plain(), self.data_dirs)
                checksum = located.checksum
            except DataUnavailableError as error:
                reason = error.what
            self._sources[run.data] = _Source(checksum, reason, entry)
        return self._sources[run.data]

    def _absent_package(self, booster: BoosterSpec) -> str:
        """Return the package that the booster needs and that is absent; empty if unchecked."""
        if not self.check_packages:
            return ""
        for kind, name in components_of(booster.component, booster.params.plain()):
            key = f"{kind.kind} {name!r}"
            if key not in self._packages:
                self._packages[key] = ""
                try:
                    kind.get(name)
                except ModuleNotFoundError as error:
                    self._packages[key] = absence(key, error)
                except PluginError as error:
                    self._packages[key] = error.what
            if self._packages[key]:
                return self._packages[key]
        return ""

    def _too_many_classes(self, run: Run, entry: DatasetEntry) -> str:
        """Return why the booster cannot take the data's classes; empty if it can, as far as known.

        The number of classes that a generator makes depends on its parameters.
        """
        name = run.booster.component
        if not self.check_packages or entry.generator or (entry.n_classes or 2) <= 2:
            return ""
        if name not in self._is_binary:
            self._is_binary[name] = takes_two_classes(registry.boosters.get(name))
        if not self._is_binary[name]:
            return ""
        return (
            f"booster {run.booster.name!r} takes two classes, and {run.data.name} has "
            f"{entry.n_classes}; 'one-vs-all: {{booster: {run.booster.name}}}' takes it to more"
        )


def takes_two_classes(component: Any) -> bool:
    """Return whether a booster says, as scikit-learn's classifiers do, that it takes no more.

    One that cannot be made without parameters is not asked.
    """
    from sklearn.utils import get_tags

    try:
        tags = get_tags(component()).classifier_tags
    except Exception:
        return False
    return tags is not None and not tags.multi_class


def _difference(old: Key, new: Key) -> str:
    """Return what changed since an old record, in words; data that is absent here did not."""
    names = ("code", "data") if new.data else ("code",)
    changed = [name for name in names if getattr(old, name) != getattr(new, name)]
    return f"the {' and the '.join(changed)} changed since it was done" if changed else ""
