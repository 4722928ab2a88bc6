"""Functions and sums that give the same bits on every processor."""

import ast
import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boostbench
from boostbench import portable

mpmath.mp.prec = 160
PACKAGE = Path(boostbench.__file__).parent

#: Function, the exact one, the largest error in units in the last place, and where it is tried.
FUNCTIONS = {
    "exp": (mpmath.exp, 0.8, (-746.0, 709.78)),
    "expm1": (mpmath.expm1, 1.0, (-60.0, 709.78)),
    "log": (mpmath.log, 0.8, (0.0, 1e308)),
    "log1p": (mpmath.log1p, 0.8, (-1.0, 1e308)),
    "log2": (lambda x: mpmath.log(x, 2), 0.8, (0.0, 1e308)),
    "log1pexp": (lambda x: mpmath.log1p(mpmath.exp(x)), 1.6, (-740.0, 1e308)),
    "logistic": (lambda x: 1 / (1 + mpmath.exp(-x)), 2.0, (-740.0, 1e308)),
    "arctan": (mpmath.atan, 2.0, (-1e308, 1e308)),
    "erfc": (mpmath.erfc, 4.0, (-10.0, 26.5)),
}
every_function = pytest.mark.parametrize("name", sorted(FUNCTIONS))


def _tried(low, high):
    """Return numbers of every size between two bounds, subnormal ones among them."""
    rng = np.random.default_rng(0)
    small = np.concatenate([rng.choice([-1.0, 1.0], 700) * 10.0 ** rng.uniform(-323, 308, 700)])
    near = np.concatenate([[0.0, 5e-324, 2.0**-1022, low, high], 1.0 + rng.normal(size=200) / 50])
    x = np.concatenate([small, near, rng.uniform(max(low, -800.0), min(high, 800.0), 700)])
    return x[(x >= low) & (x <= high)]


@every_function
def test_the_error_is_within_its_bound(name):
    exact, bound, limits = FUNCTIONS[name]
    x = _tried(*limits)
    for at, found in zip(x.tolist(), getattr(portable, name)(x).tolist(), strict=True):
        if at in {0.0, -1.0} and not np.isfinite(found):
            assert name.startswith("log")  # -inf
            continue
        true = exact(mpmath.mpf(at))
        assert abs(mpmath.mpf(found) - true) <= bound * mpmath.mpf(np.spacing(abs(float(true)))), at


@every_function
def test_arrays_of_any_shape_and_numbers_give_the_same_bits(name):
    function = getattr(portable, name)
    x = np.linspace(0.1, 3.0, 60).reshape(3, 4, 5)
    flat = function(x.ravel())
    for array in (x, np.asfortranarray(x), x[::-1, ::2], x.astype(object)):
        expected = [function(float(value)) for value in array.ravel()]
        np.testing.assert_array_equal(function(array).ravel(), expected)
    np.testing.assert_array_equal(function(x).ravel(), flat)
    assert function(np.float32(0.5)).dtype == np.float64
    assert function(np.zeros((0, 2)) + 1.0).shape == (0, 2)


@given(st.lists(st.floats(-1e6, 1e6), max_size=40))
@settings(max_examples=50)
def test_sums_are_near_the_exact_ones(numbers):
    x = np.array(numbers, dtype=np.float64)
    slack = 1e-14 * float(np.abs(x).sum()) + 1e-300
    assert abs(Fraction(portable.total(x)) - sum(map(Fraction, numbers))) <= slack
    squares = sum((Fraction(value) ** 2 for value in numbers), Fraction(0))
    assert abs(Fraction(portable.dot(x, x)) - squares) <= Fraction(1e-14) * squares + 1e-300


def test_the_order_of_a_sum_is_the_stated_one():
    x = np.random.default_rng(0).normal(size=8 * 5 + 3)
    a, b, c, d, e, f, g, h = x[:40].reshape(5, 8).cumsum(axis=0)[-1]
    rest = x[40:].cumsum()[-1]
    assert portable.total(x) == ((a + e) + (c + g)) + ((b + f) + (d + h)) + rest
    assert portable.dot(x, np.ones(43)) == portable.total(x)
    rows = x[:42].reshape(6, 7)
    np.testing.assert_array_equal(portable.row_sums(rows), rows.cumsum(axis=1)[:, -1])
    np.testing.assert_array_equal(
        portable.row_sums(np.asfortranarray(rows)), portable.row_sums(rows)
    )


def test_a_cholesky_root_multiplies_to_its_matrix():
    B = np.random.default_rng(0).normal(size=(4, 4))
    A = B @ B.T
    L = portable.cholesky(A)
    np.testing.assert_allclose(L @ L.T, A, rtol=1e-12, atol=1e-12 * np.abs(A).max())
    assert not np.triu(L, 1).any()


def test_the_inverse_of_erfc_inverts_it():
    for p in (1e-300, 1e-10, 0.01, 0.5, 0.999, 1.0, 1.5, 1.999999):
        assert portable.erfc(portable.erfc_inverse(p)) == pytest.approx(p, rel=1e-12)


def test_nothing_is_fused_and_the_c_library_is_not_called(tmp_path):
    """In a process of its own: the code of a function from the cache cannot be read."""
    program = (
        "import numpy as np\n"
        "from boostbench import portable as p\n"
        "from boostbench.portable import elementary, sums\n"
        "x = np.ones(9)\n"
        f"for name in {sorted(FUNCTIONS)}:\n"
        "    getattr(p, name)(x)\n"
        "    print(*getattr(elementary, f'each_{name}').inspect_asm().values())\n"
        "p.dot(x, x), p.total(x)\n"
        "print(*sums._dot.inspect_asm().values(), *sums._total.inspect_asm().values())\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    code = subprocess.check_output([sys.executable, "-c", program], text=True, env=environment)
    assert len(code) > 10_000
    assert not re.findall(r"\bv?fn?m(?:add|sub|la|ls)\w*", code)
    names = r"\b(?:__svml_\w+|(?:exp|expm1|log|log1p|log2|atan|erfc|pow|fma)f?)\b"
    assert not re.findall(names, code)


#: A linear program decides these numbers to a tolerance, and no record holds them.
NOT_PORTABLE = {"theory/conditions.py"}
ROOMS = (
    "baselines",
    "boosters",
    "theory",
    "weak_learners",
    "quantities",
    "noise.py",
    "rated_noise.py",
    "data/generators.py",
    "experiments/running",
)
LIBRARY = {
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "power", "float_power"),
    *("sin", "cos", "tan", "tanh", "sinh", "cosh", "arctan", "arctan2", "arcsin", "erf", "erfc"),
    *("pow", "lgamma", "gamma", "atan", "atan2"),
    *("dot", "vdot", "inner", "matmul", "einsum", "tensordot", "linalg", "mean", "std", "var"),
    *("average", "special"),
}


def test_what_feeds_a_result_uses_nothing_that_the_processor_decides():
    found = []
    for room in ROOMS:
        for path in sorted((PACKAGE / room).rglob("*.py")) or [PACKAGE / room]:
            if path.relative_to(PACKAGE).as_posix() not in NOT_PORTABLE:
                tree = ast.parse(path.read_text(encoding="utf-8"))
                found += [f"{path.name}:{line}: {what}" for line, what in _library_calls(tree)]
    assert not found, "take these from boostbench.portable: " + ", ".join(found)


def _library_calls(tree):
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            found.append((node.lineno, "@"))
        elif isinstance(node, ast.Attribute) and node.attr in LIBRARY:
            owner = node.value
            if isinstance(owner, ast.Name) and owner.id in {"np", "math", "scipy"}:
                found.append((node.lineno, f"{owner.id}.{node.attr}"))
        elif isinstance(node, ast.ImportFrom) and node.module == "scipy.special":
            found.append((node.lineno, node.module))
    return found
