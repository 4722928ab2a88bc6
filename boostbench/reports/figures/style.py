"""Style of figures, the look of each method, reproducible image files, and data of charts."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from colorsys import hsv_to_rgb
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from boostbench.errors import BoostbenchError
from boostbench.reports.text import in_print, shortened

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator

GREY, INK = "#555555", "#222222"
_DPI = 144  # of PNG files
#: Font size of remarks inside a figure, in points.
SMALL = 6.5
_FONT = "DejaVu Sans"  # as in figures.mplstyle
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
    "chimeraboost": ("#56B4E9", "d"),
}
_CHOSEN |= {name: _CHOSEN[f"adaboost-{name.lower()}"] for name in ("M1", "MH", "MM")}
_SALT = 15704  # with it, the colours of most methods that share a shipped figure are far apart
_PALEST = 0.4  # share of white in the palest shade of a colour
_STYLE = Path(__file__).parents[1] / "templates" / "figures.mplstyle"


class Drawing(NamedTuple):
    """A figure as PNG, with its caption and chart."""

    png: bytes
    caption: str = ""
    chart: Chart | None = None  # data of the interactive chart; None: not a figure of lines


@contextmanager
def drawing_style() -> Iterator[None]:
    """Draw in the style of the package, whatever the user's matplotlibrc and rcParams.

    A ``$`` in text, which may be of a label, is no formula; those have ``parse_math=True``.
    """
    try:
        import matplotlib.style
    except UnicodeDecodeError as error:  # in reading its settings
        what = "matplotlib cannot read its settings, which are not UTF-8; mend or move the file"
        raise BoostbenchError(what, where="matplotlibrc") from error

    with matplotlib.style.context(_STYLE, after_reset=True):
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
    from matplotlib.colors import to_hex, to_rgb

    variants: dict[str, list[str]] = {}
    for label in dict.fromkeys(labels):
        variants.setdefault(label.partition(" (")[0], []).append(label)
    styles = {}
    for name, of_name in variants.items():
        colour, marker = _CHOSEN.get(name) or _style_of(name)
        for place, label in enumerate(of_name):
            white = _PALEST * place / max(1, len(of_name) - 1)
            red, green, blue = (part + (1 - part) * white for part in to_rgb(colour))
            mark = MARKERS[(MARKERS.index(marker) + place) % len(MARKERS)]
            styles[label] = {"color": to_hex((red, green, blue)), "marker": mark}
    return styles


def _style_of(name: str) -> tuple[str, str]:
    from matplotlib.colors import to_hex

    code = crc32(f"{_SALT}{name}".encode(errors="replace"))
    colour = hsv_to_rgb(code % 360 / 360, 0.85, (0.7, 0.5)[code // 360 % 2])
    return to_hex(colour), MARKERS[code // 720 % len(MARKERS)]


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
    letters = (text.get_text() for text in figure.findobj(Text))
    fonts, missing = _fonts_with({*"".join(letters)})

    def printed(text: str) -> str:
        text = in_print(text)
        for name, short in long.items():
            text = text.replace(name, short)
        return "".join(f"U+{ord(c):04X}" if c in missing else c for c in text)

    for axes in figure.axes:  # for the chart, which needs no font
        axes.set_label(in_print(axes.get_title("left") or axes.get_title()))
    for axis in figure.findobj(Axis):
        # an axis writes its tick labels again when it is drawn
        labels = [label.get_text() for label in axis.get_ticklabels()]
        if labels != (changed := [printed(label) for label in labels]):
            axis.set_ticks(axis.get_ticklocs(), changed)
    for text in figure.findobj(Text):
        text.set_text(printed(text.get_text()))
        if len(fonts) > 1:
            text.set_fontfamily(fonts)
    if long:
        figure.set_label(f"{figure.get_label()} Names with … are cut.")


def _fonts_with(letters: set[str]) -> tuple[list[str], set[str]]:
    """Return the font of figures with installed fonts for letters that it lacks, and the rest."""
    fonts, missing = [_FONT], letters - _letters_of(_FONT)
    for name in sorted(_files_of_fonts()) if missing else ():
        if found := missing & _letters_of(name):
            fonts, missing = [*fonts, name], missing - found
    return fonts, missing


@cache
def _files_of_fonts() -> dict[str, str]:
    """Return the files of the upright installed fonts by name, without fonts of placeholders."""
    from matplotlib.font_manager import fontManager

    fonts = (f for f in fontManager.ttflist if f.style == "normal" and f.weight in (400, "normal"))
    return {font.name: font.fname for font in fonts if not font.name.startswith("Last Resort")}


@cache
def _letters_of(name: str) -> frozenset[str]:
    """Return the letters that figures can take from a font, and white space."""
    from matplotlib.font_manager import get_font

    font = get_font(_files_of_fonts()[name])
    return frozenset("\n\t").union(map(chr, font.get_charmap() if font.scalable else ()))


def drawing_of(figure: Figure) -> Drawing:
    """Return a figure as reproducible PNG, with its caption and chart.

    The canvas draws the figure once; `Figure.savefig` draws it twice.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(figure)
    _write_powers(figure)
    dpi = figure.get_dpi()  # a notebook shows the figure in its own size
    figure.set_dpi(_DPI)
    canvas.draw()
    png = _small_png(canvas.buffer_rgba())
    figure.set_dpi(dpi)
    return Drawing(png, str(figure.get_label()), chart_of(figure))


def pdf_of(figure: Figure) -> bytes:
    """Return a figure as reproducible PDF."""
    from matplotlib.backends.backend_pdf import FigureCanvasPdf

    canvas: Any = FigureCanvasPdf(figure)
    _write_powers(figure)
    pdf = io.BytesIO()
    canvas.print_pdf(pdf, metadata=dict.fromkeys(("CreationDate", "Creator", "Producer")))
    return pdf.getvalue()


def _write_powers(figure: Figure) -> None:
    """Let the tick labels of logarithmic axes be formulas, as in 10 to the power of 3."""
    from matplotlib.ticker import LogFormatter

    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        if isinstance(axis.get_major_formatter(), LogFormatter):  # powers of 10 are formulas
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                tick.label1.set_parse_math(True)


def _small_png(pixels: Any) -> bytes:
    """Return a PNG with at most 256 colours, of about a third of the size."""
    from PIL import Image

    small = io.BytesIO()
    image = Image.fromarray(np.asarray(pixels)).convert("RGB")
    image = image.quantize(256, dither=Image.Dither.NONE)
    image.save(small, "png", optimize=True, dpi=(_DPI, _DPI))
    return small.getvalue()


#: Separator of the parts of a line's label; the chart's legend has a switch for each part.
AND = " · "
Chart = Sequence[Mapping[str, Any]]


def chart_of(figure: Figure) -> Chart | None:
    """Return the panels of a figure of labelled lines as JSON-compatible data.

    None if the figure contains other elements, lines across whole axes, or names and dates as
    ticks. A shaded band belongs to the line whose label equals the ``gid`` of the band.
    """
    panels = []
    for axes in figure.axes:
        labelled = (x for x in axes.get_lines() if not str(x.get_label()).startswith("_"))
        lines = [line for line in labelled if np.size(line.get_xdata())]
        others: list[Any] = [each for each in axes.collections if not each.get_gid()]
        others += [line for line in lines if line.get_transform() != axes.transData]
        others += [axis for axis in (axes.xaxis, axes.yaxis) if _has_names(axis)]
        if axes.name == "3d" or axes.images or axes.patches or others:
            return None
        if lines:
            bands = {collection.get_gid(): collection for collection in axes.collections}
            panel = {
                "title": axes.get_label() or in_print(axes.get_title("left") or axes.get_title()),
                "x": _axis(axes.xaxis),
                "y": _axis(axes.yaxis),
                "lines": [_line(line, bands.get(str(line.get_label()))) for line in lines],
            }
            panels.append(panel)
    return panels or None


def _has_names(axis: Axis) -> bool:
    """Return whether the ticks of an axis have names or dates."""
    from matplotlib.ticker import FuncFormatter

    texts = (label.get_text() for label in axis.get_ticklabels())
    is_own = isinstance(axis.get_major_formatter(), FuncFormatter)
    return axis.have_units() or (is_own and any(map(str.isalpha, "".join(texts))))


def _axis(axis: Axis) -> dict[str, Any]:
    label, is_log = in_print(axis.get_label_text()), axis.get_scale() == "log"
    return {"label": label, "log": is_log, "limits": _numbers(axis.get_view_interval())}


def _line(line: Line2D, band: Any) -> dict[str, Any]:
    from matplotlib.colors import to_hex

    x = np.asarray(line.get_xdata(), dtype=np.float64)
    _, dashes = getattr(line, "_unscaled_dash_pattern", (0, None))  # no public name
    drawn: dict[str, Any] = {
        "label": in_print(str(line.get_label())),
        "colour": to_hex(line.get_color()),
        "width": line.get_linewidth(),
        "dashes": [part * line.get_linewidth() for part in dashes or ()],
        "marks": line.get_linestyle() == "None",
        "mark": str(line.get_marker()).replace("None", ""),
        "x": x.tolist(),
        "y": _numbers(line.get_ydata()),
    }
    if band is not None:
        # several paths, if the band has gaps
        corners = np.vstack([np.empty((0, 2)), *(path.vertices for path in band.get_paths())])
        edges = [corners[corners[:, 0] == place, 1] for place in x]
        drawn["low"] = _numbers([y.min() if len(y) else np.nan for y in edges])
        drawn["high"] = _numbers([y.max() if len(y) else np.nan for y in edges])
    return drawn


def _numbers(values: ArrayLike) -> list[float | None]:
    """Return numbers with four significant digits, None for non-finite ones."""
    floats = np.asarray(values, dtype=np.float64).tolist()
    return [float(f"{value:.4g}") if np.isfinite(value) else None for value in floats]
