"""Araf's rungs: each strikes rooms off the catalogue, and a cell is named where one room is left to cover it.

- `pair`: the screens and nothing else.
- `cell`: four propagations. A cell that one room can cover fixes that room; so does a number that one room can serve; a
  number whose rooms all share a partner marries the two; a cell whose rooms all belong to one pair pins that pair's
  room to it.
- `ration`: on top of that, assume a room, propagate, and strike it off where that ends in a contradiction, or where the
  cells still open are fewer than the sizes that the open numbers need, or more than they can take.
"""

from itertools import groupby

import numpy as np
from numba import njit

from holdstill.core.grid import PuzzleError, cell_name, shown, where
from holdstill.core.ladder import Step
from holdstill.counting.shapes import BIT, cells_of
from holdstill.puzzles.araf_rooms import Catalogue, catalogue

RUNGS = ("pair", "cell", "ration")
MOST_RATIONED = 50_000  # rooms that `ration` assumes one by one
COVER, SERVE, MARRY, PIN, STRIKE, STUCK, SHORT = range(7)
RULES = ("cover", "serve", "marry", "pin", "ration", "stuck", "ration")
NOTHING = np.uint64(0)


@njit(cache=True)
def _first_kernel(live, cover, low, high):
    """The first live room of a cell, -1 for none."""
    for w in range(low, high + 1):
        word = live[w] & cover[w]
        if word:
            place = 0
            while not word & BIT[place]:
                place += 1
            return (w << 6) + place
    return -1


@njit(cache=True)
def _last_kernel(live, cover, low, high):
    for w in range(high, low - 1, -1):
        word = live[w] & cover[w]
        if word:
            place = 63
            while not word & BIT[place]:
                place -= 1
            return (w << 6) + place
    return -1


@njit(cache=True)
def _fix_kernel(rooms, live, settled, room):
    """This room is in the answer: strike off all that overlap it."""
    cover, mask = rooms.cover, rooms.masks[room]
    for cell in range(len(cover)):
        if mask[cell >> 6] & BIT[cell & 63]:
            settled[cell] = room
            for w in range(rooms.span[cell, 0], rooms.span[cell, 1] + 1):
                live[w] &= ~cover[cell, w]
    live[room >> 6] |= BIT[room & 63]


@njit(cache=True)
def _inside_kernel(first, last, w):
    """Word w of a set of rooms that holds those from the first to the last."""
    if w < first >> 6 or w > last >> 6:
        return NOTHING
    inside = ~NOTHING
    if w == first >> 6:
        inside &= ~(BIT[first & 63] - np.uint64(1))
    if w == last >> 6:
        inside &= (BIT[last & 63] - np.uint64(1)) | BIT[last & 63]
    return inside


@njit(cache=True)
def _strike_kernel(rooms, live, pair, cell, own):
    """Strike off the rooms of a cell that are not of the pair, or (`own`) those of the pair that miss the cell."""
    cover, struck = rooms.cover, False
    first, last = rooms.start[pair], rooms.start[pair + 1] - 1
    low, high = (first >> 6, last >> 6) if own else (rooms.span[cell, 0], rooms.span[cell, 1])
    for w in range(low, high + 1):
        inside = _inside_kernel(first, last, w)
        gone = live[w] & inside & ~cover[cell, w] if own else live[w] & cover[cell, w] & ~inside
        if gone:
            live[w] ^= gone
            struck = True
    return struck


@njit(cache=True)
def _write_kernel(log, count, kind, place, what):
    if len(log):
        log[count, 0], log[count, 1], log[count, 2] = kind, place, what
        return count + 1
    return count


@njit(cache=True)
def _propagate_kernel(rooms, live, settled, log, count):
    """The four propagations to their fixpoint: (is there no contradiction, how far the log goes)."""
    pairs, pair, at, number = rooms.pairs, rooms.pair, rooms.at, rooms.number
    changed = True
    while changed:
        changed = False
        for cell in range(len(number)):
            if settled[cell] >= 0:
                if not live[settled[cell] >> 6] & BIT[settled[cell] & 63]:
                    return False, _write_kernel(log, count, STUCK, cell, 0)
                continue
            low, high = rooms.span[cell]
            first = _first_kernel(live, rooms.cover[cell], low, high)
            if first < 0:
                return False, _write_kernel(log, count, STUCK, cell, 0)
            last = _last_kernel(live, rooms.cover[cell], low, high)
            if first == last:
                _fix_kernel(rooms, live, settled, first)
                count = _write_kernel(log, count, SERVE if number[cell] >= 0 else COVER, cell, first)
                changed = True
            elif pair[first] == pair[last]:
                one = pair[first]
                struck = _strike_kernel(rooms, live, one, at[pairs[one, 0]], False)
                struck |= _strike_kernel(rooms, live, one, at[pairs[one, 1]], False)
                struck |= _strike_kernel(rooms, live, one, cell, True)
                if struck:
                    count = _write_kernel(log, count, MARRY if number[cell] >= 0 else PIN, cell, one)
                    changed = True
    return True, count


@njit(cache=True)
def _rations_kernel(rooms, live, settled):
    """Do the open cells fit between the sums of the least and of the largest rooms that the open numbers have left?"""
    size, small_sum, large_sum, open_cells = rooms.size, 0, 0, 0
    for cell in range(len(settled)):
        open_cells += settled[cell] < 0
        if settled[cell] >= 0 or rooms.number[cell] < 0:
            continue
        small, large = 1 << 30, 0
        for w in range(rooms.span[cell, 0], rooms.span[cell, 1] + 1):
            word, room = live[w] & rooms.cover[cell, w], w << 6
            while word:
                if word & np.uint64(1):
                    small, large = min(small, size[room]), max(large, size[room])
                word >>= np.uint64(1)
                room += 1
        # each number is half of a room
        small_sum, large_sum = small_sum + small, large_sum + large
    return small_sum <= 2 * open_cells <= large_sum


@njit(cache=True)
def _ration_kernel(rooms, live, settled, sums, log, count, until_named):
    known = (settled >= 0).sum()
    fits, count = _propagate_kernel(rooms, live, settled, log, count)
    trial, assumed, struck = live.copy(), settled.copy(), True
    while fits and struck and not (until_named and (settled >= 0).sum() > known):
        struck = False
        if sums and not _rations_kernel(rooms, live, settled):
            return False, _write_kernel(log, count, SHORT, 0, 0)
        for room in range(len(rooms.masks)):
            if not live[room >> 6] & BIT[room & 63] or settled[rooms.at[rooms.pairs[rooms.pair[room], 0]]] == room:
                continue
            trial[:] = live
            assumed[:] = settled
            _fix_kernel(rooms, trial, assumed, room)
            good, _ = _propagate_kernel(rooms, trial, assumed, log[:0], np.int64(0))
            if good and (not sums or _rations_kernel(rooms, trial, assumed)):
                continue
            live[room >> 6] &= ~BIT[room & 63]
            struck = True
            count = _write_kernel(log, count, STRIKE, 0, room)
            fits, count = _propagate_kernel(rooms, live, settled, log, count)
            if not fits or (until_named and (settled >= 0).sum() > known):
                break
    return fits, count


@njit(cache=True)
def _named_kernel(rooms, live, settled):
    """The one room left to cover each cell, -1 where there are more; whether each cell has one at all."""
    named, fits = settled.copy(), True
    for cell in range(len(named)):
        low, high = rooms.span[cell]
        first = _first_kernel(live, rooms.cover[cell], low, high)
        fits &= first >= 0
        if first == _last_kernel(live, rooms.cover[cell], low, high):
            named[cell] = first
    return named, fits


def _run(board, rung: str, reading: str, *, logged=False, sums=True, rooms=None, given=(), until_named=False):
    """(the catalogue, the room named for each cell, is there no contradiction, the log).

    `rooms` is the catalogue where one is at hand, `given` holds rooms of it known to be in the answer. `until_named`
    stops assuming rooms as soon as that has named one.
    """
    if rung not in RUNGS:
        raise PuzzleError(f"araf has no rung {shown(rung)}, only {', '.join(RUNGS)}")
    rooms = catalogue(board, reading) if rooms is None else rooms
    n, cells = len(rooms.masks), board.rows * board.cols
    live = np.full((n + 63) // 64, ~NOTHING)
    if n % 64:
        live[-1] = (BIT[n % 64]) - np.uint64(1)
    settled, fits, count = np.full(cells, -1, np.int32), True, 0
    for room in given:
        _fix_kernel(rooms, live, settled, room)
    log = np.empty((n + 3 * cells if logged else 0, 3), np.int32)
    if rung == "ration" and n > MOST_RATIONED:
        raise PuzzleError(f"ration assumes up to {MOST_RATIONED} rooms one by one, but this board has {n}")
    if rung == "cell":
        fits, count = _propagate_kernel(rooms, live, settled, log, count)
    elif rung == "ration":
        fits, count = _ration_kernel(rooms, live, settled, sums, log, count, until_named)
    named, covered = _named_kernel(rooms, live, settled)
    return rooms, named, bool(fits and covered), log[:count]


def _state(named: np.ndarray) -> np.ndarray:
    """Rooms named for cells as labels from 1 in reading order, 0 for none."""
    labels: dict[int, int] = {-1: 0}
    return np.array([labels.setdefault(room, len(labels)) for room in named.tolist()], np.int32)


def deduce(board, rung: str, reading: str = "strict", *, sums: bool = True) -> np.ndarray | None:
    """Everything the rung names, int32 (cells,): rooms from 1 in reading order, 0 for a cell whose room is open.

    None for a contradiction. Without `sums`, `ration` assumes rooms and propagates, and never adds up sizes.

    Raises PuzzleError for an unknown rung, and a catalogue past its cap.

    >>> from holdstill.puzzles.araf import Araf
    >>> deduce(Araf(1, 5, [[1, 3, None, 1, 4]]), "pair").tolist()
    [1, 1, 2, 0, 0]
    >>> deduce(Araf(1, 5, [[1, 3, None, 1, 4]]), "cell").tolist()
    [1, 1, 2, 2, 2]
    """
    _, named, fits, _ = _run(board, rung, reading, sums=sums)
    return _state(named) if fits else None


def finishes(board, rung: str, reading: str = "strict") -> bool:
    """Does the rung name every cell's room, and does the judge accept? Then the board has one answer."""
    state = deduce(board, rung, reading)
    return state is not None and board.is_valid(state, reading)


def explain(board, rung: str, reading: str = "strict") -> list[Step]:
    """The rung's deductions as steps in words.

    A step that names a room has its cells, and its label in `deduce` as its value. One that only strikes off rooms has
    no cells and the value 0; `places` are the cells it is about. A board that the rung refutes ends in a step that says
    "contradiction".

    >>> from holdstill.puzzles.araf import Araf
    >>> for step in explain(Araf(1, 5, [[1, 3, None, 1, 4]]), "cell"):
    ...     print(step.text)
    row 1, columns 1 to 2 is the room of the 1 at r1c1 and the 3 at r1c2: no other room is left for the number at r1c1
    row 1, columns 3 to 5 is the room of the 1 at r1c4 and the 4 at r1c5: no other room can cover r1c3
    """
    rooms, named, fits, log = _run(board, rung, reading, logged=True)
    state, steps = _state(named), []
    if rung == "pair":
        for cell in np.flatnonzero(named >= 0).tolist():
            steps.append(_name_step(board, rooms, state, [cell], COVER, cell, int(named[cell])))
    for kind, group in groupby(log.tolist(), key=lambda entry: entry[0]):
        entries = list(group)
        if kind == STRIKE:
            steps.append(_group_step(len(entries)))
        else:
            steps.extend(_step(board, rooms, state, *entry) for entry in entries)
    if not fits and not len(log):
        steps.append(_step(board, rooms, state, STUCK, int(np.flatnonzero(~rooms.cover.any(axis=1))[0]), 0))
    return steps


def _two(board, rooms: Catalogue, pair: int) -> str:
    numbers = ((board.numbers[cell // board.cols][cell % board.cols], cell) for cell in rooms.at[rooms.pairs[pair]])
    return " and ".join(f"the {number} at {cell_name(cell, board.cols)}" for number, cell in numbers)


def _group_step(count: int, more: str = "") -> Step:
    rooms = f"1{more} room is" if count == 1 else f"{count}{more} rooms are"
    left = "leaves a cell without a room, or sizes that do not add up to the cells still open"
    return Step((), 0, RULES[STRIKE], (), None, f"{rooms} struck off: each, assumed in turn, {left}")


def _step(board, rooms: Catalogue, state: np.ndarray, kind: int, cell: int, what: int) -> Step:
    """An entry of the log, other than a room struck off."""
    if kind in (COVER, SERVE):
        return _name_step(board, rooms, state, cells_of(rooms.masks[what]), kind, cell, what)
    place = cell_name(cell, board.cols)
    if kind == MARRY:
        two = _two(board, rooms, what)
        told = f"{two} share a room: no room of the number at {place} has another partner"
    elif kind == PIN:
        told = f"{place} is in the room of {_two(board, rooms, what)}: no room of another pair covers it"
    elif kind == STUCK:
        told = f"contradiction: no room is left for {place}"
    else:
        told = "contradiction: the sizes of the rooms that are left do not add up to the cells still open"
    return Step((), 0, RULES[kind], () if kind == SHORT else (cell,), None, told)


def _name_step(board, rooms, state, cells: list[int], kind: int, cell: int, room: int) -> Step:
    verb, place = "is" if len(cells) > 1 else "is in", cell_name(cell, board.cols)
    why = f"no other room can cover {place}" if kind == COVER else f"no other room is left for the number at {place}"
    of = f"the room of {_two(board, rooms, int(rooms.pair[room]))}"
    told = f"{where(cells, board.cols)} {verb} {of}: {why}"
    return Step(tuple(cells), int(state[cell]), RULES[kind], (cell,), None, told)
