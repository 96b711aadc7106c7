"""The second opinion on Araf's search: an engine that never thinks, and shares nothing with it."""

import numpy as np
from numba import njit

from holdstill.counting.shapes import BIT, Walk, _begin_kernel, _grow_kernel, around
from holdstill.puzzles.araf import ANY, Araf, _legal_kernel, check_reading


def answers_unscreened(board: Araf, limit: int, reading: str = "strict") -> np.ndarray:
    """Up to `limit` answers by an engine that never thinks: int32 (answers, cells), rooms numbered in reading order.

    Takes the first cell nobody owns, grows every connected set out of it that happens to hold two numbers and a legal
    size, and goes on: the second opinion on the search, which shares nothing with it. For boards up to about 5x5.

    >>> answers_unscreened(Araf(2, 2, [[1, 3], [1, 3]]), 10).tolist()
    [[1, 1, 2, 2]]
    """
    check_reading(reading)
    cells = board.rows * board.cols
    numbers = np.full(cells, ANY - 1, np.int32)
    numbers[list(board.at)] = board.values
    # No room is larger than the largest number, wherever it stands.
    largest = cells if ANY in board.values else min(cells, int(board.values.max()))
    answers = np.empty((limit, cells), np.int32)
    beside = around(board.rows, board.cols, reading == "corner")
    return answers[: _unscreened_kernel(beside, numbers, largest, reading == "inclusive", answers)]


@njit(cache=True)
def _unscreened_kernel(beside, numbers, largest, inclusive, answers):
    cells, rooms = len(numbers), len(numbers) // 2 + 1
    words = (cells + 63) // 64
    queue, seen = np.zeros((rooms, cells), np.int32), np.zeros((rooms, cells), np.uint8)
    # One by one: parts of one array would be of another type, for which the enumerator would be compiled again.
    pick, end = np.zeros((rooms, cells + 2), np.int32), np.zeros((rooms, cells + 2), np.int32)
    near = np.zeros((rooms, cells + 2), np.int32)
    mask, begun = np.zeros((rooms, words), np.uint64), np.zeros((rooms, 1), np.int64)
    steps, one, owner = np.zeros(cells, np.int32), np.zeros((1, words), np.uint64), np.zeros(cells, np.int32)
    found, depth, fresh = 0, 0, True
    while True:
        walk = Walk(queue[depth], pick[depth], end[depth], near[depth], seen[depth], mask[depth], begun[depth])
        if fresh:
            start = 0
            while start < cells and owner[start]:
                start += 1
            if start == cells:
                answers[found] = owner
                found += 1
                if found == len(answers):
                    return found
                fresh = False
                depth -= 1
                continue
            _begin_kernel(walk, (owner > 0).astype(np.uint8), start)
            fresh = False
        for cell in range(cells):
            if owner[cell] == depth + 1:
                owner[cell] = 0
        if _grow_kernel(beside, steps, np.int64(2), largest, walk, one) == 0:
            if depth == 0:
                return found
            depth -= 1
            continue
        size, held, first, second = 0, 0, 0, 0
        for cell in range(cells):
            if one[0, cell >> 6] & BIT[cell & 63]:
                size += 1
                if numbers[cell] >= ANY:
                    held += 1
                    first, second = second, numbers[cell]
        if held == 2 and _legal_kernel(size, first, second, inclusive):
            for cell in range(cells):
                if one[0, cell >> 6] & BIT[cell & 63]:
                    owner[cell] = depth + 1
            depth += 1
            fresh = True
