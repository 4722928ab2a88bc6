"""Sums and elementary functions with bitwise equal results on every processor.

The last bits of ``numpy.exp``, ``numpy.sum`` and ``@`` depend on the C library, on the vector
instructions available to numpy and on the BLAS kernels. In boosting, a difference in the last bit
can change a tree. All computations that affect results therefore use these functions: each is a
fixed sequence of IEEE 754 double additions, multiplications and divisions, which every processor
rounds alike. numba compiles them without permission to reassociate or fuse operations; vector
instructions do the same operations on several numbers at a time.

The functions take numbers and arrays of any shape. In `elementary`, names that end in an underscore
are scalar functions for compiled code. Largest errors, in units in the last place:

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

Also reproducible are ``numpy.sqrt`` (an IEEE operation), ``numpy.abs``, comparisons, maxima, sums
of integers, and ``numpy.cumsum`` and ``numpy.bincount``, which add one number after the other.
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
