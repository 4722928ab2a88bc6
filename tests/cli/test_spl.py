"""The self-paced paper's experiments on generated data, from run to verdict."""

import shutil
from pathlib import Path

CONFIGS = Path(__file__).resolve().parents[2] / "configs/spl-boosting"
RANKED = """\
name: ranked
datasets:
  - two-norm: {n_train: 60, n_test: 100}
  - ring-norm: {n_train: 60, n_test: 100}
split: official
noise: [none, {model: flip, rate: 0.2}]
boosters:
  - adaboost: {weak_learner: stump}
  - splboost: {label: hard, weak_learner: stump, grid: {age: [1.5, 3]}}
  - splboost: {label: linear, weak_learner: stump, regulariser: linear, grid: {age: [1.5, 3]}}
select: {by: {folds: 2, stratify: true}, rounds: true}
rounds: 6
seeds: 3
report:
  - noise
  - rank_shares.py:ranks: {name: ranks}
  - rank_shares.py:ranks: {name: by-noise, panels: noise}
  - critical-difference
  - table: {columns: booster, at: end}
claims:
  - says: one of them is first
    ranks_within: {booster: [hard, linear, adaboost], within: 1}
  - says: they are alike
    agrees: {boosters: [hard, linear], within: {points: 90}}
  - says: the self-paced ones are more often first
    ranks.py:RankLeads: {booster: [hard, linear], within: 1}
"""


def test_losses_and_weights_are_drawn_and_judged(boostbench, tmp_path):
    config = CONFIGS / "figures1-2.yaml"
    few = ["--size", "quick", "--set", "seeds=2", "--set", "rounds=4", "--set", "checkpoints=[4]"]
    assert boostbench("run", config, *few, "--executor", "inline").code == 0
    assert boostbench("report", config, *few).code == 0
    folder = tmp_path / "results/spl-boosting-figures1-2-quick"
    for name in ("figure1.svg", "figure2.png", "weight-on-noise.png", "table.md", "report.html"):
        assert (folder / name).stat().st_size > 0
    verdicts = boostbench("verify", config, *few, "--json").json
    about_losses = [row["verdict"] for row in verdicts if "Loss" in row["kind"]]
    assert about_losses == ["reproduced"] * 10


def test_weights_in_the_plane(boostbench, tmp_path):
    config = CONFIGS / "figure3.yaml"
    few = ["--size", "quick", "--set", "seeds=1", "--set", "rounds=5", "--set", "checkpoints=[5]"]
    few += ["--set", "report=[{weights.py:weights: {columns: 4}}]", "--set", "claims=[]"]
    assert boostbench("run", config, *few, "--executor", "inline").code == 0
    assert boostbench("report", config, *few).code == 0
    assert (tmp_path / "results/spl-boosting-figure3-quick/weights.png").stat().st_size > 0


def test_ranks_of_what_was_chosen(boostbench, tmp_path):
    for name in ("ranks.py", "rank_shares.py"):
        shutil.copy(CONFIGS / name, tmp_path)
    config = tmp_path / "ranked.yaml"
    config.write_text(RANKED)
    assert boostbench("run", config, "--executor", "inline").code == 0
    assert boostbench("report", config).code == 0
    for name in ("noise", "ranks", "by-noise", "critical-difference"):
        assert (tmp_path / f"results/ranked/{name}.png").stat().st_size > 0
    verdicts = boostbench("verify", config, "--json").json
    # Two data sets are too few for a test over data sets.
    assert all(row["verdict"].endswith("could be chance") for row in (verdicts[0], verdicts[2]))
