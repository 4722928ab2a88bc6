"""Files for a paper of one's own: tables and figures at the width of a column, the protocol."""

from __future__ import annotations

import itertools
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from boostbench.reports.experiment_report import Report, make_part
from boostbench.reports.figures.panels import add_legend
from boostbench.reports.figures.style import drawing_style, pdf_of
from boostbench.reports.protocol import protocol
from boostbench.reports.tables.table import Table, short_labels, to_latex
from boostbench.reports.text import asset, latex
from boostbench.reports.values.frame import Study, error_at, holds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BEST, _CHOOSING = "best by validation", "validation_error"
_PROBLEM = attrgetter("noise", "run.dataset", "run.seed", "fold")  # of a result
_MOST_COLUMNS = 6  # boosters of a table that have a column each; more have a row


def for_paper(report: Report) -> tuple[dict[str, str | bytes], list[str]]:
    """Return the files for a paper by name, and remarks on what is left out.

    The files are a ``.tex`` for each table and figure of the report, a ``.pdf`` for each figure,
    laid out anew, ``protocol.tex`` (a paragraph, if there are runs), and ``paper.tex``, which holds
    all of them. Tables mark boosters that are not significantly worse than the best, and have a
    column with the best variant of a grid, chosen by the validation errors of each run.
    """
    study, config = report.study, report.study.config
    with_best, remarks = _with_best(study)
    remarks += report.undrawn.values()
    n_methods = len({its.run.method for its in with_best.results})
    files: dict[str, str | bytes] = {}
    if study.results:
        files["protocol.tex"] = f"{latex(protocol(study))}\n"
    for part in config.report:
        name = part.name
        if table := report.tables.get(name):
            if part.kind == "table":
                narrow = {"columns": "rounds"} if n_methods > _MOST_COLUMNS else {}
                options = part.options.model_copy(update={"tested": True, **narrow})
                made = make_part(replace(part, options=options), with_best)
                table = made if isinstance(made, Table) else table
            files[f"{name}.tex"] = to_latex(table, label=f"tab:{config.name}-{name}")
        elif figure := report.figures.get(name):
            with drawing_style():
                star = fit_column(figure)
                files[f"{name}.pdf"] = pdf_of(figure)
            words = latex(str(figure.get_label())), f"fig:{config.name}-{name}"
            files[f"{name}.tex"] = str(asset("figure.tex")) % (star, name, *words, star)
    inputs = [rf"\input{{{name}}}" for name in files if name.endswith(".tex")]
    files["paper.tex"] = str(asset("paper.tex")) % "\n".join(inputs)
    return files, remarks


def _with_best(study: Study) -> tuple[Study, list[str]]:
    """Return a study with the best variant of each grid beside its variants, and remarks.

    The variant with the lowest validation error is taken in each run, so the choice does not depend
    on the test part.
    """
    results, order, remarks = list(study.results), list(study.boosters), []
    grids: dict[str, list[str]] = {}  # labels that differ in values of parameters, by name
    for label, (name, variant) in short_labels(study.boosters).items():
        if "=" in variant:
            grids.setdefault(name, []).append(label)
    for name, labels in grids.items():
        best = f"{name} ({_BEST})"
        variants = [result for result in study.results if result.run.method in labels]
        if not all(holds(result, _CHOOSING) for result in variants if result.ok):
            what = f"no column '{best}': its runs have no validation errors, which a split such as"
            remarks.append(f"{what} {{folds: 5, validation: true}} records")
            continue
        for _, of in itertools.groupby(sorted(variants, key=_PROBLEM), _PROBLEM):
            chosen = min(of, key=lambda its: error_at(its, _CHOOSING) if its.ok else -1.0)
            booster = replace(chosen.run.booster, label=best)
            results.append(replace(chosen, run=replace(chosen.run, booster=booster)))
        order.insert(order.index(labels[-1]) + 1, best)
    results.sort(key=lambda result: order.index(result.run.method))
    return replace(study, results=tuple(results)), remarks


_WIDTH, _POINTS = 3.3, 8.0  # of a column in inches, and size of all text
_BOTH, _HIGHEST = 6.75, 6.0  # width of both columns, which panels take that would be higher in one
_SINGLE = 1.9  # smallest height of a single panel, in inches
_SHAPE = 0.85  # height of a panel among others, relative to its width


def fit_column(figure: Figure) -> str:
    """Lay out a figure anew for a column of 3.3 inches; return ``"*"`` if it takes both columns.

    A column has at most two panels in a row. Remarks within the figure are left out; its caption
    has them.
    """
    from matplotlib.gridspec import GridSpec
    from matplotlib.text import Text

    figure.supxlabel("")
    width, star = _WIDTH, ""
    panels, height = figure.axes, figure.get_figheight()
    specs = [axes.get_subplotspec() for axes in panels]
    body = 0.8 * height if len(panels) == 1 else height * _WIDTH / figure.get_figwidth()
    if len(panels) > 1 and all(spec and spec.num1 == spec.num2 for spec in specs):
        # Names within a panel need its whole width.
        n_columns = 1 if any(len(axes.texts) > 2 for axes in panels) else 2
        if _SHAPE * width / n_columns * -(-len(panels) // n_columns) > _HIGHEST:
            width, star, n_columns = _BOTH, "*", 2 * n_columns
        grid = GridSpec(-(-len(panels) // n_columns), n_columns, figure=figure)
        x = next(filter(None, (axes.get_xlabel() for axes in panels)), "")
        y = ""
        for place, axes in enumerate(panels):
            axes.set_subplotspec(grid[place])
            axes.set_xlabel(x.replace(", ", ",\n") * (place + n_columns >= len(panels)))
            y = axes.get_ylabel() or y
            axes.set_ylabel(y * (place % n_columns == 0))
        body = _SHAPE * width / n_columns * grid.nrows
    for axes in panels:
        axes.tick_params(labelsize=_POINTS, labelleft=True, labelbottom=True)
    for text in figure.findobj(Text):
        text.set_fontsize(_POINTS)
    figure.set_size_inches(width, max(body, _SINGLE))
    handles = {}
    for legend in figure.legends:
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            if handle is not None:
                handle.set_label(text.get_text())
                handles[text.get_text()] = handle
    figure.legends.clear()
    add_legend(figure, [*handles.values()], fontsize=_POINTS)
    return star
