"""Print pip constraints: every dependency of users at the oldest version that pyproject.toml allows.

    python .ci/oldest.py > oldest.txt
    python -m pip install --constraint oldest.txt --editable '.[dev]'
"""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
for requirement in [*project["dependencies"], *extras["parquet"], *extras["baselines"]]:
    name, _, bound = requirement.partition(">=")
    print(f"{name}=={bound}")
