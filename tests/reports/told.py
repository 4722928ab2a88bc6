"""Made-up experiments in words, as in experiments.yaml and in the lists of what is shown of them.

Beside keys of a config they have what the runs did: test `errors` among 1,000 samples (or as many
as a known data set has), and `recorded` further fields and curves; some are `absent` (with
a status, or unplanned) or `stopped`.
Values may be expressions in what tells runs apart, by booster or data set.
"""

from pathlib import Path

import numpy as np
import yaml

from boostbench.experiments.configs.entries import DataSet
from boostbench.experiments.runs import CLEAN, BoosterSpec, Data, Noise, Params
from boostbench.experiments.store.record import Record
from boostbench.registry import name_and_options
from boostbench.reports.values.frame import Study

from .claims.stating import with_claims
from .synthetic import falling, make_config, study_of, with_records

EXPERIMENTS = yaml.safe_load(Path(__file__).with_name("experiments.yaml").read_text("utf-8"))
NUMBERS = int | float | np.ndarray


def study_told(of="", folder=Path(), **told):
    """Return a study of experiments.yaml, with further keys or others."""
    return _study(folder, **{**EXPERIMENTS.get(of, {}), **told})


def _study(folder, errors=None, recorded=None, absent=None, stopped=None, claims=(), **keys):
    entries = {
        "datasets": [read_data(each) for each in keys.pop("datasets")],
        "boosters": [read_booster(each) for each in keys.pop("boosters")],
        "noise": [read_noise(each) for each in keys.pop("noise", ["clean"])],
    }
    if "split" in keys:
        keys["split"] = Params(keys["split"])
    config = with_claims(make_config(folder, **entries, **keys), *claims)

    def counts_of(run):
        counts = value_for(run, errors)
        return counts if np.ndim(counts) else [counts] * run.rounds

    def recorded_by(result):
        values = {name: value_for(result.run, told) for name, told in recorded.items()}
        fields = {name: values.pop(name) for name in recorded if name in Record.model_fields}
        told = {name: value for name, value in values.items() if isinstance(value, NUMBERS)}
        curves = {name: np.full(result.run.rounds, value) for name, value in told.items()}
        return {**fields, "curves": {**result.record.curves, **curves}}

    of_runs = falling if errors is None else counts_of
    study = study_of(config, of_runs, stopped=stopped or {}, absent=absent or {})
    planned = tuple(result for result in study.results if result.status != "unplanned")
    study = Study(config, planned)
    return with_records(study, recorded_by) if recorded else study


def read_data(entry):
    name, options = name_and_options(entry, "data set")
    return DataSet(data=Data(name, label=options.pop("as", name)), **options)


def read_booster(entry):
    """Return a booster; a label alone is its name with or without a variant in brackets."""
    label, options = name_and_options(entry, "booster")
    label, rounds = options.pop("label", label), options.pop("rounds", None)
    name = options.pop("name", label.partition(" (")[0])
    return BoosterSpec(name, Params(options), label=label, rounds=rounds)


def read_noise(entry):
    """Return a noise such as "exchange 0.2", with parameters after a colon."""
    label, params = name_and_options(entry, "noise")
    model, _, rate = label.partition(" ")
    return CLEAN if label == "clean" else Noise(model, yaml.safe_load(rate), Params(params))


def value_for(run, told):
    """Return what is told of a run: of all, by booster or data set, as an expression or not."""
    for name in (run.method, run.dataset):
        told = told.get(name, told) if isinstance(told, dict) else told
    names = {"seed": run.seed, "rate": run.noise.rate, "dataset": run.dataset}
    names["t"] = np.arange(1, run.rounds + 1)
    return eval(told, names) if isinstance(told, str) else told
