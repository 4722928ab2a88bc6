"""Bundles: an experiment in one archive, to be checked on another machine.

A bundle is a zip file that unpacks to a small project::

    bundle.json                       manifest: options, environment, checksums of data and files
    configs/                          the config, the configs it extends, and files they name
    data/                             catalogs of data sets that do not ship with boostbench
    results/<name>/records.jsonl.xz   all records, complete
    results/<name>/                   the report, if it was written

Raw data are not included.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError, model_validator

from boostbench.api import Experiment, Listener, Paths, paths_of
from boostbench.data import locate, search_dirs
from boostbench.data.loading import sha256_of_rows
from boostbench.errors import BoostbenchError, DataUnavailableError
from boostbench.experiments.configs.fields import is_file
from boostbench.experiments.configs.shipped import shipped_configs
from boostbench.experiments.planning.adoption import RELATIVE, differences, sample_of
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.planning.plans import PlannedRun
from boostbench.experiments.running.environment import host
from boostbench.experiments.runs import Run
from boostbench.experiments.store.fingerprints import modules_behind
from boostbench.experiments.store.packed import PACKED, PackedRecords
from boostbench.experiments.store.versions import versions
from boostbench.resources import shipped
from boostbench.source import read_source
from boostbench.validation import Listed, Model, first_mistake
from boostbench.whole_files import LARGEST

_MANIFEST = "bundle.json"
_PACKAGE = Path(__file__).resolve().parent
Verdict = Literal["same to the bit", "same within", "differs", "not done"]


class _Manifest(Model):
    """Contents of ``bundle.json``."""

    format: Literal[1]
    config: str
    size: str | None
    overrides: Listed[str]
    plugins: Listed[str]
    records: str
    environment: dict[str, Any]
    data: dict[str, dict[str, str]]
    sha256: dict[str, str]

    @model_validator(mode="after")
    def _check_names(self) -> _Manifest:
        for name in (self.config, self.records, *self.plugins):
            if name not in self.sha256:
                raise ValueError(f"names {name!r}, which has no sha256")
        return self


@dataclass(frozen=True)
class Compared:
    """Comparison of a run or data set of a bundle with its counterpart on this machine."""

    what: str  # id of the run, or name of the data set
    verdict: Verdict
    detail: str = ""  # such as the largest relative difference or the first difference


def write_bundle(experiment: Experiment, file: Path) -> None:
    """Write an experiment into one archive.

    Parameters
    ----------
    experiment : Experiment
    file : Path
        Path that ends in ``.zip``.

    Raises
    ------
    BoostbenchError
        If the config is not a file, no run has a record, a file is named by an absolute path, or
        the archive cannot be written.
    """
    path = experiment.config.path
    if not path.is_file():
        raise BoostbenchError("only a config that is a file can be bundled", where=str(path))
    plugins = [plugin.resolve() for plugin in experiment.plugins]
    sources = _named_files([path.resolve(), *plugins])
    root = Path(os.path.commonpath({place.parent for place in sources}))
    with tempfile.TemporaryDirectory() as folder:
        packed = experiment.pack(Path(folder), whole=True)
        if not PackedRecords(packed).all_paths():
            raise BoostbenchError(
                "no run has a record yet; `boostbench run` makes them", where=experiment.config.name
            )
        members = {
            f"configs/{place.relative_to(root).as_posix()}": source.read_bytes()
            for place, source in sources.items()
        }
        results = f"results/{experiment.report_folder.name}"
        members |= {
            f"{results}/{report.name}": report.read_bytes()
            for report in sorted(experiment.report_folder.glob("*"))
            if report.is_file()
        }
        members[f"{results}/{PACKED}"] = packed.read_bytes()
    for data_dir in search_dirs(experiment.data):
        if data_dir.resolve() != shipped("datasets").resolve():
            members |= {f"data/{file.name}": file.read_bytes() for file in data_dir.glob("*.yaml")}
    manifest = {
        "format": 1,
        "config": f"configs/{path.resolve().relative_to(root).as_posix()}",
        "size": experiment.size,
        "overrides": experiment.overrides,
        "plugins": [f"configs/{plugin.relative_to(root).as_posix()}" for plugin in plugins],
        "records": f"{results}/{PACKED}",
        "environment": {"versions": versions(), "host": host()},
        "data": {
            name: _checksums(experiment, run)
            for name, run in _runs_by_data_set(experiment.runs).items()
        },
        "sha256": {name: _sha256(content) for name, content in sorted(members.items())},
    }
    members[_MANIFEST] = (json.dumps(manifest, indent=1) + "\n").encode()
    try:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(members):
                # A ZipInfo has a fixed time, so that the same experiment gives the same bytes.
                archive.writestr(zipfile.ZipInfo(name), members[name], zipfile.ZIP_DEFLATED)
    except OSError as error:
        raise BoostbenchError(f"cannot be written: {error.strerror}", where=str(file)) from error


def check_bundle(
    file: Path,
    *,
    data: Paths = (),
    share: float = 0.05,
    jobs: int | None = None,
    executor: Literal["local", "inline"] = "local",
    on_event: Listener | None = None,
) -> list[Compared]:
    """Repeat a sample of the runs of a bundle, and compare results and data with the bundle.

    Parameters
    ----------
    file : Path
        Bundle; its plugins are executed.
    data : path or sequence of path, default=()
        Folders with data files.
    share : float, default=0.05
        Share of the runs of each booster on each data set to repeat, 0 to 1; at least one run is
        repeated.
    jobs, executor, on_event
        As for `Experiment.run`.

    Returns
    -------
    comparisons : list of Compared
        Data sets first, then runs.

    Raises
    ------
    BoostbenchError
        If the file is not a bundle, or was changed after it was written.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        manifest = _unpack(file, folder)
        catalogs = [folder / "data"] if (folder / "data").is_dir() else []
        experiment = Experiment.load(
            folder / manifest.config,
            results=folder / "again",
            data=[*catalogs, *paths_of(data)],
            overrides=manifest.overrides,
            size=manifest.size,
            plugins=[folder / plugin for plugin in manifest.plugins],
        )
        packed = PackedRecords(folder / manifest.records)
        plan = make_plan(experiment.runs, packed, experiment.data, config=experiment.config)
        sample = _sample(plan.runs, share)
        repeat = replace(
            experiment,
            config=experiment.config.model_copy(update={"select": None}),
            runs=tuple(sample),
        )
        comparisons = [
            _compare_data(name, manifest.data.get(name, {}), _checksums(experiment, run))
            for name, run in _runs_by_data_set(repeat.runs).items()
        ]
        repeat.run(jobs=jobs, executor=executor, on_event=on_event)
        return comparisons + [_compare_run(p, sample[p.run]) for p in repeat.plan().runs]


def _sample(runs: Iterable[PlannedRun], share: float) -> dict[Run, PlannedRun]:
    """Return a sample of the runs of each booster on each data set, by the run to repeat.

    The run to repeat has the number of rounds of the record.
    """
    families: dict[tuple[str, str], list[PlannedRun]] = {}
    for planned in runs:
        if planned.status == "ok":
            families.setdefault((planned.run.dataset, planned.run.method), []).append(planned)
    sample: dict[Run, PlannedRun] = {}
    for members in families.values():
        members.sort(key=lambda member: member.key.value)
        for member in sample_of(members, share):
            sample[replace(member.run, rounds=member.key.rounds)] = member
    return sample


def _compare_run(again: PlannedRun, before: PlannedRun) -> Compared:
    old, new = before.record(), again.record()
    if old is None or new is None or new.status != "ok":
        return Compared(again.run.id, "not done", f"{again.status}: {again.reason}")
    changes = list(differences(old, new))
    if not changes:
        return Compared(again.run.id, "same to the bit")
    largest = max(difference.size for difference in changes)
    if largest <= RELATIVE:
        return Compared(again.run.id, "same within", f"{largest:.1e}, relative")
    first = next(difference for difference in changes if difference.size > RELATIVE)
    more = f" (and {len(changes) - 1} more)" if len(changes) > 1 else ""
    return Compared(again.run.id, "differs", f"{first}{more}")


def _compare_data(name: str, before: dict[str, str], here: dict[str, str]) -> Compared:
    if "absent" in here:
        return Compared(name, "not done", here["absent"])
    if here["checksum"] == before.get("checksum"):
        return Compared(name, "same to the bit")
    if here.get("rows_sha256", "") == before.get("rows_sha256"):
        return Compared(name, "same to the bit", "the same rows in another file")
    if "absent" in before:
        return Compared(name, "not done", "it was absent where the bundle was made")
    key = "rows_sha256" if {"rows_sha256"} <= here.keys() & before.keys() else "checksum"
    return Compared(name, "differs", f"{key} {here[key]} here, {before.get(key)} in the bundle")


def _named_files(paths: Sequence[Path]) -> dict[Path, Path]:
    """Return configs, plugins and all files that they name.

    Keys are the places at which files are looked up, values the files to copy. They differ for
    shipped configs, which the bundle holds beside the config that names them.
    """
    sources: dict[Path, Path] = {}
    known = shipped_configs()
    waiting = [(path, path) for path in paths]
    while waiting:
        place, source = waiting.pop()
        if place in sources:
            continue
        sources[place] = source
        if source.suffix == ".py":
            modules = (module.resolve() for module in modules_behind(str(source)))
            waiting += [(path, path) for path in modules if not path.is_relative_to(_PACKAGE)]
        elif source.suffix in (".yaml", ".yml"):
            folders = {file.parent for file in sources}
            for text in _strings(read_source(source)[0].data):
                name = f"{text.rpartition('.py:')[0]}.py" if ".py:" in text else text
                files = list(_files_called(name, folders))
                waiting += [(path, path) for path in files]
                if not files and text in known and known[text].resolve() not in sources.values():
                    # A copy beside the config takes precedence over the config shipped elsewhere.
                    waiting.append((place.parent / text, known[text].resolve()))
    return sources


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings in a nested value, including keys."""
    if isinstance(value, dict):
        yield from filter(None, value)
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, str):
            yield inner
        elif isinstance(inner, dict | list):
            yield from _strings(inner)


def _files_called(name: str, folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the files to which a relative path leads from any of some folders."""
    if os.path.isabs(os.path.expanduser(name)) and is_file(Path(name).expanduser()):
        what = "is an absolute path; a bundle needs a path relative to the config"
        raise BoostbenchError(what, where=name)
    for folder in folders:
        path = Path(os.path.normpath(folder / name))
        if is_file(path):
            yield path


def _runs_by_data_set(runs: Iterable[Run]) -> dict[str, Run]:
    """Return one run for each data set."""
    return {run.dataset: run for run in runs}


def _checksums(experiment: Experiment, run: Run) -> dict[str, str]:
    try:
        located = locate(run.data.name, run.data.params.plain(), experiment.data)
    except DataUnavailableError as error:
        return {"absent": error.what}
    rows = {} if located.kind == "generator" else {"rows_sha256": sha256_of_rows(located)}
    return {"checksum": located.checksum, **rows}


def _unpack(file: Path, folder: Path) -> _Manifest:
    """Unpack a bundle, check all checksums, and return the manifest."""
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(member.file_size for member in archive.infolist()) > LARGEST:
                raise BoostbenchError(
                    f"holds more than {LARGEST / 2**30:g} GiB, unpacked", where=str(file)
                )
            manifest = _Manifest.model_validate_json(archive.read(_MANIFEST))
            for name, expected in manifest.sha256.items():
                sha256 = _sha256(archive.read(name))
                if sha256 != expected:
                    what = f"{name} was changed: sha256 {sha256}, expected {expected}"
                    raise BoostbenchError(what, where=str(file))
                archive.extract(name, folder)
    except ValidationError as error:
        place, what = first_mistake(error)
        what = f"is not a bundle: {'.'.join(map(str, place)) or _MANIFEST} {what}"
        raise BoostbenchError(what, where=str(file)) from error
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        raise BoostbenchError(what, where=str(file)) from error
    # zipfile raises NotImplementedError for an unknown compression method
    except (KeyError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        what = f"is not a bundle, or damaged ({type(error).__name__}: {error})"
        raise BoostbenchError(what, where=str(file)) from error
    return manifest


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
