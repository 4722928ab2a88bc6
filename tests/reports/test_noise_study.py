"""The noise study's own statistics: published numbers, hand computations, independence."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from boostbench.data.catalog import catalog
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.configs.shipped import shipped_configs
from boostbench.inputs import load_plugin

FOLDER = Path(__file__).resolve().parents[2] / "configs/noise-study"
compare_pair = load_plugin(FOLDER / "pairwise.py").compare_pair
standings = load_plugin(FOLDER / "standings.py")
drawings = load_plugin(FOLDER / "drawings.py")
#: Demsar 2006, Table 2: areas under the curve of C4.5 and of C4.5 with tuned leaf sizes, 14 sets.
C45 = (763, 599, 954, 628, 882, 936, 661, 583, 775, 1000, 940, 619, 972, 957)
TUNED = (768, 591, 971, 661, 888, 931, 668, 583, 838, 1000, 962, 666, 981, 978)


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


def test_elo_has_the_odds_of_the_comparisons():
    errors = np.array([[1.0] * 7 + [2.0] * 2, [2.0] * 7 + [1.0] * 2])
    better, worse = standings.elo(errors, anchor=1)
    assert worse == 1000.0
    assert better - worse == pytest.approx(400.0 * np.log10(7.5 / 2.5), abs=1e-3)


def test_elo_of_a_method_that_always_wins_is_finite_and_ties_are_even():
    errors = np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [2.0, 2.0, 2.0]])
    best, second, third = standings.elo(errors, anchor=2)
    assert 1000.0 < best < 2000.0
    assert second == pytest.approx(third, abs=1e-3)


def test_a_choice_on_half_of_the_sets_is_judged_on_the_other_half():
    errors = np.array([[1.0, 1.0, 1.0, 9.0], [2.0, 2.0, 2.0, 2.0]])
    (mean, low, high), chosen = standings.tried(errors)
    # the half with the last set takes the second method, one point above the first on the others;
    # the half without it takes the first, seven points above the second on the last set
    assert (low, high) == (1.0, 3.5)
    assert mean == pytest.approx(3.5 * chosen[0] + 1.0 * chosen[1])
    assert_allclose(chosen, 0.5, atol=0.1)


def test_the_study_at_full_size_runs_all_data_sets_of_the_suite():
    path = shipped_configs()["noise-study/defaults"]
    config = load_config(path, size="full", check_parameters=False)
    names = {dataset.data.name for dataset in config.datasets}
    assert names == {entry.name for entry in catalog().values() if "noise" in entry.suites}


def test_points_are_named_where_there_is_room():
    figure = Figure(figsize=(2.0, 2.0), layout="constrained")
    axes = figure.add_subplot(xlim=(0, 10), ylim=(0, 10))
    for label in "abcde":  # there is room for four names beside a point
        axes.plot([5.0], [2.0], "o", label=label)
    axes.plot([5.0], [8.0], "o", label="f")
    drawings.name_points(figure)
    assert [text.get_text() for text in axes.texts] == ["a", "b", "c", "d", "f"]
