"""Size reduction of figure files without visible change: rounded SVG, PNG with a palette."""

from __future__ import annotations

import io
import re

DPI = 144
_UNSEEN = re.compile(
    rb'<!--.*?-->|<metadata>.*?</metadata>|(?<=<g) id="[a-zA-Z.0-9]*_\d+"|(?<=>)\s+(?=<)', re.DOTALL
)
_POSITION = re.compile(rb' (?:x|y|width|height)="[^"]*"|translate\([^)]*\)')
_LONG_NUMBER = re.compile(rb"-?\d+\.\d+")
_PATH = re.compile(rb' d="([^"]*)"')
_STEP = re.compile(rb"([MLQCz])([^MLQCz]*)")
_STYLE = re.compile(rb'style="([^"]*)"')
_ID = re.compile(rb' id="([^"]*)"')
_REFERENCE = re.compile(rb'(?<= id=")[^"]*|(?<="#)[^"]*(?=")|(?<=url\(#)[^)]*')


def small_png(png: bytes) -> bytes:
    """Return a PNG with at most 256 colours, of about a third of the size."""
    from PIL import Image

    small = io.BytesIO()
    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    image.save(small, "png", optimize=True, dpi=(DPI, DPI))
    return small.getvalue()


def small_svg(svg: bytes) -> bytes:
    """Return an SVG of matplotlib in about half the size.

    Coordinates are rounded to a hundredth of a point, paths use relative commands, equal styles
    become one class, ids are short, and comments, metadata and whitespace are removed.
    """
    svg = _UNSEEN.sub(b"", svg)
    svg = _POSITION.sub(lambda match: _LONG_NUMBER.sub(_rounded, match[0]), svg)
    svg = _PATH.sub(_relative, svg)
    ids = {name: b"i%x" % n for n, name in enumerate(dict.fromkeys(_ID.findall(svg)))}
    svg = _REFERENCE.sub(lambda match: ids.get(match[0], match[0]), svg)
    classes = {style: b"c%x" % n for n, style in enumerate(dict.fromkeys(_STYLE.findall(svg)))}
    svg = _STYLE.sub(lambda match: b'class="%b"' % classes[match[1]], svg)
    rules = b"".join(b".%b{%b}" % (name, style) for style, name in classes.items())
    return svg.replace(
        b"</style>", rules.replace(b": ", b":").replace(b"; ", b";") + b"</style>", 1
    )


def _rounded(number: re.Match[bytes]) -> bytes:
    return _text(round(100 * float(number[0])))


def _text(hundredths: int) -> bytes:
    """Return a number without redundant zeros: ``-.5``, ``12``."""
    text = f"{hundredths / 100:.2f}".rstrip("0").rstrip(".")
    return text.replace("0.", ".", 1).encode() if text.startswith(("0.", "-0.")) else text.encode()


def _relative(path: re.Match[bytes]) -> bytes:
    """Return a path in relative commands; rounding errors do not accumulate."""
    x = y = 0
    start = (0, 0)
    commands = b""
    for command, numbers in _STEP.findall(path[1]):
        coordinates = [round(100 * float(number)) for number in numbers.split()]
        steps = [value - (y if i % 2 else x) for i, value in enumerate(coordinates)]
        commands += command.lower() + b" ".join(map(_text, steps)).replace(b" -", b"-")
        x, y = coordinates[-2:] if coordinates else start
        start = (x, y) if command == b"M" else start
    return b' d="%b"' % commands
