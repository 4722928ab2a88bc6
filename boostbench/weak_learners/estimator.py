"""scikit-learn classifiers as weak learners for weighted labels."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

from boostbench.errors import PluginError
from boostbench.portable import total
from boostbench.weak_learners.base import WeakLearner
from boostbench.weak_learners.demands import WeightedLabels


class EstimatorLearner(WeakLearner):
    """Weak learner that fits clones of a scikit-learn classifier to samples of positive weight.

    A row that represents several samples is repeated, so that the classifier can count them.

    Parameters
    ----------
    estimator : object
        scikit-learn classifier whose ``fit`` takes ``sample_weight``.

    Raises
    ------
    ValueError
        If `estimator` is no classifier or takes no sample weights.
    """

    accepts = (WeightedLabels,)

    def __init__(self, estimator: Any) -> None:
        if not is_classifier(estimator) or not has_fit_parameter(estimator, "sample_weight"):
            raise ValueError(
                f"weak learner {estimator!r} must be a classifier whose fit takes sample_weight"
            )
        self.estimator = estimator

    def __repr__(self) -> str:
        return f"EstimatorLearner({self.estimator!r})"

    def prepare(
        self,
        X: NDArray[np.float64],
        rows: NDArray[np.intp] | None = None,
        count: NDArray[np.int64] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the training rows and the number of samples that each row represents."""
        X = X if rows is None else X[rows]
        return X, np.ones(X.shape[0], dtype=np.int64) if count is None else count

    def fit(
        self,
        data: tuple[NDArray[np.float64], NDArray[np.int64]],
        demand: WeightedLabels,
        rng: np.random.Generator,
    ) -> EstimatorHypothesis:
        """Fit a clone, with a ``random_state`` drawn from `rng` if that parameter is None."""
        self.check(type(demand))
        model = clone(self.estimator)
        if "random_state" in model.get_params() and model.get_params()["random_state"] is None:
            model.set_params(random_state=int(rng.integers(2**31)))
        X, count = data
        if demand.count is not None:
            count = np.maximum(demand.count, 1)
        used = np.repeat(np.arange(X.shape[0]), np.where(demand.weight > 0, count, 0))
        model.fit(X[used], demand.y[used], sample_weight=(demand.weight / count)[used])
        part = EstimatorPart(model)
        return EstimatorHypothesis(part, part.labels_of(X))


def as_weak_learner(component: Any) -> Any:
    """Convert a scikit-learn classifier class to a weak learner class.

    Parameters
    ----------
    component : object
        A classifier class whose ``fit`` takes ``sample_weight``. Weak learner classes, and objects
        that are not classes, are returned unchanged.

    Raises
    ------
    PluginError
        If the class is neither a weak learner nor takes sample weights.
    """
    if not inspect.isclass(component) or hasattr(component, "prepare"):
        return component
    if not has_fit_parameter(component, "sample_weight"):
        raise PluginError(
            f"weak learner {component.__name__} must be a classifier whose fit takes sample_weight"
        )

    def __init__(self: Any, **params: Any) -> None:  # noqa: N807
        EstimatorLearner.__init__(self, component(**params))

    __init__.__signature__ = inspect.signature(component.__init__)  # type: ignore[attr-defined]
    members = {"__init__": __init__, "__doc__": component.__doc__}
    members["__module__"] = component.__module__
    return type(component.__name__, (EstimatorLearner,), members)


@dataclass(frozen=True)
class EstimatorPart:
    """A fitted classifier with the interface of a forest of one tree."""

    model: Any
    n_trees: ClassVar[int] = 1

    @property
    def importances(self) -> NDArray[np.float64] | None:
        """Shares of the features as the classifier tells them; None if it does not."""
        shares: NDArray[np.float64] | None = getattr(self.model, "feature_importances_", None)
        return shares

    def labels_of(self, X: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the predicted labels, shape (n,)."""
        return np.asarray(self.model.predict(X), dtype=np.int32)

    def add_scores(
        self, X: NDArray[np.float64], tree_index: ArrayLike, coefficient: ArrayLike,
        F: NDArray[np.float64],
    ) -> NDArray[np.float64]:  # fmt: skip
        """Add the coefficients to the scores of the predicted labels; see `Forest.add_scores`."""
        labels, rows = self.labels_of(X), np.arange(len(F))
        for _, step in zip(np.asarray(tree_index), np.asarray(coefficient), strict=True):
            F[rows, labels] += step
        return F


@dataclass(frozen=True)
class EstimatorHypothesis:
    """A fitted classifier and its predictions on the training rows.

    Attributes
    ----------
    trees : EstimatorPart
        The fitted classifier, which the ensemble keeps.
    labels : ndarray of int32, shape (n,)
        Predicted labels.
    """

    trees: EstimatorPart
    labels: NDArray[np.int32]

    def values(self, n_classes: int) -> NDArray[np.float64]:
        """Return h on the training rows, shape (n, n_classes): 1 at the predicted label, else 0."""
        return self.add_to(np.zeros((len(self.labels), n_classes)), 1.0)

    def inner(self, W: NDArray[np.float64]) -> float:
        """Return the sum of ``W * h`` over the training rows; W has shape (n, n_classes)."""
        return total(W[np.arange(len(W)), self.labels])

    def add_to(self, F: NDArray[np.float64], step: ArrayLike) -> NDArray[np.float64]:
        """Add ``step * h`` to F in place."""
        F[np.arange(len(F)), self.labels] += np.asarray(step, dtype=np.float64).reshape(-1)[0]
        return F
