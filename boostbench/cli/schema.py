"""`boostbench schema`."""

from __future__ import annotations

from boostbench.cli.guard import OK
from boostbench.cli.kinds import load_plugins
from boostbench.cli.options import Plugins
from boostbench.cli.output import print_json


def schema(*, plugins: Plugins) -> int:
    """Print the JSON schema of configs, for editors.

    Examples:
      boostbench schema > boostbench.schema.json
    """
    from boostbench.experiments.configs.config_schema import config_schema

    load_plugins(plugins)
    print_json(config_schema())
    return OK
