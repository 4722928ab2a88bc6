"""`python -m checks.same_numbers BEFORE`: let rewritten modules count as their earlier texts.

For a change after which `checks.bits` gives the same bits as before, so that all records stay
valid. BEFORE is a checkout without the change. Each module of the package with another essence
there is entered in `boostbench.experiments.store.identity.SAME_NUMBERS`; its other entries leave.

A module must not import more of the package than before: a later change of what it imports would
go unnoticed. A new module cannot be entered; it makes the records of what imports it stale.
"""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path

import boostbench
from boostbench.experiments.store.identity import (
    SAME_NUMBERS,
    _earlier_facts,
    _Facts,
    _Import,
    _parsed,
)
from boostbench.inputs import digest_of_text


def digest_and_facts(file: Path) -> tuple[str, _Facts]:
    """Return the digest of the essence of a module, and its facts."""
    facts = _parsed(file.read_bytes(), is_own=True)
    return digest_of_text(facts.essence.encode()), facts


def imported(facts: _Facts) -> set[tuple[str, int, str]]:
    """Return what a module imports from the package: modules, levels and names."""
    own = (each for each in facts.imports if each.level or each.module.startswith("boostbench"))
    return {(each.module, each.level, name) for each in own for name, _ in each.names or [("", "")]}


def entries(before: Path) -> dict[str, _Facts]:
    """Return the earlier facts of each rewritten module by the digest of its present essence.

    Raises
    ------
    SystemExit
        If a rewritten module imports more than before.
    """
    package, found = Path(boostbench.__file__).parent, {}
    for file in sorted(package.rglob("*.py")):
        name = Path("boostbench", file.relative_to(package))
        if (before / name).is_file():
            digest, now = digest_and_facts(file)
            old, earlier = digest_and_facts(before / name)
            if old in _earlier_facts():
                essence, imports, words = _earlier_facts()[old]
                earlier = _Facts(essence, [_Import(*each) for each in imports], words)
            if now.essence == earlier.essence:
                continue
            if more := imported(now) - imported(earlier):
                raise SystemExit(f"{name} imports more than before: {sorted(more)}")
            found[digest] = earlier
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "boostbench").is_dir():
        raise SystemExit("usage: python -m checks.same_numbers BEFORE, the folder of a checkout")
    content = json.dumps(entries(Path(sys.argv[1])))
    SAME_NUMBERS.write_bytes(lzma.compress(content.encode(), preset=9 | lzma.PRESET_EXTREME))
