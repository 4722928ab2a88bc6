"""`python -m checks.same_numbers BEFORE`: let rewritten modules count as their earlier texts.

For a change after which `checks.bits` gives the same bits as before, so that all records stay
valid. BEFORE is a checkout without the change. Each module of the package with another essence
there is entered in `boostbench.experiments.store.identity.SAME_NUMBERS`; its other entries leave.

A rewritten module must not need modules that its earlier text did not: a later change of these
would go unnoticed.
"""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path
from typing import Any

from boostbench.experiments.store import identity
from boostbench.inputs import digest_of_text

PACKAGE = Path(identity.__file__).parents[2]


def facts(file: Path) -> tuple[str, Any]:
    """Return the digest of the essence of a module, and its facts."""
    found = identity._parsed(file.read_bytes(), is_own=True)
    return digest_of_text(found.essence.encode()), found


def rewritten(before: Path) -> dict[str, tuple[str, Any]]:
    """Return the digests and the earlier facts of the rewritten modules by name."""
    known, found = identity._earlier_facts(), {}
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE.parent)
        if (before / name).is_file():
            (digest, now), (old, earlier) = facts(file), facts(before / name)
            earlier = known.get(old, earlier)
            if now.essence != earlier[0]:
                found[".".join(name.with_suffix("").parts)] = digest, earlier
    return found


def needed(entries: dict[str, Any], names: list[str]) -> dict[str, set[Path]]:
    """Write the entries, and return the files behind each module."""
    packed = lzma.compress(json.dumps(entries).encode(), preset=9 | lzma.PRESET_EXTREME)
    identity.SAME_NUMBERS.write_bytes(packed)
    identity.forget()
    return {name: identity._walk((name.removesuffix(".__init__"),)) for name in names}


def main(before: Path) -> None:
    """Write the entries of the modules that are rewritten since a checkout."""
    found = rewritten(before)
    now, then = needed({}, [*found]), needed(dict(found.values()), [*found])
    for name in found:
        for file in sorted(now[name] - then[name]):
            print(f"{name} needs {file.relative_to(PACKAGE)}, which its earlier text did not")
    if now != {name: now[name] & then[name] for name in found}:
        needed({}, [])
        raise SystemExit("no module was entered")
    print(f"modules that count as their earlier texts: {len(found)}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "boostbench").is_dir():
        raise SystemExit("usage: python -m checks.same_numbers BEFORE, the folder of a checkout")
    main(Path(sys.argv[1]))
