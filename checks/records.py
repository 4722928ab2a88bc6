"""Packed records in one archive outside the repository, with its digest in ``results/``.

    python -m checks.records pack records.tar
    python -m checks.records fetch https://example.org/records.tar      # a path will do, too

``pack`` writes the packed records of all reports into an archive, the same bytes for the same
records, and its digest into ``results/records.sha256``. ``fetch`` reads an archive with that digest
and puts the records beside their reports.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import re
import tarfile
from pathlib import Path

from boostbench.data.downloads import download
from boostbench.whole_files import write_file

DIGEST = "records.sha256"
_MEMBER = re.compile(r"[\w.-]+/records\.jsonl\.xz")


def pack(results: Path, archive: Path) -> None:
    """Write the archive and its digest."""
    content = io.BytesIO()
    paths = sorted(results.glob("*/records.jsonl.xz"))
    if not paths:
        raise OSError(f"{results}: no report has packed records")
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in paths:
            records = path.read_bytes()
            member = tarfile.TarInfo(path.relative_to(results).as_posix())
            member.size = len(records)
            tar.addfile(member, io.BytesIO(records))
    write_file(archive, content.getvalue())
    digest = hashlib.sha256(content.getvalue()).hexdigest()
    write_file(results / DIGEST, f"{digest}  {archive.name}\n".encode())


def fetch(results: Path, source: str) -> int:
    """Read an archive from a path or URL; return the number of packed files."""
    digest = (results / DIGEST).read_text(encoding="utf-8").split()[0]
    url = source if "://" in source else Path(source).resolve().as_uri()
    with tarfile.open(fileobj=io.BytesIO(download(url, digest))) as tar:
        found = {member.name: tar.extractfile(member) for member in tar}
        for name, file in found.items():
            if file is None or not _MEMBER.fullmatch(name):
                raise OSError(f"{source}: {name!r} is no file of packed records")
        for name, file in found.items():
            if file is not None:
                write_file(results / name, file.read())
    return len(found)


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("pack", "fetch"))
    parser.add_argument("archive", help="path of the archive; fetch takes a URL, too")
    parser.add_argument("--results", type=Path, default=Path("results"))
    options = parser.parse_args()
    try:
        if options.action == "pack":
            pack(options.results, Path(options.archive))
        else:
            print(f"{fetch(options.results, options.archive)} files of packed records")
    except OSError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
