"""Write docs/cli.md from the help texts: ``make docs``. A test holds the file to this script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from boostbench.cli.app import app

PAGE = Path(__file__).with_name("cli.md")
HEAD = """\
# The command line

<!-- Written by `make docs` from the help texts; edit those. -->

`boostbench COMMAND --help` prints the same text. Results are written to stdout, progress and
messages to stderr. Colours and live displays are used only on a terminal without `NO_COLOR`.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | some runs failed or were skipped, or a claim is not reproduced |
| 2 | invalid input: a line on stderr says what is wrong, where, and what would be right |
| 70 | a bug in boostbench: a line on stderr names the file with the traceback |
| 130 | interrupted; finished runs are kept, and the same command does the remaining runs |

`boostbench --install-completion` enables shell completion of commands, options, configs and
plugins.
"""


def page() -> str:
    """Return the text of docs/cli.md."""
    root = typer.main.get_command(app)
    return HEAD + "".join(_section(name, command) for name, command in commands(root))


def commands(group: Any, prefix: str = "boostbench") -> Iterator[tuple[str, Any]]:
    """Yield the full name of each command, and the command; groups are descended into."""
    for name, command in sorted(group.commands.items()):
        full = f"{prefix} {name}"
        if hasattr(command, "commands"):
            yield from commands(command, full)
        else:
            yield full, command


def _section(name: str, command: Any) -> str:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option"]
    usage = " ".join([name, *(_usage(argument) for argument in arguments), "[OPTIONS]"])
    text, _, examples = command.help.replace("\b\n", "").partition("Examples:\n")
    lines = [f"\n## {name}\n", text.strip(), f"\n```console\n$ {usage}\n```\n"]
    rows = [(f"`{_usage(argument)}`", argument) for argument in arguments]
    rows += [(f"`{_flag(option)}`", option) for option in options]
    lines += ["| | |", "|---|---|"]
    lines += [f"| {label} | {_meaning(param)} |" for label, param in rows]
    shown = "\n".join(f"$ {line.strip()}" for line in examples.strip().splitlines())
    lines.append(f"\n```console\n{shown}\n```")
    return "\n".join(lines) + "\n"


def _usage(argument: Any) -> str:
    metavar = argument.metavar + ("..." if argument.nargs == -1 else "")
    return metavar if argument.required else f"[{metavar}]"


def _flag(option: Any) -> str:
    names = ", ".join(option.opts)
    return names if option.is_flag else f"{names} {option.metavar}"


def _meaning(param: Any) -> str:
    default = param.default
    if param.required or default in (None, False, "") or callable(default):
        return str(param.help)
    return f"{param.help} Default: `{default}`."


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
