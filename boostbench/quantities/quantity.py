"""Descriptions of quantities, and the registered quantities by name.

This module is not part of the key of a run: it decides how numbers are shown, not the numbers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from numbers import Real
from typing import Any, Literal

from pydantic.dataclasses import dataclass

from boostbench import registry
from boostbench.errors import BoostbenchError
from boostbench.validation import MistakesError, validated

#: Arguments of a quantity that decide what a record holds; the others are words and units.
DECIDING = ("asked", "kept", "needs", "of")
#: Methods of boosters, by what quantities need of them.
_METHODS = {
    "scores": "staged_scores",
    "training scores": "staged_scores",
    "probabilities": "staged_predict_proba",
}
#: Display of errors and of costs, each in one figure if need be.
ERROR: dict[str, Any] = {"unit": "%", "axis": "error (%)"}
COST: dict[str, Any] = {"always": True, "requires": "a 'cost' of the data sets", "axis": "cost"}
#: Keys of a config that ask for quantities.
Setting = Literal["metrics", "record"]
Needs = Literal["", "labels", "labels seen", "clean labels", "test labels", "probabilities",
                "scores", "training scores", "round", "weights", "edges", "booster",
                "test part"]  # fmt: skip
Stroke = Literal["solid", "dashed", "dotted", "dash-dotted", "long-dashed"]


@dataclass(frozen=True, kw_only=True, config={"extra": "forbid"})
class Quantity:
    """A quantity of a run.

    Attributes
    ----------
    words : str
        Name in reports.
    needs : str, default=""
        What ``of`` takes: ``"labels"`` (the confusion matrix of the test samples),
        ``"probabilities"`` (P of shape (n, K), and y), ``"scores"`` (F of shape (n, K), and y),
        ``"training scores"`` (F, and the column of each label), ``"round"`` (a `RoundInfo`),
        ``"weights"`` (weights of the training samples in the next round, and whether their labels
        are corrupted), ``"edges"`` (the fitted booster and its edges), ``"booster"`` (the fitted
        booster), ``"test part"`` (y), or
        ``"labels seen"``, ``"clean labels"`` or ``"test labels"`` (the predicted labels, these
        labels, and the cost matrix or None). Empty if the pipeline counts it itself.
    of : callable, default=None
        Function of these arguments; returns a number, or what ``type`` describes.
    kept : {"rounds", "checkpoints", "last", "ladder", "once"}, default="rounds"
        After every round; at the checkpoints; at these and the last round; at these and the
        rounds 1, 2, 5, 10, ...; once for the whole run.
    asked : (str, str) or None, default=None
        Key of a config, ``metrics`` or ``record``, and the name in it, by which it is recorded.
    always : bool, default=False
        True if runs record it without being asked.
    requires : str, default=""
        What else a run needs to record it, in words.
    curve : str, default=its name
        Name in a record.
    counted : str, default=""
        Field of a record with the number of samples, for sums over samples.
    samples : str, default=""
        Name of the quantity with its values on single samples.
    unit : str, default=""
        ``"%"`` for a fraction shown in percent.
    axis : str, default=its words with the unit
        Quantities with the same axis may be drawn together.
    line : str, default=its words
        Name of its lines in a figure, and of its column in a table of several quantities.
    stroke : (str, float), default=("solid", 1.4)
        Style of its lines (solid, dashed, dotted, dash-dotted, long-dashed), and width in points.
    least, greatest : float or None
        Range of its values; None if unbounded.
    higher : bool or None, default=False
        True if higher values are better, None if neither.
    on_test : bool, default=False
        True if it is estimated on samples outside the training set.
    held : bool, default=True
        True if the last value stands for later rounds of a run that stopped early.
    is_bound : bool, default=False
        True for an upper bound of another quantity, which may be far above it.
    decimals : int, default=4
        In tables, for units other than percent.
    type : type, default=float
        Type of one value in a record.
    """

    words: str
    needs: Needs = ""
    of: Callable[..., Any] | None = None
    kept: Literal["rounds", "checkpoints", "last", "ladder", "once"] = "rounds"
    asked: tuple[Setting, str] | None = None
    always: bool = False
    requires: str = ""
    curve: str = ""
    counted: str = ""
    samples: str = ""
    unit: Literal["", "%"] = ""
    axis: str = ""
    line: str = ""
    stroke: tuple[Stroke, float] = ("solid", 1.4)
    least: float | None = 0.0
    greatest: float | None = None
    higher: bool | None = False
    on_test: bool = False
    held: bool = True
    is_bound: bool = False
    decimals: int = 4
    type: Any = float

    def __post_init__(self) -> None:
        """Complete the words, and take the module and docstring of the function."""
        words = self.words.removeprefix("test ")
        self.__dict__["axis"] = self.axis or f"{words}{' (%)' * (self.unit == '%')}"
        self.__dict__["line"] = self.line or self.words
        for name in ("__module__", "__qualname__", "__doc__"):
            if self.of is not None:
                self.__dict__[name] = getattr(self.of, name)

    def __call__(self, *arguments: Any) -> Any:
        """Return the value of the arguments that it ``needs``."""
        assert self.of is not None
        value = self.of(*arguments)
        if self.on_test and self.asked and self.type is float and not isinstance(value, Real):
            raise BoostbenchError(f"returned {type(value).__name__}, no number", where=self.curve)
        return value

    @property
    def method(self) -> str:
        """Method by which a booster gives what it ``needs``; empty if every booster has it."""
        return _METHODS.get(self.needs, "")

    @property
    def is_number(self) -> bool:
        """True if tables and figures can show it: one number per round, or one per run."""
        return self.type in (int, float) and self.kept in ("rounds", "once")

    @property
    def at_checkpoints(self) -> bool:
        """True if a record holds its values at the checkpoints and possibly other rounds."""
        return self.kept not in ("rounds", "once")

    @property
    def is_incidental(self) -> bool:
        """True if every run records it without being asked, and it is no error."""
        return self.always and not self.counted

    @property
    def scale(self) -> int:
        """Factor from a value to the displayed one."""
        return 100 if self.unit == "%" else 1

    @property
    def shown_range(self) -> tuple[float, float]:
        """Least and greatest displayed value."""
        least = -math.inf if self.least is None else self.scale * self.least
        greatest = math.inf if self.greatest is None else self.scale * self.greatest
        return least, greatest

    @property
    def asks(self) -> str:
        """Setting that makes runs record it, in words; older runs lack a newer clock."""
        setting = f"'{self.asked[0]}: [{self.asked[1]}]'" if self.asked else ""
        anew = "`run --fresh` of older runs" if self.is_incidental else ""
        return " and ".join(filter(None, (setting, self.requires, anew)))

    @property
    def lost(self) -> str:
        """Name of the quantity that `shortfall` returns."""
        return f"1 \N{MINUS SIGN} {self.words}" if self.higher else self.words

    def shortfall(self, value: Any) -> Any:
        """Return the value to be minimised: the value, or 1 minus it if higher is better."""
        return 1.0 - value if self.higher else value

    def text(self, value: float) -> str:
        """Return a value as tables show it.

        Percentages are rounded to 9 decimals first, so that the order of a sum does not matter.
        """
        return f"{round(100 * value, 9):.2f}" if self.unit == "%" else f"{value:.{self.decimals}f}"

    def of_run(self, record: Any) -> float | None:
        """Return the value of a whole run from its record; None if it is not recorded."""
        value: float | None = record.at_checkpoints.get(self.curve)
        return value


@dataclass(frozen=True, kw_only=True)
class Clock(Quantity):
    """Time of a phase of a run. Clocks are read by the worker and are outside the key of a run.

    Attributes
    ----------
    phase : {"load", "warm_up", "fit", "predict"}
    now : callable, default=time.perf_counter
        Function that returns the present time in seconds.
    part : {"work", "preparation", ""}, default=""
        Part of the total seconds of a run: its own work, or a preparation that further runs of the
        same worker do not repeat. Empty for a second clock of a phase, which is no part of it, and
        has a name of its own in a record, its ``curve``.
    """

    phase: str
    now: Callable[[], float] = time.perf_counter
    part: Literal["work", "preparation", ""] = ""
    kept: Literal["rounds", "checkpoints", "last", "ladder", "once"] = "once"
    always: bool = True
    axis: str = "time (s)"

    def __post_init__(self) -> None:
        """Complete the words."""
        if self.part:
            self.__dict__["line"] = self.line or f"{self.phase.replace('_', ' ')} (s)"
            self.__dict__["curve"] = self.curve or self.phase
        super().__post_init__()

    def of_run(self, record: Any) -> float | None:
        """Return the seconds of a run from its record; None if they are not recorded."""
        seconds: float | None = record.seconds.get(self.curve)
        return seconds


def quantity(name: str, **facts: Any) -> Callable[[Callable[..., Any]], Quantity]:
    """Return a decorator that makes a function a registered quantity.

    Parameters
    ----------
    name : str
        Name in tables, figures and claims.
    **facts
        Attributes of `Quantity`.
    """

    def register(function: Callable[..., Any]) -> Quantity:
        try:
            made = validated(Quantity, {"curve": name, "of": function, **facts})
        except MistakesError as error:
            raise BoostbenchError(str(error)) from None
        return registry.quantities.register(name)(made)

    return register


def metric(
    name: str,
    *,
    words: str,
    needs: Literal["labels", "probabilities"],
    higher: bool,
    greatest: float | None = 1.0,
    **facts: Any,
) -> Callable[[Callable[..., float]], Quantity]:
    """Return a decorator that makes a function a metric of the predictions on test samples.

    A config records it by ``metrics: [name]``; tables, figures and claims show it as ``test_name``.

    Parameters
    ----------
    name : str
    words : str
        Name in reports, such as ``"test F1"``.
    needs : {"labels", "probabilities"}
        Arguments of the function: the confusion matrix, shape (K, K), with a row per class and a
        column per predicted class; or the probabilities, shape (n, K), and the labels, shape (n,).
    higher : bool
        True if higher values are better.
    greatest : float or None, default=1.0
        Greatest value; None if unbounded.
    **facts
        Other attributes of `Quantity`, such as ``unit="%"`` for a fraction shown in percent.
    """
    if needs not in ("labels", "probabilities"):
        raise BoostbenchError(f"'needs' must be 'labels' or 'probabilities', found {needs!r}")
    return quantity(
        f"test_{name}",
        words=words,
        needs=needs,
        higher=higher,
        greatest=greatest,
        asked=("metrics", name),
        on_test=True,
        requires=f"a booster with {needs}",
        **facts,
    )


#: Returns a quantity of the package, which reports ask for again and again.
_built_in: Callable[[str], Quantity] = cache(registry.quantities.get)


class Quantities(Mapping[str, Quantity]):
    """The registered quantities by name, in the order in which tables and exports list them.

    Parameters
    ----------
    numbers : bool, default=False
        Only those that are numbers.
    """

    def __init__(self, *, numbers: bool = False) -> None:
        self._numbers = numbers

    def __getitem__(self, name: str) -> Quantity:
        if name in registry.quantities:
            known = registry.quantities.declarations.get(name)
            is_built_in = known is not None and known.plugin is None
            found = _built_in(name) if is_built_in else registry.quantities.get(name)
            if not self._numbers or found.is_number:
                return found
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        names = iter(registry.quantities.declarations)
        return (name for name in names if name in self) if self._numbers else names

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def asked_by(self, setting: Setting) -> dict[str, str]:
        """Return the names in a key of a config, with the names of the quantities they ask for."""
        pairs = ((each.asked, name) for name, each in self.items())
        return {asked[1]: name for asked, name in pairs if asked and asked[0] == setting}

    def recorded(self, metrics: Iterable[str], record: Iterable[str]) -> dict[str, Quantity]:
        """Return the quantities computed for a run that asks for some metrics and records."""
        asked = {*(("metrics", name) for name in metrics), *(("record", name) for name in record)}
        return {
            name: each
            for name, each in self.items()
            if each.of is not None and (each.always or each.asked in asked)
        }


QUANTITIES = Quantities()
#: Those that tables, figures and claims show.
NUMBERS = Quantities(numbers=True)
