"""`boostbench list` and `boostbench show`."""

import re

import pytest

from boostbench.cli.docstrings import parameters_of, sections_of
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
        assert len(row.get("summary", "a summary.")) >= 10, row
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
    assert "subsample: float, default 1.0" in out
    assert "Geist 2015" in out
    assert ">>> SMBoost(" in out
    assert "random_state" not in out.partition("paper:")[0].partition("parameters:")[2]
    assert ".. math::" not in out


def test_a_name_in_print_is_understood(boostbench):
    err = boostbench("show", "filtered AdaBoost.MH").err
    assert "unknown name 'filtered AdaBoost.MH'; did you mean 'filter-and-refit'?" in err


def test_a_data_set_is_shown_with_its_sizes(boostbench):
    shown = boostbench("show", "iris", "--json").json
    assert (shown["n_rows"], shown["n_features"], shown["n_classes"]) == (150, 4, 3)
    assert boostbench("show", "statlog-landsat", "--json").json["name"] == "satimage"  # an alias


class Documented:
    """Say it.

    More, with :math:`x` and ``code``:

    .. math::
        x = 1

    Parameters
    ----------
    a, b : int, default=3
        Two numbers.
    c : str
        Text
        over two lines.

    References
    ----------
    Somebody 1999.
    """

    def __init__(self, a=3, b=3, *, c, d=None, **rest):
        pass


def test_a_docstring_is_taken_apart():
    sections = sections_of(Documented)
    assert list(sections) == ["", "Parameters", "References"]
    assert sections[""] == "Say it.\n\nMore, with x and code:\n\n    x = 1"
    assert sections["References"] == "Somebody 1999."


def test_parameters_are_those_of_the_signature():
    parameters = {p["name"]: p for p in parameters_of(Documented)}
    assert list(parameters) == ["a", "b", "c", "d"]
    assert parameters["a"]["type"] == "int"
    assert parameters["a"]["default"] == 3
    assert parameters["c"]["required"]
    assert parameters["c"]["description"] == "Text\nover two lines."
    assert parameters["d"]["description"] == ""


def test_options_of_a_claim_have_their_names_in_configs(boostbench):
    out = boostbench("show", "compares").out
    assert "\n  except: tuple of dict, default ()\n      Excluded cells.\n" in out
    assert "Number or share of the cases of each group that must hold." in out
