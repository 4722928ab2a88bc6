"""Planning: comparison of the runs of an experiment with the stored records."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from boostbench import registry
from boostbench.data.catalog import DatasetEntry, find_entry
from boostbench.data.dataset import class_indices
from boostbench.data.loading import load_located, locate
from boostbench.data.splits import split
from boostbench.errors import BoostbenchError, ConfigError, DataUnavailableError, PluginError
from boostbench.experiments.configs.config import Config
from boostbench.experiments.planning.plans import Plan, PlannedRun
from boostbench.experiments.planning.selection import Selection, groups_of
from boostbench.experiments.runs import Data, Params, Run
from boostbench.experiments.store.identity import Key, code_of, components_of, folder_of, value_of
from boostbench.experiments.store.record import Summary
from boostbench.experiments.store.records import RecordStore
from boostbench.experiments.streams import stream


def make_plan(
    runs: Iterable[Run],
    store: RecordStore,
    data_dirs: Sequence[str | Path] = (),
    *,
    config: Config | None = None,
    check_packages: bool = False,
) -> Plan:
    """Compare runs with the stored records.

    Parameters
    ----------
    runs : iterable of Run
    store : RecordStore
    data_dirs : sequence of path, default=()
    config : Config or None, default=None
        If the config has the key ``select``, each run stands for a selection of parameters, and the
        plan holds the fits that the selections require, as far as the records determine them.
    check_packages : bool, default=False
        Import the boosters, so that runs whose package is absent are skipped.

    Returns
    -------
    plan : Plan

    Notes
    -----
    A record is valid for a run if value, code and data agree. A record of more rounds is valid too
    if the first rounds of the booster do not depend on the number of rounds. If the data is absent,
    as it may be on the machine that writes the report, the newest record of the same value and code
    is valid.
    """
    planner = _Planner(store, tuple(data_dirs), check_packages)
    if config is None or config.select is None:
        for run in runs:
            planner.find(run)
        return Plan(tuple(planner.found.values()))
    if store.is_archive:  # which keeps the record that it read
        planner.summary = store.read
    groups, made = groups_of(runs, config.select), dict[tuple[Any, ...], Run]()
    selections = [Selection(group, config, planner.find, made) for group in groups]
    return Plan(tuple(planner.found.values()), selections)


def check_data(plan: Plan, todo: Iterable[PlannedRun], data_dirs: Sequence[str | Path]) -> None:
    """Read and divide the data sets of which no run is recorded, before training.

    What is read is kept in the cache, so that the runs need not read it again.

    Raises
    ------
    ConfigError
        With the errors of all data sets.
    """
    read = {planned.run.data.name for planned in plan.runs if planned.status == "ok"}
    asked: dict[str, tuple[Run, Any, Any]] = {}
    for run in (planned.run for planned in todo if planned.run.data.name not in read):
        spec = run.split if isinstance(run.split, str) else {**run.split.plain(), "fold": 0}
        weights = run.booster.params.get("class_weight")
        asked.setdefault(repr((run.data, spec, weights)), (run, spec, weights))
    mistakes = {}
    for run, spec, weights in asked.values():
        try:
            located = locate(run.data.component, run.data.params.plain(), data_dirs)
            if located.kind == "generator":
                continue
            dataset = load_located(located)
            split(dataset, spec, stream(run, "split"))
            if isinstance(weights, dict):
                class_indices(weights, dataset.classes)
        except BoostbenchError as error:
            mistakes[str(error)] = error
    if mistakes:
        raise ConfigError(list(mistakes.values()))


class _Planner:
    """Compares runs with records, with caches shared by all runs.

    The arguments are those of `make_plan`.

    Attributes
    ----------
    found : dict of Key to PlannedRun
        What `find` returned, in the order of the first calls. Keys are compared faster than runs.
    """

    def __init__(
        self, store: RecordStore, data_dirs: tuple[str | Path, ...], check_packages: bool
    ) -> None:
        self.store = store
        self.check_packages = check_packages
        self.summary: Callable[[Path], Summary | None] = store.summary
        self.found: dict[Key, PlannedRun] = {}
        #: Code fingerprints by what they are computed from.
        self._codes: dict[Hashable, str] = {}
        self._stored = cache(store.stored)
        self._source = cache(partial(_source_of, data_dirs=data_dirs))
        self._absent = cache(_absent)
        self._is_binary = cache(lambda name: takes_two_classes(registry.boosters.get(name)))

    def find(self, run: Run) -> PlannedRun:
        """Return the run with its newest record, which may be stale, or as missing or skipped."""
        key = self.key_of(run)
        if key not in self.found:
            planned = self._look_up(run, key)
            if planned.status in ("missing", "stale") and (why := self._obstacle(run)):
                planned = replace(planned, status="skipped", reason=why, recorded=None)
            self.found[key] = planned
        return self.found[key]

    def _look_up(self, run: Run, key: Key) -> PlannedRun:
        newest = PlannedRun(run, "missing", "", key, None, self.store)
        # Records of any code and data: those of the fewest rounds first, then the newest ones.
        stored = reversed(self._stored(run.data.name).get(key.value, ()))
        enough = [old for old in stored if old.rounds >= key.rounds]
        for old in sorted(enough, key=lambda old: old.rounds):
            changed = outdated = _difference(old, key)
            if self.store.is_archive or not changed:
                record = self.summary(self.store.path_of(run.data.name, old))
                if record is None or (old.rounds != run.rounds and not record.nested_rounds):
                    continue
                outdated = "" if self.store.is_archive else _changed_input(record, folder_of(run))
                if not outdated:
                    absent = "" if key.data else "the data is absent; the newest record counts"
                    reason, seconds = record.why or changed or absent, record.total_seconds
                    found = key, seconds, self.store, old, record.other_versions
                    return PlannedRun(run, record.status, reason, *found)
            if newest.recorded is None:
                newest = replace(newest, status="stale", reason=outdated, recorded=old)
        return newest

    def key_of(self, run: Run) -> Key:
        """Return the key of a valid record of the run."""
        (entry, checksum, _), booster = self._source(run.data), run.booster
        noise = "" if run.noise.is_clean else run.noise.component
        asked = booster.component, booster.params, noise, entry.generator, run.metrics, run.record
        if asked not in self._codes:
            self._codes[asked] = code_of(run, entry.generator)
        return Key(value_of(run), run.rounds, self._codes[asked], checksum[:16])

    def _obstacle(self, run: Run) -> str:
        """Return why the data or, if checked, a package is absent; empty if the run can be done.

        The number of classes of generated data is not checked, because it depends on parameters.
        """
        (entry, _, reason), booster = self._source(run.data), run.booster
        if reason or not self.check_packages:
            return reason
        if absent := self._absent(booster.component, booster.params):
            return absent
        n_classes = 2 if entry.generator else entry.n_classes or 2
        if n_classes > 2 and self._is_binary(booster.component):
            what = f"booster {booster.name!r} takes two classes, and {run.dataset} has {n_classes}"
            return f"{what}; 'one-vs-all: {{booster: {booster.name}}}' is for any number"
        return ""


def _source_of(data: Data, data_dirs: Sequence[str | Path]) -> tuple[DatasetEntry, str, str]:
    """Return entry and checksum of a data set, and why it is absent; empty if it is present."""
    entry = find_entry(data.component, data_dirs)
    try:
        return entry, locate(data.component, data.params.plain(), data_dirs).checksum, ""
    except DataUnavailableError as error:
        return entry, "", error.what


def _absent(booster: str, params: Params) -> str:
    """Return why a booster or a component that it names cannot be loaded; empty if all can."""
    for kind, name in components_of(booster, params.plain()):
        try:
            kind.get(name)
        except PluginError as error:
            return error.what
    return ""


def takes_two_classes(component: Any) -> bool:
    """Return whether the scikit-learn tags of a booster exclude more than two classes.

    False for a booster that cannot be constructed without parameters.
    """
    from sklearn.utils import get_tags

    try:
        tags = get_tags(component()).classifier_tags
    except Exception:
        return False
    return tags is not None and not tags.multi_class


def _changed_input(record: Summary, folder: str) -> str:
    """Return which file that a run read has changed; empty for none."""
    now = record.inputs_now(folder).items()
    changed = (path for path, digest in now if record.inputs[path] != digest)
    return next((f"{path}, which it read, changed since it was done" for path in changed), "")


def _difference(old: Key, new: Key) -> str:
    """Return the parts of the key that changed, in words; absent data counts as unchanged.

    Keys of before have fewer digits of the checksum of the data.
    """
    is_same = {"code": old.code == new.code, "data": new.data.startswith(old.data) or not new.data}
    changed = " and the ".join(name for name, same in is_same.items() if not same)
    return f"the {changed} changed since it was done" if changed else ""
