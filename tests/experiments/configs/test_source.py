from pathlib import Path

import pytest

from boostbench.experiments.configs.file import overridden
from boostbench.source import read_source, show


@pytest.fixture
def source_of(tmp_path, monkeypatch):
    def read(text):
        monkeypatch.chdir(tmp_path)
        Path("a.yaml").write_text(text)
        source, complaints = read_source(Path("a.yaml"))
        assert not complaints
        return source

    return read


def test_values_follow_yaml_1_2(source_of):
    text = "a: 1e-3\nb: -4\nc: [true, null, '012', \"no\"]\nd: .5\ne: 2024-01-01\nf: |\n  on\n"
    assert source_of(text).data == {
        "a": 0.001,
        "b": -4,
        "c": [True, None, "012", "no"],
        "d": 0.5,
        "e": "2024-01-01",
        "f": "on\n",
    }


def test_every_value_knows_its_line(source_of):
    source = source_of("a:\n  b:\n    - 1\n    - {c: 2}\nd: 3\n")
    assert source.where(("a", "b", 0)) == "a.yaml:3"
    assert source.where(("a", "b", 1, "c")) == "a.yaml:4"
    assert source.where(("d",)) == "a.yaml:5"
    assert source.where(("a", "b", 1, "nowhere")) == "a.yaml:4"


def test_the_parameter_of_a_named_entry_is_found_without_the_name(source_of):
    source = source_of("boosters:\n  - samme\n  - sm-boost:\n      cost: 3\n")
    assert source.where(("boosters", 1, "cost")) == "a.yaml:4"


def test_an_anchor_is_read_where_it_is_used(source_of):
    assert source_of("a: &x {b: 1}\nc: *x\n").data == {"a": {"b": 1}, "c": {"b": 1}}


def test_too_many_aliases_are_refused(config_file):
    levels = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    _, complaints = read_source(config_file("\n".join(levels)))
    assert len(complaints) == 1
    assert "too many of them" in str(complaints[0])


@pytest.mark.parametrize(
    ("override", "place", "value"),
    [
        ("rounds=100", ("rounds",), 100),
        ("noise.rate=[0.1, 0.2]", ("noise", "rate"), [0.1, 0.2]),
        ("limits.time=3m", ("limits", "time"), "3m"),
        ("boosters=[samme]", ("boosters",), ["samme"]),
    ],
)
def test_an_override_sets_one_value_and_is_its_place(source_of, override, place, value):
    text = "rounds: 3\nnoise: {model: flip, rate: 0.1}\nboosters:\n  - samme\n  - sm-boost: {}\n"
    source = overridden(source_of(text), override)
    found = source.data
    for step in place:
        found = found[step]
    assert found == value
    assert source.where(place) == f"--set {override}"
    assert source.where(("noise", "model")) == "a.yaml:2"


def test_long_values_are_cut_in_messages():
    assert len(show(list(range(100)))) == 60
    assert show({"a": [True, None]}) == "{a: [true, nothing]}"
