import re

import pytest

from boostbench.experiments.planning.planner import check_data
from tests.experiments.tools import SMALL, carry_out, plan_of, records_of

MIXED = """
name: mixed
datasets: [iris]
split: {holdout: 0.3}
boosters: [toy-centroids, toy-raises]
rounds: 4
seeds: 2
"""


def counts(runs, results):
    return plan_of(runs, results).counts()


def test_a_plan_counts_what_the_records_serve(runs_of, results):
    runs = runs_of(SMALL)
    assert counts(runs, results) == {"missing": 8}
    carry_out(runs, results)
    assert counts(runs, results) == {"ok": 8}
    assert carry_out(runs, results).counts == {}
    larger = SMALL.replace("seeds: 2", "seeds: 3").replace("[wine, iris]", "[wine]")
    assert counts(runs_of(larger), results) == {"ok": 4, "missing": 2}
    fewer, more = (runs_of(SMALL.replace("rounds: 8", f"rounds: {n}")) for n in (3, 9))
    assert counts(fewer, results) == {"ok": 8}
    assert counts(more, results) == {"missing": 8}


def test_fewer_rounds_done_afresh_leave_the_records_of_more(runs_of, results):
    carry_out(runs_of(SMALL), results)
    before = records_of(results)
    fewer = runs_of(SMALL.replace("rounds: 8", "rounds: 3"))
    assert carry_out(fewer, results, fresh=True).counts == {"ok": 8}
    assert len(records_of(results)) == 16
    assert before.items() < records_of(results).items()


@pytest.mark.parametrize(("booster", "status"), [("toy-horizon", "ok"), ("toy-raises", "failed")])
def test_a_nested_or_failed_fit_serves_no_smaller_number_of_rounds(
    runs_of, results, booster, status
):
    config = MIXED.replace("toy-centroids, toy-raises", booster)
    carry_out(runs_of(config), results)
    assert counts(runs_of(config), results) == {status: 2}
    assert counts(runs_of(config.replace("rounds: 4", "rounds: 3")), results) == {"missing": 2}


def test_failures_stay_until_they_are_asked_for(runs_of, results):
    runs = runs_of(MIXED)
    assert carry_out(runs, results).counts == {"ok": 2, "failed": 2}
    assert carry_out(runs, results, retry={"timeout"}).counts == {}
    assert carry_out(runs, results, retry={"failed"}).counts == {"failed": 2}
    plan = plan_of(runs_of(MIXED.replace("seeds: 2", "seeds: 3")), results)
    assert {p.status for p in plan.todo(retry={"failed"})} == {"failed"}
    assert {p.status for p in plan.todo()} == {"missing"}
    assert len(plan.todo(fresh=True)) == 6
    failed = next(p for p in plan.runs if p.status == "failed")
    assert re.fullmatch(r"RuntimeError: no luck today \(toys\.py:\d+ in fit\)", failed.reason)
    error = failed.record().error
    assert error.kind == "RuntimeError"
    assert error.log_tail[-1] == "RuntimeError: no luck today"


def test_records_count_without_their_data(runs_of, tmp_path, results):
    dirs, file = [tmp_path / "data"], tmp_path / "data" / "mine.csv"
    file.parent.mkdir()
    file.write_text("u,target\n" + "1,a\n2,b\n" * 30)
    own_runs = runs_of(SMALL.replace("[wine, iris]", "[mine]"), data_dirs=dirs)
    carry_out(own_runs[:3], results, data_dirs=dirs)
    file.with_name("user.yaml").write_text("mine: {n_rows: 60}\n")
    file.unlink()
    plan = plan_of(own_runs, results, dirs)
    check_data(plan, plan.todo(fresh=True), dirs)  # which reads no data of recorded runs
    assert plan.counts() == {"ok": 3, "skipped": 1}
    assert "the newest record counts" in plan.runs[0].reason
    assert plan.runs[0].record().n_rounds == 8
    (reason,) = plan.skipped()
    assert "put mine.csv.gz" in reason
    assert plan.todo() == ()


def test_a_booster_whose_package_is_absent_is_skipped(runs_of, tmp_path, results):
    (tmp_path / "mine.py").write_text("from surely_not_installed import Booster\n")
    text = SMALL.replace("[toy-centroids]", "['mine.py:Booster', toy-centroids]")
    plan = plan_of(runs_of(text, check_parameters=False), results)
    assert plan.counts() == {"missing": 8, "skipped": 8}
    assert "surely_not_installed" in next(iter(plan.skipped()))


def test_shards_are_even_and_do_not_depend_on_what_is_done(runs_of, results):
    runs = runs_of(SMALL.replace("seeds: 2", "seeds: 20"))
    plan = plan_of(runs, results)
    shards = [plan.shard(f"{i}/3") for i in (1, 2, 3)]
    assert [len(shard.runs) for shard in shards] == [27, 27, 26]
    ids = [planned.run.id for shard in shards for planned in shard.runs]
    assert sorted(ids) == sorted(planned.run.id for planned in plan.runs)
    carry_out(runs[:5], results)
    later = plan_of(runs[::-1], results).shard("1/3")
    assert {p.run for p in later.runs} == {p.run for p in shards[0].runs}
