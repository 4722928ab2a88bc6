"""Options that tables and figures share: which rounds, which metrics, one of a few words."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from boostbench.errors import BoostbenchError, UnknownNameError, unknown
from boostbench.experiments.configs.fields import FileBeside, Slug
from boostbench.experiments.configs.kind_options import (
    BoosterLabel,
    DataSetLabel,
    NoiseLabel,
    Options,
)
from boostbench.reports.values.frame import Study, check_recorded
from boostbench.reports.values.metrics import METRICS
from boostbench.reports.values.paper import read_paper_values
from boostbench.validation import OneOrMore


def _paper(value: str) -> str:
    read_paper_values(value)
    return value


# Options of several kinds are documented here, once; a docstring has what it says otherwise.

#: A file of paper values beside the config.
PaperFile = Annotated[
    FileBeside,
    AfterValidator(_paper),
    Field(description="File with the paper's test errors."),
]


def metric_of(known: Collection[str]) -> AfterValidator:
    """Return the check of the type of an option that is one of some metrics."""

    def check(value: str) -> str:
        if value not in known:
            raise ValueError(unknown("metric", value, known))
        return value

    return AfterValidator(check)


#: Any metric.
MetricName = Annotated[
    str, metric_of(METRICS), Field(description="A quantity that records hold, such as test_error.")
]
AtRound = Annotated[int | None, Field(description="Round T; by default the last of each booster.")]
Band = Annotated[
    bool,
    Field(description="Shade one standard deviation over repeats on both sides of the mean."),
]
Scale = Annotated[Literal["linear", "log"], Field(description="Scale of the axis.")]
Title = Annotated[str, Field(description="Heading; one of its own by default.")]


class PartOptions(Options):
    """Options that every kind of table and figure takes."""

    name: Slug | None = Field(None, description="Name of the files, without suffix.")
    boosters: OneOrMore[BoosterLabel] = Field((), description="Show these alone.")
    datasets: OneOrMore[DataSetLabel] = Field((), description="Show these alone.")
    noises: OneOrMore[NoiseLabel] = Field((), description="Show these alone.")


def check_choice(name: str, found: Any, known: Iterable[str]) -> None:
    """Raise `UnknownNameError` unless ``found`` is one of the known words."""
    known = list(known)  # the config may hold what cannot be looked up in a mapping
    if found not in known:
        raise UnknownNameError(name, str(found), known)


def chosen_booster(study: Study, name: str, label: Any) -> str:
    """Return the label of a booster of the study; ``name`` is the option it was given to."""
    check_choice(f"booster for {name!r}", label, study.boosters)
    return str(label)


def chosen_metrics(
    study: Study, name: str, value: Any, known: Collection[str] = METRICS.keys()
) -> list[str]:
    """Return the metrics that an option names, one or a list.

    Raises
    ------
    BoostbenchError
        If one is unknown or no run recorded it, or those of different axes are mixed.
    """
    metrics = list(value) if isinstance(value, list | tuple) else [value]
    for metric in metrics:
        check_choice(name, metric, known)
        check_recorded(study, metric)
    if len({METRICS[metric].axis for metric in metrics}) != 1:
        found = ", ".join(metrics) or "none"
        raise BoostbenchError(f"{name} must be metrics that share an axis, found {found}")
    return metrics


def chosen_rounds(study: Study, at: Any) -> list[int]:
    """Return the rounds that an option names, ascending; None: the config's checkpoints.

    Raises
    ------
    BoostbenchError
        If one is not a round that is made.
    """
    if at is None:
        return list(study.config.checkpoints)
    rounds = at if isinstance(at, list | tuple) else [at]
    largest = max(result.run.rounds for result in study.results)
    for each in rounds:
        if isinstance(each, bool) or not isinstance(each, int) or not 1 <= each <= largest:
            raise BoostbenchError(f"at must be rounds from 1 to {largest}, found {each!r}")
    return sorted(set(rounds))


def compared_value(study: Study, value: str, at: int | None) -> tuple[str, int | None]:
    """Return the metric and the round T that boosters are compared by; None: the last of each.

    Raises
    ------
    BoostbenchError
        If there are no two boosters, or an option is wrong.
    """
    (metric,) = chosen_metrics(study, "value", value)
    if len(study.boosters) < 2:
        raise BoostbenchError("a comparison needs two boosters or more")
    return metric, None if at is None else chosen_rounds(study, at)[-1]
