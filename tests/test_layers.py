"""Layers import in one direction only, as docs/architecture.md draws them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_no_module_imports_upward():
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_module_has_at_most_500_lines():
    lines = {p.name: p.read_text("utf-8").count("\n") for p in (ROOT / "boostbench").rglob("*.py")}
    assert {name: n for name, n in lines.items() if n > 500} == {}
