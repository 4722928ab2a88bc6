"""Pairs of boosters over data sets: published numbers, hand computations, independence."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from boostbench.errors import BoostbenchError
from boostbench.experiments.runs import BoosterSpec
from boostbench.inputs import load_plugin
from boostbench.reports.tables.table import to_csv, to_markdown

from .synthetic import drawn, make_config, study_of

PAIRWISE = Path(__file__).resolve().parents[2] / "configs/noise-study/pairwise.py"
plugin = load_plugin(PAIRWISE)
compare_pair, draw_pairs, pairwise = plugin.compare_pair, plugin.pairs, plugin.pairwise
#: Demsar 2006, Table 2: areas under the curve of C4.5 and of C4.5 with tuned leaf sizes, 14 sets.
C45 = (763, 599, 954, 628, 882, 936, 661, 583, 775, 1000, 940, 619, 972, 957)
TUNED = (768, 591, 971, 661, 888, 931, 668, 583, 838, 1000, 962, 666, 981, 978)
DATASETS = "abcdefgh"
#: Errors per 10,000 by booster and data set.
ERRORS = {
    "one": (500, 600, 700, 800, 900, 1000, 1100, 1200),
    "two": (510, 620, 730, 840, 950, 1060, 1170, 1280),
    "three": (500, 590, 720, 770, 940, 1000, 1170, 1270),
}


def study(folder, boosters=("one", "two", "three"), broken=None):
    config = make_config(
        folder,
        datasets=list(DATASETS),
        boosters=[BoosterSpec(name, label=name) for name in boosters],
        rounds=5,
        checkpoints=(5,),
    )

    def errors_of(run):
        return [ERRORS[run.booster.name][DATASETS.index(run.data.name)]] * run.rounds

    return study_of(config, errors_of, broken=broken)


def cells(table):
    return {
        (*row.labels, column): cell.text
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
    }


def test_the_example_of_demsar():
    found = compare_pair(-np.array(C45) / 1000, -np.array(TUNED) / 1000)
    assert (found.wins, found.ties, found.losses) == (2, 2, 10)
    # By hand: of 12 ranks the wins, differences of 5 and 8 thousandths, have 1.5 and 5.
    assert_allclose(found.effect, (78 - 2 * 6.5) / 78)
    assert found.p < 0.02


def test_the_exact_p_value_of_a_booster_that_always_wins():
    errors = np.arange(8) / 10
    found = compare_pair(errors, errors + np.arange(1, 9) / 100)
    assert (found.wins, found.effect) == (8, -1.0)
    assert_allclose(found.p, 2 / 2**8)


def test_equal_boosters_do_not_differ():
    found = compare_pair(np.full(5, 0.1), np.full(5, 0.1))
    assert (found.ties, found.difference, found.effect, found.p) == (5, 0.0, 0.0, 1.0)


PAIRS = st.tuples(st.integers(0, 50), st.integers(0, 50))


# SciPy counts the permutations of up to 13 cases with ties: in no time if they are few.
@given(st.lists(PAIRS, min_size=1, max_size=7) | st.lists(PAIRS, min_size=20, max_size=30))
def test_a_pair_the_other_way_round_is_the_mirror_image(pairs):
    left, right = np.array(pairs, dtype=float).T / 100
    there, back = compare_pair(left, right), compare_pair(right, left)
    assert (there.wins, there.ties, there.losses) == (back.losses, back.ties, back.wins)
    assert_allclose([there.difference, there.effect], [-back.difference, -back.effect], atol=1e-9)
    assert_allclose(there.p, back.p, atol=1e-9)


def test_the_matrix_has_every_pair(tmp_path):
    found = cells(pairwise(study(tmp_path)))
    assert found["one", "wins/ties/losses", "two"] == "8/0/0"
    assert found["two", "wins/ties/losses", "one"] == "0/0/8"
    assert found["one", "wins/ties/losses", "three"] == "4/2/2"
    assert found["one", "difference", "two"] == "-0.45"
    assert found["one", "p", "two"] == "0.0078"
    assert found["one", "p", "one"] == "–"


def test_a_pair_stays_as_it_is_when_a_booster_is_added(tmp_path):
    missing = {f"{name}/three/clean/seed-0": ("missing", "") for name in "abc"}
    two = cells(pairwise(study(tmp_path, ("one", "two"))))
    three = cells(pairwise(study(tmp_path, broken=missing)))
    pairs = {place: text for place, text in three.items() if "three" not in place}
    assert pairs == two
    assert three["one", "wins/ties/losses", "three"] == "3/1/1"


def test_a_control_has_one_column_with_holm_s_adjustment(tmp_path):
    table = pairwise(study(tmp_path), control="two")
    found = cells(table)
    assert table.columns == ("two",)
    assert [*dict.fromkeys(row.labels[0] for row in table.rows)] == ["one", "three"]
    # By hand: p = 2 / 256 of the first; of the second, one tie leaves 2 / 128.
    assert (found["one", "p", "two"], found["three", "p", "two"]) == ("0.0078", "0.016")
    assert (found["one", "p (Holm)", "two"], found["three", "p (Holm)", "two"]) == ("0.016",) * 2
    assert "one,p (Holm),0.016" in to_csv(table)
    assert "p: Wilcoxon's signed-rank test of this pair." in to_markdown(table)


def test_what_cannot_be_paired_is_said(tmp_path):
    with pytest.raises(BoostbenchError, match="results of two boosters"):
        pairwise(study(tmp_path).only(boosters=["one"]))
    nothing = {f"{name}/one/clean/seed-0": ("missing", "") for name in DATASETS}
    with pytest.raises(BoostbenchError, match="results of two boosters"):
        pairwise(study(tmp_path, ("one", "two"), broken=nothing))


def written(its_study, **options):
    """Return the texts in the matrix by row and column, and those that are bold."""
    (axes,) = drawn(draw_pairs, its_study, **options).axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    places = {
        (names[round(t.get_position()[1])], names[round(t.get_position()[0])]): t
        for t in axes.texts
    }
    bold = {pair for pair, text in places.items() if text.get_fontweight() == "bold"}
    return names, {pair: text.get_text().split("\n") for pair, text in places.items()}, bold


def test_the_matrix_shows_what_the_table_tells(tmp_path):
    names, texts, bold = written(study(tmp_path))
    assert names == ["one", "three", "two"]  # by their mean errors
    told = cells(pairwise(study(tmp_path)))
    for (a, b), (difference, wins, p) in texts.items():
        assert difference == told[a, "difference", b]
        assert wins == told[a, "wins/ties/losses", b]
        assert p == f"p = {told[a, 'p', b]}"
    assert bold == {("one", "two"), ("two", "one"), ("three", "two"), ("two", "three")}


def test_another_booster_changes_nothing_in_the_matrix(tmp_path):
    _, few, _ = written(study(tmp_path, ("one", "two")))
    _, more, _ = written(study(tmp_path))
    assert few.items() <= more.items()
