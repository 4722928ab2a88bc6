"""Small files of figures that look the same: SVG in hundredths of a point, PNG with a palette."""

from __future__ import annotations

import io
import re

DPI = 160
_UNSEEN = re.compile(
    rb'<!--.*?-->|<metadata>.*?</metadata>|(?<=<g) id="[a-zA-Z.0-9]*_\d+"|(?<=>)\s+(?=<)', re.DOTALL
)
_PLACE = re.compile(rb' (?:x|y|width|height)="[^"]*"|translate\([^)]*\)')
_LONG_NUMBER = re.compile(rb"-?\d+\.\d+")
_PATH = re.compile(rb' d="([^"]*)"')
_STEP = re.compile(rb"([MLQCz])([^MLQCz]*)")
_STYLE = re.compile(rb'style="([^"]*)"')
_ID = re.compile(rb' id="([^"]*)"')
_REFERENCE = re.compile(rb'(?<= id=")[^"]*|(?<="#)[^"]*(?=")|(?<=url\(#)[^)]*')


def small_png(png: bytes) -> bytes:
    """Return a PNG with at most 256 colours, in about a third of the bytes."""
    from PIL import Image

    small = io.BytesIO()
    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    image.save(small, "png", optimize=True, dpi=(DPI, DPI))
    return small.getvalue()


def small_svg(svg: bytes) -> bytes:
    """Return matplotlib's SVG in about half the bytes.

    Places are rounded to a hundredth of a point, a path is written by its steps, equal styles are
    one class, names are short, and what is not seen is left out.
    """
    svg = _PLACE.sub(lambda its: _LONG_NUMBER.sub(_rounded, its[0]), _UNSEEN.sub(b"", svg))
    svg = _PATH.sub(_by_steps, svg)
    names = {name: b"%x" % place for place, name in enumerate(dict.fromkeys(_ID.findall(svg)))}
    svg = _REFERENCE.sub(lambda its: b"i" + names[its[0]] if its[0] in names else its[0], svg)
    classes = {style: b"c%x" % n for n, style in enumerate(dict.fromkeys(_STYLE.findall(svg)))}
    svg = _STYLE.sub(lambda its: b'class="%b"' % classes[its[1]], svg)
    rules = b"".join(b".%b{%b}" % (name, style) for style, name in classes.items())
    return svg.replace(
        b"</style>", rules.replace(b": ", b":").replace(b"; ", b";") + b"</style>", 1
    )


def _rounded(number: re.Match[bytes]) -> bytes:
    return _text(round(100 * float(number[0])))


def _text(hundredths: int) -> bytes:
    """Return a number without zeros that mean nothing: ``-.5``, ``12``."""
    text = f"{hundredths / 100:.2f}".rstrip("0").rstrip(".")
    return text.replace("0.", ".", 1).encode() if text.startswith(("0.", "-0.")) else text.encode()


def _by_steps(path: re.Match[bytes]) -> bytes:
    """Write the steps between the points of a path; their rounding does not add up."""
    x = y = 0
    start = (0, 0)
    written = b""
    for command, numbers in _STEP.findall(path[1]):
        places = [round(100 * float(number)) for number in numbers.split()]
        steps = [at - (y if i % 2 else x) for i, at in enumerate(places)]
        written += command.lower() + b" ".join(map(_text, steps)).replace(b" -", b"-")
        x, y = places[-2:] if places else start
        start = (x, y) if command == b"M" else start
    return b' d="%b"' % written
