"""The common tests of plugins find what is wrong with one, and nothing else."""

import textwrap

import pytest

from boostbench.plugin_checks import check_plugin, in_words

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
    """Return a function that gives the first test that a plugin fails, and its problem."""

    def check(source, name=":own"):
        path = tmp_path / "own.py"
        path.write_text(source)
        ((_, findings),) = check_plugin(f"{path}{name}")
        return next(
            ((what, in_words(error)) for what, error in findings if error is not None), None
        )

    return check


def assert_found(found, problem):
    """Check which test a plugin fails first and what is said of it; None: it passes all."""
    if problem is None:
        assert found is None
    else:
        assert found[0].startswith(problem[0])
        assert problem[1] in found[1]


def indented(source, **parts):
    for key, body in parts.items():
        source = source.replace(key, textwrap.indent(body, "    ").strip())
    return source


@pytest.mark.parametrize(
    ("noise", "last", "what", "problem"),
    [
        ("1 / 0", "self.predict(X)", "trains on iris", "division by zero (own.py:16 in predict)"),
        ("100.0", "self.predict(X)", "trains on iris", "33% of the training labels are right"),
        ("np.random.rand(len(X))", "self.predict(X)", "the same seed", "predict differently"),
        ("0.0", "self.predict(X)[::-1]", "the last stage", "differs from predict for 110"),
    ],
)
def test_a_bad_booster_is_found_out(first_problem, noise, last, what, problem):
    found = first_problem(BOOSTER.replace("NOISE", noise).replace("LAST", last), ":Bad")
    assert_found(found, (what, problem))


def test_what_scikit_learn_says_of_a_booster_is_told(first_problem):
    found = first_problem(
        BOOSTER.replace("NOISE", "0.0").replace("LAST", "self.predict(X)"), ":Bad"
    )
    assert found[0] == "passes scikit-learn's estimator checks"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("pass", None),
        ("raise ValueError('no')", ("meets WeightedLabels", "ValueError: no (own.py:12 in fit)")),
        ("h.trees.leaf_value[:] *= -1.0", ("meets WeightedLabels", "0% of the training labels")),
        ("h.trees.leaf_value[:] *= np.nan", ("meets WeightedLabels", "predict differently")),
        ("h.trees.leaf_value[:] *= np.random.rand() + 1", ("meets WeightedLabels", "differ")),
    ],
)
def test_a_weak_learner_is_judged_by_its_answers(first_problem, change, problem):
    assert_found(first_problem(LEARNER.replace("CHANGE", change)), problem)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("return (y + 1) % n_classes", None),
        ("return y + 1", ("proposes a class", "index 3 is out of bounds")),
        ("return y", ("proposes a class", "no label is changed")),
        (
            "import numpy as np\nreturn (y + 1 + (np.random.rand(len(y)) < 0.5)) % n_classes",
            ("the same seed", "differ"),
        ),
        ("y += 1\ny %= n_classes\nreturn y", ("proposes a class", "no label is changed")),
    ],
)
def test_a_noise_model_is_judged_by_its_labels(first_problem, body, problem):
    assert_found(first_problem(indented(NOISE, BODY=body)), problem)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("return Dataset.from_arrays('own', rng.random((n, 2)), np.arange(n) % 3)", None),
        ("return rng.random((n, 2))", ("returns a Dataset", "returns ndarray, not a Dataset")),
        (
            "return Dataset.from_arrays('own', rng.random((n, 2)), np.zeros(n))",
            ("returns a Dataset", "it has 1 class"),
        ),
        (
            "return Dataset.from_arrays('own', np.random.rand(n, 2), np.arange(n) % 3)",
            ("the same seed", "rng must be the only source of randomness"),
        ),
        (
            "return Dataset.from_arrays('own', np.ones((n, 2)), np.arange(n) % 3)",
            ("another seed", "X is the same"),
        ),
    ],
)
def test_a_generator_is_judged_by_its_data(first_problem, body, problem):
    assert_found(first_problem(indented(GENERATOR, BODY=body)), problem)


def test_a_booster_without_all_methods_is_tried_no_further(first_problem):
    source = "from boostbench.boosters import Booster\nclass Bad(Booster):\n    ask = print\n"
    what, problem = first_problem(source, ":Bad")
    assert what == "has the interface of its kind"
    assert problem.endswith("Bad' must define answer, objective")
