"""`boostbench site`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boostbench.cli.guard import OK
from boostbench.cli.options import Results
from boostbench.errors import BoostbenchError

_DOCS = Path("docs/_build/html")


def site(
    *,
    results: Results = Path("results"),
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder of the site.")
    ] = Path("site"),
    docs: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help=f"Built documentation to take along; by default {_DOCS}, if it is there.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Write the results as a site: one folder for any static host.

    The site begins with what was found, paper by paper, and has every report, the leaderboards and
    the documentation, with links between them. It opens from disk, too. Nothing is trained, and the
    pages are those that `boostbench report` wrote.

    Examples:
      boostbench site
      boostbench site --results DIR -o public
    """
    from boostbench.reports.overview import write_site

    if docs is None:
        docs = _DOCS if (_DOCS / "docs" / "index.html").is_file() else None
    elif not (docs / "docs" / "index.html").is_file():
        what = "no documentation is built here; `make docs` does so in a clone"
        raise BoostbenchError(what, where=f"--docs {docs}")
    print(write_site(results, output, docs))
    return OK
