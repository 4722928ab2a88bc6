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


def test_a_generator_has_no_name_or_other_name_of_the_catalog(boostbench):
    for name in ("breast-cancer", "wdbc"):
        said = f"there is a dataset {name!r} already; choose another name"
        assert boostbench("new", "dataset", name).err == f"boostbench: {said}\n"


def test_equal_problems_of_a_plugin_are_one_line(boostbench, tmp_path):
    (tmp_path / "bad.py").write_text("def bad(y, n_classes, rng, X):\n    return nothing\n")
    outcome = boostbench("check", "bad.py:bad")
    assert outcome.code == 1
    problem = "NameError: name 'nothing' is not defined (bad.py:2 in bad)"
    lines = outcome.out.splitlines()
    assert [problem in line for line in lines] == [False, True, False]
    assert lines[-1] == "1 of 1 failed"
