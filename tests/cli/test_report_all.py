"""`report --pack` and `report --all`: results without records, by any number of processes."""

import shutil

from tests.cli.conftest import CURVES


def test_all_reports_come_from_packed_records_alone(boostbench, tiny, tmp_path, monkeypatch):
    other = tiny.with_name("other.yaml")
    other.write_text(tiny.read_text().replace("name: tiny", "name: other") + CURVES)
    configs = {str(config): config for config in (tiny, other)}
    monkeypatch.setattr("boostbench.cli.report.shipped_configs", lambda: configs)
    assert boostbench("run", tiny, "--executor", "inline").code == 0
    assert boostbench("report", tiny, other, "--pack").code == 0
    folders = [file.parent for file in tmp_path.rglob("records.jsonl.xz")]
    shutil.rmtree(folders[0].parent / "runs")
    printed = {}
    for jobs in ("1", "2"):
        outcome = boostbench("report", "--all", "--output", tmp_path / jobs, "--jobs", jobs)
        assert outcome.code == 0, outcome.err
        printed[jobs] = outcome.out.replace(str(tmp_path / jobs), ""), outcome.err
        for folder in folders:
            made = {path.name for path in (tmp_path / jobs / folder.name).iterdir()}
            assert made == {path.name for path in folder.iterdir()} - {"records.jsonl.xz"}
            assert folder.name in (tmp_path / jobs / "README.md").read_text()
    assert printed["1"] == printed["2"]
    files = [path.relative_to(tmp_path / "1") for path in (tmp_path / "1").rglob("*.*")]
    for file in files:
        assert (tmp_path / "1" / file).read_bytes() == (tmp_path / "2" / file).read_bytes()
    assert boostbench("report", tiny, "--jobs", "2").code == 2
    index = tmp_path / "1" / "index.html"
    index.unlink()
    index.mkdir()  # cannot be replaced by a file
    outcome = boostbench("report", "--all", "--output", tmp_path / "1", "--jobs", "1")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "cannot be written: a folder, where a file" in outcome.err
