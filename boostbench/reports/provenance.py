"""Origin of the numbers of a report: machines, versions, code, data, dates, time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

from boostbench.experiments.runs import Params
from boostbench.reports.text import duration, in_print
from boostbench.reports.values.frame import Study


def provenance(study: Study) -> list[tuple[str, list[str]]]:
    """Return facts about the origin of a study's records as (name, values).

    A fact has several values if the runs differ, most with the number of runs.
    """
    records = [result.record for result in study.results if result.record is not None]
    config = study.config
    fit = sum(record.seconds.get("fit", 0.0) for record in records)
    memory = max((record.peak_memory_mb or 0.0 for record in records), default=0.0)
    started = sorted(record.started for record in records if record.started)
    finished = sorted(record.finished for record in records if record.finished)
    own = [f"{e.data.label}: seeds {_listed(e.seeds)}" for e in config.datasets if e.seeds]
    boosters = dict.fromkeys((r.run.method, r.run.booster.params) for r in study.results)
    keys = [(result.run, result.record.key) for result in study.results if result.record]
    hosts = [record.host for record in records if record.host]
    facts = {
        "runs": [f"{len(records)} of {len(study.results)} with a record"],
        "made": [f"{started[0]} to {finished[-1]}"] if started and finished else [],
        "total fit time": [duration(fit)],
        "largest memory": [f"{memory:.0f} MB"] if memory else [],
        "rounds, seeds": [f"T = {config.rounds}; seeds {_listed(config.seeds)}", *own],
        "noise": study.noises,
        "splits": _counted(_split(result.run.split) for result in study.results),
        "data": list(dict.fromkeys(f"{run.dataset}: {key.data}" for run, key in keys)),
        "code": list(dict.fromkeys(f"{run.method}: {key.code}" for run, key in keys)),
        "boosters": [f"{_both_names(name)}: {_plain(params)}" for name, params in boosters],
        "versions": _counted(_listed(map(" ".join, r.versions.items())) for r in records),
        "machine": _counted(
            f"{host.get('cpu') or 'unknown CPU'}, {host.get('cpus')} CPUs, {host.get('system')}"
            for host in hosts
        ),
        "threads": _counted(_listed(f"{k} {v}" for k, v in r.threads.items()) for r in records),
    }
    return [(name, values) for name, values in facts.items() if values]


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))


def _counted(texts: Iterable[str]) -> list[str]:
    """Return the distinct texts, with the number of runs if texts differ."""
    counts = Counter(filter(None, texts))
    several = len(counts) > 1
    return [f"{text} ({n} runs)" if several else text for text, n in counts.items()]


@cache
def _split(split: str | Params) -> str:
    if isinstance(split, str):
        return split
    return _plain(Params({key: value for key, value in split.items() if key != "fold"}))


def _plain(params: Params) -> str:
    """Return parameters without the quotes of Python."""
    texts = (f"{key}={value}".replace("'", "") for key, value in params.plain().items())
    return _listed(texts) or "the paper's defaults"


def _both_names(method: str) -> str:
    """Return the printed name of a method, with the config name in brackets if it differs."""
    printed = in_print(method)
    return method if printed == method else f"{printed} ({method})"
