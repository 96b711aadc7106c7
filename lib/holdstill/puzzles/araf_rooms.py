"""The rooms an Araf board could have: three screens rule out pairs of numbers, the catalogue lists what is left."""

from typing import NamedTuple

import numpy as np
from numba import njit

from holdstill.core.grid import PuzzleError, cell_name
from holdstill.counting.shapes import (
    BIT,
    CHUNK,
    UNREACHED,
    _begin_kernel,
    _grow_kernel,
    _steps_kernel,
    around,
    new_walk,
)

MOST_ROOMS = 1_000_000


def sizes_fit(board, reading: str = "strict") -> np.ndarray:
    """The first screen alone: is there a size between two numbers? Bool (numbers, numbers), False with itself.

    >>> from holdstill.puzzles.araf import Araf
    >>> sizes_fit(Araf(1, 4, [[1, 3, 3, 2]]))[1].tolist()
    [True, False, False, False]
    """
    low, high, hole = board.sizes(reading)
    return (low < high) | ((low == high) & (low != hole))


def near_enough(board, reading: str = "strict") -> np.ndarray:
    """The second screen alone: are two numbers no more steps apart than the largest size lets a room reach?

    >>> from holdstill.puzzles.araf import Araf
    >>> near_enough(Araf(1, 4, [[1, 3, 3, 2]]))[0].tolist()
    [False, True, False, False]
    """
    y, x = np.divmod(np.array(board.at), board.cols)
    down, across = abs(y[:, None] - y), abs(x[:, None] - x)
    steps = np.maximum(down, across) if reading == "corner" else down + across
    return (steps < board.sizes(reading)[1]) & ~np.eye(len(y), dtype=bool)


def path_exists(board, reading: str = "strict") -> np.ndarray:
    """The third screen alone: is there a path between two numbers, short enough, that avoids every third number?

    >>> from holdstill.puzzles.araf import Araf
    >>> path_exists(Araf(1, 4, [[1, 5, 5, 2]]))[0].tolist()
    [False, True, False, False]
    """
    return (steps_apart(board, reading) < board.sizes(reading)[1]) & ~np.eye(len(board.at), dtype=bool)


def steps_apart(board, reading: str = "strict") -> np.ndarray:
    """The fewest steps between two numbers past every third one, int32 (numbers, numbers); `UNREACHED` for no way.

    >>> from holdstill.puzzles.araf import Araf
    >>> (steps_apart(Araf(1, 4, [[1, 5, 5, 2]])) < UNREACHED)[0].tolist()
    [False, True, False, False]
    """
    return _paths_kernel(around(board.rows, board.cols, reading == "corner"), np.array(board.at, np.int32))


@njit(cache=True)
def _paths_kernel(beside, at):
    """The fewest steps between numbers past all others."""
    k, cells = len(at), len(beside)
    apart, steps, queue = np.full((k, k), UNREACHED, np.int32), np.empty(cells, np.int32), np.empty(cells, np.int32)
    given = np.zeros(cells, np.uint8)
    for i in range(k):
        given[at[i]] = 1
    for i in range(k):
        _steps_kernel(beside, given, at[i], steps, queue)
        for j in range(k):
            for near in beside[at[j]]:
                if near >= 0:
                    apart[i, j] = min(apart[i, j], steps[near] + 1)
    return apart


class Catalogue(NamedTuple):
    """Every room that two numbers could share, sorted by its pair.

    pairs: int32 (p, 2), the numbers that passed the screens and have a room, by their place in `Araf.at`. masks: uint64
    (n, words), the rooms. pair, size: int32 (n,). start: int32 (p + 1,), where the rooms of a pair begin. cover: uint64
    (cells, n bits), the rooms that cover a cell; span: int32 (cells, 2), the first and last word of that with a bit.
    at: int32 (k,), the cells of the numbers; number: int32 (cells,), which is in a cell, -1 for none.
    """

    pairs: np.ndarray
    masks: np.ndarray
    pair: np.ndarray
    size: np.ndarray
    start: np.ndarray
    cover: np.ndarray
    span: np.ndarray
    at: np.ndarray
    number: np.ndarray


def catalogue(board, reading: str = "strict", most: int = MOST_ROOMS) -> Catalogue:
    """The rooms of all pairs that pass the three screens.

    Raises PuzzleError naming the two numbers whose rooms take the count past `most`.

    >>> from holdstill.puzzles.araf import Araf
    >>> from holdstill.counting.shapes import cells_of
    >>> rooms = catalogue(Araf(2, 2, [[1, 3], [1, 4]]))
    >>> [cells_of(mask) for mask in rooms.masks]
    [[0, 1], [2, 3]]
    """
    cells, beside = board.rows * board.cols, around(board.rows, board.cols, reading == "corner")
    left = sizes_fit(board, reading) & near_enough(board, reading) & path_exists(board, reading)
    low, high, hole = board.sizes(reading)
    given = np.zeros(cells, np.uint8)
    given[list(board.at)] = 1
    walk, steps = new_walk(cells), np.empty(cells, np.int32)
    pairs, masks, start = [], [], [0]
    for i, j in np.argwhere(np.triu(left)).tolist():
        a, b = board.at[i], board.at[j]
        given[[a, b]] = 0
        _steps_kernel(beside, given, b, steps, walk.queue)
        _begin_kernel(walk, given, a)
        given[[a, b]] = 1
        found = []
        while not found or len(found[-1]) == CHUNK:
            chunk = np.empty((CHUNK, len(walk.mask)), np.uint64)
            found.append(chunk[: _grow_kernel(beside, steps, int(low[i, j]), int(high[i, j]), walk, chunk)])
            if start[-1] + sum(map(len, found)) > most:
                two = " and ".join(cell_name(cell, board.cols) for cell in (a, b))
                raise PuzzleError(f"more than {most} possible rooms, counted up to those of the numbers at {two}")
        of_pair = np.concatenate(found)
        of_pair = of_pair[np.bitwise_count(of_pair).sum(axis=1) != hole[i, j]]
        if len(of_pair):
            pairs.append((i, j))
            masks.append(of_pair)
            start.append(start[-1] + len(of_pair))
    masks = np.concatenate([np.empty((0, len(walk.mask)), np.uint64), *masks])
    cover, span = _cover_kernel(masks, cells)
    number = np.full(cells, -1, np.int32)
    number[list(board.at)] = np.arange(len(board.at))
    return Catalogue(
        np.array(pairs, np.int32).reshape(-1, 2),
        masks,
        np.repeat(np.arange(len(pairs), dtype=np.int32), np.diff(start)),
        np.bitwise_count(masks).sum(axis=1).astype(np.int32),
        np.array(start, np.int32),
        cover,
        span,
        np.array(board.at, np.int32),
        number,
    )


@njit(cache=True)
def _cover_kernel(masks, cells):
    rooms = len(masks)
    cover, span = np.zeros((cells, (rooms + 63) // 64), np.uint64), np.zeros((cells, 2), np.int32)
    span[:, 1] = -1
    for room in range(rooms):
        for cell in range(cells):
            if masks[room, cell >> 6] & BIT[cell & 63]:
                cover[cell, room >> 6] |= BIT[room & 63]
                if span[cell, 1] < 0:
                    span[cell, 0] = room >> 6
                span[cell, 1] = room >> 6
    return cover, span
