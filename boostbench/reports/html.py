"""Pages from templates, each a single file without external resources."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from boostbench.reports.text import in_print, markdown, visible


def render(template: str, **values: Any) -> str:
    """Return a page. Text in HTML is escaped; filters are `in_print` (printed) and `markdown`."""
    environment = Environment(
        loader=PackageLoader("boostbench.reports"),
        autoescape=".html" in template,
        undefined=StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"printed": in_print, "markdown": markdown}
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    assets = {"style": asset("report.css"), "script": asset("report.js")}
    return environment.get_template(template).render(**assets, **values)


def asset(name: str) -> Markup:
    """Return a file of the templates folder, unescaped."""
    text = files("boostbench.reports").joinpath("templates", name).read_text(encoding="utf-8")
    return Markup(text)  # safe: ships with the package
