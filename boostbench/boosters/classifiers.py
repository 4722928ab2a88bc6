"""Adapter that runs classifiers of scikit-learn and of boosting libraries as boosters.

A booster has ``n_estimators``, ``random_state``, ``fit`` and, for error curves, predictions after
each round. The predictions after t rounds of another classifier are obtained from, in this order:

- ``staged_predict`` (gradient boosting of scikit-learn, CatBoost);
- ``estimators_`` of a scikit-learn ensemble with ``warm_start`` (forests, bagging): the first t
  members vote with equal weights;
- a limit on the rounds (``num_iteration`` of LightGBM, ``iteration_range`` of XGBoost).

For any other classifier a fit counts as a single round.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.ensemble import BaseEnsemble
from sklearn.utils.metaestimators import available_if

from boostbench.errors import BoostbenchError, PluginError

#: Parameters that set the number of rounds; the first that exists is used.
_ROUNDS_PARAMETERS = ("n_estimators", "max_iter", "iterations")
#: Defaults that make the libraries silent, write no files, and use one thread.
_LIBRARY_DEFAULTS: dict[str, dict[str, Any]] = {
    "catboost": {"verbose": False, "allow_writing_files": False, "thread_count": 1},
    "lightgbm": {"verbosity": -1, "n_jobs": 1, "deterministic": True, "force_row_wise": True},
    "xgboost": {"n_jobs": 1},
}


#: Decorator of methods that exist only if the classifier has ``predict_proba``.
_if_probabilistic: Callable[[Any], Any] = available_if(
    lambda self: hasattr(self.model, "predict_proba")
)


def as_booster(component: Any) -> Any:
    """Return a classifier class as a booster class, wrapped by `ClassifierBooster` if necessary.

    Parameters
    ----------
    component : object
        Class with ``fit`` and ``predict``; any other object is returned unchanged.

    Raises
    ------
    PluginError
        If the class is a regressor.
    """
    if not inspect.isclass(component) or not {"fit", "predict"} <= {*dir(component)}:
        return component
    classifier: Any = component
    has_parameters = {"n_estimators", "random_state"} <= {*_parameters_of(classifier)}
    is_staged = hasattr(classifier, "staged_predict")
    if has_parameters and is_staged and not _library_defaults(classifier):
        return classifier
    if issubclass(classifier, RegressorMixin):
        raise PluginError(f"{classifier.__name__} is a regressor; a booster must be a classifier")
    return _wrapper_class(classifier)


@cache
def _wrapper_class(classifier: Any) -> type:
    """Return a subclass of `ClassifierBooster` with the parameters of the classifier."""
    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in _parameters_of(classifier).items()
        if name not in {"n_estimators", "random_state", _rounds_parameter(classifier)}
        and parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        ClassifierBooster.__init__(self, *args, **kwargs)

    common = [*inspect.signature(ClassifierBooster.__init__).parameters.values()][:3]
    signature = inspect.Signature([*common, *parameters])  # self, n_estimators, random_state, ...
    __init__.__signature__ = signature  # type: ignore[attr-defined]
    members = {
        "__init__": __init__,
        "__doc__": classifier.__doc__,
        "__module__": classifier.__module__,
        "classifier": classifier,
    }
    return type(classifier.__name__, (ClassifierBooster,), members)


class ClassifierBooster:
    """Classifier of another library with the interface of a booster.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds; ignored if the classifier has no rounds.
    random_state : int or None, default=None
        Seed; ignored if the classifier has no such parameter.
    **params
        Parameters of the classifier.

    Attributes
    ----------
    model : object
        Wrapped classifier.
    classes_ : ndarray, shape (n_classes,)
        Class labels in sorted order.
    stop_reason_ : str
        Reason for fewer rounds than `n_estimators`; empty if all rounds were run.
    """

    classifier: ClassVar[Any] = None
    #: Empty, because the classifier validates its own parameters.
    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    def __init__(
        self, n_estimators: int = 100, random_state: int | None = None, **params: Any
    ) -> None:
        self.n_estimators = n_estimators
        common: dict[str, Any] = {}
        if "random_state" in _parameters_of(self.classifier):
            common["random_state"] = random_state
        rounds = _rounds_parameter(self.classifier)
        if rounds is not None:
            common[rounds] = n_estimators
        self.model = self.classifier(**_library_defaults(self.classifier) | params | common)

    def __reduce__(self) -> Any:  # pickle does not find the class, which is created on demand
        return _empty_instance, (self.classifier,), self.__dict__

    def _validate_params(self) -> None:
        if hasattr(self.model, "_parameter_constraints"):
            self.model._validate_params()

    def fit(self, X: ArrayLike, y: ArrayLike) -> ClassifierBooster:
        """Fit the classifier to labels encoded as 0..K-1, which some libraries require."""
        self.classes_, encoded = np.unique(y, return_inverse=True)
        self.model.fit(X, encoded)
        n_rounds, self.stop_reason_ = self._n_rounds(), ""
        if n_rounds < self.n_estimators:
            has_rounds = _rounds_parameter(self.classifier) is not None
            self.stop_reason_ = "stopped by itself" if has_rounds else "a fit without rounds"
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the predicted labels, shape (n,)."""
        return self._labels(self.model.predict(X), X)

    def _labels(self, predicted: Any, X: ArrayLike) -> NDArray[Any]:
        codes, n, K = np.asarray(predicted).reshape(-1), len(np.asarray(X)), len(self.classes_)
        if len(codes) != n or not np.isin(codes, np.arange(K)).all():
            raise BoostbenchError(
                f"{type(self).__name__}.predict must return a label from 0 to {K - 1} for each of "
                f"{n} samples, as it was fitted to; found {len(codes)}: {codes[:5].tolist()}"
            )
        return np.asarray(self.classes_[codes.astype(np.intp)])

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """Yield the predicted labels after each round, shape (n,)."""
        if _rounds_parameter(self.classifier) is None:
            yield self.predict(X)
        elif hasattr(self.model, "staged_predict"):
            for predicted in self.model.staged_predict(X):
                yield self._labels(predicted, X)
        elif hasattr(self.model, "estimators_"):
            for votes in self._votes(X):
                yield self._labels(votes.argmax(axis=1), X)
        else:
            for predicted in self._predict_by_rounds(self.model.predict, X):
                yield self._labels(predicted, X)

    @_if_probabilistic
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return class probabilities, shape (n, n_classes)."""
        return np.asarray(self.model.predict_proba(X), dtype=np.float64)

    @_if_probabilistic
    def staged_predict_proba(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield class probabilities after each round, shape (n, n_classes)."""
        if _rounds_parameter(self.classifier) is None:
            yield self.predict_proba(X)
        elif hasattr(self.model, "staged_predict_proba"):
            yield from self.model.staged_predict_proba(X)
        elif hasattr(self.model, "estimators_"):
            for t, votes in enumerate(self._votes(X), start=1):
                yield votes / t
        else:
            for P in self._predict_by_rounds(self.model.predict_proba, X):
                yield P.astype(np.float64)

    def _votes(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield the sum of the probabilities of the first t members, for t = 1, 2, ..."""
        votes: Any = 0.0
        for t in range(len(self.model.estimators_)):
            member = copy.copy(self.model)
            member.n_estimators = 1
            for name in ("estimators_", "estimators_features_"):
                if hasattr(member, name):
                    setattr(member, name, getattr(self.model, name)[t : t + 1])
            votes = votes + member.predict_proba(X)
            yield votes

    def _predict_by_rounds(self, predict: Callable[..., Any], X: ArrayLike) -> Iterator[Any]:
        """Yield the result of a prediction method after each round."""
        has_number = "num_iteration" in inspect.signature(predict).parameters
        for t in range(1, self._n_rounds() + 1):
            yield predict(X, num_iteration=t) if has_number else predict(X, iteration_range=(0, t))

    def _n_rounds(self) -> int:
        model = self.model
        if _rounds_parameter(self.classifier) is None:
            return 1
        if hasattr(model, "booster_"):  # LightGBM
            return int(model.booster_.current_iteration())
        if hasattr(model, "get_booster"):  # XGBoost
            return int(model.get_booster().num_boosted_rounds())
        if hasattr(model, "tree_count_"):  # CatBoost
            return int(model.tree_count_)
        return int(model.n_iter_) if hasattr(model, "n_iter_") else len(model.estimators_)


def _empty_instance(classifier: Any) -> Any:
    return object.__new__(_wrapper_class(classifier))


def _library_defaults(classifier: Any) -> dict[str, Any]:
    """Return the entry of `_LIBRARY_DEFAULTS` for a class or a base class, or an empty dict."""
    packages = (base.__module__.partition(".")[0] for base in classifier.__mro__)
    return next((_LIBRARY_DEFAULTS[name] for name in packages if name in _LIBRARY_DEFAULTS), {})


def _parameters_of(classifier: Any) -> dict[str, inspect.Parameter]:
    """Return the constructor's parameters, including those of bases that get its ``**kwargs``."""
    by_name: dict[str, inspect.Parameter] = {}
    for base in classifier.__mro__:
        if "__init__" in vars(base):
            parameters = [*inspect.signature(base.__init__).parameters.values()][1:]
            by_name = {p.name: p for p in parameters if p.kind is not p.VAR_POSITIONAL} | by_name
            if all(parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters):
                break
    return by_name


def _rounds_parameter(classifier: Any) -> str | None:
    """Return the name of the parameter for rounds; None if there are no predictions by round."""
    parameters = _parameters_of(classifier)
    predict = inspect.signature(classifier.predict).parameters
    has_stages = (
        hasattr(classifier, "staged_predict")
        or "num_iteration" in predict
        or "iteration_range" in predict
        or (issubclass(classifier, BaseEnsemble) and "warm_start" in parameters)
    )
    if not has_stages:
        return None
    return next((name for name in _ROUNDS_PARAMETERS if name in parameters), None)
