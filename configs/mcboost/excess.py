"""Figure kind ``excess``: the test error of a booster less that of a reference in each draw."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from boostbench.plugins import (
    GREY,
    INK,
    SMALL,
    BoostbenchError,
    BoosterLabel,
    OneOrMore,
    Study,
    chosen_rounds,
    colours_of,
    lay_out,
    remark,
    round_ticks,
    samples_of,
    share_in_words,
    side_by_side,
)

_PANEL, _HEIGHT = 2.5, 2.3
_PAPER = "#D55E00"


def excess(
    study: Study,
    *,
    booster: BoosterLabel | None = None,
    reference: BoosterLabel | None = None,
    at: OneOrMore[int] | None = None,
    printed: float | None = None,
) -> Figure:
    """Histograms of a booster's test error less the reference's on the same samples.

    Parameters
    ----------
    study : Study
    booster, reference : str or None, default=None
        Labels; the first and the last booster of the config by default.
    at : sequence of int or None, default=None
        Rounds T, one per panel; the checkpoints of the config by default.
    printed : float or None, default=None
        Excess printed in the paper for its single draw after the last of these rounds, in
        percentage points. It is drawn as a line in the last panel, with the share of draws below.
    """
    label, other = booster or study.boosters[0], reference or study.boosters[-1]
    if label == other:
        raise BoostbenchError(f"booster and reference must differ, found {label!r} twice")
    both = study.only(boosters=[label, other])
    excesses = {}
    for T in chosen_rounds(study, at):
        pairs = side_by_side(samples_of(study, "test_error", T), (label, other)).values()
        differences = [100 * each for a, b in pairs for each in a.minus(b).values.values()]
        excesses[T] = np.array(differences)
    n = max(len(values) for values in excesses.values())
    if not n:
        raise BoostbenchError(f"no draw was done by both {label!r} and {other!r} yet")
    titles, labels = (
        [f"T = {T}" for T in excesses],
        (f"{label} \N{MINUS SIGN} {other} (points)", "draws"),
    )
    figure, panels = lay_out(titles, len(titles), (_PANEL, _HEIGHT), (0.4, 0.0), labels)
    remark(figure, f"{n} draws")
    everything = np.concatenate([*excesses.values(), [0.0]])
    step = _step(everything, n)
    first, last = np.floor(everything.min() / step), np.ceil(everything.max() / step)
    edges = step * np.arange(first, last + 1)
    colour = colours_of(both)[label]
    for axes, values in zip(panels, excesses.values(), strict=True):
        _draw_panel(axes, values, edges, colour, printed if axes is panels[-1] else None)
    return figure


def _step(values: NDArray[np.float64], n: int) -> float:
    """Return a bar width of 1, 2 or 5 times a power of ten that gives about 2 sqrt(n) bars."""
    width = float(np.ptp(values)) / max(8.0, 2.0 * n**0.5) or 1.0
    power = 10.0 ** np.floor(np.log10(width))
    return float(min((power * m for m in (1, 2, 5, 10)), key=lambda step: abs(step - width)))


def _draw_panel(
    axes: Axes,
    values: NDArray[np.float64],
    edges: NDArray[np.float64],
    colour: str,
    printed: float | None,
) -> None:
    axes.hist(values, edges.tolist(), color=colour, alpha=0.8, zorder=2)
    axes.axvline(0, color=GREY, linewidth=0.7, zorder=1)
    low, median, high = np.quantile(values, [0.05, 0.5, 0.95]).tolist()
    axes.axvline(median, color=INK, linewidth=0.9, linestyle=(0, (3, 2)), zorder=4)
    words = [f"median {median:.2f}", f"90 % of draws: {low:.2f} to {high:.2f}"]
    if printed is not None:
        axes.axvline(printed, color=_PAPER, linewidth=1.2, zorder=4)
        n_below = int((values <= printed + 1e-9).sum())
        words.append(f"paper {printed:g}: {share_in_words(n_below, len(values))} as low")
    for line, text in enumerate(words):
        axes.text(
            0.98,
            0.97 - 0.085 * line,
            text.replace("-", "\N{MINUS SIGN}"),
            transform=axes.transAxes,
            color=_PAPER if line == 2 else INK,
            fontsize=SMALL,
            ha="right",
            va="top",
        )
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(0, 1.35 * axes.get_ylim()[1])
    axes.xaxis.set_major_locator(round_ticks(6))
    axes.yaxis.set_major_locator(round_ticks(4, integer=True))
    axes.grid(visible=False, axis="x")
