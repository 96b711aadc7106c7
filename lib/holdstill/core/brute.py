"""Brute force: every shading of a small grid, put to the judge.

Shadings are listed cell by cell, pruned by one local rule at most, and the puzzle's own judge has the last word. No
constraint, no propagation: a second opinion that shares no code with the kernel.
"""

from functools import lru_cache

import numpy as np
from numba import njit

from holdstill.core.grid import SHADED, UNSHADED, PuzzleError

MOST_CELLS = 36
CHUNK = 1 << 16


@njit(cache=True)
def _list_kernel(rows, cols, no_touching, no_square, state, cell, out):
    """Fill `out` with the next shadings after the partial one in `state[:cell]`; (how many, where to go on)."""
    found, cells = 0, rows * cols
    while True:
        if cell == cells:
            out[found] = state
            found += 1
            cell -= 1
        elif state[cell] == 0:
            state[cell] = UNSHADED
            cell += 1
            continue
        elif state[cell] == UNSHADED:
            up, left = cell >= cols, cell % cols > 0
            shade = True
            if no_touching and ((up and state[cell - cols] == SHADED) or (left and state[cell - 1] == SHADED)):
                shade = False
            if no_square and up and left:
                corners = state[cell - cols] == SHADED and state[cell - 1] == SHADED
                shade = shade and not (corners and state[cell - cols - 1] == SHADED)
            if shade:
                state[cell] = SHADED
                cell += 1
                continue
            state[cell] = 0
            cell -= 1
        else:
            state[cell] = 0
            cell -= 1
        if cell < 0 or found == len(out):
            return found, cell


@lru_cache(maxsize=4)
def _kept(rows: int, cols: int, prune: str | None) -> tuple[np.ndarray, ...]:
    return tuple(_chunks(rows, cols, prune))


def _chunks(rows: int, cols: int, prune: str | None):
    state, cell = np.zeros(rows * cols, np.int8), 0
    while cell >= 0:
        out = np.empty((CHUNK, rows * cols), np.int8)
        found, cell = _list_kernel(rows, cols, prune == "touching", prune == "square", state, cell, out)
        yield out[:found]


def shadings(rows: int, cols: int, prune: str | None = None):
    """Every shading of the grid in chunks, int8 of shape (up to 65,536, cells).

    `prune` leaves out shadings with two touching shaded cells ("touching") or a shaded 2x2 ("square"). Up to 16 cells,
    or 25 without touching, they are kept for the next call. Raises PuzzleError for more than 36 cells.

    >>> sum(len(chunk) for chunk in shadings(3, 3)), sum(len(chunk) for chunk in shadings(3, 3, "touching"))
    (512, 63)
    """
    if rows * cols > MOST_CELLS:
        raise PuzzleError(f"brute force takes up to {MOST_CELLS} cells, not {rows}x{cols}")
    few = rows * cols <= 16 or (prune == "touching" and rows * cols <= 25)
    return _kept(rows, cols, prune) if few else _chunks(rows, cols, prune)


def answers(puzzle, rules: tuple[str, ...] | None = None) -> np.ndarray:
    """All answers of a small puzzle by its judge alone, int8 of shape (answers, cells), in lexicographic order.

    `rules` are the names of those that count (default: all).
    """
    names = list(puzzle.RULES)
    counted = names if rules is None else rules
    bits = sum(1 << names.index(rule) for rule in counted)
    prune = puzzle.PRUNE if puzzle.PRUNE in counted else None
    chunks = shadings(puzzle.rows, puzzle.cols, prune)
    return np.concatenate([chunk[puzzle.broken(chunk) & bits == 0] for chunk in chunks])
