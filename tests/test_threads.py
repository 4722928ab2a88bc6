"""Threads: parts cover the work once, in order, whatever their number."""

import os
import threading
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostbench import threads as module
from boostbench.threads import in_parts, n_cores, n_threads, threads


@given(n=st.integers(1, 50), n_jobs=st.none() | st.integers(1, 6) | st.integers(-3, -1))
def test_parts_cover_all_items_once_and_in_order(n, n_jobs):
    with threads(n_jobs):
        parts = in_parts(lambda part: list(range(n))[part], n)
    assert [item for part in parts for item in part] == list(range(n))
    assert all(parts)


@pytest.mark.parametrize(("n_jobs", "n_threads"), [(None, 1), (1, 1), (3, 3), (-1, n_cores())])
def test_work_is_cut_into_as_many_parts_as_threads(n_jobs, n_threads):
    with threads(n_jobs):
        assert len(in_parts(lambda part: part, 100)) == n_threads


def test_little_work_is_not_split(monkeypatch):
    monkeypatch.setattr(module, "_LEAST", 100)
    with threads(3):
        assert [len(in_parts(lambda part: part, 9, size)) for size in (99, 100)] == [1, 3]
        assert [n_threads(size) for size in (99, 100)] == [1, 3]


def test_parts_are_done_side_by_side():
    meeting = threading.Barrier(2)
    with threads(2):
        in_parts(lambda _: meeting.wait(60.0), 2)


def test_none_leaves_the_threads_of_the_surrounding_work():
    with threads(3):
        with threads(None):
            assert len(in_parts(lambda part: part, 9)) == 3
        with threads(1):
            assert len(in_parts(lambda part: part, 9)) == 1
        assert len(in_parts(lambda part: part, 9)) == 3
    assert len(in_parts(lambda part: part, 9)) == 1


def test_parts_of_a_part_are_done_by_its_own_thread():
    with threads(2):
        assert in_parts(lambda _: len(in_parts(lambda part: part, 4)), 2)[1] == 1


def test_what_a_part_raises_is_raised():
    def fail(part):
        if part.start > 0:
            raise RuntimeError("the second part")

    with threads(2), pytest.raises(RuntimeError, match="the second part"):
        in_parts(fail, 2)


def test_a_forked_process_does_its_parts_itself():
    with threads(2):
        in_parts(lambda part: part, 2)  # the helper has started
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
            child = os.fork()
        if child == 0:
            n_parts = 0
            try:
                n_parts = len(in_parts(lambda part: part, 2))
            finally:
                os._exit(n_parts)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
