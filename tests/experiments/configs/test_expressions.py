import pytest

from boostbench.errors import BoostbenchError
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("12 * k", "unknown name 'k' in the expression '12 * k'; did you mean 'K'?"),
        ("K.real + 1", "can hold numbers"),
        ("open('x') + 1", "can hold numbers"),
        ("2 ** n", "can hold numbers"),
        ("min(n, 3)", "can hold numbers"),
        ("1 / (K - K)", "has no value"),
        ("K * 'a'", "can hold numbers"),
        ("K * 1e300", "exceeds 1e+18"),
        ("K * 1e300 / 1e-300", "exceeds 1e+18"),
    ],
)
def test_what_is_not_plain_arithmetic_is_refused(text, message):
    with pytest.raises(BoostbenchError, match="expression") as error:
        is_expression(text)
    assert message in str(error.value)
