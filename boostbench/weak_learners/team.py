"""Teams of threads that grow trees together in compiled code.

One thread, the leader, grows the trees. If a step is long enough, the leader posts the parts of the
step. The other members, which wait in another kernel, and the leader take one part after the
other. The leader does not wait for members that have not joined: it takes all remaining parts, and
then waits for parts in progress.

Parts are numbered consecutively across steps. The threads share the numbers of parts taken, posted
and done. To take a part is to increment the first number by an atomic compare-and-swap, which only
one thread can do for each part.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numpy.typing import NDArray

from boostbench.compiled import inner, intrinsic

#: Indices of the shared counters, which are in separate cache lines to avoid false sharing.
_TAKEN, _POSTED, _DONE, _JOINED, _CLOSED = 0, 16, 32, 48, 64

#: Number of checks without success after which a waiting thread yields its core at every check.
_PATIENCE = 1000


class Team(NamedTuple):
    """State that the members share in addition to the tree.

    Attributes
    ----------
    least : int
        Smallest amount of work for which a node is shared.
    n_parts : int
        Number of parts of a step.
    counters : ndarray of int64, shape (80,)
        Numbers of parts taken, posted and done, number of members that joined, and a flag that the
        trees are finished.
    """

    least: int
    n_parts: int
    counters: NDArray[np.int64]

    @classmethod
    def of(cls, n_parts: int, least: int) -> Team:
        """Return a team for steps of ``n_parts`` parts."""
        return cls(least, n_parts, np.zeros(80, np.int64))

    @property
    def is_open(self) -> bool:
        """True while the leader has trees to grow."""
        return not self.counters[_CLOSED]

    def close(self) -> None:
        """Dismiss the members, after the leader returned or raised an error."""
        self.counters[_CLOSED] = 1


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


@intrinsic
def _load(context, counters, place):  # type: ignore[no-untyped-def]
    """Load a counter with acquire semantics."""
    return types.int64(counters, types.int64), _load_number


@intrinsic
def _add(context, counters, place, number):  # type: ignore[no-untyped-def]
    """Add to a counter with acquire and release semantics."""
    return types.int64(counters, types.int64, types.int64), _add_to_number


@intrinsic
def _raise(context, counters, place, number):  # type: ignore[no-untyped-def]
    """Increment a counter if it equals the given number (compare-and-swap); return success."""
    return types.boolean(counters, types.int64, types.int64), _raise_number


_give_way = types.ExternalFunction("sched_yield", types.int32())


@inner
def take_tree(n_taken):  # type: ignore[no-untyped-def]
    """Return the number of the next tree to grow, and count it as taken."""
    return _add(n_taken, 0, 1)


@inner
def join(team):  # type: ignore[no-untyped-def]
    """Register a member as joined."""
    _add(team.counters, _JOINED, 1)


@inner
def has_members(team):  # type: ignore[no-untyped-def]
    """Return whether a member has joined."""
    return _load(team.counters, _JOINED) > 0


@inner
def post(team):  # type: ignore[no-untyped-def]
    """Post the parts of a step, after the step has been written."""
    _add(team.counters, _POSTED, team.n_parts)


@inner
def take(team):  # type: ignore[no-untyped-def]
    """Take a part of the step; return its number, or -1 if all parts are taken."""
    taken, posted = _load(team.counters, _TAKEN), _load(team.counters, _POSTED)
    while taken < posted:
        if _raise(team.counters, _TAKEN, taken):
            return taken % team.n_parts
        taken = _load(team.counters, _TAKEN)
    return -1


@inner
def hand_in(team):  # type: ignore[no-untyped-def]
    """Report a part as done."""
    _add(team.counters, _DONE, 1)


@inner
def wait_for_all(team):  # type: ignore[no-untyped-def]
    """Wait until all posted parts are done."""
    tries = 0
    while _load(team.counters, _DONE) < _load(team.counters, _POSTED):
        tries = _wait(tries)


@inner
def wait_for_part(team):  # type: ignore[no-untyped-def]
    """Wait for a part and take it; return its number, or -1 if the trees are finished."""
    tries = 0
    while _load(team.counters, _CLOSED) == 0:
        part = take(team)
        if part >= 0:
            return part
        tries = _wait(tries)
    return -1


@inner
def _wait(tries):  # type: ignore[no-untyped-def]
    if tries >= _PATIENCE:
        _give_way()
    return tries + 1
