"""Every answer of an Araf board, found without a list of its rooms.

Draws what follows (`araf_propagate`), then branches on the cell with the fewest owners, weighed by the numbers that
fail most (dom/wdeg: Boussemart, Hemery, Lecoutre and Sais, ECAI 2004).
"""

import time

import numpy as np
from numba import njit

from holdstill.core.grid import PuzzleError
from holdstill.core.search import EXHAUSTED, FULL, OUT_OF_NODES, Found, Stopped
from holdstill.counting.shapes import BIT
from holdstill.puzzles.araf_propagate import _propagate_kernel
from holdstill.puzzles.araf_state import (
    FITS,
    ONE,
    ZERO,
    Frame,
    Level,
    Scratch,
    _holds_kernel,
    _lowest_kernel,
    _part_kernel,
    frame_of,
)

WORK_A_SLICE = 200_000  # nodes by words of a mask by pairs of numbers: tens of milliseconds
MOST_BYTES = 1 << 30
OUT_OF_LEVELS = 3
# where `counter` keeps the depth + 1 (0: not begun) and the nodes so far
DEPTH, NODES = 0, 1


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
