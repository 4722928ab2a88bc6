"""fit and predict: from a file to a model, and from new rows to labels."""

import csv
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from boostbench import compare, fit_model, load_dataset, load_model

pytest.importorskip("skops", reason="models are files of skops: pip install 'boostbench[serve]'")

CSV = "width,colour,seen,kind\n" + "".join(
    f"{row * row % 17},{['red', 'blue', 'green'][row % 3]},{1 + row % 28:02d}.05.2020,"
    f"{['small', 'large'][row * row % 17 > 8]}\n"
    for row in range(60)
)


@pytest.fixture(autouse=True)
def plants():
    Path("plants.csv").write_text(CSV)


def fitted(boostbench, *more):
    asked = ("fit", "samme", "--on", "plants.csv", "--target", "kind", "--rounds", "5", *more)
    outcome = boostbench(*asked, "-o", "models/plants.skops")
    assert outcome.code == 0, outcome.err
    assert ["colour", "category", "3", "0"] in [line.split() for line in outcome.err.splitlines()]
    return Path("models/plants.skops")


def test_a_model_predicts_new_rows_by_name(boostbench):
    model = fitted(boostbench)
    header, *rows = list(csv.reader(CSV.splitlines()))
    lines = [header[2::-1], *(row[2::-1] for row in rows)]
    Path("new.csv").write_text("".join(",".join(line) + "\n" for line in lines))
    outcome = boostbench("predict", model, "new.csv", "--proba", "-o", "out/new.csv")
    assert (outcome.code, outcome.out.strip()) == (0, "out/new.csv: 60 rows"), outcome.err
    predicted = list(csv.DictReader(Path("out/new.csv").read_text().splitlines()))
    assert [*predicted[0]] == ["kind", "p(large)", "p(small)"]
    assert [row["kind"] for row in predicted] == [row[3] for row in rows]
    for row in predicted:
        assert float(row["p(large)"]) + float(row["p(small)"]) == pytest.approx(1.0)


def test_the_model_is_the_one_that_a_pipeline_trains():
    model = fit_model("sm-boost", "plants.csv", target="kind", rounds=5, encode="one-hot")
    data = load_dataset("plants.csv", target="kind", encode="one-hot")
    assert model.facts["rows"] == 60
    assert len(model.facts["checksum"]) == 64
    booster = model.pipeline.named_steps["booster"]
    again = booster.__class__(**booster.get_params()).fit(data.X, data.y)
    assert np.array_equal(booster.decision_function(data.X), again.decision_function(data.X))


def test_a_model_that_was_written_is_read_with_the_same_answers():
    model = fit_model("adaboost-mh", "iris", rounds=5)
    model.save("iris.skops")
    read = load_model("iris.skops")
    iris = load_dataset("iris")
    frame = pd.DataFrame(iris.X, columns=iris.feature_names)
    assert np.array_equal(read.predict_proba(frame), model.predict_proba(frame))
    assert set(read.predict(frame)) == set(iris.classes)
    assert dict(read.facts) == dict(model.facts)


@pytest.mark.parametrize(
    ("name", "package"),
    [("random-forest", "sklearn"), *((name, name) for name in ("lightgbm", "xgboost", "catboost"))],
)
def test_classifiers_of_other_packages_are_kept_whole(name, package):
    pytest.importorskip(package, reason="pip install 'boostbench[baselines]'")
    model = fit_model(name, "iris", rounds=5)
    model.save("iris.skops")
    frame = pd.DataFrame((iris := load_dataset("iris")).X, columns=iris.feature_names)
    assert np.array_equal(load_model("iris.skops").predict_proba(frame), model.predict_proba(frame))


class Evil:
    def __reduce__(self):
        return (Path("executed").touch, ())


def test_a_booster_of_ones_own_is_found_wherever_its_file_lies(boostbench, tmp_path):
    assert boostbench("new", "booster", "mine").code == 0
    outcome = boostbench(
        "fit", "mine.py:Mine", "--on", "plants.csv", "--target", "kind", "-o", "m.skops"
    )
    (line,) = [line for line in outcome.out.splitlines() if line.startswith("next: ")]
    assert line.endswith(" predict m.skops NEW.csv --plugin mine.py -o predicted.csv")
    there = boostbench("predict", "m.skops", "plants.csv", "--plugin", "mine.py")
    (tmp_path / "other").mkdir()
    moved = Path("mine.py").rename("other/mine.py")
    code = "import sys; from boostbench.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "predict", "m.skops", "plants.csv", "--plugin", moved]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (there.out, "")


def test_a_model_of_a_class_in_no_file_is_refused_when_it_is_saved():
    script = (
        "from boostbench import fit_model\nfrom boostbench.plugins import Booster\n"
        "from sklearn.tree import DecisionTreeClassifier\n"
        "class Mine(DecisionTreeClassifier):\n    pass\n"
        "fit_model(Mine(max_depth=2), 'iris').save('m.skops')\n"
    )
    Path("script.py").write_text(script)
    command = [sys.executable, "script.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = "BoostbenchError: m.skops: Mine is in no file; write it to one, and import it\n"
    assert done.stderr.endswith(said)
    assert not Path("m.skops").exists()


def test_no_file_of_a_stranger_runs_code(boostbench):
    import skops.io

    Path("evil.pickle").write_bytes(pickle.dumps(Evil()))
    skops.io.dump([Evil(), [], {}], "evil.skops")
    Path("damaged.skops").write_bytes(fitted(boostbench).read_bytes()[:5000])
    for name, said in {
        "evil.pickle": "pickles are not opened",
        "evil.skops": "which may run any code; if you trust it",
        "damaged.skops": "cannot be read",
        "plants.csv": "this is not a model",
    }.items():
        outcome = boostbench("predict", name, "plants.csv")
        assert outcome.code == 2
        assert said in outcome.err
        assert outcome.err.count("\n") == 1
    assert not Path("executed").exists()


def test_a_model_that_cannot_be_written_leaves_the_old_one(boostbench, monkeypatch):
    model = fitted(boostbench)
    before = model.read_bytes()
    monkeypatch.setattr("os.fsync", lambda descriptor: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        fit_model("samme", "plants.csv", target="kind", rounds=2).save(model)
    assert model.read_bytes() == before
    assert [path.name for path in model.parent.iterdir()] == ["plants.skops"]


def test_the_next_command_of_compare_fits_its_best_booster(boostbench, in_this_process):
    small = ("--folds", "2", "--repeats", "1", "--rounds", "4", "--jobs", "1", "--drop", "seen")
    asked = ("compare", "samme:rounds=3", "adaboost:rounds=3", "--on", "plants.csv", *small)
    outcome = boostbench(*asked, "--target", "kind", "--encode", "one-hot")
    assert outcome.code == 0, outcome.err
    (line,) = [line for line in outcome.out.splitlines() if line.startswith("next: ")]
    arguments = line.split(" fit ", 1)[1].split()
    assert boostbench("fit", *arguments).code == 0
    by_line = load_model("plants.skops")
    assert boostbench("fit", "-o", "last.skops").code == 0
    by_default = load_model("last.skops")
    assert dict(by_line.facts) == dict(by_default.facts)
    best = outcome.out.splitlines()[3].split()[0]
    assert by_line.facts["booster"] == best
    assert by_line.facts["rounds"] == by_line.pipeline.named_steps["booster"].n_estimators == 3
    frame = load_dataset("plants.csv", target="kind", drop=["seen"]).X
    assert frame.shape[1] == 2
    names = by_line.pipeline.named_steps["encoder"].get_feature_names_out().tolist()
    assert names == ["width", "colour=blue", "colour=green", "colour=red"]


def test_a_comparison_from_python_is_remembered_too():
    options = {"folds": 2, "repeats": 1, "rounds": 2, "executor": "inline", "target": "kind"}
    found = compare(["samme", "adaboost-mh"], "plants.csv", **options)
    (winner,) = json.loads(Path("results/compare/last.json").read_text())
    assert winner["booster"] == found.boosters["booster"][0]
    assert fit_model(**winner).facts["rounds"] == 2


def test_predictions_and_suspicious_rows_are_parquet_by_the_suffix(boostbench):
    pytest.importorskip("pyarrow", reason="writes parquet")
    model = fitted(boostbench)
    labels = ("labels", "plants.csv", "--target", "kind", "--booster", "samme", "--rounds", "2")
    for name, command in {"rows": ("predict", model, "plants.csv"), "wrong": labels}.items():
        for suffix in ("csv", "parquet"):
            outcome = boostbench(*command, "-o", f"{name}.{suffix}")
            assert outcome.code == 0, outcome.err
        read = pd.read_csv(f"{name}.csv", dtype=str, keep_default_na=False)
        assert pd.read_parquet(f"{name}.parquet").astype(str).equals(read)


def test_parquet_without_its_package_is_refused_before_the_work(boostbench, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    outcome = boostbench("labels", "plants.csv", "--target", "kind", "-o", "wrong.parquet")
    assert outcome.code == 2
    assert "wrong.parquet: needs the package 'pyarrow'" in outcome.err
    assert "column" not in outcome.err
