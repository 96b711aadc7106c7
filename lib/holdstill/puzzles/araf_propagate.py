"""What follows from what is known of an Araf board's rooms, drawn until nothing more does.

- A cell that only two numbers can own is theirs, and they are partners.
- A room reaches no farther than its size allows and no farther than one partner's cell.
- A cell is in a room whose pieces, numbers or least size need the way through it (a cut cell).
- The sizes of all rooms in a piece of what is left add up to its cells, which bounds each from the others, and the
  piece holds an even count of numbers.
"""

import numpy as np
from numba import njit

from holdstill.counting.shapes import BIT
from holdstill.puzzles.araf_state import (
    FITS,
    ONE,
    ZERO,
    _bits_kernel,
    _flood_kernel,
    _holds_kernel,
    _keep_kernel,
    _lowest_kernel,
    _marry_kernel,
    _part_kernel,
    _size_kernel,
    _spread_kernel,
)


@njit(cache=True)
def _owners_kernel(level, frame, scratch):
    """Every cell has two numbers that can own it; where there are but two, they do. Cells owned are nobody else's."""
    may, must, partner, changed = level.may, level.must, level.partner, scratch.changed
    once, twice, more = scratch.masks[0], scratch.masks[1], scratch.masks[2]
    k, words = may.shape
    once[:] = ZERO
    twice[:] = ZERO
    more[:] = ZERO
    for i in range(k):
        for w in range(words):
            here = may[i, w]
            more[w] |= twice[w] & here
            twice[w] |= once[w] & here
            once[w] |= here
    for w in range(words):
        if twice[w] != frame.rim[0, w]:
            return False
        twice[w] &= ~more[w]
    for i in range(k):
        owned = 0
        for w in range(words):
            new = may[i, w] & twice[w] & ~must[i, w]
            if new:
                must[i, w] |= new
                changed[i] = True
            owned += _bits_kernel(must[i, w])
        # a number's own cell is kept from all but its possible partners already
        if owned == 1:
            continue
        for j in range(k):
            if j == i or j == partner[i]:
                continue
            shares, partners = False, partner[i] < 0 and _holds_kernel(may[i], frame.at[j])
            for w in range(words):
                if must[i, w] & must[j, w]:
                    shares = True
                if not partners and may[j, w] & must[i, w]:
                    may[j, w] &= ~must[i, w]
                    changed[j] = True
            if shares:
                if not partners:
                    return False
                _marry_kernel(level, frame, changed, i, j)
    return True


@njit(cache=True)
def _sizes_kernel(level, frame, scratch):
    """Sizes of rooms from those of their possible partners; FITS, or the number that has none left."""
    may, least, most, partner, changed = level.may, level.least, level.most, level.partner, scratch.changed
    low, high, at = frame.low, frame.high, frame.at
    for i in range(len(at)):
        if level.closed[i]:
            continue
        j = partner[i]
        if j >= 0:
            small, large = max(low[i, j], least[i], least[j]), min(high[i, j], most[i], most[j])
        else:
            small, large, count, last = np.int32(1 << 20), np.int32(0), 0, np.int64(-1)
            for j in range(len(at)):
                if j == i or not _holds_kernel(may[i], at[j]):
                    continue
                a, b = max(low[i, j], least[i], least[j]), min(high[i, j], most[i], most[j])
                if a > b:
                    _part_kernel(level, frame, changed, i, j)
                else:
                    small, large, count, last = min(small, a), max(large, b), count + 1, j
            if count == 1:
                _marry_kernel(level, frame, changed, i, last)
        if small > least[i] or large < most[i]:
            changed[i] = True
            least[i], most[i] = max(small, least[i]), min(large, most[i])
        if least[i] > most[i]:
            return i
    return FITS


@njit(cache=True)
def _reach_kernel(level, frame, scratch, i):
    """A room goes no farther than its size lets it, through one partner's cell at most."""
    may, must, most, given = level.may, level.must, level.most, frame.rim[1]
    near, past, beyond = scratch.masks[0], scratch.masks[1], scratch.masks[2]
    around_past, others = scratch.masks[3], scratch.masks[4]
    words = may.shape[1]
    single, a = level.partner[i] < 0, frame.at[i]
    for w in range(words):
        near[w], past[w] = must[i, w], ZERO
        others[w] = given[w] if single else ZERO
    others[a >> 6] &= ~BIT[a & 63]
    size = _size_kernel(must[i])
    for steps in range(1, most[i] - size + 1):
        grew = False
        _spread_kernel(near, beyond, frame)
        if single:
            _spread_kernel(past, around_past, frame)
        for w in range(words):
            here = beyond[w] & may[i, w]
            partners = here & others[w] & ~past[w]
            here &= ~others[w]
            if here != near[w]:
                near[w], grew = near[w] | here, True
            if single:
                there = (around_past[w] & may[i, w] & ~others[w]) | past[w]
                while partners:
                    place = _lowest_kernel(partners)
                    j = frame.number[(w << 6) + place]
                    if size + steps <= min(frame.high[i, j], most[j]):
                        there |= BIT[place]
                    partners &= partners - ONE
                if there != past[w]:
                    past[w], grew = there, True
        if not grew:
            break
    for w in range(words):
        near[w] |= past[w]
    _keep_kernel(level, frame, scratch.changed, i, near)


@njit(cache=True)
def _ways_kernel(level, frame, scratch, i):
    """One walk over the cells a room may hold: is it in one piece and large enough, and which cells does it need?"""
    must, may, changed = level.must[i], level.may[i], scratch.changed
    number, beside, partner = frame.number, frame.beside, level.partner[i]
    seen, low, parent, side, order = scratch.walk[:5]
    owned, partners, free = scratch.walk[5:8]  # in the subtree of a cell
    cut_owned, cut_partners, cut_free = scratch.walk[8:11]  # in the subtrees that a cell cuts off
    root = frame.at[i]
    seen[:] = 0
    order[0], clock, cell = root, 1, root
    seen[root], low[root], parent[root], side[root] = 1, 1, -1, 0
    owned[root], partners[root], free[root] = 1, 0, 0
    while True:
        if side[cell] < beside.shape[1]:
            near = beside[cell, side[cell]]
            side[cell] += 1
            if near < 0 or not _holds_kernel(may, near):
                continue
            if seen[near] == 0:
                order[clock] = near
                clock += 1
                seen[near], low[near], parent[near], side[near] = clock, clock, cell, 0
                owned[near] = _holds_kernel(must, near)
                partners[near] = number[near] >= 0
                free[near] = 1 - partners[near]
                cut_owned[near], cut_partners[near], cut_free[near] = 0, 0, 0
                cell = near
            elif seen[near] < low[cell] and near != parent[cell]:
                low[cell] = seen[near]
            continue
        above = parent[cell]
        if above < 0:
            break
        if low[cell] >= seen[above]:
            cut_owned[above] += owned[cell]
            cut_partners[above] += partners[cell]
            cut_free[above] += free[cell]
        low[above] = min(low[above], low[cell])
        owned[above] += owned[cell]
        partners[above] += partners[cell]
        free[above] += free[cell]
        cell = above
    size, room = _size_kernel(must), free[root] + 2
    if owned[root] < size or partners[root] == 0 or room < level.least[i]:
        return False
    if room < level.most[i]:
        level.most[i], changed[i] = room, True
    if clock < _size_kernel(may):
        kept = scratch.masks[0]
        kept[:] = ZERO
        for k in range(clock):
            kept[order[k] >> 6] |= BIT[order[k] & 63]
        _keep_kernel(level, frame, changed, i, kept)
    for k in range(1, clock):
        cell = order[k]
        if _holds_kernel(must, cell):
            continue
        lost, apart = cut_free[cell], cut_partners[cell]
        if number[cell] >= 0:
            apart += 1
        else:
            lost += 1
        if cut_owned[cell] > 0 or apart == partners[root] or room - lost < level.least[i]:
            must[cell >> 6] |= BIT[cell & 63]
            size += 1
            changed[i] = True
    if size > level.most[i]:
        return False
    if size > level.least[i]:
        level.least[i], changed[i] = size, True
    if partner >= 0:
        level.must[partner], level.least[partner], level.most[partner] = must, level.least[i], level.most[i]
    return True


@njit(cache=True)
def _close_kernel(level, frame, scratch, i):
    """A room with nothing open is what it is: has it a size it may have, and is it in one piece?"""
    j, may, must = level.partner[i], level.may, level.must
    small, large, size = level.least[i], level.most[i], _size_kernel(must[i])
    if size == large:
        _keep_kernel(level, frame, scratch.changed, i, must[i])
    for w in range(may.shape[1]):
        if may[i, w] != must[i, w]:
            return True
    level.closed[i] = level.closed[j] = True
    level.least[i], level.least[j], level.most[i], level.most[j] = size, size, size, size
    piece, beyond = scratch.masks[0], scratch.masks[1]
    piece[:] = ZERO
    piece[frame.at[i] >> 6] = BIT[frame.at[i] & 63]
    _flood_kernel(piece, must[i], beyond, frame)
    return small <= size <= large and size != frame.hole[i, j] and size == _size_kernel(piece)


@njit(cache=True)
def _pieces_kernel(level, frame, scratch):
    """Each piece of what is left holds an even count of numbers, and their rooms fill it: sizes bound each other."""
    left, piece, beyond = scratch.masks[0], scratch.masks[1], scratch.masks[2]
    may, least, most, at, changed = level.may, level.least, level.most, frame.at, scratch.changed
    k, words = may.shape
    left[:] = frame.rim[0]
    for i in range(k):
        if level.closed[i]:
            for w in range(words):
                left[w] &= ~may[i, w]
    while True:
        piece[:] = ZERO
        for w in range(words):
            if left[w]:
                piece[w] = left[w] & (~left[w] + ONE)
                break
        _flood_kernel(piece, left, beyond, frame)
        cells = 0
        for w in range(words):
            cells += _bits_kernel(piece[w])
            left[w] &= ~piece[w]
        if cells == 0:
            return True
        # Each room is met twice, once for each of its numbers.
        held, small, large = 0, 0, 0
        for i in range(k):
            if _holds_kernel(piece, at[i]):
                held, small, large = held + 1, small + least[i], large + most[i]
        if held == 0 or held % 2 or small > 2 * cells or large < 2 * cells:
            return False
        for i in range(k):
            if not _holds_kernel(piece, at[i]):
                continue
            a, b = 2 * cells, 0
            for j in range(k):
                if j != i and _holds_kernel(may[i], at[j]):
                    a = min(a, 2 * cells - large + most[i] + most[j])
                    b = max(b, 2 * cells - small + least[i] + least[j])
            a, b = (a + 1) // 2, b // 2
            if a > least[i] or b < most[i]:
                least[i], most[i], changed[i] = max(a, least[i]), min(b, most[i]), True
                if least[i] > most[i]:
                    return False


@njit(cache=True)
def _propagate_kernel(level, frame, scratch):
    """Draw all that follows: FITS, or the number whose room cannot be (k for no one number)."""
    partner, closed, changed, k = level.partner, level.closed, scratch.changed, len(frame.at)
    while True:
        if not _owners_kernel(level, frame, scratch):
            return k
        failed = _sizes_kernel(level, frame, scratch)
        if failed != FITS:
            return failed
        quiet = True
        for i in range(k):
            j = partner[i]
            if closed[i] or not (changed[i] or (j >= 0 and changed[j])) or (j >= 0 and j < i):
                continue
            quiet, changed[i] = False, False
            if j >= 0:
                changed[j] = False
                for w in range(level.may.shape[1]):
                    level.may[i, w] &= level.may[j, w]
                    level.must[i, w] |= level.must[j, w]
                level.may[j], level.must[j] = level.may[i], level.must[i]
                level.least[i] = level.least[j] = max(level.least[i], level.least[j], frame.low[i, j])
                level.most[i] = level.most[j] = min(level.most[i], level.most[j], frame.high[i, j])
            for w in range(level.may.shape[1]):
                if level.must[i, w] & ~level.may[i, w]:
                    return i
            if _size_kernel(level.must[i]) > level.most[i]:
                return i
            _reach_kernel(level, frame, scratch, i)
            if not _ways_kernel(level, frame, scratch, i):
                return i
            if j >= 0 and not _close_kernel(level, frame, scratch, i):
                return i
        if quiet:
            for i in range(k):
                changed[i] = False
            if not _pieces_kernel(level, frame, scratch):
                return k
            quiet = True
            for i in range(k):
                if changed[i]:
                    quiet = False
            if quiet:
                return FITS
