"""Sessions of commands as typed, in sessions.txt, and what they print below each command.

A folder has tiny.yaml, the files at the head of the list and those given. Commands of other
programs are left to a shell. Lines of stderr begin with ``2>``; exit codes other than 0 are told.
``python -m tests.cli.test_sessions`` rewrites the list, to be reviewed before a commit.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from boostbench.cli import main
from boostbench.experiments.running import execution
from boostbench.experiments.store.records import PACKED, PackedRecords, pack
from tests.cli.conftest import TINY
from tests.conftest import do_runs_here
from tests.experiments.tools import forget_code
from tests.golden import lay_out, matches, parametrized, rewrite

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("sessions.txt")
#: What is other on other machines.
VARYING = {
    r"(?<= in )\d[\d.]* (s|(min|h) \d+ (s|min))(?=,|$)": "{time}",
    r"\b[0-9a-f]{16}-\d+-[0-9a-f]{8}-\w+": "{key}",
    r"\b([0-9a-f]{8}|[0-9a-f]{16})\b": "{hash}",
}


def session(title, given):
    """Type the commands of a case, and return them with what they print."""
    Path("tiny.yaml").write_text(TINY, encoding="utf-8")
    lay_out(LIST.read_text(encoding="utf-8").partition("\n### ")[0])
    commands = lay_out(given).splitlines()
    with pytest.MonkeyPatch.context() as patch:
        do_runs_here(patch)
        patch.setenv("COLUMNS", "100")
        patch.setattr("boostbench.cli.run._FIRST_LINE_SECONDS", float("inf"))
        return "".join(f"$ {command}\n{outcome_of(command)}" for command in commands).rstrip()


def outcome_of(command):
    forget_the_command_before()
    if command.startswith("boostbench "):
        with (
            contextlib.redirect_stdout(io.StringIO()) as out,
            contextlib.redirect_stderr(io.StringIO()) as err,
        ):
            code = main(shlex.split(command)[1:])
        told = out.getvalue(), err.getvalue()
    else:
        done = subprocess.run(command, shell=True, capture_output=True, text=True)
        code, told = done.returncode, (done.stdout, done.stderr)
    lines = told[0] + re.sub("^", "2> ", told[1], flags=re.M).removesuffix("2> ")
    lines += f"exit code {code}\n" if code else ""
    for varying, name in VARYING.items():
        lines = re.sub(varying, name, lines, flags=re.M)
    return lines.replace(os.getcwd(), "{folder}").replace(str(ROOT), "{package}")


def forget_the_command_before():
    """Read files and load plugins anew, as each command in a process of its own does."""
    forget_code()
    execution._latest.clear()
    for name in [name for name in sys.modules if name.startswith("boostbench_plugin_")]:
        del sys.modules[name]


@parametrized(LIST)
def test_a_session_prints_what_is_listed(title, given, expected):
    if "boostbench fit" in given:
        pytest.importorskip("skops", reason="models need pip install 'boostbench[serve]'")
    outcome = session(title, given)
    if not matches(expected, outcome):
        assert outcome == expected


def test_packed_records_with_the_data_as_version_0_2_names_it_are_adopted(
    boostbench, in_this_process
):
    lay_out(LIST.read_text(encoding="utf-8").partition("\n### ")[0])
    assert boostbench("run", "own.yaml", "--quiet").code == 0
    assert boostbench("report", "own.yaml", "--pack").code == 0
    shutil.rmtree("results/runs")
    store = PackedRecords(Path("results/own") / PACKED)
    records = [store.read(path) for path in store.all_paths()]
    old = (r.model_copy(update={"key": replace(r.key, data="0fda7a00")}) for r in records)
    pack(old, store.folder)
    plugin = Path("prior.py")
    plugin.write_text(plugin.read_text().replace("counts.argmax()", "int(counts.argmax())"))
    forget_the_command_before()
    changed = "8 of 8 results: the code and the data changed since it was done"
    assert changed in boostbench("report", "own.yaml").err
    outcome = boostbench("adopt", "own.yaml", "--sample", "0.5", "--quiet")
    assert outcome.out == "own: repeated 4 of 8 runs: 4 same to the bit; adopted 8 records\n"
    assert boostbench("report", "own.yaml").err == ""


if __name__ == "__main__":
    os.environ.pop("BOOSTBENCH_DATA", None)
    rewrite(LIST, session)
