"""How many ways a grid can be cut into edge-connected rooms, by dynamic programming over the frontier.

Cells are added in reading order. Of what lies behind, only the frontier matters: the last cell of each column, which of
them are of one room, and which rooms have been *declared apart*, by a wall between two cells. Rooms apart must not be
joined later by another way round; forgetting that counts A264841 instead. What follows a frontier depends on the
column of the next cell alone, so the transitions of each column are recorded once and replayed for every row.
"""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from holdstill.core.grid import PuzzleError, shown
from holdstill.counting.memory import check_memory

MAX_WIDTH, MAX_LENGTH = 11, 1000
MAX_ROOM = 7
# bits of a column's room label, and of a room's size, in a packed frontier
LABEL, SIZE = 4, 3
CHOICES = 4


class Frontiers(NamedTuple):
    """The frontiers before a column's cell is added: `keys` int64 (states, 2), and what they become.

    `next` is int32 (states, 4): the frontiers after the cell, one for each way to add it, -1 where a way is closed. Bit
    0 of a way joins the cell to the one above, bit 1 to the one behind. `ended` is bool (states,): may a cut end here?
    """

    keys: np.ndarray
    next: np.ndarray
    ended: np.ndarray


@njit(cache=True)
def _pack_kernel(label, apart, size, width, largest):
    """The frontier as two words, its rooms numbered in the order of their first columns; what has left is forgotten.

    So is what no longer matters. A room of `largest` cells takes no more, like no room at all. Two rooms that are apart
    cannot meet anyway where both, and the cells between their columns, are too many for one room.
    """
    number = np.zeros(2 * width + 2, np.int64)
    rooms, first, second = 0, np.int64(0), np.int64(0)
    for column in range(width):
        room = label[column]
        if room == 0 or (largest and size[room] == largest):
            continue
        if number[room] == 0:
            rooms += 1
            number[room] = rooms
            if largest:
                first |= size[room] << (LABEL * width + SIZE * (rooms - 1))
        here = number[room]
        first |= here << (LABEL * column)
        for before in range(column):
            other, there = label[before], number[label[before]]
            if there == 0 or not apart[room] >> other & 1:
                continue
            if largest == 0 or size[room] + size[other] + column - before <= largest:
                a, b = max(here, there), min(here, there)
                second |= np.int64(1) << ((a - 1) * (a - 2) // 2 + b - 1)
    return first, second


@njit(cache=True)
def _unpack_kernel(first, second, label, apart, size, width, by_size):
    """How many rooms touch the frontier; fills `label` by column, `apart` (bits) and `size` by room."""
    rooms = 0
    for column in range(width):
        label[column] = first >> (LABEL * column) & 15
        rooms = max(rooms, label[column])
    apart[:] = 0
    bit = 0
    for a in range(1, rooms + 1):
        size[a] = first >> (LABEL * width + SIZE * (a - 1)) & 7 if by_size else 0
        for b in range(1, a):
            if second >> bit & 1:
                apart[a] |= 1 << b
                apart[b] |= 1 << a
            bit += 1
    return rooms


@njit(cache=True)
def _slot_kernel(keys, slots, first, second):
    """Where in `slots` this frontier is, or where it would go."""
    at = first * 0x5851F42D4C957F2D ^ second * 0x14057B7EF767814F
    at = (at ^ (at >> 31)) & (len(slots) - 1)
    while slots[at] >= 0 and (keys[slots[at], 0] != first or keys[slots[at], 1] != second):
        at = (at + 1) & (len(slots) - 1)
    return at


@njit(cache=True)
def _index_kernel(keys, count, slots):
    for one in range(count):
        slots[_slot_kernel(keys, slots, keys[one, 0], keys[one, 1])] = one


@njit(cache=True)
def _expand_kernel(keys, done, count, width, column, step, smallest, largest, onto, next_keys, next_count, next_slots):
    """Add the cell of `column` to frontiers done to count - 1, in every way; how many frontiers follow now.

    The neighbour behind in the row is column - step, where there is one. `onto` is filled with the indices of what
    follows. With `largest` > 0 rooms grow to `largest` cells and end with at least `smallest`.
    """
    by_size = largest > 0
    label, apart = np.zeros(width, np.int64), np.zeros(2 * width + 2, np.int64)
    size = np.zeros(2 * width + 2, np.int64)
    has_behind = 0 <= column - step < width
    for one in range(done, count):
        for choice in range(CHOICES):
            onto[one, choice] = -1
            rooms = _unpack_kernel(keys[one, 0], keys[one, 1], label, apart, size, width, by_size)
            up, behind = label[column], label[column - step] if has_behind else 0
            join_up, join_behind = choice & 1, choice >> 1
            if (join_up and up == 0) or (join_behind and behind == 0):
                continue
            if up == behind and up and join_up != join_behind:
                continue
            if join_up and join_behind and up != behind and apart[up] >> behind & 1:
                continue
            here = rooms + 1
            size[here] = 1
            label[column] = here
            if join_up:
                _merge_kernel(label, apart, size, up, here, width)
            if join_behind and behind != up:
                _merge_kernel(label, apart, size, behind, here, width)
            if up and not join_up:
                apart[here] |= 1 << up
                apart[up] |= 1 << here
            if behind and not join_behind:
                apart[here] |= 1 << behind
                apart[behind] |= 1 << here
            if by_size:
                if size[here] > largest:
                    continue
                ended = up > 0 and not join_up
                for k in range(width):
                    ended &= label[k] != up
                if ended and size[up] < smallest:
                    continue
            first, second = _pack_kernel(label, apart, size, width, largest)
            at = _slot_kernel(next_keys, next_slots, first, second)
            if next_slots[at] < 0:
                next_slots[at] = next_count
                next_keys[next_count, 0], next_keys[next_count, 1] = first, second
                next_count += 1
            onto[one, choice] = next_slots[at]
    return next_count


@njit(cache=True)
def _merge_kernel(label, apart, size, room, into, width):
    """Room `room` becomes part of room `into`: its columns, its size, and whom it is apart from."""
    if room == into:
        return
    for column in range(width):
        if label[column] == room:
            label[column] = into
    size[into] += size[room]
    apart[into] |= apart[room]
    for other in range(len(apart)):
        if apart[room] >> other & 1:
            apart[other] |= 1 << into
    apart[room] = 0


@njit(cache=True)
def _before_kernel(next, after, before):
    """Add up, for each frontier, the ways of what follows it: whole numbers of 64-bit limbs, the lowest first."""
    for one in range(len(next)):
        for choice in range(CHOICES):
            to = next[one, choice]
            if to < 0:
                continue
            carry = np.uint64(0)
            for limb in range(after.shape[1]):
                held = before[one, limb]
                total = held + after[to, limb]
                over = np.uint64(total < held)
                total += carry
                carry = over | np.uint64(total < carry)
                before[one, limb] = total


@njit(cache=True)
def _before_modulo_kernel(next, after, before, primes):
    for one in range(len(next)):
        for choice in range(CHOICES):
            to = next[one, choice]
            if to >= 0:
                for k in range(len(primes)):
                    before[one, k] = (before[one, k] + after[to, k]) % primes[k]


class _Table:
    """The frontiers known before one cell of the sweep, and an index of them."""

    def __init__(self):
        self.keys, self.onto = np.empty((64, 2), np.int64), np.empty((0, CHOICES), np.int32)
        self.slots = np.full(256, -1, np.int32)
        self.count = 0

    def reserve(self, more: int) -> None:
        """Room for so many more frontiers, with at most half of the index in use."""
        wanted = self.count + more
        if wanted > len(self.keys):
            grown = np.empty((max(wanted, 2 * len(self.keys)), 2), np.int64)
            grown[: self.count] = self.keys[: self.count]
            self.keys = grown
        if 2 * wanted > len(self.slots):
            self.slots = np.full(1 << (2 * wanted - 1).bit_length(), -1, np.int32)
            _index_kernel(self.keys, self.count, self.slots)


AT_ONCE = 1 << 16  # frontiers expanded by one call: memory for what follows is reserved for the worst case


def about_frontiers(width: int, largest: int = 0) -> float:
    """About how many frontiers there are before one column, fitted to the widths that were measured.

    >>> round(about_frontiers(5, 5)), len(transitions(5, largest=5)[0].keys)
    (5507, 4932)
    """
    return (1.1 * largest + 0.1) ** width if largest else 0.011 * 6.0**width + 9


def table_bytes(width: int, largest: int = 0) -> float:
    """About how many bytes `transitions` take at their peak.

    >>> round(table_bytes(11) / 1e9, 1)
    3.1
    """
    return 70 * about_frontiers(min(width, 64), largest) * width + 5e6


def transitions(width: int, *, snake: bool = False, smallest: int = 1, largest: int = 0) -> list[Frontiers]:
    """What each frontier becomes, for each cell of a sweep of one row, or with `snake` of two rows there and back.

    Frontiers are closed: what follows the last cell of the sweep is among the frontiers before its first. `largest` 0
    means rooms of any size.

    Raises PuzzleError for a width outside 1 to 11 (9 where rooms have a largest size), for sizes outside 1 to 7, and
    for a table that does not fit this machine's memory.

    >>> [len(one.keys) for one in transitions(3)]
    [7, 10, 11]
    """
    most = 9 if largest else MAX_WIDTH
    if largest and not 1 <= smallest <= largest <= MAX_ROOM:
        raise PuzzleError(f"room sizes run from 1 to {MAX_ROOM}, not {smallest} to {largest}")
    if width < 1:
        raise PuzzleError(f"cuts are counted for a shorter side of 1 to {most}, not {width}")
    needed = table_bytes(width, largest) * (1 + snake)
    if width > most:
        size = f"a table for width {width} would take about {needed / 1e9:.2g} GB"
        raise PuzzleError(f"cuts are counted for a shorter side of 1 to {most}, not {width}: {size}")
    check_memory(needed, f"a table for cuts of width {width}")
    sweep = [(column, 1) for column in range(width)]
    if snake:
        sweep += [(column, -1) for column in reversed(range(width))]
    tables = [_Table() for _ in sweep]
    tables[0].keys[0], tables[0].slots[_slot_kernel(tables[0].keys, tables[0].slots, 0, 0)] = 0, 0
    tables[0].count = 1
    while any(len(table.onto) < table.count for table in tables):
        for at, (column, step) in enumerate(sweep):
            table, after = tables[at], tables[(at + 1) % len(sweep)]
            parts = [table.onto]
            for done in range(len(table.onto), table.count, AT_ONCE):
                end = min(table.count, done + AT_ONCE)
                after.reserve(CHOICES * (end - done))
                part = np.empty((end, CHOICES), np.int32)
                after.count = _expand_kernel(
                    table.keys,
                    done,
                    end,
                    width,
                    column,
                    step,
                    smallest,
                    largest,
                    part,
                    after.keys,
                    after.count,
                    after.slots,
                )
                parts.append(part[done:])
            table.onto = np.concatenate(parts)
    kept = [(table.keys[: table.count], table.onto) for table in tables]
    return [Frontiers(keys, onto, _ended_kernel(keys, width, smallest, largest)) for keys, onto in kept]


def ways_to_finish(
    steps: list[Frontiers], cells: int, words: int, primes: tuple[int, ...] = ()
) -> Iterator[np.ndarray]:
    """How many ways lead from each frontier to a cut of the grid: before the last cell, .. before the first.

    uint64 (states, words), the limbs of a whole number with the lowest first; with `primes`, int64 (states, primes).
    `steps` are the `transitions`, `cells` those of the grid.

    >>> [int(ways[0, 0]) for ways in ways_to_finish(transitions(2), 4, 1)][-1]
    12
    """
    modulus = np.array(primes, np.int64)
    ended = steps[cells % len(steps)].ended
    after = np.zeros((len(ended), len(primes) or words), np.int64 if primes else np.uint64)
    after[ended, 0 : len(primes) or 1] = 1
    for cell in reversed(range(cells)):
        next = steps[cell % len(steps)].next
        before = np.zeros((len(next), after.shape[1]), after.dtype)
        if primes:
            _before_modulo_kernel(next, after, before, modulus)
        else:
            _before_kernel(next, after, before)
        yield before
        after = before


def cuts(
    rows: int, cols: int, *, smallest: int = 1, largest: int = 0, snake: bool = False, primes: tuple[int, ...] = ()
) -> int | list[int]:
    """The number of ways to cut a rows x cols grid into edge-connected rooms, exactly.

    Rooms have `smallest` to `largest` cells (0: any number). `snake` sweeps rows there and back instead of each from
    its left. With `primes`, below 2^62, the remainders modulo each of them instead: less to add up, and other
    arithmetic than the limbs of the exact count. A145835 on the diagonal, A110476 for rectangles (OEIS).

    Raises PuzzleError for a shorter side above 11 (9 with a largest size) or a longer one above 1000, room sizes
    outside 1 to 7, a modulus that does not fit, or a table that this machine has no memory for.

    >>> [cuts(n, n) for n in range(1, 6)]
    [1, 12, 1434, 1691690, 19719299768]
    >>> cuts(4, 4, smallest=2, largest=5), cuts(3, 3, primes=(1009,))
    (21190, [425])
    """
    if any(not 1 < prime < 1 << 62 for prime in primes):
        raise PuzzleError("a modulus lies between 1 and 2^62")
    width = sides(rows, cols)[0]
    steps = transitions(width, snake=snake, smallest=smallest, largest=largest)
    first = deque(ways_to_finish(steps, rows * cols, words(rows, cols), primes), maxlen=1).pop()
    return first[0].tolist() if primes else int(whole(first[:1])[0])


def sides(rows: int, cols: int) -> tuple[int, int]:
    """The shorter side of the grid and the longer one.

    Raises PuzzleError for a side that is no whole number, or above 1000.

    >>> sides(3, 2)
    (2, 3)
    """
    for side in (rows, cols):
        if isinstance(side, bool) or not isinstance(side, (int, np.integer)):
            raise PuzzleError(f"rows and cols are whole numbers, not {shown(side)}")
    if max(rows, cols) > MAX_LENGTH:
        raise PuzzleError(f"cuts are counted for a longer side of up to {MAX_LENGTH}, not {shown(max(rows, cols))}")
    return int(min(rows, cols)), int(max(rows, cols))


def words(rows: int, cols: int) -> int:
    """The 64-bit limbs that hold any count of cuts: a cut is told by which edges of the grid it crosses.

    >>> words(8, 8)
    2
    """
    return (rows * (cols - 1) + cols * (rows - 1)) // 64 + 1


def whole(ways: np.ndarray) -> np.ndarray:
    """Whole numbers from their limbs: an object array of Python integers.

    >>> whole(np.array([[5, 1]], np.uint64)).tolist() == [2**64 + 5]
    True
    """
    return sum(ways[:, limb].astype(object) << 64 * limb for limb in range(ways.shape[1]))


@njit(cache=True)
def _ended_kernel(keys, width, smallest, largest):
    """The frontiers that may be the last: no room on them is too small."""
    label, apart = np.zeros(width, np.int64), np.zeros(2 * width + 2, np.int64)
    size = np.zeros(2 * width + 2, np.int64)
    ended = np.ones(len(keys), np.bool_)
    if largest > 0:
        for one in range(len(keys)):
            rooms = _unpack_kernel(keys[one, 0], keys[one, 1], label, apart, size, width, True)
            for room in range(1, rooms + 1):
                ended[one] &= size[room] >= smallest
    return ended
