"""Base of the kinds of claims: the options that all kinds share, and the cases they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import ClassVar, Literal

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
from boostbench.reports.claims.evidence import Case, CellSelection, Evidence, Studies
from boostbench.reports.values.frame import Result
from boostbench.reports.values.metrics import END
from boostbench.reports.values.paper import PaperValues
from boostbench.validation import MistakesError


class Kind(Options):
    """A kind of claim: its options, and the cases that it makes of the evidence.

    Attributes
    ----------
    at_least : Rule
        Number or share of the cases of each group that have to hold.
    of : int or None
        Number of cases, as a check of what was written.
    """

    is_derived = False
    #: True if the verdict comes from a bootstrap over data sets: cases are without spread.
    over_sets: ClassVar[bool] = False

    at_least: AtLeast = Rule()
    of: Whole | None = None

    def selection(self, scope: Scope) -> CellSelection:
        """Return the part of the experiment that the claim is about."""
        names = {field.name for field in fields(CellSelection)} & set(type(self).model_fields)
        chosen = CellSelection(**{name: getattr(self, name) for name in names})
        return chosen if chosen.datasets else replace(chosen, datasets=scope.datasets)

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield the cases of the claim.

        Raises
        ------
        BoostbenchError
            If the kind, one of a plugin, does not define them.
        """
        raise BoostbenchError(f"kind of claim {type(self).__name__} must define cases(evidence)")

    def cases_of(
        self,
        scope: Scope,
        results: Iterable[Result] = (),
        studies: Studies | None = None,
        printed: Sequence[PaperValues] = (),
    ) -> list[Case]:
        """Return the cases that the claim makes of the runs of its config.

        Parameters
        ----------
        scope : Scope
        results : iterable of Result, default=()
        studies : callable or None, default=None
            Gives the runs of another config.
        printed : sequence of PaperValues, default=()
        """
        return list(self.cases(Evidence(scope, results, self.selection(scope), studies, printed)))

    def check(self, scope: Scope) -> None:
        """Check how many cases there are against how many are asked for.

        Raises
        ------
        MistakesError
        """
        if scope.unknown:
            return
        per_group = Counter(case.group for case in self.cases_of(scope))
        if not per_group:
            what = (
                "needs something to look at; 'except', 'datasets' or the paper's file leave no case"
            )
            raise MistakesError(((), what))
        everything = self.model_copy(update={"except_": ()})
        whole = Counter(case.group for case in everything.cases_of(scope))
        for group, n in per_group.items():
            here = f" at {group}" if group else ""
            if (self.at_least.count or 0) > n:
                what = f"at_least: {self.at_least.count} is more than the {n} cases there are{here}"
                raise MistakesError((("at_least",), what))
            if self.of is not None and self.of not in (n, whole[group]):
                what = f"of: {self.of}, but there are {n} cases{here}"
                raise MistakesError((("of",), what))

    def others(self, evidence: Evidence, *mine: str) -> list[str]:
        """Return the boosters of the config but these."""
        return [label for label in evidence.scope.boosters if label not in mine]


class AboutRuns(Kind):
    """A kind that looks at the runs of the config.

    Attributes
    ----------
    datasets, noise : tuple of str
        All by default.
    except_ : tuple of dict
        Cells that are left out.
    pooled : bool
        All noises and T make one group.
    """

    datasets: Datasets = ()
    noise: Noises = Field((), validate_default=True)
    except_: Exceptions = Field((), alias="except")
    pooled: bool = False


class AboutValues(AboutRuns):
    """A kind that looks at values of a quantity.

    Attributes
    ----------
    value : str
        A key of `METRICS`.
    at : tuple of (int or "end")
        Rounds T.
    """

    value: MetricName = "test_error"
    at: At = (END,)


class AboutMeans(AboutValues):
    """A kind that may look at the mean over data sets.

    Attributes
    ----------
    per : {"dataset", "mean"}
        Each data set is a case, or their mean is the only one.
    """

    per: Literal["dataset", "mean"] = "dataset"
