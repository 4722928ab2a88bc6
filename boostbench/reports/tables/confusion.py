"""Table of confusion matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError
from boostbench.reports.tables.table import BEYOND, Row, Table, TableCell
from boostbench.reports.values.frame import Result, Study
from boostbench.reports.values.part_options import Title, chosen_round


def build_confusion_table(study: Study, *, at: int | None = None, title: Title = "") -> Table:
    """Build the table of confusion matrices, a block for each noise, data set and booster.

    A cell is the percentage of the test samples of a class (row) that are predicted as a class
    (column), over all seeds and folds.

    Parameters
    ----------
    at : int or None, default=None
        Round T, for which matrices must be recorded; by default the last round of each run.
    """
    T = chosen_round(study, at)
    blocks: dict[tuple[str, str, str], NDArray[np.int64]] = {}
    n_without = 0
    for result in study.results:
        matrix = _matrix(result, T)
        if matrix is None:
            n_without += result.ok
            continue
        block = (result.noise, result.run.dataset, result.run.method)
        blocks[block] = blocks[block] + matrix if block in blocks else matrix
    if not blocks:
        raise BoostbenchError(
            "no run has a confusion matrix of this round; 'metrics: [confusion]' in the config "
            "keeps those of the rounds 1, 2, 5, 10, ..., the checkpoints and the last"
        )
    n_classes = max(len(matrix) for matrix in blocks.values())
    several = len(study.noises) > 1
    rows = [
        Row(
            (*([noise] if several else []), dataset, booster, str(label)),
            (TableCell(str(n := int(counts.sum())), value=str(n)), *_shares(counts, n_classes)),
        )
        for (noise, dataset, booster), matrix in blocks.items()
        for label, counts in enumerate(matrix)
    ]
    missing = (f"{n_without} runs have no matrix of this round.",) if n_without else ()
    return Table(
        title=title or f"{study.config.title or study.config.name}: confusion",
        names=(*(["noise"] if several else []), "data set", "booster", "class"),
        columns=("samples", *(f"as {label}" for label in range(n_classes))),
        rows=tuple(rows),
        footers=(
            f"Percent of the test samples of a class, after "
            f"{'the last round' if T is None else f'round {T}'}; classes in sorted order, from 0.",
            *missing,
        ),
    )


def _matrix(result: Result, at: int | None) -> NDArray[np.int64] | None:
    if not result.ok or result.record is None:
        return None
    T = min(at or result.run.rounds, result.record.n_rounds)
    matrix = result.record.at_checkpoints.confusion.get(str(T))
    return None if matrix is None else np.array(matrix, dtype=np.int64)


def _shares(counts: NDArray[np.int64], n_classes: int) -> list[TableCell]:
    n = int(counts.sum())
    shares = [f"{100 * count / n:.1f}" if n else BEYOND for count in counts.tolist()]
    absent = [BEYOND] * (n_classes - len(counts))
    return [TableCell(text, value=text if text != BEYOND else "") for text in (*shares, *absent)]
