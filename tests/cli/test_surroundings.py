"""Commands in any terminal and environment: encodings, full outputs, matplotlib's settings."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from boostbench.cli.app import main


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_letters_that_the_output_lacks_are_escaped(encoding, monkeypatch):
    content = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(content, encoding=encoding))
    assert main(["verify", "noise20"]) == 1
    assert b"true in 0 of 7 cases" in content.getvalue()
    content.truncate(0)
    content.seek(0)
    assert main(["list", "datasets", "--json"]) == 0
    assert json.loads(content.getvalue().decode("ascii"))


@pytest.fixture
def full():
    """A stream to a full disk."""
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    stream = open("/dev/full", "w")  # noqa: SIM115
    yield stream
    with open(os.devnull, "w") as devnull:
        os.dup2(devnull.fileno(), stream.fileno())
    stream.close()


@pytest.mark.parametrize("command", [["--help"], ["list", "boosters"]])
def test_a_full_output_is_one_line(command, full, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", full)
    assert main(command) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("No space left on device")


def test_a_full_place_for_messages_changes_no_exit_code(full, monkeypatch):
    monkeypatch.setattr(sys, "stderr", full)
    assert main(["plan", "no-such-config"]) == 2


def test_the_display_of_a_notebook_is_not_used_and_kernels_are_compiled(monkeypatch, capsys):
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert main(["list", "noise"]) == 0
    assert not {"MPLBACKEND", "NUMBA_DISABLE_JIT"} & {*os.environ}
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("boostbench: NUMBA_DISABLE_JIT is ignored")


def test_python_says_in_a_line_that_kernels_must_be_compiled():
    command = [sys.executable, "-c", "from boostbench import make_booster"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    said = "ImportError: unset NUMBA_DISABLE_JIT: boosters must be compiled"
    assert done.stderr.endswith(f"{said}\n")


def test_settings_of_matplotlib_that_are_not_utf_8_are_one_line(tmp_path):
    (tmp_path / "matplotlibrc").write_bytes(b"backend: \xff\n")
    code = "from boostbench.reports.figures.style import drawing_style\nwith drawing_style(): pass"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert "BoostbenchError: matplotlibrc: matplotlib cannot read its settings" in done.stderr


def test_a_package_in_a_zip_file_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as file:
        for path in Path(__file__).parents[2].glob("boostbench/*.py"):
            file.write(path, f"boostbench/{path.name}")
    code = f"import sys; sys.path.insert(0, {str(tmp_path / 'b.zip')!r})\nimport boostbench"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.endswith("b.zip: unpack the archive\n")


def test_the_sign_of_the_home_folder_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    Path("own.csv").write_text("x,class\n1,a\n2,b\n")
    assert main(["data", "add", "own.csv", "--target", "class", "--to=~/mine"]) == 0
    assert (tmp_path / "mine" / "own.csv").is_file()
