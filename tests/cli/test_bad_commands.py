"""Bad input is told in the lines of bad_commands.txt, with exit code 2, and nothing is written.

``python -m tests.cli.test_bad_commands`` rewrites the list, to be reviewed before a commit.
"""

import contextlib
import io
import os
import shlex
from pathlib import Path

from boostbench.cli import main
from tests.cli.conftest import TINY
from tests.golden import lay_out, parametrized, rewrite

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("bad_commands.txt")


def written():
    """Return the content of all files of this folder."""
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def complaint_about(title, given):
    """Lay out the files of a case, type its command, and return what is told."""
    Path("tiny.yaml").write_text(TINY, encoding="utf-8")
    command = lay_out(given)
    before = written()
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
    ):
        code = main(shlex.split(command)[1:])
    assert (code, out.getvalue()) == (2, ""), (command, out.getvalue(), err.getvalue())
    assert written() == before, command
    told = err.getvalue().strip().replace("boostbench: ", "")
    return told.replace(os.getcwd(), "{folder}").replace(str(ROOT), "{package}")


@parametrized(LIST)
def test_a_bad_command_is_refused(title, given, expected):
    assert complaint_about(title, given) == expected


if __name__ == "__main__":
    rewrite(LIST, complaint_about)
