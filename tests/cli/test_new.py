"""new and check, as a user types them: what is written runs as it is."""

import pytest


@pytest.mark.parametrize("kind", ["booster", "noise", "dataset", "config"])
def test_what_is_written_runs_and_passes_its_tests(boostbench, kind, tmp_path):
    outcome = boostbench("new", kind, "my-own")
    assert outcome.code == 0, outcome.err
    *_, config = [line for line in outcome.out.splitlines() if not line.startswith("next")]
    ran = boostbench("run", config, "--set", "rounds=2", "--set", "seeds=1", "--executor", "inline")
    assert ran.code == 0, ran.err
    assert " ok in " in ran.out
    if kind != "config":
        assert "my-own" in "".join(str(path) for path in tmp_path.rglob("*.json")) + ran.out + str(
            boostbench("plan", config, "--json").json
        )
        assert outcome.out.splitlines()[-2:] == [
            "next: boostbench check my_own.py",
            "next: boostbench run my_own.yaml",
        ]
        checked = boostbench("check", "my_own.py")
        assert checked.code == 0, checked.out
        assert "my-own" in checked.out.splitlines()[0]
        assert checked.out.splitlines()[-1] == "all passed"
