"""Every bad config of bad_configs.txt is refused with exactly the complaints written there.

``python -m tests.experiments.configs.test_bad_configs`` rewrites the list, to be reviewed before a
commit.
"""

import os
import re
from pathlib import Path

import pytest

from boostbench.errors import ConfigError
from boostbench.experiments.configs.file import load_config
from boostbench.inputs import load_plugin
from tests.experiments.conftest import TOYS
from tests.golden import lay_out, parametrized, rewrite

LIST = Path(__file__).with_name("bad_configs.txt")
CONFIGS = Path(__file__).resolve().parents[3] / "configs"


def complaints_about(title, given):
    """Return what is told of a config and of the files beside it."""
    text = lay_out(given).replace("CONFIGS", str(CONFIGS))
    Path("bad.yaml").write_text(text, encoding="utf-8")
    size = re.search(r"--size (\S+)", title)
    with pytest.raises(ConfigError) as error:
        load_config("bad.yaml", re.findall(r"--set (\S+)", title), size=size[1] if size else None)
    told = str(error.value).replace(f"{os.getcwd()}/", "{folder}/")
    return told.replace(str(CONFIGS), "CONFIGS")


@parametrized(LIST)
def test_a_bad_config_is_refused(title, given, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert complaints_about(title, given) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            None,
            "no such config file; `boostbench list configs` names those that ship with boostbench",
        ),
        (b"name: \xff\xfe\n", "is not UTF-8 text (byte 6); save it as UTF-8"),
        (
            b"name: a\0b\n",
            "not YAML: unacceptable character #x0000: ",
        ),
    ],
    ids=["absent", "not-utf-8", "zero-byte"],
)
def test_a_file_that_cannot_be_read_is_refused(content, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("bad.yaml").write_bytes(content)
    with pytest.raises(ConfigError) as error:
        load_config("bad.yaml")
    assert str(error.value).startswith(f"bad.yaml: {expected}")


def test_a_name_that_no_file_can_have_is_no_config():
    with pytest.raises(ConfigError, match="a: no such config file"):
        load_config(f"{'b' * 300}/a")


def test_a_config_that_is_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(ConfigError, match=r"pipe\.yaml: .* it is not a regular file"):
        load_config(tmp_path / "pipe.yaml")


def test_each_complaint_is_an_error_of_its_own(config_file):
    path = config_file("name: trial\ndatasets: [wnie]\nboosters: [smboost]\nrounds: -1\n")
    with pytest.raises(ConfigError) as error:
        load_config(path)
    assert [complaint.where for complaint in error.value.complaints] == [
        f"{path}:{line}" for line in (2, 3, 4)
    ]


if __name__ == "__main__":
    load_plugin(TOYS)
    rewrite(LIST, complaints_about)
