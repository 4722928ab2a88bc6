import pytest

from boostbench.errors import ConfigError
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand, select
from boostbench.experiments.running.execution import prepare
from boostbench.experiments.runs import CLEAN, Noise, Params
from boostbench.resources import shipped

MINIMAL = (
    "name: trial\ndatasets: [wine]\nsplit: {holdout: 0.3}\nboosters: [toy-centroids]\nrounds: 150\n"
)


@pytest.fixture
def load(config_file):
    return lambda text, *args, **options: load_config(config_file(text), *args, **options)


def test_what_is_left_out_has_a_default(load):
    config = load(MINIMAL)
    assert config.noise == (CLEAN,)
    assert config.seeds == (0,)
    assert config.checkpoints == (1, 2, 5, 10, 20, 50, 100, 150)
    assert config.limits.time is None


def test_limits_have_units(load):
    limits = load(MINIMAL + "limits: {time: 1h30m, memory: 2G, threads: 2}\n").limits
    assert (limits.time, limits.memory, limits.threads) == (5400.0, 2**31, 2)


def test_noise_is_a_list_of_models_and_rates(load):
    text = "noise: [none, {model: exchange, rate: [0, 0.1]}, {model: pair, rate: 0.1}]\n"
    assert load(MINIMAL + text).noise == (CLEAN, Noise("exchange", 0.1), Noise("pair", 0.1))


def test_a_rate_may_be_drawn_with_the_problem(load):
    text = MINIMAL.replace("wine", "madelon") + "noise: {model: exchange, rate: beta}\n"
    (noise,) = load(text).noise
    assert (noise.rate, noise.label) == ("beta", "exchange beta")


def test_a_data_set_may_leave_out_boosters_with_larger_parameters(load):
    sizes = "{weak_learner: {greedy: {max_leaf_nodes: [5, 50, 500]}}}"
    text = MINIMAL.replace("toy-centroids", f"samme, adaboost-mm: {sizes}")
    text = text.replace("[wine]", "[iris, wine: {at_most: {max_leaf_nodes: 50}}]")
    runs = [run for run in expand(load(text)) if run.dataset == "wine"]
    assert [run.booster.parameter("max_leaf_nodes") for run in runs] == [None, 5, 50]
    assert len(expand(load(text))) == 7


def test_a_data_set_may_have_seeds_of_its_own(load):
    text = MINIMAL.replace("[wine]", "[wine, iris: {seeds: [1, 7]}]") + "seeds: 2\n"
    runs = expand(load(text))
    assert [(run.dataset, run.seed) for run in runs] == [
        ("wine", 0),
        ("wine", 1),
        ("iris", 1),
        ("iris", 7),
    ]
    few = expand(load(text.replace("[1, 7]", "1")))
    assert [run.seed for run in few if run.dataset == "iris"] == [0]


def test_edges_are_in_every_record_so_asking_for_them_makes_no_other_run(load):
    asked = load(MINIMAL + "record: [edges]\n")
    assert asked.record == ()
    assert load(MINIMAL + "record: [margins, edges, bound]\n").record == ("bound", "margins")
    assert expand(asked) == expand(load(MINIMAL))


@pytest.mark.parametrize(
    ("asked", "kept"),
    [("record: [margins]", (7, 150)), ("metrics: [confusion]", (7, 150)), ("metrics: [auc]", ())],
)
def test_runs_have_the_checkpoints_at_which_they_record_something(load, asked, kept):
    text = MINIMAL.replace("toy-centroids", "samme")
    (run,) = expand(load(f"{text}checkpoints: [7, 150]\n{asked}\n"))
    assert run.checkpoints == kept


def test_a_booster_may_stand_twice_with_other_rounds(load):
    text = MINIMAL.replace("[toy-centroids]", "[samme, samme: {label: short, rounds: 40}]")
    assert [(run.method, run.rounds) for run in expand(load(text))] == [
        ("samme", 150),
        ("short", 40),
    ]


def test_costs_are_part_of_what_a_run_is(load):
    text = MINIMAL.replace("[wine]", "[wine: {cost: &c [[0, 1, 1], [1, 0, 1], [3, 3, 0]]}]")
    (run,) = expand(load(text))
    assert run.value()["dataset"]["cost"][2] == [3, 3, 0]
    assert "cost" not in expand(load(MINIMAL))[0].value()["dataset"]


def test_a_sweep_becomes_boosters_with_labels(load):
    sweeps = "[sm-boost: {weak_learner: {tree: {splitter: [best, random]}}}, samme: {M: [1, 2.5]}]"
    config = load(MINIMAL.replace("[toy-centroids]", sweeps), check_parameters=False)
    assert [booster.label for booster in config.boosters] == [
        "sm-boost (best)",
        "sm-boost (random)",
        "samme (M=1)",
        "samme (M=2.5)",
    ]
    assert config.boosters[1].params == Params({"weak_learner": {"tree": {"splitter": "random"}}})


def test_a_size_replaces_keys(load):
    config = load(MINIMAL + "sizes: {quick: {rounds: 20, seeds: 2}}\n", size="quick")
    assert (config.rounds, config.seeds, config.checkpoints) == (20, (0, 1), (1, 2, 5, 10, 20))


@pytest.mark.parametrize(
    ("size", "rounds", "kept"),
    [
        (None, 100, (10, 100)),
        ("quick", 15, (10, 15)),
        ("full", 20, (5, 20)),
        ("full", 30, (5, 25, 30)),
    ],
)
def test_fewer_rounds_by_set_drop_later_checkpoints_of_the_config_and_of_a_size(
    load, size, rounds, kept
):
    sizes = "{quick: {rounds: 20}, full: {rounds: 40, checkpoints: [5, 25, 40]}}"
    text = f"{MINIMAL}checkpoints: [10, 100, 150]\nsizes: {sizes}\n"
    assert load(text, [f"rounds={rounds}"], size=size).checkpoints == kept
    with pytest.raises(ConfigError, match="40 exceeds the number of rounds, 20"):
        load(text, ["rounds=20", "checkpoints=[40]"], size=size)


def test_a_plugin_file_is_found_beside_the_config(load, tmp_path):
    (tmp_path / "mine.py").write_text("from sklearn.dummy import DummyClassifier as Mine\n")
    text = MINIMAL.replace("toy-centroids", '"mine.py:Mine"')
    booster = load(text, check_parameters=False).boosters[0]
    assert (booster.name, booster.label) == ("mine.py:Mine", "Mine")
    assert booster.source == f"{tmp_path / 'mine.py'}:Mine"


def test_a_paper_file_is_found_beside_the_config(load, tmp_path):
    (tmp_path / "values.csv").write_text(
        "dataset,method,T,noise,error,unit\nwine,samme,10,0,3,percent\n"
    )
    config = load(MINIMAL + "report: [table: {paper: values.csv}]\n")
    assert config.report[0].options.paper == str(tmp_path / "values.csv")


def test_the_grid_is_every_combination_with_seeds_outermost(load):
    text = MINIMAL + "noise: [none, {model: exchange, rate: 0.2}]\nseeds: [3, 1]\n"
    runs = expand(load(text))
    assert [run.id for run in runs] == [
        "wine/toy-centroids/clean/seed-3",
        "wine/toy-centroids/exchange-0.2/seed-3",
        "wine/toy-centroids/clean/seed-1",
        "wine/toy-centroids/exchange-0.2/seed-1",
    ]


def test_what_a_data_set_says_for_itself_wins(load):
    entry = (
        "[wine: {as: W, rounds: 7, split: {holdout: 0.5}, boosters: {toy-centroids: {scale: 9}}}]"
    )
    (run,) = expand(load(MINIMAL.replace("[wine]", entry)))
    assert (run.dataset, run.rounds) == ("W", 7)
    assert run.split == Params({"holdout": 0.5})
    assert run.booster.params == Params({"scale": 9})


def test_an_alias_stands_for_the_data_set(load):
    config = load(MINIMAL.replace("[wine]", "[breast_cancer]"))
    assert config.datasets[0].data.name == "breast-cancer"
    assert expand(config)[0].dataset == "breast_cancer"


def test_folds_are_runs_of_their_own(load):
    runs = expand(load(MINIMAL.replace("{holdout: 0.3}", "{folds: 3}")))
    assert [run.split["fold"] for run in runs] == [0, 1, 2]
    assert len({run.id for run in runs}) == 3


def test_labels_are_no_part_of_the_value(load):
    one = expand(load(MINIMAL))[0]
    two = expand(load(MINIMAL.replace("[toy-centroids]", "[toy-centroids: {label: x}]")))[0]
    assert one.value() == two.value()
    assert one == two


@pytest.mark.parametrize(
    ("pattern", "n"),
    [("wine", 4), ("toy-centroids", 8), ("clean", 4), ("iris/*/clean/*", 2), ("*seed-1", 4)],
)
def test_only_some_runs_are_selected(load, pattern, n):
    text = MINIMAL.replace("[wine]", "[wine, iris]")
    text += "noise: [none, {model: exchange, rate: 0.2}]\nseeds: 2\n"
    assert len(select(expand(load(text)), [pattern])) == n


@pytest.mark.parametrize(
    "name",
    sorted(str(p.relative_to(shipped("configs"))) for p in shipped("configs").rglob("*.yaml")),
)
def test_every_shipped_config_is_right(name):
    config = load_config(shipped("configs") / name)
    assert config.title
    assert bool(expand(config)) == bool(config.datasets)
    assert all("origin" in claim.entry for claim in config.claims)
    for size in config.sizes:
        assert load_config(shipped("configs") / name, size=size).datasets


def test_a_noise_model_may_come_from_a_file_beside_the_config(config_file):
    path = config_file(
        "name: trial\ndatasets: [iris]\nsplit: {holdout: 0.3}\nrounds: 2\nboosters: [samme]\n"
        "noise: {model: 'mine.py:shift', rate: [0.1, 0.2], by: 2}\n"
    )
    path.with_name("mine.py").write_text(
        "def shift(y, n_classes, rng, X, by=1):\n    return (y + by) % n_classes\n"
    )
    (run, _) = expand(load_config(path))
    assert run.noise.label == "mine.py:shift 0.1"
    assert run.value()["noise"] == {"model": "mine.py:shift", "rate": 0.1, "params": {"by": 2}}
    problem = prepare(run)
    changed = problem.y != problem.y_clean
    assert changed.sum() == problem.noise["n_chosen"] > 0
    assert (problem.y[changed] == (problem.y_clean[changed] + 2) % 3).all()
