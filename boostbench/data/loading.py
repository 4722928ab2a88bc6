"""Loading of data sets by name: locate, read, check and encode.

The first source that has a data set is used. The order is: files in data folders, data sets bundled
with scikit-learn, generators, downloaded files, and, if allowed, downloads. An existing file is
used even if it is damaged: the damage is reported instead of silently using another source.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from boostbench.data.cache import read_parsed, write_parsed
from boostbench.data.catalog import (
    LIBSVM_SUFFIXES,
    SUFFIXES,
    DatasetEntry,
    catalog,
    find_entry,
    search_dirs,
)
from boostbench.data.dataset import Dataset, encode_labels, encoded, impute
from boostbench.data.downloads import Kind, downloads_of
from boostbench.data.official import rows_sha256
from boostbench.data.readers import parse_files
from boostbench.data.tables import Parsed, numbers
from boostbench.errors import BoostbenchError, DataError, DataUnavailableError, UnknownNameError
from boostbench.registry import generators, without_folder
from boostbench.whole_files import read_file, sha256_of

#: Keys of a catalog entry that affect the parsed rows; ``merge`` is hashed separately.
_READ = {"n_features", "n_categorical", "ordered", "target", "drop"}
_CACHED_FROM_BYTES = 100_000  # for smaller files a cache saves no time


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
        if files := files_in(folder, rows):
            return located_files(entry, rows, files)
    if rows.sklearn is not None:
        checksum = _checksum(entry, rows, _sha256(_bundled_file(rows.sklearn)))
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
    name = without_folder(rows.generator)
    text = json.dumps([name, merged, dict(entry.merge)], sort_keys=True, default=str)
    plugin = rows.generator.rpartition(":")[0]
    code = _sha256(Path(plugin)) if plugin.endswith(".py") and Path(plugin).is_file() else ""
    short = (str, int, float)
    shown = ", ".join(f"{key}={value}" for key, value in merged.items() if isinstance(value, short))
    describe = f"generator {name}({shown})"
    return Located(entry, rows, "generator", _hash(text, code), describe, params=merged)


def located_files(entry: DatasetEntry, rows: DatasetEntry, files: tuple[Path, ...]) -> Located:
    """Return the source of a data set in files."""
    checksum = _checksum(entry, rows, *map(_sha256, files))
    return Located(entry, rows, "file", checksum, " + ".join(map(str, files)), paths=files)


def is_undivided(entry: DatasetEntry, data_dirs: Iterable[str | Path] = ()) -> bool:
    """Return whether a data set has no official split, as far as is known without reading it.

    False for a generator, and if a data folder has a file of the data set.
    """
    rows = catalog(tuple(data_dirs))[entry.base] if entry.base else entry
    if rows.generator or rows.n_rows is None or rows.n_train is not None:
        return False
    return not any(files_in(folder, rows) for folder in search_dirs(data_dirs))


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
        train, *rest = (Path(part).name.removesuffix(".bz2") for part in entry.libsvm.paths)
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
        parts = [Path(part).name for part in entry.libsvm.paths]
        libsvm = f" or the libsvm file{'s' * (len(parts) > 1)} {' and '.join(parts)}"
    folder = str(folders[0]) if folders else "a folder named by --data"
    return (
        f"put {entry.name}.csv.gz (columns {split}features, target; {', '.join(sizes)}){libsvm} "
        f"into {folder}"
    )


def _checksum(entry: DatasetEntry, rows: DatasetEntry, *digests: str) -> str:
    """Return the checksum of a data set (see `Located`) from the sha256 of its files.

    It depends on the catalog keys that affect the parsed rows, on the sizes only in an ordered data
    set, which they divide.
    """
    sizes = {"n_rows", "n_train", "n_test"} if rows.ordered else set()
    declared = {"types"} if rows.types else set()
    facts = rows.model_dump(include=_READ | sizes | declared)
    reading = [2, facts, entry.merge]  # 2: a part of old checksums
    return _hash(*digests, json.dumps(reading, sort_keys=True))


def _hash(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _sha256(path: Path) -> str:
    try:
        return sha256_of(path)
    except OSError as error:
        raise DataError(f"the file cannot be read: {error.strerror}", where=str(path)) from error


def load(
    name: str,
    params: Mapping[str, Any] | None = None,
    data_dirs: Iterable[str | Path] = (),
    encode: Literal["ordinal", "one-hot"] = "ordinal",
    missing: str | float = "keep",
    rng: np.random.Generator | None = None,
) -> Dataset:
    """Load a data set and check it against the catalog.

    Parameters
    ----------
    name : str
        Name or alias.
    params : mapping, default=None
        Parameters of the generator.
    data_dirs : iterable of path, default=()
        Folders searched before ``BOOSTBENCH_DATA`` and ``./datasets``.
    encode : {"ordinal", "one-hot"}, default="ordinal"
        ``"ordinal"``: a categorical column holds codes 0, 1, ... of its values in sorted order.
        ``"one-hot"``: one 0/1 column per value, named ``column=value``, NaN for missing cells.
    missing : {"keep", "median", "most-frequent"} or float, default="keep"
        See `impute`. Statistics are computed from the official training rows or, without an
        official split, from all rows.
    rng : numpy Generator, default=None
        Random numbers of a generated data set. None: a generator with seed 0.

    Raises
    ------
    BoostbenchError
        If the data set is unknown or unavailable, or its file is damaged or does not agree with
        the catalog.

    Examples
    --------
    >>> iris = load("iris")
    >>> iris.X.shape, iris.classes
    ((150, 4), ('setosa', 'versicolor', 'virginica'))
    """
    return load_located(locate(name, params, data_dirs), encode, missing, rng)


def load_located(
    located: Located,
    encode: str = "ordinal",
    missing: str | float = "keep",
    rng: np.random.Generator | None = None,
) -> Dataset:
    """Load a data set from its source; parameters and errors as of `load`."""
    encoded(np.empty((0, 0)), (), encode)  # refuses an unknown encoding before it reads
    if located.kind == "generator":
        data = _generate(located, np.random.default_rng(0) if rng is None else rng)
        return _merge_classes(data, located.entry)
    entry, (parsed, checksum) = located.rows, _read(located)
    y, classes = encode_labels(parsed.labels.tolist())
    entry.check(located.describe, len(y), parsed.n_train, classes, parsed.X.shape[1])
    in_test = parsed.in_test
    official = None if in_test is None else (np.flatnonzero(~in_test), np.flatnonzero(in_test))
    categorical = np.array([column.values is not None for column in parsed.features], dtype=bool)
    fit_rows = official and official[0]
    X = impute(parsed.X, missing, categorical=categorical, fit_rows=fit_rows)
    X, names = encoded(X, parsed.features, encode)
    data = Dataset(
        name=entry.name,
        X=X,
        y=y,
        classes=classes,
        feature_names=names,
        categorical=categorical if encode == "ordinal" else np.zeros(len(names), dtype=bool),
        official=official,
        citation=entry.citation,
        source=located.describe,
        checksum=checksum,
        columns=parsed.columns,
        encode=encode,
        missing=missing,
    )
    return _merge_classes(data, located.entry)


def sha256_of_rows(located: Located) -> str:
    """Return the checksum of the rows of a source (see `rows_sha256`)."""
    return rows_sha256(_read(located)[0])


def _generate(located: Located, rng: np.random.Generator) -> Dataset:
    rows = located.rows
    generator = generators.get(rows.generator)
    params = dict(located.params or {})
    accepted = inspect.signature(generator).parameters
    known = [key for key, each in accepted.items() if each.kind is each.KEYWORD_ONLY]
    for key in params:
        if key not in known:
            raise UnknownNameError(f"parameter of generator {rows.generator!r}:", key, known)
    data = generator(rng, **params)
    if not isinstance(data, Dataset):
        what = f"must return a Dataset, it returned a {type(data).__name__}"
        raise BoostbenchError(f"generator {rows.generator!r} {what}")
    return replace(
        data,
        name=located.entry.name,
        source=located.describe,
        citation=rows.citation,
        checksum=located.checksum,
    )


def _read(located: Located) -> tuple[Parsed, str]:
    """Return the table of a source, divided, and the checksum of the bytes that were read."""
    if located.kind == "scikit-learn":
        return _bundled(str(located.rows.sklearn)), located.checksum
    files = [(path, read_file(path)) for path in located.paths]
    digests = [hashlib.sha256(content).hexdigest() for _, content in files]
    checksum = _checksum(located.entry, located.rows, *digests)
    cached = sum(len(content) for _, content in files) >= _CACHED_FROM_BYTES
    parsed = read_parsed(checksum) if cached else None
    if parsed is None:
        parsed = parse_files(files, located.rows)
        if cached:
            write_parsed(checksum, parsed)
    entry, n_rows = located.rows, len(parsed.labels)
    if parsed.in_test is None and entry.ordered and entry.n_train and n_rows == entry.n_rows:
        parsed = replace(parsed, in_test=np.arange(n_rows) >= entry.n_train)
    return parsed, checksum


def _bundled(name: str) -> Parsed:
    """Return a data set bundled with scikit-learn; labels are class names."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name.replace('-', '_')}")()
    return Parsed(
        X=np.asarray(bunch.data, dtype=np.float64),
        labels=np.array([str(bunch.target_names[k]) for k in bunch.target], dtype=str),
        columns=numbers([str(feature) for feature in bunch.feature_names]),
        in_test=None,
    )


def _merge_classes(data: Dataset, entry: DatasetEntry) -> Dataset:
    """Merge classes as declared in the entry; other classes keep their names."""
    if not entry.base:
        return data
    new_name = {old: new for new, group in entry.merge.items() for old in group}
    unknown = sorted(set(new_name) - set(data.classes))
    if unknown:
        raise DataError(
            f"data set {entry.name!r}: merge names the class {unknown[0]!r}, which {entry.base!r} "
            f"does not have; its classes are {', '.join(data.classes)}",
            where=entry.where,
        )
    names = [new_name.get(label, label) for label in data.classes]
    y, classes = encode_labels(names)
    n_train = None if data.official is None else len(data.official[0])
    entry.check(data.source, data.n_rows, n_train, classes)
    return replace(
        data,
        name=entry.name,
        y=y[data.y],
        classes=classes,
        citation=entry.citation or data.citation,
    )
