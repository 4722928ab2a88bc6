"""Claims about runs of unequal length, and about margins of victory."""

import pytest

from boostbench.experiments.configs.entries import DataSet
from boostbench.experiments.runs import Data
from boostbench.reports.claims.verdicts import judge
from tests.reports.claims.stating import with_claims
from tests.reports.synthetic import make_config, study_of

PAPER = "dataset,method,T,noise,error,unit\n"


def verdicts(
    folder, *claims, errors=lambda run: [237 if run.dataset == "dna" else 50] * run.rounds
):
    config = make_config(folder, boosters=["samme", "sm-boost"], checkpoints=[100])
    long = DataSet(data=Data("letter", label="letter"), rounds=150)
    config = config.model_copy(update={"datasets": (config.datasets[0], long)})
    return judge(study_of(with_claims(config, *claims), errors))


def test_the_end_is_compared_with_the_largest_t_that_the_paper_has(tmp_path):
    rows = [
        "dna,samme,10,0,90,percent",
        "dna,samme,100,0,20.2,percent",
        "letter,samme,150,0,1.1,percent",
        "dna,sm-boost,90,0,4.2,percent",  # not the T that is made
        "letter,sm-boost,150,0,,percent",  # a dash
    ]
    (tmp_path / "paper.csv").write_text(PAPER + "\n".join(rows))
    claim = {"says": "a", "matches_paper": {"paper": "paper.csv", "at": "end"}}
    (verdict,) = verdicts(tmp_path, claim)
    states = {case.subject: case.outcome.state for case in verdict.cases}
    assert states == {"dna, samme": "holds", "dna, sm-boost": "missing", "letter, samme": "holds"}


@pytest.mark.parametrize(
    ("by", "status"),
    [
        ({"points": 1}, "reproduced"),
        ({"points": 4}, "not reproduced"),
        ({"relative": 0.1}, "reproduced"),
        ({"relative": 0.3}, "not reproduced"),
        ({"absolute": 0.01}, "reproduced"),
    ],
)
def test_a_margin_is_asked_for(tmp_path, by, status):
    def errors(run):
        size = {"dna": 1186, "letter": 5000}[run.dataset]
        return [round(size * (0.10 if run.method == "samme" else 0.125))] * run.rounds

    claim = {"says": "a", "compares": {"booster": "samme", "lower_than": "others", "by": by}}
    (verdict,) = verdicts(tmp_path, claim, errors=errors)
    assert verdict.status == status


def test_a_negative_margin_forgives_as_much(tmp_path):
    def errors(run):
        return [51 if run.method == "samme" else 50] * run.rounds

    for points, status in ((-0.5, "reproduced"), (-0.01, "false here, could be chance")):
        claim = {"booster": "samme", "lower_than": "others", "by": {"points": points}}
        claim = {"says": "a", "compares": claim}
        assert verdicts(tmp_path, claim, errors=errors)[0].status == status
