"""Golden lists: a text file of cases, each a title, what is given and, after ``>>>``, the outcome.

What is given may hold further files, each below a line ``--- NAME``. In an outcome, ``...`` stands
for any words.
"""

import contextlib
import os
import re
import tempfile
from pathlib import Path

import pytest


def read_cases(path):
    """Return title, what is given and outcome of each case."""
    _, *blocks = path.read_text(encoding="utf-8").split("### ")
    form = re.compile(r"(.*?)\n(.*?)>>>\n(.*?)\n*", re.DOTALL)
    return [form.fullmatch(block).groups() for block in blocks]


def parametrized(path):
    """Return a decorator that gives a test each case as ``title``, ``given`` and ``expected``."""
    cases = read_cases(path)
    assert len({title for title, *_ in cases}) == len(cases)
    arguments = ("title", "given", "expected")
    return pytest.mark.parametrize(arguments, cases, ids=[c[0].partition(" ")[0] for c in cases])


def matches(expected, outcome):
    """Return whether an outcome is the expected one."""
    pattern = ".*".join(map(re.escape, expected.split("...")))
    return re.fullmatch(pattern, outcome, re.DOTALL) is not None


def rewrite(path, outcome_of):
    """Write the list with the outcomes of today, to be reviewed before a commit."""
    written = [path.read_text(encoding="utf-8").split("### ")[0]]
    for title, given, expected in read_cases(path):
        with (
            tempfile.TemporaryDirectory() as cache,
            tempfile.TemporaryDirectory() as folder,
            contextlib.chdir(folder),
        ):
            os.environ["BOOSTBENCH_CACHE"] = cache
            found = outcome_of(title, given)
        found = expected if matches(expected, found) else found
        written.append(f"{title}\n{given}>>>\n{found}\n\n")
    path.write_text("### ".join(written).rstrip() + "\n", encoding="utf-8")


def lay_out(given, folder="."):
    """Write the files below lines ``--- NAME``; return what is given above them."""
    text, *parts = re.split(r"^--- (\S+)\n", given, flags=re.MULTILINE)
    for name, content in zip(*[iter(parts)] * 2, strict=True):
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return text
