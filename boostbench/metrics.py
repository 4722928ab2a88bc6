r"""Metrics of predictions on test samples, in addition to the error.

With clean test labels y, predicted labels, and probabilities :math:`p_{ik}` of n samples:

=====================  ============================================================================
balanced accuracy      mean over the classes of the recall
F1                     mean over the classes of ``2 TP / (2 TP + FP + FN)``
log loss               :math:`-\frac1n \sum_i \ln p_{i y_i}`, probabilities at least 2.2e-16
Brier score            :math:`\frac1{2n} \sum_{ik} (p_{ik} - 1[y_i = k])^2`, from 0 to 1
AUC                    mean over the classes k of the fraction of pairs, a sample of class k and a
                       sample of another class, in which the former has the larger
                       :math:`p_{ik}`; ties count one half
calibration error      :math:`\sum_b \frac{n_b}n |\text{right}_b - \text{probability}_b|` over 15
                       bins of equal width of the largest probability (Guo et al. 2017)
=====================  ============================================================================

The definitions are those of scikit-learn: ``balanced_accuracy_score``,
``f1_score(average="macro")``, ``log_loss``, ``brier_score_loss(scale_by_half=True)`` and
``roc_auc_score(multi_class="ovr")``, where classes without test samples are omitted here. Counts
are exact, and sums and logarithms are computed by `boostbench.portable`, so that the values are
identical on every processor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
Counts = NDArray[np.int64]

#: Lower bound of probabilities, as in scikit-learn; limits the log loss of a sample to 36.04 nats.
LEAST_PROBABILITY = float(np.finfo(np.float64).eps)
N_BINS = 15


def confusion_matrix(y: Labels, predicted: Labels, n_classes: int) -> Counts:
    """Return the number of samples by class (row) and predicted class (column).

    Raises
    ------
    BoostbenchError
        If a prediction is not a class.

    Examples
    --------
    >>> confusion_matrix(np.array([0, 1, 1]), np.array([0, 0, 1]), 2).tolist()
    [[1, 0], [1, 1]]
    """
    others = predicted[(predicted < 0) | (predicted >= n_classes)]
    if len(others):
        raise BoostbenchError(f"the booster answers {others[0]}, no class of 0..{n_classes - 1}")
    cells = y * n_classes + predicted
    counts = np.bincount(cells.astype(np.int64), minlength=n_classes**2)
    return np.asarray(counts.reshape(n_classes, n_classes), dtype=np.int64)


def balanced_accuracy(confusion: Counts) -> float:
    """Return the mean recall of the classes that have samples.

    Examples
    --------
    >>> balanced_accuracy(np.array([[1, 0], [1, 1]]))
    0.75
    """
    from boostbench.portable import mean

    n = confusion.sum(axis=1)
    return mean(np.diag(confusion)[n > 0] / n[n > 0])


def f1(confusion: Counts) -> float:
    """Return the mean F1 of the classes that have samples or predictions."""
    from boostbench.portable import mean

    both = confusion.sum(axis=0) + confusion.sum(axis=1)
    return mean(2.0 * np.diag(confusion)[both > 0] / both[both > 0])


def log_loss(P: Floats, y: Labels) -> float:
    """Return the mean negative log-probability of the label."""
    from boostbench.portable import log, mean

    p = P[np.arange(len(y)), y]
    return -mean(log(np.clip(p, LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)))


def brier(P: Floats, y: Labels) -> float:
    """Return half the mean squared distance between probabilities and one-hot labels."""
    from boostbench.portable import total

    away = P.copy()
    away[np.arange(len(y)), y] -= 1.0
    return total(away * away) / (2.0 * len(y))


def auc(P: Floats, y: Labels) -> float:
    """Return the area under the ROC curve of each class against the rest, averaged over classes.

    With two classes, return the area for the second class. NaN if all samples have one class.
    """
    from scipy.stats import rankdata

    from boostbench.portable import mean

    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        return float("nan")
    if P.shape[1] == 2:
        classes, counts = classes[1:], counts[1:]
    ranks = rankdata(P, axis=0)
    # sums of halves are exact
    above = np.array([ranks[y == k, k].sum() for k in classes]) - counts * (counts + 1) / 2
    return mean(above / (counts * (len(y) - counts)))


def calibration_error(P: Floats, y: Labels) -> float:
    """Return the expected calibration error of the largest probability, with 15 equal bins.

    Examples
    --------
    >>> round(calibration_error(np.array([[0.9, 0.1], [0.9, 0.1]]), np.array([0, 1])), 12)
    0.4
    """
    from boostbench.portable import total

    right = (P.argmax(axis=1) == y).astype(np.float64)
    top = P.max(axis=1)
    # (0, 1/15], (1/15, 2/15], ..., as in the paper
    place = np.searchsorted(np.linspace(0.0, 1.0, N_BINS + 1)[1:-1], top)
    gaps = np.bincount(place, right, N_BINS) - np.bincount(place, top, N_BINS)
    return total(np.abs(gaps)) / len(y)


class Measure(NamedTuple):
    """Metric of predictions on test samples.

    Attributes
    ----------
    needs : {"labels", "probabilities"}
        Kind of prediction.
    of : callable
        Function of the confusion matrix, or of the probabilities and the labels.
    higher : bool
        True if higher values are better.
    words : str
        Name in reports.
    unit : str
        "%" for fractions shown in percent, else empty.
    """

    needs: Literal["labels", "probabilities"]
    of: Callable[..., float]
    higher: bool
    words: str
    unit: str = "%"


#: Metrics with a value after every round, by name in a config.
MEASURES: dict[str, Measure] = {
    "balanced_accuracy": Measure("labels", balanced_accuracy, True, "balanced test accuracy"),
    "f1": Measure("labels", f1, True, "test F1"),
    "log_loss": Measure("probabilities", log_loss, False, "test log loss", ""),
    "brier": Measure("probabilities", brier, False, "test Brier score", ""),
    "auc": Measure("probabilities", auc, True, "test AUC"),
    "calibration_error": Measure(
        "probabilities", calibration_error, False, "test calibration error"
    ),
}
CONFUSION = "confusion"
SIZE = "model_size"
#: Metrics that every record contains, so that requesting them does not change the run.
ALWAYS = ("error", "fit_time", "predict_time")
#: Allowed values of the config key ``metrics``.
NAMES = (*ALWAYS, *MEASURES, CONFUSION, SIZE)


def curve_of(name: str) -> str:
    """Return the name of the curve of a metric in records and tables."""
    return f"test_{name}"


def probabilities_of(booster: Any, P: Floats, n_classes: int) -> Floats:
    """Return probabilities of all classes, with 0 for classes absent from the training labels."""
    whole = np.zeros((len(P), n_classes))
    whole[:, booster.classes_] = P
    return whole
