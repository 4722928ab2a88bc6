"""Quantities that records hold round by round, and their units in tables and figures."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

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

    @property
    def scale(self) -> int:
        """Factor from a value to the shown one."""
        return 100 if self.unit == "%" else 1

    def text(self, value: float) -> str:
        """Return a value as all tables print it."""
        return f"{100 * value:.2f}" if self.unit == "%" else f"{value:.4f}"


ERRORS = {
    "train_error": Metric("train_errors", "n_train", "training error (labels as seen)"),
    "train_error_clean": Metric("train_errors_clean", "n_train", "training error (clean labels)"),
    "test_error": Metric("test_errors", "n_test", "test error", on_test=True),
}
_BOUND: dict[str, Any] = {"asks": "'record: [bound]' and a booster with such a bound"}
_COST: dict[str, Any] = {"unit": "", "axis": "cost", "asks": "a 'cost' of the data sets"}
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
}
#: Metrics that tables may show in the place of an error: 100 % less it. All else speaks of errors.
ACCURACIES = {"test_accuracy": "test_error", "train_accuracy": "train_error"}
