"""Quantities that records hold round by round, and their units in tables and figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from boostbench.metrics import MEASURES, curve_of

if TYPE_CHECKING:
    from boostbench.experiments.store.record import Record

#: The last round of every run, in the place of a number of rounds T.
END: Final = "end"


class Metric(NamedTuple):
    """A quantity that records hold round by round."""

    curve: str  # name in a record's curves
    size: str  # the record's number of samples in the sum; empty if it is a mean already
    words: str
    unit: str = "%"  # "%": a share, shown in percent
    axis: str = "error (%)"  # quantities of one axis may be drawn together
    asks: str = ""  # the setting of a config that has it recorded; empty if all runs do
    held: bool = True  # whether a run that stopped early keeps its last value
    on_test: bool = False  # whether it is estimated on samples that were not trained on
    decimals: int = 4  # in tables, of what is not in percent
    higher: bool = False  # whether a higher value is better
    #: Reads what a record holds once, of the whole run; it stands at the last round.
    whole: Callable[[Record], float | None] | None = None

    @property
    def scale(self) -> int:
        """Factor from a value to the shown one."""
        return 100 if self.unit == "%" else 1

    @property
    def is_score(self) -> bool:
        """True if it judges a classifier by its answers on test samples."""
        return self.curve.startswith("test_")

    @property
    def lost(self) -> str:
        """Name of what `shortfall` returns."""
        return f"1 \N{MINUS SIGN} {self.words}" if self.higher else self.words

    def shortfall(self, value: Any) -> Any:
        """Return what is to be low: the value, or what it lacks of 1 where high is better."""
        return 1.0 - value if self.higher else value

    def text(self, value: float) -> str:
        """Return a value as all tables print it.

        Means of the same errors added up in another order print alike: the last bits are cut first.
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
#: All that can be shown; what comes after the errors is recorded on demand.
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
            its.words,
            its.unit,
            f"{its.words.removeprefix('test ')}{' (%)' * bool(its.unit)}",
            asks=f"'metrics: [{name}]' and a booster with {its.needs}",
            on_test=True,
            higher=its.higher,
        )
        for name, its in MEASURES.items()
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
#: Metrics that tables may show in the place of an error: 100 % less it. All else speaks of errors.
ACCURACIES = {"test_accuracy": "test_error", "train_accuracy": "train_error"}
