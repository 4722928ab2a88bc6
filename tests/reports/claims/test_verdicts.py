"""Verdict, reasons and evidence of every kind of claim on synthetic results, as in verdicts.txt.

``python -m tests.reports.claims.test_verdicts`` rewrites the file with the current verdicts, to be
reviewed before a commit.
"""

from pathlib import Path

import pytest
import yaml

from boostbench import registry
from boostbench.reports.claims.verdicts import (
    STATUSES,
    ClaimView,
    evidence_rows,
    judge,
    verdict_json,
    view_of,
)
from tests.golden import lay_out, parametrized, read_cases, rewrite

from .stating import CONFIGS
from .worlds import world

LIST = Path(__file__).with_name("verdicts.txt")
CASES = read_cases(LIST)
#: Statuses by their words.
HEADLINES = {ClaimView(says="a", verdict=status).verdict: status for status in STATUSES}
PAPER = """\
dataset,method,T,noise,error,unit
a,mh,100,0,6.2,percent
b,mh,100,0,7.0,percent
c,mh,100,0,20,percent
a,sm,100,0.2,6.0,percent
"""


def outcome_of(title, text):
    """Return verdict, reasons and evidence in the format of verdicts.txt."""
    folder, world_name = Path(), title.rpartition(" ")[2]
    (folder / "paper.csv").write_text(PAPER, encoding="utf-8")
    claim = yaml.safe_load(lay_out(text).replace("configs", str(CONFIGS)))
    claim = {"says": "what the paper says", **claim}
    (verdict,) = judge(world(folder, world_name, claim))
    rows = [" | ".join(f"{key}: {cell}" for key, cell in r.items()) for r in evidence_rows(verdict)]
    view = view_of(verdict)
    return "\n".join([view.verdict, *(f"- {reason}" for reason in view.reasons), *rows])


@parametrized(LIST)
def test_the_verdict_on_a_claim(title, given, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert outcome_of(title, given) == expected


def test_every_kind_is_judged_true_false_and_undecided():
    seen = {}
    for _, text, expected in CASES:
        kind, status = text.partition(":")[0], HEADLINES[expected.partition("\n")[0]]
        here = {"reproduced": True, "not reproduced": False}.get(status, status[:4] == "true")
        seen.setdefault(kind, set()).add(None if status == "undecided" else here)
    builtin = {
        name for name in registry.claims.names() if "boostbench" in registry.claims.module(name)
    }
    assert set(seen) >= builtin
    lacking = {kind: {True, False, None} - answers for kind, answers in seen.items()}
    assert {kind: answers for kind, answers in lacking.items() if answers} == {}


def test_both_answers_are_told_apart():
    assert {expected.partition("\n")[0] for *_, expected in CASES} == set(HEADLINES)


def test_a_verdict_is_json(tmp_path):
    claim = {"says": "a", "compares": {"booster": "sm", "lower_than": "mh", "noise": "clean"}}
    (verdict,) = judge(world(tmp_path, "repeats", claim))
    row = verdict_json(verdict)
    assert (row["verdict"], row["kind"]) == ("not reproduced", "compares")
    case = row["cases"][0]
    assert case["difference"] == pytest.approx(-0.010)
    assert case["interval"] == pytest.approx([-0.0112, -0.0088], abs=2e-4)
    assert (case["n"], case["planned"], case["state"]) == (8, 8, "holds")


if __name__ == "__main__":
    rewrite(LIST, outcome_of)
