from pathlib import Path

from tests.experiments.conftest import config_file, runs_of, toys

__all__ = ["HOSTILE", "config_file", "runs_of", "toys"]

#: Loaded as plugins, so not to be imported for their doctests.
collect_ignore = ["hostile.py"]
HOSTILE = Path(__file__).with_name("hostile.py")
