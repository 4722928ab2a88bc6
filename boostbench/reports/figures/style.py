"""The style of figures, colours that stay with a booster, and files equal to the byte."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from boostbench.reports.figures.charts import Chart, chart_of
from boostbench.reports.figures.small_files import DPI, small_png, small_svg
from boostbench.reports.text import in_print

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

GREY, INK = "#555555", "#222222"
#: Size of remarks inside a figure, in points.
SMALL = 6.5
# Okabe & Ito's palette, told apart by colour-blind readers, then darker ones of Paul Tol's.
_PALETTE = (
    "#0072B2",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#332288",
    "#882255",
    "#999933",
    "#444444",
)
# The same booster has the same colour in every figure of every report.
_OWN = {
    "adaboost-mh": "#0072B2",
    "samme": "#009E73",
    "sm-boost": "#D55E00",
    "martiboost": "#CC79A7",
    "splboost": "#332288",
    "adaboost-m1": "#E69F00",
    "adaboost-mm": "#882255",
}
_PALEST = 0.6
#: Settings of a user that figures respect.
_OWN_STYLE = ("axes.", "font.", "grid.", "legend.", "lines.", "mathtext.", "xtick.", "ytick.")
_STYLE = Path(__file__).parents[1] / "templates" / "figures.mplstyle"


class Drawing(NamedTuple):
    """A figure as files and pages hold it."""

    png: bytes
    svg: bytes
    pdf: bytes
    caption: str = ""
    chart: Chart | None = None  # what the page draws anew, if the figure is one of lines


@contextmanager
def drawing_style(*, mathtext: bool = True) -> Iterator[None]:
    """Draw in the house style; what a user's matplotlibrc or rcParams change goes before it.

    Parameters
    ----------
    mathtext : bool, default=True
        Read ``$...$`` in the text of a figure as a formula. Where text is made of labels, which may
        hold a dollar sign, a formula is marked by ``parse_math=True``.
    """
    import matplotlib.style

    own = {
        key: matplotlib.rcParams[key]
        for key, default in matplotlib.rcParamsDefault.items()
        if key.startswith(_OWN_STYLE) and matplotlib.rcParams[key] != default
    }
    settings: Any = [_STYLE, own, {"text.parse_math": mathtext}]
    with matplotlib.style.context(settings, after_reset=True):
        yield


def booster_colours(boosters: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Choose the colour of each booster.

    Parameters
    ----------
    boosters : sequence of (label, name)
        Variants of one booster share the name; they get paler shades of one colour.

    Returns
    -------
    colours : dict of label to colour

    Examples
    --------
    >>> booster_colours([("sm-boost", "sm-boost"), ("mine", "mine")])
    {'sm-boost': '#d55e00', 'mine': '#0072b2'}
    """
    names = list(dict.fromkeys(name for _, name in boosters))
    taken = {_OWN[name] for name in names if name in _OWN}
    free = [colour for colour in _PALETTE if colour not in taken] or list(_PALETTE)
    others = [name for name in names if name not in _OWN]
    base = {name: free[place % len(free)] for place, name in enumerate(others)}
    colours = {}
    for name in names:
        labels = [label for label, its in boosters if its == name]
        for place, label in enumerate(labels):
            paleness = _PALEST * place / max(1, len(labels) - 1)
            colours[label] = _paler(_OWN.get(name) or base[name], paleness)
    return {label: colours[label] for label, _ in boosters}


def class_colours(n_classes: int) -> list[str]:
    """Return a colour for each class."""
    return [_PALETTE[k % len(_PALETTE)] for k in range(n_classes)]


def round_ticks(n: int, *, integer: bool = False) -> MaxNLocator:
    """Return a locator of at most ``n`` intervals whose ends are round numbers: 1, 2, 5, 10 ..."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(n, steps=[1, 2, 5, 10], integer=integer)


def print_names(figure: Figure) -> Figure:
    """Give methods their printed names in all text of a figure; return it."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        text.set_text(in_print(text.get_text()))
    return figure


def files_of(figure: Figure) -> Drawing:
    """Return a figure as PNG, SVG and PDF; the same figure gives the same bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    _show_powers(figure)
    files = {kind: io.BytesIO() for kind in ("png", "svg", "pdf")}
    undated: dict[str, dict[str, Any]] = {
        "png": {},  # goes into no file
        "svg": {"Date": None, "Creator": None},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    }
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # a box stands for it
        for kind, file in files.items():
            figure.savefig(file, format=kind, dpi=DPI, metadata=undated[kind])
            figure.set_layout_engine("none")  # the layout is done, and costs more than the drawing
    png, svg, pdf = (file.getvalue() for file in files.values())
    return Drawing(small_png(png), small_svg(svg), pdf, str(figure.get_label()), chart_of(figure))


def _show_powers(figure: Figure) -> None:
    """Let the ticks of log axes be formulas, as 10 to the power of 2 is."""
    from matplotlib.ticker import LogFormatter

    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        if isinstance(axis.get_major_formatter(), LogFormatter):
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                tick.label1.set_parse_math(True)


def _paler(colour: str, share: float) -> str:
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = (part + (1 - part) * share for part in to_rgb(colour))
    return to_hex((red, green, blue))
