"""A whole report: its files, their names, the page, and what is refused."""

import base64
from dataclasses import replace
from html.parser import HTMLParser
from operator import methodcaller
from pathlib import Path
from typing import ClassVar, NamedTuple

import pytest
from matplotlib.figure import Figure

from boostbench import registry
from boostbench.errors import BoostbenchError
from boostbench.experiments.runs import CLEAN, BoosterSpec, Params
from boostbench.reports.claims.verdicts import ClaimView
from boostbench.reports.experiment_report import Report, leaderboard_page, make_report
from boostbench.reports.figures import style
from boostbench.reports.figures.style import Drawing
from boostbench.reports.manuscript import for_paper
from boostbench.reports.tables.table import Row, Table, TableCell
from boostbench.reports.text import in_print
from boostbench.reports.values.frame import collect

from .claims.stating import with_claims
from .synthetic import EXCHANGE, make_config, plan_of

EVIL = "<script>alert('x')</script> & \"quoted\""


class Reader(HTMLParser):
    """Collects what a page would load and run, and whether its tags nest."""

    void = frozenset({"meta", "img", "br", "link", "input"})
    #: Tags whose end is implied by the next one of them, or by the end of what they are in.
    implied: ClassVar = {"td": ["td", "th"], "th": ["td", "th"], "tr": ["td", "th", "tr"]}

    def __init__(self, text):
        super().__init__()
        self.links, self.scripts, self.open, self.cells = [], 0, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.links += [v for k, v in attributes if k in ("src", "href", "srcset", "action", "data")]
        self.scripts += tag == "script"
        self.leave(self.implied.get(tag, ()))
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        self.leave(self.implied["tr"] if tag in ("thead", "tbody", "tfoot") else ())
        assert self.open.pop() == tag

    def leave(self, tags):
        while self.open and self.open[-1] in tags:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th", "pre", "summary"):
            self.cells.append(data.strip())


class Written(NamedTuple):
    report: Report
    paths: tuple[Path, ...]


def write_report(config, planned, folder):
    report = make_report(collect(config, planned))
    return Written(report, report.write(folder))


def report_of(tmp_path, config=None, **options):
    config = config or make_config(tmp_path)
    return write_report(config, plan_of(config, **options), tmp_path / "out")


def page_of(report):
    return report.paths[-1].read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Return an ordinary report, written."""
    return report_of(tmp_path_factory.mktemp("report"))


def test_the_files_of_a_report(report):
    names = [path.name for path in report.paths]
    assert names == [
        "table.md",
        "table.csv",
        "curves.png",
        "summary.json",
        "report.html",
    ]
    assert sorted(path.name for path in report.paths[0].parent.iterdir()) == sorted(names)


def test_the_same_records_give_the_same_bytes_and_a_read_error_leaves_them(tmp_path, monkeypatch):
    kinds = [
        kind for kind in registry.figures if registry.figures.module(kind)[:10] == "boostbench"
    ]
    parts = [(kind, {"x": "cap"} if kind == "parameter" else {}) for kind in ("table", *kinds)]
    boosters = [BoosterSpec("mine", Params({"cap": cap}), f"mine {cap}") for cap in (1, 2)]
    config = make_config(
        tmp_path,
        boosters=boosters,
        noise=[CLEAN, EXCHANGE],
        rounds=10,
        checkpoints=[10],
        report=parts,
    )
    first = report_of(tmp_path, config)
    assert not first.report.undrawn
    before = {path: path.read_bytes() for path in first.paths}
    again = report_of(tmp_path, config)
    assert {path: path.read_bytes() for path in again.paths} == before
    with monkeypatch.context() as patch:
        unreadable = methodcaller("savefig", "gone/font.png")
        patch.setattr("boostbench.reports.experiment_report.drawing_of", unreadable)
        with pytest.raises(OSError, match="font"):
            report_of(tmp_path, config)
    monkeypatch.setattr(style, "_files_of_fonts", lambda: {"DejaVu Sans": "gone/font.ttf"})
    style._letters_of.cache_clear()
    with pytest.raises(OSError, match="font"):
        report_of(tmp_path, config)
    assert {path: path.read_bytes() for path in first.paths} == before


def test_the_page_needs_nothing_but_itself_and_images_for_print(report):
    text = page_of(report)
    page = Reader(text)
    assert page.open == []
    (figure,) = [link for link in page.links if not link.startswith(("#", "data:"))]
    assert figure == "curves.png"  # for print: the chart has the same lines
    assert page_of(report).count('<img class="still"') == 1
    text = text.replace("https://github.com/leeoniya/uPlot", "")  # in the library's first comment
    assert "http://" not in text
    assert "https://" not in text
    assert len(text) < 1_000_000
    assert report.paths[0].with_name(figure).is_file()


def test_the_page_has_the_answer_and_the_numbers_of_the_tables(report):
    assert in_print(report.report.answers[0]) in page_of(report)
    cells = Reader(page_of(report)).cells
    for row in report.report.tables["table"].rows:
        assert all(cell.text in cells for cell in row.cells)


def test_what_a_run_printed_cannot_become_markup(tmp_path):
    config = make_config(
        tmp_path,
        boosters=["samme", BoosterSpec("sm-boost", label=f"mine {EVIL}")],
        title=EVIL,
        description=EVIL,
    )
    config = with_claims(
        config,
        {"says": EVIL, "note": EVIL, "compares": {"booster": "samme", "lower_than": "others"}},
    )
    planned = plan_of(config, absent={"dna/samme/*": f"failed: {EVIL}"})
    text = page_of(write_report(config, planned, tmp_path / "out"))
    page = Reader(text)
    assert page.scripts == 3  # ours, the library, the lines of the figure as JSON
    assert page.open == []
    assert "alert('x')" not in text


def test_a_leaderboard_leaves_out_data_sets_without_a_result(tmp_path):
    config = make_config(tmp_path, datasets=["dna", "letter", "segment"], noise=[CLEAN, EXCHANGE])
    results = plan_of(config)
    absent = [replace(r, status="skipped") if r.run.dataset == "letter" else r for r in results]
    boards = []
    for planned in (absent, [r for r in results if r.run.dataset != "letter"]):
        report = make_report(collect(config, planned))
        page = leaderboard_page(report.study, report.summary)
        boards.append(page.partition('<script id="data"')[2].partition("</script>")[0])
    assert boards[0] == boards[1] != ""


def test_the_page_tells_where_its_numbers_come_from(report):
    text = page_of(report)
    for fact in (
        "numpy 2.4.6",
        "A &lt;fast&gt; CPU",
        "openblas 1",
        "c0dec0de",
        "9.0 s",
        "tiny.yaml",
    ):
        assert fact in text, fact
    assert "<dt>made</dt>\n<dd>\n<div>2026-10-01</div>\n</dd>" in text
    assert "datasets: [dna, letter]  # &lt;made up&gt;" in text


def test_verdicts_are_in_the_page_and_in_claims_md(tmp_path):
    claim = {
        "says": "mh leads",
        "note": "as printed",
        "origin": "paper",
        "section": "Table 2",
        "quote": "AdaBoost.MH is <always> ahead",
        "compares": {"booster": "adaboost-mh", "lower_than": "others"},
    }
    config = with_claims(make_config(tmp_path), claim)
    report = report_of(tmp_path, config)
    page = Reader(page_of(report))
    assert "true" in page.cells
    headline = ClaimView(says="a", verdict="reproduced").verdict
    assert f'<span class="status good">{headline}</span>: ' in page_of(report)
    assert "true in 2 of 2 cases (all must)" in page_of(report)
    folder = tmp_path / "out"
    claims = (folder / "claims.md").read_text(encoding="utf-8")
    assert "## 1. mh leads\n\n> AdaBoost.MH is \\<always\\> ahead\n\n" in claims
    assert f"**{headline}** · paper, Table 2 · as printed\n\n- " in claims
    assert "true in 2 of 2 cases (all must)" in claims
    assert "<blockquote>AdaBoost.MH is &lt;always&gt; ahead (Table 2)<" in page_of(report)
    assert "1 claim of the paper: 1 true in these runs (1 beyond chance). Errors" in claims


def test_an_image_that_makes_the_page_larger_than_1_mb_is_named(tmp_path):
    drawings = {"small": Drawing(b"p" * 1000), "huge": Drawing(b"p" * 750_000)}
    config = make_config(tmp_path)
    report = make_report(collect(config, plan_of(config)))
    text = replace(report, drawings=drawings).page()
    images = [link for link in Reader(text).links if link.startswith("data:")]
    assert [len(base64.b64decode(image.partition(",")[2])) for image in images] == [1000]
    assert 'lies beside it: <a href="huge.png">' in text
    assert len(text.encode()) < 1_000_000


def test_a_part_that_raises_costs_itself_alone(tmp_path, monkeypatch):
    def draw_curves(study):
        raise KeyError("forgotten")

    draw_curves.__module__ = "boostbench.reports.figures.lines"
    known = registry.figures.declarations
    monkeypatch.setitem(known, "curves", replace(known["curves"], plugin=draw_curves))

    @registry.figures.register("broken")
    def draw_broken(study):
        return 1 / 0

    @registry.figures.register("nothing")
    def draw_nothing(study):
        pass

    @registry.figures.register("unsound")
    def draw_unsound(study):
        figure = Figure()
        figure.add_subplot().plot([1, 2]).pop().draw = lambda renderer: 1 / 0
        return figure

    @registry.tables.register("ragged")
    def build_ragged(study):
        return Table("", ("booster",), ("a", "b"), (Row(("x",), (TableCell("1"),)),))

    @registry.tables.register("numbers")
    def build_numbers(study):
        return Table("", ("booster",), ("a",), (Row(("x",), (TableCell(1),)),))

    kinds = ("broken", "curves", "nothing", "unsound", "ragged", "numbers", "table", "noise")
    config = make_config(tmp_path, noise=[CLEAN, EXCHANGE], report=[(kind, {}) for kind in kinds])
    report = make_report(collect(config, plan_of(config)))
    page = report.write(tmp_path / "out")[-1].read_text()
    told = {
        "broken": "broken: raised ZeroDivisionError: division by zero (test_report.py:",
        "curves": "KeyError: 'forgotten' (test_report.py:",
        "nothing": "nothing: returned NoneType, no Figure and no Table",
        "unsound": "unsound: raised ZeroDivisionError: division by zero (test_report.py:",
        "ragged": "ragged: a row must have 1 labels and 2 cells, as names and columns, not 1",
        "numbers": "numbers: a cell must have texts, such as '1', found 1",
    }
    assert report.undrawn.keys() == told.keys()
    assert all(words in report.undrawn[kind] for kind, words in told.items())
    assert report.undrawn["curves"].endswith("; this is a bug in boostbench")
    assert told["unsound"] in page
    assert not report.is_whole
    assert {"table.md", "noise.png"} <= {path.name for path in (tmp_path / "out").iterdir()}
    files, remarks = for_paper(report)
    assert {"table.tex", "noise.pdf"} <= files.keys()
    assert len(remarks) == len(told)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(BoostbenchError, match="cannot be written"):
        report_of(tmp_path)
