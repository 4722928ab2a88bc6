"""Base classes of the kinds of claims, with the options that the kinds share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.kind_options import Options, Scope
from boostbench.reports.claims.claim_options import (
    At,
    AtLeast,
    Datasets,
    Exceptions,
    MetricName,
    Noises,
    Rule,
    Whole,
)
from boostbench.reports.claims.evidence import (
    Case,
    Evidence,
    UnitOfTest,
)
from boostbench.reports.values.frame import END
from boostbench.reports.values.paper import read_paper_values
from boostbench.validation import MistakesError


class Kind(Options):
    """Kind of claim: its options, and the cases computed from the evidence.

    Attributes
    ----------
    at_least : Rule
        Number or share of the cases of each group that must hold.
    of : int or None
        Expected number of cases in each group, checked when the config is read.
    """

    is_derived = False
    #: Sample of the tests, for kinds without the option ``unit`` (see `AboutMeans`).
    fixed_unit: ClassVar[UnitOfTest] = "runs"

    at_least: AtLeast = Rule()
    of: Whole | None = None

    @property
    def chance(self) -> float:
        """Largest probability that a data set is a case that holds if boosters are equal."""
        return 0.5

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield the cases of the claim.

        Raises
        ------
        BoostbenchError
            If the kind of a plugin does not define this method.
        """
        raise BoostbenchError(f"kind of claim {type(self).__name__} must define cases(evidence)")

    def check(self, scope: Scope) -> None:
        """Check that there are cases, and that ``at_least`` and ``of`` fit their number.

        Raises
        ------
        MistakesError
        """
        if scope.unknown:
            return
        per_group = Counter(case.group for case in self.cases(Evidence(scope, self)))
        if not per_group:
            what = "needs at least one case; 'except', 'datasets' or the paper's file leave none"
            raise MistakesError(((), what))
        without_exceptions = self.model_copy(update={"except_": ()})
        evidence = Evidence(scope, without_exceptions)
        whole = Counter(case.group for case in without_exceptions.cases(evidence))
        for group, n in per_group.items():
            where = f" at {group}" if group else ""
            if (self.at_least.count or 0) > n:
                what = (
                    f"at_least: {self.at_least.count} is more than the number of cases, {n}{where}"
                )
                raise MistakesError((("at_least",), what))
            if self.of is not None and self.of not in (n, whole[group]):
                what = f"of: {self.of}, but there are {n} cases{where}"
                raise MistakesError((("of",), what))

    def others(self, evidence: Evidence, *mine: str) -> list[str]:
        """Return the boosters of the config except ``mine``."""
        return [label for label in evidence.scope.boosters if label not in mine]


class AboutRuns(Kind):
    """Kind of claim about the runs of the config.

    Attributes
    ----------
    datasets, noise : tuple of str
        All by default.
    except_ : tuple of dict
        Excluded cells.
    pooled : bool
        Count the cases of all noises and T in one group.
    """

    datasets: Datasets = ()
    noise: Noises = Field((), validate_default=True)
    except_: Exceptions = Field((), alias="except")
    pooled: bool = False


class AboutValues(AboutRuns):
    """Kind of claim about the values of a quantity.

    Attributes
    ----------
    value : str
        A key of `QUANTITIES`.
    at : tuple of (int or "end")
        Rounds T.
    """

    value: MetricName = "test_error"
    at: At = (END,)


class AboutMeans(AboutValues):
    """Kind of claim about the values of each data set, of most of them, or of their mean.

    Attributes
    ----------
    unit : {"runs", "sets", "mean"}
        Sample of the test. ``runs``: each data set is a case, tested by its own runs. ``sets``:
        each data set is a case by its means, and the number of cases is tested over data sets.
        ``mean``: the mean over data sets is the only case, tested over data sets.
    """

    unit: UnitOfTest = "runs"

    def in_print(self, scope: Scope, papers: Iterable[Path]) -> bool | None:
        """Return whether the printed errors satisfy the claim; None if some are not printed."""
        files = tuple(map(read_paper_values, papers))
        groups: dict[str, list[bool | None]] = {}
        for case in self.cases(Evidence(scope, self, papers=files)):
            groups.setdefault(case.group, []).append(case.outcome.here)
        return Rule().is_met([self.at_least.is_met(answers) for answers in groups.values()])

    def check(self, scope: Scope) -> None:
        """Check also that the unit is stated where it matters, and that it can be tested."""
        super().check(scope)
        n = len(self.datasets or scope.datasets)
        is_chosen = self.unit != "runs" or "unit" in self.model_fields_set
        if n > 1 and self.at_least != Rule() and not is_chosen:
            what = (
                f"at_least: {self.at_least!r} needs a unit: 'sets' if the data sets are a sample, "
                "'runs' if each is decided by its own runs"
            )
            raise MistakesError((("at_least",), what))
        if self.unit != "runs" and n < 2 and "datasets" not in scope.unknown:
            what = f"unit: {self.unit} needs at least two data sets; there is one"
            raise MistakesError((("unit",), what))
