"""`boostbench site`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boostbench.cli.guard import OK
from boostbench.cli.options import Results

_DOCS = Path("docs/_build/html")


def site(
    *,
    results: Results = Path("results"),
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder of the site.")
    ] = Path("site"),
) -> int:
    """Write the results as a site: one folder for any static host.

    The site begins with what was found, paper by paper, and has every report, the leaderboards and
    the documentation, if `make docs` built it here, with links between them. It opens from disk,
    too. Nothing is trained, and the pages are those that `boostbench report` wrote.

    Examples:
      boostbench site
      boostbench site --results DIR -o public
    """
    from boostbench.reports.overview import write_site

    docs = _DOCS if (_DOCS / "docs" / "index.html").is_file() else None
    print(write_site(results, output, docs))
    return OK
