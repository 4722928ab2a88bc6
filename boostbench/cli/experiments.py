"""From what was typed to configs and plans, the same way for every command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from boostbench.cli.configs import find_config
from boostbench.cli.progress import showing_progress
from boostbench.errors import BoostbenchError, ConfigError

if TYPE_CHECKING:
    from boostbench.experiments.configs.config import Config
    from boostbench.experiments.planning.plan import Plan, PlannedRun
    from boostbench.experiments.runs import Run
    from boostbench.experiments.store.records import RecordStore
    from boostbench.reports.claims.evidence import Studies
    from boostbench.reports.values.frame import Study

__all__ = ["Request", "load_configs", "warn_of_damage"]


@dataclass(frozen=True)
class Request:
    """Which runs of which results folder a command is about.

    Attributes
    ----------
    configs : tuple of Config
    results : Path
    data : tuple of Path
    only : tuple of str
        Patterns over runs; empty: all.
    shard : tuple of int or None
        (i, n): the i-th of n parts.
    """

    configs: tuple[Config, ...]
    results: Path
    data: tuple[Path, ...] = ()
    only: tuple[str, ...] = ()
    shard: tuple[int, int] | None = None

    def plan(self, config: Config, store: RecordStore, *, check_packages: bool = False) -> Plan:
        """Compare the runs of one of the configs with the records in ``store``."""
        from boostbench.experiments.planning.wanted import plan_config

        asked = self._chosen()
        heads = [run for run in _expand(config) if run in asked]
        plan = plan_config(config, heads, store, self.data, check_packages=check_packages)
        return plan if self.shard is None else plan.shard(*self.shard)

    def carry_out(
        self,
        config: Config,
        store: RecordStore,
        runs: Sequence[PlannedRun],
        *,
        jobs: int,
        quiet: bool = False,
    ) -> bool:
        """Do some runs within the config's limits; return whether nobody interrupted."""
        from boostbench.experiments.running.conduct import run_plan
        from boostbench.experiments.running.executors import LocalExecutor

        with (
            showing_progress(config.name, quiet=quiet) as listener,
            LocalExecutor(
                jobs,
                self.data,
                time_limit=config.limits.time,
                memory_limit=config.limits.memory,
            ) as executor,
        ):
            return not run_plan(runs, store, executor, on_event=listener).interrupted

    def studies(self, config: Config, store: RecordStore, size: str | None = None) -> Studies:
        """Return what gives the runs of other configs, which claims of ``config`` may need.

        Another config is taken in the same size if it has it, and to no more rounds than this one.
        """
        from boostbench.experiments.configs.file import load_config
        from boostbench.experiments.planning.wanted import plan_config
        from boostbench.reports.values.frame import collect

        found: dict[Path, Study] = {}

        def study_of(other: Config) -> Study:
            if other.path not in found:
                its_size = size if size in other.sizes else None
                variant = load_config(other.path, size=its_size, check_parameters=False)
                rounds = min(variant.rounds, config.rounds)
                variant = variant.model_copy(update={"rounds": rounds})
                plan = plan_config(variant, _expand(variant), store, self.data)
                found[other.path] = collect(variant, plan.results)
            return found[other.path]

        return study_of

    def _chosen(self) -> set[Run]:
        from boostbench.experiments.planning.grid import select

        # A pattern has to match in one of the configs, not in each.
        return set(select([run for config in self.configs for run in _expand(config)], self.only))


def load_configs(
    references: Sequence[str],
    settings: Sequence[str] = (),
    *,
    size: str | None = None,
    data: Sequence[Path] = (),
    check_parameters: bool = False,
) -> tuple[Config, ...]:
    """Read configs given as paths or names.

    Raises
    ------
    ConfigError
        With the complaints about all of them.
    DataError
        If a data folder does not exist.
    """
    from boostbench.data import search_dirs
    from boostbench.experiments.configs.file import load_config
    from boostbench.reports.claims import check_claims
    from boostbench.reports.parts import check_report

    search_dirs(data)  # a folder that is not there is no fault of the configs
    configs = []
    complaints: list[BoostbenchError] = []
    for reference in references:
        try:
            config = load_config(
                find_config(reference),
                settings,
                size=size,
                data_dirs=data,
                check_parameters=check_parameters,
            )
            check_report(config)
            check_claims(config)
            configs.append(config)
        except ConfigError as error:
            complaints += error.complaints
        except BoostbenchError as error:
            complaints.append(error)
    if complaints:
        raise ConfigError(complaints)
    _refuse_shared_names(configs)
    return tuple(configs)


def warn_of_damage(store: RecordStore) -> None:
    """Name on stderr the records that were found damaged since the last call."""
    for what in store.damaged:
        print(f"boostbench: {what}", file=sys.stderr)
    store.damaged.clear()


def _expand(config: Config) -> list[Run]:
    from boostbench.experiments.planning.grid import expand

    return expand(config)


def _refuse_shared_names(configs: Sequence[Config]) -> None:
    """Two configs of one name would write their reports into one folder."""
    first: dict[str, Config] = {}
    for config in configs:
        other = first.setdefault(config.name, config)
        if other is not config:
            raise BoostbenchError(
                f"the name {config.name!r} is that of {other.path} too; one of them needs another",
                where=str(config.path),
            )
