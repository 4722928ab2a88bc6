"""Style of figures, the look of each method, and reproducible image files."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from colorsys import hsv_to_rgb
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from zlib import crc32

import numpy as np

from boostbench.errors import BoostbenchError
from boostbench.reports.figures.charts import Chart, chart_of
from boostbench.reports.text import in_print

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

GREY, INK = "#555555", "#222222"
_DPI = 144  # of PNG files
#: Font size of remarks inside a figure, in points.
SMALL = 6.5
_FONT = "DejaVu Sans"  # as in figures.mplstyle
_LONGEST = 40  # letters of a name
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
#: Marks of lines.
MARKERS = "os^vP*Xhp<>d"
# Methods whose colour and mark are chosen; those of others follow from their name.
_CHOSEN = {
    "adaboost-mh": ("#0072B2", "o"),
    "samme": ("#009E73", "s"),
    "sm-boost": ("#D55E00", "^"),
    "martiboost": ("#CC79A7", "v"),
    "splboost": ("#332288", "P"),
    "adaboost-m1": ("#E69F00", "p"),
    "adaboost-mm": ("#882255", "X"),
}
_SALT = 15704  # with it, the colours of methods that share a shipped figure are far apart
_PALEST = 0.6  # share of white in the palest shade of a colour
_STYLE = Path(__file__).parents[1] / "templates" / "figures.mplstyle"


class Drawing(NamedTuple):
    """A figure as image files, with its caption and chart."""

    png: bytes
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


def method_styles(labels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the colour and the mark of each method, by the arguments of `Axes.plot`.

    They follow from the name of the method alone, so that it looks alike in all figures of all
    reports. Variants, ``name (variant)``, have shades of one colour in the order of the labels.

    Examples
    --------
    >>> method_styles(["samme", "mine"])["samme"]
    {'color': '#009e73', 'marker': 's'}
    """
    variants: dict[str, list[str]] = {}
    for label in dict.fromkeys(labels):
        variants.setdefault(label.partition(" (")[0], []).append(label)
    styles = {}
    for name, of_name in variants.items():
        colour, marker = _CHOSEN.get(name) or _style_of(name)
        for place, label in enumerate(of_name):
            shade = _paler(colour, _PALEST * place / max(1, len(of_name) - 1))
            mark = MARKERS[(MARKERS.index(marker) + place) % len(MARKERS)]
            styles[label] = {"color": shade, "marker": mark}
    return styles


def _style_of(name: str) -> tuple[str, str]:
    code = crc32(f"{_SALT}{name}".encode(errors="replace"))
    red, green, blue = hsv_to_rgb(code % 360 / 360, 0.85, (0.85, 0.6)[code // 360 % 2])
    colour = "#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue))
    return colour, MARKERS[code // 720 % len(MARKERS)]


def class_colours(n_classes: int) -> list[str]:
    """Return a colour for each class."""
    return [_PALETTE[k % len(_PALETTE)] for k in range(n_classes)]


def round_ticks(n: int, *, integer: bool = False) -> MaxNLocator:
    """Return a locator of at most ``n`` intervals with ticks at multiples of 1, 2, 5, 10, ..."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(n, steps=[1, 2, 5, 10], integer=integer)


def print_names(figure: Figure, names: Iterable[str] = ()) -> None:
    """Apply `in_print` to all text of a figure, shorten long names, and choose fonts that have it.

    Letters that no installed font has are written as their code points, such as U+4E2D.
    """
    from matplotlib.axis import Axis
    from matplotlib.text import Text

    long = {name: shortened(name) for name in map(in_print, names) if shortened(name) != name}
    parts = figure.findobj()
    letters = (part.get_text() for part in parts if isinstance(part, Text))
    fonts = list(_fonts_with(frozenset("".join(letters))))

    def printed(text: str) -> str:
        text = in_print(text)
        for name, short in long.items():
            text = text.replace(name, short)
        return "".join(c if _has(fonts, c) else f"U+{ord(c):04X}" for c in text)

    for axes in figure.axes:  # for the chart, which needs no font
        axes.set_label(in_print(axes.get_title("left") or axes.get_title()))
    for axis in (part for part in parts if isinstance(part, Axis)):
        # an axis writes its tick labels again when it is drawn
        labels = [label.get_text() for label in axis.get_ticklabels()]
        if labels != (changed := [printed(label) for label in labels]):
            axis.set_ticks(axis.get_ticklocs(), changed)
            parts += axis.findobj(Text)
    for text in (part for part in parts if isinstance(part, Text)):
        text.set_text(printed(text.get_text()))
        if len(fonts) > 1:
            text.set_fontfamily(fonts)
    if long:
        figure.set_label(f"{figure.get_label()} Names that end in … are cut.")


def shortened(name: str) -> str:
    """Return a name of at most `_LONGEST` letters.

    Examples
    --------
    >>> len(shortened("a" * 120))
    40
    """
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"


@cache
def _fonts_with(letters: frozenset[str]) -> tuple[str, ...]:
    """Return the font of figures, and installed fonts for those of the letters that it lacks."""
    fonts = [_FONT]
    missing = {c for c in letters if not _has(fonts, c)}
    for name in sorted(_files_of_fonts()) if missing else ():
        found = {c for c in missing if _has([name], c)}
        if found:
            fonts, missing = [*fonts, name], missing - found
    return tuple(fonts)


def _has(fonts: Sequence[str], letter: str) -> bool:
    return letter in "\n\t" or any(ord(letter) in _letters_of(name) for name in fonts)


@cache
def _files_of_fonts() -> dict[str, str]:
    """Return the files of the upright installed fonts by name, without fonts of placeholders."""
    from matplotlib.font_manager import fontManager

    fonts = (f for f in fontManager.ttflist if f.style == "normal" and f.weight in (400, "normal"))
    return {font.name: font.fname for font in fonts if not font.name.startswith("Last Resort")}


@cache
def _letters_of(name: str) -> frozenset[int]:
    """Return the code points of the letters that figures can take from a font."""
    from matplotlib.font_manager import get_font

    font = get_font(_files_of_fonts()[name])
    return frozenset(font.get_charmap() if font.scalable else ())


def files_of(figure: Figure) -> Drawing:
    """Return a figure as reproducible PNG and PDF, with its caption and chart.

    The canvases draw the figure once for each file; `Figure.savefig` draws it twice.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_pdf import FigureCanvasPdf

    figure.set_dpi(_DPI)
    canvas: Any = FigureCanvasAgg(figure)
    _show_powers(figure)
    canvas.draw()
    figure.set_layout_engine("none")  # keep the first layout, which costs most of the time
    undated: Any = {"CreationDate": None, "Creator": None, "Producer": None}
    pdf, on_paper = io.BytesIO(), cast("Any", FigureCanvasPdf(figure))
    on_paper.print_pdf(pdf, metadata=undated)
    caption = str(figure.get_label())
    return Drawing(_small_png(canvas.buffer_rgba()), pdf.getvalue(), caption, chart_of(figure))


def _small_png(pixels: Any) -> bytes:
    """Return a PNG with at most 256 colours, of about a third of the size."""
    from PIL import Image

    small = io.BytesIO()
    image = Image.fromarray(np.asarray(pixels)).convert("RGB")
    image = image.quantize(256, dither=Image.Dither.NONE)
    image.save(small, "png", optimize=True, dpi=(_DPI, _DPI))
    return small.getvalue()


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
