"""Why a step holds, as short as it gets: the fewest decided cells that force it.

A step by one constraint keeps those of the decided cells without which that constraint alone no longer forces it. A
step by probing keeps those without which the assumption no longer ends in a contradiction, and tells how it does as a
chain of steps, each with its own reason. In a chain only cells that were undecided before the assumption are deduced:
what the board says already is either part of the reason or left out. (Otherwise the first probe of most boards would
need no cell at all, and its chain would tell the whole board again.)

Reasons are minimal by inclusion, found by deletion: no cell of one can be dropped, though a shorter one of other cells
may exist. Cells far from the step are dropped first, in a chain those deduced last. See Marques-Silva, Janota, Belov,
"Minimal Sets over Monotone Predicates" (2013).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED
from holdstill.core.ladder import Step, _decided, _deductions, _refuted, _run, _step, _told
from holdstill.core.model import CLAUSE, CONNECTED, COUNT, active
from holdstill.core.propagate import (
    ASSUMED,
    HEAD,
    PROBED,
    TRAIL,
    WAITING,
    _arrays_kernel,
    _assign_kernel,
    _connected_kernel,
    _count_kernel,
    _fail_kernel,
    _fixpoint_kernel,
    _propagate_kernel,
    _restart_kernel,
    _set_kernel,
    _table_kernel,
    _undo_kernel,
    _unit_kernel,
    _wake_all_kernel,
    _wake_kernel,
    new_work,
)


class Reason(NamedTuple):
    """A step and what forces it: the cells, the same in words, and for a step by probing the chain.

    A chain starts with the assumption and ends in a contradiction, a step without cells.
    """

    step: Step
    cells: tuple[int, ...]
    because: str
    chain: tuple["Reason", ...] = ()


def as_dict(reason: Reason) -> dict:
    """The reason as one flat object of the step's fields, `reason`, `because` and `chain`, all of plain types."""
    chain = [as_dict(one) for one in reason.chain]
    return reason.step._asdict() | {"reason": reason.cells, "because": reason.because, "chain": chain}


def minimal(puzzle, rung: str, state: np.ndarray | None = None) -> list[Reason]:
    """The steps of `explain`, each with its reason.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> for reason in minimal(Heyawake(1, 3, [[0, 1, 2]], [1, None, None]), "spans"):
    ...     print(reason.step.text, reason.cells)
    row 1, column 1 is shaded: room with 1: row 1, column 1 ()
    row 1, column 2 is unshaded: no two shaded cells touch: row 1, columns 1 to 2 (0,)
    """
    work, fits = _run(puzzle, rung, state)
    on = active(puzzle.model, tuple(puzzle.RULES), puzzle.RUNGS[rung].rules)
    return [_reason(puzzle, on, _decided(work, known), *rest) for known, *rest in _deductions(work, fits)]


def hint(puzzle, rung: str, state: np.ndarray | None = None) -> Reason | None:
    """The next step of a rung from a state, with its reason; None where the rung says nothing more.

    It is the first of `minimal`, without the work of the others.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> hint(Heyawake(1, 3, [[0, 1, 2]], [1, None, None]), "spans", np.array([2, 0, 0], np.int8)).because
    'row 1, column 1 is shaded'
    """
    chosen, work = puzzle.RUNGS[rung], new_work(puzzle.model, state)
    on = active(puzzle.model, tuple(puzzle.RULES), chosen.rules)
    fits = _propagate_kernel(puzzle.model, on, work)
    for known, *rest in _deductions(work, fits):
        return _reason(puzzle, on, _decided(work, known), *rest)
    if chosen.probing:
        cell, value = _first_probe_kernel(puzzle.model, on, work)
        if cell >= 0:
            return _reason(puzzle, on, work.state, (int(cell),), int(value), PROBED)
    return None


def _reason(puzzle, on: np.ndarray, before: np.ndarray, cells: tuple[int, ...], value: int, con: int) -> Reason:
    """The reason of a deduction in the state before it."""
    if con == PROBED:
        return _probe_reason(puzzle, on, before, cells[0], value)
    kept = _forcing(puzzle, before, cells, value, con, _far_first(puzzle, np.flatnonzero(before), cells))
    return Reason(_step(puzzle, cells, value, con), kept, _since(puzzle, kept, before))


def _forcing(puzzle, before: np.ndarray, cells: tuple[int, ...], value: int, con: int, order) -> tuple[int, ...]:
    """A minimal set of the cells in `order`, dropped from the first on, with which one constraint forces the cells."""
    model = puzzle.model
    if model.kind[con] != CONNECTED:
        order = order[np.isin(order, model.literals[model.start[con] : model.end[con]] >> 1)]
    given, only, free = np.zeros_like(before), np.zeros(len(model.kind), bool), np.zeros(len(before), bool)
    given[order], only[con], free[list(cells)] = before[order], True, True
    return _shrunk(puzzle, only, given, free, order, cells, value)


def _shrunk(puzzle, on, given, free, order, cells, value) -> tuple[int, ...]:
    goal, order = np.array(cells, np.int32), np.array(order, np.int32)
    left = _shrink_kernel(puzzle.model, on, new_work(puzzle.model), given, free, order, goal, value)
    return tuple(np.sort(left).tolist())


def _probe_reason(puzzle, on: np.ndarray, before: np.ndarray, cell: int, value: int) -> Reason:
    free, given = before == UNKNOWN, before.copy()
    given[cell] = 3 - value
    kept, chain, con = _chain(puzzle, on, given, free, cell)
    used = np.zeros_like(given)
    used[[*kept, cell]] = given[[*kept, cell]]
    fewer = _shrunk(puzzle, on, used, free, _far_first(puzzle, np.array(kept, int), (cell,)), (), UNKNOWN)
    if len(fewer) < len(kept):
        used[np.setdiff1d(kept, fewer)] = UNKNOWN
        kept, chain, con = _chain(puzzle, on, used, free, cell)
    return Reason(_refuted(puzzle, cell, value, con), kept, _since(puzzle, kept, before), chain)


def _chain(puzzle, on, given: np.ndarray, free: np.ndarray, cell: int):
    """(the decided cells that it uses, the steps from the assumed cell to the contradiction, what that breaks)."""
    work = new_work(puzzle.model, given)
    fits = _contained_kernel(puzzle.model, on, work, free)
    deductions, chain = list(_deductions(work, fits)), []
    # The later a cell was deduced, the sooner a reason does without it; the assumption itself costs nothing.
    facts = np.setdiff1d(np.flatnonzero(given), [cell])
    needed, broken = set(), deductions[-1][-1]
    for known, cells, value, con in reversed(deductions):
        cells = tuple(one for one in cells if one in needed)
        if not cells and value != UNKNOWN:
            continue
        state, deduced = _decided(work, known), work.trail[len(facts) + 1 : known][::-1]
        order = np.concatenate([deduced, _far_first(puzzle, facts, cells or (cell,)), [cell]])
        kept = _forcing(puzzle, state, cells, value, con, order)
        needed.update(kept)
        chain.append(Reason(_step(puzzle, cells, value, con), kept, _since(puzzle, kept, state)))
    value = int(given[cell])
    assumed = Step((cell,), value, "assumption", (), None, f"assume that {_told(puzzle, (cell,), value)}")
    chain.append(Reason(assumed, (), ""))
    return tuple(one for one in facts.tolist() if one in needed), tuple(chain[::-1]), broken


def _far_first(puzzle, some: np.ndarray, cells: tuple[int, ...]) -> np.ndarray:
    """Cells by their steps to the nearest of `cells`, the farthest first."""
    if not cells:
        return some
    (y, x), (v, u) = np.divmod(some, puzzle.cols), np.divmod(np.array(cells), puzzle.cols)
    steps = (abs(y[:, None] - v) + abs(x[:, None] - u)).min(axis=1)
    return some[np.argsort(-steps, kind="stable")]


def _since(puzzle, cells: tuple[int, ...], state: np.ndarray) -> str:
    by_value = ([cell for cell in cells if state[cell] == value] for value in (SHADED, UNSHADED))
    values = zip(by_value, (SHADED, UNSHADED), strict=True)
    return " and ".join(_told(puzzle, some, value) for some, value in values if some)


@njit(cache=True)
def _fire_kernel(model, con, work, arrays):
    """One constraint fixes what it can: False where it fails."""
    first, last, low, high = model.start[con], model.end[con], model.low[con], model.high[con]
    literals, state = model.literals, work.state
    if model.kind[con] == CLAUSE:
        left = _unit_kernel(literals, first, last, state)
        return left == -1 or (left >= 0 and _set_kernel(left >> 1, 1 + (left & 1), con, arrays))
    if model.kind[con] == COUNT:
        return _count_kernel(con, first, last, low, high, model.group, literals, arrays)
    if model.kind[con] == CONNECTED:
        return _connected_kernel(con, low, high, model.beside, work.scratch, arrays)
    shade, clear = _table_kernel(literals, first, last, low, high, model.patterns, state)
    for at in range(first, last):
        bit = 1 << (at - first)
        if shade >= 0 and (shade | clear) & bit:
            _set_kernel(literals[at] >> 1, SHADED if shade & bit else UNSHADED, con, arrays)
    return shade >= 0


@njit(cache=True)
def _settle_kernel(model, active, con, work, free, arrays):
    """One constraint fires, and only what it says of free cells stays and wakes others."""
    counter, trail, state, watch, watch_start = work.counter, work.trail, work.state, model.watch, model.watch_start
    mark = counter[TRAIL]
    if not _fire_kernel(model, con, work, arrays):
        _undo_kernel(work, mark)
        return _fail_kernel(work, con)
    end, counter[TRAIL] = counter[TRAIL], mark
    for at in range(mark, end):
        cell = trail[at]
        if not free[cell]:
            state[cell] = UNKNOWN
            continue
        trail[counter[TRAIL]] = cell
        counter[TRAIL] += 1
        false_literal = 2 * cell + (0 if state[cell] == SHADED else 1)
        for k in range(watch_start[false_literal], watch_start[false_literal + 1]):
            if active[watch[k]]:
                _wake_kernel(watch[k], work.queue, work.queued, counter)
    return True


@njit(cache=True)
def _contained_kernel(model, active, work, free):
    """Propagation to the fixpoint that decides free cells alone: False on a contradiction."""
    counter, queue, connected = work.counter, work.queue, model.connected
    arrays = _arrays_kernel(model, np.zeros(len(active), np.bool_), work)  # nothing wakes by itself
    _wake_all_kernel(model, active, work)
    walked = -1
    while True:
        while counter[WAITING]:
            con = queue[counter[HEAD]]
            counter[HEAD] = counter[HEAD] + 1 if counter[HEAD] + 1 < len(queue) else 0
            counter[WAITING] -= 1
            work.queued[con] = False
            if not _settle_kernel(model, active, con, work, free, arrays):
                return False
        if walked == counter[TRAIL]:
            return True
        walked = counter[TRAIL]
        for con in connected:
            if active[con] and not _settle_kernel(model, active, con, work, free, arrays):
                return False


@njit(cache=True)
def _forces_kernel(model, active, work, given, free, cells, value):
    """Does a partial state force this value of the cells or, of no cells, a contradiction?"""
    _restart_kernel(work, given)
    fits = _contained_kernel(model, active, work, free)
    forced = fits != (len(cells) == 0)
    for cell in cells:
        forced &= work.state[cell] == value
    return forced


@njit(cache=True)
def _shrink_kernel(model, active, work, given, free, order, cells, value):
    """What is left of `order` when all that can go is erased from `given`: half by half, at last cell by cell."""
    before, left, count = given.copy(), order.copy(), len(order)
    size = max(1, count // 2)
    while True:
        kept = 0
        for at in range(0, count, size):
            end = min(at + size, count)
            for k in range(at, end):
                given[left[k]] = UNKNOWN
            if _forces_kernel(model, active, work, given, free, cells, value):
                continue
            for k in range(at, end):
                given[left[k]] = before[left[k]]
                left[kept] = left[k]
                kept += 1
        count = kept
        if size == 1:
            return left[:count]
        size //= 2


@njit(cache=True)
def _first_probe_kernel(model, active, work):
    """The first cell, and its value, that probing decides in a fixpoint; (-1, 0) for none."""
    for cell in range(len(work.state)):
        if work.state[cell] != UNKNOWN:
            continue
        for value in (SHADED, UNSHADED):
            mark = work.counter[TRAIL]
            _assign_kernel(model, active, work, cell, value, ASSUMED)
            fits = _fixpoint_kernel(model, active, work)
            _undo_kernel(work, mark)
            if not fits:
                return cell, 3 - value
    return -1, 0
