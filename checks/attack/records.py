"""Hostile records: invalid content with a valid digest, damaged files, special files and links."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import logging
import lzma
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from boostbench.errors import DataError
from boostbench.experiments.store.records import PackedRecords, RecordStore, pack
from checks.attack.case import Case
from checks.attack.commands import problem_running

CONFIG = """\
name: attacked
datasets: [iris]
split: {holdout: 0.3}
boosters: [samme]
rounds: 4
seeds: 2
"""
_JUNK = (None, True, -1, 0, 10**30, 0.5, 1e308, "", "x", [], [[]], {}, {"a": 1}, float("nan"))
_BULK = ("round_zero", "noise", "curves", "at_checkpoints")
_COMMANDS = (["status", "attacked.yaml"], ["export", "attacked.yaml"])
_SLOW = (["plan", "attacked.yaml"], ["report", "attacked.yaml"])


def attack(n: int, seed: int, folder: Path) -> Iterator[Case]:
    """Try n records, and n files of packed records."""
    rng = random.Random(seed)
    before = Path.cwd()
    os.chdir(folder)
    try:
        Path("attacked.yaml").write_text(CONFIG)
        problem_running(["run", "attacked.yaml", "--quiet", "--executor", "inline"])
        good = sorted(Path("results/runs/iris").glob("*.json"))
        assert len(good) == 2
        shutil.copytree("results", "kept")
        yield from _links()
        record = json.loads(good[0].read_text())
        for number in range(n):
            yield _mutated(number, good[0], record, rng)
        store = RecordStore("results")
        pack((each for path in good if (each := store.read(path))), Path("good.xz"))
        content = lzma.decompress(Path("good.xz").read_bytes())
        for _ in range(n):
            yield _packed(content, rng)
    finally:
        os.chdir(before)


def _mutated(number: int, path: Path, good: dict[str, Any], rng: random.Random) -> Case:
    name, change = rng.choice(list(_CHANGES.items()))
    content = change(copy.deepcopy(good), rng)
    path.write_bytes(content)
    slow = _SLOW if number % 250 == 0 else ()
    problem = _problem_reading(path) or next((p for c in slow if (p := problem_running(c))), "")
    if number % 25 == 0:
        problem = problem or problem_running(rng.choice(_COMMANDS))
    shutil.rmtree("results")
    shutil.copytree("kept", "results")
    return Case(name, not problem, f"{problem}: {content[:300]!r}" if problem else "")


class _Messages(logging.Handler):
    """Handler that keeps the messages of the library."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


@contextlib.contextmanager
def _messages() -> Iterator[list[str]]:
    handler, log = _Messages(), logging.getLogger("boostbench")
    before, log.handlers = log.handlers, [handler]
    try:
        yield handler.texts
    finally:
        log.handlers = before


def _packed(content: bytes, rng: random.Random) -> Case:
    """Change a file of packed records, before or after its compression, and read all of it."""
    file = Path("attacked.xz")
    changed = bytearray(content if rng.random() < 0.7 else lzma.compress(content))
    for _ in range(rng.randint(1, 20)):
        changed[rng.randrange(len(changed))] = rng.choice((1, 2, 10, 34, 144, rng.randrange(256)))
    cut = bytes(changed[: rng.randrange(len(changed))] if rng.random() < 0.3 else changed)
    file.write_bytes(cut if cut.startswith(b"\xfd7z") else lzma.compress(cut))
    problem = ""
    with _messages() as texts:
        try:
            store = PackedRecords(file)
            for path in store.all_paths():
                store.read(path)
        except DataError:
            pass
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
    if len(texts) > 1:
        problem = problem or f"{len(texts)} messages"
    return Case("packed records", not problem, problem and f"{problem}: {cut[:300]!r}")


def _problem_reading(path: Path) -> str:
    """Read a record; return a description of a failure, such as invalid numbers."""
    store = RecordStore("results")
    with _messages() as texts:
        try:
            summary = store.summary(path)
            record = store.read(path) if summary is not None else None
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    if record is None:
        return "" if len(texts) == 1 else f"reported {len(texts)} times"
    sizes = {"train_errors": record.n_train, "test_errors": record.n_test}
    for curve, size in sizes.items() if record.status == "ok" else ():
        counts = record.curves[curve]
        if len(counts) != record.n_rounds or counts.min() < 0 or counts.max() > size:
            return f"invalid {curve} were accepted"
    return ""


def _links() -> Iterator[Case]:
    """Try special files and links with the names of records or of folders of data sets."""
    folder = Path("results/runs/iris")
    name = f"{'0' * 16}-4-{'0' * 8}-{'0' * 8}.json"
    record, other = folder / name, folder.with_name("loop")
    makers: dict[str, Callable[[], object]] = {
        "a dangling link": lambda: record.symlink_to("nowhere"),
        "a link to itself": lambda: record.symlink_to(name),
        "a folder": lambda: record.mkdir(),
        "a pipe": lambda: os.mkfifo(record),
        "a link to a device": lambda: record.symlink_to("/dev/zero"),
        "a looping folder link": lambda: other.symlink_to("loop"),
        "a file as a folder": lambda: other.write_text(""),
        "a dangling folder link": lambda: other.symlink_to("nowhere"),
    }
    for kind, make in makers.items():
        make()
        n_records = len(RecordStore("results").all_paths())
        wrong = [p for command in (*_COMMANDS, *_SLOW) if (p := problem_running(command))]
        if n_records != 2:
            wrong.append(f"{n_records} records are found")
        yield Case(f"no record: {kind}", not wrong, "; ".join(wrong))
        shutil.rmtree("results")
        shutil.copytree("kept", "results")


def _signed(record: Any) -> bytes:
    if isinstance(record, dict):
        short = {k: v for k, v in record.items() if k not in (*_BULK, "digest")}
        record = {**short, **{k: record[k] for k in _BULK if k in record}}
    body = json.dumps(record).encode()[:-1]
    return body + b', "digest": "' + hashlib.sha256(body).hexdigest().encode() + b'"}\n'


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    if isinstance(value, list):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, (*at, key))


def _holder(record: Any, place: tuple[Any, ...]) -> Any:
    for key in place[:-1]:
        record = record[key]
    return record


def _replaced(record: dict[str, Any], rng: random.Random) -> bytes:
    place = rng.choice(list(_places(record)))
    _holder(record, place)[place[-1]] = rng.choice(_JUNK)
    return _signed(record)


def _removed(record: dict[str, Any], rng: random.Random) -> bytes:
    place = rng.choice(list(_places(record)))
    del _holder(record, place)[place[-1]]
    return _signed(record)


def _swapped(record: dict[str, Any], rng: random.Random) -> bytes:
    a, b = rng.sample([place for place in _places(record) if len(place) <= 2], 2)
    first, second = _holder(record, a)[a[-1]], _holder(record, b)[b[-1]]
    _holder(record, a)[a[-1]] = second
    with contextlib.suppress(KeyError, TypeError, IndexError):
        _holder(record, b)[b[-1]] = first
    with contextlib.suppress(ValueError):
        return _signed(record)
    return b""


def _curve(record: dict[str, Any], rng: random.Random) -> bytes:
    curve = record["curves"][rng.choice(list(record["curves"]))]
    change = rng.choice(("shorter", "longer", "junk", "huge"))
    if change == "shorter":
        curve.pop()
    elif change == "longer":
        curve.append(curve[-1])
    else:
        curve[rng.randrange(len(curve))] = 10**12 if change == "huge" else rng.choice(_JUNK)
    return _signed(record)


def _several(record: dict[str, Any], rng: random.Random) -> bytes:
    for _ in range(rng.randint(2, 6)):
        place = rng.choice(list(_places(record)))
        with contextlib.suppress(KeyError, TypeError, IndexError):
            _holder(record, place)[place[-1]] = copy.deepcopy(rng.choice(_JUNK))
    return _signed(record)


def _other(record: dict[str, Any], rng: random.Random) -> bytes:
    deep = "[" * 100_000 + "]" * 100_000
    body = rng.choice([b"[1, 2", b"3", b"null", b'{"key": 1', b"{", deep.encode(), b'"x"', b""])
    return body + b', "digest": "' + hashlib.sha256(body).hexdigest().encode() + b'"}\n'


def _damaged(record: dict[str, Any], rng: random.Random) -> bytes:
    content = bytearray(_signed(record))
    for _ in range(rng.randint(1, 5)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    return bytes(content[: rng.randrange(len(content))] if rng.random() < 0.3 else content)


_CHANGES: dict[str, Callable[[dict[str, Any], random.Random], bytes]] = {
    "one value replaced": _replaced,
    "one value removed": _removed,
    "two values swapped": _swapped,
    "a curve changed": _curve,
    "several values replaced": _several,
    "no record at all": _other,
    "damaged, not signed": _damaged,
}
