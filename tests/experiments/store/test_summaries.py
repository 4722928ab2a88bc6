"""A plan reads summaries that an earlier one kept, and believes none that is not of the record."""

import pytest

from boostbench.experiments.store import summaries
from boostbench.experiments.store.identity import value_of
from boostbench.experiments.store.records import RecordStore
from tests.experiments.tools import SMALL, carry_out, plan_of


@pytest.fixture
def done(runs_of, tmp_path, monkeypatch):
    """Runs with records, of which summaries are kept."""
    monkeypatch.setattr(summaries, "_MIN_NEW", 1)
    runs = runs_of(SMALL)
    carry_out(runs, tmp_path)
    assert plan_of(runs, tmp_path).counts() == {"ok": 8}
    assert len([*tmp_path.glob("runs/*/.summaries")]) == 2
    return runs


def opened_by_a_plan(runs, results, monkeypatch):
    """Return the names of the records that a plan opens, and the plan without its store."""
    opened = []
    content = RecordStore._content

    def note(self, path):
        opened.append(path.name)
        return content(self, path)

    with monkeypatch.context() as patch:
        patch.setattr(RecordStore, "_content", note)
        plan = plan_of(runs, results)
    return opened, [planned.row() for planned in plan.runs]


def test_a_second_plan_opens_no_record(done, tmp_path, monkeypatch):
    opened, rows = opened_by_a_plan(done, tmp_path, monkeypatch)
    assert opened == []
    for path in tmp_path.glob("runs/*/.summaries"):
        path.unlink()
    opened, anew = opened_by_a_plan(done, tmp_path, monkeypatch)
    assert len(opened) == 8
    assert anew == rows


def test_a_kept_summary_says_of_each_run_what_its_record_says(done, tmp_path):
    paths = RecordStore(tmp_path).all_paths()
    kept, fresh = RecordStore(tmp_path), RecordStore(tmp_path)
    for path in paths:
        known = summaries.Summaries(path.parent).get(path.name, summaries.stamp_of(path))
        record = fresh.read(path)
        assert known == kept.summary(path)
        for name in ("key", "run", "status", "why", "seconds", "versions", "inputs", "n_train"):
            assert getattr(known, name) == getattr(record, name)


def test_a_summary_counts_for_no_record_of_another_size_or_time(done, tmp_path):
    path = RecordStore(tmp_path).all_paths()[0]
    known, stamp = summaries.Summaries(path.parent), summaries.stamp_of(path)
    assert known.get(path.name, stamp) is not None
    for other in ("", f"1{stamp}", f"{stamp}1"):
        assert known.get(path.name, other) is None


def test_a_record_that_changed_is_read(done, tmp_path, monkeypatch):
    first, second, *_ = sorted(tmp_path.glob("runs/wine/*.json"))
    first.write_bytes(first.read_bytes()[:-9])
    carry_out([run for run in done if second.stem.startswith(value_of(run))], tmp_path, fresh=True)
    opened, rows = opened_by_a_plan(done, tmp_path, monkeypatch)
    assert sorted(opened) == [first.name, second.name]
    assert sorted(row["status"] for row in rows) == ["missing", *["ok"] * 7]


def test_kept_summaries_of_a_version_that_keeps_other_fields_count_for_nothing(
    done, tmp_path, monkeypatch
):
    monkeypatch.setattr(summaries, "_SHARED", (*summaries._SHARED, "host"))
    opened, _ = opened_by_a_plan(done, tmp_path, monkeypatch)
    assert len(opened) == 8
    assert opened_by_a_plan(done, tmp_path, monkeypatch)[0] == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace(b'"ok"', b'"failed"'),
        lambda text: b"junk\n" + text,
        lambda text: bytes(reversed(text)),
        lambda text: b"",
    ],
)
def test_kept_summaries_that_are_damaged_change_nothing(done, tmp_path, monkeypatch, spoil):
    _, rows = opened_by_a_plan(done, tmp_path, monkeypatch)
    for path in tmp_path.glob("runs/*/.summaries"):
        path.write_bytes(spoil(path.read_bytes()))
    assert opened_by_a_plan(done, tmp_path, monkeypatch)[1] == rows
