"""Accessibility of the pages of a results folder: axe-core finds nothing, in light and dark.

``python -m checks.axe AXE.MIN.JS RESULTS`` opens every page in Chromium, wide and narrow, with all
parts unfolded, and prints what is found. ``make axe`` fetches axe-core from npm.
"""

from __future__ import annotations

import itertools
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_UNFOLD = "document.querySelectorAll('details').forEach((its) => { its.open = true; })"


def violations(browser: Browser, page: Path, axe: str) -> list[str]:
    """Return what axe-core finds on a page, one line for each rule and look of the page."""
    found = []
    for scheme, width in itertools.product(("light", "dark"), (1280, 390)):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            bypass_csp=True,
        )
        opened = context.new_page()
        opened.goto(page.resolve().as_uri())
        opened.evaluate(_UNFOLD)
        opened.evaluate(axe)
        for each in opened.evaluate("axe.run()")["violations"]:
            first = each["nodes"][0]["html"]
            found.append(f"{page}: {scheme}, {width} px: {each['id']}: {each['help']}: {first}")
        context.close()
    return found


def main(axe: Path, results: Path) -> int:
    """Check all pages of a results folder; return the exit code."""
    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    pages = sorted(results.rglob("*.html"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        script = axe.read_text(encoding="utf-8")
        found = [line for page in pages for line in violations(browser, page, script)]
        browser.close()
    print(*found, f"{len(pages)} pages, {len(found)} violations", sep="\n")
    return bool(found) or not pages


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:3])))
