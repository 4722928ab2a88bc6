"""Claims of papers, and what the runs say of them."""

from boostbench.reports.claims.evidence import Case, Evidence, Place
from boostbench.reports.claims.reading import read_claim
from boostbench.reports.claims.samples import Opinion, Sample
from boostbench.reports.claims.verdicts import Verdict, judge

__all__ = [
    "Case",
    "Evidence",
    "Opinion",
    "Place",
    "Sample",
    "Verdict",
    "judge",
    "read_claim",
]
