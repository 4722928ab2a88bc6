"""Metrics: quantities of records, with their names and units in tables and figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from boostbench.metrics import MEASURES, curve_of

if TYPE_CHECKING:
    from boostbench.experiments.store.record import Record

#: Value of T that stands for the last round of each run.
END: Final = "end"


class Metric(NamedTuple):
    """A quantity of a run, recorded after each round or once."""

    curve: str  # name of its curve in a record
    size: str  # attribute with the number of samples in a sum; empty for a mean
    words: str
    unit: str = "%"  # "%" for a fraction that is shown in percent
    axis: str = "error (%)"  # metrics with the same axis may be drawn together
    asks: str = ""  # settings that make runs record it; empty if all runs do
    held: bool = True  # True if the last value stands for later rounds of a run that stopped early
    on_test: bool = False  # True if it is estimated on samples outside the training set
    decimals: int = 4  # in tables, for units other than percent
    higher: bool = False  # True if a higher value is better
    #: Reads a value of the whole run from its record; it counts for the last round.
    whole: Callable[[Record], float | None] | None = None

    @property
    def scale(self) -> int:
        """Factor from a value to the displayed one."""
        return 100 if self.unit == "%" else 1

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


ERRORS = {
    "train_error": Metric("train_errors", "n_train", "training error (labels as seen)"),
    "train_error_clean": Metric("train_errors_clean", "n_train", "training error (clean labels)"),
    "test_error": Metric("test_errors", "n_test", "test error", on_test=True),
}
_BOUND: dict[str, Any] = {"asks": "'record: [bound]' and a booster with such a bound"}
_COST: dict[str, Any] = {"unit": "", "axis": "cost", "asks": "a 'cost' of the data sets"}
_EFFORT: dict[str, Any] = {"curve": "", "size": ""}
_WEIGHTS: dict[str, Any] = {"axis": "share (%)", "asks": "'record: [weights]'"}
#: All metrics by name. Those after the errors are recorded only on request.
METRICS = {
    **ERRORS,
    "validation_error": Metric(
        "validation_errors",
        "n_validation",
        "validation error",
        asks="a split with 'validation: true'",
        on_test=True,
    ),
    "train_cost": Metric("train_costs", "n_train", "mean cost on training samples", **_COST),
    "test_cost": Metric("test_costs", "n_test", "mean cost on test samples", on_test=True, **_COST),
    "smooth_risk": Metric(
        "smooth_risk",
        "",
        "expected test error of the randomised rule",
        asks="'record: [smooth_risk]'",
        on_test=True,
    ),
    "bound": Metric("bound", "", "bound on the training error by the objective", **_BOUND),
    "edge_bound": Metric("edge_bound", "", "bound on the training error by the edges", **_BOUND),
    "edge": Metric(
        "edge", "", "edge", unit="", axis="edge", asks="a booster with edges", held=False
    ),
    "noisy_weight_share": Metric(
        "noisy_weight_share", "", "share of the weight on corrupted samples", **_WEIGHTS
    ),
    "noisy_among_heaviest": Metric(
        "noisy_among_heaviest", "", "corrupted among the heaviest tenth of samples", **_WEIGHTS
    ),
    "weightless_share": Metric("weightless_share", "", "samples without weight", **_WEIGHTS),
    "noisy_among_weightless": Metric(
        "noisy_among_weightless", "", "corrupted among samples without weight", **_WEIGHTS
    ),
    **{
        curve_of(name): Metric(
            curve_of(name),
            "",
            measure.words,
            measure.unit,
            f"{measure.words.removeprefix('test ')}{' (%)' * bool(measure.unit)}",
            asks=f"'metrics: [{name}]' and a booster with {measure.needs}",
            on_test=True,
            higher=measure.higher,
        )
        for name, measure in MEASURES.items()
    },
    "fit_time": Metric(
        words="seconds of the fit",
        unit="",
        axis="time (s)",
        whole=lambda record: record.seconds.get("fit"),
        **_EFFORT,
    ),
    "predict_time": Metric(
        words="seconds of predicting the test samples after every round",
        unit="",
        axis="time (s)",
        whole=lambda record: record.seconds.get("predict"),
        **_EFFORT,
    ),
    "model_size": Metric(
        words="bytes of the model",
        unit="",
        axis="size (bytes)",
        decimals=0,
        asks="'metrics: [model_size]'",
        whole=lambda record: record.model_size,
        **_EFFORT,
    ),
}
#: Accuracies, 100 % minus an error, that only tables may show.
ACCURACIES = {"test_accuracy": "test_error", "train_accuracy": "train_error"}
