"""Four faces of one table: the same numbers in each, checked against files read by eye."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from boostbench.experiments.runs import CLEAN
from boostbench.reports.tables.error_table import build_table
from boostbench.reports.tables.table import (
    Row,
    Table,
    TableCell,
    to_csv,
    to_latex,
    to_markdown,
    to_terminal,
)
from boostbench.reports.values.paper import read_paper_values

from .synthetic import EXCHANGE, make_config, study_of

GOLDEN = Path(__file__).parent / "golden"
WRITERS = {".txt": to_terminal, ".md": to_markdown, ".tex": to_latex, ".csv": to_csv}
PAPER = (
    "dataset,method,T,noise,error,unit,doubt\n"
    "dna,adaboost-mh,10,0.2,24.8,percent,\n"
    "dna,samme,10,0.2,10,percent,smudged & torn\n"
    "letter_x,sm-boost,100,0.2,14.30,percent,\n"
)


@pytest.fixture
def table(tmp_path):
    """Two noises, a letter that TeX minds, a gap, an early stop, a doubt, two seeds."""
    (tmp_path / "paper.csv").write_text(PAPER)
    config = make_config(
        tmp_path, datasets=["dna", "letter_x", "vowel"], noise=[CLEAN, EXCHANGE], seeds=2
    )
    study = study_of(
        config,
        stopped={"dna/samme/exchange-0.2/seed-1": 37},
        absent={
            "letter_x/samme/clean/seed-0": "timeout: exceeded 30 s",
            "vowel/*": "skipped: no vowel.csv in 50% of {a|b}",
        },
    )
    return build_table(study, paper=read_paper_values(tmp_path / "paper.csv"))


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_table_is_written_as_it_was_checked_by_eye(table, suffix):
    written = WRITERS[suffix](table)
    assert written == (GOLDEN / f"table{suffix}").read_text(encoding="utf-8")


def latex_forms(table):
    """The table as it is, without values of a paper, and too long for a page."""
    bare = tuple(
        replace(row, cells=tuple(replace(cell, paper="", paper_notes=()) for cell in row.cells))
        for row in table.rows
    )
    return {
        "paper": table,
        "bare": replace(table, rows=bare),
        "long": replace(table, rows=table.rows * 5),
    }


@pytest.mark.parametrize("form", ["paper", "bare", "long"])
def test_latex_is_well_formed(table, form):
    text = to_latex(latex_forms(table)[form], label="tab:x")
    begin = r"\\begin\{tabular\}\{@\{\}([lr]+)@\{\}\}\n"
    blocks = re.findall(begin + r"(.*?)\\end\{tabular\}", text, re.S)
    assert len(blocks) == text.count(r"\end{tabular}")
    for shape, body in blocks:
        for line in body.splitlines():
            if line.endswith(r"\\"):
                spanned = sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", line))
                assert len(re.findall(r"(?<!\\)&", line)) + 1 + spanned == len(shape), line
    plain = text.replace(r"\{", "").replace(r"\}", "").replace(r"\%", "")
    assert plain.count("{") == plain.count("}")
    begun, ended = (re.findall(rf"\\{word}\{{([\w*]+)\}}", text) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended)
    assert not re.search(r"(?<!\\)[#_]", text)
    labels = re.findall(r"\\label\{(.*?)\}", text)
    n_tables = text.count(r"\end{table")
    assert labels == ["tab:x", *(f"tab:x-{n}" for n in range(2, n_tables + 1))]


def test_latex_has_a_table_for_each_noise_and_continues_a_long_one(table):
    titles = re.findall(r"\\caption\{.*?\((.*?)\)", to_latex(table))
    assert list(dict.fromkeys(titles)) == ["clean", r"20 \% exchanged"]
    long = to_latex(replace(table, rows=table.rows[:5] * 12))
    assert long.count(r"\begin{table}") == long.count(", continued}") + 1 > 1
    assert max(each.count(r"\textbf") for each in long.split(r"\begin{table}")) <= 48


def test_variants_of_a_grid_have_short_labels_below_their_name():
    labels = ["mine (gamma=0.5, trim=0.1)", "mine (gamma=1, trim=0.1)", "samme (random)"]
    cells = tuple(TableCell(text, value=text) for text in ("1.0", "2.0", "3.0"))
    rows = (Row(("dna",), cells),)
    text = to_latex(Table("T", ("data set",), tuple(labels), rows))
    heads = text.partition(r"\toprule")[2].partition(r"\midrule")[0].strip("\n").splitlines()
    assert heads == [
        r" & \multicolumn{2}{c}{mine} & SAMME (random) \\",
        r"data set & $\gamma$=0.5 & $\gamma$=1 &  \\",
    ]


def test_latex_compiles(table, tmp_path):
    pdflatex = shutil.which("pdflatex")
    if pdflatex is None:
        pytest.skip("pdflatex is not installed")
    head = (
        r"\documentclass[twocolumn]{article}\usepackage[margin=0.7in,columnsep=0.25in]{geometry}"
        r"\usepackage{booktabs,graphicx}\begin{document}"
    )
    letters = (
        "αβγδεζηθικλμνξοπρςστυφχψωΓΔΘΛΞΠΣΥΦΨΩÀÁÂÃÄÅÇÈÑÖØÙßàáâãäåæçéñöøœłžš−×≤≥±†‡§¶–—‘’“”…²≈中🙂"
    )
    tables = [
        *latex_forms(table).values(),
        replace(table, title=" ".join(letters), names=("noise", *letters[:2])),
    ]
    body = "".join(map(to_latex, tables))
    (tmp_path / "t.tex").write_text(f"{head}\n{body}\\end{{document}}")
    done = subprocess.run(
        [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert not re.search(rb"Missing character|Overfull", (tmp_path / "t.log").read_bytes())
