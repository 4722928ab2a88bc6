"""The table of all pairs of boosters over data sets (Ismail-Fawaz et al. 2023)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.kind_options import BoosterLabel
from boostbench.reports.tables.table import BEYOND, Row, Table, TableCell
from boostbench.reports.values.frame import Study
from boostbench.reports.values.metrics import METRICS
from boostbench.reports.values.part_options import MetricName, chosen_metrics, chosen_rounds
from boostbench.reports.values.rank_statistics import PairTest, case_errors, compare_pair, holm

_ROWS = ("wins/ties/losses", "difference", "effect size", "p")


def build_pairwise_table(
    study: Study,
    *,
    value: MetricName = "test_error",
    at: int | None = None,
    control: BoosterLabel | None = None,
    title: str = "",
) -> Table:
    """Compare every booster with every other, one data set a case.

    What stands for a pair depends on these two boosters alone, on all data sets where both have a
    value: another booster beside them changes nothing. A data set counts by its mean over seeds,
    folds and noises.

    Parameters
    ----------
    study : Study
        With two boosters or more.
    value : str, default="test_error"
    at : int or None, default=None
        Round T; by default the last of each booster.
    control : str or None, default=None
        Compare with this booster alone, with p-values adjusted by Holm's method.
    title : str, default=""
    """
    (metric,) = chosen_metrics(study, "value", value)
    T = None if at is None else chosen_rounds(study, at)[-1]
    if len(study.boosters) < 2:
        raise BoostbenchError("pairs need two boosters or more")
    columns = [control] if control is not None else study.boosters
    left = [booster for booster in study.boosters if booster != control]
    tests = {(a, b): _test(study, a, b, metric, T) for a in left for b in columns if a != b}
    known = {pair: test for pair, test in tests.items() if test is not None}
    if not known:
        raise BoostbenchError("no data set has a result of two boosters yet")
    texts = {pair: _texts(test, METRICS[metric].scale) for pair, test in known.items()}
    if control is not None:
        adjusted = holm([test.p for test in known.values()])
        for pair, p in zip(known, adjusted, strict=True):
            texts[pair].append(f"{p:.2g}")
    rows = [*_ROWS, "p (Holm)"] if control is not None else list(_ROWS)
    counts = sorted({test.wins + test.ties + test.losses for test in known.values()})
    return Table(
        title=title or f"Pairs of boosters: {METRICS[metric].words}",
        names=("booster", "against"),
        columns=tuple(columns),
        rows=tuple(row for booster in left for row in _rows(booster, columns, rows, texts)),
        footers=tuple(_footers(counts, bool(METRICS[metric].unit), control)),
    )


def _test(study: Study, a: str, b: str, metric: str, T: int | None) -> PairTest | None:
    """Compare two boosters; None without a data set that both have done."""
    try:
        errors = case_errors(study.results, (a, b), metric, T).by_set
    except BoostbenchError:
        return None
    return compare_pair(errors[:, 0], errors[:, 1])


def _texts(test: PairTest, scale: int) -> list[str]:
    counts = f"{test.wins}/{test.ties}/{test.losses}"
    return [counts, f"{scale * test.difference:+.2f}", f"{test.effect:+.2f}", f"{test.p:.2g}"]


def _rows(
    booster: str,
    columns: Sequence[str],
    names: Sequence[str],
    texts: dict[tuple[str, str], list[str]],
) -> Iterable[Row]:
    for place, name in enumerate(names):
        found = (texts.get((booster, column)) for column in columns)
        cells = (TableCell(BEYOND) if its is None else _cell(its[place]) for its in found)
        yield Row((booster, name), tuple(cells))


def _cell(text: str) -> TableCell:
    return TableCell(text, value=text)


def _footers(counts: Sequence[int], in_points: bool, control: str | None) -> Iterable[str]:
    span = " to ".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
    yield f"Over {span} data sets; a win is a lower value of the booster on the left."
    unit = ", in points" if in_points else ""
    yield f"Difference: mean of the left less that of the column's{unit}."
    yield "Effect size: rank-biserial correlation; -1: the left one is lower on every data set."
    yield "p: Wilcoxon's signed-rank test of this pair" + (
        "." if control is not None else ", not adjusted for the number of pairs."
    )
