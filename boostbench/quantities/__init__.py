"""Quantities that runs record: errors, costs, metrics, edges, weights, times and sizes.

Each quantity is one object, `Quantity`: its words, unit and range, whether higher or lower values
are better, what it is computed from, when it is kept, and how a config asks for it. Records,
tables, figures, claims and `boostbench compare` read these facts. The names and modules are listed
in `boostbench.registry`; a module is part of the key only of runs that record its quantities.
"""

from __future__ import annotations

from boostbench.quantities.quantity import NUMBERS as NUMBERS
from boostbench.quantities.quantity import QUANTITIES as QUANTITIES
from boostbench.quantities.quantity import Clock as Clock
from boostbench.quantities.quantity import Quantity as Quantity
from boostbench.quantities.quantity import metric as metric
from boostbench.quantities.quantity import quantity as quantity
