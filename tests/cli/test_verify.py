"""verify and reproduce, as a user types them."""

import json
import re
from pathlib import Path

import pytest
import yaml

from boostbench.errors import BoostbenchError
from boostbench.reports.claims.verdicts import ClaimView
from boostbench.reports.overview import write_overview
from tests.cli.conftest import TINY

CLAIMS = """\
claims:
  - says: every booster is below 90 %
    origin: paper
    section: Sec. 5
    quote: none is worse than chance
    compares: {booster: [adaboost-mh, samme, sm-boost], lower_than: 90%}
"""
FALSE = """\
  - says: sm-boost makes no error
    note: it cannot
    compares: {booster: sm-boost, equal_to: 0, noise: 0.2}
"""
SIZES = """\
sizes:
  quick: {datasets: [iris], rounds: 2}
"""


def headline(status):
    """Return the words of a verdict."""
    return ClaimView(says="a", verdict=status).verdict


@pytest.fixture
def config(tmp_path):
    """Write a config with claims and return its path."""

    def write(text, name="tiny"):
        path = tmp_path / f"{name}.yaml"
        path.write_text(TINY.replace("tiny", name) + text)
        return path

    return write


def test_a_claim_is_undecided_before_and_decided_after_the_runs(boostbench, config):
    path = config(CLAIMS)
    before = boostbench("verify", path)
    assert before.code == 1
    assert f"  {headline('undecided')}: " in before.out
    assert "true in 0 of 6 cases (all must): 0 beyond chance, 6 missing" in before.out
    assert "missing runs could change the verdict" in before.out
    assert boostbench("run", path, "--executor", "inline").code == 0
    after = boostbench("verify", path)
    assert after.code == 0, after.out
    first = f"tiny 1: every booster is below 90 %\n  {headline('reproduced')}: "
    assert after.out.startswith(first)
    assert "true in 6 of 6 cases (all must): 6 beyond chance" in after.out
    assert "normal test on the test samples of one run" in after.out
    assert '\n  paper, Sec. 5, "none is worse than chance"\n' in after.out
    assert after.out.endswith(
        "tiny: 1 claim of the paper: 1 true in these runs (1 beyond chance)\n"
    )


def test_what_is_not_reproduced_is_told_with_its_evidence(boostbench, config):
    path = config(CLAIMS + FALSE)
    boostbench("run", path, "--executor", "inline")
    outcome = boostbench("verify", path, "--json")
    assert outcome.code == 1
    good, bad = outcome.json
    assert (good["verdict"], bad["verdict"]) == ("reproduced", "not reproduced")
    assert (bad["config"], bad["note"], len(bad["cases"])) == ("tiny", "it cannot", 2)
    assert any(case["state"] == "fails" and case["difference"] > 0 for case in bad["cases"])


def test_a_config_without_claims_is_no_success(boostbench, tiny):
    outcome = boostbench("verify", tiny)
    assert (outcome.code, outcome.out) == (1, "tiny: no claims\n")


def test_reproduce_runs_reports_and_judges(boostbench, config, in_this_process, tmp_path):
    config(CLAIMS + SIZES, "first")
    config(CLAIMS + FALSE, "second")
    outcome = boostbench("reproduce", "first.yaml", "second.yaml", "--size", "quick", "--jobs", "1")
    assert outcome.code == 1, outcome.err
    assert "== first (quick)\n" in outcome.out
    assert "== second\n" in outcome.out
    for status, counts in {"undecided": "3 of 6", "reproduced": "6 of 6"}.items():
        start = f"{headline(status)} (paper): every booster is below 90 % ("
        (line,) = (line for line in outcome.out.splitlines() if line.startswith(start))
        assert f"true in {counts} cases" in line
    results = tmp_path / "results"
    index = (results / "index.html").read_text(encoding="utf-8")
    overview = (results / "README.md").read_text(encoding="utf-8")
    assert "| Other experiments | 3 | 1 | 1 | 1 | 1 | – | – | – | – |" in overview
    for text in (index, overview):
        links = re.findall(r'(?:href="|\]\()([^#")]+)', text)
        assert {"first-quick/report.html", "second/report.html"} <= set(links)
        assert all((results / link).exists() for link in links)
    again = boostbench("reproduce", "first.yaml", "--size", "quick")
    assert "3 cached" in again.out
    assert "records.jsonl.xz (replaced)\n" in again.out
    assert "(replaced)" not in outcome.out
    assert (results / "README.md").read_text(encoding="utf-8") == overview
    boostbench("reproduce", "first.yaml")
    both = (results / "README.md").read_text(encoding="utf-8")
    assert "| Other experiments | 3 | 2 | 2 | 1 | 0 | – | – | – | – |" in both  # the larger size


def test_reproduce_computes_what_a_paper_computes(boostbench, tmp_path):
    (tmp_path / "draw.py").write_text(
        "from matplotlib.figure import Figure\n\n\ndef draw_nothing(study):\n    return Figure()\n"
    )
    (tmp_path / "computed.yaml").write_text(
        "name: computed\ntitle: Nothing, computed\npaper: somebody, Figs. 1 to 6\n"
        "report: ['draw.py:draw_nothing']\n"
    )
    about = {
        "name": "A paper: on it (Somebody, 1999)",
        "says": "It says little.",
        "found": "So is it.",
    }
    (tmp_path / "about.yml").write_text(yaml.safe_dump(about))
    assert boostbench("reproduce", "computed.yaml").code == 0
    overview = (tmp_path / "results" / "README.md").read_text(encoding="utf-8")
    assert "\n- **A paper**: So is it.\n" in overview
    assert "## A paper: on it (Somebody, 1999)\n\nIt says little.\n" in overview
    assert "[Figs. 1 to 6: Nothing, computed](computed/report.html)" in overview


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


def test_a_mistake_in_the_description_of_a_paper_is_named(
    boostbench, config, in_this_process, tmp_path
):
    path = config("", "first")
    (tmp_path / "about.yml").write_text("name: A\nplce: 1\n")
    assert boostbench("run", path, "--executor", "inline").code == 0
    outcome = boostbench("report", path)
    assert outcome.code != 0
    assert "about.yml: unknown key 'plce'; did you mean 'place'?" in outcome.err


def test_reproduce_goes_on_without_the_data_of_one_config(
    boostbench, config, in_this_process, tmp_path
):
    path = tmp_path / "absent.yaml"
    path.write_text("name: absent\ndatasets: [letter]\nboosters: [samme]\nrounds: 2\n")
    config(CLAIMS)
    outcome = boostbench("reproduce", "absent.yaml", "tiny.yaml", "--jobs", "1")
    assert outcome.code == 1
    assert "no run has a result yet: 1 skipped" in outcome.err
    assert f"{headline('reproduced')} (paper): every booster" in outcome.out


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
