"""verify and reproduce, as a user types them."""

import json
from pathlib import Path

import pytest

from boostbench.errors import BoostbenchError
from boostbench.reports.overview import write_overview


def test_the_overview_goes_by_importance_and_in_the_order_of_the_papers(tmp_path):
    from boostbench.reports.overview import by_paper

    def summarise(config, paper, part, described):
        found = {"config": config, "title": config, "paper": paper, "part": part, "size": ""}
        found |= {"runs": {"ok": 1, "planned": 1}, "claims": []}
        (tmp_path / config).mkdir()
        text = json.dumps(found | {"described": described})
        (tmp_path / config / "summary.json").write_text(text, encoding="utf-8")

    first = {"name": "First", "place": 1, "order": ["Table 2", "Fig. 9", "Fig. 10", "Table 1"]}
    for part in ("Fig. 10", "Fig. 9", "Fig. 9, again", "Table 1", "Table 2", "Appendix"):
        summarise(part.replace(" ", "-"), "a-first", part, first)
    study = {"name": "A study", "place": 3, "order": ["study-tuned", "study-defaults"]}
    for config in ("study-defaults", "study-tuned"):
        summarise(config, "", "", study)
    summarise("own", "", "", None)
    summarise("second", "b-second", "Fig. 1", {"name": "Second", "place": 2})
    papers = by_paper(tmp_path)
    assert [paper.title for paper, _ in papers.values()] == [
        "First",
        "Second",
        "A study",
        "Other experiments",
    ]
    assert [summary.part for _, summary in papers["a-first"][1]] == [
        "Table 2", "Fig. 9", "Fig. 9, again", "Fig. 10", "Table 1", "Appendix"
    ]  # fmt: skip
    assert [folder for folder, _ in papers["A study"][1]] == ["study-tuned", "study-defaults"]


def test_a_paper_is_its_folder_and_the_configs_that_name_it():
    from boostbench.cli.verify import configs_by_paper

    found = [path.stem for path in configs_by_paper()["softmax-boosting"]]
    assert {"table2", "figure7", "noise20"} <= set(found)


def test_the_overview_counts_the_reading_that_fits_best(tmp_path):
    held = {name: {"agreement": "agrees" if name == "a" else "better than printed", "placebo": 0.25}
            for name in ("a", "b", "c")}  # fmt: skip
    column = "Table 1, AdaBoost"
    for name, printed, agree in (("main", {column: held}, "a"), ("trial", {}, "bcz")):
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        found = dict.fromkeys(("part", "size"), "") | {"config": name, "title": name}
        found |= {"paper": "mine", "claims": []}
        found |= {"runs": {"ok": 1, "planned": 1}, "printed": printed}
        found["readings"] = {column: {"a table: adaboost": [*agree]}, "Table 2, other": {"x": []}}
        (folder / "summary.json").write_text(json.dumps(found))
    write_overview(Path("results"))
    overview = Path("results/README.md").read_text(encoding="utf-8")
    assert "| mine | – | – | – | – | – | 1 of 3 | 0.8 | 2 | 2 |" in overview


@pytest.mark.parametrize(
    ("answer", "counted"),
    [("The claim is true in these runs.", 0), ("samme claims the lowest error.", 1)],
)
def test_the_overview_counts_claims_once(tmp_path, answer, counted):
    folder = tmp_path / "results" / "main"
    folder.mkdir(parents=True)
    claims = [{"says": "it works", "verdict": "reproduced"}]
    found = {"config": "main", "title": "main", "paper": "", "part": "", "size": ""}
    found |= {"runs": {"ok": 1, "planned": 1}, "claims": claims, "answers": [answer]}
    (folder / "summary.json").write_text(json.dumps(found))
    page = write_overview(Path("results")).read_text(encoding="utf-8")
    assert page.count("1 of 1 claims true in these runs") == counted


def test_a_damaged_summary_is_named(tmp_path):
    folder = tmp_path / "results" / "broken"
    folder.mkdir(parents=True)
    (folder / "summary.json").write_text(json.dumps({"config": "broken"}))
    with pytest.raises(BoostbenchError, match="is not the summary of a report"):
        write_overview(Path("results"))
