"""Golden lists: a text file of cases, each a name, what is given and, after ``>>>``, the outcome.

What is given may hold further files, each below a line ``--- NAME``.
"""

import re
from pathlib import Path

import pytest


def read_cases(path):
    """Return name, rest of the line of the name, what is given and outcome of each case."""
    _, *blocks = path.read_text(encoding="utf-8").split("### ")
    form = re.compile(r"(\S+) ?(.*?)\n(.*?)>>>\n(.*?)\n*", re.DOTALL)
    return [form.fullmatch(block).groups() for block in blocks]


def parametrized(path):
    """Return a decorator that gives a test each case as ``options``, ``given`` and ``expected``."""
    cases = read_cases(path)
    assert len({name for name, *_ in cases}) == len(cases)
    arguments = ("options", "given", "expected")
    return pytest.mark.parametrize(arguments, [c[1:] for c in cases], ids=[c[0] for c in cases])


def rewrite(path, outcome_of):
    """Write the list with the outcomes of today, to be reviewed before a commit."""
    written = [path.read_text(encoding="utf-8").split("### ")[0]]
    for name, options, given, _ in read_cases(path):
        found = outcome_of(options, given)
        written.append(f"{f'{name} {options}'.strip()}\n{given}>>>\n{found}\n\n")
    path.write_text("### ".join(written).rstrip() + "\n", encoding="utf-8")


def lay_out(given, folder="."):
    """Write the files below lines ``--- NAME``; return what is given above them."""
    text, *parts = re.split(r"^--- (\S+)\n", given, flags=re.MULTILINE)
    for name, content in zip(*[iter(parts)] * 2, strict=True):
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return text
