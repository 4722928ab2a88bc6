"""Threads that share a tree: every part is done once, and the tree is that of one thread."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostbench.compiled import kernel
from boostbench.threads import threads
from boostbench.weak_learners import Tree, growing, structures
from boostbench.weak_learners.team import (
    _JOINED,
    Team,
    hand_in,
    join,
    post,
    take,
    wait_for_all,
    wait_for_part,
)
from boostbench.weak_learners.tree import numbers_of
from tests.weak_learners.reference import assert_same_trees, data_of, demands, shapes


@kernel
def _count(team, member, step, times):  # type: ignore[no-untyped-def]
    """Count how often each part of some steps is done."""
    if member > 0:
        join(team)
        part = wait_for_part(team)
        while part >= 0:
            times[step[0], part] += 1
            hand_in(team)
            part = wait_for_part(team)
        return
    for number in range(len(times)):
        step[0] = number
        post(team)
        part = take(team)
        while part >= 0:
            times[step[0], part] += 1
            hand_in(team)
            part = take(team)
        wait_for_all(team)


@pytest.mark.parametrize("n_members", [1, 2, 5])
def test_threads_do_every_part_once(n_members):
    team, times, step = Team.of(3, 0), np.zeros((300, 3), dtype=np.int64), np.zeros(1, np.int64)
    others = [
        threading.Thread(target=_count, args=(team, member, step, times))
        for member in range(1, n_members)
    ]
    for other in others:
        other.start()
    _count(team, 0, step, times)
    team.close()
    for other in others:
        other.join()
    assert (times == 1).all()


def test_a_late_thread_leaves_at_once():
    team, times = Team.of(2, 0), np.zeros((1, 2), dtype=np.int64)
    team.close()
    _count(team, 1, np.zeros(1, np.int64), times)
    assert not times.any()


@pytest.fixture(autouse=True)
def _share_all(monkeypatch):
    """Cut small trees and nodes too into parts, whether another thread has come to help or not."""
    of = Team.of

    def joined(n_parts, least):
        team = of(n_parts, least)
        team.counters[_JOINED] = 1
        return team

    monkeypatch.setattr(Team, "of", joined)
    monkeypatch.setattr(growing, "_SHARED_TREE", 0)
    monkeypatch.setattr(growing, "_SHARED_NODE", 0)
    monkeypatch.setattr(structures, "_MANY_LEAVES", 0)


#: Learners whose trees are shared, by demand; every further criterion is a kernel to compile.
LEARNERS = {
    "labels": [Tree(), Tree(max_leaf_nodes=9)],
    "binary": [Tree(max_depth=4), Tree(min_samples_leaf=3)],
    "costs": [Tree(), Tree(splitter="random")],
    "targets": [Tree(), Tree(min_samples_leaf=2, max_leaf_nodes=6)],
}


@pytest.mark.parametrize("kind", LEARNERS)
@settings(max_examples=3)
@given(shapes, st.data())
def test_threads_that_share_a_tree_change_no_bit_of_it(kind, shape, data):
    _, X = data_of(shape)
    demand = demands(shape["n"], n_columns=1, seed=shape["seed"])[kind]
    learner = data.draw(st.sampled_from(LEARNERS[kind]))
    entry_cost = data.draw(st.sampled_from([0.0, 3.0, np.inf]))  # compact histograms, or none
    grown = []
    for n_jobs in (1, 2, 3):
        with threads(n_jobs):
            binned = learner.prepare(X)
            assert binned.n_parts == min(n_jobs, shape["d"])
            rules = learner._rules(binned, demand, np.random.default_rng(0))
            rules = rules._replace(entry_cost=entry_cost)
            grown.append(growing.grow_trees(binned, rules, numbers_of(demand)))
    assert_same_trees(*grown)
