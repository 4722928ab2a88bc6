"""Claims of papers, and the verdicts of the runs on them."""
