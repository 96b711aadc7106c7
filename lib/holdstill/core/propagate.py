"""One kernel that drives a model to its fixpoint, with a trail that serves undo and explanation alike.

A constraint is woken when a cell it watches is decided, and fixes every cell that all of its remaining assignments
agree on (generalised arc consistency of each constraint alone). Connectivity, the dearest, runs when the queue is dry.
All of these are monotone, so the fixpoint does not depend on the order of constraints.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from holdstill.core.connectivity import CUT, SEEN, _remove_and_flood_kernel, _walk_kernel
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, PuzzleError
from holdstill.core.model import CLAUSE, CONNECTED, COUNT, Model

# reasons that are no constraint
GIVEN, ASSUMED, PROBED = np.int64(-1), np.int64(-2), np.int64(-3)
# counters of a Work
TRAIL, HEAD, WAITING, CONFLICT, PROBES, DEPTH, NODES = range(7)


class Work(NamedTuple):
    """The state of one run over one model: what is decided, why, and scratch arrays.

    state: int8 (n,). trail: int32 (n,), the decided cells in order. reason: int32 (n,), the constraint that fixed a
    cell, or GIVEN, ASSUMED, PROBED. queue: int32 (m,), a ring of woken constraints, and queued: bool (m,). counter:
    int64, indexed by TRAIL (decided cells), HEAD and WAITING (the ring), CONFLICT (the constraint that failed last),
    PROBES, DEPTH and NODES. scratch: int32 (6, n), of the articulation walk.
    """

    state: np.ndarray
    trail: np.ndarray
    reason: np.ndarray
    queue: np.ndarray
    queued: np.ndarray
    counter: np.ndarray
    scratch: np.ndarray


def new_work(model: Model, state: np.ndarray | None = None) -> Work:
    """A fresh run over the model, started from a partial state (int8, copied) or from nothing.

    Raises PuzzleError for a state of another length or with other values.
    """
    cells, constraints = len(model.beside), len(model.kind)
    work = Work(
        np.zeros(cells, np.int8),
        np.zeros(cells, np.int32),
        np.full(cells, GIVEN, np.int32),
        np.zeros(max(1, constraints), np.int32),
        np.zeros(constraints, np.bool_),
        np.zeros(7, np.int64),
        np.zeros((6, cells), np.int32),
    )
    if state is not None:
        state = np.asarray(state)
        known = (state == UNKNOWN) | (state == UNSHADED) | (state == SHADED)
        if state.shape != (cells,) or not known.all():
            raise PuzzleError("a state has one value a cell: 0 unknown, 1 unshaded, 2 shaded")
        given = np.flatnonzero(state)
        work.state[:] = state
        work.trail[: len(given)] = given
        work.counter[TRAIL] = len(given)
    return work


@njit(cache=True, inline="always")
def _wake_kernel(con, queue, queued, counter):
    if not queued[con]:
        queued[con] = True
        at = counter[HEAD] + counter[WAITING]
        queue[at if at < len(queue) else at - len(queue)] = con
        counter[WAITING] += 1


# Reading an array out of a named tuple counts a reference, atomically, and so does passing it: kernels bind what their
# loops read first, hand on what setting a cell touches as one tuple, and the two that run most are inlined.


@njit(cache=True, inline="always")
def _set_kernel(cell, value, why, arrays):
    """False where the cell has the other value already; otherwise the cell has the value and its watchers wake."""
    state, reason, trail, counter, queue, queued, watch, watch_start, active = arrays
    if state[cell] != UNKNOWN:
        return state[cell] == value
    state[cell] = value
    reason[cell] = why
    trail[counter[TRAIL]] = cell
    counter[TRAIL] += 1
    false_literal = 2 * cell + (0 if value == SHADED else 1)
    for at in range(watch_start[false_literal], watch_start[false_literal + 1]):
        if active[watch[at]]:
            _wake_kernel(watch[at], queue, queued, counter)
    return True


@njit(cache=True)
def _arrays_kernel(model, active, work):
    """What setting a cell touches."""
    return (
        work.state,
        work.reason,
        work.trail,
        work.counter,
        work.queue,
        work.queued,
        model.watch,
        model.watch_start,
        active,
    )


@njit(cache=True)
def _assign_kernel(model, active, work, cell, value, why):
    """The same for callers outside the main loop."""
    return _set_kernel(cell, value, why, _arrays_kernel(model, active, work))


@njit(cache=True)
def _undo_kernel(work, mark):
    """Forget every cell decided after the first `mark`."""
    state, trail, counter = work.state, work.trail, work.counter
    for at in range(mark, counter[TRAIL]):
        state[trail[at]] = UNKNOWN
    counter[TRAIL] = mark


@njit(cache=True)
def _restart_kernel(work, given):
    """Forget every cell and start from a partial state."""
    _undo_kernel(work, 0)
    state, trail, counter = work.state, work.trail, work.counter
    for cell in range(len(given)):
        if given[cell] != UNKNOWN:
            state[cell] = given[cell]
            trail[counter[TRAIL]] = cell
            counter[TRAIL] += 1


@njit(cache=True)
def _unit_kernel(literals, start, end, state):
    """The one literal that a clause has left, -1 where it asks for nothing, -2 where it fails."""
    free = -2
    for at in range(start, end):
        literal = literals[at]
        value = state[literal >> 1]
        if value == UNKNOWN:
            if free >= 0:
                return -1
            free = literal
        elif value == 1 + (literal & 1):
            return -1
    return free


@njit(cache=True)
def _levels_kernel(literals, groups, first, end, state):
    """The least and the greatest level of the group that begins at `first`, and where the next group begins."""
    bottom, top, at = 0, -1, first
    while at < end and groups[at] == groups[first]:
        value = state[literals[at] >> 1]
        if value == SHADED:
            bottom = at - first + 1
        elif value == UNSHADED and top < 0:
            top = at - first
        at += 1
    return bottom, at - first if top < 0 else top, at


@njit(cache=True)
def _count_kernel(con, start, end, low, high, groups, literals, arrays):
    """A group's level lies between its last shaded and its first unshaded cell; the others' levels bound it too."""
    state = arrays[0]
    least, most, at = 0, 0, np.int64(start)
    while at < end:
        bottom, top, at = _levels_kernel(literals, groups, at, end, state)
        if bottom > top:
            return False
        least += bottom
        most += top
    if least > high or most < low:
        return False
    at = np.int64(start)
    while at < end:
        first = at
        bottom, top, at = _levels_kernel(literals, groups, at, end, state)
        shade = max(bottom, low - (most - top))
        clear = min(top, high - (least - bottom))
        for k in range(at - first):
            if shade <= k < clear:
                continue
            cell, value = literals[first + k] >> 1, SHADED if k < shade else UNSHADED
            if not _set_kernel(cell, value, con, arrays):
                return False
    return True


@njit(cache=True)
def _table_kernel(literals, start, end, low, high, patterns, state):
    """The open cells that all patterns left shade, and those that none of them does, as bits; -1 where none is left."""
    is_shaded, is_unshaded = 0, 0
    for at in range(start, end):
        value = state[literals[at] >> 1]
        if value == SHADED:
            is_shaded |= 1 << (at - start)
        elif value == UNSHADED:
            is_unshaded |= 1 << (at - start)
    every = (1 << (end - start)) - 1
    is_open = every & ~(is_shaded | is_unshaded)
    ever, always, alive = 0, every, False
    for row in range(low, high):
        pattern = np.int64(patterns[row])
        if pattern & is_unshaded == 0 and pattern & is_shaded == is_shaded:
            ever |= pattern
            always &= pattern
            alive = True
            if is_open & (always | ~ever) == 0:
                break
    if not alive:
        return -1, -1
    return is_open & always, is_open & ~ever


@njit(cache=True)
def _connected_kernel(con, colour, by_flooding, beside, scratch, arrays):
    state = arrays[0]
    if by_flooding:
        possible, pocket, cut_cell = _remove_and_flood_kernel(state, colour, beside)
        if not possible:
            return False
        for cell in range(len(state)):
            scratch[SEEN, cell] = not pocket[cell]
            scratch[CUT, cell] = cut_cell[cell]
    else:
        reached = _walk_kernel(state, colour, beside, scratch)
        if reached == -1:
            return True
        if reached == -2:
            return False
    for cell in range(len(state)):
        if state[cell] == UNKNOWN:
            if scratch[SEEN, cell] == 0:
                value = 3 - colour
            elif scratch[CUT, cell]:
                value = colour
            else:
                continue
            _set_kernel(cell, value, con, arrays)
    return True


@njit(cache=True)
def _fail_kernel(work, con):
    """Note the constraint that failed and empty the queue."""
    work.counter[CONFLICT] = con
    work.counter[WAITING] = 0
    work.queued[:] = False
    return False


@njit(cache=True)
def _fixpoint_kernel(model, active, work):
    """Run what is queued to the fixpoint: False on a contradiction, named by counter[CONFLICT]."""
    counter, queue, queued, state, scratch = work.counter, work.queue, work.queued, work.state, work.scratch
    kind, start, end, literals, connected = model.kind, model.start, model.end, model.literals, model.connected
    low, high, groups, patterns, beside = model.low, model.high, model.group, model.patterns, model.beside
    arrays = _arrays_kernel(model, active, work)
    walked = -1
    while True:
        while counter[WAITING]:
            con = queue[counter[HEAD]]
            counter[HEAD] = counter[HEAD] + 1 if counter[HEAD] + 1 < len(queue) else 0
            counter[WAITING] -= 1
            queued[con] = False
            first, last = start[con], end[con]
            if kind[con] == CLAUSE:
                left = _unit_kernel(literals, first, last, state)
                fits = left == -1
                if left >= 0:
                    fits = _set_kernel(left >> 1, 1 + (left & 1), con, arrays)
            elif kind[con] == COUNT:
                fits = _count_kernel(con, first, last, low[con], high[con], groups, literals, arrays)
            else:
                shade, clear = _table_kernel(literals, first, last, low[con], high[con], patterns, state)
                fits = shade >= 0
                if fits and shade | clear:
                    for at in range(first, last):
                        bit = 1 << (at - first)
                        if (shade | clear) & bit:
                            _set_kernel(literals[at] >> 1, SHADED if shade & bit else UNSHADED, con, arrays)
            if not fits:
                return _fail_kernel(work, con)
        if walked == counter[TRAIL]:
            return True
        walked = counter[TRAIL]
        for con in connected:
            if active[con] and not _connected_kernel(con, low[con], high[con], beside, scratch, arrays):
                return _fail_kernel(work, con)
        if len(connected) and connected[0] == connected[-1]:
            # A walk says all it can at once, so to one such rule only what others decide is news.
            walked = counter[TRAIL]


@njit(cache=True)
def _wake_all_kernel(model, active, work):
    kind, queue, queued, counter = model.kind, work.queue, work.queued, work.counter
    for con in range(len(kind)):
        if active[con] and kind[con] != CONNECTED:
            _wake_kernel(con, queue, queued, counter)


@njit(cache=True)
def _propagate_kernel(model, active, work):
    """Drive the active constraints to their fixpoint from whatever is decided."""
    _wake_all_kernel(model, active, work)
    return _fixpoint_kernel(model, active, work)


@njit(cache=True)
def _probe_kernel(model, active, work, a_cell=0):
    """Singleton consistency, from a fixpoint on: a value whose assumption ends in a contradiction is erased.

    With `a_cell` it goes on only while it takes no more probes than that for each cell that it decides, after 400.
    """
    state, counter = work.state, work.counter
    cells, begun, decided = len(state), counter[PROBES], counter[TRAIL]
    cell, left = 0, cells
    while left > 0:
        value = SHADED
        while value != UNKNOWN and state[cell] == UNKNOWN:
            mark = counter[TRAIL]
            counter[PROBES] += 1
            _assign_kernel(model, active, work, cell, value, ASSUMED)
            fits = _fixpoint_kernel(model, active, work)
            _undo_kernel(work, mark)
            if not fits:
                _assign_kernel(model, active, work, cell, 3 - value, PROBED)
                if not _fixpoint_kernel(model, active, work):
                    return False
                left = cells + 1
            value = UNSHADED if value == SHADED else UNKNOWN
        left -= 1
        cell = cell + 1 if cell + 1 < cells else 0
        if a_cell > 0 and counter[PROBES] - begun > 400 + a_cell * (counter[TRAIL] - decided):
            break
    return True


@njit(cache=True)
def _deduce_kernel(model, active, probing, work):
    """Everything a rung can say: propagation, then probing where the rung probes."""
    return _propagate_kernel(model, active, work) and (not probing or _probe_kernel(model, active, work))
