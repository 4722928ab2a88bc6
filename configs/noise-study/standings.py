"""Tables of the leaderboard: standings of the methods, and recommendations tried on other sets.

The vocabulary is that of TabArena (Erickson et al. 2025): Elo and improvability over data sets.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from boostbench.plugins import (
    BEYOND,
    CLEAN,
    BoostbenchError,
    BoosterLabel,
    Row,
    Study,
    Table,
    TableCell,
    in_print,
)

Errors = NDArray[np.float64]
CLEAN_NOISE = CLEAN.full_label
DRAWS = 200
#: Elo of the method with which the others are compared.
ANCHOR = 1000.0
#: Points of error above the best within which a method stands next to it.
NEAR = 1.0
UNKNOWN = "unknown"
#: Training samples from which a data set is no small one.
SMALL = 500
FEW, MANY = f"unknown, fewer than {SMALL} samples", f"unknown, {SMALL} samples or more"


def complete(study: Study, noises: Iterable[str]) -> tuple[list[str], Errors, Errors]:
    """Return the data sets with results of every method, their errors, and seconds of a fit.

    Returns
    -------
    sets : list of str
    errors : ndarray of float64, shape (n_methods, n_sets)
        Test errors at the end in percent, means over the noises and repeats.
    seconds : ndarray of float64, shape (n_methods, n_sets)
        Times of a fit.
    """
    noises = list(noises)
    found: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for result in study.results:
        if result.ok and result.record is not None and result.noise in noises:
            record = result.record
            error = 100.0 * record.curves["test_errors"][-1] / record.n_test
            key = result.run.method, result.run.dataset, result.noise
            found.setdefault(key, []).append((error, float(record.seconds["fit"])))
    methods = study.contenders
    sets = [
        d
        for d in study.datasets
        if noises and all((m, d, noise) in found for m in methods for noise in noises)
    ]
    if not sets:
        return [], np.empty((len(methods), 0)), np.empty((len(methods), 0))
    means = {cell: np.mean(of, axis=0) if len(of) > 1 else of[0] for cell, of in found.items()}
    cells = [[[means[m, d, noise] for noise in noises] for d in sets] for m in methods]
    both = np.array(cells).mean(axis=2)
    return sets, both[..., 0], both[..., 1]


def with_results(study: Study) -> list[str]:
    """Return the labels of the noises with results of every method on a data set."""
    return [noise for noise in study.noises if complete(study, [noise])[0]]


def elo(errors: Errors, anchor: int) -> Errors:
    """Return the Elo of each method from its comparisons with the others on each data set.

    The ratings maximise the likelihood of the Bradley-Terry model; a tie is half a win of both.
    Half a win more of both in every pair keeps the rating of a method that always wins finite.

    Parameters
    ----------
    errors : ndarray of float64, shape (n_methods, n_sets)
    anchor : int
        Method of rating 1000.

    Examples
    --------
    >>> even = np.array([[1.0, 2.0], [2.0, 1.0]])
    >>> elo(even, 0).tolist()
    [1000.0, 1000.0]
    """
    below = (errors[:, None] < errors[None]).sum(axis=2)
    ties = (errors[:, None] == errors[None]).sum(axis=2)
    wins = below + 0.5 * ties + 0.5
    np.fill_diagonal(wins, 0.0)
    games = wins + wins.T
    strength = np.ones(len(errors))
    for _ in range(1000):  # the algorithm of Zermelo
        with_all = games / (strength[:, None] + strength)
        new = wins.sum(axis=1) / with_all.sum(axis=1)
        new /= np.exp(np.log(new).mean())
        done = np.abs(new / strength - 1.0).max() < 1e-6
        strength = new
        if done:
            break
    rating = 400.0 * np.log10(strength)
    return np.asarray(ANCHOR + rating - rating[anchor])


def drawn_sets(n_sets: int) -> Iterable[NDArray[np.int64]]:
    """Yield the samples of a bootstrap over data sets, the same for every table."""
    rng = np.random.default_rng(0)
    for _ in range(DRAWS):
        yield rng.integers(n_sets, size=n_sets)


def standings(study: Study, *, noise: str = "", anchor: BoosterLabel = "random-forest") -> Table:
    """Rank the methods over data sets.

    Parameters
    ----------
    study : Study
    noise : str, default=""
        Label of a noise; by default all noises, each with the same weight.
    anchor : str, default="random-forest"
        Method whose Elo is 1000.
    """
    methods = study.contenders
    noises = [noise] if noise else with_results(study)
    sets, errors, seconds = complete(study, noises)
    if not sets or anchor not in methods:
        raise BoostbenchError(f"it needs results of all methods and of {anchor!r} on a data set")
    at = methods.index(anchor)
    rating = elo(errors, at)
    drawn = [elo(errors[:, chosen], at) for chosen in drawn_sets(len(sets))]
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    ranks = rankdata(errors, axis=0).mean(axis=1)
    least = errors.min(axis=0)
    # what the best method of a set would take off the error, in per cent of it
    gap = 100.0 * np.where(errors > 0.0, (errors - least) / np.maximum(errors, 1e-12), 0.0)
    rows = [
        Row(
            (methods[k],),
            tuple(
                TableCell(text, value=text)
                for text in (
                    f"{rating[k]:.0f}",
                    f"[{low[k]:.0f}, {high[k]:.0f}]",
                    f"{ranks[k]:.1f}",
                    f"{errors[k].mean():.1f}",
                    f"{gap[k].mean():.1f}",
                    f"{np.median(seconds[k]):.2g}",
                )
            ),
        )
        for k in np.argsort(-rating, kind="stable")
    ]
    return Table(
        title=f"Standings over {len(sets)} data sets; labels: {', '.join(noises)}",
        names=("method",),
        columns=(
            "Elo",
            "95 % interval",
            "mean rank",
            "mean error (%)",
            "improvability (%)",
            "fit (s)",
        ),
        rows=tuple(rows),
        footers=(
            f"Elo from all pairs of methods on each data set; {in_print(anchor)} has {ANCHOR:.0f}. "
            f"Intervals by {DRAWS} bootstrap samples of the data sets.",
            "Improvability: mean share of its error that the best method of a data set saves.",
        ),
    )


def situations(study: Study) -> dict[str, list[str]]:
    """Return the labels of the noises of each situation, by its description; unknown ones first."""
    found: dict[str, list[str]] = {UNKNOWN: with_results(study)}
    for result in study.results:
        rate, model = result.noise_rate, result.run.noise.model
        words = f"{model} {'≤ 20 %' if rate <= 0.2 else '> 20 %'}"
        if result.noise == CLEAN_NOISE:
            words = "none"
        if result.noise not in found.setdefault(words, []):
            found[words].append(result.noise)
    return found


def recommend(study: Study) -> Table:
    """Recommend a method for each situation, and try the rule on data sets without part in it.

    A row is for data of two or of more classes, and for one kind of wrong labels at low or high
    rates, or for any of them, and then also for few or many samples. In each of many divisions the
    data sets are halved at random: the method of the lowest mean error on one half is taken on the
    other. Its regret there is its error less that of the best method of each data set, which
    nobody knows beforehand.
    """
    records = {r.run.dataset: r.record for r in study.results if r.ok and r.record}
    rows, answers = [], []
    for classes, label in (("two", "2"), ("three or more", "≥ 3")):
        known = [d for d in study.datasets if d in records]
        known = [d for d in known if (records[d].n_classes == 2) == (classes == "two")]
        of_classes = study.only(datasets=known)
        methods = of_classes.contenders
        clean_sets, clean, _ = complete(of_classes, [CLEAN_NOISE])
        cost = dict(zip(clean_sets, (clean - clean.min(axis=0)).T, strict=True))
        of_size = {
            FEW: [d for d in known if records[d].n_train < SMALL],
            MANY: [d for d in known if records[d].n_train >= SMALL],
        }
        parts = [(words, known, noises) for words, noises in situations(study).items()]
        parts[1:1] = [(words, part, parts[0][2]) for words, part in of_size.items()]
        for words, part, noises in parts:
            sets, errors, _ = complete(of_classes, noises)
            errors = errors[:, np.isin(sets, part)]
            sets = [d for d in sets if d in part]
            if len(sets) < 4:
                continue
            mean = errors.mean(axis=1)
            first, *others = np.argsort(mean, kind="stable")
            near = [methods[k] for k in others if mean[k] <= mean[first] + NEAR]
            regret, chosen = tried(errors)
            on_clean = [cost[d][first] for d in sets if d in cost]
            texts = (
                f"{len(sets)}",
                methods[first],
                ", ".join(near[:3]) or BEYOND,
                f"{mean[first]:.1f}",
                "{:.1f} [{:.1f}, {:.1f}]".format(*regret),
                f"{100.0 * chosen[first]:.0f}",
                f"{np.mean(on_clean):.1f}" if on_clean else BEYOND,
            )
            rows.append(Row((label, words), tuple(TableCell(text, value=text) for text in texts)))
            if words == UNKNOWN:
                answers.append(
                    f"For {classes} classes and an unknown share of wrong labels, take "
                    f"{in_print(methods[first])}: it has the lowest mean error. On a new data set "
                    f"such a choice errs about {regret[0]:.1f} points more often than the best "
                    "method there."
                )
    if not rows:
        raise BoostbenchError("a recommendation needs results of every method on four data sets")
    return Table(
        title="Recommended methods by type of data, and their regret on other sets",
        names=("classes", "wrong labels"),
        columns=(
            "sets",
            "take",
            "next to it",
            "error (%)",
            "regret elsewhere",
            "chosen (%)",
            "above the best on clean labels",
        ),
        rows=tuple(rows),
        answer=tuple(answers),
        footers=(
            f"Next to it: the next three at most, within {NEAR:g} point. Regret elsewhere: points "
            "above the best method of each set, for the method chosen on half of the sets and "
            "taken on the other half; mean and 90 % of "
            f"{DRAWS} divisions. Chosen: share of the halves that take it.",
            "Above the best on clean labels: points above the best method of each set.",
            f"Unknown: the mean over {', '.join(with_results(study))}.",
        ),
    )


def tried(errors: Errors) -> tuple[tuple[float, float, float], Errors]:
    """Return the regret of the choice on half of the sets on the other half, and who is chosen.

    Parameters
    ----------
    errors : ndarray of float64, shape (n_methods, n_sets)

    Returns
    -------
    regret : tuple of float
        Mean over divisions, and the 5 and 95 % quantiles.
    chosen : ndarray of float64, shape (n_methods,)
        Share of the divisions in which each method is chosen.

    Examples
    --------
    >>> tried(np.array([[1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0]]))[0]
    (0.0, 0.0, 0.0)
    """
    rng = np.random.default_rng(0)
    n_methods, n_sets = errors.shape
    above = errors - errors.min(axis=0)
    regrets, chosen = [], np.zeros(n_methods)
    for _ in range(DRAWS):
        order = rng.permutation(n_sets)
        half, other = order[: n_sets // 2], order[n_sets // 2 :]
        taken = int(errors[:, half].mean(axis=1).argmin())
        chosen[taken] += 1.0 / DRAWS
        regrets.append(float(above[taken, other].mean()))
    low, high = np.quantile(regrets, [0.05, 0.95])
    return (float(np.mean(regrets)), float(low), float(high)), chosen
