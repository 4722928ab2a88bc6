"""Table kind ``pairwise``: pairs of boosters over data sets (Ismail-Fawaz et al. 2023)."""

from __future__ import annotations

from boostbench.plugins import (
    BEYOND,
    QUANTITIES,
    AtRound,
    BoosterLabel,
    MetricName,
    Row,
    Study,
    Table,
    TableCell,
    Title,
    check_compared,
    chosen_round,
    compare_pairs,
    holm,
    span,
)


def pairwise(
    study: Study,
    *,
    value: MetricName = "test_error",
    at: AtRound = None,
    control: BoosterLabel | None = None,
    title: Title = "",
) -> Table:
    """Compare every booster with every other; a case is a data set.

    The comparison of a pair uses all data sets where both boosters have a value, and does not
    depend on the other boosters. The value of a data set is the mean over seeds, folds and noises.

    Parameters
    ----------
    study : Study
        With two or more boosters.
    control : str or None, default=None
        Compare only with this booster, with p-values adjusted by Holm's method.
    """
    check_compared(study, value)
    columns = study.boosters if control is None else [control]
    row_boosters = [booster for booster in study.boosters if booster != control]
    pairs = ((a, b) for a in row_boosters for b in columns if a != b)
    tests = compare_pairs(study, pairs, value, chosen_round(study, at))
    texts = {
        "wins/ties/losses": {
            pair: f"{test.wins}/{test.ties}/{test.losses}" for pair, test in tests.items()
        },
        "difference": {pair: f"{test.difference:+.2f}" for pair, test in tests.items()},
        "effect size": {pair: f"{test.effect:+.2f}" for pair, test in tests.items()},
        "p": {pair: f"{test.p:.2g}" for pair, test in tests.items()},
    }
    if control is not None:
        adjusted = holm([test.p for test in tests.values()])
        texts["p (Holm)"] = {pair: f"{p:.2g}" for pair, p in zip(tests, adjusted, strict=True)}
    counts = {test.wins + test.ties + test.losses for test in tests.values()}
    return Table(
        title=title or f"Pairs of boosters: {QUANTITIES[value].lost}",
        names=("booster", "against"),
        columns=tuple(columns),
        rows=tuple(
            Row((a, name), tuple(TableCell(by_pair.get((a, b), BEYOND)) for b in columns))
            for a in row_boosters
            for name, by_pair in texts.items()
        ),
        footers=(
            f"Over {span(counts)} data sets; a win is a lower value of the booster on the left.",
            "Difference: mean of the left less that of the column's"
            f"{', in points' * bool(QUANTITIES[value].unit)}.",
            "Effect size: rank-biserial correlation; -1: the left one is lower on every data set.",
            "p: Wilcoxon's signed-rank test of this pair"
            f"{', not adjusted for the number of pairs' * (control is None)}.",
        ),
    )
