"""The queue of open leaves: a binary heap in two arrays."""

from __future__ import annotations

from boostbench.weak_learners.compiled import inner


@inner
def push(keys, heap, n, key, node):  # type: ignore[no-untyped-def]
    """Add a leaf to the heap of leaves; the largest key is first, the older leaf on ties."""
    i = n
    while i > 0:
        up = (i - 1) // 2
        if keys[up] > key or (keys[up] == key and heap[up] < node):
            break
        keys[i], heap[i] = keys[up], heap[up]
        i = up
    keys[i], heap[i] = key, node
    return n + 1


@inner
def pop(keys, heap, n):  # type: ignore[no-untyped-def]
    """Remove the first leaf from the heap."""
    n -= 1
    key, node = keys[n], heap[n]
    i = 0
    while 2 * i + 1 < n:
        down = 2 * i + 1
        other = down + 1
        if other < n and (
            keys[other] > keys[down] or (keys[other] == keys[down] and heap[other] < heap[down])
        ):
            down = other
        if key > keys[down] or (key == keys[down] and node < heap[down]):
            break
        keys[i], heap[i] = keys[down], heap[down]
        i = down
    keys[i], heap[i] = key, node
    return n
