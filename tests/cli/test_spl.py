"""The self-paced paper's experiments on generated data, from run to verdict."""

from pathlib import Path

CONFIGS = Path(__file__).resolve().parents[2] / "configs/spl-boosting"


def test_losses_and_weights_are_drawn_and_judged(boostbench, tmp_path):
    config = CONFIGS / "figures1-2.yaml"
    few = ["--size", "quick", "--set", "seeds=2", "--set", "rounds=4", "--set", "checkpoints=[4]"]
    assert boostbench("run", config, *few, "--executor", "inline").code == 0
    assert boostbench("report", config, *few).code == 0
    folder = tmp_path / "results/spl-boosting-figures1-2-quick"
    for name in ("figure1.pdf", "figure2.png", "weight-on-noise.png", "table.md", "report.html"):
        assert (folder / name).stat().st_size > 0
    verdicts = boostbench("verify", config, *few, "--json").json
    about_losses = [row["verdict"] for row in verdicts if "Loss" in row["kind"]]
    assert about_losses == ["reproduced"] * 10
