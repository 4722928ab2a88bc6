"""Links of a folder of pages: every file, and every place on a page, that a page leads to is there.

``python -m checks.links FOLDER`` prints dead links. Links to other sites are not followed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """Links and names of places of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places = {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what an element leads to, and its name."""
        values = dict(attrs)
        self.places |= {values[key] or "" for key in ("id", "name") if key in values}
        self.links += [values[key] or "" for key in ("href", "src") if key in values]
        if values.get("http-equiv") == "refresh":
            self.links.append((values.get("content") or "").partition("url=")[2])


def dead_links(folder: Path) -> Iterator[str]:
    """Yield a line for each dead link of the pages of a folder."""
    pages = {path.resolve(): _Page(path) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{path}: {link}: no such file"
            elif not target.is_relative_to(folder.resolve()):
                yield f"{path}: {link}: outside the folder"
            elif target in pages and unquote(parts.fragment) not in pages[target].places:
                yield f"{path}: {link}: no such place on the page"


def main(folder: Path) -> int:
    """Check the pages of a folder; return the exit code."""
    n_pages = len(list(folder.rglob("*.html")))
    found = list(dead_links(folder))
    print(*found, f"{n_pages} pages, {len(found)} dead links", sep="\n")
    return bool(found) or not n_pages


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
