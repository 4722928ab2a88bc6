"""Functions that `DaskExecutor` calls on the workers of a Dask cluster.

Plugin and data files that the worker does not have at the same path with the same content are
stored in its cache folder by content, and the paths in runs are changed accordingly.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

from boostbench.data import find_entry, locate
from boostbench.data.cache import cache_dir
from boostbench.errors import BoostbenchError
from boostbench.experiments.running.executors import LocalExecutor
from boostbench.experiments.running.worker import Job, failure, load_plugins, now
from boostbench.experiments.runs import Run
from boostbench.experiments.store import fingerprints
from boostbench.experiments.store.identity import code_of
from boostbench.experiments.store.record import Record
from boostbench.inputs import digest_of, is_installed
from boostbench.plugin_files import executed_plugins
from boostbench.whole_files import write_file

_WAIT_SECONDS = 1.0
_PACKAGE = str(Path(fingerprints.__file__).parents[2])
#: Files that workers need: a folder of the client, and names (relative to it) and digests.
Parcel = tuple[str, tuple[tuple[str, str], ...]]
#: Folder of this worker for each folder of the client.
_local_folders: dict[str, str] = {}


def parcels_of(runs: Sequence[Run], data_dirs: Iterable[str]) -> list[Parcel]:
    """Return the files that a worker needs besides this package: data, catalogs, plugins."""
    data_dirs = tuple(data_dirs)
    data = [path for folder in data_dirs for path in Path(folder).glob("*.yaml")]
    for spec in {run.data for run in runs}:
        with suppress(BoostbenchError):
            data += locate(spec.name, spec.params.plain(), data_dirs).paths
    plugins = [Path(path) for path in executed_plugins()]
    code = {*plugins, *(path for plugin in plugins for path in _sources_behind(plugin))}
    folders: Mapping[str, Iterable[Path]] = {
        **dict.fromkeys(data_dirs, data),
        **{str(path.parent): code for path in plugins},
    }
    parcels = []
    for folder, paths in folders.items():
        names = sorted({os.path.relpath(p, folder) for p in paths if p.is_relative_to(folder)})
        if names:
            files = tuple((name, digest_of(os.path.join(folder, name))) for name in names)
            parcels.append((folder, files))
    return parcels


def read_parcel(parcel: Parcel) -> dict[str, bytes]:
    """Return the contents of the files of a parcel by name."""
    folder, files = parcel
    return {name: (Path(folder) / name).read_bytes() for name, _ in files}


def greet(jobs: Sequence[Job], parcels: Sequence[Parcel]) -> tuple[list[int], list[str]]:
    """Return the indices of the missing parcels or, if there are none, the code of each job.

    In the second case the kernels that the jobs need are compiled, without the limits of a run.
    """
    fingerprints.forget()
    missing = [number for number, parcel in enumerate(parcels) if not _is_available(parcel)]
    if missing:
        return missing, []
    jobs = [_with_local_paths(job) for job in jobs]
    codes = []
    for job in jobs:
        load_plugins(job)
        codes.append(code_of(job.run))
    for _ in _executor().prepare_jobs(jobs):
        pass
    return [], codes


def receive(parcels: Sequence[tuple[Parcel, Mapping[str, bytes]]]) -> None:
    """Store files in the cache folder."""
    for parcel, files in parcels:
        for name, file_content in files.items():
            path = _cache_folder(parcel) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, file_content)


def perform(job: Job) -> Record:
    """Carry out a job under its limits, in a separate process that cannot affect later jobs."""
    job = _with_local_paths(job)
    code = code_of(job.run, find_entry(job.run.data.name, job.data_dirs).generator)
    if code != job.key.code:
        return failure(job, "stale", "ChangedError", "the code on the worker differs", now())
    job = replace(job, sources=fingerprints.sources_of(code))
    executor = _executor()
    executor.submit_job(job)
    while not (ended := executor.ended()):
        executor.wait(_WAIT_SECONDS)
    return ended[0][1]


def _is_available(parcel: Parcel) -> bool:
    """Return whether this worker has all files of a parcel, and remember their folder."""
    folder, files = parcel
    for place in (Path(folder), _cache_folder(parcel)):
        if all(digest_of(str(place / name)) == digest for name, digest in files):
            _local_folders[folder] = str(place)
            return True
    return False


def _cache_folder(parcel: Parcel) -> Path:
    return cache_dir() / "sent" / hashlib.sha256(repr(parcel[1]).encode()).hexdigest()[:16]


def _with_local_paths(job: Job) -> Job:
    """Return a job with the paths of this worker."""
    run = job.run
    booster = replace(run.booster, source=_local_path(run.booster.source))
    noise = replace(run.noise, source=_local_path(run.noise.source))
    return replace(
        job,
        run=replace(run, booster=booster, noise=noise),
        data_dirs=tuple(filter(os.path.isdir, map(_local_path, job.data_dirs))),
        plugins=tuple(map(_local_path, job.plugins)),
    )


def _local_path(path: str) -> str:
    for folder, local_folder in _local_folders.items():
        if path == folder or path.startswith(folder + os.sep):
            return local_folder + path[len(folder) :]
    return path


def _sources_behind(plugin: Path) -> list[Path]:
    paths = fingerprints.modules_behind(str(plugin))
    return [p for p in paths if not is_installed(str(p)) and not p.is_relative_to(_PACKAGE)]


@cache
def _executor() -> LocalExecutor:
    return LocalExecutor(1)
