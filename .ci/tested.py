"""Print pip constraints with the installed version of each package that boostbench needs.

``.venv/bin/python .ci/tested.py > constraints.txt`` after all tests have passed.
"""

import tomllib
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
waiting, versions = list(project["dependencies"]), {}
while waiting:
    needed = Requirement(waiting.pop())
    if needed.marker is None or needed.marker.evaluate({"extra": ""}):
        found = distribution(needed.name)
        waiting += (found.requires or ()) if found.name not in versions else ()
        versions[found.name] = found.version
print("# Versions with which all tests have passed; written by .ci/tested.py.")
for name, version in sorted(versions.items(), key=lambda item: item[0].lower()):
    print(f"{name}=={version}")
