import pytest

from boostbench.experiments.configs.config_schema import config_schema
from boostbench.experiments.configs.shipped import shipped_configs
from boostbench.source import read_source

jsonschema = pytest.importorskip("jsonschema")


@pytest.fixture(scope="module")
def validator():
    schema = config_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_every_shipped_config_meets_the_schema(validator):
    for name, path in shipped_configs().items():
        found = [error.message for error in validator.iter_errors(read_source(path)[0].data)]
        assert not found, name


@pytest.mark.parametrize(
    "wrong",
    [
        {"roundz": 3},
        {"rounds": "ten"},
        {"rounds": 0},
        {"encode": "onehot"},
        {"report": ["tabel"]},
        {"report": [{"table": {"valeu": "x"}}]},
        {"report": [{"curves": {"y_scale": "cubic"}}]},
        {"boosters": []},
        {"datasets": [{"iris": {"rounds": 0}}]},
        {"noise": {"rate": 0.1}},
        {"claims": [{"wins": {"booster": "samme"}}]},
        {"claims": [{"says": "a", "win": {}}]},
        {"sizes": {"tiny": {}}},
        {"sizes": {"quick": {"rounds": "few"}}},
        {"split": {"holdot": 0.3}},
        {"limits": {"tme": "3m"}},
    ],
    ids=str,
)
def test_wrong_configs_fail_the_schema(validator, wrong):
    right = {"name": "a", "datasets": ["iris"], "boosters": ["samme"], "rounds": 3}
    assert validator.is_valid(right)
    assert not validator.is_valid({**right, **wrong})
