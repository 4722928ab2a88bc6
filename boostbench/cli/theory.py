"""`boostbench theory conditions`: the weak-learning conditions that a space satisfies."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from boostbench.cli.guard import OK
from boostbench.cli.options import Data, Json
from boostbench.cli.output import print_json, print_rows
from boostbench.cli.theory_games import Gamma
from boostbench.cli.theory_output import (
    print_certificate,
    short,
    space_json,
)
from boostbench.errors import UnknownNameError

#: Predictions of a space from which its linear programs take long enough for a word.
_MANY_PREDICTIONS = 300_000


def conditions(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SPACE",
            help="two-constants (Figure 1), subsets or windows; a CSV file of the answers of "
            "classifiers, one a column, and of true labels; or a data set, for all its stumps.",
        ),
    ],
    *,
    gamma: Gamma = 0.1,
    certificate: Annotated[
        str, typer.Option(metavar="CONDITION", help="Condition whose certificate is printed.")
    ] = "minimal",
    settings: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Parameter of an example space, as in n=11; repeatable.",
            default_factory=list,
            show_default=False,
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of true labels in a CSV file; y by default.",
            show_default=False,
        ),
    ] = None,
    classes: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            min=2,
            help="Classes of a CSV file, if not all of them occur in it.",
            show_default=False,
        ),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Take N rows of a data set, in equal class shares.",
            show_default=False,
        ),
    ] = None,
    data: Data,
    as_json: Json = False,
) -> int:
    """Decide which weak-learning conditions a space satisfies.

    For each condition: the largest edge with which the space satisfies it, found by a linear
    program, and whether that reaches gamma. The certificate is a mixture of classifiers that
    satisfies the condition, or a cost matrix on which every classifier costs more than the
    baseline. A space is boostable if some weighted vote of it is right on every sample.

    Examples:
      boostbench theory conditions two-constants
      boostbench theory conditions subsets --set n=5 --set n_classes=4 --set n_right=2 --gamma 0.2
      boostbench theory conditions predictions.csv --target label --certificate m1
      boostbench theory conditions iris --rows 60 --json
    """
    from boostbench.cli.theory_spaces import find_space
    from boostbench.theory.conditions import CONDITIONS, decide_all
    from boostbench.theory.layout import check_gamma

    check_gamma(gamma)
    if certificate not in CONDITIONS:
        raise UnknownNameError("condition", certificate, CONDITIONS, where="--certificate")
    named = find_space(
        source, settings=settings, target=target, classes=classes, rows=rows, data=data
    )
    space = named.space
    n, N = space.predictions.shape
    if n * N > _MANY_PREDICTIONS:
        text = f"{len(CONDITIONS)} linear programs of {N} classifiers on {n} samples: this can take"
        print(f"boostbench: {text} minutes", file=sys.stderr)
    decided = decide_all(space)
    if as_json:
        print_json(space_json(named, decided, gamma))
        return OK
    margin = decided["minimal"].gamma
    print(f"{space.name}: {n} samples, {space.n_classes} classes, {N} classifiers\n")
    print_rows(
        [
            {
                "condition": name,
                "largest edge": short(decision.gamma),
                f"at gamma = {gamma:g}": "satisfied" if decision.holds(gamma) else "violated",
                "costs, true label first": CONDITIONS[name].family,
            }
            for name, decision in decided.items()
        ]
    )
    word = "boostable: some vote has" if margin > 1e-9 else "not boostable: no vote exceeds"
    print(f"\n{word} the margin {short(margin)} on every sample\n")
    print_certificate(named, decided[certificate], gamma)
    return OK
