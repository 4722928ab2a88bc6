"""A record of a run is what its library says when it is called by hand.

By hand: the catalog's rows, the run's split, seed and labels, the library's own class and defaults.
"""

import numpy as np
import pytest

from boostbench import load_dataset
from boostbench.data.splits import split
from boostbench.experiments.streams import stream
from boostbench.noise import corrupt
from tests.boosters.test_classifiers import CLASSES, by_hand, experiment

ROUNDS, RATE = 6, 0.2


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("dataset", ["wine", "breast-cancer"])
def test_a_record_holds_what_the_library_says_by_hand(name, dataset, tmp_path):
    by_hand(name, ROUNDS, 0)
    noise, metrics = {"model": "uniform-other", "rate": RATE}, ["error", "log_loss"]
    own = {"datasets": [dataset], "noise": noise, "rounds": ROUNDS, "metrics": metrics}
    one = experiment(tmp_path, name, **own)
    assert one.run(executor="inline").counts == {"ok": 1}
    (result,) = one.study().results
    run, record = result.run, result.record

    data = load_dataset(dataset)
    train, test = split(data, {"holdout": 0.4, "stratify": True}, stream(run, "split"))
    y = corrupt(
        data.y[train], data.n_classes, "uniform-other", RATE, stream(run, "noise"), data.X[train]
    ).y
    seed = int(stream(run, "booster").integers(2**31 - 1))
    classifier = by_hand(name, ROUNDS, seed).fit(data.X[train], y)

    errors = {"train": (train, y), "test": (test, data.y[test])}
    for part, (rows, labels) in errors.items():
        wrong = np.ravel(classifier.predict(data.X[rows])) != labels
        assert record.curves[f"{part}_errors"][-1] == wrong.sum()
    P = classifier.predict_proba(data.X[test])[np.arange(len(test)), data.y[test]]
    log_loss = -np.log(np.maximum(P, np.finfo(np.float64).eps)).mean()  # as scikit-learn bounds it
    assert record.curves["test_log_loss"][-1] == pytest.approx(log_loss, rel=1e-5)
