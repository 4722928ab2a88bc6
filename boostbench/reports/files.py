"""Pages from templates, each a single file without external resources, and atomic writing."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from boostbench import whole_files
from boostbench.errors import BoostbenchError
from boostbench.reports.text import in_print, markdown, visible

_TEMPLATES = Environment(
    loader=PackageLoader("boostbench.reports"),
    autoescape=lambda name: name is not None and ".html" in name,
    undefined=StrictUndefined,
    finalize=lambda value: visible(value) if type(value) is str else value,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters |= {"printed": in_print, "markdown": markdown}
_TEMPLATES.policies["json.dumps_kwargs"] = {"separators": (",", ":")}


def write_file(path: Path, content: str | bytes) -> Path:
    """Write a file, see `write_files`, and return its path."""
    (path,) = write_files(path.parent, {path.name: content})
    return path


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
    """Return a page. Text in HTML is escaped; filters are `in_print` (printed) and `markdown`."""
    assets = {"style": asset("report.css"), "script": asset("report.js")}
    return _TEMPLATES.get_template(template).render(**assets, **values)


def asset(name: str) -> Markup:
    """Return a file of the templates folder, unescaped."""
    text = files("boostbench.reports").joinpath("templates", name).read_text(encoding="utf-8")
    return Markup(text)  # safe: ships with the package
