"""Output of `boostbench theory`: numbers, spaces and certificates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from boostbench.cli.output import print_rows

if TYPE_CHECKING:
    from boostbench.cli.theory_spaces import NamedSpace
    from boostbench.theory.conditions import Decision

_MOST_LINES = 20
#: A classifier with a smaller share of a mixture is noise of the linear program.
_LEAST_WEIGHT = 1e-9


def short(value: float) -> str:
    """Return a number with six significant digits, and noise around 0 as 0."""
    return f"{0.0 if abs(value) < 1e-12 else value:.6g}"


def print_numbers(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows of numbers with six significant digits each."""

    def cell(value: Any) -> Any:
        if isinstance(value, list):
            return ", ".join(map(short, value))
        return short(value) if isinstance(value, float) else value

    print_rows([{key: cell(value) for key, value in row.items()} for row in rows])


def space_json(named: NamedSpace, decided: Mapping[str, Decision], gamma: float) -> dict[str, Any]:
    """Return what was decided about a space, with the certificates of both sides."""
    space = named.space
    return {
        "space": space.name,
        "n_samples": len(space.y),
        "n_classifiers": space.predictions.shape[1],
        "classes": list(named.classes),
        "gamma": gamma,
        "boostable": decided["minimal"].gamma > _LEAST_WEIGHT,
        "conditions": [
            {
                "condition": name,
                "edge": decision.gamma,
                "satisfied": decision.holds(gamma),
                "mixture": dict(_mixture(named, decision)),
                "witness": decision.witness.tolist(),
            }
            for name, decision in decided.items()
        ],
    }


def print_certificate(named: NamedSpace, decision: Decision, gamma: float) -> None:
    """Print the mixture that satisfies a condition, or the costs no classifier can meet."""
    if decision.holds(gamma):
        print(f"{decision.condition!r} holds up to edge {short(decision.gamma)} by this mixture:\n")
        mixture = _mixture(named, decision)
        shown = mixture[:_MOST_LINES]
        print_rows([{"weight": f"{weight:.4f}", "classifier": name} for name, weight in shown])
        _print_rest(len(mixture) - len(shown), "classifiers")
    else:
        _print_witness(named, decision, gamma)


def _print_witness(named: NamedSpace, decision: Decision, gamma: float) -> None:
    from boostbench.theory.conditions import CONDITIONS, costs_of
    from boostbench.theory.layout import own_labels

    space = named.space
    condition = CONDITIONS[decision.condition]
    baseline = own_labels(condition.baseline(space.n_classes, gamma), space.y)
    allowed = float((decision.witness * baseline).sum())
    cheapest = float(costs_of(space.predictions, decision.witness).min())
    print(
        f"{decision.condition!r} fails with edge {gamma:g} on these costs: the baseline costs "
        f"{short(allowed)}, the cheapest classifier {short(cheapest)}\n"
    )
    charged = [i for i, row in enumerate(decision.witness) if abs(row).max() > _LEAST_WEIGHT]
    rows = []
    for i in charged[:_MOST_LINES]:
        costs = map(short, decision.witness[i].tolist())
        label = named.classes[space.y[i]]
        names = [f"cost of {name}" for name in named.classes]
        rows.append({"sample": i, "label": label, **dict(zip(names, costs, strict=True))})
    print_rows(rows)
    _print_rest(len(charged) - len(rows), "samples with costs")


def _mixture(named: NamedSpace, decision: Decision) -> list[tuple[str, float]]:
    """Return the classifiers of a mixture, the heaviest first."""
    weights = decision.mixture.tolist()
    used = [j for j, weight in enumerate(weights) if weight > _LEAST_WEIGHT]
    used.sort(key=lambda j: -weights[j])
    return [(named.name_of(j), weights[j]) for j in used]


def _print_rest(n: int, what: str) -> None:
    if n > 0:
        print(f"... and {n} more {what}; --json prints all")
