"""What a report gives for a paper of one's own: its parts from a file, LaTeX, protocol."""

REPORT = """\
title: Laid out anew
report:
  - table: {columns: booster, at: 4, name: last-round}
claims:
  - {says: samme leads, compares: {booster: samme, lower_than: others}}
"""


def test_a_report_file_changes_tables_without_new_runs(boostbench, done, tmp_path):
    (tmp_path / "mine.yaml").write_text(REPORT)
    outcome = boostbench("report", done, "--set", "report=mine.yaml")
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("Laid out anew\n")
    assert "results/tiny/last-round.md\n" in outcome.out
    assert "curves" not in outcome.out
    assert "samme leads" in boostbench("verify", done, "--set", "report=mine.yaml").out
    assert "6 ok" in boostbench("plan", done, "--set", "report=mine.yaml").out


def test_a_report_file_is_found_beside_the_config_and_may_change(boostbench, done, tmp_path):
    text = done.read_text().partition("report:")[0]
    beside = tmp_path / "elsewhere" / "config.yaml"
    beside.parent.mkdir()
    beside.write_text(f"{text}report: parts.yaml\n")
    for title in ("One", "Two"):
        beside.with_name("parts.yaml").write_text(f"title: {title}\nreport: [table]\n")
        outcome = boostbench("report", beside)
        assert (outcome.code, outcome.out.partition("\n")[0]) == (0, title)
