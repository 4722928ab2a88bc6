"""Print pip constraints that hold each dependency at the oldest version pyproject.toml allows.

``python .ci/oldest.py > oldest.txt; pip install --constraint oldest.txt --editable . --group dev``
"""

import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
chosen = [extras[name] for name in ("baselines", "dask", "onnx", "parquet", "serve")]
for requirement in sum(chosen, project["dependencies"]):
    name, _, bound = requirement.partition(">=")
    print(f"{name}=={bound}")
