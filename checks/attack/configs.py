"""Hostile configs: each must be loaded and expanded, or rejected with clear messages.

Inputs written by hand come first. Of the other inputs, a third are shipped configs with changed
tokens, and two thirds are shipped configs with changed values. All run in this process; each case
may use two seconds of CPU time.
"""

from __future__ import annotations

import copy
import json
import random
import re
import signal
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from boostbench.errors import ConfigError
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.configs.shipped import shipped_configs
from boostbench.experiments.planning.grid import expand
from boostbench.source import read_source
from checks.attack.case import Case

_SECONDS = 2.0
_PLACED = re.compile(r"(\S+\.(yaml|csv|py)(:\d+)?|--set .*?|--size .*?): \S.*")
_FOREIGN = ("Traceback", "pydantic", "Input should", "function-", "Error(", "object at 0x")
_TOKENS = (
    *("[", "]", "{", "}", ":", "- ", "&a ", "*a", "!!int ", "|", ">", "'", '"', "#", "<<: *a"),
    *("-1", "0", "1e999", "9" * 30, "9" * 5000, ".nan", ".inf", "-.inf", "1e3", "0x1", "012"),
    *("true", "null", "~", "no", "\t", "\u202e", "\x00", "\ud7ff", "nan", "''", "K", "12 * k"),
    *("min((-8)**0.5, 1)", "((((9**64)**64)**64)**64)", "'" + "-" * 150 + "1'", "mine.py:X"),
)
_VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2**62, 2**63, 10**30, 0.5, -0.5, 1e308, "", " ", "x", "end", "all"),
    *(
        "12 * (K - 1)",
        "1/(K-K)",
        "9**9**9",
        "no.py:X",
        "${\\frac",
        "a\nb",
        "\x1b[31m",
        "x" * 20_000,
    ),
    *([], {}, [[]], [{}], {"": ""}, {"x": None}, [None], [1, 1], [0.1, "a"], ["x", ["y"]]),
    *({"value": [1]}, {"grid": {}}, {"folds": 10**5}, {"tree": {"stump": {}}}, list(range(300))),
    *([list(range(60))] * 3, {str(k): [1, 2] for k in range(40)}),
)
_BASE = "name: a\ndatasets: [two-norm]\nboosters: [samme]\nrounds: 5\n"
_NAMES = ("datasets", "boosters", "noise", "report", "claims", "sizes", "select", "limits", "seeds")


def attack(n: int, seed: int, folder: Path) -> Iterator[Case]:
    """Yield ``n`` cases, beginning with the inputs written by hand."""
    path = folder / "attack.yaml"
    rng = random.Random(seed)
    texts = {}
    for name, shipped in shipped_configs().items():
        texts[name] = shipped.read_text(encoding="utf-8")
        for sibling in shipped.parent.iterdir():  # paper values and other configs that it names
            if sibling.is_file() and sibling.suffix != ".py":
                (folder / sibling.name).write_bytes(sibling.read_bytes())
    for shipped in shipped_configs().values():  # the time of imports must not count
        load_config(shipped)
    trees = {name: read_source(shipped)[0].data for name, shipped in shipped_configs().items()}
    directed = list(_directed())
    for name, content, overrides in directed[:n]:
        path.write_bytes(content)
        yield Case(f"directed: {name}", *_outcome(path, overrides))
    for index in range(max(0, n - len(directed))):
        name = rng.choice(sorted(texts))
        if index % 3:
            kind, text = "structure", _with_changed_values(trees[name], rng)
        else:
            kind, text = "token", _with_changed_tokens(texts[name], rng)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        ok, detail = _outcome(path)
        yield Case(kind, ok, detail and f"{name} ({index}): {detail}")


def _directed() -> Iterator[tuple[str, bytes, tuple[str, ...]]]:
    """Yield name, content and overrides of inputs that once broke the reading of configs."""
    lines = {
        "huge integers": ["rounds: 1" + "0" * 400, "rounds: " + "9" * 5000, "seeds: [1" + "0" * 99],
        "limits": [
            f"limits: {{memory: {'9' * 400}G}}",
            f"limits: {{time: {'9' * 400}}}",
            "limits: {memory: 9999999T}",
            "limits: {time: 1e999}",
        ],
        "many seeds": ["seeds: 1e9", "seeds: 1000000000", f"seeds: {[*range(30_000)]}"],
        "sizes": ["sizes: {quick: nan}", "sizes: nan", "sizes: {quick: {sizes: {quick: {}}}}"],
        "folds": ["split: {folds: 100000}", "split: {folds: 1000}\nseeds: 10000"],
        "nesting": ["title: " + "[" * n for n in (41, 500, 1500, 100_000)]
        + ["title: " + "{a: " * n for n in (41, 500, 30_000)]
        + ["\n".join(" " * k + "- " for k in range(600))],
        "aliases": [
            "a: &a [x, x]\n"
            + "\n".join(f"b{k}: &b{k} [*{'a' if not k else f'b{k - 1}'}]" for k in range(900)),
            "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n"
            + "\n".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 12)),
            "record: &r [*r]",
        ],
        "characters": ['title: "\\e[31mred"', 'title: "\\ud800"', "title: a\u202eb", "title: \x07"],
        "keys": ["rounds: 6", "? [a]\n: 1", "<<: {rounds: 3}", "? {a: 1}\n: 1", "1: 2", "null: 3"],
        "report": [
            f"report: [{part}]"
            for part in (
                "table: {at: ten}",
                "table: {value: 3}",
                "curves: {band: 1}",
                "curves: {y: [[test_error]]}",
                "distribution: {perfect: yes please}",
                "distribution: {at: [1]}",
                "parameter: {}",
                "weights: {columns: many}",
                "losses: {panels: 3}",
                "losses: {panels: [x], margins: a}",
                "table: [at, 3]",
                "3",
                "{table: {}, curves: {}}",
                "datasets: {columns: [x]}",
                "codewords: {n_classes: x}",
                "table: {name: [a]}",
                "table: {boosters: {a: 1}}",
            )
        ],
        "claims": [
            f"claims: [{{says: a, {claim}}}]"
            for claim in (
                "wins: {booster: 3}",
                "wins: {booster: [[samme]]}",
                "wins: {booster: samme, at: {}}",
                "wins: {booster: samme, by: x}",
                "wins: 3",
                "rises: {booster: samme, over: 1}",
                "compares: {booster: samme, lower_than: {}}",
                "compares: {booster: samme, lower_than: {booster: 1}}",
                "counts: {errors: 3}",
                "wins: {booster: samme, except: 3}",
                "wins: {booster: samme, except: [{dataset: []}]}",
                "wins: {booster: samme, at_least: [1]}",
                "matches_paper: {paper: []}",
                "smallest_increase: {booster: samme, over: attack.yaml}",
                "losses_ordered: {losses: {a: 1}}",
                "stops: {}",
            )
        ],
    }
    for name, added in lines.items():
        for line in added:
            yield name, (_BASE + line + "\n").encode("utf-8", "surrogatepass"), ()
    entries = {
        "expressions": [
            "boosters: [samme: {learning_rate: 'min((-8)**0.5, 1)'}]",
            "boosters: [samme: {learning_rate: '((((9**64)**64)**64)**64)'}]",
            "boosters: [samme: {learning_rate: '" + "(" * 5000 + "1" + ")" * 5000 + "'}]",
            "boosters: [samme: {learning_rate: '" + "-" * 190 + "1'}]",
            "boosters: [samme: {learning_rate: '1e308 * 1e308'}]",
            "boosters: [samme: {learning_rate: 'n ** -64'}]",
            "boosters: [samme: {learning_rate: 'max(K)'}]",
        ],
        "sweeps": [
            "boosters: [samme: {" + ", ".join(f"p{k}: {[*range(10)]}" for k in range(10)) + "}]",
            "boosters: [samme: {grid: {" + ", ".join(f"p{k}: [1, 2]" for k in range(9999)) + "}}]",
            f"boosters: [samme: {{learning_rate: {[k / 9999 for k in range(1, 9999)]}}}]",
            f"boosters: [samme: {{learning_rate: {[k / 999 for k in range(1, 1000)]}}}]\n"
            "sizes: {quick: {rounds: 1}, standard: {rounds: 2}, full: {rounds: 3}}",
            f"boosters: [samme: {{learning_rate: {[*range(1, 301)]}, "
            f"grid: {{weak_learner: {{tree: {{max_depth: {[*range(1, 31)]}}}}}}}}}]",
            f"datasets: [two-norm: {{n_train: {[*range(1, 9999)]}}}]",
            f"noise: {{model: flip, rate: {[k / 9999 for k in range(9999)]}}}",
            f"datasets: {[f'two-norm-{k}' for k in range(2000)]}",
        ],
        "plugins": [
            "boosters: ['/dev/null.py:X']",
            "boosters: ['.py:']",
            "boosters: [samme: {weak_learner: 'no.py:X'}]",
            "boosters: [one-vs-all: {booster: {samme: 3}}]",
            "noise: {model: 'no.py:f', rate: 0.1}",
            "boosters: ['~nobody/x.py:X']",
        ],
    }
    base = dict(line.split(":", 1) for line in _BASE.splitlines())
    for name, changed in entries.items():
        for line in changed:
            entry = {**base, **dict([line.split(":", 1)])}
            yield name, "".join(f"{k}:{v}\n" for k, v in entry.items()).encode(), ()
    encoded = {"BOM": "utf-8-sig", "UTF-16": "utf-16", "UTF-32": "utf-32", "Latin-1": "latin-1"}
    for name, encoding in encoded.items():
        yield name, f"{_BASE}title: gr\u00fcn\n".encode(encoding), ()
    yield "a file of 2 MB", (_BASE + "# x\n" * 500_000).encode(), ()
    yield "a file of 900 kB", (_BASE + "title: " + "x" * 900_000).encode(), ()
    yield "a wrong file of 900 kB", (_BASE + "a: [1\n" * 100_000).encode(), ()
    yield "zeros", b"\0" * 1000, ()
    for override in (
        "datasets.\u00b2=x",
        "datasets." + "9" * 5000 + "=x",
        "rounds=" + "9" * 5000,
        "rounds=" + "[" * 100_000,
        "=",
        "a.b.c.d=1",
        "boosters.0.samme.x=1",
        "limits=3",
        "datasets=3",
        "rounds.x=3",
        "sizes.quick=3",
        "name=\x1b[0m",
    ):
        yield "--set", _BASE.encode(), (override,)


def _with_changed_tokens(text: str, rng: random.Random) -> str:
    """Change a few tokens or lines of a text."""
    for _ in range(rng.randint(1, 3)):
        lines = text.split("\n")
        place = rng.randrange(len(lines))
        words = re.split(r"([\s,:\[\]{}]+)", lines[place])
        word = rng.randrange(len(words))
        change = rng.randrange(6)
        if change == 0:
            words[word] = rng.choice(_TOKENS)
        elif change == 1:
            words.insert(word, rng.choice(_TOKENS))
        elif change == 2:
            del words[word]
        lines[place] = "".join(words)
        if change == 3:
            lines.insert(place, rng.choice(lines))
        elif change == 4:
            del lines[place]
        elif change == 5 and words[word]:
            letter = rng.randrange(len(words[word]))
            words[word] = words[word][:letter] + words[word][letter + 1 :]
            lines[place] = "".join(words)
        text = "\n".join(lines)
    return text


def _with_changed_values(tree: Any, rng: random.Random) -> str:
    """Change a few values or keys of a parsed config; return it as JSON, which is YAML."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.randint(1, 2)):
        places = list(_places(tree))
        holder, key = rng.choice(places)
        change = rng.randrange(6)
        if change <= 2:
            holder[key] = copy.deepcopy(rng.choice(_VALUES))
        elif change == 3:
            other_holder, other_key = rng.choice(places)
            holder[key] = copy.deepcopy(other_holder[other_key])
        elif isinstance(holder, dict):
            value = holder.pop(key)
            if change == 4:
                holder[rng.choice((*_NAMES, key[:-1], key + "s", "label", "x", ""))] = value
        elif change == 4:
            holder.append(copy.deepcopy(holder[key]))
        else:
            del holder[key]
    return json.dumps(tree, indent=1)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, inner in items:
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


class _TooLongError(BaseException):
    """Raised when the time limit of a case is exceeded."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _outcome(
    path: Path, overrides: tuple[str, ...] = (), seconds: float = _SECONDS
) -> tuple[bool, str]:
    """Return whether a config is properly loaded or rejected, and a description of the failure."""
    try:
        with _limited(seconds):
            expand(load_config(path, overrides))
    except ConfigError as error:
        lines = str(error).splitlines()
        for line in lines:
            if len(line) > 2_000 or not line.isprintable() or any(w in line for w in _FOREIGN):
                return False, f"unclear: {line[:300]!r}"
            if not _PLACED.fullmatch(line):
                return False, f"no place: {line[:300]!r}"
        return bool(lines), "rejected without a message" if not lines else ""
    except _TooLongError:
        return False, f"more than {seconds} s: {traceback.format_exc(limit=-3)[-500:]}"
    except BaseException as error:
        return False, f"{type(error).__name__}: {error}"[:200] + traceback.format_exc(limit=-3)[
            -600:
        ]
    return True, ""
