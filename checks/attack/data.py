"""Hostile data: damaged, mutated and endless data files, catalogs and caches."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import random
import resource
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from boostbench.data.loading import load
from boostbench.errors import BoostbenchError
from checks.attack.case import Case
from checks.attack.commands import problem_running

_SECONDS = 20.0
_MEMORY = 6 * 2**30
_CSV = "split,a,b,target\n" + "".join(
    f"{'train' if i % 3 else 'test'},{i % 7},{i * 0.25},{'xyz'[i % 3]}\n" for i in range(60)
)
_ARFF = (
    "@relation toy\n@attribute a numeric\n@attribute 'b c' real\n@attribute class {x,y}\n@data\n"
)
_ARFF += "".join(f"{i % 7},{i * 0.25},{'xy'[i % 2]}\n% remark\n" for i in range(40))
_LIBSVM = "".join(f"{i % 3} 1:{i % 7} 3:{i * 0.25}\n" for i in range(60))
_YAML = "toy: {n_rows: 60, n_features: 2, n_classes: 3, n_categorical: 0, target: target}\n"
_FILES = {
    "toy.csv": _CSV.encode(),
    "toy.arff": _ARFF.encode(),
    "toy.libsvm": _LIBSVM.encode(),
    "toy.csv.gz": gzip.compress(_CSV.encode(), mtime=0),
    "toy.arff.gz": gzip.compress(_ARFF.encode(), mtime=0),
    "toy.libsvm.bz2": bz2.compress(_LIBSVM.encode()),
    "toy.parquet": pd.read_csv(io.StringIO(_CSV)).to_parquet(),
}
_CELLS = (
    b"",
    b"?",
    b"nan",
    b"inf",
    b"1e999",
    b'"',
    b"'",
    b",",
    b"\n",
    b"\r",
    b"\0",
    b"\xff",
    b"=1",
)
_CELLS += (
    b"\xef\xbb\xbf",
    b"train",
    b"99999999999999999999",
    b"1_0",
    b":",
    b"-1:",
    b"{",
    b"%",
    b"#",
)
_CELLS += (b"x" * 140_000, b"2147483648:1", b"@data", b"qid:1", "\u2028é".encode(), b"0x1p3", b";")


_CELLS += (
    b"1,5",
    b"1.234,5",
    b"2020-01-02",
    b"31/12/2019",
    b"12:30",
    b"12 %",
    b"$5",
    b"007",
    b"5 kg",
)
_CELLS += (
    rb"'it\'s'",
    b"{0 1}",
    b"sep=;\n",
    b"\t",
    b"|",
    b"NA",
    b"-",
    "\u2212".encode(),
    b"9" * 400,
)


def attack(n: int, seed: int, folder: Path) -> Iterator[Case]:
    """Try n files."""
    rng = random.Random(seed)
    before, limit = Path.cwd(), resource.getrlimit(resource.RLIMIT_DATA)
    os.chdir(folder)
    os.environ["BOOSTBENCH_CACHE"] = str(folder / "cache")
    os.environ.pop("BOOSTBENCH_DATA", None)
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, limit[1]))
    previous = signal.signal(signal.SIGALRM, _too_long)
    try:
        yield from _directed()
        for number in range(n):
            yield _mutated(number, rng)
    finally:
        signal.signal(signal.SIGALRM, previous)
        resource.setrlimit(resource.RLIMIT_DATA, limit)
        os.chdir(before)


def _mutated(number: int, rng: random.Random) -> Case:
    name = rng.choice(list(_FILES))
    content = _changed(_FILES[name], rng)
    if name.endswith("gz") and rng.random() < 0.5:  # damage the content, not the compression
        content = gzip.compress(_changed(gzip.decompress(_FILES[name]), rng), mtime=0)
    catalog = _YAML if rng.random() < 0.05 else None  # rarely, as all catalogs are read again
    if catalog is not None and rng.random() < 0.5:
        catalog = _changed(catalog.encode(), rng).decode("utf-8", "replace")
    command = None if number % 25 else rng.choice(("fetch", "add", "plan"))
    problem = _problem_with(name, content, catalog, command)
    return Case(f"mutated {name}", not problem, f"{problem}: {content[:300]!r} {catalog!r}")


def _changed(content: bytes, rng: random.Random) -> bytes:
    text = bytearray(content)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(text) + 1)
        change = rng.randrange(6)
        if change == 0:
            text[at : at + rng.randint(1, 30)] = b""
        elif change == 1:
            text[at:at] = rng.choice(_CELLS)
        elif change == 2:
            text[at : at + 1] = bytes([rng.randrange(256)])
        elif change == 3:
            del text[at:]
        elif change == 4:
            text[at:at] = text[rng.randrange(len(text) + 1) :][:200]
        else:
            text[at : at + rng.randint(1, 4)] = rng.choice(_CELLS)
    return bytes(text)


def _problem_with(name: str, content: bytes, catalog: str | None, command: str | None) -> str:
    """Read a file as a data set, or by a command; return a description of any failure."""
    shutil.rmtree("data", ignore_errors=True)
    Path("data").mkdir()
    (Path("data") / name).write_bytes(content)
    if catalog is not None:
        Path("data/toy.yaml").write_bytes(catalog.encode("utf-8", "surrogateescape"))
    return _call(command) if command else _timed(_load)


def _load() -> str:
    try:
        data = load("toy", None, ["data"])
    except BoostbenchError as error:
        lines = str(error).strip().split("\n")  # one for each column that is refused
        is_clear = len(lines) == 1 or all(line.startswith("data/toy") for line in lines)
        return "" if is_clear else f"several lines: {lines}"
    return "" if len(data.y) == len(data.X) and data.n_classes >= 2 else "invalid data were read"


def _call(command: str, *more: str) -> str:
    file = next((str(p) for p in sorted(Path("data").iterdir()) if p.suffix != ".yaml"), "")
    Path("toy.yaml").write_text(
        "name: toy\ndatasets: [toy]\nsplit: {holdout: 0.3}\nboosters: [samme]\nrounds: 2\n"
    )
    arguments = {
        "fetch": ["data", "fetch", "toy", "--data", "data"],
        "add": ["data", "add", file, "--name", "mine", "--to", "added", *more],
        "plan": ["plan", "toy.yaml", "--data", "data"],
    }[command]
    problem = _timed(lambda: problem_running(arguments))
    shutil.rmtree("added", ignore_errors=True)
    return problem


def _timed(call: Callable[[], str]) -> str:
    start = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        return call()
    except TimeoutError:
        return f"more than {_SECONDS:g} s"
    except Exception as error:
        return f"{type(error).__name__}: {error} after {time.monotonic() - start:.1f} s"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _too_long(*_: object) -> None:
    raise TimeoutError


def _bomb() -> bytes:
    part = gzip.compress(b"0" * 2**24, mtime=0)
    return part * 300  # 4.7 GiB of zeros in 5 MB


def _directed() -> Iterator[Case]:
    """Try inputs that once caused failures, by every command, and special and endless files."""
    wide = "a,b,target\n" + "x" * 140_000 + ",1\n" + "1,2,x\n" * 5
    files = {
        "a short row with a long cell": ("toy.csv", wide.encode()),
        "an open quote": ("toy.arff", _ARFF.encode() + b"1,'2,x\n" + b"1,2,x\n" * 9),
        "an index of 10^9": ("toy.libsvm", b"1 1:2\n0 1000000000:1\n" * 5),
        "an index of 10^30": ("toy.libsvm", b"1 1:2\n0 " + b"1" * 30 + b":1\n"),
        "a gzip bomb": ("toy.csv.gz", _bomb()),
        "a bzip2 bomb": ("toy.libsvm.bz2", bz2.compress(b"0" * 2**24) * 300),
        "a column of names": (
            "toy.csv",
            b"a,target\n" + b"".join(b"n%d,x\n" % i for i in range(9)),
        ),
        "half a million columns": (
            "toy.csv",
            b"a," * 500_000 + b"target\n" + b"1," * 500_000 + b"x\n",
        ),
    }
    for kind, (name, content) in files.items():
        for command in ("fetch", "add", "plan", None):
            problem = _problem_with(name, content, None, command)
            yield Case(kind, not problem, f"{command}: {problem}")
    for kind, make in {
        "a pipe": os.mkfifo,
        "a link to /dev/zero": lambda path: os.symlink("/dev/zero", path),
        "a link that leads nowhere": lambda path: os.symlink("nowhere", path),
        "a folder": os.mkdir,
    }.items():
        for name in ("toy.csv", "toy.csv.gz", "toy.arff", "toy.libsvm", "toy.yaml"):
            shutil.rmtree("data", ignore_errors=True)
            Path("data").mkdir()
            make(f"data/{name}")
            for command in ("fetch", "plan", *(("add",) if name != "toy.yaml" else ())):
                problem = _call(command)
                yield Case(kind, not problem, f"{command} {name}: {problem}")
    yield from _caches()


def _caches() -> Iterator[Case]:
    """Damage the cache of a parsed table, which must not change the numbers read."""
    rng = random.Random(0)
    rows = "".join(f"{rng.random()},{rng.random()},{rng.choice('ab')}\n" for _ in range(4000))
    shutil.rmtree("data", ignore_errors=True)
    Path("data").mkdir()
    Path("data/toy.csv").write_text(f"u,v,target\n{rows}")
    expected = load("toy", None, ["data"]).X
    [cache] = Path("cache/columns").iterdir()
    good = cache.read_bytes()
    for _ in range(300):
        damaged = bytearray(good)
        for _ in range(rng.randint(1, 20)):
            damaged[rng.randrange(min(len(damaged), rng.choice((200, 2000, 10**9))))] ^= (
                1 << rng.randrange(8)
            )
        cache.write_bytes(
            bytes(damaged[: rng.randrange(len(damaged))] if rng.random() < 0.2 else damaged)
        )

        def compare() -> str:
            numbers = load("toy", None, ["data"]).X
            return "" if np.array_equal(numbers, expected) else "wrong numbers"

        problem = _timed(compare)
        yield Case("a damaged cache", not problem, problem)
