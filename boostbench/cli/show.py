"""`boostbench show`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from boostbench.cli.guard import OK
from boostbench.cli.kinds import KINDS, describe, load_plugins, names_of
from boostbench.cli.options import Json, Plugins, completing
from boostbench.cli.output import print_json
from boostbench.errors import UnknownNameError


def _all_names() -> list[str]:
    return sorted({name for kind in KINDS for name in names_of(kind)})


def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="Name shown by `boostbench list`.",
            autocompletion=completing(_all_names),
        ),
    ],
    *,
    plugins: Plugins,
    as_json: Json = False,
) -> int:
    """Show parameters, paper, equations and an example.

    Examples:
      boostbench show sm-boost
      boostbench show letter
      boostbench show noise20 --json
    """
    load_plugins(plugins)
    descriptions = [describe(kind, name) for kind in KINDS if name in names_of(kind)]
    if not descriptions:
        raise UnknownNameError("name", name, _all_names(), where="show")
    if as_json:
        print_json(descriptions if len(descriptions) > 1 else descriptions[0])
    else:
        print("\n\n".join("\n".join(_lines(description)) for description in descriptions))
    return OK


def _lines(description: dict[str, Any]) -> Iterator[str]:
    yield f"{description['name']} ({description['kind']})"
    for title, content in description.items():
        if title in {"name", "kind"} or content in (None, "", [], {}):
            continue
        if title == "parameters":
            yield "\nparameters:"
            yield from (line for parameter in content for line in _parameter_lines(parameter))
        elif "\n" in str(content):
            yield f"\n{title}:"
            yield textwrap.indent(str(content), "  ")
        else:
            yield f"{title.replace('_', ' ')}: {_as_text(content)}"


def _parameter_lines(parameter: dict[str, Any]) -> Iterator[str]:
    value = "required" if parameter["required"] else f"default {parameter['default']!r}"
    kind = f"{parameter['type']}, " if parameter["type"] else ""
    yield f"  {parameter['name']}: {kind}{value}"
    yield textwrap.indent(parameter["description"], "      ")


def _as_text(content: Any) -> str:
    return ", ".join(map(str, content)) if isinstance(content, (list, tuple)) else str(content)
