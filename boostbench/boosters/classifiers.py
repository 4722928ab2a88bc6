"""Adapter that runs classifiers of scikit-learn and of boosting libraries as boosters.

A booster has ``n_estimators``, ``random_state``, ``fit`` and, for error curves, predictions after
each round. The predictions after t rounds of another classifier are obtained from, in this order:

- ``staged_predict`` (gradient boosting of scikit-learn, CatBoost);
- ``estimators_`` of a scikit-learn ensemble with ``warm_start`` (forests, bagging): the first t
  members vote with equal weights;
- the range of rounds that count (``num_iteration`` of LightGBM, ``iteration_range`` of XGBoost).

For any other classifier a fit counts as a single round.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.ensemble import BaseEnsemble
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    _num_samples,
    check_is_fitted,
    has_fit_parameter,
    validate_data,
)

from boostbench.boosters.staged import StagedScore
from boostbench.boosters.state import softmax
from boostbench.errors import BoostbenchError, PluginError
from boostbench.models_only import models_only
from boostbench.registry import boosters

#: Parameters that set the number of rounds; the first that exists is used.
_ROUNDS_PARAMETERS = ("n_estimators", "max_iter", "iterations")
#: Defaults that make the libraries silent, write no files, and use one thread.
_LIBRARY_DEFAULTS: dict[str, dict[str, Any]] = {
    "catboost": {"verbose": False, "allow_writing_files": False, "thread_count": 1},
    "lightgbm": {"verbosity": -1, "n_jobs": 1, "deterministic": True, "force_row_wise": True},
    "xgboost": {"n_jobs": 1},
}


#: Kind of ``**kwargs``.
_OPEN = inspect.Parameter.VAR_KEYWORD
#: Decorator of methods that exist only if the classifier has ``predict_proba``.
_if_probabilistic: Callable[[Any], Any] = available_if(
    lambda self: hasattr(getattr(self, "model_", None) or self._make(), "predict_proba")
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
    quiet, rounds = _library_defaults(classifier), _rounds_parameter(classifier)
    known = _parameters_of(classifier)
    takes_more = any(known.pop(name) for name in [*known] if known[name].kind is _OPEN)
    for name in quiet.keys() - known:
        known[name] = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)
    parameters = [
        parameter.replace(
            kind=inspect.Parameter.KEYWORD_ONLY, default=quiet.get(name, parameter.default)
        )
        for name, parameter in known.items()
        if name not in {"n_estimators", "random_state", rounds}
    ]
    common = [*inspect.signature(ClassifierBooster.__init__).parameters.values()][:3]
    signature = inspect.Signature([*common, *parameters])  # self, n_estimators, random_state, ...

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        more = {k: kwargs.pop(k) for k in kwargs.keys() - signature.parameters if takes_more}
        given = signature.bind(self, *args, **kwargs)
        given.apply_defaults()
        del given.arguments["self"]
        vars(self).update({**given.arguments, **more})
        if more:
            self._more = tuple(more)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    base = ClassifierBooster if has_fit_parameter(classifier, "sample_weight") else _Unweighted
    members = {
        "__init__": __init__,
        "__doc__": classifier.__doc__,
        "__module__": "boostbench.boosters.wrapped",
        "classifier": classifier,
    }
    return type(classifier.__name__, (base,), members)


class ClassifierBooster(StagedScore, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classifier of another library with the interface of a booster.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds; ignored if the classifier has no rounds.
    random_state : int, RandomState or None, default=None
        Seed; ignored if the classifier has no such parameter.
    **params
        Parameters of the classifier.

    Attributes
    ----------
    model_ : object
        The fitted classifier.
    classes_ : ndarray, shape (n_classes,)
        Class labels in sorted order.
    stop_reason_ : str
        Reason for fewer rounds than `n_estimators`; empty if all rounds were run.
    """

    classifier: ClassVar[Any] = None
    #: Empty, because the classifier validates its own parameters.
    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    def __init__(self, n_estimators: int = 100, random_state: Any = None) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, also those that a library takes but does not declare."""
        more = {name: getattr(self, name) for name in getattr(self, "_more", ())}
        return {**super().get_params(deep), **more}

    def __reduce__(self) -> Any:  # pickle does not find the class, which is created on demand
        return object.__new__, (ClassifierBooster,), self.__getstate__()

    def __getstate__(self) -> Any:
        return {**super().__getstate__(), "classifier": self.classifier}

    def __setstate__(self, state: Any) -> None:
        self.__class__ = _wrapper_class(state["classifier"])
        super().__setstate__({name: state[name] for name in state if name != "classifier"})

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text: str = super().__repr__(N_CHAR_MAX)
        name, arguments = boosters.name_of(self.classifier), text.partition("(")[2]
        return f"make_booster({name!r}{', ' if arguments != ')' else ''}{arguments}"

    def _make(self) -> Any:
        """Return a new classifier."""
        params = self.get_params(deep=False)
        n_estimators, random_state = params.pop("n_estimators"), params.pop("random_state")
        if "random_state" in _parameters_of(self.classifier):
            params["random_state"] = random_state
        if (rounds := _rounds_parameter(self.classifier)) is not None:
            params[rounds] = n_estimators
        if _library_defaults(self.classifier):  # where None means that a value is not given
            params = {name: value for name, value in params.items() if value is not None}
        return self.classifier(**params)

    def _validate_params(self) -> None:
        model = self._make()
        if hasattr(model, "_parameter_constraints"):
            model._validate_params()

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        X_val: Any = None,
        y_val: ArrayLike | None = None,
    ) -> Any:
        """Fit the classifier to labels encoded as 0..K-1, which some libraries require.

        X_val and y_val are the samples by which histogram gradient boosting, LightGBM, XGBoost and
        CatBoost stop early, if their parameters ask for it.
        """
        X = self._checked(X, reset=True)
        y = _check_y(y, estimator=self)
        check_consistent_length(X, y)
        check_classification_targets(y)
        self.classes_, encoded = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs at least two classes; found one class")
        model = self._make()
        more = {} if X_val is y_val is None else self._held_out(model, X_val, y_val)
        if sample_weight is not None:
            more["sample_weight"] = _check_sample_weight(sample_weight, X)
        try:
            model.fit(X, encoded, **more)
        except Exception as error:
            if _package_of(type(error)) not in _LIBRARY_DEFAULTS:
                raise
            raise ValueError(str(error).strip().partition("\n")[0]) from error
        self.model_ = model
        n_rounds, self.stop_reason_ = self._n_rounds(), ""
        if n_rounds < self.n_estimators:
            has_rounds = _rounds_parameter(self.classifier) is not None
            self.stop_reason_ = "stopped by itself" if has_rounds else "a fit without rounds"
        return self

    @models_only
    def _held_out(self, model: Any, X: Any, y: Any) -> dict[str, Any]:
        """Return samples for validation as the arguments of the classifier's fit."""
        from boostbench.boosters.stopping import codes_of

        known = inspect.signature(model.fit).parameters
        if X is None or y is None or not {"X_val", "eval_set"} & {*known}:
            what = "X_val and y_val are given together, to a classifier that stops early by them"
            raise ValueError(f"{what}; {type(self).__name__} is fitted without")
        X, codes = self._checked(X), codes_of(y, self.classes_)
        check_consistent_length(X, codes)
        if "X_val" in known:
            return {"X_val": X, "y_val": codes}
        if "eval_X" in known:  # LightGBM
            return {"eval_X": (X,), "eval_y": (codes,)}
        quiet = {"verbose": False} if "verbose" in known else {}
        return {"eval_set": [(X, codes)], **quiet}

    def _checked(self, X: Any, reset: bool = False) -> Any:
        """Return samples whose features are those of the fit, in a form that all libraries take.

        A frame with text or categories is left to the classifier.
        """
        if not reset:
            check_is_fitted(self)
        tags = get_tags(self).input_tags
        frame = _with_words(X) if hasattr(X, "columns") else None
        checked = validate_data(
            self,
            X if frame is None else frame,
            reset=reset,
            skip_check_array=frame is not None,
            accept_sparse=["csr", "csc"] if tags.sparse else False,
            ensure_all_finite="allow-nan" if tags.allow_nan else True,
            dtype=None if tags.string or tags.categorical else "numeric",
        )
        return csr_matrix(checked) if issparse(checked) else checked  # CatBoost takes no csr_array

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the fitted classifier, such as ``feature_importances_``."""
        if name.endswith("_") and not name.startswith("_") and "model_" in self.__dict__:
            return getattr(self.model_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        with suppress(AttributeError):  # of a class that does not know scikit-learn
            of_model = get_tags(self._make())
            tags.input_tags = of_model.input_tags
            tags.non_deterministic = of_model.non_deterministic
        return tags

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted labels, shape (n,)."""
        X = self._checked(X)
        return self._labels(self.model_.predict(X), X)

    def _labels(self, predicted: Any, X: Any) -> NDArray[Any]:
        codes, n, K = np.asarray(predicted).reshape(-1), _num_samples(X), len(self.classes_)
        if len(codes) != n or not np.isin(codes, np.arange(K)).all():
            raise BoostbenchError(
                f"{type(self).__name__}.predict must return a label from 0 to {K - 1} for each of "
                f"{n} samples, as it was fitted to; found {len(codes)}: {codes[:5].tolist()}"
            )
        return np.asarray(self.classes_[codes.astype(np.intp)])

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predicted labels after each round, shape (n,)."""
        X = self._checked(X)
        for predicted in self._stages(X, "predict"):
            yield self._labels(predicted, X)

    @_if_probabilistic
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities, shape (n, n_classes)."""
        X = self._checked(X)
        return np.asarray(self.model_.predict_proba(X), dtype=np.float64)

    @_if_probabilistic
    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield class probabilities after each round, shape (n, n_classes)."""
        for P in self._stages(self._checked(X), "predict_proba"):
            yield np.asarray(P, dtype=np.float64)

    def _stages(self, X: Any, what: str) -> Iterator[Any]:
        """Yield the result of a prediction method after each round."""
        predict = getattr(self.model_, what)
        if _rounds_parameter(self.classifier) is None:
            yield predict(X)
        elif hasattr(self.model_, f"staged_{what}"):
            yield from getattr(self.model_, f"staged_{what}")(X)
        elif hasattr(self.model_, "estimators_"):
            for t, votes in enumerate(self._votes(X), start=1):
                yield votes.argmax(axis=1) if what == "predict" else votes / t
        elif hasattr(self.model_, "get_booster"):
            yield from self._stages_of_xgboost(X, predict)
        elif predict.__module__ == "lightgbm.sklearn" and what == "predict":
            yield from self._labels_of_lightgbm(X)
        else:
            for t in range(1, self._n_rounds() + 1):
                yield predict(X, num_iteration=t)

    def _stages_of_xgboost(self, X: Any, predict: Callable[..., Any]) -> Iterator[Any]:
        """Yield predictions, each of one round on top of the scores of the rounds before."""
        scores = None
        for t in range(self._n_rounds()):
            this: dict[str, Any] = {"base_margin": scores, "iteration_range": (t, t + 1)}
            yield predict(X, **this)
            scores = self.model_.predict(X, output_margin=True, **this)

    def _labels_of_lightgbm(self, X: Any) -> Iterator[Any]:
        """Yield the codes of the labels, from the sums of the scores that each round adds."""
        F: Any = 0.0
        for t in range(self._n_rounds()):
            this = {"raw_score": True, "start_iteration": t, "num_iteration": 1}
            F = F + self.model_.predict_proba(X, **this)
            P = softmax(F if F.ndim == 2 else np.column_stack([np.zeros_like(F), F]))
            yield P.argmax(axis=1)  # not by F: the first of equal probabilities counts

    def _votes(self, X: Any) -> Iterator[Any]:
        """Yield the sum of the probabilities of the first t members, for t = 1, 2, ..."""
        votes: Any = 0.0
        for t in range(len(self.model_.estimators_)):
            member = copy.copy(self.model_)
            member.n_estimators = 1
            for name in ("estimators_", "estimators_features_"):
                if hasattr(member, name):
                    setattr(member, name, getattr(self.model_, name)[t : t + 1])
            votes = votes + member.predict_proba(X)
            yield votes

    def _n_rounds(self) -> int:
        model = self.model_
        if _rounds_parameter(self.classifier) is None:
            return 1
        if hasattr(model, "booster_"):  # LightGBM
            return int(model.booster_.current_iteration())
        if hasattr(model, "get_booster"):  # XGBoost
            return int(model.get_booster().num_boosted_rounds())
        if hasattr(model, "tree_count_"):  # CatBoost
            return int(model.tree_count_)
        return int(model.n_iter_) if hasattr(model, "n_iter_") else len(model.estimators_)


class _Unweighted(ClassifierBooster):
    """Classifier whose fit takes no sample weights."""

    def fit(self, X: Any, y: ArrayLike) -> Any:  # type: ignore[override]
        """Fit the classifier to labels encoded as 0..K-1."""
        return super().fit(X, y)


@models_only
def _with_words(X: Any) -> Any:
    from boostbench.boosters.frames import with_words

    return with_words(X)


def _library_defaults(classifier: Any) -> dict[str, Any]:
    """Return the entry of `_LIBRARY_DEFAULTS` for a class or a base class, or an empty dict."""
    packages = map(_package_of, classifier.__mro__)
    return next((_LIBRARY_DEFAULTS[name] for name in packages if name in _LIBRARY_DEFAULTS), {})


def _package_of(cls: Any) -> str:
    return str(cls.__module__.partition(".")[0].lstrip("_"))


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
