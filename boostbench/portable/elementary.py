"""Compiled elementary functions of one number, and loops that apply them to arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from boostbench.compiled import in_line, kernel

# ln 2 in two parts; products of the first part and integers below 2**21 are exact
_LN2_HIGH, _LN2_LOW = 0.6931467056274414, 4.7493250390316726e-07
_LOG2_E = 1.4426950408889634
_LOG2_E_HIGH, _LOG2_E_LOW = 1.4426946640014648, 3.768874985636099e-07
# Adding it to a number leaves the nearest integer k in the last bits, as k + 2046.
_TO_WHOLE = 1.5 * 2.0**52 + 2046.0
_EXPONENT = np.uint64(52)
_SQRT_HALF = np.uint64(0x3FE6A09E00000000)
_MANTISSA = np.uint64(0x000FFFFFFFFFFFFF)
_SMALLEST_NORMAL = 2.0**-1022


@in_line
def _power_of_two(biased: Any) -> float:  # pragma: no cover
    """Return ``2**(biased - 1023)``, for exponents of normal numbers."""
    return np.uint64(biased << _EXPONENT).view(np.float64)


@in_line
def _reduced(x: float) -> tuple[Any, float, float]:  # pragma: no cover
    """Return k + 2046, r and q with ``x = k ln 2 + r`` and ``e^r = 1 + r + q``.

    q is the sum of the rounding error of r and of r^2 times a Chebyshev approximation of
    ``(e^r - 1 - r) / r^2``.
    """
    shifted = x * _LOG2_E + _TO_WHOLE
    k = shifted - _TO_WHOLE
    high, low = x - k * _LN2_HIGH, k * _LN2_LOW
    r = high - low
    q = 2.0914686968086876e-09
    q = q * r + 2.5105217004720745e-08
    q = q * r + 2.75572736431103e-07
    q = q * r + 2.7557255400206422e-06
    q = q * r + 2.4801587325547743e-05
    q = q * r + 0.00019841269874820627
    q = q * r + 0.0013888888888883748
    q = q * r + 0.008333333333326136
    q = q * r + 0.04166666666666667
    q = q * r + 0.1666666666666667
    q = q * r + 0.5
    biased = np.float64(shifted).view(np.uint64) & np.uint64(0xFFF)
    return biased, r, r * r * q + ((high - r) - low)


@in_line
def exp_(x: float) -> float:  # pragma: no cover
    """Return e^x; see `_reduced`."""
    t = -746.0 if x < -746.0 else x
    t = 710.0 if t > 710.0 else t
    biased, r, q = _reduced(t)
    s = 1.0 + r
    y = s + ((r - (s - 1.0)) + q)
    half = biased >> np.uint64(1)  # two factors: the result may be subnormal
    return y * _power_of_two(half) * _power_of_two(biased - half)


@in_line
def expm1_(x: float) -> float:  # pragma: no cover
    t = -50.0 if x < -50.0 else x
    t = 710.0 if t > 710.0 else t
    biased, r, q = _reduced(t)
    small = _power_of_two(np.uint64(3069) - min(biased, np.uint64(2146)))  # 2**-k, for k <= 100
    rest = 1.0 - small
    s = rest + r
    y = s + ((r - (s - rest)) + (q + ((1.0 - rest) - small)))
    half = biased >> np.uint64(1)
    y = y * _power_of_two(half) * _power_of_two(biased - half)
    return x if x == 0.0 else y


@in_line
def _split(x: float) -> tuple[float, float]:  # pragma: no cover
    """Return k and f with ``x = 2**k (1 + f)``, 1 + f between sqrt(1/2) and sqrt(2).

    x must be a positive normal number.
    """
    bits = np.float64(x).view(np.uint64)
    above = bits - _SQRT_HALF + np.uint64(1024 << 52)
    biased = (above >> _EXPONENT) | np.uint64(0x4330000000000000)  # 2**52 + k + 1024
    k = np.uint64(biased).view(np.float64) - (2.0**52 + 1024.0)
    mantissa = (above & _MANTISSA) + _SQRT_HALF
    return k, np.uint64(mantissa).view(np.float64) - 1.0


@in_line
def _beyond(f: float, square: float) -> float:  # pragma: no cover
    """Return ``ln(1 + f) - f + f^2/2`` for ``square = f^2/2``.

    With ``s = f / (2 + f)``, this equals ``s (f^2/2 + ln((1 + s)/(1 - s))/s - 2)``, of which the
    part that depends on s is a Chebyshev approximation.
    """
    s = f / (2.0 + f)
    z = s * s
    p = 0.1308815197434947
    p = p * z + 0.13268627158109705
    p = p * z + 0.15386245156682274
    p = p * z + 0.1818179553980864
    p = p * z + 0.22222222392653296
    p = p * z + 0.2857142857079947
    p = p * z + 0.40000000000000885
    p = p * z + 0.6666666666666666
    return s * (square + z * p)


@in_line
def _log_of(x: float, k_more: float, more: float) -> float:  # pragma: no cover
    """Return ``ln x + k_more ln 2 + more`` for a positive normal x and small ``more``."""
    k, f = _split(x)
    k += k_more
    square = 0.5 * f * f
    low = _beyond(f, square) + (k * _LN2_LOW + more)
    return k * _LN2_HIGH - ((square - low) - f)


@in_line
def _at_the_ends(x: float, y: float) -> float:  # pragma: no cover
    """Return y if ``0 < x < inf``, and the logarithm of x (-inf, inf or NaN) otherwise."""
    if x > 0.0 and x < np.inf:
        return y
    if x == 0.0:
        return -np.inf
    return np.nan if x < 0.0 else x


@in_line
def log_(x: float) -> float:  # pragma: no cover
    """Return ln x; see `_log_of`."""
    tiny = x < _SMALLEST_NORMAL
    return _at_the_ends(x, _log_of(x * 2.0**54 if tiny else x, -54.0 if tiny else 0.0, 0.0))


@in_line
def log1p_(x: float) -> float:  # pragma: no cover
    u = 1.0 + x
    lost = 1.0 - (u - x) if u > 2.0 else x - (u - 1.0)
    y = _at_the_ends(u, _log_of(u, 0.0, lost / u))
    return x if x == 0.0 else y


@in_line
def log2_(x: float) -> float:  # pragma: no cover
    """Return log2 x, as k plus a product with 1/ln 2 in two parts."""
    tiny = x < _SMALLEST_NORMAL
    k, f = _split(x * 2.0**54 if tiny else x)
    k -= 54.0 if tiny else 0.0
    square = 0.5 * f * f
    # the leading 32 bits of ln(1 + f), so that the product with those of 1/ln 2 is exact
    bits = np.float64(f - square).view(np.uint64) & np.uint64(0xFFFFFFFF00000000)
    high = np.uint64(bits).view(np.float64)
    low = ((f - high) - square) + _beyond(f, square)
    part = high * _LOG2_E_HIGH
    y = k + part
    rest = ((k - y) + part) + ((low + high) * _LOG2_E_LOW + low * _LOG2_E_HIGH)
    return _at_the_ends(x, y + rest)


@in_line
def log1pexp_(x: float) -> float:  # pragma: no cover
    return (x if x > 0.0 else 0.0) + log1p_(exp_(-abs(x)))


@in_line
def logistic_(x: float) -> float:  # pragma: no cover
    small = exp_(-abs(x))
    return (1.0 if x >= 0.0 else small) / (1.0 + small)


@in_line
def power_(x: float, y: float) -> float:  # pragma: no cover
    """Return ``exp(y ln x)``, for x >= 0 and y > 0; its relative error grows with ``|y ln x|``."""
    return exp_(y * log_(x))


@in_line
def arctan_(x: float) -> float:  # pragma: no cover
    """Return arctan x: |x| is reduced by 1/x or (x - 1)/(x + 1) to a Chebyshev approximation."""
    a = abs(x)
    if a > 2.414213562373095:
        u, high, low = -1.0 / a, 1.5707963267948966, 6.123233995736766e-17
    elif a > 0.41421356237309503:
        u, high, low = (a - 1.0) / (a + 1.0), 0.7853981633974483, 3.061616997868383e-17
    else:
        u, high, low = a, 0.0, 0.0
    z = u * u
    p = 0.016282993238924487
    p = p * z - 0.034568068014968874
    p = p * z + 0.0455149623749493
    p = p * z - 0.052304330074828924
    p = p * z + 0.05878926110528101
    p = p * z - 0.06666424634599337
    p = p * z + 0.07692296361048218
    p = p * z - 0.09090908753017178
    p = p * z + 0.11111111105145725
    p = p * z - 0.14285714285659729
    p = p * z + 0.19999999999999804
    p = p * z - 0.3333333333333333
    return math.copysign(high + (u + (u * (z * p) + low)), x)


@in_line
def erfc_(x: float) -> float:  # pragma: no cover
    """Return erfc x, as ``exp(-x^2) g(x) / (1 + 2 x)``, or ``1 - x h(x^2)`` for |x| < 1/2.

    g and h are Chebyshev approximations, that of g in the variable ``(x - 3)/(x + 3)``. Negative x
    follow from ``erfc(-x) = 2 - erfc(x)``.
    """
    a = 28.0 if abs(x) > 28.0 else abs(x)
    t = (a - 3.0) / (a + 3.0)
    g = -4.210104975119195e-09
    g = g * t - 8.500119502115306e-09
    g = g * t + 3.29163439676632e-08
    g = g * t + 9.186243026143847e-08
    g = g * t - 1.311166137536459e-07
    g = g * t - 6.050048623933503e-07
    g = g * t + 3.4899197889744293e-07
    g = g * t + 3.463997532352904e-06
    g = g * t - 7.275875746667183e-07
    g = g * t - 2.009663087595395e-05
    g = g * t + 4.948147875576539e-06
    g = g * t + 0.00012509815174864322
    g = g * t - 0.00010515949033775975
    g = g * t - 0.0007798320379611115
    g = g * t + 0.001888690312003782
    g = g * t + 0.002529391788270445
    g = g * t - 0.02377051491423367
    g = g * t + 0.06830802734580459
    g = g * t - 0.11927366341552853
    g = g * t + 0.12964515870270552
    g = g * t - 0.047562294353446374
    g = g * t - 0.1356211061245807
    g = g * t + 1.2530080582697296
    # x^2 as the exact square of the leading 26 bits, and a rest
    head = np.uint64(np.float64(a).view(np.uint64) & np.uint64(0xFFFFFFFFF8000000)).view(np.float64)
    rest = (head - a) * (head + a)
    rest += rest * rest * (0.5 + 0.16666666666666666 * rest)  # e^rest - 1
    y: float = exp_(-head * head) * (g + g * rest) / (1.0 + 2.0 * a)
    z = a * a if a < 0.5 else 0.0
    near = -1.4620256114391553e-07
    near = near * z + 1.6371164552892836e-06
    near = near * z - 1.4923000283850108e-05
    near = near * z + 0.00012055286128871108
    near = near * z - 0.0008548326509718547
    near = near * z + 0.005223977622008845
    near = near * z - 0.026866170644999358
    near = near * z + 0.11283791670954868
    near = near * z - 0.3761263890318375
    near = near * z + 1.1283791670955126
    y = 1.0 - a * near if a < 0.5 else y
    return 2.0 - y if x < 0.0 else y


def _each(name: str) -> Any:
    """Return the compiled loop that applies the named function to each number of an array.

    The name is a constant of the kernel, so numba prunes the branches of other functions. (With the
    function itself in the closure, other processes would not find the stored kernel; see `kernel`.)
    """

    @kernel
    def each(x: Any, out: Any) -> None:  # pragma: no cover
        for i in range(x.shape[0]):
            if name == "exp":
                out[i] = exp_(x[i])
            elif name == "expm1":
                out[i] = expm1_(x[i])
            elif name == "log":
                out[i] = log_(x[i])
            elif name == "log1p":
                out[i] = log1p_(x[i])
            elif name == "log2":
                out[i] = log2_(x[i])
            elif name == "log1pexp":
                out[i] = log1pexp_(x[i])
            elif name == "logistic":
                out[i] = logistic_(x[i])
            elif name == "arctan":
                out[i] = arctan_(x[i])
            else:
                out[i] = erfc_(x[i])

    return each


each_exp, each_expm1, each_log = _each("exp"), _each("expm1"), _each("log")
each_log1p, each_log2, each_log1pexp = _each("log1p"), _each("log2"), _each("log1pexp")
each_logistic, each_arctan, each_erfc = _each("logistic"), _each("arctan"), _each("erfc")
