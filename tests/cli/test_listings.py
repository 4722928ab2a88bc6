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
