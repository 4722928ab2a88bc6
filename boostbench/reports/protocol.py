"""The experimental protocol of a study as a paragraph, and the origin of its records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple
from typing import Any

from boostbench.experiments.runs import CLEAN, Params
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.record import Record
from boostbench.registry import noise_models
from boostbench.reports.tables.selected_table import WAYS
from boostbench.reports.text import duration, in_print, listed, span
from boostbench.reports.values.estimates import estimate
from boostbench.reports.values.frame import Study
from boostbench.reports.values.samples import samples_of, side_by_side

_MOST_RATES = 20  # of a noise model that are listed
_VERSIONS = ("python", "boostbench", "numpy", "scipy", "scikit-learn", "numba")


def provenance(study: Study) -> list[tuple[str, list[str]]]:
    """Return facts about the origin of a study's records as (name, values).

    A fact has several values if the runs differ.
    """
    records = [result.record for result in study.results if result.record is not None]
    memory = max((record.peak_memory_mb or 0.0 for record in records), default=0.0)
    days = [day[:10] for record in records for day in (record.started, record.finished) if day]
    boosters = dict.fromkeys((r.run.method, r.run.booster.params) for r in study.results)
    keys = [(result.run, result.record.key) for result in study.results if result.record]
    notes = {
        (r.run.dataset, r.run.booster.name, *astuple(Key.parse(r.adopted["key"]))[2:]): r.adopted
        for r in records
        if r.adopted
    }
    n_again, n_adopted = (sum(note[n] for note in notes.values()) for n in ("checked", "of"))
    same = f"{n_again:,} of {n_adopted:,} runs repeated with this code gave the recorded results"
    same += "; the others were done with older code" * (n_again < n_adopted)
    facts = {
        "protocol": [protocol(study)] if records else [],
        "made": [span(days)] if days else [],
        "total fit time": [duration(sum(r.seconds.get("fit", 0.0) for r in records))],
        "largest memory": [f"{memory:.0f} MB"] if memory else [],
        "data": [f"{run.dataset}: {key.data}" for run, key in keys],
        "code": [f"{run.method}: {key.code}" for run, key in keys],
        "adopted": [same] if notes else [],
        "boosters": [f"{in_print(name)}: {_plain(params)}" for name, params in boosters],
        "machine": _counted(
            f"{host.get('cpu') or 'unknown CPU'}, {host.get('cpus')} CPUs, {host.get('system')}"
            for host in filter(None, (record.host for record in records))
        ),
        "threads": _counted(", ".join(f"{k} {v}" for k, v in r.threads.items()) for r in records),
    }
    return [(name, list(dict.fromkeys(values))) for name, values in facts.items() if values]


def _counted(texts: Iterable[str]) -> list[str]:
    """Return the distinct texts, with the number of runs if texts differ."""
    counts = Counter(filter(None, texts))
    return [f"{text} ({n} runs)" if len(counts) > 1 else text for text, n in counts.items()]


def _plain(params: Params) -> str:
    """Return parameters without the quotes of Python."""
    texts = (f"{key}={value}".replace("'", "") for key, value in params.plain().items())
    return ", ".join(texts) or "the paper's defaults"


def protocol(study: Study) -> str:
    """Return data, splits, noise, selection, rounds, seeds, tests and versions in sentences."""
    return " ".join(_sentences(study))


def _sentences(study: Study) -> Iterator[str]:
    config, results = study.config, [result for result in study.results if result.ok]
    records: dict[str, list[Record]] = {}
    for result in results:
        records.setdefault(result.run.dataset, []).extend(filter(None, [result.record]))
    sizes = [
        f"{name} ({span([r.n_train for r in of])} training and {span([r.n_test for r in of])} test "
        f"samples, {of[-1].n_features} features, {of[-1].n_classes} classes)"
        for name, of in records.items()
    ]
    boosters = listed([in_print(label) for label in study.boosters])
    yield f"We compare {boosters} on {listed(sizes)}."
    splits: dict[str, list[str]] = {}
    for run in (result.run for result in study.results):
        split = {"official": True} if isinstance(run.split, str) else run.split.plain()
        splits.setdefault(_split_in_words(split), []).append(run.dataset)
    for words, names in splits.items():
        of = "" if len(splits) == 1 else f" on {listed([*dict.fromkeys(names)])}"
        yield f"Training and test part{of}: {words}."
    noises = dict.fromkeys((r.run.noise.model, r.noise_rate) for r in results)
    models = dict.fromkeys(model for model, _ in noises if model != CLEAN.model)
    for model in models:
        rates = [100 * rate for its_model, rate in noises if its_model == model]
        shares = listed([f"{rate:g}" for rate in rates])
        if len(rates) > _MOST_RATES:  # drawn with the problems
            shares = f"{min(rates):.3g} to {max(rates):.3g}"
        what = noise_models.summary(model).rstrip(".")
        yield f"Noise {model} ({what}) corrupts the training labels at rates of {shares} %."
    clean = "Validation and test" if any("for validation" in words for words in splits) else "Test"
    yield f"{clean} labels are never corrupted." if models else "No labels are corrupted."
    if config.select is not None:
        what = "Parameters and rounds" if config.select.rounds else "Parameters"
        yield f"{what} are selected from a grid. {WAYS[config.select.way]}"
    own = {r.run.method: r.run.rounds for r in study.results if r.run.booster.rounds}
    rounds = {r.run.rounds for r in study.results if r.run.method not in own}
    counts = [f"Boosters make {span(rounds)} round{'s' * (rounds != {1})}"] if rounds else []
    yield "; ".join([*counts, *(f"{in_print(label)} makes {n}" for label, n in own.items())]) + "."
    folds = {result.fold for result in study.results}
    each = f" in each of {len(folds)} folds" if len(folds) > 1 else ""
    n = {len({r.run.seed for r in cell}) for cell in study.cells.values()}
    yield f"Every cell has {span(n)} seed{'s' * (n != {1})}{each}."
    yield "With the same seed, all boosters have the same split and labels."
    pair = study.contenders[:2]
    if len(pair) == 2:
        sides = side_by_side(samples_of(study.only(pair), "test_error"), pair).values()
        if tests := dict.fromkeys(filter(None, (estimate(*side).test for side in sides))):
            yield f"Two boosters on one data set are compared by: {'; '.join(tests)}."
    every = [record.versions for of in records.values() for record in of]
    shown = dict.fromkeys(f"{n} {its[n]}" for n in _VERSIONS for its in every if n in its)
    yield f"Versions: {', '.join(shown)}."


def _split_in_words(given: Mapping[str, Any]) -> str:
    """Return the division of a data set in words."""
    other = given.get("otherwise")
    none = f" or, where none is, {_split_in_words(other)}" if other else ""
    ways = {
        "official": f"as supplied with the data{none}",
        "holdout": f"{100 * given.get('holdout', 0):g} % of the samples at random for testing",
        "shuffle": "drawn at random in the sizes supplied with the data",
        "folds": f"{given.get('folds')}-fold cross-validation",
    }
    words = [text for way, text in ways.items() if given.get(way)]
    words += ["in equal shares of the classes"] if given.get("stratify") else []
    words += ["one more fold for validation"] if given.get("validation") else []
    limits = {"max_rows": "samples", "max_train": "training samples", "max_test": "test samples"}
    words += [f"at most {given[key]:,} {noun}" for key, noun in limits.items() if given.get(key)]
    return ", ".join(words)
