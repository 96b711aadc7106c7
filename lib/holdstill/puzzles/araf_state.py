"""What is known of an Araf board's rooms while it is solved: masks of cells, sizes and partners, a number at a time.

A board of 6x6 can have a million possible rooms, one of 10x10 has hundreds of millions, so no room is listed here. Of
each number's room the search keeps the cells it must hold, the cells it may hold and the sizes it may have.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from holdstill.counting.shapes import BIT, around

FITS = -1  # what propagation says instead of the number whose room cannot be
ZERO, ONE = np.uint64(0), np.uint64(1)


class Frame(NamedTuple):
    """What a board says, for the kernels; k numbers, masks of `words` uint64.

    at: int32 (k,), the cell of each number. number: int32 (64 * words,), the number in each cell, -1 for none. low,
    high, hole: int32 (k, k), the sizes of a room of two numbers: from low to high (none where high < low), but not
    hole. rim: uint64 (4, words): all cells, those with a number, those not in the first column, not in the last.
    beside: int32 (cells, 4 or 8). cols: the width.
    """

    at: np.ndarray
    number: np.ndarray
    low: np.ndarray
    high: np.ndarray
    hole: np.ndarray
    rim: np.ndarray
    beside: np.ndarray
    cols: int


class Level(NamedTuple):
    """What is known of each number's room at one depth of the search, or at all of them in one stack.

    may, must: uint64 (k, words), the cells it may hold and the cells it must. least, most: int32 (k,), its size.
    partner: int32 (k,), the other number, -1 while it is not known. closed: bool (k,), whether may == must.
    """

    may: np.ndarray
    must: np.ndarray
    least: np.ndarray
    most: np.ndarray
    partner: np.ndarray
    closed: np.ndarray


class Scratch(NamedTuple):
    """Room to work in. masks: uint64 (6, words). walk: int32 (11, cells). changed: bool (k,), rooms to look at again.

    count, weight: float64 (cells,), for the choice of a cell. fails: float64 (k + 1,), how often a number's room
    failed, the last for none in particular. tried: float64 (cells,), how often branching on a cell failed. cell, owner:
    int32 (levels,), the decisions. counter: int64 (2,).
    """

    masks: np.ndarray
    walk: np.ndarray
    changed: np.ndarray
    count: np.ndarray
    weight: np.ndarray
    fails: np.ndarray
    tried: np.ndarray
    cell: np.ndarray
    owner: np.ndarray
    counter: np.ndarray


@njit(cache=True)
def _bits_kernel(word):
    word = word - ((word >> ONE) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True)
def _lowest_kernel(word):
    """The place of the lowest bit that is set."""
    return _bits_kernel((word & (~word + ONE)) - ONE)


@njit(cache=True)
def _size_kernel(mask):
    size = 0
    for w in range(len(mask)):
        size += _bits_kernel(mask[w])
    return size


@njit(cache=True)
def _holds_kernel(mask, cell):
    return mask[cell >> 6] & BIT[cell & 63] != ZERO


@njit(cache=True)
def _spread_kernel(mask, out, frame):
    """The cells of a mask and all cells beside them."""
    rim, cols, words = frame.rim, frame.cols, len(mask)
    inner_left, inner_right = rim[2], rim[3]
    king = frame.beside.shape[1] == 8
    up, back = np.uint64(cols & 63), np.uint64((64 - cols) & 63)
    for w in range(words):
        word = mask[w]
        wide = word | ((word & inner_right[w]) << ONE) | ((word & inner_left[w]) >> ONE)
        if w > 0:
            wide |= (mask[w - 1] & inner_right[w - 1]) >> np.uint64(63)
        if w + 1 < words:
            wide |= (mask[w + 1] & inner_left[w + 1]) << np.uint64(63)
        out[w] = wide
    before = ZERO
    for w in range(words):
        word, after = (out[w] if king else mask[w]), ZERO
        if w + 1 < words:
            after = out[w + 1] if king else mask[w + 1]
        tall = before | after
        if cols < 64:
            tall = (word << up) | (word >> up) | (before >> back) | (after << back)
        before = word
        out[w] = (out[w] | tall) & rim[0, w]


@njit(cache=True)
def _flood_kernel(piece, within, beyond, frame):
    """Let a piece grow to all of its part of `within`."""
    grew = True
    while grew:
        grew = False
        _spread_kernel(piece, beyond, frame)
        for w in range(len(piece)):
            here = beyond[w] & within[w]
            if here != piece[w]:
                piece[w], grew = here, True


@njit(cache=True)
def _part_kernel(level, frame, changed, i, j):
    """Numbers i and j share no room."""
    a, b = frame.at[i], frame.at[j]
    level.may[i, b >> 6] &= ~BIT[b & 63]
    level.may[j, a >> 6] &= ~BIT[a & 63]
    changed[i] = changed[j] = True


@njit(cache=True)
def _keep_kernel(level, frame, changed, i, kept):
    """Number i's room stays within `kept`; the partners it loses lose it."""
    may, number, partner = level.may, frame.number, level.partner[i]
    for w in range(len(kept)):
        gone = may[i, w] & ~kept[w]
        if gone == ZERO:
            continue
        changed[i] = True
        lost = gone & frame.rim[1, w]
        may[i, w] ^= gone
        if partner >= 0:
            may[partner, w] = may[i, w]
        while lost:
            _part_kernel(level, frame, changed, i, number[(w << 6) + _lowest_kernel(lost)])
            lost &= lost - ONE


@njit(cache=True)
def _marry_kernel(level, frame, changed, i, j):
    """Numbers i and j share a room, and nobody else does."""
    may, must, at, given = level.may, level.must, frame.at, frame.rim[1]
    a, b = at[i], at[j]
    for other in range(len(at)):
        if other != i and other != j:
            if _holds_kernel(may[other], a):
                _part_kernel(level, frame, changed, i, other)
            if _holds_kernel(may[other], b):
                _part_kernel(level, frame, changed, j, other)
    for w in range(may.shape[1]):
        may[i, w] &= may[j, w] | given[w]
        must[i, w] |= must[j, w]
    may[i, b >> 6] |= BIT[b & 63]
    may[j] = may[i]
    must[j] = must[i]
    level.partner[i], level.partner[j] = j, i
    changed[i] = changed[j] = True


def frame_of(rows: int, cols: int, at: np.ndarray, sizes: tuple[np.ndarray, ...], corner: bool = False) -> Frame:
    """A board as the kernels see it: its size, the cells of its numbers, and what `Araf.sizes` says of them."""
    grid, words = np.arange(rows * cols), -(-rows * cols // 64)
    at = np.array(at, np.int32)
    number = np.full(64 * words, -1, np.int32)
    number[at] = np.arange(len(at))
    rim = np.stack([_mask(cells, words) for cells in (grid, at, grid[grid % cols > 0], grid[grid % cols < cols - 1])])
    return Frame(at, number, *sizes, rim, around(rows, cols, corner), cols)


def _mask(cells: np.ndarray, words: int) -> np.ndarray:
    bits = np.zeros(64 * words, np.uint8)
    bits[cells] = 1
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)
