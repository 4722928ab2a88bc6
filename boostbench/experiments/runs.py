"""A run as a value: what is trained on what, and nothing about when, where or by whom."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


def canonical_json(value: Any) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces, full precision.

    Examples
    --------
    >>> canonical_json({"b": [1, 0.5], "a": None})
    '{"a":null,"b":[1,0.5]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


class Params(Mapping[str, Any]):
    """An immutable, hashable JSON mapping.

    Examples
    --------
    >>> Params({"b": 2, "a": [1]}) == Params({"a": [1], "b": 2})
    True
    """

    __slots__ = ("_text",)

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._text = canonical_json(dict(values or {}))

    def __getitem__(self, key: str) -> Any:
        return json.loads(self._text)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(json.loads(self._text))

    def __len__(self) -> int:
        return len(json.loads(self._text))

    def __hash__(self) -> int:
        return hash(self._text)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Params):
            return self._text == other._text
        return NotImplemented

    def __repr__(self) -> str:
        return f"Params({self._text})"

    def plain(self) -> dict[str, Any]:
        """Return a new plain dict."""
        values: dict[str, Any] = json.loads(self._text)
        return values


@dataclass(frozen=True)
class Data:
    """A data set and how its columns are read.

    Attributes
    ----------
    name : str
        Name in the catalog, or of a generator.
    params : Params
        The generator's parameters.
    encode : str
        How categorical columns become numbers.
    missing : str or float
        What is done with missing values; a number fills them with itself.
    cost : tuple of tuple of float, or empty
        Cost of answering a class (column) for a row of another (row), in the order of the classes;
        empty: every error costs the same and only errors are counted.
    label : str
        Name in tables; no part of the value.
    """

    name: str
    params: Params = field(default_factory=Params)
    encode: str = "ordinal"
    missing: str | float = "keep"
    cost: tuple[tuple[float, ...], ...] = ()
    label: str = field(default="", compare=False)


@dataclass(frozen=True)
class Noise:
    """A label-noise model at one rate, ``CLEAN`` for none.

    Attributes
    ----------
    model : str
        ``"none"`` or a registered noise model.
    rate : float or str
        Share of the training samples that are chosen, 0 to 1; or the name under which the problem
        itself holds it (an entry of `Dataset.extras`).
    params : Params
        The model's own parameters.
    """

    model: str = "none"
    rate: float | str = 0.0
    params: Params = field(default_factory=Params)

    @property
    def label(self) -> str:
        """The model and its rate, ``"clean"`` for none."""
        if self == CLEAN:
            return "clean"
        rate = self.rate if isinstance(self.rate, str) else f"{self.rate:g}"
        return f"{self.model} {rate}"


CLEAN = Noise()


@dataclass(frozen=True)
class Axis:
    """A parameter whose value is chosen.

    Attributes
    ----------
    path : tuple of str
        Where it stands among the booster's parameters.
    values : tuple
        What to choose from, JSON values.
    """

    path: tuple[str, ...]
    values: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The parameter's own name."""
        return self.path[-1]


@dataclass(frozen=True)
class Booster:
    """A booster with its parameters.

    Attributes
    ----------
    name : str
        Registered name, or ``"file.py:Class"`` without the folder.
    params : Params
        As in the config: expressions in K, n and d are worked out when the data is there.
    label : str
        Name in tables; no part of the value.
    source : str
        What the registry is asked for: the name, or the full path of a plugin file and the class.
    rounds : int or None
        Its own number of rounds, in place of the config's; no part of the value.
    grid : tuple of Axis
        What is chosen before the booster is a value; no part of it.
    """

    name: str
    params: Params = field(default_factory=Params)
    label: str = field(default="", compare=False)
    source: str = field(default="", compare=False)
    rounds: int | None = field(default=None, compare=False)
    grid: tuple[Axis, ...] = field(default=(), compare=False)

    @property
    def takes_cost_of_data(self) -> bool:
        """Whether its parameter ``cost`` is written as ``data``: the data set's own costs."""
        return self.params.get("cost") == "data"

    def parameter(self, name: str) -> Any:
        """Return the value of the parameter of this name, at any depth; None if it has none."""
        return _found(name, self.params)


def _found(name: str, params: Mapping[str, Any]) -> Any:
    if name in params:
        return params[name]
    deeper = (_found(name, inner) for inner in params.values() if isinstance(inner, Mapping))
    return next((value for value in deeper if value is not None), None)


@dataclass(frozen=True)
class Run:
    """One fit of one booster to one (possibly corrupted) training set, and its evaluation.

    Attributes
    ----------
    data : Data
    split : str or Params
        ``"official"`` or the parameters of another way to split.
    noise : Noise
    booster : Booster
    rounds : int
        Number of rounds T.
    seed : int
        Split, noise and booster draw from streams derived from it by name.
    record : tuple of str
        What is recorded beside the error curves.
    checkpoints : tuple of int
        Rounds at which `record` looks; empty without `record`.
    validation : Params or None
        Cross-validation inside the training part (``folds``, ``stratify``) in the place of the one
        fit: the errors on all its validation parts are what is recorded.
    """

    data: Data
    split: str | Params
    noise: Noise
    booster: Booster
    rounds: int
    seed: int
    record: tuple[str, ...] = ()
    checkpoints: tuple[int, ...] = ()
    validation: Params | None = None

    def value(self) -> dict[str, Any]:
        """Return the run as JSON-able data, without labels."""
        noise = self.noise
        cost = {"cost": [list(row) for row in self.data.cost]} if self.data.cost else {}
        validation = {} if self.validation is None else {"validation": self.validation.plain()}
        return {
            "dataset": {
                "name": self.data.name,
                "params": self.data.params.plain(),
                "encode": self.data.encode,
                "missing": self.data.missing,
                **cost,
            },
            "split": self.split if isinstance(self.split, str) else self.split.plain(),
            "noise": None
            if noise == CLEAN
            else {"model": noise.model, "rate": noise.rate, "params": noise.params.plain()},
            "booster": {"name": self.booster.name, "params": self.booster.params.plain()},
            "rounds": self.rounds,
            "seed": self.seed,
            "record": list(self.record),
            "checkpoints": list(self.checkpoints),
            **validation,
        }

    @classmethod
    def of_value(cls, value: Mapping[str, Any]) -> Run:
        """Return the run whose `value` this is; labels are the names."""
        data, noise, split = value["dataset"], value["noise"], value["split"]
        validation = value.get("validation")
        cost = tuple(tuple(row) for row in data.get("cost", ()))
        return cls(
            data=Data(data["name"], Params(data["params"]), data["encode"], data["missing"], cost),
            split=split if isinstance(split, str) else Params(split),
            noise=CLEAN
            if noise is None
            else Noise(noise["model"], noise["rate"], Params(noise["params"])),
            booster=Booster(value["booster"]["name"], Params(value["booster"]["params"])),
            rounds=value["rounds"],
            seed=value["seed"],
            record=tuple(value["record"]),
            checkpoints=tuple(value["checkpoints"]),
            validation=None if validation is None else Params(validation),
        )

    @property
    def dataset(self) -> str:
        """The data set's name in tables."""
        return self.data.label or self.data.name

    @property
    def method(self) -> str:
        """The booster's name in tables."""
        return self.booster.label or self.booster.name

    @property
    def id(self) -> str:
        """A name for people, such as ``dna/sm-boost/exchange-0.2/seed-0``."""
        noise = self.noise.label.replace(" ", "-")
        folds = self.split.get("fold") if isinstance(self.split, Params) else None
        fold = "" if folds is None else f"/fold-{folds}"
        return f"{self.dataset}/{self.method}/{noise}/seed-{self.seed}{fold}"
