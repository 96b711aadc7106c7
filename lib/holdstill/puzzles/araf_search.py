"""Every answer of an Araf board, found without a list of its rooms.

A board of 6x6 can have a million possible rooms, one of 10x10 has hundreds of millions, so no room is listed here. Of
each number's room the search keeps the cells it must hold, the cells it may hold and the sizes it may have, and draws
what follows until nothing more does:

- a cell that only two numbers can own is theirs, and they are partners;
- a room reaches no farther than its size allows and no farther than one partner's cell;
- a cell is in a room whose pieces, numbers or least size need the way through it (a cut cell);
- the sizes of all rooms in a piece of what is left add up to its cells, which bounds each from the others, and the
  piece holds an even count of numbers.

Then it branches on the cell with the fewest owners, weighed by the numbers that fail most (dom/wdeg: Boussemart,
Hemery, Lecoutre and Sais, ECAI 2004).
"""

import time
from typing import NamedTuple

import numpy as np
from numba import njit

from holdstill.core.grid import PuzzleError
from holdstill.core.search import EXHAUSTED, FULL, OUT_OF_NODES, Found, Stopped
from holdstill.counting.shapes import BIT, around

WORK_A_SLICE = 200_000  # nodes by words of a mask by pairs of numbers: tens of milliseconds
MOST_BYTES = 1 << 30
OUT_OF_LEVELS = 3
FITS = -1
ZERO, ONE = np.uint64(0), np.uint64(1)
# where `counter` keeps the depth + 1 (0: not begun) and the nodes so far
DEPTH, NODES = 0, 1


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


@njit(cache=True)
def _choose_kernel(level, frame, scratch):
    """A cell with few rooms that may own it, next to much trouble: -1 where all is decided."""
    may, must, closed, partner, number = level.may, level.must, level.closed, level.partner, frame.number
    count, weight, fails, tried = scratch.count, scratch.weight, scratch.fails, scratch.tried
    count[:] = 0.0
    weight[:] = 0.0
    for i in range(len(frame.at)):
        if closed[i] or 0 <= partner[i] < i:
            continue
        for w in range(may.shape[1]):
            # A number's cell is open until its partner is known, any other until somebody must have it.
            here = may[i, w]
            while here:
                cell = (w << 6) + _lowest_kernel(here)
                here &= here - ONE
                count[cell] += 1.0
                weight[cell] = max(weight[cell], fails[i])
            here = must[i, w] & ~frame.rim[1, w]
            while here:
                count[(w << 6) + _lowest_kernel(here)] = -1e9
                here &= here - ONE
    best, chosen = np.inf, -1
    for cell in range(len(frame.beside)):
        owners = count[cell]
        if number[cell] >= 0:
            owners = owners - 1.0 if partner[number[cell]] < 0 else 0.0
        if owners > 0.0 and owners / (weight[cell] + tried[cell]) < best:
            best, chosen = owners / (weight[cell] + tried[cell]), cell
    return chosen


@njit(cache=True)
def _owner_kernel(level, frame, fails, cell):
    """The room to try for a cell: the one that failed most."""
    best, chosen = -1.0, -1
    for i in range(len(frame.at)):
        mine = frame.number[cell] == i or level.closed[i] or 0 <= level.partner[i] < i
        if not mine and _holds_kernel(level.may[i], cell) and fails[i] > best:
            best, chosen = fails[i], i
    return chosen


@njit(cache=True)
def _at_kernel(stack, depth):
    return Level(
        stack.may[depth],
        stack.must[depth],
        stack.least[depth],
        stack.most[depth],
        stack.partner[depth],
        stack.closed[depth],
    )


@njit(cache=True)
def _label_kernel(must, answer):
    """Rooms as labels from 1, numbered in reading order of their first cell."""
    answer[:] = 0
    room = 0
    for cell in range(len(answer)):
        if answer[cell]:
            continue
        room += 1
        for i in range(len(must)):
            if _holds_kernel(must[i], cell):
                for other in range(cell, len(answer)):
                    if _holds_kernel(must[i], other):
                        answer[other] = room
                break


@njit(cache=True)
def _search_kernel(stack, frame, scratch, answers, limit, budget):
    """(how many answers this run found, how it ended); the first len(answers) are stored.

    Called again, it goes on, unless it ended FULL.
    """
    counter, cells, owners, changed = scratch.counter, scratch.cell, scratch.owner, scratch.changed
    fails, tried = scratch.fails, scratch.tried
    found = 0
    budget += counter[NODES]
    depth, failed = max(0, counter[DEPTH] - 1), FITS
    if counter[DEPTH] == 0:
        changed[:] = True
        failed = _propagate_kernel(_at_kernel(stack, depth), frame, scratch)
    while True:
        level = _at_kernel(stack, depth)
        if failed == FITS:
            if counter[NODES] >= budget or depth + 1 == len(stack.may):
                counter[DEPTH] = depth + 1
                return found, OUT_OF_NODES if counter[NODES] >= budget else OUT_OF_LEVELS
            cell = _choose_kernel(level, frame, scratch)
            if cell >= 0:
                owner = _owner_kernel(level, frame, fails, cell)
                cells[depth], owners[depth] = cell, owner
                depth += 1
                below = _at_kernel(stack, depth)
                below.may[:] = level.may
                below.must[:] = level.must
                below.least[:] = level.least
                below.most[:] = level.most
                below.partner[:] = level.partner
                below.closed[:] = level.closed
                below.must[owner, cell >> 6] |= BIT[cell & 63]
                changed[:] = False
                changed[owner] = True
                counter[NODES] += 1
                failed = _propagate_kernel(below, frame, scratch)
                if failed != FITS:
                    fails[failed] += 1.0
                    tried[cell] += 1.0
                continue
            if found < len(answers):
                _label_kernel(level.must, answers[found])
            found += 1
            if found == limit:
                return found, FULL
        if depth == 0:
            return found, EXHAUSTED
        depth -= 1
        level, cell, owner = _at_kernel(stack, depth), cells[depth], owners[depth]
        changed[:] = False
        changed[owner] = True
        level.may[owner, cell >> 6] &= ~BIT[cell & 63]
        if frame.number[cell] >= 0:
            _part_kernel(level, frame, changed, owner, frame.number[cell])
        counter[NODES] += 1
        failed = _propagate_kernel(level, frame, scratch)
        if failed != FITS:
            fails[failed] += 1.0
            tried[cell] += 1.0


@njit(cache=True)
def _start_kernel(level, frame):
    """A level with what the board says and no more."""
    may, must, at, given = level.may, level.must, frame.at, frame.rim[1]
    level.least[:], level.most[:], level.partner[:], level.closed[:] = 2, len(frame.beside), -1, False
    must[:] = ZERO
    for i in range(len(at)):
        must[i, at[i] >> 6] = BIT[at[i] & 63]
        for w in range(may.shape[1]):
            may[i, w] = (frame.rim[0, w] & ~given[w]) | must[i, w]
        for j in range(len(at)):
            if frame.low[i, j] <= frame.high[i, j]:
                may[i, at[j] >> 6] |= BIT[at[j] & 63]


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


class Solver:
    """A search that starts anew for each question, in memory that it keeps.

    Raises PuzzleError for a board so large that its levels would not fit in memory.
    """

    def __init__(self, frame: Frame):
        k, words, cells = len(frame.at), frame.rim.shape[1], len(frame.beside)
        self.frame = frame
        self.stack = Level(
            np.zeros((0, k, words), np.uint64),
            np.zeros((0, k, words), np.uint64),
            np.zeros((0, k), np.int32),
            np.zeros((0, k), np.int32),
            np.zeros((0, k), np.int32),
            np.zeros((0, k), np.bool_),
        )
        self.scratch = Scratch(
            np.zeros((6, words), np.uint64),
            np.zeros((11, cells), np.int32),
            np.zeros(k, np.bool_),
            np.zeros(cells),
            np.zeros(cells),
            np.ones(k + 1),
            np.ones(cells),
            np.zeros(0, np.int32),
            np.zeros(0, np.int32),
            np.zeros(2, np.int64),
        )
        self._deepen(16)

    def _deepen(self, more: int) -> None:
        def longer(part):
            return np.concatenate([part, np.zeros((more, *part.shape[1:]), part.dtype)])

        if 2 * (self.stack.may.nbytes + longer(self.stack.may[:0]).nbytes) > MOST_BYTES:
            cells, numbers = len(self.frame.beside), len(self.frame.at)
            raise PuzzleError(f"the search has no room for a board of {cells} cells with {numbers} numbers")
        self.stack = Level(*map(longer, self.stack))
        self.scratch = self.scratch._replace(cell=longer(self.scratch.cell), owner=longer(self.scratch.owner))

    def start(self, number: int = 0, size: int = 0) -> None:
        """Stand before the first node; the room of `number` has just this `size`, where that is not 0."""
        level = Level(*(part[0] for part in self.stack))
        _start_kernel(level, self.frame)
        if size:
            level.least[number] = level.most[number] = size
        self.scratch.fails[:], self.scratch.tried[:], self.scratch.counter[:] = 1.0, 1.0, 0

    def run(self, answers: np.ndarray, limit: int, nodes: int) -> tuple[int, bool]:
        """Go on for about `nodes` nodes: how many answers were found, and whether there is no more to do."""
        found, ended = 0, OUT_OF_LEVELS
        while ended == OUT_OF_LEVELS:
            more, ended = _search_kernel(self.stack, self.frame, self.scratch, answers[found:], limit - found, nodes)
            found += more
            if ended == OUT_OF_LEVELS:
                self._deepen(len(self.stack.may))
        return found, ended != OUT_OF_NODES


def search(
    board,
    limit: int,
    *,
    reading: str = "strict",
    store: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
) -> Found:
    """Up to `limit` answers of an Araf board: int32 states, rooms labelled from 1 in reading order of their first cell.

    At most `store` answers are kept (default: all up to the limit). `seconds` and `nodes` end the search early.
    `complete` is True where the count is exact, or the limit was reached.

    Raises PuzzleError for a board so large that the search would not fit in memory, Stopped with what is known on
    Ctrl-C.

    >>> from holdstill.puzzles.araf import Araf
    >>> search(Araf(2, 2, [[1, 3], [1, 3]]), 10).answers.tolist()
    [[1, 1, 2, 2]]
    """
    solver = Solver(frame_of(board.rows, board.cols, board.at, board.sizes(reading), reading == "corner"))
    kept = np.empty((limit if store is None else store, board.rows * board.cols), np.int32)
    begun, found, complete = time.monotonic(), 0, False
    slice_nodes = max(1, WORK_A_SLICE // solver.frame.rim.shape[1] // len(board.at) ** 2)
    solver.start()
    try:
        while not complete:
            spent = int(solver.scratch.counter[NODES])
            if (nodes is not None and spent >= nodes) or (seconds is not None and time.monotonic() - begun > seconds):
                break
            step = slice_nodes if nodes is None else min(slice_nodes, nodes - spent)
            more, complete = solver.run(kept[found:], limit - found, step)
            found += more
    except KeyboardInterrupt:
        raise Stopped(Found(found, kept[:found], False)) from None
    return Found(found, kept[:found], complete)
