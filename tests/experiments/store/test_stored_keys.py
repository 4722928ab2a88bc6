"""The code behind the records of users: what a change makes stale is seen before it is released."""

import json
from pathlib import Path

from boostbench import registry
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.configs.shipped import shipped_configs
from boostbench.experiments.planning.grid import expand
from boostbench.experiments.store.identity import PIPELINE, code_fingerprint, code_of, value_of
from boostbench.quantities import QUANTITIES

#: Fingerprints by component, the same for all Python versions, and values of some runs by config.
STORED = Path(__file__).with_name("keys.json")
RENEW = "python -m tests.experiments.store.test_stored_keys"


def keys():
    """Return the fingerprint of each component, and the values of runs of each shipped config."""
    kinds = registry.boosters, registry.weak_learners, registry.noise_models, registry.generators
    found = {"the pipeline of all runs": code_fingerprint(PIPELINE)}
    found["what every run records"] = code_fingerprint(
        *map(registry.quantities.module, QUANTITIES.recorded((), ()))
    )
    names = [(kind, name) for kind in kinds for name in kind.names()]
    names += [(registry.quantities, name) for name, each in QUANTITIES.items() if each.of]
    for kind, name in names:
        if kind.module(name).startswith("boostbench."):
            found[f"{kind.kind} {name}"] = code_fingerprint(*kind.origins(name))
    for name, path in shipped_configs().items():
        runs = expand(load_config(path, ["claims="], check_parameters=False))
        for place in sorted({0, len(runs) // 2, len(runs) - 1} & {*range(len(runs))}):
            found[f"run {place} of {name}"] = value_of(runs[place])
        # files beside a config import from anywhere in the package
        for run in runs:
            named = [run.booster.component, run.noise.component]
            if any(".py:" in part for part in named):
                found[f"{' '.join(Path(part).name for part in named)} in {name}"] = code_of(run)
    return found


def moved():
    """Return the stored keys that the present code does not give, and the number of all."""
    stored, now = json.loads(STORED.read_text(encoding="utf-8")), keys()
    return [name for name, key in stored.items() if now.get(name) != key], len(stored)


def test_no_change_makes_records_stale_unasked():
    names, n = moved()
    assert not names, (
        f"this change makes the records of users stale: {len(names)} of {n} stored keys moved "
        f"({', '.join(names[:8])}{', ...' * (len(names) > 8)}). If it is meant, run `{RENEW}` and "
        "say in the changelog which records become stale"
    )


if __name__ == "__main__":
    STORED.write_text(json.dumps(keys(), indent=1) + "\n", encoding="utf-8")
