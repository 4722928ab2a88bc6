"""`boostbench theory`: potentials, bounds and degrees of the drifting game."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from boostbench.cli.guard import OK
from boostbench.cli.options import Json, parse_numbers
from boostbench.cli.output import print_error, print_json, print_rows
from boostbench.errors import BoostbenchError

#: Maximum number of rounds: a potential needs O(T^3) steps or a table of size T^2.
_MOST_ROUNDS = {"potential": 2000, "degrees": 300}
_MOST_CLASSES = 1000

Gamma = Annotated[float, typer.Option(metavar="EDGE", help="Edge over random, 0 to 1.")]
Loss = Annotated[str, typer.Option(metavar="LOSS", help="zero-one or exponential.")]
Eta = Annotated[
    float | None,
    typer.Option(
        metavar="WEIGHT",
        help="Weight of a vote in the exponential loss; by default ln(1 + gamma).",
    ),
]
Numbers = Annotated[
    str, typer.Option(metavar="NUMBERS", help="One or several, e.g. 10, 1,5,10 or 0..10.")
]


def potential(
    *,
    classes: Annotated[
        int, typer.Option(metavar="K", min=2, max=_MOST_CLASSES, help="Number of classes.")
    ],
    rounds: Numbers,
    gamma: Gamma = 0.1,
    condition: Annotated[
        str,
        typer.Option(
            metavar="CONDITION",
            help="uniform (edge-over-random condition with the uniform baseline) or minimal.",
        ),
    ] = "uniform",
    loss: Loss = "zero-one",
    eta: Eta = None,
    state: Annotated[
        str | None,
        typer.Option(
            metavar="VOTES",
            help="Votes for each label, the true label first, e.g. 1,0,2; by default none.",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Print potentials of a drifting game, with optimal costs.

    The potential is the loss that a booster can guarantee for a sample with these votes and number
    of rounds left. The costs are those of the next round, one per label, the true label first. With
    the minimal condition, the degree is the number of labels on which the worst baseline puts its
    weight.

    Examples:
      boostbench theory potential --classes 6 --rounds 0..10 --gamma 0
      boostbench theory potential --classes 3 --rounds 4 --condition minimal --state 2,1,0
      boostbench theory potential --classes 4 --rounds 100 --loss exponential
    """
    import numpy as np

    from boostbench.theory.bounds import make_potential
    from boostbench.theory.minimal import MinimalPotential

    most = _MOST_ROUNDS["potential"]
    votes = [0] * classes if state is None else parse_numbers(state, "--state", 0, most)
    if len(votes) != classes or sum(votes) > most:
        what = f"{state!r} is not the votes for {classes} labels, {most} at most"
        raise BoostbenchError(f"{what}; write for example 1,0,2 for three", where="--state")
    n_left = _distinct_numbers(rounds, "--rounds", 0, most)
    eta = _vote_weight(loss, eta, gamma, max(n_left) + sum(votes))
    phi = make_potential(classes, gamma, condition=condition, eta=eta)
    states = np.array([votes], dtype=np.int64)
    table = []
    for t in n_left:
        row: dict[str, Any] = {"rounds_left": t, "potential": float(phi.values(states, t)[0])}
        if isinstance(phi, MinimalPotential):
            row["degree"] = int(phi.degrees(states, t)[0][0]) if t else None
        row["costs"] = phi.costs(states, t)[0].tolist() if t else None
        table.append(row)
    head = {"classes": classes, "gamma": gamma, "condition": condition, "loss": loss, "eta": eta}
    _print(table, head | {"state": votes}, "potentials", as_json)
    return OK


def bound(
    *,
    classes: Numbers,
    rounds: Numbers,
    gamma: Gamma = 0.1,
    as_json: Json = False,
) -> int:
    """Compare bounds on the training error.

    The columns are phi_T(0) of the zero-one loss, with the uniform baseline and with the minimal
    condition; (K - 1) kappa^T of the exponential loss, with the weight ln(1 + gamma) and with the
    best weight; and (K - 1) exp(-gamma^2 T / 2) of AdaBoost.MM. A bound of 1 or more is trivial.

    Examples:
      boostbench theory bound --classes 6 --rounds 0..10 --gamma 0
      boostbench theory bound --classes 2..20 --rounds 10 --json
    """
    from boostbench.theory.bounds import compare_bounds
    from boostbench.theory.minimal import MAX_STATES

    table = [
        {"classes": K, "rounds": T, **compare_bounds(K, gamma, T)}
        for K in _distinct_numbers(classes, "--classes", 2, _MOST_CLASSES)
        for T in _distinct_numbers(rounds, "--rounds", 0, _MOST_ROUNDS["potential"])
    ]
    _print(table, {"gamma": gamma}, "bounds", as_json)
    n_omitted = sum(row["minimal"] is None for row in table)
    if n_omitted:
        message = f"minimal: left out {n_omitted} of {len(table)}"
        print_error(f"{message}, with more than {MAX_STATES} states")
    return OK


def degrees(
    *,
    rounds: Annotated[
        int,
        typer.Option(metavar="T", min=1, max=_MOST_ROUNDS["degrees"], help="Rounds left."),
    ],
    gamma: Gamma = 0.1,
    loss: Loss = "zero-one",
    eta: Eta = None,
    as_json: Json = False,
) -> int:
    """Map the degrees of three classes under the minimal condition.

    A pixel is x = s_1 - s_0, y = s_2 - s_0, where s counts votes and label 0 is the true label. Its
    degree is the number of labels on which the worst baseline puts its weight: 2, 3, or `=` if both
    attain the maximum. Lines are y from T down to -T; columns are x from -T to T.

    Examples:
      boostbench theory degrees --rounds 10 --gamma 0
      boostbench theory degrees --rounds 10 --loss exponential --eta 0.3
    """
    from boostbench.theory.pixels import pixel_map

    eta = _vote_weight(loss, eta, gamma, 2 * rounds)
    pixels = pixel_map(rounds, gamma, eta)
    counts = {
        "degree_3": int(((pixels.degree == 3) & ~pixels.tied).sum()),
        "degree_2": int((pixels.degree == 2).sum()),
        "both": int(pixels.tied.sum()),
    }
    if as_json:
        head = {"rounds": rounds, "gamma": gamma, "loss": loss, "eta": eta}
        arrays = {
            "coordinate": pixels.coordinate.tolist(),
            "degree": pixels.degree.tolist(),
            "both_attain": pixels.tied.astype(int).tolist(),
            "potential": pixels.value.tolist(),
        }
        print_json(head | counts | {"rows": "x", "columns": "y"} | arrays)
        return OK
    for y in reversed(range(len(pixels.coordinate))):
        line = zip(pixels.degree[:, y], pixels.tied[:, y], strict=True)
        print("".join("=" if tied else str(degree) for degree, tied in line))
    print()
    print_rows([counts])
    return OK


def _print(table: list[dict[str, Any]], head: dict[str, Any], name: str, as_json: bool) -> None:
    if as_json:
        print_json(head | {name: table})
    else:
        print_rows(table)


def _distinct_numbers(text: str, option: str, least: int, most: int) -> list[int]:
    return list(dict.fromkeys(parse_numbers(text, option, least, most)))


def _vote_weight(loss: str, eta: float | None, gamma: float, n_votes: int) -> float | None:
    """Return the weight of a vote in the exponential loss; None for the zero-one loss."""
    from boostbench.theory.bounds import default_eta
    from boostbench.theory.layout import check_eta, require

    is_known = loss in ("zero-one", "exponential")
    require(is_known, f"loss must be 'zero-one' or 'exponential', found {loss!r}")
    if loss == "zero-one":
        require(eta is None, f"the zero-one loss has no eta, found {eta}")
    elif eta is None:
        eta = default_eta(gamma)
        if eta == 0:
            raise BoostbenchError("needed for the exponential loss if gamma is 0", where="--eta")
    check_eta(eta, n_votes)
    return eta
