"""Claims that were changed after their results were seen."""

import dataclasses
import json
from datetime import date

import pytest

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.file import load_config
from boostbench.reports.claims import judge
from boostbench.reports.claims.history import HISTORY, ClaimHistory
from boostbench.reports.experiment_report import make_report
from boostbench.reports.values.frame import Study

from .stating import CONFIGS
from .worlds import world

DAY, LATER = date(2026, 11, 1), date(2026, 11, 22)
CHANGED = "changed after its results were seen, 2026-11-22"


def claim(n, says="sm wins", origin="ours", **more):
    words = {"says": says, "origin": origin, "section": "Sec. 1", "quote": "it wins"}
    return {**words, "compares": {"booster": "sm", "lower_than": "mh", "at_least": n, **more}}


def noted(folder, *claims, day=DAY, name="single"):
    """Record claims as a further report; return the marks of each."""
    history = ClaimHistory(folder)
    verdicts = history.note(judge(world(folder, name, *claims)), today=day)
    (folder / HISTORY).write_text(history.text(), encoding="utf-8")
    return [verdict.marks for verdict in verdicts]


def reported(study):
    """Return the report of a study, with one table and no figures."""
    config = study.config.model_copy(update={"report": study.config.report[:1]})
    return make_report(dataclasses.replace(study, config=config))


def withdrawn(folder):
    return [(past.says, past.withdrawn) for past in ClaimHistory(folder).withdrawn]


def test_a_claim_that_stays_is_not_marked(tmp_path):
    assert noted(tmp_path, claim(2)) == [()]
    before = (tmp_path / HISTORY).read_bytes()
    assert noted(tmp_path, claim(2), day=LATER) == [()]
    assert (tmp_path / HISTORY).read_bytes() == before


def test_a_changed_threshold_is_marked_for_good_with_date_old_and_new(tmp_path):
    noted(tmp_path, claim(2, by="5%"))
    (marks,) = noted(tmp_path, claim(1, by="1%"), day=LATER)
    assert marks == (f"{CHANGED}: at_least 2 → 1, by 0.05 → 0.01",)
    (marks,) = noted(tmp_path, claim(1, by="1%", says="in other words"), day=date(2027, 1, 1))
    assert marks == (f"{CHANGED}: at_least 2 → 1, by 0.05 → 0.01",)


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (claim(2, origin="paper"), "origin ours → paper"),
        (claim("most"), "at_least 2 → most"),
        (claim(2, datasets=["a", "b"]), "datasets not given → ['a', 'b']"),
        (claim(2, lower_than=["mh", "samme"]), "lower_than + ['samme']"),
    ],
    ids=["origin", "rule", "data-sets", "boosters"],
)
def test_whatever_else_is_changed_is_marked_too(tmp_path, after, words):
    noted(tmp_path, claim(2))
    assert noted(tmp_path, after, day=LATER) == [(f"{CHANGED}: {words}",)]


def test_it_may_be_changed_before_there_are_results(tmp_path):
    study = world(tmp_path, "single", claim(2), claim(1, says="gone"))
    empty = dataclasses.replace(study, results=())
    history = ClaimHistory(tmp_path)
    history.note(judge(empty), today=DAY)
    (tmp_path / HISTORY).write_text(history.text(), encoding="utf-8")
    late = claim(3, says="late", datasets=["a", "b", "c"])
    assert noted(tmp_path, claim(1), late, day=LATER) == [(), ()]
    assert withdrawn(tmp_path) == []


def test_claims_that_are_alike_but_for_their_numbers_are_told_apart(tmp_path):
    noted(tmp_path, claim(1, says="weak"), claim(3, says="strong"))
    found = noted(tmp_path, claim(3, says="strong"), claim(2, says="weak"), day=LATER)
    assert found == [(), (f"{CHANGED}: at_least 1 → 2",)]


def test_a_claim_that_is_new_after_results_were_seen_is_marked(tmp_path):
    noted(tmp_path, claim(2))
    other = {"says": "samme wins", "compares": {"booster": "samme", "lower_than": "mh"}}
    for day in (LATER, date(2027, 1, 1)):
        found = noted(tmp_path, claim(2), other, day=day)
        assert found == [(), ("stated after results were seen, 2026-11-22",)]


def test_a_claim_that_is_taken_out_is_named_until_it_is_put_back(tmp_path):
    noted(tmp_path, claim(3), claim(2, says="others", lower_than="samme"))
    for day in (LATER, date(2027, 1, 1)):
        noted(tmp_path, claim(2, says="others", lower_than="samme"), day=day)
        assert withdrawn(tmp_path) == [("sm wins", "2026-11-22")]
    found = noted(tmp_path, claim(2, says="others", lower_than="samme"), claim(2), day=LATER)
    assert found == [(), (f"{CHANGED}: at_least 3 → 2",)]
    assert withdrawn(tmp_path) == []


def test_a_new_folder_begins_with_the_history_beside_the_config(tmp_path):
    noted(tmp_path, claim(2))
    noted(tmp_path, claim(1), day=LATER)
    (tmp_path / HISTORY).rename(tmp_path / f"tiny-{HISTORY}")
    study = world(tmp_path, "single", claim(1))
    reported(study).write(tmp_path / "out")
    assert f"{CHANGED}: at\\_least 2" in (tmp_path / "out" / "claims.md").read_text("utf-8")
    (tmp_path / f"tiny-{HISTORY}").unlink()
    reported(study).write(tmp_path / "out")
    assert CHANGED in (tmp_path / "out" / "claims.md").read_text("utf-8")


def test_the_page_shows_the_marks(tmp_path):
    for claims in ([claim(3), claim(1, says="gone", lower_than="samme")], [claim(2)]):
        reported(world(tmp_path, "single", *claims)).write(tmp_path / "out")
    for name in ("claims.md", "report.html", "summary.json"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert "changed after its results were seen" in text
        assert ("withdrawn after its results were seen" in text) == (name != "summary.json")


@pytest.mark.parametrize(
    "path", sorted(CONFIGS.rglob(f"*-{HISTORY}")), ids=lambda path: path.name.removesuffix(HISTORY)
)
def test_a_shipped_history_is_that_of_its_config(tmp_path, path):
    config = load_config(path.with_name(path.name.removesuffix(f"-{HISTORY}") + ".yaml"))
    history = ClaimHistory(tmp_path, config.path)
    before = list(history.claims)
    history.note(judge(Study(config, ())))
    assert [(past.terms, past.marks) for past in history.claims] == [
        (past.terms, past.marks) for past in before
    ]


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
    assert json.loads(text)["format"] == 2
