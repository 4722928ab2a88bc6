"""The catalog: what is known of each data set before any row is read.

Shipped ``datasets/*.yaml`` files come first; every ``*.yaml`` in a data folder adds entries or,
under a known name, replaces single keys of one. A name without an entry still works when a file of
that name lies in a data folder, or when it is a registered generator: then nothing is expected of
the rows. The keys are the fields of `DatasetEntry`; ``datasets/README.md`` shows them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PositiveInt,
    ValidationError,
    model_validator,
)

from boostbench.errors import ConfigError, DataError, UnknownNameError, nearest
from boostbench.registry import generators
from boostbench.resources import shipped
from boostbench.source import Source, read_source

LIBSVM_SUFFIXES = (".libsvm", ".libsvm.bz2", ".svm", ".svm.bz2")
SUFFIXES = (".csv.gz", ".csv", ".parquet", ".arff", ".arff.gz", *LIBSVM_SUFFIXES)


def _label(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("YAML reads true and false as truth values: quote them")
    return str(value) if isinstance(value, (int, float)) else value


Label = Annotated[str, BeforeValidator(_label)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Sizes(_Strict):
    """Row counts that a file may have besides the published ones.

    Attributes
    ----------
    n_rows, n_train, n_test : int or None
        ``n_rows`` may be left out when both parts are given.
    note : str
        What is different about such a file.
    """

    n_rows: PositiveInt | None = None
    n_train: PositiveInt | None = None
    n_test: PositiveInt | None = None
    note: str = ""

    @model_validator(mode="before")
    @classmethod
    def _sum_of_parts(cls, data: Any) -> Any:
        if isinstance(data, Mapping):
            train, test, rows = (data.get(key) for key in ("n_train", "n_test", "n_rows"))
            if (train is None) != (test is None):
                raise ValueError("n_train and n_test go together: give both or none")
            if isinstance(train, int) and isinstance(test, int):
                if rows not in (None, train + test):
                    raise ValueError(f"n_rows {rows} is not n_train + n_test = {train + test}")
                return {**data, "n_rows": train + test}
        return data


class Libsvm(_Strict):
    """File names in the libsvm collection, below its ``datasets`` folder.

    Attributes
    ----------
    train : str
        For example ``multiclass/dna.scale``; the only file when there is no division.
    test : str
        For example ``multiclass/dna.scale.t``; empty: none.
    """

    train: str
    test: str = ""


class DatasetEntry(Sizes):
    """Entry of the catalog for one data set.

    Attributes
    ----------
    name : str
    title : str
        In words.
    aliases : tuple of str
        Other names, as the papers have them.
    n_rows, n_train, n_test, n_features, n_classes : int or None
        Checked at load; ``n_train`` and ``n_test`` are the official division.
    n_categorical : int or None
        At most this many columns hold text; a text cell elsewhere is an error.
    variants : tuple of Sizes
        Other row counts to accept, with a note.
    ordered : bool
        A source without a division of its own has the rows in the official order, training part
        first.
    target : str
        Name of the label column; empty: ``target``, else ``class``, in ARFF else the last.
    drop : tuple of str
        Columns that are no features.
    files : tuple of str
        File names to look for besides ``<name>.<suffix>``.
    libsvm : Libsvm or None
    openml_id : int or None
    sklearn : {"breast-cancer", "digits", "iris", "wine"} or None
        Name of the set bundled with scikit-learn.
    generator : str
        Name of the generator, empty for none.
    params : dict
        Parameters of the generator.
    base : str
        Another entry this one is made from, by ``merge``.
    merge : dict of str to tuple of str
        New class name to the classes of ``base`` it stands for; other classes stay.
    citation : str
    papers : tuple of str
        Papers that use it.
    notes : str
    where : str
        ``file:line`` of the entry.
    """

    name: str
    title: str = ""
    aliases: tuple[Label, ...] = ()
    n_features: PositiveInt | None = None
    n_classes: Annotated[int, Field(ge=2)] | None = None
    n_categorical: Annotated[int, Field(ge=0)] | None = None
    variants: tuple[Sizes, ...] = ()
    ordered: bool = False
    target: str = ""
    drop: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    libsvm: Libsvm | None = None
    openml_id: PositiveInt | None = None
    sklearn: Literal["breast-cancer", "digits", "iris", "wine"] | None = None
    generator: str = ""
    params: dict[str, Any] = Field(default_factory=dict)
    base: str = ""
    merge: dict[Label, tuple[Label, ...]] = Field(default_factory=dict)
    citation: str = ""
    papers: tuple[str, ...] = ()
    notes: str = ""
    where: str = ""

    def sizes(self) -> tuple[Sizes, ...]:
        """Return the published row counts and the variants."""
        return (Sizes(n_rows=self.n_rows, n_train=self.n_train, n_test=self.n_test), *self.variants)


def search_dirs(data_dirs: Iterable[str | Path] = ()) -> tuple[Path, ...]:
    """Return the folders searched for data files and catalogs, in order.

    The given ones, then those of the environment variable ``BOOSTBENCH_DATA`` (several are
    separated as in ``PATH``), then ``./datasets``.

    Raises
    ------
    DataError
        If a given folder, or one of ``BOOSTBENCH_DATA``, does not exist.
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
        Data folders given by the user; see `search_dirs` for those that are added.

    Raises
    ------
    DataError
        If a catalog file cannot be read or an entry is wrong; the message holds file and line.

    Examples
    --------
    >>> catalog()["dna"].n_train
    2000
    """
    ours = shipped("datasets")
    folders = [
        ours,
        *(d for d in reversed(search_dirs(extra_dirs)) if d.resolve() != ours.resolve()),
    ]
    paths = [path for folder in folders for path in sorted(folder.glob("*.yaml"))]
    stats = [path.stat() for path in paths]
    files = ((path, s.st_mtime_ns, s.st_size) for path, s in zip(paths, stats, strict=True))
    return dict(_merged(tuple(files)))


@lru_cache(maxsize=16)
def _merged(files: tuple[tuple[Path, int, int], ...]) -> dict[str, DatasetEntry]:
    """Return the entries of catalog files; a worker asks for the same few again and again."""
    raw: dict[str, dict[str, Any]] = {}
    places: dict[str, dict[str, str]] = {}
    for path, _, _ in files:
        _read_catalog_file(path, raw, places)
    entries = {name: _entry(name, raw[name], places[name]) for name in sorted(raw)}
    _check_names(entries)
    for name, entry in entries.items():
        if entry.base:
            n_features = entries[entry.base].n_features
            entries[name] = entry.model_copy(update={"n_features": n_features})
    return entries


def find_entry(name: str, dirs: Sequence[str | Path] = (), *, where: str = "") -> DatasetEntry:
    """Return the entry called ``name``, by its name or an alias.

    Upper and lower case, ``_`` and ``-`` are the same. A file ``<name>.<suffix>`` in a data folder
    or a generator of that name needs no entry.

    Raises
    ------
    UnknownNameError
        If there is none; the message holds the nearest name.
    """
    entries = catalog(dirs)
    by_name = {_folded(alias): e for e in entries.values() for alias in (e.name, *e.aliases)}
    if _folded(name) in by_name:
        return by_name[_folded(name)]
    for folder in search_dirs(dirs):
        if any((folder / f"{name}{suffix}").is_file() for suffix in SUFFIXES):
            return DatasetEntry(name=name, where=str(folder))
    if name in generators or ".py:" in name:
        return DatasetEntry(name=name, generator=name)
    known = [alias for e in entries.values() for alias in (e.name, *e.aliases)]
    raise UnknownNameError("data set", name, known, where=where)


def _folded(name: str) -> str:
    return name.casefold().replace("_", "-").replace(" ", "-")


def _read_catalog_file(
    path: Path, raw: dict[str, dict[str, Any]], places: dict[str, dict[str, str]]
) -> None:
    try:
        source, complaints = read_source(path)
    except ConfigError as error:
        complaints = list(error.complaints)
    if complaints:
        raise DataError(complaints[0].what, where=complaints[0].where)
    if source.data is None:
        return
    if not isinstance(source.data, dict):
        raise DataError(
            "a catalog is a mapping of data-set names to their facts, "
            f"found a {type(source.data).__name__}",
            where=source.where(()),
        )
    for name, facts in source.data.items():
        where = source.where((name,))
        if not isinstance(facts, dict):
            raise DataError(
                f"entry {name!r} must be a name with a mapping, e.g. 'mine: {{n_rows: 150}}'",
                where=where,
            )
        raw[name] = {**raw.get(name, {}), **facts}
        places[name] = {**places.get(name, {}), **_places(source, name), "": where}


def _places(source: Source, name: str) -> dict[str, str]:
    """Return file:line of every key below an entry, by its dotted path."""
    return {
        ".".join(map(str, at[1:])): where
        for at, where in source.places.items()
        if len(at) > 1 and at[0] == name
    }


def _entry(name: str, facts: Mapping[str, Any], places: Mapping[str, str]) -> DatasetEntry:
    for reserved in ("name", "where"):
        if reserved in facts:
            raise DataError(
                f"data set {name!r}: key {reserved!r} is set by the program; leave it out",
                where=places.get(reserved, places[""]),
            )
    try:
        return DatasetEntry(**{**facts, "name": name, "where": places[""]})
    except ValidationError as error:
        first = error.errors()[0]
        at = [str(part) for part in first["loc"]]
        where = next(
            (places[".".join(at[:n])] for n in range(len(at), 0, -1) if ".".join(at[:n]) in places),
            places[""],
        )
        raise DataError(f"data set {name!r}: {_complaint(first, at)}", where=where) from None


def _complaint(error: Any, at: Sequence[str]) -> str:
    if error["type"] == "extra_forbidden":
        model: type[BaseModel] = DatasetEntry
        if len(at) > 1:
            model = Libsvm if at[0] == "libsvm" else Sizes
        usable = [field for field in model.model_fields if field not in ("name", "where")]
        close = nearest(at[-1], usable)
        hint = f"did you mean {close!r}?" if close else f"known are: {', '.join(usable)}"
        return f"unknown key {at[-1]!r}; {hint}"
    message = str(error["msg"]).removeprefix("Value error, ")
    found = "" if not at else f" (found {error['input']!r})"
    return f"{'.'.join(at)}: {message}{found}" if at else message


def _check_names(entries: Mapping[str, DatasetEntry]) -> None:
    """Refuse a name that two entries claim, and a base that does not exist."""
    owner: dict[str, DatasetEntry] = {}
    for entry in entries.values():
        for name in {_folded(alias) for alias in (entry.name, *entry.aliases)}:
            if name in owner:
                other = owner[name]
                raise DataError(
                    f"{name!r} names both {other.name!r} ({other.where}) and {entry.name!r}",
                    where=entry.where,
                )
            owner[name] = entry
    for entry in entries.values():
        if entry.base and (entry.base not in entries or entries[entry.base].base):
            close = nearest(entry.base, entries)
            hint = f"; did you mean {close!r}?" if close and close != entry.base else ""
            raise DataError(
                f"data set {entry.name!r}: base {entry.base!r} is no entry with its own rows{hint}",
                where=entry.where,
            )
