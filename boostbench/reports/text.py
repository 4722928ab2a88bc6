"""Text for each output format: escaping, pages from templates, and their files.

External text is escaped. Labels come from configs and plugins, and messages from runs, so that they
may contain any character. Figures need no escaping: `boostbench.reports.figures.style` draws text
without mathtext.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench import whole_files
from boostbench.errors import BoostbenchError
from boostbench.registry import boosters

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#$&~])")
_MARKDOWN_LIST = re.compile(r"^(\d*)([-+.)])(?= |$)")
_LATEX: dict[int, str] = str.maketrans(
    {
        **{letter: f"\\{letter}" for letter in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        **{letter: f"{{{letter}}}" for letter in "[]*"},  # not an argument or a star of \\
        "\N{MINUS SIGN}": "$-$",
        "≤": r"$\leq$",
        "≥": r"$\geq$",
        "≈": r"$\approx$",
    }
)
for _letter in "αβγδεζηθικλμνξπρςστυφχψωΓΔΘΛΞΠΣΥΦΨΩ":
    _name = unicodedata.name(_letter).rpartition(" ")[2].replace("LAMDA", "LAMBDA")
    _LATEX[ord(_letter)] = rf"$\{_name.capitalize() if _letter.isupper() else _name.lower()}$"
#: Letters beside ASCII, and those with accents, that pdfTeX has in its default fonts.
_IN_PDFTEX = "±²†‡§¶–\N{NO-BREAK SPACE}×—‘’“”…ßÆæØøŒœŁł"
#: Names of parameters in labels such as "adaboost-mr-l1 (l1_penalty=1e-07)".
SYMBOLS = {"age": "λ", "l1_penalty": "β", "max_bins": "bins", "max_depth": "depth"}
SYMBOLS |= {"max_leaf_nodes": "leaves", "min_samples_leaf": "samples per leaf"}
_SYMBOL = re.compile(rf"\b({'|'.join(SYMBOLS)})=")
#: Wrong labels in words, by the name of the noise model.
_NOISES = {"exchange": "exchanged", "flip": "flipped", "one-sided": "one-sided"}
_NOISES |= {"pair": "to the next class", "rater": "by a rater", "uniform-other": "to another class"}
_NOISE = re.compile(rf"(?<![\w-])({'|'.join(_NOISES)}) (0?\.\d+)(?![\w.])")
_LETTER = re.compile(r"[^\W\d_]")
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?( ± \d+(\.\d+)?)?")


def visible(text: str) -> str:
    r"""Return text with control characters and lone surrogates as escape sequences.

    Line breaks and tabs are kept.

    Examples
    --------
    >>> visible("red \x1b[31m, lone \ud800")
    'red \\x1b[31m, lone \\ud800'
    """
    if text.isprintable():
        return text
    return "".join(
        letter
        if letter.isprintable() or letter in "\n\t\N{NO-BREAK SPACE}"
        else letter.encode("unicode_escape").decode()
        for letter in text
    )


def plain(text: str) -> str:
    r"""Return `visible` text on one line.

    Examples
    --------
    >>> plain("two\nlines")
    'two lines'
    """
    return visible(re.sub(r"\s+", " ", text))


def in_print(text: str) -> str:
    """Return text with the names of methods and parameters as in the papers, and noises in words.

    Examples
    --------
    >>> in_print("adaboost-mh, flip 0.1 (exact=False)"), in_print("boosters/samme.py, my-samme")
    ('AdaBoost.MH, 10 % flipped, each by chance', 'boosters/samme.py, my-samme')
    """
    if not _LETTER.search(text):  # as in most cells, where no name can be
        return text
    printed = boosters.printed_names()
    text = _any_of(tuple(printed)).sub(lambda match: printed[match[0]], text)
    text = _NOISE.sub(lambda its: f"{100 * float(its[2]):g} % {_NOISES[its[1]]}", text)
    text = text.replace(" (exact=False)", ", each by chance")
    return _SYMBOL.sub(lambda match: SYMBOLS[match[1]] + " = ", text)


@cache
def _any_of(methods: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of the names of methods, but not within paths and other names."""
    names = "|".join(map(re.escape, sorted(methods, reverse=True)))
    return re.compile(rf"(?<![\w./-])({names})(?![\w-]|\.\w)")


def markdown(text: str) -> str:
    r"""Return text escaped for a cell, heading or list item in GitHub's Markdown.

    Examples
    --------
    >>> print(markdown("a|b *c*"), markdown("1. d"))
    a\|b \*c\* 1\. d
    """
    return _MARKDOWN_LIST.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", plain(text)))


def markdown_table(
    header: Iterable[str], numbers: Iterable[bool], rows: Iterable[Iterable[str]]
) -> str:
    """Return a table of escaped cells; ``numbers`` marks the columns to align right."""
    rule = ["---:" if is_number else "---" for is_number in numbers]
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, rule, *rows])


def latex(text: str) -> str:
    r"""Return text escaped for LaTeX in UTF-8, with the printed names of methods.

    Examples
    --------
    >>> print(latex("50 % of x_1"), latex("β = 2"), latex("Rätsch"), latex("中"))
    50 \% of x\_1 $\beta$ = 2 Rätsch U+4E2D
    """
    return "".join(map(_latex_of, unicodedata.normalize("NFC", in_print(plain(text)))))


def _latex_of(letter: str) -> str:
    """Return a character; one that pdfTeX does not have by its code point."""
    base, *accents = list(unicodedata.normalize("NFD", letter))
    is_accented = letter < "\u0180" and base.isascii() and "\N{COMBINING OGONEK}" not in accents
    if is_accented or letter in _IN_PDFTEX or ord(letter) in _LATEX:
        return letter.translate(_LATEX)
    return f"U+{ord(letter):04X}"


def csv_text(text: str) -> str:
    """Return text for a CSV cell that no spreadsheet reads as a formula; numbers are unchanged.

    Examples
    --------
    >>> csv_text("=1+1"), csv_text("-0.5"), csv_text("sm-boost")
    ("'=1+1", '-0.5', 'sm-boost')
    """
    text = plain(text)
    is_formula = text.lstrip().startswith(("=", "+", "-", "@")) and not _NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text


def listed(words: Sequence[str], most: int | None = None) -> str:
    """Return words joined by commas and "and"; beyond ``most`` of them, the number of the others.

    Examples
    --------
    >>> listed(["one", "two", "three"]), listed(["one", "two", "three"], 1)
    ('one, two and three', 'one and 2 more')
    """
    others = [] if most is None else words[most:]
    *first, last = [*words[:most], *[f"{len(others)} more"] * bool(others)]
    return f"{', '.join(first)} and {last}" if first else last


def span(values: Collection[Any]) -> str:
    """Return the smallest and the largest value as text, or the only value.

    Examples
    --------
    >>> span([3, 1, 2]), span([2, 2])
    ('1 to 3', '2')
    """
    return " to ".join(map(str, dict.fromkeys((min(values), max(values)))))


def capital(text: str) -> str:
    """Return text with its first letter in upper case and all others unchanged.

    Examples
    --------
    >>> capital("test AUC")
    'Test AUC'
    """
    return text[:1].upper() + text[1:]


def shortened(text: str, most: int = 40) -> str:
    """Return text of at most ``most`` letters, by default those of a name in a figure.

    The middle is left out: names differ at their ends, as in "samme (rounds=10, cap=2)".

    Examples
    --------
    >>> shortened("adaboost", 5)
    'ad…st'
    """
    if len(text) <= most:
        return text
    return f"{text[: most // 2]}…{text[len(text) - (most - 1) // 2 :]}"


def duration(seconds: float) -> str:
    """Return a time span in words.

    Examples
    --------
    >>> duration(8.25), duration(59.96), duration(75), duration(7265)
    ('8.2 s', '1 min 0 s', '1 min 15 s', '2 h 1 min')
    """
    if round(seconds, 1) < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def write_files(folder: Path, contents: Mapping[str, str | bytes]) -> tuple[Path, ...]:
    """Write all files of a report or none, and return their paths.

    Raises
    ------
    BoostbenchError
        If a file cannot be written; older versions are then unchanged.
    """
    encoded = {
        folder / name: text.encode(errors="backslashreplace") if isinstance(text, str) else text
        for name, text in contents.items()
    }
    try:
        whole_files.write_files(encoded)
    except OSError as error:
        what = f"cannot be written: {error.strerror}; the run records are not touched"
        place = next(iter(encoded)) if len(encoded) == 1 else folder
        raise BoostbenchError(what, where=str(place)) from error
    return tuple(encoded)


def render(template: str, **values: Any) -> str:
    """Return a page, a single file without external resources.

    Text in HTML is escaped; filters are `in_print` (printed) and `markdown`, and `asset` is known.
    """
    return _templates().get_template(template).render(**values)


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader("boostbench.reports"),
        autoescape=lambda name: name is not None and ".html" in name,
        undefined=StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"printed": in_print, "markdown": markdown}
    templates.globals["asset"] = asset
    templates.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return templates


def asset(name: str) -> Markup:
    """Return a file of the templates folder, unescaped."""
    from markupsafe import Markup

    text = Path(__file__).with_name("templates").joinpath(name).read_text(encoding="utf-8")
    return Markup(text)  # safe: ships with the package
