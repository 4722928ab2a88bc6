"""Reasons why tests of other packages fail on our boosters."""

from __future__ import annotations

import re
from collections.abc import Mapping

#: Patterns of errors, with what they say. The first that is found counts.
BY_ERROR = [
    (r"unexpected keyword argument '(\w+)'", r"a parameter that only the peer has (`\1`)"),
    (r"has no attribute 'feature_names_in_'", "arrays have no feature names, as in scikit-learn"),
    (r"has no attribute '(\w+)'", r"an attribute that only the peer has (`\1`)"),
    (r"Invalid parameter '(\w+)'", r"a parameter that only the peer has (`\1`)"),
    (r"at least two classes", "by design: labels of one class are refused"),
    (r"y should be a 1d array|'class_weight' parameter", "by design: a model has one output"),
    (r"InvalidParameterError.*'(\w+)' parameter", r"a value that only the peer takes (`\1`)"),
    (
        r"The 'categorical_features' parameter",
        "a value that only the peer takes (`categorical_features`)",
    ),
    (r"Negative values in data", "by design: negative sample weights are refused"),
    (r"contains infinity", "by design: infinite values are refused"),
    (r"fill value must be 0", "scikit-learn's check of sparse frames, which the peer does not use"),
    (r"array with dim 3", "by design: a sample is a vector, also if the weak learner takes others"),
]
_DRAWN = "by design: without `random_state`, two fits draw other samples"
#: Tests by the beginning of their names.
BY_TEST: Mapping[str, str] = {
    "test_verbose_output": "the words of the progress",
    "test_more_verbose_output": "the words of the progress",
    "test_warm_start_clear": _DRAWN,
    "test_warm_start_equal_n_estimators": _DRAWN,
    "test_gradient_boosting_early_stopping": "early stopping is asked by `early_stopping`",
    "test_gradient_boosting_validation_fraction": "early stopping is asked by `early_stopping`",
    "test_early_stopping_stratified": "early stopping is asked by `early_stopping`",
    "test_early_stopping_n_classes": "early stopping is asked by `early_stopping`",
    "test_criterion_param_deprecation": "a warning about the peer's own past",
    "test_predict": "compares with `lightgbm.train`",
    "test_sklearn_tags_should_correctly_reflect": "the peer's tags",
    "test_validate_features": "names of features are an array, as in scikit-learn, not a list",
    "test_fit_pred_probs": "a tolerance chosen for logistic regression",
    "test_cj_in_find_label_issues_kwargs": "equal counts of issues, chosen for logistic regression",
    "test_missing_values_resilience": "a training accuracy that the peer reaches in as many rounds",
    "test_stacking_classifier": "an accuracy that the peer reaches in three rounds",
    "test_staged_predict": _DRAWN,
    "test_X_val_raises_missing_y_val": "the words of a message",
    "test_dataframe_categorical_errors": "by design: more categories than bins share bins",
    "test_subclassing_get_params_works": "the peer's parameters are listed",
    "test_early_stopping_classification": "by design: a model has the rounds up to the best one",
    "test_importances_gini_equal_squared_error": "compares with the peer's regression tree",
    "test_class_weight_errors": "by design: a model has one output",
    "test_almost_constant_feature": "by design: numbers are float64, not float32",
    "test_big_input": "by design: numbers are float64, not float32",
    "test_huge_allocations": "by design: no memory is taken for leaves that do not exist",
    "test_estimator": "by design: what learns nothing warns, and predicts the first class",
    "test_adaboostclassifier_without_sample_weight": "the words of a message",
    "test_adaboost_decision_function": "by design: scores are the votes, which do not sum to 0",
}


def reason(test: Mapping[str, str]) -> str:
    """Return why a test fails, or an empty string."""
    for pattern, words in BY_ERROR:
        if match := re.search(pattern, test["error"]):
            return match.expand(words)
    for name, words in BY_TEST.items():
        if test["test"].startswith(name):
            return words
    return ""
