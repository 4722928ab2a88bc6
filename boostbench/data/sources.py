"""Sources of data sets; the first source that has a data set is used.

The order is: files in data folders, data sets bundled with scikit-learn, generators, downloaded
files, and, if allowed, downloads. An existing file is used even if it is damaged: the damage is
reported instead of silently using another source.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from boostbench.data.catalog import (
    LIBSVM_SUFFIXES,
    SUFFIXES,
    DatasetEntry,
    catalog,
    find_entry,
    search_dirs,
)
from boostbench.data.downloads import Kind, downloads_of
from boostbench.errors import BoostbenchError, DataError, DataUnavailableError
from boostbench.whole_files import sha256_of

_PARSER_VERSION = 2  # increase if the parsers change their result
#: Keys of a catalog entry that affect the parsed rows; ``merge`` is hashed separately.
_READ = {"n_features", "n_categorical", "ordered", "target", "drop"}


@dataclass(frozen=True)
class Located:
    """A source that has the data set, not yet parsed.

    Attributes
    ----------
    entry : DatasetEntry
        Requested entry.
    rows : DatasetEntry
        Entry whose rows are read: the ``base`` of ``entry``, or ``entry`` itself.
    kind : {"file", "scikit-learn", "generator"}
        Downloaded files have the kind ``"file"``.
    checksum : str
        Hexadecimal sha256 of everything that determines the rows: the bytes of the files, or the
        generator with its parameters, and the catalog keys that affect the parsing.
    describe : str
        Description for messages and records, e.g. ``"data/dna.csv.gz"``.
    paths : tuple of Path
        Files of the data set; two for libsvm data with a test part.
    params : dict
        Parameters of the generator.
    """

    entry: DatasetEntry
    rows: DatasetEntry
    kind: Literal["file", "scikit-learn", "generator"]
    checksum: str
    describe: str
    paths: tuple[Path, ...] = ()
    params: Mapping[str, Any] | None = None


def locate(
    name: str,
    params: Mapping[str, Any] | None = None,
    data_dirs: Iterable[str | Path] = (),
    allow_download: bool | Collection[Kind] = False,
) -> Located:
    """Return the source of a data set, without parsing it.

    Parameters
    ----------
    name : str
        Name or alias.
    params : mapping, default=None
        Parameters of the generator.
    data_dirs : iterable of path, default=()
        Folders searched before ``BOOSTBENCH_DATA`` and ``./datasets``.
    allow_download : bool or collection of str, default=False
        Whether a missing data set may be downloaded, or the kinds of sources allowed for it:
        ``"packages"``, ``"openml"``, ``"libsvm"``, ``"pickles"``. True allows all but pickles.

    Raises
    ------
    DataUnavailableError
        If no source has the data set; the message lists the sources tried and suggests a file.
    DataError
        If a catalog or a folder is invalid, or parameters are given for a data set that is read.
    UnknownNameError
        If the name is unknown.

    Examples
    --------
    >>> locate("digits").describe
    'scikit-learn load_digits'
    """
    data_dirs = tuple(data_dirs)
    entry = find_entry(name, data_dirs)
    rows = catalog(data_dirs)[entry.base] if entry.base else entry
    if params:
        if not rows.generator:
            raise DataError(
                f"data set {entry.name!r} is read, not generated; it takes no parameters, "
                f"found {', '.join(sorted(params))}"
            )
        return _generated(entry, rows, params)
    folders = search_dirs(data_dirs)
    for folder in folders:
        files = files_in(folder, rows)
        if files:
            return located_files(entry, rows, files)
    if rows.sklearn is not None:
        checksum = _hash(_sha256(_bundled_file(rows.sklearn)), _reading(entry, rows))
        function = f"load_{rows.sklearn.replace('-', '_')}"
        return Located(entry, rows, "scikit-learn", checksum, f"scikit-learn {function}")
    if rows.generator:
        return _generated(entry, rows, {})
    return _downloaded(entry, rows, folders, allow_download)


def _bundled_file(name: str) -> Path:
    """Return the file of a data set bundled with scikit-learn, without importing the package."""
    spec = importlib.util.find_spec("sklearn")
    folders = [] if spec is None else list(spec.submodule_search_locations or [])
    [file] = (Path(folders[0]) / "datasets" / "data").glob(f"{name.replace('-', '_')}*.csv*")
    return file


def _generated(entry: DatasetEntry, rows: DatasetEntry, params: Mapping[str, Any]) -> Located:
    merged = {**rows.params, **params}
    text = json.dumps([rows.generator, merged, dict(entry.merge)], sort_keys=True, default=str)
    plugin = rows.generator.rpartition(":")[0]
    code = _sha256(Path(plugin)) if plugin.endswith(".py") and Path(plugin).is_file() else ""
    short = (str, int, float)
    shown = ", ".join(f"{key}={value}" for key, value in merged.items() if isinstance(value, short))
    describe = f"generator {rows.generator}({shown})"
    return Located(entry, rows, "generator", _hash(text, code), describe, params=merged)


def located_files(entry: DatasetEntry, rows: DatasetEntry, files: tuple[Path, ...]) -> Located:
    """Return the source of a data set in files."""
    checksum = files_checksum(entry, rows, [_sha256(file) for file in files])
    return Located(entry, rows, "file", checksum, " + ".join(map(str, files)), paths=files)


def is_undivided(entry: DatasetEntry, data_dirs: Iterable[str | Path] = ()) -> bool:
    """Return whether a data set has no official split, as far as is known without reading it.

    False for a generator, and if a data folder has a file of the data set.
    """
    rows = catalog(tuple(data_dirs))[entry.base] if entry.base else entry
    is_known = rows.n_rows is not None and not rows.generator
    return (
        is_known
        and rows.n_train is None
        and not any(files_in(folder, rows) for folder in search_dirs(data_dirs))
    )


def files_in(folder: Path, entry: DatasetEntry) -> tuple[Path, ...]:
    """Return the files of a data set in a folder: none, one, or two of libsvm.

    Raises
    ------
    DataError
        If the libsvm training file exists without the test file.
    """
    stems = dict.fromkeys((entry.name, *entry.aliases))
    for file in (folder / f"{stem}{suffix}" for stem in stems for suffix in SUFFIXES):
        if file.is_file():
            is_libsvm = file.name.endswith(LIBSVM_SUFFIXES)
            beside = _packed(file.with_name(f"{file.name.removesuffix('.bz2')}.t"))
            return (file, beside) if is_libsvm and beside else (file,)
    # Names in the libsvm collection have no suffix. Without a division there is no test part.
    pairs = dict.fromkeys(stems, "")
    if entry.n_train is not None:
        pairs = {stem: f"{stem}.t" for stem in stems}
    if entry.libsvm is not None:
        train, *rest = (part.removesuffix(".bz2") for part in entry.libsvm.file_names)
        pairs = {train: "".join(rest), **{k: v for k, v in pairs.items() if k != train}}
    for train, test in pairs.items():
        found, beside = _packed(folder / train), _packed(folder / test) if test else None
        if found is not None and test and beside is None:
            what = f"the test part {test!r} (or {test}.bz2) is missing beside it"
            raise DataError(what, where=str(found))
        if found is not None:
            return (found,) if beside is None else (found, beside)
    return ()


def _packed(path: Path) -> Path | None:
    """Return an existing file with this path, plus ``.bz2`` or ``.gz`` if compressed, or None."""
    candidates = (path, path.with_name(f"{path.name}.bz2"), path.with_name(f"{path.name}.gz"))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _downloaded(
    entry: DatasetEntry,
    rows: DatasetEntry,
    folders: tuple[Path, ...],
    allow_download: bool | Collection[Kind],
) -> Located:
    sources = downloads_of(rows)
    usual = tuple(source.kind for source in sources if source.kind != "pickles")
    allowed = usual if allow_download is True else allow_download or ()
    searched = ", ".join(map(str, folders))
    tried = [f"no file of it in {searched}" if folders else "no data folder given"]
    for source in sorted(sources, key=lambda source: not source.is_here):
        if source.is_here or source.kind in allowed:
            try:
                source.fetch()
                return located_files(entry, rows, tuple(source.files))
            except (OSError, BoostbenchError) as error:
                tried.append(f"{source.title} failed ({error})")
    if len(tried) == 1 and sources:
        titles = " or ".join(source.title for source in sources)
        pickled = "" if usual else " --from pickles"
        tried.append(f"`boostbench data fetch {entry.name}{pickled}` downloads it from {titles}")
    what = f"data set {entry.name!r} is not available: {'; '.join(tried)}"
    raise DataUnavailableError(f"{what}; {_remedy(rows, folders)}")


def _remedy(entry: DatasetEntry, folders: tuple[Path, ...]) -> str:
    figures = {"rows": entry.n_rows, "features": entry.n_features, "classes": entry.n_classes}
    sizes = [f"{figure} {what}" for what, figure in figures.items() if figure is not None]
    split = "split, " if entry.n_train is not None else ""
    libsvm = ""
    if entry.libsvm is not None:
        parts = entry.libsvm.file_names
        libsvm = f" or the libsvm file{'s' * (len(parts) > 1)} {' and '.join(parts)}"
    folder = str(folders[0]) if folders else "a folder named by --data"
    return (
        f"put {entry.name}.csv.gz (columns {split}features, target; {', '.join(sizes)}){libsvm} "
        f"into {folder}"
    )


def files_checksum(entry: DatasetEntry, rows: DatasetEntry, digests: Iterable[str]) -> str:
    """Return the checksum of a data set (see `Located`) from the sha256 of its files."""
    return _hash(*digests, _reading(entry, rows))


def _reading(entry: DatasetEntry, rows: DatasetEntry) -> str:
    """Return the catalog keys that affect the parsed rows, as text for the checksum.

    The sizes do only in an ordered data set, which they divide.
    """
    sizes = {"n_rows", "n_train", "n_test"} if rows.ordered else set()
    declared = {"types"} if rows.types else set()
    facts = rows.model_dump(include=_READ | sizes | declared)
    return json.dumps([_PARSER_VERSION, facts, entry.merge], sort_keys=True)


def _hash(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _sha256(path: Path) -> str:
    try:
        return sha256_of(path)
    except OSError as error:
        raise DataError(f"the file cannot be read: {error.strerror}", where=str(path)) from error
