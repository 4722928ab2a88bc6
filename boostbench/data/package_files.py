"""Data files in packages: members of an archive, and their tables.

The cells of all tables but those of pickles stay texts, so that the rules of
`boostbench.data.columns` decide what a column is, as for a file of the user.
"""

from __future__ import annotations

import gzip
import io
import lzma
import pickle
import re
import tarfile
import zipfile
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from boostbench.whole_files import read_bounded, read_file

if TYPE_CHECKING:
    import pandas as pd

    from boostbench.data.catalog import PackageFile

#: Classes and functions that a pickled table may name, by module; NumPy 1 said numpy.core.
_IN_PICKLES = {
    "builtins": {"slice"},
    "numpy": {"dtype", "ndarray"},
    "numpy._core.multiarray": {"_reconstruct"},
    "numpy._core.numeric": {"_frombuffer"},
    "pandas": {"DataFrame", "Index", "RangeIndex"},
    "pandas.core.frame": {"DataFrame"},
    "pandas.core.internals.managers": {"BlockManager"},
    "pandas._libs.internals": {"_unpickle_block"},
    "pandas.core.indexes.base": {"_new_Index", "Index"},
    "pandas.core.indexes.range": {"RangeIndex"},
}


def read_members(archive: Path, pattern: str) -> list[bytes]:
    """Return the contents of the files of a wheel or Debian package that match a pattern.

    Parameters
    ----------
    archive : Path
        ``.whl`` or ``.deb``.
    pattern : str
        Path in the package; ``*`` stands for any text.

    Returns
    -------
    contents : list of bytes
        In the order of their paths, at least one.

    Raises
    ------
    ValueError
        If no file matches, or the archive is damaged.
    """
    content = read_file(archive)
    try:
        if archive.suffix == ".deb":
            found = _deb_members(content, pattern, archive)
        else:
            with zipfile.ZipFile(io.BytesIO(content)) as wheel:
                names = [n for n in wheel.namelist() if n == pattern or fnmatchcase(n, pattern)]
                found = {name: _member(wheel.open(name), archive) for name in names}
    except (zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise ValueError(str(error)) from error
    if not found:
        raise ValueError("the package has no such file")
    return [found[name] for name in sorted(found)]


def _member(file: IO[bytes], archive: Path) -> bytes:
    with file:
        return read_bounded(file, archive)


def _deb_members(content: bytes, pattern: str, archive: Path) -> dict[str, bytes]:
    """Return files of a Debian package: an ``ar`` archive with the files in ``data.tar``."""
    at = 8  # after the magic number; each header has 60 bytes, the name first, then the size
    while content[at : at + 60]:
        name, size = content[at : at + 16].decode("ascii"), int(content[at + 48 : at + 58])
        if name.startswith("data.tar"):
            part = io.BytesIO(content[at + 60 : at + 60 + size])
            with tarfile.open(fileobj=part) as files:
                names = {m.name.removeprefix("./"): m for m in files.getmembers() if m.isfile()}
                return {
                    n: read_bounded(files.extractfile(member), archive)
                    for n, member in names.items()
                    if fnmatchcase(n, pattern)
                }
        at += 60 + size + size % 2
    return {}


def frame_of(contents: list[bytes], source: PackageFile) -> pd.DataFrame:
    """Return the table of the files of a data set.

    Parameters
    ----------
    contents : list of bytes
        Contents of the files, in the order of their paths.
    source : PackageFile

    Raises
    ------
    ValueError
        If a file is not of the format.
    """
    return _READERS[source.read](contents, source)


def _csv(contents: list[bytes], source: PackageFile) -> pd.DataFrame:
    """Read comma-separated cells with the names in the first line, or those of the catalog."""
    import pandas as pd

    [content] = contents
    text = io.StringIO(text_of(content))
    names = None if source.columns == ("x",) else source.columns
    return pd.read_csv(text, dtype=str, keep_default_na=False, skipinitialspace=True, names=names)


def _keel(contents: list[bytes], source: PackageFile) -> pd.DataFrame:
    """Read KEEL's format: ARFF, with a range behind each type."""
    import pandas as pd

    header, _, rows = text_of(*contents).partition("@data")
    names = re.findall(r"(?im)^@attribute\s+([^\s{]+)", header)
    lines = [
        [cell.strip() for cell in line.split(",")] for line in rows.split("\n") if line.strip()
    ]
    return pd.DataFrame(lines, columns=names)


def _orange(contents: list[bytes], source: PackageFile) -> pd.DataFrame:
    """Read Orange's format: tabs, and lines with names, types and roles."""
    import pandas as pd

    names, _, _, *rows = (line.split("\t") for line in text_of(*contents).splitlines())
    return pd.DataFrame(rows, columns=names)


def _series(contents: list[bytes], source: PackageFile) -> pd.DataFrame:
    """Read series of equal length: a column for each time, and the class."""
    import pandas as pd

    blocks = [re.split("(?i)@data", text_of(content))[1].split() for content in contents]
    rows = [line.replace(":", ",").split(",") for block in blocks for line in block]
    names = [f"t{number}" for number in range(1, len(rows[0]))]
    return pd.DataFrame(rows, columns=[*names, "target"])


def _images(contents: list[bytes], source: PackageFile) -> pd.DataFrame:
    """Read images and labels in the format of MNIST: first those for the test."""
    import pandas as pd

    tables = []
    for part, images, labels in zip(("test", "train"), contents[::2], contents[1::2], strict=True):
        y = np.frombuffer(gzip.decompress(labels), np.uint8, offset=8)
        pixels = np.frombuffer(gzip.decompress(images), np.uint8, offset=16)
        table = pd.DataFrame(pixels.reshape(len(y), -1)).add_prefix("pixel")
        tables.append(table.assign(split=part, target=y))
    return pd.concat(tables, ignore_index=True)


class _TableUnpickler(pickle.Unpickler):
    """Unpickler of tables; it refuses every other class and function."""

    def find_class(self, module: str, name: str) -> Any:
        module = module.replace("numpy.core", "numpy._core")
        if name not in _IN_PICKLES.get(module, ()):
            raise ValueError(f"the pickle names {module}.{name}, which is not part of a table")
        return super().find_class(module, name)


def _pickle(contents: list[bytes], source: PackageFile) -> pd.DataFrame:
    """Read a pickled table, compressed by LZMA, without executing what it names."""
    [content] = contents
    with lzma.open(io.BytesIO(content)) as file:
        table: pd.DataFrame = _TableUnpickler(
            io.BytesIO(read_bounded(file, Path(source.file)))
        ).load()
    return table.drop(columns="rownames", errors="ignore")


def text_of(content: bytes) -> str:
    """Return text in UTF-8 or, if it is none, Latin-1; also if it is gzipped."""
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


_READERS = {
    "csv": _csv,
    "keel": _keel,
    "orange": _orange,
    "series": _series,
    "images": _images,
    "pickle": _pickle,
}
