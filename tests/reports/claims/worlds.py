"""Synthetic results to judge claims on. Errors are in per mille of 10,000 test samples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from boostbench.experiments.configs.entries import DataSet
from boostbench.experiments.runs import CLEAN, BoosterSpec, Data, Noise, Params, Run
from boostbench.reports.values.frame import Study, collect
from tests.reports.claims.stating import with_claims
from tests.reports.synthetic import make_config, plan_of

NOISY = Noise("exchange", 0.2)
#: Errors at T = 10 and at T = 100.
ERRORS = {
    "mh": {"a": (100, 60), "b": (120, 80), "c": (90, 70), "d": (200, 150)},
    "samme": {"a": (110, 55), "b": (130, 85), "c": (95, 75), "d": (210, 160)},
    "sm": {"a": (150, 50), "b": (160, 78), "c": (140, 72), "d": (190, 150)},
}
#: More data sets for ranks: sm is first on all, samme last on e and f.
MORE = {
    "mh": dict.fromkeys("efgh", (100, 60)),
    "samme": {**dict.fromkeys("ef", (110, 80)), **dict.fromkeys("gh", (110, 55))},
    "sm": dict.fromkeys("efgh", (150, 40)),
}
INCREASE = {"mh": 40, "samme": 50, "sm": 10}
#: Deviations of the error of sm from its mean, by data set and seed.
JITTER = {
    "a": (0, 1, -1, 2, -2, 0, 1, -1),
    "b": (9, -9, 6, -6, 3, -3, 12, -12),
    "c": (0, 0, 1, -1, 0, 0, 1, -1),
    "d": (0,) * 8,
}


def errors_of(run: Run) -> list[int]:
    """Return the error counts of a run, round by round."""
    early, late = (ERRORS[run.booster.name] | MORE[run.booster.name])[run.data.name]
    more = INCREASE[run.booster.name] * (run.noise != CLEAN)
    shared = 5 * run.seed
    if run.booster.name == "sm":
        shared += JITTER.get(run.data.name, JITTER["d"])[run.seed]
    return [10 * (early + more + shared)] * 50 + [10 * (late + more + shared)] * 50


def world(folder: Path, name: str, *claims: dict[str, Any]) -> Study:
    """Return a study: ``single`` runs, ``repeats`` of 8 seeds, or either with ``gaps``.

    ``repeats`` draw new data for each seed, ``sets`` are more data sets.
    """
    path = folder / "tiny.yaml"
    path.write_text("name: tiny\n", encoding="utf-8")
    config = make_config(
        folder,
        datasets=list("abcdefgh" if "sets" in name else "abcd"),
        boosters=[BoosterSpec(booster, label=booster) for booster in ERRORS],
        noise=(CLEAN, NOISY),
        seeds=8 if "repeats" in name else 1,
    )
    if "repeats" in name:
        drawn = [Data(d.data.name, Params({"n": 1}), label=d.data.name) for d in config.datasets]
        config = config.model_copy(update={"datasets": tuple(DataSet(data=data) for data in drawn)})
    config = with_claims(config, *claims)
    gaps = {"a/sm/clean/seed-0": "timeout: exceeded 30 s", "d/samme/clean/seed-0": "missing"}
    absent, stopped = gaps if "gaps" in name else {}, {"d/mh/clean/*": 40}
    return collect(config, plan_of(config, errors_of, absent=absent, stopped=stopped))
