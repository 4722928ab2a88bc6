"""Classifiers of scikit-learn and of the boosting libraries, run as boosters.

What the program needs of a booster is ``n_estimators``, ``random_state``, ``fit`` and, for a curve,
the predictions after each round. A classifier of another library has them in its own words:

- ``staged_predict`` (gradient boosting of scikit-learn, CatBoost): as it is;
- predictions of the first t rounds (``num_iteration`` of LightGBM, ``iteration_range`` of XGBoost);
- members in ``estimators_`` that vote with equal rights and are trained in turn, as ``warm_start``
  of an ensemble of scikit-learn says (forests, bagging): after t rounds, the first t vote;
- none of these: one fit is one round, and the curve is a point.
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

#: Names of the number of rounds, in the order of looking.
_ROUNDS = ("n_estimators", "max_iter", "iterations")
#: Parameters without which a library prints, writes files, or depends on the number of cores.
_QUIET: dict[str, dict[str, Any]] = {
    "catboost": {"verbose": False, "allow_writing_files": False, "thread_count": 1},
    "lightgbm": {"verbosity": -1, "n_jobs": 1, "deterministic": True, "force_row_wise": True},
    "xgboost": {"n_jobs": 1},
}


#: Of methods that are there if the classifier has probabilities.
_with_probabilities: Callable[[Any], Any] = available_if(
    lambda self: hasattr(self.model, "predict_proba")
)


def as_booster(component: Any) -> Any:
    """Return a class of boosters: the component itself, or a `ClassifierBooster` of it.

    Parameters
    ----------
    component : object
        A class of classifiers, with ``fit`` and ``predict``; anything else is returned as it is.

    Raises
    ------
    PluginError
        If it is a class of regressors.
    """
    if not inspect.isclass(component) or not {"fit", "predict"} <= {*dir(component)}:
        return component
    classifier: Any = component
    fits = {"n_estimators", "random_state"} <= {*_parameters_of(classifier)}
    if fits and hasattr(classifier, "staged_predict") and not _quiet(classifier):
        return classifier
    if issubclass(classifier, RegressorMixin):
        raise PluginError(f"{classifier.__name__} is a regressor; a booster must be a classifier")
    return _adapted(classifier)


@cache
def _adapted(classifier: Any) -> type:
    kept = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in _parameters_of(classifier).items()
        if name not in {"n_estimators", "random_state", _rounds_of(classifier)}
        and parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    own = [*inspect.signature(ClassifierBooster).parameters.values()][:2]

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        ClassifierBooster.__init__(self, *args, **kwargs)

    named = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([named, *own, *kept])  # type: ignore[attr-defined]
    members = {
        "__init__": __init__,
        "__doc__": classifier.__doc__,
        "__module__": classifier.__module__,
        "classifier": classifier,
    }
    return type(classifier.__name__, (ClassifierBooster,), members)


class ClassifierBooster:
    """A classifier of another library with the rounds of a booster.

    Parameters
    ----------
    n_estimators : int, default=100
        Rounds, if the classifier has any.
    random_state : int or None, default=None
        Passed on if the classifier takes it.
    **params
        Parameters of the classifier.

    Attributes
    ----------
    model : object
        The classifier.
    classes_ : ndarray, shape (n_classes,)
        Labels.
    stop_reason_ : str
        Why there are fewer rounds than asked for; empty if there are as many.
    """

    classifier: ClassVar[Any] = None
    #: Empty: the classifier checks its parameters itself.
    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    def __init__(
        self, n_estimators: int = 100, random_state: int | None = None, **params: Any
    ) -> None:
        self.n_estimators = n_estimators
        known = _parameters_of(self.classifier)
        rounds = _rounds_of(self.classifier)
        ours = {"random_state": random_state} if "random_state" in known else {}
        if rounds is not None:
            ours[rounds] = n_estimators
        self.model = self.classifier(**_quiet(self.classifier) | params | ours)

    def __reduce__(self) -> Any:  # the class is made when it is asked for
        return _unpickled, (self.classifier,), self.__dict__

    def _validate_params(self) -> None:
        if hasattr(self.model, "_parameter_constraints"):
            self.model._validate_params()

    def fit(self, X: ArrayLike, y: ArrayLike) -> ClassifierBooster:
        """Fit the classifier to labels 0..K-1, which some libraries ask for."""
        self.classes_, encoded = np.unique(y, return_inverse=True)
        self.model.fit(X, encoded)
        n_rounds, self.stop_reason_ = self._n_rounds(), ""
        if n_rounds < self.n_estimators:
            has_rounds = _rounds_of(self.classifier) is not None
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
        if _rounds_of(self.classifier) is None:
            yield self.predict(X)
        elif hasattr(self.model, "staged_predict"):
            for predicted in self.model.staged_predict(X):
                yield self._labels(predicted, X)
        elif hasattr(self.model, "estimators_"):
            for votes in self._votes(X):
                yield self._labels(votes.argmax(axis=1), X)
        else:
            for predicted in self._of_first_rounds(self.model.predict, X):
                yield self._labels(predicted, X)

    @_with_probabilities
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probabilities, shape (n, n_classes), if the classifier has any."""
        return np.asarray(self.model.predict_proba(X), dtype=np.float64)

    @_with_probabilities
    def staged_predict_proba(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield the probabilities after each round, shape (n, n_classes)."""
        if _rounds_of(self.classifier) is None:
            yield self.predict_proba(X)
        elif hasattr(self.model, "staged_predict_proba"):
            yield from self.model.staged_predict_proba(X)
        elif hasattr(self.model, "estimators_"):
            for t, votes in enumerate(self._votes(X), start=1):
                yield votes / t
        else:
            for P in self._of_first_rounds(self.model.predict_proba, X):
                yield P.astype(np.float64)

    def _votes(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield the sums of the probabilities of the first members."""
        votes: Any = 0.0
        for t in range(len(self.model.estimators_)):
            member = copy.copy(self.model)
            member.n_estimators = 1
            for name in ("estimators_", "estimators_features_"):
                if hasattr(member, name):
                    setattr(member, name, getattr(self.model, name)[t : t + 1])
            votes = votes + member.predict_proba(X)
            yield votes

    def _of_first_rounds(self, predict: Callable[..., Any], X: ArrayLike) -> Iterator[Any]:
        """Yield what a method of a library's classifier predicts by its first rounds."""
        asked = inspect.signature(predict).parameters
        for t in range(1, self._n_rounds() + 1):
            first = (
                {"num_iteration": t} if "num_iteration" in asked else {"iteration_range": (0, t)}
            )
            yield predict(X, **first)

    def _n_rounds(self) -> int:
        model = self.model
        if _rounds_of(self.classifier) is None:
            return 1
        if hasattr(model, "booster_"):  # LightGBM
            return int(model.booster_.current_iteration())
        if hasattr(model, "get_booster"):  # XGBoost
            return int(model.get_booster().num_boosted_rounds())
        if hasattr(model, "tree_count_"):  # CatBoost
            return int(model.tree_count_)
        return int(model.n_iter_) if hasattr(model, "n_iter_") else len(model.estimators_)


def _unpickled(classifier: Any) -> Any:
    return object.__new__(_adapted(classifier))


def _quiet(classifier: Any) -> dict[str, Any]:
    """Return the parameters of `_QUIET` for a class of one of its libraries, or derived from it."""
    packages = (base.__module__.partition(".")[0] for base in classifier.__mro__)
    return next((_QUIET[package] for package in packages if package in _QUIET), {})


def _parameters_of(classifier: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters of a class, those too that it only hands on to its base."""
    found: dict[str, inspect.Parameter] = {}
    for base in classifier.__mro__:
        if "__init__" in vars(base):
            parameters = [*inspect.signature(base.__init__).parameters.values()][1:]
            found = {p.name: p for p in parameters if p.kind is not p.VAR_POSITIONAL} | found
            if all(parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters):
                break
    return found


def _rounds_of(classifier: Any) -> str | None:
    """Return the parameter that is the number of rounds; None if predictions have no stages."""
    known = _parameters_of(classifier)
    name = next((name for name in _ROUNDS if name in known), None)
    predict = inspect.signature(classifier.predict).parameters
    has_first = bool({"num_iteration", "iteration_range"} & {*predict})
    is_vote = issubclass(classifier, BaseEnsemble) and "warm_start" in known
    is_staged = hasattr(classifier, "staged_predict")
    return name if is_staged or has_first or is_vote else None
