"""Threads that work on one tree, without Python between them.

One thread, the leader, grows the tree. Where a step is long enough it posts the step's parts; the
other members wait in the same kernel, and take part after part, as the leader does itself. Nobody
waits for a member that has not come: the leader takes what no other has taken, and then waits for
parts that are under way.

Parts are numbered through, from one step to the next. Three numbers are shared: how many parts were
taken, posted and done. A part is taken by raising the first from its number to the next one, which
one member alone can do.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from boostbench.compiled import inner

#: Places of the shared numbers, far apart: a cache line that one core writes is lost to the others.
_TAKEN, _POSTED, _DONE, _JOINED, _CLOSED = 0, 16, 32, 48, 64

#: A member that found nothing so many times lets other programs have its core.
_PATIENCE = 1000

#: Work of the members in a step, and its node.
STEP = np.dtype(
    [
        ("built", np.int64),  # node whose histogram is built, -1: none
        ("place", np.int64),  # of the histogram
        ("whole", np.int64),  # histogram that it is taken off, -1: none
        ("node", np.int64),  # node that is searched
        ("searched", np.int64),  # place of its histogram, or of room for a compact one
        ("grid", np.float64),  # as in `splitting.Searched`
        ("least_weight", np.int64),
        ("unit", np.float64),
        ("stream", np.uint64),
    ],
    align=True,
)

#: The best split of some features.
FOUND = np.dtype(
    [
        ("feature", np.int64),  # -1: none
        ("bin", np.int64),
        ("threshold", np.float64),
        ("missing_left", np.bool_),
        ("key", np.float64),
        ("gain", np.float64),
    ],
    align=True,
)


class Team(NamedTuple):
    """State that the members share, beside the tree.

    Attributes
    ----------
    least : int
        Work of a node, from which on it is shared.
    counters : ndarray of int64, shape (80,)
        Parts taken, posted and done, members that came, and whether the tree is grown.
    step : ndarray of STEP, shape (1,)
    found : ndarray of FOUND, shape (n_parts,)
        Best split of each part.
    """

    least: int
    counters: NDArray[np.int64]
    step: NDArray[np.void]
    found: NDArray[np.void]

    @classmethod
    def of(cls, n_parts: int, least: int) -> Team:
        """Return a team for steps of so many parts."""
        return cls(least, np.zeros(80, np.int64), np.empty(1, STEP), np.empty(n_parts, FOUND))

    def close(self) -> None:
        """Let the members go home; after the leader ended, however it ended."""
        self.counters[_CLOSED] = 1


_intrinsic: Any = intrinsic  # which has no types


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, [args[1]])


def _load_number(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.load_atomic(_address(context, builder, signature, args), "acquire", 8)


def _add_to_number(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    place = _address(context, builder, signature, args)
    return builder.atomic_rmw("add", place, args[2], "acq_rel")


def _raise_number(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    place = _address(context, builder, signature, args)
    following = builder.add(args[2], args[2].type(1))
    return builder.extract_value(
        builder.cmpxchg(place, args[2], following, "acq_rel", "acquire"), 1
    )


@_intrinsic
def _load(context, counters, place):  # type: ignore[no-untyped-def]
    """Read a number that other threads write; what they wrote before it can be read then too."""
    return types.int64(counters, types.int64), _load_number


@_intrinsic
def _add(context, counters, place, number):  # type: ignore[no-untyped-def]
    """Add to a number, and let other threads see what was written before."""
    return types.int64(counters, types.int64, types.int64), _add_to_number


@_intrinsic
def _raise(context, counters, place, number):  # type: ignore[no-untyped-def]
    """Add 1 if it is the given number; return whether it was."""
    return types.boolean(counters, types.int64, types.int64), _raise_number


_give_way = types.ExternalFunction("sched_yield", types.int32())


@inner
def join(team):  # type: ignore[no-untyped-def]
    """Say that a member has come."""
    _add(team.counters, _JOINED, 1)


@inner
def has_members(team):  # type: ignore[no-untyped-def]
    """Return whether a member has come."""
    return _load(team.counters, _JOINED) > 0


@inner
def post(team):  # type: ignore[no-untyped-def]
    """Offer the parts of a step, which has been written."""
    _add(team.counters, _POSTED, team.found.shape[0])


@inner
def take(team):  # type: ignore[no-untyped-def]
    """Take a part of the step; return its number, -1 if all are taken."""
    taken, posted = _load(team.counters, _TAKEN), _load(team.counters, _POSTED)
    while taken < posted:
        if _raise(team.counters, _TAKEN, taken):
            return taken % team.found.shape[0]
        taken = _load(team.counters, _TAKEN)
    return -1


@inner
def hand_in(team):  # type: ignore[no-untyped-def]
    """Say that a part is done."""
    _add(team.counters, _DONE, 1)


@inner
def wait_for_all(team):  # type: ignore[no-untyped-def]
    """Wait until all parts that were posted are done."""
    tries = 0
    while _load(team.counters, _DONE) < _load(team.counters, _POSTED):
        tries = _wait(tries)


@inner
def wait_for_part(team):  # type: ignore[no-untyped-def]
    """Wait for a part, and take it; return its number, -1 if the tree is grown."""
    tries = 0
    while _load(team.counters, _CLOSED) == 0:
        part = take(team)
        if part >= 0:
            return part
        tries = _wait(tries)
    return -1


@inner
def dismiss(team):  # type: ignore[no-untyped-def]
    """Let the members go home: the tree is grown."""
    _add(team.counters, _CLOSED, 1)


@inner
def _wait(tries):  # type: ignore[no-untyped-def]
    if tries >= _PATIENCE:
        _give_way()
    return tries + 1
