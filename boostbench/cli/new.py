"""`boostbench new`."""

from __future__ import annotations

from typing import Annotated, Literal

from boostbench.cli.guard import OK
from boostbench.cli.options import argument, program


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
