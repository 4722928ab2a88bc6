"""The common tests of plugins find what is wrong with one, and nothing else."""

import textwrap

import pytest

from boostbench.plugin_checks import check_plugin

BOOSTER = """
import numpy as np
from sklearn.dummy import DummyClassifier

class Bad(DummyClassifier):
    def __init__(self, n_estimators=5, random_state=None):
        super().__init__()
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X, y):
        self.mean_ = X.mean()
        return super().fit(X, y)

    def predict(self, X):
        column = X[:, -1] + NOISE
        found = np.digitize(column, [0.8, 1.6])[:, None] + np.array([0])
        return np.asarray(self.classes_)[np.minimum(found[:, 0], len(self.classes_) - 1)]

    def staged_predict(self, X):
        for _ in range(self.n_estimators):
            yield LAST
"""
LEARNER = """
import numpy as np
from boostbench.registry import weak_learners
from boostbench.weak_learners import Tree, WeightedLabels

@weak_learners.register("own")
class Own(Tree):
    accepts = (WeightedLabels,)

    def fit(self, data, demand, rng):
        h = super().fit(data, demand, rng)
        CHANGE
        return h
"""
NOISE = """
def own(y, n_classes, rng, X):
    BODY
"""
GENERATOR = """
import numpy as np
from boostbench.data.dataset import Dataset

def own(rng, *, n=60):
    BODY
"""


@pytest.fixture
def first_problem(tmp_path):
    """Return a function that gives the problem that is found in a plugin, or None."""

    def check(source, name=":own"):
        path = tmp_path / "own.py"
        path.write_text(source)
        ((_, failure),) = check_plugin(f"{path}{name}")
        return failure or None

    return check


def assert_found(found, problem):
    """Check the problem that is found in a plugin; None: it passes all tests."""
    assert (found is None) == (problem is None)
    assert problem is None or problem in found


def indented(source, **parts):
    for key, body in parts.items():
        source = source.replace(key, textwrap.indent(body, "    ").strip())
    return source


@pytest.mark.parametrize(
    ("noise", "last", "problem"),
    [
        ("1 / 0", "self.predict(X)", "division by zero (own.py:16 in predict)"),
        ("100.0", "self.predict(X)", "of the training labels are wrong (own.py:Bad)"),
    ],
)
def test_a_bad_booster_is_found_out(first_problem, noise, last, problem):
    found = first_problem(BOOSTER.replace("NOISE", noise).replace("LAST", last), ":Bad")
    assert_found(found, problem)


def test_what_scikit_learn_says_of_a_booster_is_told(first_problem):
    found = first_problem(
        BOOSTER.replace("NOISE", "0.0").replace("LAST", "self.predict(X)"), ":Bad"
    )
    assert found is not None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("pass", None),
        ("raise ValueError('no')", "ValueError: no (own.py:12 in fit)"),
        ("h.trees.leaf_value[:] *= -1.0", "of the training labels are wrong (samme)"),
        (
            "h.trees.leaf_value[:] *= np.random.rand() + 1",
            "of the same seed differ (samme)",
        ),
    ],
)
def test_a_weak_learner_is_judged_by_its_answers(first_problem, change, problem):
    assert_found(first_problem(LEARNER.replace("CHANGE", change)), problem)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("return (y + 1) % n_classes", None),
        ("return y + 1", "labels from 0 to 2"),
        ("return y", "no label is changed"),
        (
            "import numpy as np\nreturn (y + 1 + (np.random.rand(len(y)) < 0.5)) % n_classes",
            "differ",
        ),
    ],
)
def test_a_noise_model_is_judged_by_its_labels(first_problem, body, problem):
    assert_found(first_problem(indented(NOISE, BODY=body)), problem)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("return Dataset.from_arrays('own', rng.random((n, 2)), np.arange(n) % 3)", None),
        ("return rng.random((n, 2))", "must return a Dataset, it returned a ndarray"),
        (
            "return Dataset.from_arrays('own', rng.random((n, 2)), np.zeros(n))",
            "leaves a training part of a single class",
        ),
        (
            "return Dataset.from_arrays('own', np.random.rand(n, 2), np.arange(n) % 3)",
            "two runs of the same seed differ",
        ),
    ],
)
def test_a_generator_is_judged_by_its_data(first_problem, body, problem):
    assert_found(first_problem(indented(GENERATOR, BODY=body)), problem)


def test_a_booster_without_all_methods_is_tried_no_further(first_problem):
    source = "from boostbench.boosters import Booster\nclass Bad(Booster):\n    ask = print\n"
    problem = first_problem(source, ":Bad")
    assert problem.endswith("Bad' must define answer, objective")
