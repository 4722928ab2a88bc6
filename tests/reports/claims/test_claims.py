"""Claims about two configs, statistics of outcomes, kinds of plugins, and remedies."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from boostbench import registry
from boostbench.errors import PluginError
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.configs.kind_options import Claim, Options
from boostbench.experiments.runs import CLEAN
from boostbench.inputs import load_plugin
from boostbench.reports.claims.claim_options import Rule
from boostbench.reports.claims.inference import (
    NEVER,
    Outcome,
    all_of,
    any_of,
    at_least,
    lower,
    near,
    never_above,
)
from boostbench.reports.claims.kind import AboutMeans, AboutValues, Case, Kind
from boostbench.reports.claims.verdicts import (
    GroupVerdict,
    Verdict,
    judge,
    remedies,
    verdict_json,
    verdict_on,
    verdicts_markdown,
    view_of,
)
from boostbench.reports.values.frame import collect
from boostbench.reports.values.samples import Design, Repeats, over_sets
from tests.reports.synthetic import make_config, plan_of, with_records

from .stating import CONFIGS, with_claims
from .worlds import NOISY, world

DOCS = Path(__file__).resolve().parents[3] / "docs/adding-a-claim.md"
KIND = CONFIGS / "softmax-boosting/increase.py:SmallestIncrease"
PAIR = """\
name: {name}
datasets: [iris, wine]
split: {{holdout: 0.3}}
noise: {noise}
boosters: [adaboost-mh, sm-boost]
rounds: 10
seeds: 3
claims:
  - says: the increase is smallest for sm-boost
    {kind}: {{booster: sm-boost, over: {other}.yaml}}
"""


def sample(*values, planned=None):
    """Return a sample of one value per seed; None for a missing value."""
    by_unit = {(seed, 0): value for seed, value in enumerate(values) if value is not None}
    return Repeats(by_unit, Design(frozenset((seed, 0) for seed in range(planned or len(values)))))


def over(rule):
    """Return a kind of claim about data sets with a rule."""
    return AboutMeans.model_construct(unit="sets", at_least=rule)


@pytest.fixture
def pair(tmp_path):
    """Return two configs with claims about each other."""
    texts = {
        "clean": PAIR.format(kind=KIND, name="clean", noise="none", other="noisy"),
        "noisy": PAIR.format(
            kind=KIND, name="noisy", noise="{model: exchange, rate: 0.2}", other="clean"
        ),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    return [load_config(tmp_path / f"{name}.yaml", check_parameters=False) for name in texts]


def verdict_over(pair, increases, **options):
    """Judge the noisy config, with the increases of the two boosters in per mille."""
    _, noisy = pair

    def errors(run):
        more = 0 if run.noise.model == "none" else increases[run.booster.name]
        return [100 + more + 2 * run.seed * (run.booster.name == "sm-boost")] * run.rounds

    asked = []

    def study_of(config):
        asked.append(config.name)
        return collect(config, plan_of(config, errors, **options))

    (verdict,) = judge(replace(collect(noisy, plan_of(noisy, errors)), study_of=study_of))
    assert asked == ["clean"]
    return verdict


def test_the_increase_over_another_config_is_taken_run_by_run(pair):
    verdict = verdict_over(pair, {"adaboost-mh": 40, "sm-boost": 10})
    assert verdict.status == "true here, could be chance"  # two data sets decide nothing
    assert verdict.cases[0].numbers == {
        "sm-boost": "1.00",
        "adaboost-mh": "4.00",
        "difference": "-3.00",
    }
    same = verdict_over(pair, {"adaboost-mh": 10, "sm-boost": 10})
    assert same.status == "false here, could be chance"


def test_an_absent_run_of_the_other_config_is_named(pair):
    absent = {"wine/sm-boost/clean/seed-0": "missing"}
    verdict = verdict_over(pair, {"adaboost-mh": 40, "sm-boost": 10}, absent=absent)
    assert verdict.cases[0].outcome.n == 2
    (verdict,) = judge(collect(pair[1], plan_of(pair[1])))
    assert verdict.status == "undecided"
    assert "iris/sm-boost: not among the runs" in view_of(verdict).reasons[1]


def test_a_difference_counts_if_its_interval_leaves_out_zero():
    # mean -1, standard deviation 1, t(0.975, 3) = 3.1824: half the interval is 1.5912
    left = sample(-1 - 1.5**0.5, -1 + 1.5**0.5, -1.0, -1.0)
    outcome = lower(left, sample(0.0, 0.0, 0.0, 0.0))
    assert outcome.interval == pytest.approx((-2.5912, 0.5912), abs=1e-4)
    assert (outcome.state, outcome.here) == ("open", True)
    assert outcome.total == pytest.approx(4 * 1.5912**2, rel=1e-4)
    assert lower(left, sample(2.0, 2.0, 2.0, 2.0)).state == "holds"
    assert lower(left, sample(-5.0, -5.0, -5.0, -5.0)).state == "fails"


def test_only_runs_that_both_have_are_compared():
    outcome = lower(sample(0.1, None, 0.3), sample(0.2, 0.1, None))
    assert (outcome.state, outcome.n, outcome.planned) == ("missing", 1, 3)
    assert lower(sample(0.1), sample(0.2)).state == "holds"


def test_a_tie_is_not_lower_but_no_evidence_against_it():
    same = sample(*[0.1, 0.2] * 3)
    strict, with_ties = lower(same, same), lower(same, same, ties=True)
    assert (strict.state, strict.here, strict.tied) == ("open", False, True)
    assert (with_ties.state, with_ties.here) == ("holds", True)
    assert lower(sample(0.1, 0.2), sample(0.1, 0.2), ties=True).state == "open"
    assert near(same, same, 0.0).state == "holds"
    assert lower(sample(0.3, 0.1), sample(0.1, 0.3)).total == NEVER


def test_a_bound_of_a_theorem_is_exceeded_in_no_run():
    bound = sample(0.2, 0.2, 0.2)
    kept, broken = sample(0.0, 0.2, 0.1), sample(0.0, 0.3, 0.0)
    assert never_above(kept, bound).state == "holds"
    assert never_above(kept, bound).difference == pytest.approx(-0.1)  # of the means
    assert never_above(broken, bound).difference == pytest.approx(0.1)  # of the worst run
    assert lower(broken, bound).here  # in the mean
    assert never_above(broken, bound).state == "fails"
    assert never_above(sample(0.0, None, 0.1), bound).state == "missing"
    assert never_above(sample(0.3, None, 0.1), bound).state == "fails"


def test_unknown_parts_decide_only_if_known_ones_do_not():
    yes, no = lower(sample(0.0), sample(1.0)), lower(sample(1.0), sample(0.0))
    unknown = lower(sample(None), sample(1.0))
    assert [all_of([yes, unknown]).state, all_of([no, unknown]).state] == ["missing", "fails"]
    assert [any_of([yes, unknown]).state, any_of([no, unknown]).state] == ["holds", "missing"]


def test_the_difference_shown_is_of_an_outcome_that_is_true_or_false_here_as_the_whole():
    # The first alone is beyond chance, but not as one of two.
    low = Outcome("holds", -0.007, here=True, p=(0.02, 0.98))
    high = Outcome("open", 0.003, here=False, p=(0.8, 0.2))
    found = any_of([low, high])
    assert (found.state, found.here, found.difference) == ("open", True, -0.007)
    turned = [
        replace(low, state="fails", difference=0.007, here=False, p=(0.98, 0.02)),
        replace(high, difference=-0.003, here=True, p=(0.2, 0.8)),
    ]
    found = all_of(turned)
    assert (found.state, found.here, found.difference) == ("open", False, 0.007)


def test_what_would_decide_an_open_share_is_more_than_there_is():
    outcome = at_least(sample(*[1.0] * 5), 0.5)  # p = 1 / 32, though two deviations above
    assert (outcome.state, outcome.total) == ("open", 6)


def test_reasons_for_no_remedy_are_in_order():
    whys = [f"reason {n}" for n in range(8)]
    cases = [Case("", "a", Outcome("open", why=why)) for why in whys[::-1]]
    claim = Claim(says="a", kind="compares", options=Options())
    verdict = verdict_on(claim, cases, Kind())
    assert list(remedies(verdict)) == whys


@pytest.mark.parametrize(("ties", "here"), [(False, False), (True, True)])
def test_ties_on_all_data_sets_are_no_evidence(ties, here):
    same = sample(0.1, 0.2)
    cases = [Case("", name, lower(same, same, ties=ties), dataset=name) for name in "abcdefgh"]
    claim = Claim(says="a", kind="compares", options=Options())
    verdict = verdict_on(claim, cases, over(Rule(share=0.5)))
    assert (verdict.here, verdict.beyond) == (here, "open")


def test_a_rule_that_asks_for_more_cases_than_a_plugin_returns_is_not_met():
    claim = Claim(says="a", kind="compares", options=Options())
    kind = AboutMeans.model_construct(unit="runs", at_least=Rule(count=3))
    verdict = verdict_on(claim, [Case("", name, Outcome("holds")) for name in "ab"], kind)
    assert (verdict.here, verdict.beyond) == (False, "fails")


def test_a_claim_that_missing_runs_could_change_is_not_beyond_chance():
    true = [Case("", f"{n}", Outcome("open", here=True), dataset=f"{n}") for n in range(9)]
    claim = Claim(says="a", kind="compares", options=Options())
    cases = [*true, Case("", "9", Outcome("missing"), dataset="9")]
    verdict = verdict_on(claim, cases, over(Rule()))
    assert (verdict.status, verdict.beyond) == ("undecided", "open")
    assert view_of(verdict).reasons[-1] == "missing runs could change the verdict"


def test_a_mean_over_data_sets_is_that_of_the_means_that_are_compared():
    left = over_sets([sample(0.1, 0.9, 0.1), sample(0.2, None, 0.2)])
    right = over_sets([sample(0.2, 0.2, 0.2), sample(0.3, 0.3, 0.3)])
    assert (left.mean, right.mean) == (pytest.approx(17 / 60), 0.25)
    assert lower(left, right).difference == pytest.approx(2 / 60)


def test_the_worst_step_of_a_rise_is_the_smallest(tmp_path):
    noises = [CLEAN, NOISY, replace(NOISY, rate=0.4)]
    config = make_config(tmp_path, datasets="a", boosters=["mh"], noise=noises)
    trend = {"booster": "mh", "direction": "rises", "over": "noise"}
    config = with_claims(config, {"says": "a", "trend": trend})
    counts = dict(zip(noises, (1000, 3000, 3100), strict=True))
    study = collect(config, plan_of(config, lambda run: [counts[run.noise]] * run.rounds))
    (verdict,) = judge(study)
    assert verdict.cases[0].numbers["worst step"].startswith("+1.00 (")


def test_a_share_is_judged_by_the_exact_binomial_test():
    # 90 of 100: 0.8256 to 0.9448, as in R's prop.test without correction
    outcome = at_least(sample(*[1.0] * 90, *[0.0] * 10), 0.5)
    assert outcome.interval == pytest.approx((0.8256, 0.9448), abs=1e-4)
    assert outcome.state == "holds"
    tight = at_least(sample(*[1.0] * 90, *[0.0] * 10), 0.85)
    assert tight.state == "open"
    tens = math.ceil(tight.total / 10) + 2  # the estimate is that of the normal approximation
    enough = sample(*[1.0] * 9 * tens, *[0.0] * tens)
    assert at_least(enough, 0.85).state == "holds"


def test_the_kind_of_the_documentation(tmp_path):
    text = DOCS.read_text(encoding="utf-8")
    source = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    (tmp_path / "spread.py").write_text(source, encoding="utf-8")
    load_plugin(tmp_path / "spread.py")
    claim = {"says": "a", "steady": {"booster": "sm", "points": 5.0, "noise": "clean"}}
    (verdict,) = judge(world(tmp_path, "repeats-gaps", claim))
    assert verdict.status == "reproduced"
    assert [case.subject for case in verdict.cases] == [*"abcd"]


def test_a_kind_of_a_plugin_that_returns_no_state_is_told(tmp_path):
    class Steady(AboutValues):
        def cases(self, evidence):
            for cell in evidence.cells():
                yield evidence.case(cell, Outcome("hold" if evidence.study else "open"), {})

    registry.claims.register("unsteady")(Steady)
    words = r"^Steady raised ValueError: must be one of holds, .*missing, found 'hold' \("
    with pytest.raises(PluginError, match=words):
        judge(world(tmp_path, "single", {"says": "a", "unsteady": {}}))


def test_the_documentation_names_every_kind_and_key():
    text = DOCS.read_text(encoding="utf-8")
    for name in registry.claims.names():
        assert f"| `{name}` |" in text, name
        for key, field in registry.claims.get(name).model_fields.items():
            assert f"`{field.alias or key}`" in text, (name, key)


@pytest.mark.parametrize(
    ("totals", "more", "reasons"),
    [
        ((12.0, 21.5), 22, ["about 22 more runs of further seeds would decide it"]),
        ((NEVER, NEVER), None, ["no number of further runs is known to decide it"]),
        ((8.0, NEVER), 8, ["about 8 more runs of further seeds would decide 1 of 2 groups"]),
    ],
)
def test_what_further_runs_would_decide(totals, more, reasons):
    groups = [
        GroupVerdict("T", "all", 1, True, "open", {"open": 1, "missing": 0}, more=more)
        for more in totals
    ]
    verdict = Verdict(Claim(says="a", kind="compares", options=Options()), tuple(groups), ())
    assert verdict.more == more
    assert list(remedies(verdict)) == reasons


def test_the_best_of_several_has_the_highest_value_if_that_is_better(tmp_path):
    claim = {"booster": "sm", "against": ["mh", "samme"], "over": "rounds", "at": [10, 100]}
    claim |= {"noise": "clean", "datasets": "a"}
    claims = [
        {"says": "a", "trend": {**claim, "direction": "falls"}},
        {"says": "b", "trend": {**claim, "direction": "rises", "value": "test_auc"}},
    ]
    study = world(tmp_path, "single")
    config = with_claims(study.config.model_copy(update={"metrics": ("auc",)}), *claims)
    study = with_records(
        replace(study, config=config),
        lambda r: {
            "curves": {**r.record.curves, "test_auc": 1 - r.record.curves["test_errors"] / 1e4}
        },
    )
    of_error, of_auc = (verdict.cases[0].numbers for verdict in judge(study))
    assert of_error["distance at 10 to 100"] == "5.00 → -0.50"
    assert of_auc["distance at 10 to 100"] == "-5.00 → 0.50"


def test_a_change_after_the_results_is_shown(tmp_path):
    claim = {"says": "a", "changed": "2026-11-22 by 1% → 2%", "compares": {}}
    claim["compares"] = {"booster": "sm", "lower_than": "mh", "noise": "clean"}
    (verdict,) = judge(world(tmp_path, "single", claim))
    mark = "after its results were seen: 2026-11-22 by 1% → 2%"
    assert view_of(verdict).marks == [mark]
    assert f"- **{mark}**" in verdicts_markdown("a", [verdict])
    assert verdict_json(verdict)["changed"] == "2026-11-22 by 1% → 2%"


def test_a_booster_that_stops_before_the_first_round_made_none(tmp_path):
    claim = {"says": "it stops", "stops": {"booster": "mh", "before": 5, "datasets": "d"}}
    study = world(tmp_path, "single", claim)
    (verdict,) = judge(with_records(study, lambda result: {"n_rounds": 0, "stop_reason": "stump"}))
    assert [case.numbers["rounds made"] for case in verdict.cases] == ["0", "0"]
