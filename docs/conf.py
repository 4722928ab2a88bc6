"""Sphinx configuration: ``make docs`` builds the documentation into docs/_build/html, offline.

The source folder is the repository, so that links to results, configs and the changelog hold.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from numpydoc.docscrape import NumpyDocString
from sphinx.addnodes import download_reference
from sphinx.transforms import SphinxTransform

from boostbench import __version__
from boostbench.reports.overview import write_site

sys.path.insert(0, str(Path(__file__).parent))
from generated_pages import ROOT, list_of_references, results_of, write_reference

project = "boostbench"
copyright = author = "the boostbench authors"
version = release = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "numpydoc",
]
include_patterns = ["docs/**", "C*.md", "SECURITY.md", "results/*.md", "benchmarks/*.md"]
include_patterns += ["datasets/README.md", "checks/peers/README.md"]
exclude_patterns = ["docs/_build"]
root_doc = "docs/index"
html_theme = "furo"
html_math_renderer = "mathml"  # browsers draw it themselves: nothing is loaded from elsewhere
html_title = f"boostbench {release}"
html_static_path = ["_static"]
html_css_files = ["figures.css"]
html_show_sourcelink = False
html_copy_source = False

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # a test runs the cells; their outputs are kept in the notebook
numpydoc_show_class_members = False
autodoc_typehints = "none"  # the docstrings say types and shapes
autodoc_member_order = "bysource"


def link_to_pages(app: Any, document: str, source: list[str]) -> None:
    """Let pages lead to the pages of results/: the overview, and that of each experiment."""
    source[0] = source[0].replace("](../results/README.md)", "](../results/index.html)")
    if document.startswith("results/"):
        source[0] = re.sub(
            r"\]\(([\w-]+)/[\w-]+\.(?:md|png)(?:#[\w-]+)?\)", r"](\1/report.html)", source[0]
        )


class PlainLinks(SphinxTransform):
    """Links that open the page of an experiment, at the same place as in the repository."""

    default_priority = 10

    def apply(self, **_: Any) -> None:
        """Replace the links of a document."""
        for node in list(self.document.findall(download_reference)):
            if node["reftarget"].endswith(".html"):
                node.replace_self(nodes.reference("", "", *node.children, refuri=node["reftarget"]))


#: What screen readers and keyboards need, and the theme leaves out: tags without and with it.
_ACCESSIBLE = {
    ' role="heading">': ' role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="This page">',
    "<pre>": '<pre tabindex="0">',
    "<th></th>": "<td></td>",
    '<th class="head"><p></p></th>': "<td></td>",
    'math-wrapper docutils container">': 'math-wrapper docutils container" tabindex="0">',
    ' colwidths-auto docutils container">': ' colwidths-auto docutils container" tabindex="0">',
}


def complete_site(app: Any, error: Exception | None) -> None:
    """Make pages accessible, and add the pages of results/, with links both ways."""
    if error is None:
        for page in Path(app.outdir).rglob("*.html"):
            text = page.read_text(encoding="utf-8")
            for tag, accessible in _ACCESSIBLE.items():
                text = text.replace(tag, accessible)
            page.write_text(text, encoding="utf-8")
        write_site(ROOT / "results", Path(app.outdir), Path(app.outdir))


def add_generated(app: Any, document: str, source: list[str]) -> None:
    """Let the page of a paper end with its results, the page on Python with its references."""
    folder, _, paper = document.rpartition("/")
    if folder == "docs/papers" and paper != "index":
        source[0] += results_of(paper)
    if document == "docs/api":
        source[0] += list_of_references()


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
        if base.__module__.startswith("boostbench.")  # not XGBoost's, with links into its own pages
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
    write_reference()
    app.connect("source-read", link_to_pages)
    app.connect("source-read", add_generated)
    app.connect("build-finished", complete_site)
    app.add_transform(PlainLinks)
    app.connect("autodoc-process-docstring", inherit_parameters, priority=100)
    app.add_html_math_renderer("mathml", (inline_math, None), (displayed_math, None))
