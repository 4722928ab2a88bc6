"""Layers import in one direction only, as docs/architecture.md draws them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def test_no_module_imports_upward():
    lint_imports = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    if lint_imports is None:
        pytest.skip("import-linter is not installed")
    command = [lint_imports, "--no-cache", "--no-logo"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "module", sorted((ROOT / "boostbench").rglob("*.py")), ids=lambda p: p.stem
)
def test_a_module_fits_in_a_sitting(module):
    assert len(module.read_text(encoding="utf-8").splitlines()) <= 500
