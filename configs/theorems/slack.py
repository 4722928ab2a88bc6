"""Table kind ``slack`` and figure kind ``ratios``: how far truths are from their bounds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from boostbench.plugins import (
    BEYOND,
    GREY,
    INK,
    NUMBERS,
    SMALL,
    MetricName,
    OneOrMore,
    Row,
    Study,
    Table,
    TableCell,
    lay_out,
    load_plugin,
    tidy,
)

_BROKEN = "_broken"
_NAMES = load_plugin(Path(__file__).with_name("bounds.py")).NAMES
#: All inequalities, and their broken rounds.
_ALL = (*_NAMES, *(name + _BROKEN for name in _NAMES))
_CLASSES = ("two", "more")


def _found(study: Study, values: OneOrMore[str]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each inequality with its ratio and broken rounds, by run and round."""
    names = [name.removesuffix(_BROKEN) for name in values if name.endswith(_BROKEN)]
    classes = {r.run.dataset: r.record.n_classes for r in study.results if r.ok and r.record}
    keys = ["dataset", "booster", "noise", "seed", "fold", "round"]
    for name in names:
        both = tidy(study.results, metrics=[name, name + _BROKEN])
        both = both[~both["carried"]]
        wide = both.pivot_table("value", keys, "metric", observed=True)
        if name in wide:
            wide = wide.dropna().reset_index()
            wide["classes"] = [_CLASSES[classes[each] > 2] for each in wide["dataset"]]
            yield name, wide


def slack(study: Study, *, values: OneOrMore[MetricName] = _ALL) -> Table:
    """Build the table of the inequalities: a row each, for two and for more classes.

    Parameters
    ----------
    values : sequence of str, default=all inequalities of ``bounds.py``
        Names of inequalities, and the same with ``_broken``.
    """
    rows = []
    for name, wide in _found(study, values):
        for classes, part in wide.groupby("classes", sort=False):
            runs = part.groupby([*wide.columns[:5]], observed=True)[name + _BROKEN].max()
            numbers = [
                f"{part['dataset'].nunique()}",
                f"{len(runs)}",
                f"{len(part)}",
                f"{runs.sum():.0f}",
                *(f"{value:.4f}" for value in np.quantile(part[name], (0.5, 1.0))),
            ]
            words = NUMBERS[name].words
            rows.append(Row((words, str(classes)), tuple(TableCell(n, value=n) for n in numbers)))
    return Table(
        title="Truth over bound",
        names=("inequality", "classes"),
        columns=("data sets", "runs", "rounds", "broken", "median", "largest"),
        rows=tuple(rows) or (Row((BEYOND, BEYOND), (TableCell(BEYOND),) * 6),),
        footers=(
            "Over all rounds of all runs. 1: the bound is attained; 0.1: ten times the truth. "
            "Broken: rounds in which the truth is above the bound, beyond rounding.",
        ),
    )


def ratios(study: Study, *, values: OneOrMore[MetricName] = _ALL) -> Figure:
    """Truth over bound against the round: median and range of all runs; 1 is the bound.

    Parameters
    ----------
    values : sequence of str, default=all inequalities of ``bounds.py``
        As of `slack`.
    """
    found = [*_found(study, values)]
    titles, labels = [""] * max(1, len(found)), ("round", "truth / bound")
    figure, panels = lay_out(titles, 3, (2.4, 1.7), (0.3, 0.2), labels)
    for axes, (name, wide) in zip(panels, found, strict=False):
        words, _, source = NUMBERS[name].words.rpartition(" (")
        axes.set_title(words, loc="left", fontsize=SMALL, fontweight="bold", pad=13)
        source = source.removesuffix(")")
        axes.text(0, 1.03, source, color=GREY, fontsize=SMALL, transform=axes.transAxes)
        by_round = wide.groupby("round")[name]
        low, median, high = by_round.min(), by_round.median(), by_round.max()
        axes.fill_between(low.index, low, high, color="#0072B2", alpha=0.2, linewidth=0)
        axes.plot(median.index, median, color="#0072B2", linewidth=1.3)
        axes.axhline(1.0, color=INK, linewidth=0.8, linestyle=(0, (3, 2)))
        axes.set(xscale="log", xlim=(1, None), ylim=(0.0, 1.1))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
    return figure
