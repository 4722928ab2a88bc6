"""The computed figures of the theory, as a user types the commands."""

FIGURES = "multiclass-theory/figures1-6"


def test_nothing_is_trained_for_computed_figures(boostbench):
    for command in ("run", "plan", "status"):
        assert boostbench(command, FIGURES).code == 0
    outcome = boostbench("verify", FIGURES)
    assert outcome.code == 1
    ours = "3 claims of ours: 3 true in these runs (3 beyond chance)"
    identities = (
        "12 identities: 11 true in these runs (11 beyond chance), 1 false (1 beyond chance)"
    )
    assert outcome.out.endswith(f"{ours}; {identities}\n")
