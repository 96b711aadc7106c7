"""How many ways a small grid can be cut into rooms, counted room by room: a second opinion, and for rooms by corners.

The room of the first cell that is free is any connected set of free cells through it, as the enumerator lists them.
What is free then is all that matters, so the ways that lead to each set of free cells are added up, from the whole grid
down to nothing.
"""

import numpy as np
from numba import njit

from holdstill.core.grid import PuzzleError, check_size
from holdstill.counting.memory import check_memory
from holdstill.counting.shapes import CHUNK, _begin_kernel, _grow_kernel, around, new_walk

MOST_CELLS = 25  # there are 4.6e18 ways to put 25 cells into blocks, the last number of them within 64 bits


@njit(cache=True)
def _by_rooms_kernel(beside, smallest, largest, walk, ways, masks):
    cells, steps = len(beside), np.zeros(len(beside), np.int32)
    taken = np.zeros(cells, np.uint8)
    ways[-1] = 1
    for free in range(len(ways) - 1, 0, -1):
        if ways[free] == 0:
            continue
        first = cells
        for cell in range(cells - 1, -1, -1):
            taken[cell] = 1 - (free >> cell & 1)
            if not taken[cell]:
                first = cell
        _begin_kernel(walk, taken, first)
        found = len(masks)
        while found == len(masks):
            found = _grow_kernel(beside, steps, smallest, largest, walk, masks)
            for one in range(found):
                ways[free ^ np.int64(masks[one, 0])] += ways[free]


def cuts_by_rooms(rows: int, cols: int, *, king: bool = False, smallest: int = 1, largest: int = 0) -> int:
    """The number of ways to cut a rows x cols grid into rooms of `smallest` to `largest` cells (0: any number).

    With `king`, rooms hold together by corners too. For grids of up to 25 cells.

    Raises PuzzleError for a larger grid, with the memory it would take, and for bad sizes.

    >>> cuts_by_rooms(3, 3), cuts_by_rooms(2, 2, king=True), cuts_by_rooms(4, 4, smallest=2, largest=5)
    (1434, 15, 21190)
    """
    check_size(rows, cols)
    cells = rows * cols
    if smallest < 1 or 0 < largest < smallest or largest < 0:
        raise PuzzleError(f"rooms have 1 cell or more, not {smallest} to {largest}")
    if cells > MOST_CELLS:
        needed = f"{rows}x{cols} would take {8 * 2.0 ** min(cells, 1000) / 1e9:,.3g} GB"
        raise PuzzleError(f"cuts are counted room by room up to {MOST_CELLS} cells: {needed}")
    check_memory(8.0 * 2**cells, f"counting the cuts of a {rows}x{cols} grid room by room")
    ways, masks = np.zeros(1 << cells, np.int64), np.empty((CHUNK, 1), np.uint64)
    most = min(largest or cells, cells)
    _by_rooms_kernel(around(rows, cols, king), int(smallest), int(most), new_walk(cells), ways, masks)
    return int(ways[0])
