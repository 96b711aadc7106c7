"""The grid every puzzle lives on: cells, states, regions and words for places.

A cell is `row * cols + col`. A state is an int8 array over the cells: 0 UNKNOWN, 1 UNSHADED, 2 SHADED.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numba import njit

UNKNOWN, UNSHADED, SHADED = 0, 1, 2
MAX_SIDE = 64


class PuzzleError(ValueError):
    """Bad input: one line that names the place."""


def shown(value) -> str:
    """A bad value as an error message shows it: at most 40 characters.

    >>> shown("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."
    """
    text = repr(value)
    return text if len(text) <= 40 else text[:38] + "..."


def check_size(rows: int, cols: int) -> None:
    """Nothing for a grid of 1x1 to 64x64.

    Raises PuzzleError otherwise.

    >>> check_size(65, 3)
    Traceback (most recent call last):
    holdstill.core.grid.PuzzleError: a board has 1 to 64 rows and columns, not 65x3
    """
    for side in (rows, cols):
        if isinstance(side, bool) or not isinstance(side, (int, np.integer)):
            raise PuzzleError(f"rows and cols are whole numbers, not {shown(side)}")
    if not (1 <= rows <= MAX_SIDE and 1 <= cols <= MAX_SIDE):
        raise PuzzleError(f"a board has 1 to {MAX_SIDE} rows and columns, not {rows}x{cols}")


@lru_cache(maxsize=64)
def edges(rows: int, cols: int) -> np.ndarray:
    """The pairs of cells that share an edge, int32 of shape (pairs, 2): across first, then down.

    >>> edges(2, 2).tolist()
    [[0, 1], [2, 3], [0, 2], [1, 3]]
    """
    cell = np.arange(rows * cols, dtype=np.int32).reshape(rows, cols)
    across = np.stack([cell[:, :-1].ravel(), cell[:, 1:].ravel()], axis=1)
    down = np.stack([cell[:-1].ravel(), cell[1:].ravel()], axis=1)
    return np.concatenate([across, down])


@lru_cache(maxsize=64)
def neighbours(rows: int, cols: int) -> np.ndarray:
    """The cells beside each cell, int32 of shape (cells, 4): up, left, right, down; -1 off the grid.

    >>> neighbours(2, 2).tolist()
    [[-1, -1, 1, 2], [-1, 0, -1, 3], [0, -1, 3, -1], [1, 2, -1, -1]]
    """
    return steps_from(rows, cols, ((-1, 0), (0, -1), (0, 1), (1, 0)))


def steps_from(rows: int, cols: int, steps: Sequence[tuple[int, int]]) -> np.ndarray:
    """The cell that each step, of up to one row and one column, leads to: int32 (cells, steps), -1 off the grid.

    >>> steps_from(2, 2, [(0, 0), (1, 1)]).tolist()
    [[0, 3], [1, -1], [2, -1], [3, -1]]
    """
    padded = np.full((rows + 2, cols + 2), -1, np.int32)
    padded[1:-1, 1:-1] = np.arange(rows * cols, dtype=np.int32).reshape(rows, cols)
    return np.stack([padded[1 + y : 1 + y + rows, 1 + x : 1 + x + cols].ravel() for y, x in steps], axis=1)


@njit(cache=True)
def _regions_kernel(labels, beside):
    region = np.full(len(labels), -1, np.int32)
    stack = np.empty(len(labels), np.int32)
    count = 0
    for start in range(len(labels)):
        if region[start] >= 0:
            continue
        region[start] = count
        stack[0] = start
        top = 1
        while top:
            top -= 1
            cell = stack[top]
            for k in range(4):
                near = beside[cell, k]
                if near >= 0 and region[near] < 0 and labels[near] == labels[cell]:
                    region[near] = count
                    stack[top] = near
                    top += 1
        count += 1
    return region


def regions(labels: np.ndarray) -> np.ndarray:
    """The edge-connected pieces of equal labels, numbered in reading order of their first cell.

    `labels` is a 2D array; the result has its shape, int32.

    >>> regions(np.array([[7, 7, 2], [2, 7, 2]])).tolist()
    [[0, 0, 1], [2, 0, 1]]
    """
    rows, cols = labels.shape
    flat = np.ascontiguousarray(labels, np.int32).ravel()
    return _regions_kernel(flat, neighbours(rows, cols)).reshape(rows, cols)


@njit(cache=True)
def _pieces_kernel(state, shaded, column, reached, stack):
    """How many edge-connected pieces the shaded cells make, or all others: for judges, each with its own state.

    `column` gives the column of each cell; `reached` and `stack`, one a cell, are scratch.
    """
    cells, cols, pieces = len(state), column[-1] + 1, 0
    reached[:] = False
    for start in range(cells):
        if reached[start] or (state[start] == SHADED) != shaded:
            continue
        pieces += 1
        reached[start] = True
        stack[0], top = start, 1
        while top:
            top -= 1
            cell = stack[top]
            left, right = column[cell] > 0, column[cell] + 1 < cols
            above, below = cell >= cols, cell + cols < cells
            for step, there in ((-1, left), (1, right), (-cols, above), (cols, below)):
                if there and not reached[cell + step] and (state[cell + step] == SHADED) == shaded:
                    reached[cell + step] = True
                    stack[top] = cell + step
                    top += 1
    return pieces


def cell_name(cell: int, cols: int) -> str:
    """A cell in a message, row and column counted from 1.

    >>> cell_name(10, 8)
    'r2c3'
    """
    return f"r{cell // cols + 1}c{cell % cols + 1}"


def where(cells: Iterable[int], cols: int) -> str:
    """A set of cells in words, rows and columns counted from 1.

    >>> where([9, 10, 11], 8), where([3, 11], 8), where([0, 1, 8, 9], 8), where([0, 9], 8)
    ('row 2, columns 2 to 4', 'rows 1 to 2, column 4', 'rows 1 to 2, columns 1 to 2', 'r1c1 r2c2')
    """
    cells = sorted(int(cell) for cell in cells)
    ys, xs = zip(*(divmod(cell, cols) for cell in cells), strict=True)
    top, bottom, left, right = min(ys), max(ys), min(xs), max(xs)
    if (bottom - top + 1) * (right - left + 1) != len(cells):
        return " ".join(cell_name(cell, cols) for cell in cells)
    row = f"row {top + 1}" if top == bottom else f"rows {top + 1} to {bottom + 1}"
    column = f"column {left + 1}" if left == right else f"columns {left + 1} to {right + 1}"
    return f"{row}, {column}"
