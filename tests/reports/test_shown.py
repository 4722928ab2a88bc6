"""Tables, figures and reports of made-up experiments, in three lists of cases.

A case has what told.py reads of the experiment, and its `report`: a part alone, or a
list of parts, of which answers, refusals and protocol are shown.
``python -m tests.reports.test_shown`` rewrites the lists with what is shown now, to be reviewed
before a commit.
"""

from pathlib import Path

import numpy as np
import yaml
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.ticker import FixedLocator

from boostbench.errors import BoostbenchError
from boostbench.registry import name_and_options
from boostbench.reports.experiment_report import make_report
from boostbench.reports.figures.style import drawing_style
from boostbench.reports.protocol import protocol
from boostbench.reports.tables.table import Table, to_terminal
from boostbench.validation import MistakesError
from tests.golden import lay_out, parametrized, rewrite
from tests.reports.claims.stating import CONFIGS
from tests.reports.synthetic import made
from tests.reports.told import study_told

FOLDER = Path(__file__).parent
TABLES, FIGURES = FOLDER / "tables.txt", FOLDER / "figures.txt"
REPORTS = FOLDER / "reports.txt"


def outcome_of(title, given):
    """Return what is shown, or the refusal."""
    told = yaml.safe_load(lay_out(given).replace("configs/", f"{CONFIGS}/"))
    of_report = {key: told.pop(key) for key in ("size", "packed") if key in told}
    parts = told.pop("report")
    try:
        if isinstance(parts, list):
            parts = [name_and_options(part, "part") for part in parts]
            return report_in_words(make_report(study_told(**told, report=parts), **of_report))
        kind, options = name_and_options(parts, "part")
        study = study_told(**told)
        with drawing_style():
            shown = made(kind, study, **options)
            return table_in_words(shown) if isinstance(shown, Table) else in_words(shown)
    except (BoostbenchError, MistakesError) as error:
        return f"refused: {error}"


def report_in_words(report):
    made = f"parts: {', '.join([*report.tables, *report.figures]) or 'none'}"
    undrawn = [f"not {name}: {why}" for name, why in report.undrawn.items()]
    method = [protocol(report.study)] if report.study.results else []
    return "\n".join([*report.answers, made, *undrawn, *method])


def table_in_words(table):
    """Return a table with its answer, and the printed numbers that its values are held against."""
    held = [
        f"{paper} against {reading}: {'; '.join(n)}" for (paper, reading), n in table.held.items()
    ]
    return "\n".join([to_terminal(table), *table.answer, *held]).rstrip("\n")


def in_words(figure):
    """Return what a reader sees in a figure."""
    figure.draw_without_rendering()
    words = [f"caption: {figure.get_label()}", f"below: {figure.get_supxlabel()}"]
    for legend in figure.legends:
        words.append(f"legend: {', '.join(text.get_text() for text in legend.get_texts())}")
        words.append(f"above it: {' '.join(legend.get_title().get_text().split())}")
    for axes in figure.axes:
        legend = axes.get_legend()
        sides = " | ".join(filter(None, map(axes.get_title, ("left", "center", "right"))))
        words += ["", f"panel: {sides}", *map(axis_in_words, (axes.xaxis, axes.yaxis))]
        words += [line_in_words(line) for line in axes.lines]
        words += map(collection_in_words, axes.collections)
        bars = [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in axes.patches]
        bars = [(place, height) for place, height in bars if height]
        words += [f"bars: {points(bars, len(bars))}"] * bool(bars)
        words += [f"named: {', '.join(t.get_text() for t in legend.texts)}"] if legend else []
        words += map(text_in_words, axes.texts)
    return "\n".join(line for line in words if not line.endswith(": "))


def axis_in_words(axis):
    low, high = axis.get_view_interval()
    label, scale = " ".join(axis.get_label_text().split()), axis.get_scale()
    words = f"{axis.axis_name}: {label or 'without a name'}, {scale} from {low:.3g} to {high:.3g}"
    names = [label.get_text() for label in axis.get_ticklabels()]
    has_names = isinstance(axis.get_major_locator(), FixedLocator) and any(names)
    return f"{words}, at {', '.join(names)}" if has_names else words


def line_in_words(line):
    label = "" if line.get_label().startswith("_") else f" {line.get_label()}"
    return f"line{label}: {points(line.get_xydata())}"


def text_in_words(text):
    kind = "bold text" if text.get_weight() == "bold" else "text"
    return f"{kind} at {points([text.get_position()])}: {text.get_text()!r}"


def collection_in_words(collection):
    if isinstance(collection, PathCollection):
        return f"points: {points(collection.get_offsets())}"
    if isinstance(collection, LineCollection):
        return f"strokes: {'; '.join(points(each) for each in collection.get_segments())}"
    corners = np.vstack([path.vertices for path in collection.get_paths()])
    edges = [corners[corners[:, 0] == x, 1] for x in np.unique(corners[:, 0])]
    ends = np.array([(edge.min(), edge.max()) for edge in edges])
    return f"band {collection.get_gid()}: {points(ends)}"


def points(rows, most=6):
    """Return some of the points, from the first to the last, and their number if there are more."""
    rows = np.asarray(rows, dtype=float)
    places = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), most)).round())
    shown = (", ".join(f"{value:.4g}" for value in rows[int(place)]) for place in places)
    more = f" of {len(rows)}" * (len(rows) > len(places))
    return " ".join(f"({each})" for each in shown) + more


@parametrized(TABLES)
def test_a_table_shows(title, given, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert outcome_of(title, given) == expected


@parametrized(FIGURES)
def test_a_figure_shows(title, given, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert outcome_of(title, given) == expected


@parametrized(REPORTS)
def test_a_report_says(title, given, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert outcome_of(title, given) == expected


if __name__ == "__main__":
    rewrite(TABLES, outcome_of)
    rewrite(FIGURES, outcome_of)
    rewrite(REPORTS, outcome_of)
