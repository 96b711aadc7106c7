"""Connected sets of cells, each once: possible rooms, polyominoes.

Redelmeier's method on a queue: the cells beside the set so far stand in the queue in the order they were found; a set
grows by one of them, and those passed over stay out of every set grown from there. So each connected set through the
first cell is met once, in one order, with memory for one set only.

D. H. Redelmeier, "Counting polyominoes: yet another attack", Discrete Mathematics 36 (1981).
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit

from holdstill.core.grid import PuzzleError, check_size, neighbours, steps_from

CHUNK = 4096
BIT = np.uint64(1) << np.arange(64, dtype=np.uint64)
UNREACHED = 1 << 20  # steps to a cell that no path reaches
COUNTED = 1 << 26  # sets a call of the counting kernel: Ctrl-C passes through between calls


@lru_cache(maxsize=64)
def around(rows: int, cols: int, king: bool = False) -> np.ndarray:
    """The cells beside each cell, int32 of shape (cells, 4), or (cells, 8) with corners; -1 off the grid.

    >>> around(2, 2, king=True)[0].tolist()
    [-1, -1, 1, 2, -1, -1, -1, 3]
    """
    if not king:
        return neighbours(rows, cols)
    corners = steps_from(rows, cols, ((-1, -1), (-1, 1), (1, -1), (1, 1)))
    return np.concatenate([neighbours(rows, cols), corners], axis=1)


class Walk(NamedTuple):
    """Where a listing stands; it goes on from there.

    queue: int32 (cells,), the cells found beside the set. pick, end: int32 (cells + 2,): at depth d the next place of
    the queue to try, and how far the queue goes. near: int32 (cells + 2,), the fewest steps from the set to the goal.
    seen: uint8 (cells,), 1 for cells in the queue or to be avoided. mask: uint64 (words,), the set. depth: int64 (1,).
    """

    queue: np.ndarray
    pick: np.ndarray
    end: np.ndarray
    near: np.ndarray
    seen: np.ndarray
    mask: np.ndarray
    depth: np.ndarray


def new_walk(cells: int) -> Walk:
    """A walk of a grid of this many cells, not begun."""
    level = [np.zeros(cells + 2, np.int32) for _ in range(3)]
    return Walk(
        np.zeros(cells, np.int32),
        *level,
        np.zeros(cells, np.uint8),
        np.zeros((cells + 63) // 64, np.uint64),
        np.zeros(1, np.int64),
    )


@njit(cache=True)
def _steps_kernel(beside, closed, goal, steps, queue):
    """The fewest steps from each cell to the goal past the closed cells; UNREACHED where there is no way."""
    steps[:] = UNREACHED
    steps[goal], queue[0] = 0, goal
    at, end = 0, 1
    while at < end:
        cell = queue[at]
        at += 1
        for k in range(beside.shape[1]):
            near = beside[cell, k]
            if near >= 0 and steps[near] == UNREACHED and not closed[near]:
                steps[near] = steps[cell] + 1
                queue[end] = near
                end += 1


@njit(cache=True)
def _begin_kernel(walk, avoid, start):
    """Stand before the first set through `start`. The start itself must not be avoided."""
    walk.seen[:] = avoid
    walk.mask[:] = 0
    walk.queue[0], walk.seen[start] = start, 1
    walk.pick[0], walk.end[0], walk.near[0], walk.depth[0] = 0, 1, UNREACHED, 0


@njit(cache=True)
def _grow_kernel(beside, steps, low, high, walk, masks):
    """Write the next sets of `low` to `high` cells that reach the goal: how many; fewer than fit when none is left.

    `steps` tells how far each cell is from the goal, all 0 where any set will do.
    """
    queue, pick, end, near, seen, mask = walk.queue, walk.pick, walk.end, walk.near, walk.seen, walk.mask
    depth, found, sides = walk.depth[0], 0, beside.shape[1]
    while found < len(masks):
        if pick[depth] == end[depth]:
            if depth == 0:
                break
            for at in range(end[depth - 1], end[depth]):
                seen[queue[at]] = 0
            depth -= 1
            cell = queue[pick[depth]]
            mask[cell >> 6] ^= BIT[cell & 63]
            pick[depth] += 1
            continue
        cell = queue[pick[depth]]
        left = min(near[depth], steps[cell])
        if depth + 1 + left > high:
            pick[depth] += 1
            continue
        last = end[depth]
        if depth + 1 < high:
            for k in range(sides):
                beyond = beside[cell, k]
                if beyond >= 0 and seen[beyond] == 0:
                    seen[beyond] = 1
                    queue[last] = beyond
                    last += 1
        mask[cell >> 6] ^= BIT[cell & 63]
        depth += 1
        near[depth], end[depth] = left, last
        pick[depth] = pick[depth - 1] + 1 if depth < high else last
        if depth >= low and left == 0:
            masks[found] = mask
            found += 1
    walk.depth[0] = depth
    return found


@njit(cache=True)
def _count_kernel(beside, high, walk, counts, budget):
    """Add the sets of each size up to `high` to `counts`, until about `budget` of them: are they all counted?

    The sets of the largest size are not met one by one: there is one for each cell still to try.
    """
    queue, pick, end, seen = walk.queue, walk.pick, walk.end, walk.seen
    depth, met, sides = walk.depth[0], 0, beside.shape[1]
    while True:
        if pick[depth] == end[depth]:
            if depth == 0:
                walk.depth[0] = 0
                return True
            for at in range(end[depth - 1], end[depth]):
                seen[queue[at]] = 0
            depth -= 1
            pick[depth] += 1
            if met >= budget:
                walk.depth[0] = depth
                return False
            continue
        cell, last = queue[pick[depth]], end[depth]
        depth += 1
        counts[depth] += 1
        met += 1
        if depth == high:
            end[depth] = pick[depth] = last
            continue
        for k in range(sides):
            beyond = beside[cell, k]
            if beyond >= 0 and seen[beyond] == 0:
                seen[beyond] = 1
                queue[last] = beyond
                last += 1
        end[depth], pick[depth] = last, pick[depth - 1] + 1
        if depth + 1 == high:
            counts[high] += last - pick[depth]
            met += last - pick[depth]
            pick[depth] = last


def connected_sets(
    rows: int,
    cols: int,
    *,
    through: Iterable[int] = (),
    avoid: Iterable[int] = (),
    low: int = 1,
    high: int | None = None,
    king: bool = False,
) -> Iterator[np.ndarray]:
    """Every connected set of `low` to `high` cells, each once, in chunks: uint64 of shape (up to 4096, words).

    Cell c is in the set where bit c % 64 of word c // 64 is 1. `through` is none, one or two cells that every set
    holds, `avoid` cells that none holds. `king` lets a set hold together by corners too.

    Raises PuzzleError for a bad size, cell or bound.

    >>> [mask for chunk in connected_sets(2, 2, through=[0], low=3) for mask in chunk[:, 0].tolist()]
    [7, 15, 11, 13]
    """
    through, avoid, high = _checked(rows, cols, through, avoid, low, high)
    beside, closed = around(rows, cols, king), _closed(rows * cols, avoid)
    walk, steps, low = new_walk(rows * cols), np.zeros(rows * cols, np.int32), int(low)
    if len(through) == 2:
        _steps_kernel(beside, closed, through[1], steps, walk.queue)
    for start in _starts(through, closed):
        masks = np.empty((CHUNK, len(walk.mask)), np.uint64)
        _begin_kernel(walk, closed, start)
        while found := _grow_kernel(beside, steps, low, high, walk, masks):
            yield masks[:found].copy()


def count_sets(
    rows: int,
    cols: int,
    *,
    through: Iterable[int] = (),
    avoid: Iterable[int] = (),
    high: int | None = None,
    king: bool = False,
) -> np.ndarray:
    """How many connected sets there are of each size, int64 of shape (high + 1,).

    As `connected_sets`, with `through` at most one cell. Counts sets of the largest size without meeting each.

    Raises PuzzleError for a bad size, cell or bound.

    >>> count_sets(2, 2).tolist(), count_sets(2, 2, king=True).tolist()
    ([0, 4, 4, 4, 1], [0, 4, 6, 4, 1])
    """
    through, avoid, high = _checked(rows, cols, through, avoid, 1, high)
    if len(through) > 1:
        raise PuzzleError("sets are counted through one cell at most")
    beside, closed = around(rows, cols, king), _closed(rows * cols, avoid)
    walk, counts = new_walk(rows * cols), np.zeros(high + 1, np.int64)
    for start in _starts(through, closed):
        _begin_kernel(walk, closed, start)
        while not _count_kernel(beside, high, walk, counts, COUNTED):
            pass
    return counts


def cells_of(mask: np.ndarray) -> list[int]:
    """The cells of one mask, uint64 (words,), in order.

    >>> cells_of(np.array([5, 1], np.uint64))
    [0, 2, 64]
    """
    return np.flatnonzero(np.unpackbits(np.ascontiguousarray(mask, "<u8").view(np.uint8), bitorder="little")).tolist()


def _starts(through: list[int], closed: np.ndarray) -> Iterator[int]:
    """The first cell of every set: the one it must hold, or else each open cell in turn, closed to those after it."""
    if through:
        yield through[0]
        return
    for start in np.flatnonzero(closed == 0).tolist():
        yield start
        closed[start] = 1


def _closed(cells: int, avoid: list[int]) -> np.ndarray:
    closed = np.zeros(cells, np.uint8)
    closed[avoid] = 1
    return closed


def _checked(rows, cols, through, avoid, low, high) -> tuple[list[int], list[int], int]:
    check_size(rows, cols)
    cells = rows * cols
    through, avoid = ([int(cell) for cell in some] for some in (through, avoid))
    for cell in through + avoid:
        if not 0 <= cell < cells:
            raise PuzzleError(f"cell {cell} is not on a {rows}x{cols} grid")
    if len(through) > 2 or len(set(through)) < len(through):
        raise PuzzleError(f"sets are listed through none, one or two cells, not {through}")
    if set(through) & set(avoid):
        raise PuzzleError(f"cell {min(set(through) & set(avoid))} cannot be both held and avoided")
    high = cells if high is None else min(int(high), cells)
    if low < 1 or high < 1:
        raise PuzzleError(f"sets have at least 1 cell, not {low} to {high}")
    return through, avoid, high
