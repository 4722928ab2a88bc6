"""Imported once, by the process that all workers are forked from: every heavy library."""

from boostbench.inputs import watch

watch()

import numba  # noqa: E402, F401
import pandas  # noqa: E402, F401
import sklearn.datasets  # noqa: E402, F401

import boostbench.boosters  # noqa: E402
import boostbench.experiments.running.execution  # noqa: E402, F401
