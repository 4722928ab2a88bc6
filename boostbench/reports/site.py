"""The results as a site: one static folder with overview, reports, leaderboards, documentation."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from boostbench.errors import BoostbenchError
from boostbench.reports.files import write_files
from boostbench.reports.leaderboard import LEADERBOARD
from boostbench.reports.overview import SENSITIVITY, overview_page
from boostbench.reports.summary import read_summaries

#: Place for the links of a site in the page of a report.
_MARK = "<!-- site -->"
#: Links to images that a page does not hold.
_IMAGE = re.compile(r'href="([^"/]+\.png)"')
_SENSITIVITY_BUILT = "sensitivity.html"  # by the documentation
_FIRST = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Results</title>
<meta http-equiv="refresh" content="0; url=results/index.html">
<a href="results/index.html">Results</a>
</html>
"""


def write_site(results: Path, folder: Path, docs: Path | None = None) -> Path:
    """Write the site of a results folder; return the path of its first page.

    ``results/`` in the site gets the overview, and page and leaderboard of each report, with
    links to each other. The site itself gets the built documentation, whose links to results lead
    there.

    Parameters
    ----------
    results : Path
    folder : Path
        Folder of the site. Files of other names are kept.
    docs : Path or None, default=None
        Folder of the built documentation, which may be that of the site.

    Raises
    ------
    BoostbenchError
        If there are no reports, or a file cannot be read or written.
    """
    names = [name for name, _ in read_summaries(results)]
    if not names:
        what = "no report is here; `boostbench report CONFIG` writes one"
        raise BoostbenchError(what, where=str(results))
    try:
        if docs is not None and docs.resolve() != folder.resolve():
            shutil.copytree(docs, folder, ignore=shutil.ignore_patterns(".*"), dirs_exist_ok=True)
        for name in names:
            contents: dict[str, str | bytes] = {}
            for page in (results / name / "report.html", results / name / LEADERBOARD):
                if page.is_file():
                    text = page.read_text(encoding="utf-8")
                    contents[page.name] = _linked(text, "../", has_docs=bool(docs))
                    for image in _IMAGE.findall(text):
                        contents[image] = page.with_name(image).read_bytes()
            write_files(folder / "results" / name, contents)
        contents = {}
        if docs is None and (results / SENSITIVITY).is_file():
            contents[SENSITIVITY] = (results / SENSITIVITY).read_bytes()
    except OSError as error:
        raise BoostbenchError(str(error.strerror), where=str(error.filename)) from error
    index = overview_page(results).replace(SENSITIVITY, _SENSITIVITY_BUILT if docs else SENSITIVITY)
    contents["index.html"] = _linked(index, "", has_docs=bool(docs))
    write_files(folder / "results", contents)
    return write_files(folder, {"index.html": _FIRST, ".nojekyll": ""})[0]


def _linked(page: str, to_results: str, *, has_docs: bool) -> str:
    """Return a page with links to the overview and to the documentation."""
    links = {f"{to_results}index.html": "All results"} if to_results else {}
    links |= {f"{to_results}../docs/index.html": "Documentation"} if has_docs else {}
    return page.replace(_MARK, "\n".join(f'<a href="{to}">{x}</a>' for to, x in links.items()))
