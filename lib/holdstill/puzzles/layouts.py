"""Cuts of a grid into rooms: what a generator starts from.

A layout is an int32 array of shape (rows, cols): the room of each cell, rooms numbered in reading order of their first
cell.
"""

from collections.abc import Iterator

import numpy as np
from numba import njit

from holdstill.core.grid import PuzzleError, check_size, neighbours

AXES = ("length", "longer", "even")


def guillotine(
    rows: int,
    cols: int,
    rng: np.random.Generator,
    *,
    always_keep: int = 2,
    may_keep: int = 12,
    chance: float = 0.5,
    axis: str = "length",
) -> np.ndarray:
    """Rectangular rooms by guillotine cuts, int32 (rows, cols).

    A rectangle of at most `always_keep` cells is a room; one of at most `may_keep` cells is a room with probability
    `chance`; any other is cut in two at a uniform place. `axis` says which way: "length" across a side with
    probability proportional to its length, "longer" across the longer side, "even" by a fair coin; a side of one cell
    is never cut. The texts say "guillotine cuts" and no more; these defaults come within about 8% of the published
    room and clause counts (Solving Heyawake, first table).

    Raises PuzzleError for a bad size, chance or axis.

    >>> guillotine(3, 5, np.random.default_rng(2)).tolist()
    [[0, 0, 1, 1, 2], [3, 3, 3, 3, 3], [3, 3, 3, 3, 3]]
    """
    check_size(rows, cols)
    if axis not in AXES:
        raise PuzzleError(f"axis is one of {', '.join(AXES)}, not {axis!r}")
    if not 0 <= chance <= 1:
        raise PuzzleError(f"chance is a probability, not {chance!r}")
    return _guillotine_kernel(
        int(rows), int(cols), rng, int(always_keep), int(may_keep), float(chance), AXES.index(axis)
    )


@njit(cache=True)
def _guillotine_kernel(rows, cols, rng, always_keep, may_keep, chance, axis):
    labels = np.full((rows, cols), -1, np.int32)
    open_ones = np.empty((rows * cols, 4), np.int64)
    open_ones[0] = (0, 0, rows, cols)
    top, room = 1, 0
    while top:
        top -= 1
        y, x, tall, wide = open_ones[top]
        area = tall * wide
        if area <= always_keep or area == 1 or (area <= may_keep and rng.random() < chance):
            labels[y : y + tall, x : x + wide] = room
            room += 1
            continue
        if axis == 0:
            cut_rows = rng.random() * (tall + wide) < tall
        elif axis == 1:
            cut_rows = tall > wide or (tall == wide and rng.random() < 0.5)
        else:
            cut_rows = rng.random() < 0.5
        if wide == 1 or (cut_rows and tall > 1):
            at = rng.integers(1, tall)
            open_ones[top] = (y + at, x, tall - at, wide)
            open_ones[top + 1] = (y, x, at, wide)
        else:
            at = rng.integers(1, wide)
            open_ones[top] = (y, x + at, tall, wide - at)
            open_ones[top + 1] = (y, x, tall, at)
        top += 2
    return _in_reading_order_kernel(labels)


@njit(cache=True)
def _in_reading_order_kernel(labels):
    """The same rooms, numbered in reading order of their first cell."""
    rows, cols = labels.shape
    number = np.full(labels.max() + 1, -1, np.int32)
    found = 0
    for y in range(rows):
        for x in range(cols):
            if number[labels[y, x]] < 0:
                number[labels[y, x]] = found
                found += 1
            labels[y, x] = number[labels[y, x]]
    return labels


def grown(rows: int, cols: int, rng: np.random.Generator, *, largest: int = 6) -> np.ndarray:
    """Connected rooms of any shape, int32 (rows, cols): neighbouring rooms merged at random up to `largest` cells.

    Starts from single cells and picks a random pair of neighbours twice as often as there are cells.

    Raises PuzzleError for a bad size.

    >>> grown(2, 4, np.random.default_rng(2), largest=3).tolist()
    [[0, 1, 2, 2], [3, 1, 1, 2]]
    """
    check_size(rows, cols)
    return _grown_kernel(int(rows), int(cols), rng, int(largest))


@njit(cache=True)
def _grown_kernel(rows, cols, rng, largest):
    cells = rows * cols
    room = np.arange(cells).astype(np.int32)  # a cell points at another of its room, the last one at itself
    size = np.ones(cells, np.int64)
    for _ in range(2 * cells):
        y, x = rng.integers(0, rows), rng.integers(0, cols)
        down = rng.random() < 0.5
        if y + down >= rows or x + (not down) >= cols:
            continue
        a = _last_kernel(room, y * cols + x)
        b = _last_kernel(room, (y + down) * cols + x + (not down))
        if a != b and size[a] + size[b] <= largest:
            size[a] += size[b]
            room[b] = a
    for cell in range(cells):
        room[cell] = _last_kernel(room, cell)
    return _in_reading_order_kernel(room.reshape(rows, cols))


def small_rooms(rows: int, cols: int, rng: np.random.Generator, *, smallest: int = 2, largest: int = 5) -> np.ndarray:
    """Connected rooms of `smallest` to `largest` cells, int32 (rows, cols), drawn one by one.

    The next room starts at a free cell with the fewest free neighbours, draws its size evenly and grows by a random
    neighbour at a time. A room that finds no space to become large enough sends the draw back to the start.

    Raises PuzzleError for a bad size, bounds that leave none, and a grid that 1,000 draws did not fill.

    >>> small_rooms(2, 4, np.random.default_rng(2)).tolist()
    [[0, 0, 1, 1], [2, 2, 2, 1]]
    """
    check_size(rows, cols)
    if not 1 <= smallest <= largest:
        raise PuzzleError(f"rooms have 1 cell or more, not {smallest} to {largest}")
    labels = _rooms_kernel(neighbours(int(rows), int(cols)), int(smallest), int(largest), rng).reshape(rows, cols)
    if labels[0, 0] < 0:
        raise PuzzleError(f"no way was found to fill a {rows}x{cols} grid with rooms of {smallest} to {largest} cells")
    return _in_reading_order_kernel(labels)


@njit(cache=True)
def _rooms_kernel(beside, smallest, largest, rng):
    cells = len(beside)
    room, around = np.empty(cells, np.int32), np.empty(4 * cells, np.int32)
    for _ in range(1000):
        room[:] = -1
        count, left = np.int64(0), cells
        while left:
            fewest, ties, cell = 5, 0, np.int64(-1)
            for one in range(cells):
                if room[one] >= 0:
                    continue
                free = 0
                for near in beside[one]:
                    free += near >= 0 and room[near] < 0
                if free < fewest:
                    fewest, ties = free, 0
                if free == fewest:
                    ties += 1
                    if rng.integers(0, ties) == 0:
                        cell = one
            size = _one_room_kernel(beside, room, around, cell, count, rng.integers(smallest, largest + 1), rng)
            if size < smallest:
                break
            left -= size
            count += 1
        if left == 0:
            return room
    room[:] = -1
    return room


@njit(cache=True)
def _one_room_kernel(beside, room, around, cell, count, wanted, rng):
    """Room `count` grown from a cell by a random neighbour at a time: its size, less than wanted if it is shut in."""
    size, found = 1, 0
    room[cell] = count
    while size < wanted:
        for near in beside[cell]:
            if near >= 0 and room[near] < 0:
                around[found] = near
                found += 1
        while found:
            at = rng.integers(0, found)
            cell = around[at]
            found -= 1
            around[at] = around[found]
            if room[cell] < 0:
                break
        if room[cell] >= 0:
            break
        room[cell] = count
        size += 1
    return size


def scattered_rooms(rows: int, cols: int, rng: np.random.Generator, *, largest: int = 5) -> np.ndarray:
    """Connected rooms of 2 to `largest` cells, int32 (rows, cols), started at random.

    Every cell in random order that no room has yet starts one, which draws its size evenly and grows by a random
    neighbour at a time. A cell that is shut in joins a random neighbouring room that is not full; where there is none,
    the draw starts anew.

    Raises PuzzleError for a bad size, `largest` below 2, and a grid that 1,000 draws did not fill.

    >>> scattered_rooms(2, 4, np.random.default_rng(2)).tolist()
    [[0, 1, 1, 1], [0, 0, 0, 1]]
    """
    check_size(rows, cols)
    if largest < 2:
        raise PuzzleError(f"rooms have 2 cells or more, not up to {largest}")
    labels = _scattered_kernel(neighbours(int(rows), int(cols)), int(largest), rng).reshape(rows, cols)
    if labels[0, 0] < 0:
        raise PuzzleError(f"no way was found to fill a {rows}x{cols} grid with rooms of 2 to {largest} cells")
    return _in_reading_order_kernel(labels)


@njit(cache=True)
def _scattered_kernel(beside, largest, rng):
    cells = len(beside)
    room, around, sizes = np.empty(cells, np.int32), np.empty(4 * cells, np.int32), np.empty(cells, np.int32)
    for _ in range(1000):
        room[:] = -1
        count, order = np.int64(0), rng.permutation(cells)
        for cell in order:
            if room[cell] < 0:
                sizes[count] = _one_room_kernel(beside, room, around, cell, count, rng.integers(2, largest + 1), rng)
                count += 1
        filled = True
        for cell in order:
            if sizes[room[cell]] > 1:
                continue
            ties, host = 0, -1
            for near in beside[cell]:
                if near >= 0 and 1 < sizes[room[near]] < largest:
                    ties += 1
                    if rng.integers(0, ties) == 0:
                        host = room[near]
            if host < 0:
                filled = False
                break
            room[cell] = host
            sizes[host] += 1
        if filled:
            return room
    room[:] = -1
    return room


@njit(cache=True)
def _last_kernel(room, cell):
    while room[cell] != cell:
        room[cell] = room[room[cell]]
        cell = room[cell]
    return np.int64(cell)


def rectangle_cuts(rows: int, cols: int) -> Iterator[np.ndarray]:
    """Every way to cut the grid into rectangles, each once: int32 (rows, cols), rooms in reading order.

    The counts are A116694 (2x2 8, 3x3 322, 3x4 3164).

    >>> sum(1 for _ in rectangle_cuts(2, 2)), sum(1 for _ in rectangle_cuts(3, 3))
    (8, 322)
    """
    check_size(rows, cols)
    yield from _cuts_of_rest(np.full((rows, cols), -1, np.int32), 0)


def _cuts_of_rest(labels: np.ndarray, room: int) -> Iterator[np.ndarray]:
    free = np.flatnonzero(labels.ravel() < 0)
    if not len(free):
        yield labels.copy()
        return
    y, x = divmod(int(free[0]), labels.shape[1])
    for bottom in range(y + 1, len(labels) + 1):
        for right in range(x + 1, labels.shape[1] + 1):
            if (labels[y:bottom, x:right] >= 0).any():
                break
            labels[y:bottom, x:right] = room
            yield from _cuts_of_rest(labels, room + 1)
            labels[y:bottom, x:right] = -1
