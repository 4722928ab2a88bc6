"""OpenML tasks and suites, from a server on this machine that answers like the API."""

import hashlib

import numpy as np
import openml
import pytest

from boostbench.cli.app import main
from boostbench.data import load, locate, split
from boostbench.data.downloads import members_of
from boostbench.errors import BoostbenchError, DataUnavailableError

# openml leaves the files that it reads to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

OML = 'xmlns:oml="http://openml.org/openml"'
ROWS = 12
ARFF = (
    "@relation toy\n@attribute size numeric\n@attribute colour {red, blue}\n"
    "@attribute kind {yes, no}\n@data\n"
    + "".join(f"{i / 4},{('red', 'blue')[i % 2]},{('yes', 'no')[i % 4 < 2]}\n" for i in range(ROWS))
)
STUDY = f"""<oml:study {OML}>
  <oml:id>7</oml:id><oml:main_entity_type>task</oml:main_entity_type><oml:name>Two</oml:name>
  <oml:description>d</oml:description><oml:status>active</oml:status>
  <oml:creation_date>2020-01-01</oml:creation_date><oml:creator>1</oml:creator>
  <oml:data><oml:data_id>5</oml:data_id></oml:data>
  <oml:tasks><oml:task_id>31</oml:task_id><oml:task_id>32</oml:task_id></oml:tasks>
</oml:study>"""


def description(url):
    md5 = hashlib.md5(ARFF.encode()).hexdigest()
    return f"""<oml:data_set_description {OML}>
      <oml:id>5</oml:id><oml:name>toy</oml:name><oml:version>1</oml:version>
      <oml:description>d</oml:description><oml:format>ARFF</oml:format>
      <oml:url>{url}/toy.arff</oml:url>
      <oml:default_target_attribute>colour</oml:default_target_attribute>
      <oml:md5_checksum>{md5}</oml:md5_checksum>
    </oml:data_set_description>"""


FEATURES = "".join(
    f"<oml:feature><oml:index>{index}</oml:index><oml:name>{name}</oml:name>"
    f"<oml:data_type>{kind}</oml:data_type>{values}"
    "<oml:number_of_missing_values>0</oml:number_of_missing_values></oml:feature>"
    for index, (name, kind, values) in enumerate(
        [
            ("size", "numeric", ""),
            *(
                (
                    name,
                    "nominal",
                    "".join(f"<oml:nominal_value>{v}</oml:nominal_value>" for v in its),
                )
                for name, its in (("colour", ("red", "blue")), ("kind", ("yes", "no")))
            ),
        ]
    )
)


def task(url, number, kind="crossvalidation"):
    return f"""<oml:task {OML}>
      <oml:task_id>{number}</oml:task_id><oml:task_type_id>1</oml:task_type_id>
      <oml:task_type>Supervised Classification</oml:task_type>
      <oml:input name="source_data"><oml:data_set>
        <oml:data_set_id>5</oml:data_set_id><oml:target_feature>kind</oml:target_feature>
      </oml:data_set></oml:input>
      <oml:input name="estimation_procedure"><oml:estimation_procedure>
        <oml:id>1</oml:id><oml:type>{kind}</oml:type>
        <oml:data_splits_url>{url}/splits-{number}.arff</oml:data_splits_url>
        <oml:parameter name="number_repeats">1</oml:parameter>
        <oml:parameter name="number_folds">3</oml:parameter>
      </oml:estimation_procedure></oml:input>
    </oml:task>"""


def splits(parts):
    """The splits of a task: per repetition and fold the rows that are tested."""
    lines = ["@relation s", "@attribute type {TRAIN,TEST}"]
    lines += [f"@attribute {name} numeric" for name in ("rowid", "repeat", "fold")] + ["@data"]
    for repeat, folds in enumerate(parts):
        for fold, tested in enumerate(folds):
            for row in range(ROWS):
                kind = "TEST" if row in tested else "TRAIN"
                lines.append(f"{kind},{row},{repeat},{fold}")
    return "\n".join(lines) + "\n"


def thirds(shift):
    return [[row for row in range(ROWS) if (row + shift) % 3 == fold] for fold in range(3)]


@pytest.fixture
def api(web, monkeypatch):
    """A server of one data set, two tasks (3 folds twice, a holdout) and their suite."""
    monkeypatch.setattr(openml.config, "server", f"{web.url}/api/v1/xml")
    monkeypatch.setattr(openml.config, "connection_n_retries", 1)
    monkeypatch.setattr(openml.config, "_root_cache_directory", None)
    answers = {
        "api/v1/xml/study/7": STUDY,
        "api/v1/xml/task/31": task(web.url, 31),
        "api/v1/xml/task/32": task(web.url, 32, "holdout"),
        "api/v1/xml/data/5": description(web.url),
        "api/v1/xml/data/features/5": f"<oml:data_features {OML}>{FEATURES}</oml:data_features>",
        "toy.arff": ARFF,
        "splits-31.arff": splits([thirds(0), thirds(1)]),
        "splits-32.arff": splits([[[1, 5, 9]]]),
    }
    for path, text in answers.items():
        (web.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (web.folder / path).write_text(text)
    return web


def test_a_task_comes_with_its_target_and_folds_once(api):
    first = locate("openml:task/31", allow_download=True)
    asked = len(api.asked)
    assert locate("openml:task/31", allow_download=True) == first
    data = load("openml:task/31")
    assert len(api.asked) == asked
    assert (data.feature_names, data.classes) == (("size", "colour"), ("no", "yes"))
    assert data.X[:, 0].tolist() == [i / 4 for i in range(ROWS)]
    for repeat in (0, 1):
        for fold, tested in enumerate(thirds(repeat)):
            wanted = {"folds": 3, "fold": fold, "given": True, "repeat": repeat}
            train, test = split(data, wanted, np.random.default_rng(0))
            assert test.tolist() == tested
            assert sorted([*train, *test]) == list(range(ROWS))


def test_a_holdout_task_has_an_official_division(api):
    locate("openml:task/32", allow_download=True)
    data = load("openml:task/32")
    assert data.folds is None
    assert data.official[1].tolist() == [1, 5, 9]


def test_folds_that_are_no_partition_are_refused(api):
    (api.folder / "splits-31.arff").write_text(splits([[[0, 1], [1, 2], [3]]]))
    with pytest.raises(DataUnavailableError, match="does not test each row once"):
        locate("openml:task/31", allow_download=True)


def test_an_altered_file_is_refused(api):
    (api.folder / "toy.arff").write_text(ARFF.replace("0.25", "0.5"))
    with pytest.raises(DataUnavailableError, match="Checksum"):
        locate("openml:task/31", allow_download=True)


def test_a_suite_is_resolved_once_and_fetched_task_by_task(api, capsys):
    with pytest.raises(DataUnavailableError, match="data fetch openml:suite/7"):
        members_of("openml:suite/7")
    assert main(["data", "fetch", "openml:suite/7"]) == 0
    printed = capsys.readouterr().out
    assert "openml:task/31: " in printed
    assert "openml:task/32: " in printed
    asked = len(api.asked)
    assert main(["data", "fetch", "openml:suite/7"]) == 0
    assert len(api.asked) == asked
    assert members_of("openml:suite/7") == ("openml:task/31", "openml:task/32")


def test_a_config_runs_over_a_suite_and_the_folds_of_a_task(api, tmp_path, capsys):
    assert main(["data", "fetch", "openml:suite/7"]) == 0
    config = tmp_path / "suite.yaml"
    config.write_text(
        "name: suite\ndatasets:\n  - openml:suite/7\n"
        "  - openml:task/31: {as: folds, split: {folds: 3, given: true}}\n"
        "split: {holdout: 0.5}\nboosters: [samme]\nrounds: 2\n"
    )
    capsys.readouterr()
    assert main(["run", str(config), "--executor", "inline", "--quiet"]) == 0
    assert main(["status", str(config), "--json"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("openml:task/31") >= 1
    assert [f"fold-{fold}" in printed for fold in range(3)] == [True] * 3


def test_an_absent_suite_or_task_is_one_line(api, capsys):
    assert main(["data", "fetch", "openml:suite/8"]) == 1
    assert "openml:suite/8 is not available" in capsys.readouterr().err
    assert main(["data", "fetch", "openml:task/9"]) == 1
    assert "OpenML task 9 failed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wanted", "complaint"),
    [
        ({"folds": 4, "given": True}, "comes with 3 folds in 2 repetition"),
        ({"folds": 3, "given": True, "repeat": 2}, "comes with 3 folds in 2 repetition"),
        ({"holdout": 0.5, "given": True}, "given: true belongs to folds"),
        ({"folds": 3, "repeat": 1}, "repeat belongs to given"),
    ],
)
def test_other_folds_than_those_given_are_refused(api, wanted, complaint):
    locate("openml:task/31", allow_download=True)
    with pytest.raises(BoostbenchError, match=complaint):
        split(load("openml:task/31"), wanted, np.random.default_rng(0))
