"""Print pip constraints that hold every dependency at the oldest version pyproject.toml allows.

    python .ci/oldest.py > oldest.txt
    python -m pip install --constraint oldest.txt --editable '.[dev]'
"""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
requirements = [*project["dependencies"], *sum(project["optional-dependencies"].values(), [])]
for requirement in sorted(set(requirements)):
    if bound := re.fullmatch(r"([\w.-]+)>=([\w.]+)", requirement):
        print(f"{bound[1]}=={bound[2]}")
