"""Page on the open choices of the papers: references, outcomes and counts."""

import json
from collections import Counter

import pytest

from boostbench.experiments.configs.file import load_config
from boostbench.experiments.configs.shipped import shipped_configs
from boostbench.inputs import load_plugin
from boostbench.reports.overview import SENSITIVITY, by_paper, write_overview
from tests.reports.claims.stating import CONFIGS

sensitivity = load_plugin(CONFIGS / "sensitivity.py")
PAPERS = sensitivity.conclusions_of_papers()
CLAIMS = Counter(
    (config, claim)
    for paper in PAPERS.values()
    for conclusion in paper.conclusions
    for config, claims in conclusion.readings.items()
    for claim in claims.values()
)


@pytest.mark.parametrize("config", sorted({config for config, _ in CLAIMS}))
def test_every_reading_names_a_claim_of_a_shipped_config(config):
    [path] = [p for name, p in shipped_configs().items() if name.replace("/", "-") == config]
    found = load_config(path, check_parameters=False)
    assert found.name == config
    says = [claim.says for claim in found.claims]
    for name, claim in CLAIMS:
        assert name != config or says.count(claim) == 1, claim


def test_every_conclusion_has_two_readings():
    folders = {name.partition("/")[0] for name in shipped_configs() if "/" in name}
    assert set(PAPERS) == folders - {"theorems", "noise-study"}  # which have no readings
    for paper in PAPERS.values():
        for conclusion in paper.conclusions:
            readings = [name for each in conclusion.readings.values() for name in each]
            assert len(set(readings)) == len(readings) >= 2
    assert set(CLAIMS.values()) == {1}


def summary(results, paper, config, verdicts, size="standard"):
    folder = results / f"{config}-{size}"
    folder.mkdir(parents=True)
    claims = [{"says": says, "verdict": verdict} for says, verdict in verdicts.items()]
    found = {"paper": paper, "config": config, "title": config, "part": "", "size": size}
    found |= {"runs": {"ok": 1, "planned": 1}, "claims": claims}
    (folder / "summary.json").write_text(json.dumps(found), encoding="utf-8")


def test_the_page_is_made_of_the_summaries(tmp_path):
    paper, results = PAPERS["mcboost"], tmp_path / "results"
    conclusion = paper.conclusions[0]
    (config, own), *others = conclusion.readings.items()
    summary(results, "mcboost", config, dict.fromkeys(own.values(), "undecided"), "quick")
    summary(results, "mcboost", config, dict.fromkeys(own.values(), "reproduced"))
    for name, claims in others:
        verdicts = dict.fromkeys(claims.values(), "not reproduced")
        summary(results, "mcboost", name, verdicts, "quick")
    page = sensitivity.sensitivity_page(by_paper(results))
    line = next(line for line in page.splitlines() if conclusion.says in line)
    [reading] = own
    assert f"| true only with {reading}, 1 of " in line
    assert f"{reading}: [reproduced]({config}-standard/claims.md#claim-1)" in line
    n_others = sum(len(claims) for _, claims in others)
    assert line.count("[not reproduced]") == line.count("(size quick)") == n_others
    n = len(paper.conclusions)
    assert f"**Of {n} conclusions 1 is true with one reading only and {n - 1} are open.**" in page
    choice = conclusion.open[0]
    n_open = sum(choice in each.open for each in paper.conclusions) - 1
    assert f"| {choice} |  | 1 |  |  | {n_open} |" in page
    assert all(f"- {text}" in page for text in paper.untried)
    (results / SENSITIVITY).write_text(page, encoding="utf-8")
    write_overview(results)
    for name in ("README.md", "index.html"):
        assert SENSITIVITY in (results / name).read_text(encoding="utf-8")


def test_results_of_no_paper_have_no_such_page(tmp_path):
    summary(tmp_path, "mine", "my-own", {"it works": "reproduced"})
    assert sensitivity.sensitivity_page(by_paper(tmp_path)) == ""
    write_overview(tmp_path)
    for name in ("README.md", "index.html"):
        assert SENSITIVITY not in (tmp_path / name).read_text(encoding="utf-8")
