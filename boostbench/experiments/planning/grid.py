"""Expansion of a config into runs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from boostbench.errors import BoostbenchError, ConfigError, hint
from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.entries import DataSet
from boostbench.experiments.runs import Noise, Params, Run
from boostbench.quantities import QUANTITIES

MAX_RUNS = 200_000


def expand(config: Config) -> list[Run]:
    """Return all runs of a config in the order of execution.

    The seed varies slowest, so that a first complete table appears early. Within a seed, the order
    is that of the config: noise, data sets, boosters.

    Parameters
    ----------
    config : Config

    Returns
    -------
    runs : list of Run
        Distinct runs. A run of a booster with a grid stands for the fits of the selection.

    Raises
    ------
    ConfigError
        If there are more than `MAX_RUNS`.
    """
    all_of_one_seed = (
        (run, frozenset(entry.seeds or config.seeds))
        for noise, entry in itertools.product(config.noise, config.datasets)
        for run in _runs_of(entry, noise, config)
    )
    of_one_seed = list(itertools.islice(all_of_one_seed, MAX_RUNS + 1))
    if sum(len(seeds) for _, seeds in of_one_seed) > MAX_RUNS:
        what = f"makes more than {MAX_RUNS:,} runs; divide it into several configs"
        raise ConfigError([BoostbenchError(what, where=str(config.path))])
    runs: dict[tuple[object, ...], Run] = {}  # by a key that is compared faster than runs
    further = (seed for entry in config.datasets for seed in entry.seeds)
    for seed in dict.fromkeys((*config.seeds, *further)):
        for model, seeds in of_one_seed:
            if seed in seeds:
                run = model.with_seed(seed)
                key = run.around_seed, seed, run.rounds, repr(run.booster.grid)
                runs.setdefault(key, run)
    return list(runs.values())


def _runs_of(entry: DataSet, noise: Noise, config: Config) -> Iterator[Run]:
    """Yield the runs of a data set with a noise, with seed 0."""
    boosters = [entry.adapted(booster) for booster in config.boosters]
    asked_by = QUANTITIES.asked_by("metrics")
    asked = {name: QUANTITIES[asked_by[name]] for name in config.metrics}
    metrics = tuple(sorted(name for name, each in asked.items() if not each.always))
    has_checkpoints = config.record or any(each.at_checkpoints for each in asked.values())
    checkpoints = config.checkpoints if has_checkpoints else ()
    for split in _folds(entry.split or config.split):
        for booster in boosters:
            limited = ((booster.parameter(name), most) for name, most in entry.at_most.items())
            if all(value <= most for value, most in limited if isinstance(value, int | float)):
                yield Run(
                    data=entry.data,
                    split=split,
                    noise=noise,
                    booster=booster,
                    rounds=booster.rounds or entry.rounds or config.rounds,
                    seed=0,
                    record=config.record,
                    checkpoints=checkpoints,
                    metrics=metrics,
                )


def select(runs: Sequence[Run], patterns: Sequence[str], size: str | None = None) -> list[Run]:
    """Return the runs that match one of the patterns; all runs if there are no patterns.

    Parameters
    ----------
    runs : sequence of Run
    patterns : sequence of str
        Names of data sets, boosters or noises, or patterns with ``*`` for ids of runs
        (``dna/sm-boost*``).
    size : str or None, default=None
        Size of the configs, for the message.

    Raises
    ------
    BoostbenchError
        If a pattern matches no run; the message suggests a similar name.
    """
    if not patterns:
        return list(runs)
    selected: set[Run] = set()
    for pattern in patterns:
        form = re.compile(re.escape(pattern).replace(r"\*", ".*"), re.DOTALL)
        found = [run for run in runs if any(map(form.fullmatch, [*_names(run), run.id]))]
        selected.update(found)
        if not found:
            names = {name for run in runs for name in _names(run)}
            may = f" (--size {size} may have fewer data sets, boosters and noises)" if size else ""
            what = f"no run matches {pattern!r}; {hint(pattern, names)}{may}"
            raise BoostbenchError(what, where="--only")
    return [run for run in runs if run in selected]


def _names(run: Run) -> list[str]:
    return [run.dataset, run.data.name, run.method, run.booster.name, run.noise.label]


def _folds(split: str | Params) -> Iterator[str | Params]:
    if isinstance(split, Params) and "folds" in split and "fold" not in split:
        for fold in range(split["folds"]):
            yield Params({**split.plain(), "fold": fold})
    else:
        yield split
