"""A record of a run is what its library says when it is called by hand.

By hand: the catalog's rows, the run's split, seed and labels, the library's own class and defaults.
"""

import numpy as np
import pytest

from boostbench import Experiment, load_dataset
from boostbench.data.splits import split
from boostbench.experiments.streams import stream
from boostbench.noise import corrupt

ROUNDS, RATE = 6, 0.2
#: Name in a config: class, its number of rounds, and what keeps it quiet and on one thread.
CLASSES = {
    "random-forest": ("sklearn.ensemble:RandomForestClassifier", "n_estimators", {}),
    "extra-trees": ("sklearn.ensemble:ExtraTreesClassifier", "n_estimators", {}),
    "hist-gradient-boosting": ("sklearn.ensemble:HistGradientBoostingClassifier", "max_iter", {}),
    "lightgbm": ("lightgbm:LGBMClassifier", "n_estimators", {"verbosity": -1, "n_jobs": 1}),
    "xgboost": ("xgboost:XGBClassifier", "n_estimators", {"n_jobs": 1}),
    "catboost": (
        "catboost:CatBoostClassifier",
        "iterations",
        {"verbose": False, "allow_writing_files": False, "thread_count": 1},
    ),
}


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("dataset", ["wine", "breast-cancer"])
def test_a_record_holds_what_the_library_says_by_hand(name, dataset, tmp_path):
    place, rounds, quiet = CLASSES[name]
    module, _, attribute = place.partition(":")
    library = pytest.importorskip(module)
    config = {
        "name": "by-hand",
        "datasets": [dataset],
        "split": {"holdout": 0.4, "stratify": True},
        "noise": {"model": "uniform-other", "rate": RATE},
        "boosters": [name],
        "rounds": ROUNDS,
        "metrics": ["error", "log_loss"],
    }
    experiment = Experiment.load(config, results=tmp_path)
    assert experiment.run(executor="inline").counts == {"ok": 1}
    (result,) = experiment.study().results
    run, record = result.run, result.record
    assert record is not None

    data = load_dataset(dataset)
    train, test = split(data, {"holdout": 0.4, "stratify": True}, stream(run, "split"))
    y = corrupt(
        data.y[train], data.n_classes, "uniform-other", RATE, stream(run, "noise"), data.X[train]
    ).y
    seed = int(stream(run, "booster").integers(2**31 - 1))
    by_hand = getattr(library, attribute)(**{rounds: ROUNDS, "random_state": seed}, **quiet)
    by_hand.fit(data.X[train], y)

    errors = {"train": (train, y), "test": (test, data.y[test])}
    for part, (rows, labels) in errors.items():
        wrong = np.ravel(by_hand.predict(data.X[rows])) != labels
        assert record.curves[f"{part}_errors"][-1] == wrong.sum()
    P = by_hand.predict_proba(data.X[test])[np.arange(len(test)), data.y[test]]
    log_loss = -np.log(np.maximum(P, np.finfo(np.float64).eps)).mean()  # as scikit-learn bounds it
    assert record.curves["test_log_loss"][-1] == pytest.approx(log_loss, rel=1e-5)
