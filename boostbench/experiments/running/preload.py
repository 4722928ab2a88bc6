"""Import all heavy libraries, once, in the server process that workers are forked from."""

from boostbench.inputs import watch

watch()

import numba  # noqa: E402, F401
import pandas  # noqa: E402, F401
import sklearn.datasets  # noqa: E402, F401

import boostbench.boosters  # noqa: E402
import boostbench.experiments.running.execution  # noqa: E402, F401
