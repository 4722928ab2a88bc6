"""Text from outside (names, labels, messages) escaped for each format, one function a format.

Labels come from configs and plugins, messages from runs; they may hold anything. Figures need no
escaping: `boostbench.reports.figures.style` draws text as it is, without mathtext.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#$&~])")
_MARKDOWN_LIST = re.compile(r"^(\d*)([-+.)])(?= |$)")
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # an option of \\ otherwise
    "]": "{]}",
    "±": r"$\pm$",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "§": r"\S{}",
    "¶": r"\P{}",
    "–": "--",
    "…": r"\ldots{}",
}
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?( ± \d+(\.\d+)?)?")
_FORMULA = ("=", "+", "-", "@")


def visible(text: str) -> str:
    r"""Return text whose control characters and lone surrogates are written as escapes.

    Line breaks and tabs stay.

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


def markdown(text: str) -> str:
    r"""Return text for a cell, a heading or an item of GitHub's Markdown.

    Examples
    --------
    >>> print(markdown("a|b *c*"), markdown("1. d"))
    a\|b \*c\* 1\. d
    """
    return _MARKDOWN_LIST.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", plain(text)))


def markdown_table(
    header: Iterable[str], numbers: Iterable[bool], rows: Iterable[Iterable[str]]
) -> str:
    """Return a table of escaped cells; ``numbers`` tells which columns stand to the right."""
    rule = ["---:" if is_number else "---" for is_number in numbers]
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, rule, *rows])


def latex(text: str) -> str:
    r"""Return text for LaTeX.

    Examples
    --------
    >>> print(latex("50 % of x_1"))
    50 \% of x\_1
    """
    return "".join(_LATEX.get(letter, letter) for letter in plain(text))


def csv_text(text: str) -> str:
    """Return text for a cell that a spreadsheet does not take as a formula; numbers stay.

    Examples
    --------
    >>> csv_text("=1+1"), csv_text("-0.5"), csv_text("sm-boost")
    ("'=1+1", '-0.5', 'sm-boost')
    """
    text = plain(text)
    if not text.lstrip().startswith(_FORMULA) or _NUMBER.fullmatch(text):
        return text
    return f"'{text}"
