"""Made-up experiments: configs and records of the real shape, without training anything."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.entries import DataSet
from boostbench.experiments.configs.fields import Setting
from boostbench.experiments.configs.kind_options import read_parts
from boostbench.experiments.planning.plans import Result
from boostbench.experiments.runs import CLEAN, BoosterSpec, Data, Noise, Run
from boostbench.experiments.store.record import Record
from boostbench.reports.figures.style import drawing_style
from boostbench.reports.values.frame import Study, collect

EXCHANGE = Noise("exchange", 0.2)
DEFAULT = (("table", {}), ("curves", {}))
N_TEST = {"dna": 1186, "letter": 5000, "segment": 700, "vowel": 462}
N_TEST |= dict.fromkeys("abcdefgh", 10_000)


def make_result(
    run: Run, status: str = "ok", reason: str = "", record: Mapping[str, Any] | None = None
) -> Result:
    """Return what a plan says of a run."""
    checked = None if record is None else Record.model_validate(record)
    return Result.read(run, status, reason, checked)


def make_config(
    folder: Path,
    *,
    datasets: Sequence[str | DataSet] = ("dna", "letter"),
    boosters: Sequence[str | BoosterSpec] = ("adaboost-mh", "samme", "sm-boost"),
    noise: Sequence[Noise] = (CLEAN,),
    rounds: int = 100,
    checkpoints: Sequence[int] = (10, 100),
    seeds: int = 1,
    report: Sequence[tuple[str, dict[str, Any]]] = (("table", {}), ("curves", {})),
    **more: Any,
) -> Config:
    """Return a config as `load_config` would, without asking the catalog."""
    path = folder / "tiny.yaml"
    if not path.exists():
        path.write_text("name: tiny\ndatasets: [dna, letter]  # <made up>\n")
    config = Config.model_construct(
        **{
            "name": "tiny",
            "path": path,
            "datasets": tuple(
                d if isinstance(d, DataSet) else DataSet(data=Data(d, label=d)) for d in datasets
            ),
            "boosters": tuple(
                b if isinstance(b, BoosterSpec) else BoosterSpec(b, label=b) for b in boosters
            ),
            "noise": tuple(noise),
            "rounds": rounds,
            "checkpoints": tuple(checkpoints),
            "seeds": tuple(range(seeds)),
            **more,
        }
    )
    parts = read_parts([{kind: options} for kind, options in report or DEFAULT], reading(config))
    return config.model_copy(update={"report": parts})


def reading(config: Config, *without: str) -> Any:
    """Return what a validator of a key gets when the other keys are valid."""
    data = {key: value for key, value in config if key not in without}
    return SimpleNamespace(context={"setting": Setting((config.path,))}, data=data)


def made(kind: str, study: Study, **options: Any) -> Any:
    """Return the table or figure that a report makes of options as a config has them."""
    (part,) = read_parts([{kind: options}], reading(study.config))
    return part.options.function(study, **part.options.arguments())


def make_record(
    run: Run, errors: Callable[[Run], Any] | None = None, *, n_rounds: int | None = None
) -> dict[str, Any]:
    """Return the record of a run that went well.

    ``errors`` gives the test error counts, one per round.
    """
    n_rounds = run.rounds if n_rounds is None else n_rounds
    n_test = N_TEST.get(run.dataset, 1000)
    counts = np.asarray((errors or falling)(run))[:n_rounds].tolist()
    train = [count // 3 for count in counts]
    return {
        "format": 1,
        "key": f"0123456789abcdef-{run.rounds}-c0dec0de-aaaaaaaa",
        "run": run.value(),
        "status": "ok",
        "error": None,
        "stop_reason": "" if n_rounds == run.rounds else "no edge",
        "n_rounds": n_rounds,
        "n_train": 2000,
        "n_test": n_test,
        "n_classes": 3,
        "n_features": 10,
        "seconds": {"load": 0.1, "warm_up": 0.0, "fit": 1.5, "predict": 0.01},
        "round_zero": {"train_errors": 900, "train_errors_clean": 900, "test_errors": n_test // 2},
        "noise": None,
        "curves": {
            "train_errors": train,
            "train_errors_clean": train,
            "loss": [None, *np.exp(-np.arange(1, n_rounds) / 9)][:n_rounds],
            "test_errors": counts,
        },
        "at_checkpoints": {"right": right_of(counts, n_test)},
        "peak_memory_mb": 123.4,
        "versions": {"python": "3.11.7", "boostbench": "0.1.0", "numpy": "2.4.6"},
        "host": {"system": "Linux x86_64", "cpu": "A <fast> CPU", "cpus": 2},
        "threads": {"openblas": 1, "numba": 1},
        "started": "2026-10-01T10:00:00+00:00",
        "finished": "2026-10-01T10:00:02+00:00",
    }


def right_of(counts: Sequence[int], n_test: int) -> dict[str, str]:
    """Return which test samples are right, as records keep it: the first ones are wrong."""
    kept = [T for T in (1, 2, 5, 10, 20, 50, 100, 150, len(counts)) if 1 <= T <= len(counts)]
    return {
        str(T): base64.b64encode(np.packbits(np.arange(n_test) >= counts[T - 1])).decode()
        for T in kept
    }


def make_failure(run: Run, status: str, message: str, log: Sequence[str] = ()) -> dict[str, Any]:
    """Return the record of a run that went wrong."""
    record = make_record(run)
    for key in ("curves", "n_rounds", "n_test", "n_train", "seconds", "stop_reason", "round_zero"):
        del record[key]
    error = {"kind": "ValueError", "message": message, "log_tail": list(log)}
    return {**record, "status": status, "error": error}


def runs_of(config: Config) -> list[Run]:
    """Return the runs of a config, seeds outermost as in `expand`."""
    return [
        Run(
            entry.data,
            entry.split or config.split,
            noise,
            entry.adapted(booster),
            booster.rounds or entry.rounds or config.rounds,
            seed,
        )
        for seed, noise, entry, booster in itertools.product(
            config.seeds, config.noise, config.datasets, config.boosters
        )
    ]


def plan_of(
    config: Config,
    errors: Callable[[Run], Any] | None = None,
    *,
    stopped: Mapping[str, int] = MappingProxyType({}),
    absent: Mapping[str, str] = MappingProxyType({}),
) -> list[Result]:
    """Return planned runs with records.

    ``stopped`` gives the last round and ``absent`` the status with its reason, such as "skipped: no
    file", by patterns of the run's id.
    """
    planned = []
    for run in runs_of(config):
        last, gone = (_told_of(run, told) for told in (stopped, absent))
        if gone is None:
            planned.append(make_result(run, record=make_record(run, errors, n_rounds=last)))
        else:
            status, _, reason = gone.partition(": ")
            is_made = status not in ("missing", "skipped", "stale", "unplanned")
            record = make_failure(run, status, reason, [f"log of {run.id}"]) if is_made else None
            planned.append(make_result(run, status, reason, record))
    return planned


def _told_of(run: Run, told: Mapping[str, Any]) -> Any:
    return next((value for pattern, value in told.items() if fnmatch(run.id, pattern)), None)


def study_of(config: Config, *args: Any, **options: Any) -> Study:
    """Return the study of a config, see `plan_of`."""
    return collect(config, plan_of(config, *args, **options))


def with_records(study: Study, change: Callable[[Result], dict[str, Any]]) -> Study:
    """Return a study with some fields of its records changed, given by name for each result."""
    results = [
        replace(r, record=r.record and r.record.model_copy(update=change(r))) for r in study.results
    ]
    return Study(study.config, tuple(results))


def falling(run: Run) -> list[int]:
    """Return error counts that fall with the round, different for each run."""
    n = N_TEST.get(run.dataset, 1000)
    order = {"adaboost-mh": 1.0, "samme": 1.2, "sm-boost": 1.1}.get(run.booster.name, 1.3)
    level = order * (1.5 if run.noise != CLEAN else 1.0)
    t = np.arange(1, run.rounds + 1)
    wobble = 0.004 * np.sin(7 * run.seed + t / (3 + run.seed))
    return np.round(n * (level * (0.05 + 0.35 / np.sqrt(t)) + wobble)).astype(int).tolist()


def drawn(draw: Callable[..., Figure], study: Study, **options: Any) -> Figure:
    """Return a figure in the style of reports, laid out as in its files."""
    with drawing_style():
        figure = draw(study, **options)
        figure.draw_without_rendering()
    return figure
