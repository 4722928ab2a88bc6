"""Thresholds that were changed after their results were seen."""

import dataclasses
import json
from datetime import date

import pytest

from boostbench.errors import BoostbenchError
from boostbench.reports.claims import judge
from boostbench.reports.claims.history import HISTORY, ClaimHistory
from boostbench.reports.experiment_report import make_report

from .worlds import world

DAY, LATER = date(2026, 11, 1), date(2026, 11, 22)


def claim(n, says="sm wins", **more):
    return {"says": says, "compares": {"booster": "sm", "lower_than": "mh", "at_least": n, **more}}


def noted(folder, *claims, day=DAY, name="single"):
    """Note claims as one more report; return the changes in words."""
    history = ClaimHistory(folder)
    changes = history.note(judge(world(folder, name, *claims)), today=day)
    (folder / HISTORY).write_text(history.text(), encoding="utf-8")
    return [[change.text for change in its] for its in changes]


def test_a_threshold_that_stays_is_not_marked(tmp_path):
    assert noted(tmp_path, claim(2)) == [[]]
    before = (tmp_path / HISTORY).read_bytes()
    assert noted(tmp_path, claim(2), day=LATER) == [[]]
    assert (tmp_path / HISTORY).read_bytes() == before


def test_a_changed_threshold_is_marked_for_good_with_date_old_and_new(tmp_path):
    noted(tmp_path, claim(2, by="5%"))
    (marks,) = noted(tmp_path, claim(1, by="1%"), day=LATER)
    words = "changed after its results were seen, 2026-11-22"
    assert marks == [f"{words}: at_least 2 → 1, by 0.05 → 0.01"]
    (marks,) = noted(tmp_path, claim(1, by="1%", says="in other words"), day=date(2027, 1, 1))
    assert len(marks) == 1
    assert "2026-11-22" in marks[0]


def test_it_may_be_changed_before_there_are_results(tmp_path):
    study = world(tmp_path, "single", claim(2))
    empty = dataclasses.replace(study, results=())
    history = ClaimHistory(tmp_path)
    history.note(judge(empty), today=DAY)
    (tmp_path / HISTORY).write_text(history.text(), encoding="utf-8")
    assert noted(tmp_path, claim(1), day=LATER) == [[]]


def test_claims_that_are_alike_but_for_their_numbers_are_told_apart(tmp_path):
    noted(tmp_path, claim(1, says="weak"), claim(3, says="strong"))
    found = noted(tmp_path, claim(3, says="strong"), claim(2, says="weak"), day=LATER)
    assert found[0] == []
    assert found[1] == ["changed after its results were seen, 2026-11-22: at_least 1 → 2"]


def test_a_claim_that_is_taken_out_and_put_back_is_the_same(tmp_path):
    noted(tmp_path, claim(3))
    noted(tmp_path, claim(1, datasets=["a", "b"]), day=LATER)
    assert len(noted(tmp_path, claim(2), day=LATER)[0]) == 1


def test_the_page_shows_the_mark(tmp_path):
    for n in (3, 2):
        study = world(tmp_path, "single", claim(n))
        table_alone = study.config.model_copy(update={"report": study.config.report[:1]})
        make_report(dataclasses.replace(study, config=table_alone)).write(tmp_path / "out")
    for name in ("claims.md", "report.html", "summary.json"):
        assert "changed after its results were seen" in (tmp_path / "out" / name).read_text(
            encoding="utf-8"
        )


@pytest.mark.parametrize("text", ["", "[]", '{"claims": [{"says": 1}]}', "{"])
def test_a_damaged_history_is_named(tmp_path, text):
    (tmp_path / HISTORY).write_text(text, encoding="utf-8")
    with pytest.raises(BoostbenchError, match="is not the history of a report's claims"):
        ClaimHistory(tmp_path)


def test_the_history_holds_no_secret_of_the_machine(tmp_path):
    (tmp_path / "paper.csv").write_text(
        "dataset,method,T,noise,error,unit\na,mh,100,0,6.2,percent\n", encoding="utf-8"
    )
    noted(tmp_path, {"says": "met", "matches_paper": {"paper": "paper.csv", "noise": "clean"}})
    text = (tmp_path / HISTORY).read_text(encoding="utf-8")
    assert str(tmp_path) not in text
    assert "0x" not in text
    assert json.loads(text)["format"] == 1
