"""A sample of ``checks.attack``: hostile configs are loaded, or rejected with clear messages."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boostbench.experiments.configs.shipped import shipped_configs
from boostbench.source import read_source
from checks.attack.configs import _directed, _outcome, _with_changed_values


def test_hostile_configs_are_refused_with_clear_messages(tmp_path):
    path = tmp_path / "attack.yaml"
    small = (case for case in _directed() if len(case[1]) < 30_000)  # large ones take long
    for name, content, overrides in small:
        path.write_bytes(content)
        ok, detail = _outcome(path, overrides, seconds=60)
        assert ok, (name, detail)


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False))
def test_a_mutated_config_is_loaded_or_refused_in_clear_lines(tmp_path, rng):
    tree = read_source(shipped_configs()["quickstart"])[0].data
    path = tmp_path / "attack.yaml"
    path.write_text(_with_changed_values(tree, rng), encoding="utf-8")
    ok, detail = _outcome(path, seconds=60)
    assert ok, detail
