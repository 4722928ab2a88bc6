"""`boostbench list` and `boostbench show`."""

import re

import pytest

from boostbench.cli.names import KINDS, names_of


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_listed_and_each_of_its_names_shown(boostbench, kind):
    table = boostbench("list", kind)
    rows = boostbench("list", kind, "--json").json
    assert (table.code, table.err) == (0, "")
    assert len(table.out.splitlines()) == len(rows) + 1
    assert {row["name"] for row in rows} <= set(names_of(kind))
    assert rows
    for row in rows:
        assert row["name"] in table.out
        assert len(row.get("summary", "a summary.")) >= (7 if kind == "metrics" else 10), row
        outcome = boostbench("show", row["name"], "--json")
        if re.search(r"needs the package '\w+', which is not installed", outcome.err):
            assert outcome.code == 2
            continue
        assert outcome.code == 0, outcome.err
        shown = outcome.json if isinstance(outcome.json, list) else [outcome.json]
        assert (row["name"], kind) in [(what["name"], what["kind"]) for what in shown]


def test_a_booster_is_shown_with_its_parameters_paper_and_example(boostbench):
    out = boostbench("show", "sm-boost").out
    assert out.startswith("sm-boost (boosters)\n")
    assert "python: boostbench.boosters.sm_boost.SMBoost" in out
    assert "  subsample: 1.0\n" in out
    assert "subsample : float, default=1.0" in out
    assert "Geist 2015" in out
    assert ">>> SMBoost(" in out
    assert "weak_learner : " in out  # a parameter of all boosters
    assert ".. math::" not in out


def test_a_data_set_is_shown_with_its_sizes(boostbench):
    shown = boostbench("show", "iris", "--json").json
    assert (shown["n_rows"], shown["n_features"], shown["n_classes"]) == (150, 4, 3)
    assert boostbench("show", "statlog-landsat", "--json").json["name"] == "satimage"  # an alias


def test_options_of_a_claim_have_their_names_in_configs(boostbench):
    out = boostbench("show", "compares").out
    assert "\n  except\n" in out
    assert "Excluded cells." in out
    assert "Number or share of the cases of each group that must hold." in out
