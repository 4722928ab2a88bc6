"""The answer of an error table in words: the booster that is best on most data sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from boostbench.quantities import QUANTITIES
from boostbench.reports.tables.facts import Fact, FactKey
from boostbench.reports.text import listed
from boostbench.reports.values.differences import Estimate, estimate
from boostbench.reports.values.frame import END
from boostbench.reports.values.rank_statistics import holm

#: Level of the tests.
LEVEL = 0.05
_MOST_OTHERS = 3  # boosters named after the first
Case = tuple[str, str]  # a noise and a data set


def contest(facts: Mapping[FactKey, Fact], metric: str, best: str) -> Iterator[str]:
    """Yield sentences on the booster that is best in most cases, at the last T of a table.

    A case is a data set with a noise on which every booster has a value. A lead is beyond chance if
    all tests against the others are significant at 0.05, with Holm's method over the cases.

    Parameters
    ----------
    facts : mapping of FactKey to Fact
    metric : str
    best : str
        What the best booster has, such as "lowest test error".
    """
    T = list(facts)[-1].rounds
    boosters = list(dict.fromkeys(key.booster for key in facts))
    cases: dict[Case, dict[str, Fact]] = {}
    for key, fact in facts.items():
        if key.rounds == T and fact.mean is not None:
            cases.setdefault((key.noise, key.dataset), {})[key.booster] = fact
    cases = {case: of for case, of in cases.items() if len(of) == len(boosters)}
    wins = Counter(name for of in cases.values() for name in boosters if of[name].best)
    if not wins:
        return
    leader, n_won = wins.most_common(1)[0]
    noises = {noise for noise, _ in cases}
    what = "data sets" if len(noises) == 1 else "combinations of data set and noise"
    where = f"on {n_won} of {len(cases)} {what}" if len(cases) > 1 else f"on {next(iter(cases))[1]}"
    noise = "" if "clean" in noises or len(noises) > 1 else f"With wrong labels ({min(noises)}), "
    when = "after the last round" if T == END else f"after {T} rounds"
    beyond = _beyond_chance([*cases.values()], leader, metric)
    yield f"{noise}{leader} has the {best} {where} {when}{beyond}."
    others = [f"{name} on {n}" for name, n in wins.most_common()[1:]]
    if others and len(cases) > 1:
        more = [f"{len(others) - _MOST_OTHERS} more"] if len(others) > _MOST_OTHERS else []
        ties = "; ties count for each" if wins.total() > len(cases) else ""
        yield f"Then {listed(others[:_MOST_OTHERS] + more)}{ties}."
    printed = [[of[leader].paper, *(of[name].paper for name in of)] for of in cases.values()]
    errors = [[paper.error for paper in of if paper and paper.error is not None] for of in printed]
    known = [of for of in errors if len(of) == len(boosters) + 1]
    if known:
        yield f"In the paper: on {sum(of[0] == min(of) for of in known)} of {len(known)}."


def _beyond_chance(cases: Sequence[Mapping[str, Fact]], leader: str, metric: str) -> str:
    """Return on how many of the cases that the leader wins its lead is beyond chance, in words."""
    tests: list[list[Estimate]] = []
    for of in cases:
        if of[leader].best:
            own, *others = (
                of[name].sample.map(QUANTITIES[metric].shortfall)
                for name in sorted(of, key=leader.__ne__)
            )
            tests.append([estimate(own, other) for other in others])
    if any(not test.test or test.why for of in tests for test in of):
        return ""
    p = holm([max(test.not_below(0.0) for test in of) for of in tests])
    n = sum(each <= LEVEL for each in p)
    if len(cases) > 1:
        return f", beyond chance on {n or 'none of them'}"
    return ", beyond chance" if n else ", which may be chance"


def not_worse(facts: Mapping[FactKey, Fact], metric: str) -> set[FactKey]:
    """Return the facts that are not significantly worse than the best at the same place.

    The test is that of the design of the runs at 0.05, with Holm's method over the boosters of a
    place. A difference that cannot be tested is not among them.
    """
    places: dict[FactKey, list[FactKey]] = {}
    for key, fact in facts.items():
        if fact.mean is not None:
            places.setdefault(key._replace(booster=""), []).append(key)
    found: set[FactKey] = set()
    for keys in places.values():
        best, *others = sorted(keys, key=lambda key: not facts[key].best)
        lower, *those = (facts[k].sample.map(QUANTITIES[metric].shortfall) for k in (best, *others))
        tests = [estimate(sample, lower) for sample in those]
        p = holm([test.not_above(0.0) for test in tests])
        found |= {
            key
            for key, test, each in zip(others, tests, p, strict=True)
            if test.test and not test.why and each > LEVEL and not facts[key].best
        }
    return found
