"""Vector-valued predictors of MCBoost, recovered from recorded scores.

The score of class k is the inner product of the predictor f(x) with the codeword of k, therefore
``f = (K - 1) / K s Y``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.plugins import BoostbenchError, Record, Result, codewords

#: Factor from the scores of a booster to those of the paper, up to a constant per sample.
_SCALE = {"cd-mcboost": 1.0, "gd-mcboost": 2.0}

Floats = NDArray[np.float64]


def codewords_of(result: Result) -> Floats:
    """Return the codewords of the booster of a run, shape (K, K-1)."""
    orientation = result.run.booster.params.get("orientation", "recursive")
    return codewords(_record(result).n_classes, str(orientation))


def predictor_of(result: Result, at: int) -> Floats:
    """Return the predictor on the test samples after ``at`` rounds, shape (n_test, K-1).

    Parameters
    ----------
    result : Result
        Result of a run of ``cd-mcboost`` or ``gd-mcboost`` that recorded its ``scores``.
    at : int
        Round T. After an early stop the last round counts; at 0 the predictor is the origin.

    Raises
    ------
    BoostbenchError
        If the booster is another one, or no scores were recorded at that round.
    """
    Y = codewords_of(result)
    K = len(Y)
    return (K - 1) / K * _scores(result, at) @ Y


def margins_of(result: Result, at: int) -> Floats:
    """Return the margins of the test samples, eq. (10): half of own minus best other score."""
    s, y = _scores(result, at).copy(), labels_of(result)
    rows = np.arange(len(y))
    own = s[rows, y]
    s[rows, y] = -np.inf
    margins: Floats = 0.5 * (own - s.max(axis=1))
    return margins


def labels_of(result: Result) -> NDArray[np.int64]:
    """Return the classes of the test samples, 0 to K-1."""
    labels = _record(result).at_checkpoints.get("labels")
    if not labels:
        raise BoostbenchError("no scores were recorded; give the config 'record: [scores]'")
    return np.asarray(labels, dtype=np.int64)


def _scores(result: Result, at: int) -> Floats:
    """Return the scores of the paper, shape (n_test, K); each row sums to 0."""
    name = result.run.booster.name
    if name not in _SCALE:
        raise BoostbenchError(
            f"predictors are defined for {' and '.join(_SCALE)}; {result.run.method!r} is {name!r}"
        )
    record, labels = _record(result), labels_of(result)
    recorded = record.by_round("scores")
    if at == 0 or record.n_rounds == 0:
        return np.zeros((len(labels), record.n_classes))
    if str(at) not in recorded:
        known = ", ".join(recorded) or "none"
        raise BoostbenchError(f"the scores of round {at} were not recorded; there are {known}")
    F = np.asarray(recorded[str(at)], dtype=np.float64)
    scores: Floats = _SCALE[name] * (F - F.mean(axis=1, keepdims=True))
    return scores


def _record(result: Result) -> Record:
    assert result.record is not None
    return result.record
