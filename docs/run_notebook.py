"""Execute docs/python-api.ipynb in an empty folder and keep its outputs: ``make notebook``."""

from __future__ import annotations

import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).with_name("python-api.ipynb")


def main() -> None:
    """Write the notebook with the outputs of its cells, and nothing of when they were made."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        metadata = {"path": folder}
        NotebookClient(notebook, resources={"metadata": metadata}, record_timing=False).execute()
    del notebook.metadata["language_info"]
    nbformat.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    main()
