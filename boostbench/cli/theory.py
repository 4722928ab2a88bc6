"""`boostbench theory conditions`: weak-learning conditions that a space satisfies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boostbench.cli.guard import OK
from boostbench.cli.options import Data, Json, repeatable
from boostbench.cli.output import print_error, print_json, print_rows, short
from boostbench.cli.theory_games import Gamma
from boostbench.errors import UnknownNameError

if TYPE_CHECKING:
    from boostbench.theory.conditions import Decision
    from boostbench.theory.spaces import Space

#: Number of predictions of a space above which the linear programs take minutes.
_MANY_PREDICTIONS = 300_000
_MOST_LINES = 20


def conditions(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SPACE",
            help="two-constants (Figure 1), subsets or windows; or a CSV file with the predictions "
            "of one classifier per column and true labels; or a data set, for all its stumps.",
        ),
    ],
    *,
    gamma: Gamma = 0.1,
    certificate: Annotated[
        str, typer.Option(metavar="CONDITION", help="Condition whose certificate is printed.")
    ] = "minimal",
    settings: Annotated[
        list[str],
        repeatable("--set", "NAME=VALUE", "Parameter of an example space, e.g. n=11"),
    ],
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of true labels in a CSV file; by default y."),
    ] = None,
    classes: Annotated[
        int | None,
        typer.Option(
            metavar="K", min=2, help="Number of classes of a CSV file, if some do not occur in it."
        ),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Use N rows of a data set, with the same class shares."
        ),
    ] = None,
    data: Data,
    as_json: Json = False,
) -> int:
    """Decide which weak-learning conditions a space satisfies.

    For each condition, prints the largest edge with which the space satisfies it, computed by a
    linear program, and whether the edge reaches gamma. The certificate is a mixture of classifiers
    that satisfies the condition, or a cost matrix on which each classifier costs more than the
    baseline. A space is boostable if a weighted vote of its classifiers is correct on all samples.

    Examples:
      boostbench theory conditions two-constants
      boostbench theory conditions subsets --set n=5 --set n_classes=4 --set n_right=2 --gamma 0.2
      boostbench theory conditions predictions.csv --target label --certificate m1
      boostbench theory conditions iris --rows 60 --json
    """
    from boostbench.theory.conditions import CONDITIONS, decide_all
    from boostbench.theory.layout import check_gamma
    from boostbench.theory.named_spaces import find_space

    check_gamma(gamma)
    if certificate not in CONDITIONS:
        raise UnknownNameError("condition", certificate, CONDITIONS, where="--certificate")
    space = find_space(
        source, settings=settings, target=target, classes=classes, rows=rows, data=data
    )
    n, N = space.predictions.shape
    if n * N > _MANY_PREDICTIONS:
        programs = f"{len(CONDITIONS)} linear programs of {N} classifiers on {n} samples"
        print_error(f"{programs}: this can take minutes")
    decisions = decide_all(space)
    if as_json:
        print_json(_as_json(space, decisions, gamma))
    else:
        _print_decisions(space, decisions, gamma)
        _print_certificate(decisions[certificate], gamma)
    return OK


def _as_json(space: Space, decisions: Mapping[str, Decision], gamma: float) -> dict[str, Any]:
    from boostbench.theory.conditions import TOLERANCE

    n, N = space.predictions.shape
    return {
        "space": space.name,
        "n_samples": n,
        "n_classifiers": N,
        "classes": list(space.classes),
        "gamma": gamma,
        "boostable": decisions["minimal"].gamma > TOLERANCE,
        "conditions": [
            {
                "condition": decision.condition,
                "edge": decision.gamma,
                "satisfied": decision.holds(gamma),
                "mixture": decision.weights(),
                "witness": decision.witness.tolist(),
            }
            for decision in decisions.values()
        ],
    }


def _print_decisions(space: Space, decisions: Mapping[str, Decision], gamma: float) -> None:
    """Print the largest edge of each condition and whether the space is boostable."""
    from boostbench.theory.conditions import CONDITIONS, TOLERANCE

    n, N = space.predictions.shape
    print(f"{space.name}: {n} samples, {space.n_classes} classes, {N} classifiers\n")
    print_rows(
        [
            {
                "condition": name,
                "largest edge": decision.gamma,
                f"at gamma = {gamma:g}": "satisfied" if decision.holds(gamma) else "violated",
                "costs, true label first": CONDITIONS[name].family,
            }
            for name, decision in decisions.items()
        ]
    )
    margin = decisions["minimal"].gamma
    word = "boostable: some vote has" if margin > TOLERANCE else "not boostable: no vote exceeds"
    print(f"\n{word} the margin {short(margin)} on every sample\n")


def _print_certificate(decision: Decision, gamma: float) -> None:
    """Print the mixture that satisfies a condition, or the costs that violate it."""
    from boostbench.theory.conditions import TOLERANCE

    space = decision.space
    if decision.holds(gamma):
        print(f"{decision.condition!r} holds up to edge {short(decision.gamma)} by this mixture:\n")
        weights = decision.weights().items()
        rows: list[dict[str, Any]] = [
            {"weight": f"{weight:.4f}", "classifier": name} for name, weight in weights
        ]
        what = "classifiers"
    else:
        allowed, cheapest = decision.costs(gamma)
        print(
            f"{decision.condition!r} fails with edge {gamma:g} on these costs: the baseline costs "
            f"{short(allowed)}, the cheapest classifier {short(cheapest)}\n"
        )
        names = [f"cost of {name}" for name in space.classes]
        rows = [
            {"sample": i, "label": space.classes[y], **dict(zip(names, costs, strict=True))}
            for i, (y, costs) in enumerate(zip(space.y, decision.witness.tolist(), strict=True))
            if max(map(abs, costs)) > TOLERANCE
        ]
        what = "samples with costs"
    print_rows(rows[:_MOST_LINES])
    if len(rows) > _MOST_LINES:
        print(f"... and {len(rows) - _MOST_LINES} more {what}; --json prints all")
