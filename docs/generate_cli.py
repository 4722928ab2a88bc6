"""Write docs/cli.md from the help texts: ``make docs``. A test holds the file to this script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from boostbench.cli.app import app

PAGE = Path(__file__).with_name("cli.md")
#: An argument or option with the same words in as many commands is described once.
COMMON = 2
HEAD = """\
# The command line

<!-- Written by `make docs` from the help texts; edit those. -->

`boostbench COMMAND --help` describes a command with all its options. Results are written to
stdout, progress and messages to stderr. Colours and live displays are used only on a terminal
without `NO_COLOR`.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | some runs failed or were skipped, or a claim is not reproduced |
| 2 | invalid input: a line on stderr says what is wrong, where, and what would be right |
| 70 | a bug in boostbench: a line on stderr names the file with the traceback |
| 130 | interrupted; finished runs are kept, and the same command does the remaining runs |

`boostbench --install-completion` enables shell completion of commands and options.
"""


def page() -> str:
    """Return the text of docs/cli.md."""
    root = typer.main.get_command(app)
    found = list(commands(root))
    counts = Counter(row for _, command in found for row in _rows(command))
    common = [row for row, count in counts.items() if count >= COMMON]
    head = ["", "## Arguments and options of several commands\n", *_table(common)]
    return HEAD + "\n".join([*head, *(_section(*each, common) for each in found), ""])


def commands(group: Any, prefix: str = "boostbench") -> Iterator[tuple[str, Any]]:
    """Yield the full name of each command, and the command; groups are descended into."""
    for name, command in sorted(group.commands.items()):
        full = f"{prefix} {name}"
        if hasattr(command, "commands"):
            yield from commands(command, full)
        else:
            yield full, command


def _section(name: str, command: Any, common: list[tuple[str, str]]) -> str:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    usage = " ".join([name, *(_usage(argument) for argument in arguments), "[OPTIONS]"])
    text, _, examples = command.help.replace("\b\n", "").partition("Examples:\n")
    shown = [f"$ {line.strip()}" for line in examples.strip().splitlines()]
    lines = [f"\n## {name}\n", text.strip(), f"\n    {usage}\n"]
    own = [row for row in _rows(command) if row not in common]
    lines += [*_table(own), ""] if own else []
    shared = [_short(label) for label, _ in (row for row in _rows(command) if row in common)]
    lines += [f"Also {', '.join(shared)}.\n"] if shared else []
    return "\n".join([*lines, "```console", *shown, "```"])


def _rows(command: Any) -> Iterator[tuple[str, str]]:
    for param in command.params:
        is_option = param.param_type_name == "option"
        yield f"`{_flag(param) if is_option else _usage(param)}`", _meaning(param)


def _short(label: str) -> str:
    """Return the first name of an option, without its value."""
    return f"`{label.strip('`').split()[0].strip(',')}`"


def _table(rows: list[tuple[str, str]]) -> list[str]:
    head = ["| option | meaning |", "|---|---|"]
    return [*head, *(f"| {label} | {meaning} |" for label, meaning in rows)]


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
