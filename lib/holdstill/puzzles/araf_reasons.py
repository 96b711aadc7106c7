"""Why a step on an Araf board holds, as short as it gets: the fewest earlier facts that force it.

Whatever else is known, a *fact* strikes the same rooms off the fresh catalogue: a room known to be in the answer
strikes all that overlap it, a marriage or a pin all rooms of its two numbers' cells that are of another pair or miss
the pinned cell, a room struck off by `ration` only itself. And a step fires once the rooms in its way are struck: those
of its cell but the one room, or but those of the one pair. So a reason is a cover of the rooms in the way by facts, and
minimal where each fact strikes one that no other does (for sizes that do not add up: where without it they might).
Struck rooms are dropped first, then marriages and pins, then rooms.

A room is struck off because assuming it ends in a contradiction. Its chain tells how, by steps that strike a room still
alive: what was known before is either a fact of the reason or left out, as in `core.reasons`.

The cells of a reason are those of its facts: of a room, of a marriage's numbers, of a pin's numbers and its cell. Rooms
struck off are told as steps of their own.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit

from holdstill.core.grid import PuzzleError, cell_name, neighbours, where
from holdstill.core.ladder import Step
from holdstill.core.reasons import Reason
from holdstill.counting.shapes import BIT, cells_of
from holdstill.puzzles.araf_rooms import Catalogue, catalogue
from holdstill.puzzles.araf_rungs import (
    COVER,
    MARRY,
    MOST_RATIONED,
    NOTHING,
    PIN,
    RULES,
    SERVE,
    SHORT,
    STRIKE,
    STUCK,
    _first_kernel,
    _group_step,
    _inside_kernel,
    _last_kernel,
    _name_step,
    _rations_kernel,
    _run,
    _state,
    _step,
    _two,
    _write_kernel,
)

GIVEN, ASSUMED = -1, -2  # kinds of entries beside those of the log: a room the player closed, a room assumed
ENDS = (COVER, SERVE, STUCK, SHORT)  # what names a room or ends the log
MOST_STRUCK = 12  # rooms struck off that a hint tells one by one
_catalogue = lru_cache(maxsize=1)(catalogue)  # a player asks about one board again and again
Entry = tuple[int, int, int]  # a step as the log has it: its kind, its cell, and the room or the pair


class Told(NamedTuple):
    """A step, the facts that force it, and the steps from an assumed room to the contradiction."""

    entry: Entry
    facts: tuple[Entry, ...]
    chain: tuple["Told", ...] = ()


def minimal(board, rung: str) -> list[Reason]:
    """The steps of `explain` that name rooms, each with its reason and after those other steps that it rests on.

    Steps that no named room rests on are left out, and rooms are struck off one by one.

    >>> from holdstill.puzzles.araf import Araf
    >>> for reason in minimal(Araf(1, 6, [[None, None, 1, 5, 1, 3]]), "cell"):
    ...     print(reason.step.cells, reason.cells)
    (0, 1, 2, 3) ()
    (4, 5) (0, 1, 2, 3)
    """
    rooms, named, log = _logged(board, rung, ())
    state, told = _state(named), []
    for one in _needed(rooms, log):
        told.append(_reason(board, rooms, state, one))
        kind, cell, room = one.entry
        if rung == "pair" and kind == COVER:  # it names cells, not rooms
            told[-1] = told[-1]._replace(step=_name_step(board, rooms, state, [cell], COVER, cell, room))
    return told


def hint(board, rung: str, state: np.ndarray | None = None) -> Reason | None:
    """The next room that a rung names, with its reason; None where it names no more.

    `state` holds a label above 0 for each cell of a room that the player has closed, as `closed_rooms` gives it; labels
    whose cells are no possible room are ignored. The chain is what leads from those rooms to the step: marriages, pins
    and rooms struck off, each with its reason; of more than 12 rooms struck off the others are only counted. The value
    of the step is the next label.

    Raises PuzzleError for an unknown rung, a state of another length, and a catalogue past its cap.

    >>> from holdstill.puzzles.araf import Araf
    >>> board = Araf(1, 6, [[None, None, 1, 5, 1, 3]])
    >>> hint(board, "cell", np.array([1, 1, 1, 1, 0, 0])).because
    'the room of the 1 at r1c3 and the 5 at r1c4 is known'
    """
    cells = board.rows * board.cols
    state = np.zeros(cells, np.int32) if state is None else np.asarray(state)
    if state.shape != (cells,):
        raise PuzzleError("a state has one label a cell, 0 for an open one")
    given = _given(_catalogue(board), state)
    rooms, _, log = _logged(board, "cell" if rung == "ration" else rung, given)
    if rung == "ration" and not any(kind in ENDS for kind, _, _ in log):
        log = _narrowed(rooms, log) or _logged(board, rung, given, until_named=True)[2]
    ends = [at for at, (kind, _, _) in enumerate(log) if kind in ENDS]
    if not ends:
        return None
    told = _needed(rooms, log[: ends[0] + 1], MOST_STRUCK)
    more = {fact for one in told for fact in one.facts if fact[0] == STRIKE} - {one.entry for one in told}
    label = np.full(cells, state.max(initial=0) + 1)
    *leading, step = (_reason(board, rooms, label, one) for one in told)
    if more:
        leading.insert(0, Reason(_group_step(len(more), " more"), (), ""))
    return step._replace(chain=tuple(leading))


def labels(board, walls) -> np.ndarray:
    """The pieces that walls cut the grid into, int32 (cells,): labels from 1 in reading order, for `hint`.

    `walls` are pairs of cells side by side with a wall between.

    >>> from holdstill.puzzles.araf import Araf
    >>> labels(Araf(1, 5, [[1, 3, None, 1, 4]]), [(1, 2)]).tolist()
    [1, 1, 2, 2, 2]
    """
    between, label = {frozenset(wall) for wall in walls}, np.zeros(board.rows * board.cols, np.int32)
    beside = neighbours(board.rows, board.cols).tolist()
    for start in range(len(label)):
        stack = [] if label[start] else [start]
        piece = label.max() + 1
        while stack:
            cell = stack.pop()
            label[cell] = piece
            stack += [near for near in beside[cell] if near >= 0 and not label[near] and {cell, near} not in between]
    return label


def _given(rooms: Catalogue, state: np.ndarray) -> list[int]:
    """The rooms of the catalogue that are the cells of one label."""
    cells = np.arange(len(state))
    found = []
    for label in np.unique(state[state > 0]):
        mask = np.zeros(rooms.masks.shape[1], np.uint64)
        mine = cells[state == label]
        np.bitwise_or.at(mask, mine >> 6, BIT[mine & 63])
        found += np.flatnonzero((rooms.masks == mask).all(axis=1)).tolist()
    return found


def _logged(board, rung: str, given, until_named: bool = False) -> tuple[Catalogue, np.ndarray, list[Entry]]:
    """The catalogue, the room named for each cell, and the log with the given rooms before it."""
    rooms = _catalogue(board)
    _, named, fits, log = _run(board, rung, "strict", logged=True, rooms=rooms, given=given, until_named=until_named)
    known = [(GIVEN, cells_of(rooms.masks[room])[0], room) for room in given]
    entries = [tuple(entry) for entry in log.tolist()]
    if rung == "pair":
        entries = [(COVER, cell, room) for cell, room in enumerate(named.tolist()) if room >= 0 and room not in given]
        if not fits:
            bare = ~(rooms.cover & _left(rooms, _strikes(rooms, known))).any(axis=1)
            entries.append((STUCK, int(np.flatnonzero(bare)[0]), 0))
    return rooms, named, known + entries


def _narrowed(rooms: Catalogue, log: list[Entry]) -> list[Entry] | None:
    """The log with all rooms of one cell struck off but one, each on its own; None where that names no cell.

    Of such cells it is one with the fewest rooms left: what `ration` names first may rest on a hundred of them.
    """
    if len(rooms.masks) > MOST_RATIONED:
        return None
    alive = _left(rooms, _strikes(rooms, log))
    left = np.unpackbits((rooms.cover & alive).view(np.uint8), axis=1, bitorder="little")
    refuted, nothing = {}, np.empty((0, 3), np.int32)
    for cell in np.argsort(left.sum(axis=1), kind="stable").tolist():
        struck, kept = [], []
        for room in np.flatnonzero(left[cell]).tolist():
            if room not in refuted:
                assumed = alive & ~_strikes(rooms, [(ASSUMED, cell, room)])[0]
                refuted[room] = _contained_kernel(rooms, assumed, alive, nothing)[0]
            (struck if refuted[room] else kept).append(room)
            if len(kept) > 1:
                break
        if len(kept) < 2 and struck:
            kind = STUCK if not kept else COVER if rooms.number[cell] < 0 else SERVE
            return [*log, *((STRIKE, 0, room) for room in struck), (kind, cell, *kept, *[0] * (1 - len(kept)))]
    return None


def _needed(rooms: Catalogue, log: list[Entry], most: int | None = None) -> list[Told]:
    """The steps of a log that name a room or end it, and those that these rest on, each with its facts.

    Of the rooms struck off it tells no more than `most`, the last ones.
    """
    strikes, needed, told = _strikes(rooms, log), set(), []
    for at in range(len(log) - 1, -1, -1):
        entry = log[at]
        if entry[0] != GIVEN and (entry[0] in ENDS or entry in needed):
            if entry[0] == STRIKE and most is not None:
                most -= 1
                if most < 0:
                    continue
            why = _struck if entry[0] == STRIKE else _fired
            told.append(why(rooms, entry, log[:at], strikes[:at]))
            needed.update(told[-1].facts)
    return told[::-1]


def _fired(rooms: Catalogue, entry: Entry, before: list[Entry], strikes: np.ndarray) -> Told:
    """A step and its facts: earlier entries, among them perhaps an assumption and what came of it.

    A reason rather does without struck rooms, then what came of the assumption, the latest first, then pairs, then
    rooms; the assumption costs nothing.
    """
    kind, cell, what = entry
    ranks, order = [_RANK[one[0]] for one in before], np.arange(len(before))
    if 4 in ranks:
        assumed = ranks.index(4)
        ranks[assumed + 1 :] = [1] * (len(ranks) - assumed - 1)
        order[assumed + 1 :] = order[:assumed:-1]
    order = order[np.argsort(np.array(ranks, int)[order], kind="stable")]
    if kind == SHORT:
        kept = _enough(order, lambda some: not _adds_up(rooms, _left(rooms, strikes[some])))
    else:
        way = rooms.cover[cell].copy()
        if kind in (MARRY, PIN):
            first, last = rooms.start[what], rooms.start[what + 1] - 1
            way &= ~np.array([_inside_kernel(first, last, w) for w in range(len(way))], np.uint64)
        elif kind != STUCK:
            way[what >> 6] &= ~BIT[what & 63]
        at = np.flatnonzero(way)
        way, hits = way[at], strikes[:, at] & way[at]
        kept = _enough(order[hits.any(axis=1)[order]], lambda some: (_union(hits[some]) == way).all())
    return Told(entry, tuple(before[one] for one in sorted(kept)))


_RANK = {STRIKE: 0, MARRY: 2, PIN: 2, GIVEN: 3, COVER: 3, SERVE: 3, ASSUMED: 4}


def _struck(rooms: Catalogue, entry: Entry, known: list[Entry], strikes: np.ndarray) -> Told:
    """A room struck off, with its facts and its chain."""
    room = entry[2]
    assumed = ASSUMED, cells_of(rooms.masks[room])[0], room
    excluded, alive = _strikes(rooms, [assumed]), _left(rooms, strikes)
    log = np.empty((len(rooms.masks) + 1, 3), np.int32)

    def refuted(some, log=log[:0]):
        return _contained_kernel(rooms, _left(rooms, strikes[some]) & ~excluded[0], alive, log)

    def chain_from(some):
        found = [tuple(one) for one in log[: refuted(some, log)[1]].tolist()]
        before = [*(known[one] for one in some), assumed, *found]
        struck = np.concatenate([strikes[some], excluded, _strikes(rooms, found)])
        needed, chain = set(), []
        for at in range(len(before) - 1, len(some), -1):
            if before[at] in needed or not chain:
                chain.append(_fired(rooms, before[at], before[:at], struck[:at]))
                needed.update(chain[-1].facts)
        return [one for one in some if known[one] in needed], (Told(assumed, ()), *chain[::-1])

    facts, chain = chain_from(np.arange(len(known)))
    fewer = _enough(np.array(sorted(facts, key=lambda one: _RANK[known[one][0]]), int), lambda some: refuted(some)[0])
    if len(fewer) < len(facts):
        facts, chain = chain_from(np.sort(fewer))
    return Told(entry, tuple(known[one] for one in facts), chain)


def _enough(some: np.ndarray, holds: Callable) -> np.ndarray:
    """A minimal part with which it holds, tried without its first half, then its second, down to one by one."""
    size = max(1, len(some) // 2)
    while True:
        at = 0
        while at < len(some):
            fewer = np.concatenate([some[:at], some[at + size :]])
            if holds(fewer):
                some = fewer
            else:
                at += size
        if size == 1:
            return some
        size //= 2


def _union(bits: np.ndarray) -> np.ndarray:
    return np.bitwise_or.reduce(bits, axis=0)


def _left(rooms: Catalogue, strikes: np.ndarray) -> np.ndarray:
    """The rooms that none of these strikes off, as bits."""
    live = ~_union(strikes)
    if len(rooms.masks) % 64:
        live[-1] &= BIT[len(rooms.masks) % 64] - np.uint64(1)
    return live


def _adds_up(rooms: Catalogue, live: np.ndarray) -> bool:
    return _rations_kernel(rooms, live, np.full(len(rooms.number), -1, np.int32))


def _strikes(rooms: Catalogue, entries: list[Entry]) -> np.ndarray:
    """What each entry strikes off the fresh catalogue, as bits, one a row."""
    out = np.zeros((len(entries), rooms.cover.shape[1]), np.uint64)
    for row, (kind, cell, what) in zip(out, entries, strict=True):
        if kind not in (STUCK, SHORT):
            _strikes_kernel(rooms, kind, cell, what, row)
    return out


@njit(cache=True)
def _strikes_kernel(rooms, kind, cell, what, out):
    """What a fact strikes off the fresh catalogue, as bits."""
    cover, out[:] = rooms.cover, NOTHING
    if kind == STRIKE:
        out[what >> 6] = BIT[what & 63]
    elif kind in (MARRY, PIN):
        a, b = rooms.at[rooms.pairs[what, 0]], rooms.at[rooms.pairs[what, 1]]
        for w in range(len(out)):
            inside = _inside_kernel(rooms.start[what], rooms.start[what + 1] - 1, w)
            out[w] = ((cover[a, w] | cover[b, w]) & ~inside) | (inside & ~cover[cell, w])
    else:
        mask = rooms.masks[what]
        for one in range(len(cover)):
            if mask[one >> 6] & BIT[one & 63]:
                for w in range(rooms.span[one, 0], rooms.span[one, 1] + 1):
                    out[w] |= cover[one, w]
        out[what >> 6] &= ~BIT[what & 63]


@njit(cache=True)
def _contained_kernel(rooms, live, alive, log):
    """Propagation of steps that strike a room of `alive`: (does it end in a contradiction, how far the log goes)."""
    number, pair, gone, count, changed = rooms.number, rooms.pair, np.empty_like(live), 0, True
    while changed:
        changed = False
        for cell in range(len(number)):
            low, high = rooms.span[cell]
            first = _first_kernel(live, rooms.cover[cell], low, high)
            if first < 0:
                return True, _write_kernel(log, count, STUCK, cell, 0)
            last = _last_kernel(live, rooms.cover[cell], low, high)
            if pair[first] != pair[last]:
                continue
            if first == last:
                kind, what = SERVE if number[cell] >= 0 else COVER, first
            else:
                kind, what = MARRY if number[cell] >= 0 else PIN, pair[first]
            _strikes_kernel(rooms, kind, cell, what, gone)
            new, more = NOTHING, NOTHING
            for w in range(len(live)):
                new |= gone[w] & alive[w]
                more |= gone[w] & live[w]
            if new and more:
                for w in range(len(live)):
                    live[w] &= ~gone[w]
                count = _write_kernel(log, count, kind, cell, what)
                changed = True
    if not _rations_kernel(rooms, live, np.full(len(number), -1, np.int32)):
        return True, _write_kernel(log, count, SHORT, 0, 0)
    return False, count


def _reason(board, rooms: Catalogue, state: np.ndarray, told: Told) -> Reason:
    """The same in words, its facts as their cells."""
    kind, cell, what = told.entry
    if kind in (STRIKE, ASSUMED):
        cells = cells_of(rooms.masks[what])
        if kind == ASSUMED:
            text = f"assume that {where(cells, board.cols)} is the room of {_two(board, rooms, int(rooms.pair[what]))}"
            step = Step(tuple(cells), 0, "assumption", (), None, text)
        else:
            end = told.chain[-1].entry
            left = (
                "the sizes do not add up" if end[0] == SHORT else f"no room is left for {cell_name(end[1], board.cols)}"
            )
            text = f"{where(cells, board.cols)} is no room: assume it, and {left}"
            step = Step((), 0, RULES[kind], tuple(cells), None, text)
    else:
        step = _step(board, rooms, state, kind, cell, what)
    lit = set()
    for kind, cell, what in told.facts:
        if kind in (MARRY, PIN):
            lit |= {cell, *rooms.at[rooms.pairs[what]].tolist()}
        elif kind != STRIKE:
            lit.update(cells_of(rooms.masks[what]))
    zero = np.zeros_like(state)
    chain = tuple(_reason(board, rooms, zero, one) for one in told.chain)
    return Reason(step, tuple(sorted(lit)), _since(board, rooms, told.facts), chain)


def _since(board, rooms: Catalogue, facts: tuple[Entry, ...]) -> str:
    parts, struck = [], sum(kind == STRIKE for kind, _, _ in facts)
    for kind, cell, what in facts:
        if kind == MARRY:
            parts.append(f"{_two(board, rooms, what)} share a room")
        elif kind == PIN:
            parts.append(f"{cell_name(cell, board.cols)} is in the room of {_two(board, rooms, what)}")
        elif kind != STRIKE:
            verb = "assumed" if kind == ASSUMED else "known"
            parts.append(f"the room of {_two(board, rooms, int(rooms.pair[what]))} is {verb}")
    if struck:
        parts.append("1 room is struck off" if struck == 1 else f"{struck} rooms are struck off")
    return "; ".join(parts)
