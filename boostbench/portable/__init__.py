"""Sums and elementary functions that give the same bits on every processor.

``numpy.exp``, ``numpy.sum`` and ``@`` give other last bits on other processors: the C library, the
vector instructions that numpy finds and the kernels of BLAS decide. Boosting can make a different
tree of a last bit. So what feeds a result is computed here: each function is a fixed sequence of
IEEE 754 double additions, multiplications and divisions, which every processor rounds alike. numba
compiles them without leave to regroup or fuse them; vector instructions do the same operations on
several numbers at a time.

The functions take numbers and arrays of any shape; in `elementary` a name that ends in an
underscore is the function of one number, for compiled code. Largest errors, in units in the last
place:

============  ==========================================  =====
function                                                  error
============  ==========================================  =====
`exp`         e^x                                         0.8
`expm1`       e^x - 1                                     1
`log`         ln x                                        0.8
`log1p`       ln(1 + x)                                   0.8
`log2`        log2 x, exact for powers of two             0.8
`log1pexp`    ln(1 + e^x), the logistic loss              1.6
`logistic`    1 / (1 + e^-x)                              2
`arctan`      inverse tangent of x                        2
`erfc`        1 - erf x                                   4
============  ==========================================  =====

Square roots are IEEE operations too, and ``numpy.sqrt`` is exact; so are ``numpy.abs``,
comparisons, maxima, sums of integers, and ``numpy.cumsum`` and ``numpy.bincount``, which add one
number after the other.
"""

from __future__ import annotations

from boostbench.portable.functions import (
    arctan,
    erfc,
    erfc_inverse,
    exp,
    expm1,
    log,
    log1p,
    log1pexp,
    log2,
    logistic,
    power,
)
from boostbench.portable.sums import cholesky, dot, mean, row_sums, total

__all__ = [
    "arctan",
    "cholesky",
    "dot",
    "erfc",
    "erfc_inverse",
    "exp",
    "expm1",
    "log",
    "log1p",
    "log1pexp",
    "log2",
    "logistic",
    "mean",
    "power",
    "row_sums",
    "total",
]
