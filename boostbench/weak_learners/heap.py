"""Priority queue of open leaves: a binary heap by largest key, then by lowest node number."""

from __future__ import annotations

from boostbench.compiled import inner


@inner
def push(queue, n, key, node):  # type: ignore[no-untyped-def]
    """Add a leaf to a heap of n leaves; return the new number of leaves."""
    i = n
    while i > 0:
        up = (i - 1) // 2
        above = queue[up]
        if above.key > key or (above.key == key and above.node < node):
            break
        queue[i].key, queue[i].node = above.key, above.node
        i = up
    queue[i].key, queue[i].node = key, node
    return n + 1


@inner
def pop(queue, n):  # type: ignore[no-untyped-def]
    """Remove the first leaf from a heap of n leaves; return the new number of leaves."""
    n -= 1
    key, node = queue[n].key, queue[n].node
    i = 0
    while 2 * i + 1 < n:
        down = 2 * i + 1
        if down + 1 < n:
            a, b = queue[down], queue[down + 1]
            down += b.key > a.key or (b.key == a.key and b.node < a.node)
        below = queue[down]
        if key > below.key or (key == below.key and node < below.node):
            break
        queue[i].key, queue[i].node = below.key, below.node
        i = down
    queue[i].key, queue[i].node = key, node
    return n
