"""The vector-valued predictors of MCBoost, recovered from the scores that records hold.

The score of class k is the inner product of the predictor f(x) with the codeword of k, so that
``f = (K - 1) / K s Y``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError
from boostbench.experiments.store.record import Record
from boostbench.reports.values.frame import Result
from boostbench.theory.codewords import codewords

#: Factor from a booster's scores to the paper's, up to a constant per sample.
_SCALE = {"cd-mcboost": 1.0, "gd-mcboost": 2.0}

Floats = NDArray[np.float64]


def codewords_of(result: Result) -> Floats:
    """Return the codewords that a run's booster has, shape (K, K-1)."""
    orientation = result.run.booster.params.get("orientation", "recursive")
    return codewords(_record(result).n_classes, str(orientation))


def predictor_of(result: Result, at: int) -> Floats:
    """Return the predictor on the test samples after ``at`` rounds, shape (n_test, K-1).

    Parameters
    ----------
    result : Result
        Of a run of ``cd-mcboost`` or ``gd-mcboost`` that recorded its ``scores``.
    at : int
        Round T; after an early stop the last one counts, 0 is the origin.

    Raises
    ------
    BoostbenchError
        If the run is of another booster, or did not record its scores at that round.
    """
    Y = codewords_of(result)
    K = len(Y)
    return (K - 1) / K * _scores(result, at) @ Y


def margins_of(result: Result, at: int) -> Floats:
    """Return half the score of each test sample's class less the best other one (10)."""
    s, y = _scores(result, at).copy(), labels_of(result)
    rows = np.arange(len(y))
    own = s[rows, y]
    s[rows, y] = -np.inf
    margins: Floats = 0.5 * (own - s.max(axis=1))
    return margins


def labels_of(result: Result) -> NDArray[np.int64]:
    """Return the classes of the test samples, 0 to K-1."""
    labels = _record(result).at_checkpoints.labels
    if not labels:
        raise BoostbenchError("no scores were recorded; give the config 'record: [scores]'")
    return np.asarray(labels, dtype=np.int64)


def _scores(result: Result, at: int) -> Floats:
    """Return the paper's scores, shape (n_test, K); each row sums to 0."""
    name = result.run.booster.name
    if name not in _SCALE:
        raise BoostbenchError(
            f"predictors are those of {' and '.join(_SCALE)}; {result.run.method!r} is {name!r}"
        )
    labels, found = labels_of(result), _record(result).at_checkpoints.scores
    record = _record(result)
    if at == 0 or record.n_rounds == 0:
        return np.zeros((len(labels), record.n_classes))
    if str(at) not in found:
        known = ", ".join(found) or "none"
        raise BoostbenchError(f"the scores of round {at} were not recorded; there are {known}")
    F = np.asarray(found[str(at)], dtype=np.float64)
    scores: Floats = _SCALE[name] * (F - F.mean(axis=1, keepdims=True))
    return scores


def _record(result: Result) -> Record:
    assert result.record is not None
    return result.record
