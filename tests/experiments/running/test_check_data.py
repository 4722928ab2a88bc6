import pytest

from boostbench.errors import ConfigError
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running.conduct import check_data
from boostbench.experiments.store.records import RecordStore

CONFIG = """
name: own
datasets: [iris, first, second: {split: official}]
split: {holdout: 0.3}
boosters: [samme]
rounds: 2
seeds: 3
"""


def test_bad_data_is_refused_once_before_training(config_file, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    for name in ("first", "second"):
        (data / f"{name}.csv").write_text("u,label\n1,a\n2,b\n")
    path = config_file(CONFIG)
    runs = expand(load_config(path, data_dirs=[data], check_parameters=False))
    todo = make_plan(runs, RecordStore(tmp_path / "results"), [data]).todo()
    with pytest.raises(ConfigError) as caught:
        check_data(todo, [data])
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    assert "first.csv:1: there is no column 'target' for the labels" in lines[0]
    for name in ("first", "second"):
        (data / f"{name}.csv").write_text("u,target\n" + "1,a\n2,b\n" * 20)
    with pytest.raises(ConfigError, match=r"^second: .* has no official split"):
        check_data(todo, [data])
    (data / "second.csv").write_text("u,target,split\n" + "1,a,train\n2,b,train\n2,b,test\n" * 20)
    check_data(todo, [data])
