"""Layers import in one direction only, as docs/architecture.md draws them."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_every_module_has_at_most_500_lines():
    lines = {p.name: p.read_text("utf-8").count("\n") for p in (ROOT / "boostbench").rglob("*.py")}
    assert {name: n for name, n in lines.items() if n > 500} == {}
