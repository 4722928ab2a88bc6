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

    passed = []
    for part, error in check_plugin(plugin):
        passed.append(error is None)
        print(f"{part}: {'FAILED' if error else 'ok'}", flush=True)
        if error:
            print(f"  {textwrap.shorten(plain(in_words(error)), _WIDEST, placeholder=' ...')}")
    print("all passed" if all(passed) else f"{passed.count(False)} of {len(passed)} failed")
    return OK if all(passed) else INCOMPLETE


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
