"""Every bad config of bad_configs.txt is refused with exactly the complaints written there."""

import re
from pathlib import Path

import pytest

from boostbench.errors import ConfigError
from boostbench.experiments.configs.file import load_config

TABLE = Path(__file__).with_name("bad_configs.txt").read_text(encoding="utf-8")
CASES = [
    re.fullmatch(r"(\S+)(.*?)\n(.*?)>>>\n(.*?)\n*", case, re.DOTALL).groups()
    for case in TABLE.split("### ")[1:]
]


def test_the_table_is_long_and_its_names_are_distinct():
    names = [name for name, *_ in CASES]
    assert len(names) >= 40
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("options", "text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_a_bad_config_is_refused(options, text, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bad.yaml").write_text(text, encoding="utf-8")
    overrides = re.findall(r"--set (\S+)", options)
    size = re.search(r"--size (\S+)", options)
    with pytest.raises(ConfigError) as error:
        load_config("bad.yaml", overrides, size=size[1] if size else None)
    assert str(error.value).replace(f"{tmp_path}/", "{folder}/") == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            None,
            "bad.yaml: no such config file; `boostbench list configs` names those that ship with "
            "boostbench",
        ),
        (b"name: \xff\xfe\n", "bad.yaml: is not UTF-8 text (byte 6); save it as UTF-8"),
        (
            b"name: a\0b\n",
            "bad.yaml: not YAML: unacceptable character #x0000: special characters are not allowed",
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
    assert str(error.value) == expected


def test_each_complaint_is_an_error_of_its_own(config_file):
    path = config_file("name: trial\ndatasets: [wnie]\nboosters: [smboost]\nrounds: -1\n")
    with pytest.raises(ConfigError) as error:
        load_config(path)
    assert [complaint.where for complaint in error.value.complaints] == [
        f"{path}:{line}" for line in (2, 3, 4)
    ]
