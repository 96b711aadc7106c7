"""Fixed polyominoes by a transfer matrix over the frontier of a strip: no polyomino is ever listed.

Polyominoes are counted by the rectangle that bounds them. In a strip of each width, cells are decided column by column;
of what lies behind, only the frontier matters: which of the last `width` cells are taken, which of these hang together,
and whether the strip's first and last row have been met. A frontier keeps how many ways lead to it, by cells used, and
is dropped where too few cells are left to close it (A. R. Conway, J. Phys. A 28 (1995) 335; I. Jensen, J. Stat. Phys.
102 (2001) 865). A rectangle longer than it is wide counts twice, for its other direction.
"""

import numpy as np
from numba import njit

from holdstill.core.grid import PuzzleError

MOST = 32  # cells: 64-bit counts hold a(32), about 5e17, and whatever leads to it
LABEL = 4
TOP, BOTTOM = np.int64(1) << 60, np.int64(1) << 61


@njit(cache=True)
def _slot_kernel(keys, slots, key):
    at = key * 0x5851F42D4C957F2D
    at = (at ^ (at >> 29)) & (len(slots) - 1)
    while slots[at] >= 0 and keys[slots[at]] != key:
        at = (at + 1) & (len(slots) - 1)
    return at


@njit(cache=True)
def _pack_kernel(label, width, flags):
    """The frontier as one word: pieces numbered in the order of their first rows, and the two rows met."""
    number = np.zeros(2 * width + 2, np.int64)
    pieces, key = 0, np.int64(flags)
    for row in range(width):
        piece = label[row]
        if piece and number[piece] == 0:
            pieces += 1
            number[piece] = pieces
        key |= number[piece] << (LABEL * row)
    return key


@njit(cache=True)
def _needed_kernel(label, width, flags, columns, ends):
    """A number of cells without which no polyomino comes of this frontier.

    Each further cell lies beside an earlier one, so it opens at most one row or one column. To open are the rows
    between the frontier and a side of the strip not met yet, the rows of a gap that no piece spans, and `columns`
    more columns. Or else: who crosses such a gap also takes a cell in the row where the gap ends. `ends` is scratch.
    """
    first, last = width, -1
    for row in range(width):
        if label[row]:
            first = min(first, row)
            last = row
            ends[label[row]] = row
    if last < 0:
        return width + columns - 1
    gaps, crossings, before, reach = 0, 0, first, ends[label[first]]
    for row in range(first + 1, last + 1):
        if label[row] == 0:
            continue
        if reach < row:
            gaps += row - before - 1
            crossings += 1
        before, reach = row, max(reach, ends[label[row]])
    rows = gaps
    if not flags & TOP:
        rows += first
    if not flags & BOTTOM:
        rows += width - 1 - last
    return rows + max(columns, crossings)


@njit(cache=True)
def _cell_kernel(keys, ways, count, width, row, columns, most, next_keys, next_ways, next_slots):
    """Decide the cell of `row` for each frontier: how many frontiers follow.

    `columns` columns have to be opened yet, this one included unless it has a cell. `ways` is int64 (frontiers,
    most + 1), by cells used.
    """
    label, ends = np.zeros(width, np.int64), np.zeros(width + 2, np.int64)
    found = 0
    for one in range(count):
        key = keys[one]
        flags = key & (TOP | BOTTOM)
        for taken in range(2):
            for at in range(width):
                label[at] = key >> (LABEL * at) & 15
            left, up = label[row], label[row - 1] if row else 0
            after = flags
            if taken:
                here = width + 1
                label[row] = here
                for at in range(width):
                    if label[at] and (label[at] == left or label[at] == up):
                        label[at] = here
                if row == 0:
                    after |= TOP
                if row == width - 1:
                    after |= BOTTOM
            elif left:
                label[row] = 0
                held = False
                for at in range(width):
                    held |= label[at] == left
                if not held:
                    continue
            wanted = columns
            for at in range(row + 1):
                if label[at]:
                    wanted = max(0, columns - 1)
            needed = _needed_kernel(label, width, after, wanted, ends)
            low = most + 1
            for cells in range(most + 1 - taken):
                if ways[one, cells] and cells + taken + needed <= most:
                    low = cells
                    break
            if low > most:
                continue
            packed = _pack_kernel(label, width, after)
            at = _slot_kernel(next_keys, next_slots, packed)
            if next_slots[at] < 0:
                next_slots[at] = found
                next_keys[found] = packed
                next_ways[found] = 0
                found += 1
            onto = next_slots[at]
            for cells in range(low, most - taken - needed + 1):
                next_ways[onto, cells + taken] += ways[one, cells]
    return found


@njit(cache=True)
def _closed_kernel(keys, ways, count, totals, weight):
    """Add what can end here, one piece that has met both rows, to the totals by size."""
    for one in range(count):
        key = keys[one]
        closed = (key & TOP != 0) and (key & BOTTOM != 0)
        for at in range(15):
            closed &= (key >> (LABEL * at)) & 15 <= 1
        if closed:
            for cells in range(len(totals)):
                totals[cells] += weight * ways[one, cells]


def fixed_polyominoes(most: int) -> list[int]:
    """How many fixed polyominoes have 1, 2, .. `most` cells, exactly: A001168 (OEIS).

    Raises PuzzleError for `most` outside 1 to 32: what leads to a count must fit 64 bits.

    >>> fixed_polyominoes(8)
    [1, 2, 6, 19, 63, 216, 760, 2725]
    """
    if not 1 <= most <= MOST:
        raise PuzzleError(f"polyominoes are counted up to {MOST} cells, not {most}")
    totals = np.zeros(most + 1, np.int64)
    for width in range(1, (most + 1) // 2 + 1):
        keys, ways, count = np.zeros(1, np.int64), np.zeros((1, most + 1), np.int64), 1
        ways[0, 0] = 1
        for column in range(1, most - width + 2):
            for row in range(width):
                slots = np.full(1 << (4 * count + 4).bit_length(), -1, np.int32)
                next_keys, next_ways = np.empty(2 * count, np.int64), np.empty((2 * count, most + 1), np.int64)
                columns = max(0, width - column + 1)
                count = _cell_kernel(keys, ways, count, width, row, columns, most, next_keys, next_ways, slots)
                keys, ways = next_keys, next_ways
            if column >= width:
                _closed_kernel(keys, ways, count, totals, 1 if column == width else 2)
            # the frontier without a cell: nothing was begun in the first column
            held = keys[:count] & ~(TOP | BOTTOM) != 0
            keys, ways, count = keys[:count][held], ways[:count][held], int(held.sum())
    return totals[1:].tolist()
