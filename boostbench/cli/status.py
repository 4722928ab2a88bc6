"""`boostbench status`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import Data, Json, Only, Plugins, Results, Settings, Size
from boostbench.cli.output import print_json, print_rows, warn_of_damage
from boostbench.cli.progress import n_runs
from boostbench.errors import BoostbenchError

if TYPE_CHECKING:
    from boostbench.experiments.store.records import RecordStore

Row = dict[str, Any]


def status(
    configs: Annotated[
        list[str],
        typer.Argument(
            metavar="CONFIG",
            help="Config files or names; by default all records of the folder are told of.",
            default_factory=list,
            show_default=False,
        ),
    ],
    *,
    results: Results = Path("results"),
    data: Data,
    only: Only,
    settings: Settings,
    size: Size = None,
    plugin: Plugins,
    as_json: Json = False,
) -> int:
    """Show what is done, failed, stale, missing or skipped.

    A run is stale if its code, its data or a file that its plugin read has changed; what a plugin
    reads by compiled code, by another process or over the network is not seen. Other versions of
    numpy, scipy, scikit-learn and numba are told of. The exit code is 1 if a run failed or was
    skipped.

    Examples:
      boostbench status noise20
      boostbench status --results DIR --json
    """
    from boostbench.api import load_experiments
    from boostbench.experiments.store.records import RecordStore

    store = RecordStore(results)
    if configs:
        experiments = load_experiments(
            configs,
            results=results,
            data=data,
            overrides=settings,
            size=size,
            only=only,
            plugins=plugin,
            check_parameters=False,
        )
        store = experiments[0].store
        rows = [row for e in experiments for row in e.plan(check_packages=False).rows()]
    else:
        rows = _of_records(store, results)
    warn_of_damage(store)
    if as_json:
        print_json(rows)
    else:
        _print(rows)
    bad = {row["status"] for row in rows} - {"ok", "missing", "stale"}
    return INCOMPLETE if bad else OK


def _of_records(store: RecordStore, results: Path) -> list[Row]:
    from boostbench.experiments.planning.plan import PlannedRun

    if not store.folder.is_dir():
        raise BoostbenchError(
            "there are no records here; `boostbench run CONFIG` makes some, --results names "
            "another folder",
            where=str(results),
        )
    found = ((path, store.summary(path)) for path in store.all_paths())
    return [
        PlannedRun.of(record, path, store).row() for path, record in found if record is not None
    ]


def _print(rows: Sequence[Row]) -> None:
    from boostbench.experiments.planning.plan import STATUSES

    total = Counter(row["status"] for row in rows)
    shown = [status for status in STATUSES if total[status]]
    per_dataset: dict[str, Counter[str]] = {}
    for row in rows:
        per_dataset.setdefault(row["dataset"], Counter())[row["status"]] += 1
    per_dataset["all"] = total
    print_rows(
        [
            {"dataset": dataset, "runs": counts.total(), **{name: counts[name] for name in shown}}
            for dataset, counts in per_dataset.items()
        ]
    )
    for versions, n in Counter(row["versions"] for row in rows if row["versions"]).items():
        print(f"{n_runs(n)} done with {versions}; `run --strict` does them again")
    wrong: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        if row["status"] not in ("ok", "missing"):
            place = (row["dataset"], row["status"], row["reason"])
            wrong.setdefault(place, []).append(row)
    if wrong:
        print()
        print_rows(
            [
                {"what": _named(group), "status": status, "reason": reason}
                for (_, status, reason), group in wrong.items()
            ]
        )


def _named(group: Sequence[Row]) -> str:
    first = group[0]
    return str(first["id"] if len(group) == 1 else f"{first['dataset']} ({n_runs(len(group))})")
