"""A worker of a Dask cluster: what it is asked, sent and has to do.

Plugin and data files that are not under the same path here, with the same content, are kept in the
cache folder by their content, and runs are led there.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
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
from boostbench.registry import used_plugins
from boostbench.whole_files import write_file

_WAIT_SECONDS = 1.0
_PACKAGE = str(Path(fingerprints.__file__).parents[2])
#: A folder there and, names relative to it, the digests of its files.
Content = tuple[str, tuple[tuple[str, str], ...]]
#: Folder there to folder here.
_moved: dict[str, str] = {}


@dataclass(frozen=True)
class Parcel:
    """Files of one folder that workers need."""

    content: Content

    def read(self) -> dict[str, bytes]:
        """Return the files, by name."""
        folder, files = self.content
        return {name: (Path(folder) / name).read_bytes() for name, _ in files}


def parcels_of(runs: Sequence[Run], data_dirs: Iterable[str]) -> list[Parcel]:
    """Return what a worker needs beside this package: data sets, catalogs, plugins."""
    data_dirs = tuple(data_dirs)
    data = [path for folder in data_dirs for path in Path(folder).glob("*.yaml")]
    for each in {run.data for run in runs}:
        with suppress(BoostbenchError):
            data += locate(each.name, each.params.plain(), data_dirs).paths
    plugins = [Path(path) for path in used_plugins()]
    code = {*plugins, *(path for plugin in plugins for path in _sources_behind(plugin))}
    folders: Mapping[str, Iterable[Path]] = {
        **dict.fromkeys(data_dirs, data),
        **{str(path.parent): code for path in plugins},
    }
    found = []
    for folder, paths in folders.items():
        names = sorted({os.path.relpath(p, folder) for p in paths if p.is_relative_to(folder)})
        if names:
            files = tuple((name, digest_of(os.path.join(folder, name))) for name in names)
            found.append(Parcel((folder, files)))
    return found


def greet(jobs: Sequence[Job], contents: Sequence[Content]) -> tuple[list[int], list[str]]:
    """Return which parcels are missing here; if none, the fingerprints of the code of some jobs.

    Kernels that the jobs need are compiled, without the limits of a run.
    """
    fingerprints.forget()
    missing = [number for number, content in enumerate(contents) if not _is_here(content)]
    if missing:
        return missing, []
    here = [_led(job) for job in jobs]
    codes = []
    for job in here:
        load_plugins(job)
        codes.append(code_of(job.run))
    for _ in _executor().prepare_jobs(here):
        pass
    return [], codes


def receive(parcels: Sequence[tuple[Content, Mapping[str, bytes]]]) -> None:
    """Keep files that were missing here."""
    for content, files in parcels:
        for name, text in files.items():
            path = _kept(content) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, text)


def perform(job: Job) -> Record:
    """Carry out a job in a process apart, under its limits, so that it harms no later one."""
    job = _led(job)
    code = code_of(job.run, find_entry(job.run.data.name, job.data_dirs).generator)
    if code != job.key.code:
        return failure(job, "stale", "ChangedError", "the worker has other code of it", now())
    job = replace(job, sources=fingerprints.sources_of(code))
    executor = _executor()
    executor.submit_job(job)
    while not (ended := executor.ended()):
        executor.wait(_WAIT_SECONDS)
    return ended[0][1]


def _is_here(content: Content) -> bool:
    """Return whether all files of a parcel are here, and note where."""
    folder, files = content
    for place in (Path(folder), _kept(content)):
        if all(digest_of(str(place / name)) == digest for name, digest in files):
            _moved[folder] = str(place)
            return True
    return False


def _kept(content: Content) -> Path:
    return cache_dir() / "sent" / hashlib.sha256(repr(content[1]).encode()).hexdigest()[:16]


def _led(job: Job) -> Job:
    """Return a job with the paths of this machine."""
    run = job.run
    booster = replace(run.booster, source=_path_here(run.booster.source))
    noise = replace(run.noise, source=_path_here(run.noise.source))
    return replace(
        job,
        run=replace(run, booster=booster, noise=noise),
        data_dirs=tuple(filter(os.path.isdir, map(_path_here, job.data_dirs))),
        plugins=tuple(map(_path_here, job.plugins)),
    )


def _path_here(path: str) -> str:
    for there, here in _moved.items():
        if path == there or path.startswith(there + os.sep):
            return here + path[len(there) :]
    return path


def _sources_behind(plugin: Path) -> list[Path]:
    paths = fingerprints.modules_behind(str(plugin))
    return [p for p in paths if not is_installed(str(p)) and not p.is_relative_to(_PACKAGE)]


@cache
def _executor() -> LocalExecutor:
    return LocalExecutor(1)
