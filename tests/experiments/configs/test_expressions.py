import pytest

from boostbench.experiments.configs.expressions import is_expression, resolve

SIZES = {"K": 3, "n": 1000, "d": 20}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12 * (K - 1)", 24),
        ("n / 4", 250),
        ("n / 3", pytest.approx(333.333, abs=0.001)),
        ("+K", 3),
        ("-1 * d", -20),
    ],
)
def test_arithmetic_is_worked_out(text, value):
    resolved = resolve(text, SIZES)
    assert resolved == value
    assert isinstance(resolved, int) or value != int(resolved)


@pytest.mark.parametrize("text", ["best", "K", "one-vs-all", "sm-boost", "covtype-15k", "a b", ""])
def test_other_text_stays_text(text):
    assert not is_expression(text)
    assert resolve({"a": [text]}, SIZES) == {"a": [text]}
