"""`boostbench new` and `check`: plugins of users."""

from __future__ import annotations

import textwrap
from typing import Annotated, Literal

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import argument, program
from boostbench.reports.text import plain

_WIDEST = 300


def check(
    plugin: Annotated[
        str,
        argument("FILE.py[:NAME]", "Python file; all that it registers is tested, or only NAME."),
    ],
) -> int:
    """Run the tests that all plugins of a kind must pass.

    Two runs of equal seeds must agree; a weak learner is tried with a booster for each demand that
    it answers. Boosters and weak learners must learn, noise models change labels, and boosters pass
    the estimator checks of scikit-learn. The exit code is 1 if a component fails.

    Examples:
      boostbench check my_booster.py
      boostbench check plugins.py:MyBooster
    """
    from boostbench.plugin_checks import check_plugin, in_words

    n_failed = n_done = 0
    for part, error in check_plugin(plugin):
        n_done += 1
        print(f"{part}: {'ok' if error is None else 'FAILED'}", flush=True)
        if error is not None:
            n_failed += 1
            print(f"  {textwrap.shorten(plain(in_words(error)), _WIDEST, placeholder=' ...')}")
    print(f"{n_failed} of {n_done} failed" if n_failed else "all passed")
    return INCOMPLETE if n_failed else OK


def new(
    kind: Annotated[
        Literal["booster", "noise", "dataset", "config"],
        argument("KIND", "booster, noise, dataset or config."),
    ],
    name: Annotated[str, argument("NAME", "Lower-case letters and digits, e.g. my-booster.")],
) -> int:
    """Write the template of a plugin or config.

    A booster, noise model or data set is a Python file with a config that compares it. Both run
    unchanged. Existing files are not overwritten.

    Examples:
      boostbench new booster my-booster
      boostbench new config my-config
    """
    from boostbench.templates import write_template

    *plugin, config = write_template(kind, name)
    print(*plugin, config, sep="\n")
    for path in plugin:
        print(f"next: {program()} check {path}")
    print(f"next: {program()} run {config}")
    return OK
