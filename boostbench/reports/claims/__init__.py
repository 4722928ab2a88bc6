"""Claims of papers, and the verdicts of the runs on them."""

from boostbench.reports.claims.evidence import Case, Cell, Evidence
from boostbench.reports.claims.inference import Outcome
from boostbench.reports.claims.kind import AboutMeans, AboutRuns, AboutValues, Kind
from boostbench.reports.claims.verdicts import Verdict, judge
from boostbench.reports.claims.view import view_of
from boostbench.reports.values.designs import Repeats

__all__ = [
    "AboutMeans",
    "AboutRuns",
    "AboutValues",
    "Case",
    "Cell",
    "Evidence",
    "Kind",
    "Outcome",
    "Repeats",
    "Verdict",
    "judge",
    "view_of",
]
