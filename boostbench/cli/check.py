"""`boostbench check`."""

from __future__ import annotations

import sys
import textwrap
import traceback
from typing import Annotated

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import Verbose, argument
from boostbench.reports.text import plain

_WIDEST = 300


def check(
    plugin: Annotated[
        str,
        argument("FILE.py[:NAME]", "Python file; all that it registers is tested, or only NAME."),
    ],
    *,
    verbose: Verbose = False,
) -> int:
    """Run the tests that all plugins of a kind must pass.

    A booster is tested by the estimator checks of scikit-learn, equal seeds, staged predictions and
    a run; a weak learner by boosters that use it; a noise model by its labels, a data set by its
    parts. Tests of a component end at the first that fails; the exit code is then 1.

    Examples:
      boostbench check my_booster.py
      boostbench check plugins.py:MyBooster -v
    """
    from boostbench.plugin_checks import check_plugin, in_words

    n_failed = n_done = 0
    for part, error in check_plugin(plugin):
        n_done += 1
        print(f"{part}: {'ok' if error is None else 'FAILED'}", flush=True)
        if error is not None:
            n_failed += 1
            print(f"  {textwrap.shorten(plain(in_words(error)), _WIDEST, placeholder=' ...')}")
            if verbose:
                traceback.print_exception(error, file=sys.stderr)
    print(f"{n_failed} of {n_done} failed" if n_failed else "all passed")
    return INCOMPLETE if n_failed else OK
