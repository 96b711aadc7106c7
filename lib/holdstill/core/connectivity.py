"""What "the cells of one colour are one region" forces, found in one articulation walk.

Cells not decided against the colour are *open*. With a cell of the colour somewhere, every open cell that no path
joins to it is a pocket and takes the other colour; an undecided cell whose loss would cut two cells of the colour
apart must take the colour (a cut cell). Doing both is generalised arc consistency for this rule. The walk is
Tarjan's: a child's subtree is severed by a cell when its lowest reachable number is no smaller than the cell's own.
"""

import numpy as np
from numba import njit

from holdstill.core.grid import UNKNOWN

# rows of the walk's scratch
SEEN, CUT, LOW, PARENT, SIDE, OWNED = range(6)


@njit(cache=True)
def _walk_kernel(state, colour, beside, scratch):
    """Number of cells reached from the first cell of the colour, -1 where there is none, -2 where two are apart.

    `scratch` is int32 (6, cells). Row SEEN is left with 0 where a cell was not reached, row CUT with 1 for an
    undecided cell that must take the colour.
    """
    cells = len(state)
    root, total = -1, 0
    for cell in range(cells):
        scratch[SEEN, cell] = 0
        scratch[CUT, cell] = 0
        if state[cell] == colour:
            total += 1
            if root < 0:
                root = cell
    if root < 0:
        return -1
    other = 3 - colour
    scratch[SEEN, root] = scratch[LOW, root] = scratch[OWNED, root] = 1
    scratch[PARENT, root], scratch[SIDE, root] = -1, 0
    clock, cell = 1, root
    while True:
        above, lowest, side = scratch[PARENT, cell], scratch[LOW, cell], scratch[SIDE, cell]
        below = -1
        while side < 4:
            near = beside[cell, side]
            side += 1
            if near < 0 or state[near] == other:
                continue
            met = scratch[SEEN, near]
            if met == 0:
                below = near
                break
            if met < lowest and near != above:
                lowest = met
        if below >= 0:
            scratch[LOW, cell], scratch[SIDE, cell] = lowest, side
            clock += 1
            scratch[SEEN, below] = scratch[LOW, below] = clock
            scratch[PARENT, below], scratch[SIDE, below] = cell, 0
            scratch[OWNED, below] = state[below] == colour
            cell = below
            continue
        if above < 0:
            break
        # The root is a cell of the colour itself, so any severed subtree that owns one is cut from another.
        if lowest >= scratch[SEEN, above] and scratch[OWNED, cell] > 0 and state[above] == UNKNOWN:
            scratch[CUT, above] = 1
        if lowest < scratch[LOW, above]:
            scratch[LOW, above] = lowest
        scratch[OWNED, above] += scratch[OWNED, cell]
        cell = above
    if scratch[OWNED, root] < total:
        return -2
    return clock


@njit(cache=True)
def _flood_kernel(state, colour, beside, without, seen, stack):
    """How many cells of the colour one flood reaches without cell `without` (-1: with all); -1 where there is none."""
    root = -1
    for cell in range(len(state)):
        seen[cell] = 0
        if root < 0 and state[cell] == colour and cell != without:
            root = cell
    if root < 0:
        return -1
    seen[root], stack[0] = 1, root
    top, reached = 1, 0
    while top:
        top -= 1
        cell = stack[top]
        if state[cell] == colour:
            reached += 1
        for k in range(4):
            near = beside[cell, k]
            if near >= 0 and near != without and seen[near] == 0 and state[near] != 3 - colour:
                seen[near] = 1
                stack[top] = near
                top += 1
    return reached


@njit(cache=True)
def _walk_once_kernel(state, colour, beside):
    cells = len(state)
    scratch = np.empty((6, cells), np.int32)
    reached = _walk_kernel(state, colour, beside, scratch)
    pocket, cut = np.zeros(cells, np.bool_), np.zeros(cells, np.bool_)
    if reached >= 0:
        for cell in range(cells):
            pocket[cell] = scratch[SEEN, cell] == 0 and state[cell] == UNKNOWN
            cut[cell] = scratch[CUT, cell] == 1
    return reached != -2, pocket, cut


@njit(cache=True)
def _remove_and_flood_kernel(state, colour, beside):
    cells = len(state)
    seen, stack = np.empty(cells, np.int32), np.empty(cells, np.int32)
    pocket, cut = np.zeros(cells, np.bool_), np.zeros(cells, np.bool_)
    total = 0
    for cell in range(cells):
        if state[cell] == colour:
            total += 1
    if total == 0:
        return True, pocket, cut
    if _flood_kernel(state, colour, beside, -1, seen, stack) < total:
        return False, pocket, cut
    for cell in range(cells):
        pocket[cell] = seen[cell] == 0 and state[cell] == UNKNOWN
    for cell in range(cells):
        if state[cell] == UNKNOWN:
            cut[cell] = _flood_kernel(state, colour, beside, cell, seen, stack) < total
    return True, pocket, cut


def forced(state: np.ndarray, colour: int, beside: np.ndarray) -> tuple[bool, np.ndarray, np.ndarray]:
    """Whether the colour can still be one region, the pockets and the cut cells (bool arrays over the cells).

    `state` is int8 (cells,), `beside` int32 (cells, 4) from `grid.neighbours`. The arrays are meaningless where the
    answer is False.

    >>> from holdstill.core.grid import neighbours
    >>> possible, pocket, cut = forced(np.array([1, 0, 1, 2, 0], np.int8), 1, neighbours(1, 5))
    >>> bool(possible), pocket.tolist(), cut.tolist()
    (True, [False, False, False, False, True], [False, True, False, False, False])
    """
    return _walk_once_kernel(np.ascontiguousarray(state, np.int8), np.int32(colour), beside)


def forced_by_flooding(state: np.ndarray, colour: int, beside: np.ndarray) -> tuple[bool, np.ndarray, np.ndarray]:
    """The same as `forced`, by removing each undecided cell in turn and flooding what is left: judge and rival."""
    return _remove_and_flood_kernel(np.ascontiguousarray(state, np.int8), np.int32(colour), beside)
