"""`report --pack` and `report --all`: results without records."""

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
    outcome = boostbench("report", "--all", "--output", tmp_path / "all")
    assert outcome.code == 0, outcome.err
    for folder in folders:
        made = {path.name for path in (tmp_path / "all" / folder.name).iterdir()}
        assert made == {path.name for path in folder.iterdir()} - {"records.jsonl.xz"}
        assert folder.name in (tmp_path / "all" / "README.md").read_text()
    damaged, _ = folders
    (damaged / "records.jsonl.xz").write_bytes(b"")
    outcome = boostbench("report", "--all", "--output", tmp_path / "rest")
    assert (outcome.code, outcome.err.count("\n")) == (1, 1)
    assert "the file cannot be unpacked" in outcome.err
    assert (tmp_path / "rest" / folders[1].name / "report.html").is_file()
    index = tmp_path / "all" / "index.html"
    index.unlink()
    index.mkdir()  # cannot be replaced by a file
    damaged.rename(tmp_path / "away")
    outcome = boostbench("report", "--all", "--output", tmp_path / "all")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "cannot be written: Is a directory" in outcome.err


def test_all_reports_of_an_empty_folder_are_refused_in_a_line(boostbench, in_this_process):
    outcome = boostbench("report", "--all")
    assert outcome.code == 2
    assert outcome.err == (
        "boostbench: results: no report is here; `boostbench report CONFIG` writes one\n"
    )
