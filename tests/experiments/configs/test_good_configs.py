"""Settings and runs of each config of good_configs.txt are exactly those written there.

``python -m tests.experiments.configs.test_good_configs`` rewrites the list, to be reviewed before a
commit.
"""

import json
import re
from pathlib import Path

from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand, select
from boostbench.inputs import load_plugin
from tests.experiments.conftest import TOYS
from tests.golden import lay_out, parametrized, rewrite

LIST = Path(__file__).with_name("good_configs.txt")


def runs_of(title, given):
    """Return name, checkpoints and limits of a config, and a line for each of its runs."""
    Path("good.yaml").write_text(lay_out(given), encoding="utf-8")
    size = re.search(r"--size (\S+)", title)
    overrides = re.findall(r"--set (\S+)", title)
    config = load_config("good.yaml", overrides, size=size[1] if size else None)
    limits = {name: limit for name, limit in vars(config.limits).items() if limit is not None}
    lines = [f"{config.name}: checkpoints {list(config.checkpoints)}, limits {limits}"]
    for run in select(expand(config), re.findall(r"--only (\S+)", title)):
        told = {key: x for key, x in run.value().items() if x and key not in ("rounds", "seed")}
        lines.append(f"{run.id}, T = {run.rounds}: {json.dumps(told)}")
    return "\n".join(lines)


@parametrized(LIST)
def test_a_config_stands_for_its_runs(title, given, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert runs_of(title, given) == expected


if __name__ == "__main__":
    load_plugin(TOYS)
    rewrite(LIST, runs_of)
