"""Bundles: an experiment in one archive, and whether its results come out the same elsewhere.

A bundle is a zip file that unpacks to a small project::

    bundle.json                       how it was made, environment, data and their checksums
    configs/                          the config, what it extends, and the files that they name
    data/                             catalogs of data sets that do not ship with boostbench
    results/<name>/records.jsonl.xz   every record, whole
    results/<name>/                   the report, if there is one

Raw data are not in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError, model_validator

from boostbench.api import Experiment, Paths, paths_of
from boostbench.data import locate, search_dirs
from boostbench.data.loading import sha256_of_rows
from boostbench.errors import BoostbenchError, DataUnavailableError
from boostbench.experiments.configs.fields import is_file
from boostbench.experiments.configs.shipped import shipped_configs
from boostbench.experiments.planning.adoption import RELATIVE, differences, sample_of
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.planning.plans import PlannedRun
from boostbench.experiments.runs import Run
from boostbench.experiments.store.fingerprints import modules_behind
from boostbench.experiments.store.packed import PACKED, PackedRecords
from boostbench.experiments.store.versions import versions
from boostbench.resources import shipped
from boostbench.source import read_source
from boostbench.validation import Listed, Model, first_mistake
from boostbench.whole_files import LARGEST

if TYPE_CHECKING:
    from boostbench.experiments.running.conduct import Event

_MANIFEST = "bundle.json"
_PACKAGE = Path(__file__).resolve().parent
Verdict = Literal["same to the bit", "same within", "differs", "not done"]


class _Manifest(Model):
    """Circumstances in which a bundle was made."""

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
    def _names_its_own_files(self) -> _Manifest:
        for name in (self.config, self.records, *self.plugins):
            if name not in self.sha256:
                raise ValueError(f"names {name!r}, which is not in it")
        return self


@dataclass(frozen=True)
class Compared:
    """A run of a bundle, or a data set, compared with what it is on this machine."""

    what: str  # id of the run, or name of the data set
    verdict: Verdict
    detail: str = ""  # the largest relative difference, or where they differ first


def write_bundle(experiment: Experiment, file: Path) -> None:
    """Write an experiment into one archive.

    Parameters
    ----------
    experiment : Experiment
    file : Path
        Ends in ``.zip``.

    Raises
    ------
    BoostbenchError
        If no run has a record, a file is named by an absolute path, or the archive cannot be
        written.
    """
    path = experiment.config.path
    if not path.is_file():
        raise BoostbenchError("only a config that is a file can be bundled", where=str(path))
    plugins = [plugin.resolve() for plugin in experiment.plugins]
    named = _named_files([path.resolve(), *plugins])
    folders = {name.parent for name in named}
    root = Path(os.path.commonpath(folders)) if folders else path.parent
    with tempfile.TemporaryDirectory() as kept:
        packed = experiment.pack(Path(kept), whole=True)
        if not PackedRecords(packed).all_paths():
            raise BoostbenchError(
                "no run has a record yet; `boostbench run` makes them", where=experiment.config.name
            )
        members = {
            f"configs/{place.relative_to(root).as_posix()}": source.read_bytes()
            for place, source in named.items()
        }
        results = f"results/{experiment.report_folder.name}"
        members |= {
            f"{results}/{report.name}": report.read_bytes()
            for report in sorted(experiment.report_folder.glob("*"))
            if report.is_file()
        }
        members[f"{results}/{PACKED}"] = packed.read_bytes()
    for folder in search_dirs(experiment.data):
        if folder.resolve() != shipped("datasets").resolve():
            members |= {f"data/{entry.name}": entry.read_bytes() for entry in folder.glob("*.yaml")}
    facts = {
        "format": 1,
        "config": f"configs/{path.resolve().relative_to(root).as_posix()}",
        "size": experiment.size,
        "overrides": experiment.overrides,
        "plugins": [f"configs/{plugin.relative_to(root).as_posix()}" for plugin in plugins],
        "records": f"{results}/{PACKED}",
        "environment": _environment(),
        "data": {
            name: _checksums(experiment, run) for name, run in _data_sets(experiment.runs).items()
        },
        "sha256": {name: _sha256(content) for name, content in sorted(members.items())},
    }
    members[_MANIFEST] = (json.dumps(facts, indent=1) + "\n").encode()
    try:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(members):
                # The time of a member is fixed: the same experiment gives the same bytes.
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
    on_event: Callable[[Event], None] | None = None,
) -> list[Compared]:
    """Do a sample of a bundle's runs again, here, and compare results and data.

    Parameters
    ----------
    file : Path
        Its plugins are executed.
    data : path or sequence of path, default=()
        Folders with data files.
    share : float, default=0.05
        Share of the runs of each booster on each data set, 0 to 1; at least one.
    jobs, executor, on_event
        As for `Experiment.run`.

    Returns
    -------
    compared : list of Compared
        Data sets first, then runs.

    Raises
    ------
    BoostbenchError
        If the file is no bundle, or was changed after writing.
    """
    with tempfile.TemporaryDirectory() as unpacked:
        folder = Path(unpacked)
        facts = _unpack(file, folder)
        catalogs = [folder / "data"] if (folder / "data").is_dir() else []
        experiment = Experiment.load(
            folder / facts.config,
            results=folder / "again",
            data=[*catalogs, *paths_of(data)],
            overrides=facts.overrides,
            size=facts.size,
            plugins=[folder / plugin for plugin in facts.plugins],
        )
        packed = PackedRecords(folder / facts.records)
        made = make_plan(experiment.runs, packed, experiment.data, config=experiment.config)
        sample = _sample(made.runs, share)
        again = replace(
            experiment,
            config=experiment.config.model_copy(update={"select": None}),
            runs=tuple(sample),
        )
        found = [
            _compared_data(name, facts.data.get(name, {}), _checksums(experiment, run))
            for name, run in _data_sets(again.runs).items()
        ]
        again.run(jobs=jobs, executor=executor, on_event=on_event)
        return found + [_compared_run(p, sample[p.run]) for p in again.plan().runs]


def _sample(runs: Iterable[PlannedRun], share: float) -> dict[Run, PlannedRun]:
    """Return some runs of each booster on each data set, as their records have them."""
    families: dict[tuple[str, str], list[PlannedRun]] = {}
    for planned in runs:
        if planned.status == "ok":
            families.setdefault((planned.run.dataset, planned.run.method), []).append(planned)
    chosen: dict[Run, PlannedRun] = {}
    for members in families.values():
        members.sort(key=lambda member: member.key.value)
        for member in sample_of(members, share):
            chosen[replace(member.run, rounds=member.key.rounds)] = member
    return chosen


def _compared_run(again: PlannedRun, before: PlannedRun) -> Compared:
    old, new = before.record(), again.record()
    if old is None or new is None or new.status != "ok":
        return Compared(again.run.id, "not done", f"{again.status}: {again.reason}")
    found = list(differences(old, new))
    if not found:
        return Compared(again.run.id, "same to the bit")
    largest = max(difference.size for difference in found)
    if largest <= RELATIVE:
        return Compared(again.run.id, "same within", f"{largest:.1e}, relative")
    first = next(difference for difference in found if difference.size > RELATIVE)
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return Compared(again.run.id, "differs", f"{first}{more}")


def _compared_data(name: str, before: dict[str, str], here: dict[str, str]) -> Compared:
    if "absent" in here:
        return Compared(name, "not done", here["absent"])
    if here["checksum"] == before.get("checksum"):
        return Compared(name, "same to the bit")
    if here.get("rows_sha256", "") == before.get("rows_sha256"):
        return Compared(name, "same to the bit", "the same rows in another file")
    if "absent" in before:
        return Compared(name, "not done", "it was absent where the bundle was made")
    what = "rows_sha256" if {"rows_sha256"} <= here.keys() & before.keys() else "checksum"
    return Compared(name, "differs", f"{what} {here[what]} here, {before.get(what)} in the bundle")


def _named_files(paths: Sequence[Path]) -> dict[Path, Path]:
    """Return configs, plugins and all files that they name, by the place where they are found."""
    found: dict[Path, Path] = {}
    known = shipped_configs()
    waiting = [(path, path) for path in paths]
    while waiting:
        place, source = waiting.pop()
        if place in found:
            continue
        found[place] = source
        if source.suffix == ".py":
            behind = (module.resolve() for module in modules_behind(str(source)))
            waiting += [(m, m) for m in behind if not m.is_relative_to(_PACKAGE)]
        elif source.suffix in (".yaml", ".yml"):
            folders = {each.parent for each in found}
            for text in _texts(read_source(source)[0].data):
                name = f"{text.rpartition('.py:')[0]}.py" if ".py:" in text else text
                beside = list(_beside(name, folders))
                waiting += [(each, each) for each in beside]
                if not beside and text in known and known[text].resolve() not in found.values():
                    # Beside the config the name leads to this file, whatever ships elsewhere.
                    waiting.append((place.parent / text, known[text].resolve()))
    return found


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in a value, keys too."""
    if isinstance(value, dict):
        yield from filter(None, value)
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, str):
            yield inner
        elif isinstance(inner, dict | list):
            yield from _texts(inner)


def _beside(name: str, folders: Iterable[Path]) -> Iterator[Path]:
    if os.path.isabs(os.path.expanduser(name)) and is_file(Path(name).expanduser()):
        what = "a bundle needs files named by their path from the config, not an absolute one"
        raise BoostbenchError(what, where=name)
    for folder in folders:
        place = Path(os.path.normpath(folder / name))
        if is_file(place):
            yield place


def _data_sets(runs: Iterable[Run]) -> dict[str, Run]:
    """Return a run that uses it for each data set."""
    return {run.dataset: run for run in runs}


def _checksums(experiment: Experiment, run: Run) -> dict[str, str]:
    try:
        located = locate(run.data.name, run.data.params.plain(), experiment.data)
    except DataUnavailableError as error:
        return {"absent": error.what}
    rows = {} if located.kind == "generator" else {"rows_sha256": sha256_of_rows(located)}
    return {"checksum": located.checksum, **rows}


def _environment() -> dict[str, Any]:
    from boostbench.experiments.running.environment import host

    return {"versions": versions(), "host": host()}


def _unpack(file: Path, folder: Path) -> _Manifest:
    """Unpack a bundle, each file compared with its checksum; return its facts."""
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(member.file_size for member in archive.infolist()) > LARGEST:
                raise BoostbenchError(
                    f"holds more than {LARGEST / 2**30:g} GiB, unpacked", where=str(file)
                )
            facts = _Manifest.model_validate_json(archive.read(_MANIFEST))
            for name, sha256 in facts.sha256.items():
                found = _sha256(archive.read(name))
                if found != sha256:
                    what = f"{name} was changed: sha256 {found}, expected {sha256}"
                    raise BoostbenchError(what, where=str(file))
                archive.extract(name, folder)
    except ValidationError as error:
        place, what = first_mistake(error)
        what = f"is no bundle: {'.'.join(map(str, place)) or _MANIFEST} {what}"
        raise BoostbenchError(what, where=str(file)) from error
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        raise BoostbenchError(what, where=str(file)) from error
    # zipfile raises NotImplementedError for a compression that it does not know
    except (KeyError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        what = f"is no bundle, or damaged ({type(error).__name__}: {error})"
        raise BoostbenchError(what, where=str(file)) from error
    return facts


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
