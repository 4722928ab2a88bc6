import pytest

from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand
from boostbench.experiments.running.execution import prepare
from boostbench.resources import shipped

MINIMAL = (
    "name: trial\ndatasets: [wine]\nsplit: {holdout: 0.3}\nboosters: [toy-centroids]\nrounds: 150\n"
)


@pytest.fixture
def load(config_file):
    return lambda text, *args, **options: load_config(config_file(text), *args, **options)


def test_a_plugin_file_is_found_beside_the_config(load, tmp_path):
    (tmp_path / "mine.py").write_text("from sklearn.dummy import DummyClassifier as Mine\n")
    text = MINIMAL.replace("toy-centroids", '"mine.py:Mine"')
    booster = load(text, check_parameters=False).boosters[0]
    assert (booster.name, booster.label) == ("mine.py:Mine", "Mine")
    assert booster.source == f"{tmp_path / 'mine.py'}:Mine"


@pytest.mark.parametrize("name", ["far/far.yaml", "own.yaml"])
def test_a_paper_file_is_found_beside_the_config_that_names_it(tmp_path, name):
    (tmp_path / "far").mkdir()
    values = tmp_path / "far" / "values.csv"
    values.write_text("dataset,method,T,noise,error,unit\nwine,samme,10,0,3,percent\n")
    (tmp_path / "far/far.yaml").write_text(MINIMAL + "report: [table: {paper: values.csv}]\n")
    (tmp_path / "own.yaml").write_text("name: own\nextends: far/far.yaml\n")
    paper = load_config(tmp_path / name).report[0].options.paper
    assert paper.find(["wine"], ["samme"], 10, 0.0).error == 0.03


@pytest.mark.parametrize(
    "name",
    sorted(str(p.relative_to(shipped("configs"))) for p in shipped("configs").rglob("*.yaml")),
)
def test_every_shipped_config_is_right(name):
    config = load_config(shipped("configs") / name)
    assert config.title
    assert all("origin" in claim.entry for claim in config.claims)
    for size, changes in config.sizes.items():
        others = changes.keys() & {"boosters", "datasets"}  # whose parameters are not yet checked
        found = load_config(shipped("configs") / name, size=size, check_parameters=bool(others))
        assert found.datasets


def test_data_and_noise_may_come_from_a_file_beside_the_config(config_file):
    path = config_file(
        "name: trial\ndatasets: ['mine.py:waveform': {n_train: 90}]\nrounds: 2\nboosters: [samme]\n"
        "noise: {model: 'mine.py:shift', rate: [0.1, 0.2], by: 2}\n"
    )
    path.with_name("mine.py").write_text(
        "from boostbench.data.generators import waveform\n\n\n"
        "def shift(y, n_classes, rng, X, by=1):\n    return (y + by) % n_classes\n"
    )
    (run, _) = expand(load_config(path))
    assert (run.data.name, run.noise.label) == ("mine.py:waveform", "mine.py:shift 0.1")
    assert run.value()["noise"] == {"model": "mine.py:shift", "rate": 0.1, "params": {"by": 2}}
    problem = prepare(run)
    changed = problem.y != problem.y_clean
    assert changed.sum() == problem.noise["n_chosen"] > 0
    assert (problem.y[changed] == (problem.y_clean[changed] + 2) % 3).all()
