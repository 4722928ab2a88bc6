"""Loading of data sets by name: locate, read, check and encode."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.data.cache import read_parsed, write_parsed
from boostbench.data.catalog import DatasetEntry
from boostbench.data.dataset import Dataset, encode_labels, encoded, impute
from boostbench.data.official import rows_sha256
from boostbench.data.readers import parse_files
from boostbench.data.sources import Located, files_checksum, locate
from boostbench.data.tables import Parsed, numbers
from boostbench.errors import BoostbenchError, DataError, UnknownNameError
from boostbench.registry import generators
from boostbench.whole_files import read_file

_CACHED_FROM_BYTES = 100_000  # for smaller files a cache saves no time


def load(
    name: str,
    params: Mapping[str, Any] | None = None,
    data_dirs: Iterable[str | Path] = (),
    encode: Literal["ordinal", "one-hot"] = "ordinal",
    missing: str | float = "keep",
    rng: np.random.Generator | None = None,
    allow_download: bool = False,
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
    allow_download : bool, default=False
        Whether missing files may be downloaded.

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
    return load_located(locate(name, params, data_dirs, allow_download), encode, missing, rng)


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
    in_test = _in_test(parsed, entry)
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
    parsed, _ = _read(located)
    return rows_sha256(parsed, _in_test(parsed, located.rows))


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
    """Return the table of a source and the checksum of the bytes that were read."""
    if located.kind == "scikit-learn":
        return _bundled(str(located.rows.sklearn)), located.checksum
    files = [(path, read_file(path)) for path in located.paths]
    digests = [hashlib.sha256(content).hexdigest() for _, content in files]
    checksum = files_checksum(located.entry, located.rows, digests)
    cached = sum(len(content) for _, content in files) >= _CACHED_FROM_BYTES
    parsed = read_parsed(checksum) if cached else None
    if parsed is None:
        parsed = parse_files(files, located.rows)
        if cached:
            write_parsed(checksum, parsed)
    return parsed, checksum


def _bundled(name: str) -> Parsed:
    """Return a data set bundled with scikit-learn; labels are class names."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name.replace('-', '_')}")()
    X = np.asarray(bunch.data, dtype=np.float64)
    return Parsed(
        X=X,
        labels=np.array([str(bunch.target_names[k]) for k in bunch.target], dtype=str),
        columns=numbers([str(feature) for feature in bunch.feature_names]),
        in_test=None,
    )


def _in_test(parsed: Parsed, entry: DatasetEntry) -> NDArray[np.bool_] | None:
    """Return which rows are the official test part; None if there is no official split."""
    n_rows = len(parsed.labels)
    if parsed.in_test is None and entry.ordered and entry.n_train and n_rows == entry.n_rows:
        return np.arange(n_rows) >= entry.n_train
    return parsed.in_test


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
