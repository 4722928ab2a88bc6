"""Style of figures, fixed colours of boosters, and reproducible image files."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from boostbench.errors import BoostbenchError
from boostbench.reports.figures.charts import Chart, chart_of
from boostbench.reports.figures.small_files import DPI, small_png, small_svg
from boostbench.reports.text import in_print

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

GREY, INK = "#555555", "#222222"
#: Font size of remarks inside a figure, in points.
SMALL = 6.5
# The colour-blind safe palette of Okabe & Ito, then darker colours from that of Paul Tol.
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
# Boosters that have the same colour in every figure of every report.
_FIXED = {
    "adaboost-mh": "#0072B2",
    "samme": "#009E73",
    "sm-boost": "#D55E00",
    "martiboost": "#CC79A7",
    "splboost": "#332288",
    "adaboost-m1": "#E69F00",
    "adaboost-mm": "#882255",
}
_PALEST = 0.6  # share of white in the palest shade of a colour
_STYLE = Path(__file__).parents[1] / "templates" / "figures.mplstyle"


class Drawing(NamedTuple):
    """A figure as image files, with its caption and chart."""

    png: bytes
    svg: bytes
    pdf: bytes
    caption: str = ""
    chart: Chart | None = None  # data of the interactive chart; None: not a figure of lines


@contextmanager
def drawing_style(*, mathtext: bool = True) -> Iterator[None]:
    """Draw in the style of the package, whatever the user's matplotlibrc and rcParams.

    Parameters
    ----------
    mathtext : bool, default=True
        Render ``$...$`` in the text of a figure as a formula. With False, for text that contains
        external labels, formulas are marked by ``parse_math=True``.
    """
    try:
        import matplotlib.style
    except UnicodeDecodeError as error:  # in reading its settings
        what = "matplotlib cannot read its settings, which are not UTF-8; mend or move the file"
        raise BoostbenchError(what, where="matplotlibrc") from error

    settings: Any = [_STYLE, {"text.parse_math": mathtext}]
    with matplotlib.style.context(settings, after_reset=True):
        yield


def booster_colours(boosters: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the colour of each booster.

    Parameters
    ----------
    boosters : sequence of (label, name)
        Variants of a booster share its name and get shades of its colour.

    Returns
    -------
    colours : dict of label to colour

    Examples
    --------
    >>> booster_colours([("sm-boost", "sm-boost"), ("mine", "mine")])
    {'sm-boost': '#d55e00', 'mine': '#0072b2'}
    """
    names = list(dict.fromkeys(name for _, name in boosters))
    taken = {_FIXED[name] for name in names if name in _FIXED}
    free = [colour for colour in _PALETTE if colour not in taken] or list(_PALETTE)
    others = [name for name in names if name not in _FIXED]
    base = _FIXED | {name: free[place % len(free)] for place, name in enumerate(others)}
    colours = {}
    for name in names:
        labels = [label for label, booster in boosters if booster == name]
        for place, label in enumerate(labels):
            paleness = _PALEST * place / max(1, len(labels) - 1)
            colours[label] = _paler(base[name], paleness)
    return {label: colours[label] for label, _ in boosters}


def class_colours(n_classes: int) -> list[str]:
    """Return a colour for each class."""
    return [_PALETTE[k % len(_PALETTE)] for k in range(n_classes)]


def round_ticks(n: int, *, integer: bool = False) -> MaxNLocator:
    """Return a locator of at most ``n`` intervals with ticks at multiples of 1, 2, 5, 10, ..."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(n, steps=[1, 2, 5, 10], integer=integer)


def print_names(figure: Figure) -> None:
    """Apply `in_print` to all text of a figure."""
    from matplotlib.axis import Axis
    from matplotlib.text import Text

    for axis in figure.findobj(Axis):  # an axis writes its tick labels again when it is drawn
        assert isinstance(axis, Axis)
        labels = [label.get_text() for label in axis.get_ticklabels()]
        printed = [in_print(label) for label in labels]
        if printed != labels:
            axis.set_ticks(axis.get_ticklocs(), printed)
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        text.set_text(in_print(text.get_text()))


def files_of(figure: Figure) -> Drawing:
    """Return a figure as reproducible PNG, SVG and PDF, with its caption and chart."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    _show_powers(figure)
    files = {kind: io.BytesIO() for kind in ("png", "svg", "pdf")}
    undated: dict[str, dict[str, Any]] = {
        "png": {},  # `small_png` drops the metadata
        "svg": {"Date": None, "Creator": None},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    }
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # drawn as a box
        for kind, file in files.items():
            figure.savefig(file, format=kind, dpi=DPI, metadata=undated[kind])
            figure.set_layout_engine("none")  # keep the first layout, which costs most of the time
    png, svg, pdf = (file.getvalue() for file in files.values())
    return Drawing(small_png(png), small_svg(svg), pdf, str(figure.get_label()), chart_of(figure))


def _show_powers(figure: Figure) -> None:
    """Render the tick labels of log axes as formulas, such as powers of 10."""
    from matplotlib.ticker import LogFormatter

    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        if isinstance(axis.get_major_formatter(), LogFormatter):
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                tick.label1.set_parse_math(True)


def _paler(colour: str, share: float) -> str:
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = (part + (1 - part) * share for part in to_rgb(colour))
    return to_hex((red, green, blue))
