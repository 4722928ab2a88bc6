"""scikit-learn interface of all boosters: validation, scores, staged predictions."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from boostbench.boosters.cost_matrices import sample_costs
from boostbench.boosters.prediction import CHECKS, Classifier
from boostbench.boosters.rows import (
    CanonicalRows,
    Made,
    canonical_form,
    canonical_rows,
    product,
    with_columns,
)
from boostbench.boosters.state import BoostState, Step
from boostbench.declared import Count, Declared, NotNegative, Share
from boostbench.models_only import models_only
from boostbench.registry import weak_learners
from boostbench.threads import threads

if TYPE_CHECKING:
    from boostbench.boosters.stopping import ModelFit

Method = TypeVar("Method", bound=Callable[..., Any])

#: Base and decorator by which a booster takes callbacks; scikit-learn before 1.9 has none.
CallbackSupport: Any = type("CallbackSupport", (), {})
with_callbacks: Callable[[Method], Method] = lambda method: method  # noqa: E731
with suppress(ImportError):
    from sklearn import callback

    CallbackSupport, with_callbacks = callback.CallbackSupportMixin, callback.with_callbacks


@dataclass(frozen=True)
class Training:
    """A fit in progress.

    Attributes
    ----------
    state : BoostState
    row_of : ndarray of intp, shape (n_samples,)
        As of `RoundInfo`.
    steps : iterator of Step
        Trains a round and yields its step; ends if the training does.
    """

    state: BoostState
    row_of: NDArray[np.intp]
    steps: Iterator[Step]


@dataclass(frozen=True)
class RoundInfo:
    """Argument of the ``on_round`` callback of `BoostingClassifier.fit`.

    Attributes
    ----------
    round : int
        Number of the round, from 1.
    step : Step
        Step of this round.
    training : Training
    booster : BoostingClassifier
        Booster that is being fitted.
    """

    round: int
    step: Step
    training: Training
    booster: BoostingClassifier

    @property
    def state(self) -> BoostState:
        """State after the step."""
        return self.training.state

    @property
    def row_of(self) -> NDArray[np.intp]:
        """Distinct row of each training sample, -1 for a sample of weight 0, shape (n_samples,).

        The scores of the samples are ``scores[row_of]``.
        """
        return self.training.row_of

    @property
    def scores(self) -> NDArray[np.float64]:
        """Scores of the distinct rows, shape (n, K); read-only, and overwritten by later rounds."""
        return self.state.scores

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Predicted labels of the training samples after this round, as by `staged_predict`."""
        F, of_sample = self.booster._training_scores(self.training)
        labels: NDArray[Any] = self.booster._labels(F)[of_sample]
        return labels

    @cached_property
    def loss(self) -> float:
        """Training objective after this round, computed on first access."""
        return self.booster.objective(self.state)

    @property
    def bound(self) -> float:
        """Upper bound on the training error from the loss; NaN if the loss gives no bound."""
        least = self.booster.loss_if_wrong(self.state)
        return self.loss / least if least > 0.0 else np.nan


#: Called after each round.
OnRound = Callable[[RoundInfo], None]


class BoostingClassifier(CallbackSupport, Declared, Classifier):  # type: ignore[misc]
    """Base class of all boosters: parameters, validation and prediction.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1.
    weak_learner : str, dict, object or None, default=None
        A name (``"tree"``), a mapping ``{name: parameters}``, a weak-learner object, or, for
        boosters that pass weighted labels, a scikit-learn classifier that accepts
        ``sample_weight``. None uses the paper's weak learner. If the name is that of the paper's
        weak learner, omitted parameters keep the paper's values.
    random_state : int, RandomState or None, default=None
        Seed of the random streams of the booster and of the weak learner.
    n_jobs : int or None, default=None
        Number of threads used by `fit` to grow the trees of a round. None uses one thread, or
        as many as the enclosing context allows; -1 uses all cores. The model does not depend on
        the number of threads.
    categorical_features : "from_dtype" or None, default="from_dtype"
        Whether columns of frames (pandas, polars, pyarrow) of a categorical dtype are coded, by the
        order of an ordered dtype, alphabetically otherwise. Unknown values are missing.
    early_stopping : bool or "auto", default=False
        Whether to end the fit when the score on held-out samples no longer rises, and to keep the
        rounds up to the best one; "auto" if there are more than 10000 samples.
    validation_fraction : float, int or None, default=0.1
        Share or number of the training samples that are held out, drawn within each class. None
        scores the training samples. Not used if `fit` gets ``X_val`` and ``y_val``.
    n_iter_no_change : int, default=10
        The fit ends if none of so many rounds raises the score by more than `tol`.
    tol : float, default=1e-7
        Smallest gain of the score that counts.
    scoring : {"accuracy", "loss"}, default="accuracy"
        Score of held-out samples: the accuracy, or minus the logarithmic loss of `predict_proba`,
        which rises early in boosters whose scores are no estimates of probabilities.
    warm_start : bool, default=False
        Whether `fit` continues the fit before, if data and other parameters are the same. The
        model is that of a single fit of all rounds.
    verbose : int, default=0
        1 prints a line after rounds 1, 2, ..., 10, 20, ..., 100, 200, ... and the last one; 2 after
        each round.
    class_weight : dict, "balanced" or None, default=None
        Factors by which the sample weights of each class are multiplied, as in scikit-learn;
        ``"balanced"`` uses ``n_samples / (n_classes * np.bincount(y))``. In a config, the keys
        are the labels of the data set.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels in sorted order.
    categories_ : dict of str to list
        Categories of each categorical column, in the order of their codes 0, 1, ...
    n_rounds_ : int
        Number of rounds in the model, at most `n_estimators`.
    stop_reason_ : str
        Reason for an early stop; empty if all rounds were run. ``"perfect weak learner"``: the
        weak learner has no weighted error; ``"no edge"``: the weak learner is no better than
        chance; ``"converged"``: nothing is left to learn; ``"no improvement"``: early stopping;
        ``"on request"``: ``on_round`` or a callback. Some boosters define further reasons.
    validation_score_ : ndarray of float64
        Scores of held-out samples before the first round and after each; only of fits that stop
        early. Attributes of a booster that its last round sets are of the last round trained.

    Notes
    -----
    Sample counts (the minimum size of a leaf, the cases of C4.5, the bins of a feature) include
    duplicate samples, and count weighted samples as `fit` says. C4.5 scales the weights to sum to
    the number of samples.
    """

    #: True if the first t rounds of a fit equal a fit of t rounds.
    nested_rounds: ClassVar[bool] = True
    #: Needs of the booster from a weak learner beyond answers: `LEAVES`, `TREE_PER_CLASS` or
    #: `NESTED_TREES` of `boostbench.weak_learners`.
    needs: ClassVar[tuple[str, ...]] = ()
    #: True if the numbers depend on the order of the class labels.
    class_order_matters: ClassVar[bool] = False
    #: Name and parameters of the paper's weak learner.
    paper_learner: ClassVar[tuple[str, dict[str, Any]]]

    n_estimators: Count = field(default=100, kw_only=False)
    weak_learner: Any = None
    random_state: Annotated[Any, "random_state"] = None
    n_jobs: Annotated[int, Interval(Integral, None, -1, closed="right")] | Count | None = None
    class_weight: Annotated[Any, StrOptions({"balanced"}), dict, None] = None
    categorical_features: Literal["from_dtype"] | None = "from_dtype"
    early_stopping: Annotated[Any, "boolean", StrOptions({"auto"})] = False
    validation_fraction: Share | Count | None = 0.1
    n_iter_no_change: Count = 10
    tol: NotNegative = 1e-7
    scoring: Literal["accuracy", "loss"] = "accuracy"
    warm_start: bool = False
    verbose: Annotated[int, "verbose"] = 0

    # ---- methods of subclasses ------------------------------------------------------------

    @abstractmethod
    def _rounds(
        self, state: BoostState, X: NDArray[np.float64], rows: CanonicalRows
    ) -> Iterator[Step]:
        """Train on the rows, and yield the step of each round, `n_estimators` or more.

        At each step, `model_` predicts as the rounds so far do, and `stop_reason_` is the reason of
        an end, if there is one.
        """

    @abstractmethod
    def objective(self, state: BoostState) -> float:
        """Return the training objective at ``state.scores``."""

    @abstractmethod
    def weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return the weight of each row in the next round, shape (n,).

        The weights sum to 1, or are all 0 if no row has influence. The state is not changed.
        """

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return name and parameters of the paper's weak learner, `paper_learner` by default."""
        return self.paper_learner

    def asking(self) -> Any:
        """Return the booster that uses the weak learner: this one, or one that it wraps."""
        return self

    def demands(self) -> tuple[type, ...]:
        """Return the types of demand passed to the weak learner; empty if unknown."""
        return ()

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return a lower bound on the loss of a misclassified sample; 0 if there is none.

        The objective divided by this value is an upper bound on the training error.
        """
        return 0.0

    def edge_bound(self, edges: Sequence[float], n_classes: int) -> NDArray[np.float64] | None:
        """Return the bound on the training error implied by the edges of the steps, or None.

        The bound has one value per round, shape (n_rounds,).
        """
        return None

    def _check_classes(self, n_classes: int) -> None:
        """Raise ValueError if the booster does not support this number of classes."""

    def set_params(self, **params: Any) -> Any:
        """Set parameters; ``weak_learner__NAME`` is one of the weak learner, also of the default.

        Returns
        -------
        self : BoostingClassifier
        """
        inner, prefix = {}, "weak_learner__"
        for name in [name for name in params if name.startswith(prefix)]:
            inner[name.removeprefix(prefix)] = params.pop(name)
        super().set_params(**params)
        if inner and hasattr(self.weak_learner, "set_params"):
            self.weak_learner.set_params(**inner)
        elif inner:
            spec = self.weak_learner or self.default_weak_learner(2)[0]
            learner, given = weak_learners.named(spec)
            self.weak_learner = {learner: {**given, **inner}}
        return self

    # ---- training -------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        X_val: Any = None,
        y_val: ArrayLike | None = None,
        on_round: OnRound | None = None,
    ) -> Any:
        """Fit the ensemble.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Finite numbers, or NaN where a value is missing; columns of frames may be categories.
            A sparse matrix gives the model of the same numbers in an array, to the bit.
        y : array-like of shape (n_samples,)
            Class labels, of at least two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights. If all are integers, of at most 1000 on average, a sample of
            weight w is equivalent to w copies of the sample; otherwise every sample of positive
            weight counts as one sample, and only the ratios of the weights matter.
        X_val, y_val : array-like of shape (n, n_features) and (n,), default=None
            Samples that `early_stopping` scores, in place of a part of the training samples.
        on_round : callable, default=None
            Called with a `RoundInfo` after each round; ends the fit if it returns True. If it
            raises an error, the booster predicts with the rounds so far.

        Returns
        -------
        self : BoostingClassifier

        Raises
        ------
        ValueError
            If a parameter, X, y or the weights are invalid, or the weak learner does not support
            the demands of the booster.
        """
        return self._fit(X, y, sample_weight, on_round, (X_val, y_val))

    @with_callbacks
    def _fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        on_round: OnRound | None,
        held_out: tuple[Any, Any],
        cost: ArrayLike | Callable[..., ArrayLike] | None = None,
    ) -> Any:
        self._validate_params()
        model: ModelFit | None = None
        asked = self.early_stopping, self.warm_start, self.verbose, hasattr(self, "_skl_callbacks")
        if any(asked) or any(part is not None for part in held_out):
            model = self._model_fit(X, y, sample_weight, cost, held_out)
        training = self._start(X, y, sample_weight, cost) if model is None else model.training
        observers: list[Any] = [] if model is None else model.observers
        observers = observers if on_round is None else [*observers, on_round]
        self._training = None
        del X, y, sample_weight, held_out, cost  # frees what the rounds do not keep
        try:
            with threads(self.n_jobs):
                while self.n_rounds_ < self.n_estimators and (info := self._next(training)):
                    if True in [observe(info) for observe in observers]:  # all are told
                        self.stop_reason_ = str(getattr(self, "stop_reason_", "") or "on request")
                        break
        finally:
            if self.n_rounds_:
                self._seal()
        if model is not None:
            model.end()
        if not self.n_rounds_:
            warnings.warn(
                f"{type(self).__name__} could learn nothing ({self.stop_reason_}): it predicts "
                f"{self.classes_.tolist()[0]!r} for all samples",
                ConvergenceWarning,
                stacklevel=4,  # the caller of `fit`, past the context of callbacks
            )
        return self

    @models_only
    def _model_fit(self, *data: Any) -> ModelFit:
        from boostbench.boosters.stopping import ModelFit

        return ModelFit(self, *data)

    def _start(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        cost: ArrayLike | Callable[..., ArrayLike] | None = None,
        *,
        hold: Callable[..., NDArray[np.float64]] | None = None,
        made: Made | None = None,
    ) -> Training:
        """Return a fit before its first round.

        ``hold`` maps samples, label codes, weights and a random generator to the weights in
        training. Fits of the same samples share ``made``; see `CanonicalRows`.
        """
        X, y_codes, weights = self._validate_training_data(X, y, sample_weight)
        n_classes = len(self.classes_)
        own_cost = (
            None if cost is None else sample_costs(cost, X, self.classes_[y_codes], n_classes)
        )
        seeds = np.random.SeedSequence(check_random_state(self.random_state).randint(2**31))
        of_booster, of_learner, of_split = map(np.random.default_rng, seeds.spawn(3))
        if hold is not None:
            weights = hold(X, y_codes, weights, of_split)
        content = X if own_cost is None else with_columns(X, own_cost)
        with threads(self.n_jobs):
            rows = canonical_rows(content, y_codes, weights, made)
        state = BoostState(
            y=y_codes[rows.representative],
            sample_weight=rows.weight,
            n_samples=int(rows.count.sum()),
            n_classes=n_classes,
            scores=np.zeros((len(rows.weight), n_classes), order="F"),
            rng=of_booster,
            learner_rng=of_learner,
            cost=None if own_cost is None else own_cost[rows.representative],
        )
        self.n_rounds_ = 0
        self.stop_reason_ = ""
        steps = self._rounds(state, X, rows)
        return Training(state, rows.row_of, steps)

    def _next(self, training: Training) -> RoundInfo | None:
        """Carry out a round, or return None if the fit has ended."""
        step = next(training.steps, None)
        if step is None:
            return None
        self.n_rounds_ += 1
        return RoundInfo(self.n_rounds_, step, training, self)

    def _follow(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each round of a fit in progress; called after the round."""
        yield from self.model_.follow(X)

    def _seal(self) -> None:
        """Prepare the model for predictions, after the last round."""
        self.model_.seal()

    def _cut(self, n_rounds: int) -> None:
        """Keep the first rounds of the model, at least one."""
        self.model_.cut(n_rounds)
        self.n_rounds_ = n_rounds

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_training"}

    def _validate_training_data(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
        self.categories_: dict[str, list[Any]] = {}
        checked, y = validate_data(self, self._numbers(X, fit=True), y, **CHECKS)
        checked = canonical_form(checked)
        check_classification_targets(y)
        weights = np.broadcast_to(1.0, checked.shape[0])  # takes the memory of one number
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, checked, dtype=np.float64, ensure_non_negative=True
            )
        self.classes_, y_codes = np.unique(y, return_inverse=True)
        if self.class_weight is not None:
            of_class = compute_sample_weight(self._class_weight(), y)
            if not ((of_class >= 0.0) & np.isfinite(of_class)).all():
                raise ValueError(
                    f"class_weight has finite numbers that are not negative, "
                    f"found {self.class_weight!r}"
                )
            weights = product(weights, of_class)
        n_seen = len(np.unique(y_codes[weights > 0]))
        if n_seen < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least two classes with positive "
                f"sample_weight; found {'one class' if n_seen else 'no class'}"
            )
        self._check_classes(len(self.classes_))
        return checked, y_codes.astype(np.int32), weights

    def _class_weight(self) -> Any:
        """Return `class_weight` with class labels as keys, where a config has strings."""
        if isinstance(self.class_weight, str):
            return self.class_weight
        labels = {str(label): label for label in self.classes_.tolist()}
        return {labels.get(str(key), key): w for key, w in self.class_weight.items()}

    def _training_scores(self, training: Training) -> tuple[NDArray[np.float64], Any]:
        """Return scores, and the index of those of each training sample.

        To be overridden if equal samples may have different scores.
        """
        return training.state.scores, training.row_of
