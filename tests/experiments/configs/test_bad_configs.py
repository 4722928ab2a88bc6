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
    told = str(error.value)
    each = [f"{complaint.where}: {complaint.what}" for complaint in error.value.complaints]
    assert told.splitlines() == each
    return told.replace(f"{os.getcwd()}/", "{folder}/").replace(str(CONFIGS), "CONFIGS")


@parametrized(LIST)
def test_a_bad_config_is_refused(title, given, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert complaints_about(title, given) == expected


if __name__ == "__main__":
    load_plugin(TOYS)
    rewrite(LIST, complaints_about)
