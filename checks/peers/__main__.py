"""Runs other packages' test suites on our boosters, and writes README.md.

``python -m checks.peers [SUITE ...] [--sources DIR]`` runs all suites, or those that are named,
and writes the page from the last outcomes of all. Suites outside installed packages are cloned
at a fixed version; what cannot be had is skipped. The exit code is 1 if a failure has no reason in
`reasons`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from checks.peers.adapters import SUITES, Suite
from checks.peers.reasons import reason

ROOT = Path(__file__).resolve().parents[2]
PAGE = Path(__file__).with_name("README.md")

_HEAD = """
`make peers` runs the tests that scikit-learn, LightGBM and cleanlab have for classifiers on
boosters of this package. An adapter puts these in the place of the peer's, with the names and
defaults of its parameters. Only tests that make a booster count. The command writes this page; a
failure without a reason is its error.
"""


def run(name: str, suite: Suite, sources: Path) -> str:
    """Run a suite; its report has the tests that made a booster, with outcome and error.

    Returns why it was skipped, or an empty string.
    """
    try:
        version(suite.package)
    except PackageNotFoundError:
        return f"the package {suite.package} is not installed"
    where = ["--pyargs", suite.module]
    if suite.repository:
        folder = sources / suite.package
        if not (folder / suite.module).exists():
            subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
            fetch = ["fetch", "--quiet", "--depth=1", suite.repository, suite.version]
            for command in (fetch, ["checkout", "--quiet", "FETCH_HEAD"]):
                if subprocess.run(["git", *command], cwd=folder).returncode:
                    return f"its tests are in {suite.repository}, which cannot be fetched"
        where = [str(folder / suite.module)]
    report = report_of(name, sources)
    report.unlink(missing_ok=True)
    options = ["-q", "--tb=no", "--no-header", "-p", "no:cacheprovider"]
    # without the settings of this package, by which a warning fails a test
    options += ["-c", os.devnull, f"--rootdir={sources}"]
    command = [sys.executable, "-m", "pytest", "-p", "checks.peers.adapters", *options, *where]
    paths = {"PYTHONPATH": str(ROOT), "PEERS_SUITE": name, "PEERS_REPORT": str(report)}
    paths["OMP_NUM_THREADS"] = "1"  # threads that wait for each other are slow on a busy machine
    subprocess.run(command, cwd=sources, env=os.environ | paths, stdout=subprocess.DEVNULL)
    return "" if report.exists() else f"no test was run; try it by hand: {' '.join(command)}"


def report_of(name: str, sources: Path) -> Path:
    """Return the file with a line of JSON for each test."""
    return sources / f"{name.replace(' ', '-')}.jsonl"


def page(found: dict[str, list[dict[str, str]]]) -> str:
    """Return the page with the tables."""
    lines = [
        "# Tests of other packages",
        "",
        *(line.strip() for line in _HEAD.strip().splitlines()),
        "",
        "| tests of | version | in the place of | booster | passed | failed |",
        "|---|---|---|---|---|---|",
    ]
    for name, tests in found.items():
        suite = SUITES[name]
        outcome = Counter(test["outcome"] for test in tests)
        peer = suite.peer.partition(":")[2]
        release = suite.version or version(suite.package)
        cells = (name, f"{suite.package} {release}", f"`{peer}`", f"`{suite.booster}`")
        lines.append(f"| {' | '.join(cells)} | {outcome['passed']} | {outcome['failed']} |")
    for name, tests in found.items():
        why = Counter(reason(test) for test in tests if test["outcome"] == "failed")
        lines += ["", f"## {name}", "", "| failed | reason |", "|---|---|"]
        lines += [f"| {n} | {text or 'unknown'} |" for text, n in why.most_common()]
    return "\n".join([*lines, ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suites, print what failed without a reason, and write the page."""
    parser = argparse.ArgumentParser(description="Other packages' test suites on our boosters.")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(SUITES))
    parser.add_argument("--sources", type=Path, default=ROOT / ".venv" / "peers")
    options = parser.parse_args(arguments)
    options.sources.mkdir(parents=True, exist_ok=True)
    for name in options.suites or SUITES:
        print(f"{name}: running the tests of {SUITES[name].package}", flush=True)
        if why := run(name, SUITES[name], options.sources.resolve()):
            print(f"{name}: skipped, {why}", flush=True)
    found: dict[str, list[dict[str, Any]]] = {}
    unknown = 0
    for name in SUITES:
        if not (report := report_of(name, options.sources)).exists():
            continue
        found[name] = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
        failed = [test for test in found[name] if test["outcome"] == "failed"]
        n_passed = sum(test["outcome"] == "passed" for test in found[name])
        print(f"{name}: {n_passed} passed, {len(failed)} failed")
        for test in failed:
            if not reason(test):
                unknown += 1
                print(f"  without a reason: {test['test']}: {test['error'][:300]}")
    if without := [name for name in SUITES if name not in found]:
        print(f"{PAGE} is left as it is: no outcome of {', '.join(without)}")
    else:
        PAGE.write_text(page(found), encoding="utf-8")
        print(PAGE)
    return int(unknown > 0 or not found)


if __name__ == "__main__":
    sys.exit(main())
