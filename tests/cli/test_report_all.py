"""`report --pack` and `report --all`: results without records."""

import shutil


def test_all_reports_come_from_packed_records_alone(boostbench, tiny, tmp_path, monkeypatch):
    monkeypatch.setattr("boostbench.cli.report.shipped_configs", lambda: {str(tiny): tiny})
    assert boostbench("run", tiny, "--executor", "inline").code == 0
    assert boostbench("report", tiny, "--pack").code == 0
    [folder] = [file.parent for file in tmp_path.rglob("records.jsonl.xz")]
    shutil.rmtree(folder.parent / "runs")
    outcome = boostbench("report", "--all", "--output", tmp_path / "again")
    assert outcome.code == 0, outcome.err
    made = {path.name for path in (tmp_path / "again" / folder.name).iterdir()}
    assert made == {path.name for path in folder.iterdir()} - {"records.jsonl.xz"}
    assert folder.name in (tmp_path / "again" / "README.md").read_text()
