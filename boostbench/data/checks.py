"""Checks of the data that was read against the catalog."""

from __future__ import annotations

from boostbench.data.catalog import DatasetEntry, Sizes
from boostbench.errors import DataError


def check_found(
    entry: DatasetEntry,
    *,
    where: str,
    n_rows: int,
    n_train: int | None,
    n_features: int | None,
    classes: tuple[str, ...],
) -> None:
    """Refuse rows that are not those of the catalog's data set.

    Parameters
    ----------
    entry : DatasetEntry
    where : str
        The file or other source.
    n_rows : int
    n_train : int or None
        Training rows of the division the source declares; None if it declares none.
    n_features : int or None
        None: not checked, as after one-hot coding.
    classes : tuple of str

    Raises
    ------
    DataError
        Naming every figure that differs, as found and as expected.
    """
    if len(classes) < 2:
        raise DataError(
            f"all {n_rows} rows have the one label {classes[0]!r}; at least 2 classes are needed",
            where=where,
        )
    if n_train is not None and n_train in (0, n_rows):
        part = "training" if n_train == 0 else "test"
        raise DataError(f"column 'split' leaves the {part} part empty", where=where)
    wrong = _wrong_rows(entry, n_rows, n_train)
    if n_features is not None and entry.n_features not in (None, n_features):
        wrong.append(f"features: {n_features} found, {entry.n_features} expected")
    if entry.n_classes not in (None, len(classes)):
        shown = ", ".join(classes[:6]) + (", ..." if len(classes) > 6 else "")
        wrong.append(f"classes: {len(classes)} found ({shown}), {entry.n_classes} expected")
    if wrong:
        raise DataError(
            f"not the data set {entry.name!r} of the catalog ({entry.where}): {'; '.join(wrong)}; "
            "mend the file, or declare its sizes under 'variants' of that entry",
            where=where,
        )


def _wrong_rows(entry: DatasetEntry, n_rows: int, n_train: int | None) -> list[str]:
    sizes = [size for size in entry.sizes() if size.n_rows is not None]
    if not sizes or any(_fits(size, n_rows, n_train) for size in sizes):
        return []
    found = str(n_rows)
    if n_train is not None and any(size.n_train is not None for size in sizes):
        found += f" ({n_train} train, {n_rows - n_train} test)"
    return [f"rows: {found} found, {' or '.join(_shown(size) for size in sizes)} expected"]


def _fits(size: Sizes, n_rows: int, n_train: int | None) -> bool:
    return size.n_rows == n_rows and (n_train is None or size.n_train in (None, n_train))


def _shown(size: Sizes) -> str:
    if size.n_train is None:
        return str(size.n_rows)
    return f"{size.n_rows} ({size.n_train} train, {size.n_test} test)"
