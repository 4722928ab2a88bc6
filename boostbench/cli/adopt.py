"""`boostbench adopt`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boostbench.cli.experiments import Request, load_configs, warn_of_damage
from boostbench.cli.guard import INCOMPLETE, INTERRUPTED, OK
from boostbench.cli.kinds import load_plugins
from boostbench.cli.options import (
    Configs,
    Data,
    Jobs,
    Json,
    Only,
    Plugins,
    Quiet,
    Results,
    Settings,
    Size,
)
from boostbench.cli.output import print_rows
from boostbench.cli.run import n_cores
from boostbench.errors import BoostbenchError

if TYPE_CHECKING:
    from boostbench.experiments.configs.config import Config
    from boostbench.experiments.planning.adoption import Family
    from boostbench.experiments.planning.plan import PlannedRun
    from boostbench.experiments.store.records import RecordStore

__all__ = ["adopt"]


def adopt(
    configs: Configs,
    *,
    data: Data,
    results: Results = Path("results"),
    sample: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="How many of the stale runs of each booster on each data set are done again; at "
            "least one.",
        ),
    ] = 0.05,
    jobs: Jobs = None,
    only: Only,
    settings: Settings,
    size: Size = None,
    plugin: Plugins,
    quiet: Quiet = False,
    as_json: Json = False,
) -> int:
    """Keep stale results that a change of the code left as they are.

    Of each booster on each data set some runs are done again. If they give what the old records
    say, the other records of that code are adopted, with a note in each; if one differs, all stay
    stale. The exit code is 1 if some do.

    Examples:
      boostbench adopt noise20 --data DIR
      boostbench adopt configs/softmax-boosting/figures1-4.yaml --sample 0.1 --jobs 2
    """
    from boostbench.experiments.store.records import RecordStore

    load_plugins(plugin)
    loaded = load_configs(configs, settings, size=size, data=data, check_parameters=True)
    request = Request(loaded, results, tuple(data), tuple(only))
    store = RecordStore(results)
    rows: list[dict[str, Any]] = []
    for config in loaded:
        found = _adopt_all(config, request, store, sample, jobs or n_cores(), quiet)
        warn_of_damage(store)
        if found is None:
            return INTERRUPTED
        rows += found
    if rows or as_json:
        print_rows(rows, as_json=as_json)
    else:
        print("nothing is stale for its code alone")
    return INCOMPLETE if any(row["stale"] for row in rows) else OK


def _adopt_all(
    config: Config, request: Request, store: RecordStore, share: float, jobs: int, quiet: bool
) -> list[dict[str, Any]] | None:
    """Judge all families; where parameters are chosen, more of one follow from what was adopted."""
    from boostbench.experiments.planning.adoption import families

    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    while True:
        plan = request.plan(config, store, check_packages=True)
        found = families(plan.runs)
        new = [family for family in found if family.name not in rows]
        more = [family for family in found if family.name in rows and _is_same(rows[family.name])]
        if not new and not more:
            return list(rows.values())
        samples = [planned for family in new for planned in family.sample(share)]
        if samples and not request.carry_out(config, store, samples, jobs=jobs, quiet=quiet):
            return None
        rows |= {family.name: _judge(family, store, share) for family in new}
        for family in more:
            row = rows[family.name]
            row["adopted"] += _adopt(family.members, store, row)


def _judge(family: Family, store: RecordStore, share: float) -> dict[str, Any]:
    from boostbench.experiments.planning.adoption import same_result

    sample = family.sample(share)
    n_same = sum(
        same_result(_read(store, member.path), _read(store, _new_path(store, member)))
        for member in sample
    )
    rest = family.members[len(sample) :]
    row: dict[str, Any] = {
        "dataset": family.dataset,
        "booster": family.booster,
        "code": family.code,
        "checked": len(sample),
        "same": n_same,
    }
    n_adopted = _adopt(rest, store, row) if _is_same(row) else 0
    return row | {"adopted": n_adopted, "stale": len(rest) - n_adopted}


def _is_same(row: dict[str, Any]) -> bool:
    return bool(row["same"] == row["checked"])


def _adopt(members: Sequence[PlannedRun], store: RecordStore, row: dict[str, Any]) -> int:
    from boostbench.experiments.planning.adoption import adopt

    return adopt(members, store, row["checked"])


def _new_path(store: RecordStore, member: PlannedRun) -> Path:
    return store.path_of(member.run.data.name, member.key)


def _read(store: RecordStore, path: Path | None) -> dict[str, Any]:
    record = None if path is None else store.read(path)
    if record is None:
        raise BoostbenchError("the record cannot be read", where=str(path))
    return record
