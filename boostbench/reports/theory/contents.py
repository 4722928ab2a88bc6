"""Figures 1 to 6 of "A theory of multiclass boosting": computed numbers, settings, claims."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.reports.theory import drawings
from boostbench.reports.theory.pages import FOLDER, Finding, Grid, Text, TheoryFigure
from boostbench.resources import shipped
from boostbench.theory import figures
from boostbench.theory.conditions import costs_of, decide_all
from boostbench.theory.layout import own_labels, uniform_baseline
from boostbench.theory.lazy import play_lazy
from boostbench.theory.pixels import PixelMap, one_round_half_width
from boostbench.theory.spaces import two_constants

__all__ = ["FIGURES"]

_STATED = "stated"
_RECALLED = "recalled; lost from the text at hand"
_CHOSEN = "chosen here; lost from the text at hand"
_TEXTS = {
    1: Text(
        "a space that satisfies SAMME's condition and is not boostable",
        "Left: two samples, three labels and two classifiers, which answer label 0 and label 1 "
        "everywhere; on these costs both pay more than the baseline. Middle: the largest edge with "
        "which this space satisfies each condition. Right: SAMME and AdaBoost.MM with a weak "
        "learner that knows all nine classifiers of the two samples, tries the two constant ones "
        "first, and returns the first that has edge gamma.",
        (
            ("samples, labels, classifiers", "2, 3, 2", _STATED),
            ("true labels and answers", "as drawn", "reconstructed from the text"),
            ("gamma of the lazy learner", "0.1", "chosen here"),
        ),
    ),
    2: Text(
        "error bounds with the uniform baseline",
        "The bound phi_T(0) of the zero-one loss for the edge-over-random condition with the "
        "uniform baseline. Left: over the rounds, beside the values the paper prints in a table. "
        "Right: over the classes.",
        (
            ("left: T", "0 to 10", _STATED),
            ("left: K, gamma", "6, 0", "derived: with gamma 0 no other K below 30 fits"),
            ("right: T, gamma", "10, 0.1", _RECALLED),
            ("right: K", "2 to 100", _CHOSEN),
        ),
    ),
    3: Text(
        "degrees of the zero-one loss",
        "On how many labels the worst baseline of the minimal condition puts its weight, for every "
        "state of three classes; s counts votes, label 0 is the true one. Pale: both degrees "
        "attain the maximum, to a relative 1e-12; mostly where the loss is certain.",
        (
            ("K, loss", "3, zero-one", _STATED),
            ("gamma", "0, 0, 0.4", _RECALLED),
            ("T", "10, 50, 50", _CHOSEN),
        ),
    ),
    4: Text(
        "potentials of the minimal condition",
        "The potential phi_T of the zero-one loss over the states of three classes; s counts "
        "votes, label 0 is the true one.",
        (
            ("K", "3", "derived: the plane needs three classes"),
            ("gamma", "0", _RECALLED),
            ("T", "10, 50", _CHOSEN),
        ),
    ),
    5: Text(
        "what the minimal condition costs",
        "Bounds phi_T(0) of the zero-one loss for the minimal condition and for the best fixed "
        "edge-over-random condition, that of the uniform baseline.",
        (
            ("right: T", "10", _STATED),
            ("left: K; gamma", "6; 0", _RECALLED),
            ("left: T; right: K", "0 to 20; 2 to 20", _CHOSEN),
        ),
    ),
    6: Text(
        "degrees of the exponential loss",
        "As Figure 3, for the exponential loss with four weights eta of a vote.",
        (
            ("K, loss", "3, exponential", _STATED),
            ("T, gamma, eta", "10, 0.1, as shown", _CHOSEN),
        ),
    ),
}


def _figure_1() -> TheoryFigure:
    space, gamma = two_constants(), 0.1
    decided = decide_all(space.predictions, space.y, space.n_classes)
    edges = {name: round(decision.gamma, 9) for name, decision in decided.items()}
    costs = np.array([[-1.0, 1.0, 0.0], [1.0, -1.0, 0.0]])
    baseline = own_labels(uniform_baseline(space.n_classes, gamma), space.y)
    paid, allowed = costs_of(space.predictions, costs), float((costs * baseline).sum())
    games = {name: play_lazy(name, gamma=gamma) for name in ("samme", "adaboost-mm")}
    last = {name: float(game.error[-1]) for name, game in games.items()}
    rows: list[tuple[Any, ...]] = [("edge", name, "", edge) for name, edge in edges.items()]
    for name, game in games.items():
        rows += [("error", name, T, e) for T, e in enumerate(game.error.tolist(), start=1)]
    findings = (
        Finding(
            "the space satisfies SAMME's condition",
            edges["samme"] > 0,
            f"with every edge up to {edges['samme']:.6g}",
        ),
        Finding(
            "it is not boostable",
            edges["minimal"] <= 0,
            f"the largest margin of a weighted vote is {edges['minimal']:.6g}",
        ),
        Finding(
            "there are costs on which both classifiers pay more than the baseline",
            bool((paid > allowed).all()),
            f"both pay {paid.min():g}, the baseline of edge {gamma:g} pays {allowed:g}",
        ),
        Finding(
            "with a weak learner that does no more than it must, AdaBoost.MM drives the error to 0 "
            "and SAMME does not",
            last["samme"] == 0.5 and last["adaboost-mm"] == 0,
            f"SAMME: {last['samme']:g} after {len(games['samme'].error)} rounds; "
            f"AdaBoost.MM: {last['adaboost-mm']:g} after {len(games['adaboost-mm'].error)}",
        ),
    )
    return TheoryFigure(
        1,
        _TEXTS[1],
        Grid(("condition", "largest edge"), [(k, f"{v:.6g}") for k, v in edges.items()]),
        Grid(("what", "name", "round", "value"), rows),
        findings,
        lambda: drawings.draw_conditions(costs, space.y, edges, games),
    )


def _figure_2() -> TheoryFigure:
    table, printed, curve = figures.figure_2_table(), _printed(), figures.figure_2_curve()
    ours = [_two_decimals(float(value)) for value in table.value]
    agrees = [mine == theirs for mine, theirs in zip(ours, printed, strict=True)]
    lines = list(zip(table.n_rounds, table.exact, table.value, ours, printed, strict=True))
    rows: list[tuple[Any, ...]] = [
        ("T", T, 6, 0, float(value), exact, paper) for T, exact, value, _, paper in lines
    ]
    bounds = curve.fixed.tolist()
    rows += [("K", 10, K, 0.1, bound, "", "") for K, bound in enumerate(bounds, start=2)]
    top = int(curve.fixed.argmax())
    findings = (
        Finding(
            "the printed bounds of 0 to 9 rounds",
            all(agrees[:-1]),
            f"{sum(agrees[:-1])} of {len(agrees) - 1} agree to the digit",
        ),
        Finding(
            f"the printed bound of 10 rounds, {printed[-1]}",
            agrees[-1],
            f"it is {table.exact[-1]} = {table.value[-1]:.5f}, which rounds to {ours[-1]}; "
            "0.885 rounded once more gives the printed one",
        ),
        Finding(
            "the bound neither simply rises nor simply falls with the number of classes",
            0 < top < len(bounds) - 1,
            f"it rises from {bounds[0]:.4f} (K = 2) to {bounds[top]:.4f} (K = {top + 2}) and falls "
            f"to {bounds[-1]:.4f} (K = {len(bounds) + 1})",
        ),
    )
    return TheoryFigure(
        2,
        _TEXTS[2],
        Grid(
            ("T", "exact", "value", "rounded", "paper"),
            [(T, str(exact), f"{value:.4f}", *both) for T, exact, value, *both in lines],
        ),
        Grid(("over", "T", "K", "gamma", "bound", "exact", "paper"), rows),
        findings,
        lambda: drawings.draw_table_and_curve(table, [float(text) for text in printed], curve),
    )


def _figure_3() -> TheoryFigure:
    settings = ((10, 0.0), (50, 0.0), (50, 0.4))
    maps = list(zip(settings, figures.figure_3_maps(settings), strict=True))
    counts = [_counts(pixels) for _, pixels in maps]
    striped = [_is_striped(pixels) for _, pixels in maps]
    findings = (
        Finding(
            "neither degree is right everywhere",
            all(three and two for three, two, _ in counts),
            "pixels of degree 3 only and of degree 2 only: "
            + ", ".join(f"{three} and {two}" for three, two, _ in counts),
        ),
        Finding(
            "degree 2 only where max(x, y), by which the foremost wrong label leads, is even, and "
            "not where x = y",
            all(striped),
            f"without exception in {sum(striped)} of {len(striped)} maps",
            by_paper=False,
        ),
    )
    return TheoryFigure(
        3,
        _TEXTS[3],
        Grid(
            ("T", "gamma", "degree 3 only", "degree 2 only", "both"),
            [(*setting, *count) for setting, count in zip(settings, counts, strict=True)],
        ),
        Grid(
            ("T", "gamma", "x", "y", "degree", "both"),
            [(*setting, *row) for setting, pixels in maps for row in _degree_rows(pixels)],
        ),
        findings,
        lambda: drawings.draw_degrees(
            [pixels for _, pixels in maps],
            [(f"T = {T}, γ = {gamma:g}", "") for T, gamma in settings],
        ),
    )


def _figure_4() -> TheoryFigure:
    rounds = (10, 50)
    maps = figures.figure_4_surfaces(rounds)
    steps = [float(np.abs(np.diff(pixels.value, axis=0)).max()) for pixels in maps]
    bends = [float(np.abs(np.diff(pixels.value, n=2, axis=0)).max()) for pixels in maps]
    finding = Finding(
        "the surface is irregular for few rounds and smoother for more",
        bends[1] < bends[0],
        f"from pixel to pixel its slope changes by up to {bends[0]:.4f} for T = 10 and by up to "
        f"{bends[1]:.4f} for T = 50",
    )
    return TheoryFigure(
        4,
        _TEXTS[4],
        Grid(
            ("T", "steepest slope along x", "largest change of slope"),
            [(T, f"{a:.4f}", f"{b:.4f}") for T, a, b in zip(rounds, steps, bends, strict=True)],
        ),
        Grid(
            ("T", "x", "y", "potential"),
            [
                (T, *row)
                for T, pixels in zip(rounds, maps, strict=True)
                for row in _rows(pixels, pixels.value)
            ],
        ),
        (finding,),
        lambda: drawings.draw_surfaces(maps, [f"T = {T}" for T in rounds]),
    )


def _figure_5() -> TheoryFigure:
    over_rounds, over_classes = figures.figure_5_rounds(), figures.figure_5_classes()
    rows: list[tuple[Any, ...]] = []
    for name, curve in (("T", over_rounds), ("K", over_classes)):
        assert curve.minimal is not None
        bounds = zip(curve.minimal.tolist(), curve.fixed.tolist(), strict=True)
        for at, (minimal, fixed) in zip(curve.abscissa.tolist(), bounds, strict=True):
            rows.append((name, *((at, 6) if name == "T" else (10, at)), 0, minimal, fixed))
    shown = [row for row in rows if row[:2] in {("T", 5), ("T", 10), ("T", 20)}]
    shown += [row for row in rows if row[0] == "K" and row[2] in {2, 3, 10, 20}]
    *_, minimal, fixed = rows[10]
    of_two = next(row for row in rows if row[0] == "K" and row[2] == 2)
    findings = (
        Finding(
            "the bound of the minimal condition is larger, by a significant gap",
            all(row[4] >= row[5] - 1e-12 for row in rows) and minimal - fixed > 0.01,
            f"nowhere smaller; {minimal:.4f} against {fixed:.4f} for K = 6, T = 10",
        ),
        Finding(
            "they are one for two classes",
            abs(of_two[4] - of_two[5]) < 1e-12,
            f"both are {of_two[5]:.4f} for T = 10",
            by_paper=False,
        ),
    )
    panels = [("over the rounds, K = 6, γ = 0", "rounds T", over_rounds)]
    panels += [("over the classes, T = 10, γ = 0", "classes K", over_classes)]
    return TheoryFigure(
        5,
        _TEXTS[5],
        Grid(
            ("T", "K", "minimal", "fixed"),
            [(T, K, f"{a:.4f}", f"{b:.4f}") for _, T, K, _, a, b in shown],
        ),
        Grid(("over", "T", "K", "gamma", "minimal", "fixed"), rows),
        findings,
        lambda: drawings.draw_bounds(panels),
    )


def _figure_6() -> TheoryFigure:
    etas = (0.1, 0.2, 0.3, 0.5)
    maps = figures.figure_6_maps(etas)
    widths = [pixels.half_width() for pixels in maps]
    bands = [
        "everywhere" if (pixels.degree == 3).all() else f"|x − y| ≤ {width}"
        for pixels, width in zip(maps, widths, strict=True)
    ]
    of_one_round = [f"{one_round_half_width(eta):.2f}" for eta in etas]
    findings = (
        Finding(
            "the pixels of degree 3 are a band along the diagonal",
            all(_is_band(pixels) for pixels in maps),
            f"exactly those with |x - y| at most {', '.join(map(str, widths))}",
        ),
        Finding(
            "for small eta the whole map has degree 3",
            bands[0] == "everywhere",
            f"it has for eta = {etas[0]:g}",
        ),
        Finding(
            "the band narrows as eta grows",
            widths == sorted(widths, reverse=True),
            f"with one round left it is |x - y| <= {', '.join(of_one_round)} for these eta",
            by_paper=False,
        ),
    )
    return TheoryFigure(
        6,
        _TEXTS[6],
        Grid(
            ("eta", "degree 3", "degree 2", "degree 3 where"),
            [
                (eta, *_counts(pixels)[:2], band)
                for eta, pixels, band in zip(etas, maps, bands, strict=True)
            ],
        ),
        Grid(
            ("T", "gamma", "eta", "x", "y", "degree", "both"),
            [
                (10, 0.1, eta, *row)
                for eta, pixels in zip(etas, maps, strict=True)
                for row in _degree_rows(pixels)
            ],
        ),
        findings,
        lambda: drawings.draw_degrees(
            maps, [(f"η = {eta:g}", band) for eta, band in zip(etas, bands, strict=True)]
        ),
    )


#: The figures by their number in the paper.
FIGURES: dict[int, Callable[[], TheoryFigure]] = {
    1: _figure_1,
    2: _figure_2,
    3: _figure_3,
    4: _figure_4,
    5: _figure_5,
    6: _figure_6,
}


def _printed() -> list[str]:
    """Return the bounds of Figure 2's table as the paper prints them, for T = 0, 1, ..."""
    path = shipped("configs") / FOLDER / "figure2-table.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return [row["error_bound"] for row in csv.DictReader(file)]


def _two_decimals(value: float) -> str:
    return str(Decimal(value).quantize(Decimal("0.01"), ROUND_HALF_UP))


def _counts(pixels: PixelMap) -> tuple[int, int, int]:
    """Return how many pixels have degree 3 only, degree 2 only, and both."""
    three = (pixels.degree == 3) & ~pixels.tied
    return int(three.sum()), int((pixels.degree == 2).sum()), int(pixels.tied.sum())


def _is_striped(pixels: PixelMap) -> bool:
    x, y = np.meshgrid(pixels.coordinate, pixels.coordinate, indexing="ij")
    two = pixels.degree == 2
    return bool((np.maximum(x, y)[two] % 2 == 0).all() and (x[two] != y[two]).all())


def _is_band(pixels: PixelMap) -> bool:
    distance = np.abs(np.subtract.outer(pixels.coordinate, pixels.coordinate))
    return bool(((distance <= pixels.half_width()) == (pixels.degree == 3)).all())


def _degree_rows(pixels: PixelMap) -> Iterator[tuple[Any, ...]]:
    """Yield x, y, degree and whether both degrees attain the maximum."""
    for (*place, degree), (*_, tied) in zip(
        _rows(pixels, pixels.degree), _rows(pixels, pixels.tied), strict=True
    ):
        yield *place, degree, int(tied)


def _rows(pixels: PixelMap, values: NDArray[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield x, y and the value of every pixel."""
    at = pixels.coordinate.tolist()
    for x, line in zip(at, values.tolist(), strict=True):
        for y, value in zip(at, line, strict=True):
            yield x, y, value
