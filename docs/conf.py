"""Sphinx configuration: ``make docs`` builds the documentation into docs/_build/html, offline.

The source folder is the repository, so that links to results, configs and the changelog hold.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from numpydoc.docscrape import NumpyDocString

from boostbench import __version__
from boostbench.registry import boosters, noise_models, weak_learners

project = "boostbench"
copyright = author = "the boostbench authors"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
]
include_patterns = ["docs/**", "C*.md", "results/README.md", "datasets/README.md"]
exclude_patterns = ["docs/_build"]
root_doc = "docs/index"
html_extra_path = ["index.html"]  # leads to docs/index.html
html_theme = "furo"
html_math_renderer = "mathml"  # browsers draw it themselves: nothing is loaded from elsewhere
html_title = f"boostbench {release}"
html_show_sourcelink = False
html_copy_source = False

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
autodoc_typehints = "none"  # the docstrings say types and shapes
autodoc_member_order = "bysource"

REFERENCE = Path(__file__).parent / "reference"
#: Title, where from, and registry of each page of reference/ that lists registered classes.
LISTS = {
    "boosters": ("Boosters", boosters),
    "weak-learners": ("Weak learners", weak_learners),
    "noise-models": ("Noise models", noise_models),
}


def write_reference(app: Any) -> None:
    """Write a page for each registry: every registered name with its documented class."""
    REFERENCE.mkdir(exist_ok=True)
    for page, (title, registry) in LISTS.items():
        parts = [f"# {title}\n"]
        for name in registry.names():
            if registry.is_foreign(name):
                continue  # documented by the package that it comes from
            found = registry.get(name)
            kind = "autoclass" if isinstance(found, type) else "autofunction"
            directive = f"```{{eval-rst}}\n.. {kind}:: {found.__module__}.{found.__qualname__}\n```"
            parts.append(f"## `{name}`\n\n{directive}\n")
        (REFERENCE / f"{page}.md").write_text("\n".join(parts))


def link_to_pages(app: Any, document: str, source: list[str]) -> None:
    """Let results/README.md lead to the page of each experiment, which holds its other files."""
    if document == "results/README":
        source[0] = re.sub(
            r"\]\(([\w-]+)/[\w-]+\.(?:md|png)(?:#[\w-]+)?\)", r"](\1/report.html)", source[0]
        )


def inline_math(translator: Any, node: nodes.math) -> None:
    """Write a formula within a line as MathML."""
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def displayed_math(translator: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own as MathML."""
    translator.body.append(convert(node.astext(), display="block"))
    raise nodes.SkipNode


def inherit_parameters(
    app: Any, what: str, name: str, found: Any, options: Any, lines: list[str]
) -> None:
    """Add to a class the parameters that its bases document, in the order of the signature."""
    if what != "class" or not lines:
        return
    documented = {
        each: parameter
        for base in found.__mro__[::-1]
        for parameter in NumpyDocString(inspect.cleandoc(base.__doc__ or ""))["Parameters"]
        for each in parameter.name.split(", ")
    }
    page = NumpyDocString("\n".join(lines))
    page["Parameters"] = [
        documented[each]._replace(name=each)
        for each in inspect.signature(found).parameters
        if each in documented
    ]
    lines[:] = str(page).splitlines()


def setup(app: Any) -> None:
    """Register what this file adds."""
    app.connect("builder-inited", write_reference)
    app.connect("source-read", link_to_pages)
    app.connect("autodoc-process-docstring", inherit_parameters, priority=100)
    app.add_html_math_renderer("mathml", (inline_math, None), (displayed_math, None))
