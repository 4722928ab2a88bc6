"""`boostbench verify`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.cli.experiments import Request, load_configs, warn_of_damage
from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.kinds import load_plugins
from boostbench.cli.options import Configs, Data, Json, Plugins, Results, Settings, Size
from boostbench.cli.output import is_fancy, print_json, print_rows

if TYPE_CHECKING:
    from boostbench.experiments.configs.config import Config
    from boostbench.reports.claims.verdicts import Verdict

__all__ = ["in_colour", "verify"]


def verify(
    configs: Configs,
    *,
    results: Results = Path("results"),
    data: Data,
    settings: Settings,
    size: Size = None,
    plugin: Plugins,
    as_json: Json = False,
) -> int:
    """Tell which of a paper's claims the runs reproduce.

    Nothing is trained. A claim is reproduced, not reproduced, or undecided: then it is said what
    would decide it. The exit code is 0 only if every claim is reproduced.

    Examples:
      boostbench verify noise20
      boostbench verify softmax-boosting/table2 --results DIR --json
    """
    from boostbench.experiments.store.records import RecordStore
    from boostbench.reports.claims import judge
    from boostbench.reports.values.frame import collect

    load_plugins(plugin)
    loaded = load_configs(configs, settings, size=size, data=data)
    request = Request(loaded, results, tuple(data))
    store = RecordStore(results)
    found: list[tuple[Config, tuple[Verdict, ...]]] = []
    for config in loaded:
        study = collect(config, request.plan(config, store).results)
        found.append((config, judge(study, request.studies(config, store, size))))
        warn_of_damage(store)
    if as_json:
        print_json([row for config, verdicts in found for row in _as_json(config, verdicts)])
    else:
        _print(found)
    statuses = {verdict.status for _, verdicts in found for verdict in verdicts}
    return OK if statuses <= {"reproduced"} else INCOMPLETE


def _as_json(config: Config, verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    from boostbench.reports.claims.writing import verdict_json

    return [{"config": config.name, **verdict_json(verdict)} for verdict in verdicts]


def _print(found: Sequence[tuple[Config, Sequence[Verdict]]]) -> None:
    from boostbench.reports.claims.writing import evidence_rows, summary_line

    for config, verdicts in found:
        for number, verdict in enumerate(verdicts, start=1):
            print(f"{config.name} {number}: {verdict.claim.says}")
            print(f"  {in_colour(verdict.status)}: {'; '.join(verdict.reasons)}")
            if verdict.claim.note:
                print(f"  note: {verdict.claim.note}")
            print()
            print_rows(evidence_rows(verdict))
            print()
    for config, verdicts in found:
        print(f"{config.name}: {summary_line(verdicts)}")


def in_colour(status: str) -> str:
    """Return the word of a verdict, coloured on a terminal."""
    colour = {"reproduced": 32, "not reproduced": 31}.get(status, 33)
    return f"\033[1;{colour}m{status}\033[0m" if is_fancy(sys.stdout) else status
