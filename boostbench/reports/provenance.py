"""Origin of the numbers of a report: machines, versions, code, data, dates, time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
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
    facts = {
        "runs": [f"{len(records)} of {len(study.results)} with a record"],
        "made": [f"{started[0]} to {finished[-1]}"] if started and finished else [],
        "total fit time": [duration(fit)],
        "largest memory": [f"{memory:.0f} MB"] if memory else [],
        "rounds, seeds": [
            f"T = {config.rounds}; seeds {', '.join(map(str, config.seeds))}",
            *(
                f"{entry.data.label}: seeds {', '.join(map(str, entry.seeds))}"
                for entry in config.datasets
                if entry.seeds
            ),
        ],
        "noise": study.noises,
        "splits": _distinct(study.results, lambda result: _split(result.run.split)),
        "data": _distinct(
            study.results,
            lambda r: f"{r.run.dataset}: {r.record.key.data}" if r.record else "",
            count=False,
        ),
        "code": _distinct(
            study.results,
            lambda r: f"{r.run.method}: {r.record.key.code}" if r.record else "",
            count=False,
        ),
        "boosters": _distinct(
            dict.fromkeys((r.run.method, r.run.booster.params) for r in study.results),
            lambda booster: f"{_both_names(booster[0])}: {_params(booster[1])}",
            count=False,
        ),
        "versions": _distinct(records, lambda record: _pairs(record.versions)),
        "machine": _distinct(records, lambda record: _machine(record.host)),
        "threads": _distinct(records, lambda record: _pairs(record.threads)),
    }
    return [(name, values) for name, values in facts.items() if values]


def _distinct(items: Iterable[Any], show: Callable[[Any], str], *, count: bool = True) -> list[str]:
    """Return the distinct texts of some items, with the number of items if texts differ."""
    counts = Counter(text for text in map(show, items) if text)
    if len(counts) == 1 or not count:
        return list(counts)
    return [f"{text} ({n} runs)" for text, n in counts.items()]


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _machine(host: Mapping[str, Any]) -> str:
    if not host:
        return ""
    return f"{host.get('cpu') or 'unknown CPU'}, {host.get('cpus')} CPUs, {host.get('system')}"


@cache
def _split(split: str | Params) -> str:
    if isinstance(split, str):
        return split
    return _params(Params({key: value for key, value in split.items() if key != "fold"}))


def _params(params: Params) -> str:
    texts = (f"{key}={_plain(value)}" for key, value in params.plain().items())
    return ", ".join(texts) or "the paper's defaults"


def _both_names(method: str) -> str:
    """Return the printed name of a method, with the config name in brackets if it differs."""
    printed = in_print(method)
    return method if printed == method else f"{printed} ({method})"


def _plain(value: object) -> str:
    """Return a value without the quotes and braces of Python."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key}={_plain(item)}" for key, item in value.items())
        return f"({inner})"
    return str(value)
