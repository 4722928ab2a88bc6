"""Labels may hold anything: no writer breaks, and none passes on what a reader would obey."""

import csv
import io
import json
import re
from dataclasses import replace

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from boostbench.experiments.runs import BoosterSpec
from boostbench.reports.experiment_report import make_report
from boostbench.reports.figures.style import drawing_of, drawing_style
from boostbench.reports.tables.table import (
    Row,
    Table,
    TableCell,
    to_csv,
    to_latex,
    to_markdown,
    to_terminal,
)
from boostbench.reports.text import plain, visible
from boostbench.reports.values.frame import collect

from .claims.stating import with_claims
from .synthetic import make_config, plan_of

SAID = ["$\\frac{$", "a|b\nc", "=1+1", "<b>&{[%#_~^", "- x", "-->"]
HOSTILE = [*SAID, "\ud800", "\x1b[31m\x1b]0;t\x07", "\r"]
labels = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(), min_size=1, max_size=20))
# What a config can say; control characters are refused when it is read.
labels_of_a_config = st.one_of(
    st.sampled_from(SAID),
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20),
)
few = settings(max_examples=60)


def table_of(label):
    notes = (label,)
    cells = (TableCell(label, label, best=True, notes=notes, paper=label, paper_notes=notes),)
    rows = (Row((label, label, label), cells),)
    return Table(label, ("noise", label, "booster"), (label,), rows, (label,))


@few
@given(labels)
def test_control_characters_are_escaped_and_other_text_is_unchanged(label):
    text = visible(label)
    assert all(c.isprintable() or c in "\n\t\xa0" for c in text)
    assert text.encode()
    if label.isprintable():
        assert text == label
    assert "\n" not in plain(label)


@few
@given(labels)
def test_markdown_keeps_its_table(label):
    text = to_markdown(table_of(label))
    rows = [line for line in text.split("\n") if line.startswith("|")]
    assert len(rows) == 3
    assert {len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows} == {6}
    assert not re.search(r"(?<!\\)(\\\\)*[<$`]", text)


@few
@given(labels)
@example("000000000 ")  # of two words, the second empty
def test_latex_keeps_its_table(label):
    text = to_latex(table_of(label))
    (body,) = re.findall(r"\\midrule\n(.*)\n\\bottomrule", text)
    assert len(re.findall(r"(?<!\\)&", body)) == 3
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"(?<!\\)[#_^~]", text)


@few
@given(labels)
@example("booster")  # a name of a column, too
def test_no_cell_of_a_csv_is_a_formula(label):
    header, row = csv.reader(io.StringIO(to_csv(table_of(label)), newline=""))
    assert len(header) == len(row)
    numbers = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?")
    for cell in row:
        assert not cell.lstrip().startswith(("=", "+", "-", "@")) or numbers.fullmatch(cell)


@few
@given(labels)
def test_the_terminal_gets_no_control_characters(label):
    assert to_terminal(table_of(label)).replace("\n", "").isprintable()


@settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(labels_of_a_config, labels_of_a_config, labels_of_a_config)
@example("$\\frac{$", "=1", "--><script>")
def test_a_report_is_written_whatever_the_labels(tmp_path, booster, dataset, said):
    config = make_config(
        tmp_path,
        datasets=[dataset, "vowel"],
        boosters=[BoosterSpec("samme", label=booster), "sm-boost"],
        rounds=4,
        checkpoints=[4],
        title=said,
        report=[
            ("table", {"columns": "booster"}),
            ("critical-difference", {}),
            ("curves", {}),
        ],
    )
    config = with_claims(
        config, {"says": said, "note": said, "stops": {"booster": "sm-boost", "before": 1}}
    )
    report = make_report(collect(config, plan_of(config)))
    assert not report.undrawn
    for path in report.write(tmp_path / "out"):
        if path.suffix == ".json":
            json.loads(path.read_bytes())
        elif path.suffix != ".png":
            assert path.read_text(encoding="utf-8")


def test_a_table_without_remarks_has_a_text_for_the_terminal():
    assert to_terminal(replace(table_of("a"), footers=(), rows=())).startswith("a\n")


def test_a_log_axis_has_powers_and_labels_have_none():
    with drawing_style():
        axes = (figure := Figure()).add_subplot(yscale="log", ylim=(1, 1e6))
        axes.set_xticks([0, 1], ["$x^2$", "dna"])
        drawing_of(figure)
    assert [text.get_parse_math() for text in axes.get_xticklabels()] == [False, False]
    assert all(text.get_parse_math() for text in axes.get_yticklabels())
