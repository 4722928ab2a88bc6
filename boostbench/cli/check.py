"""`boostbench check`."""

from __future__ import annotations

import sys
import textwrap
import traceback
from collections import Counter
from typing import Annotated

import typer

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import Verbose
from boostbench.reports.text import plain

_WIDEST = 300


def check(
    plugin: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py[:NAME]",
            help="Python file: check all boosters, weak learners, noise models and data sets that "
            "it registers, or only NAME.",
        ),
    ],
    *,
    verbose: Verbose = False,
) -> int:
    """Run the tests that all plugins of a kind must pass.

    For a booster: the estimator checks of scikit-learn, equal predictions for equal seeds, staged
    predictions, sample weights and a run. For a weak learner: its predictions. For a noise model:
    shape, labels and rate. For a data set: its parts. The exit code is 1 if a test fails.

    Examples:
      boostbench check my_booster.py
      boostbench check plugins.py:MyBooster -v
    """
    from boostbench.plugin_checks import check_plugin

    n_failed = n_done = 0
    for part, findings in check_plugin(plugin):
        print(part)
        problems = Counter[str]()
        for finding in findings:
            n_done += 1
            if finding.error is None:
                print(f"  ok      {finding.what}", flush=True)
                continue
            n_failed += 1
            problem = textwrap.shorten(plain(finding.problem), _WIDEST, placeholder=" ...")
            problems[problem] += 1
            if problems[problem] == 1:
                print(f"  FAILED  {finding.what}: {problem}", flush=True)
                if verbose:
                    traceback.print_exception(finding.error, file=sys.stderr)
        for problem, n in problems.items():
            if n > 1:
                print(f"  FAILED  {n - 1} more: {problem}")
    print(f"{n_failed} of {n_done} checks failed" if n_failed else f"all {n_done} checks passed")
    return INCOMPLETE if n_failed else OK
