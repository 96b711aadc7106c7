"""Carving: clues switched off one by one for as long as the board stays good.

Good means unique by the complete search, or finished by a rung; a finished board is unique too, so a carve against a
rung needs no search at all. One pass leaves nothing that could still go: a weaker board never gains uniqueness.
"""

import numpy as np
from numba import njit

from holdstill.core.grid import SHADED, UNKNOWN
from holdstill.core.model import CLAUSE, TABLE
from holdstill.core.propagate import (
    ASSUMED,
    DEPTH,
    TRAIL,
    _assign_kernel,
    _deduce_kernel,
    _fixpoint_kernel,
    _propagate_kernel,
    _undo_kernel,
    _wake_kernel,
)
from holdstill.core.search import _draw_kernel, _search_kernel

# what carving says instead of a number of clues
INFEASIBLE, REJECTED = -2, -1


@njit(cache=True)
def _has_answer_kernel(model, active, work, tree, rng):
    """Is there an answer from here on (what is decided, what is queued)?"""
    work.counter[DEPTH] = 0
    none = np.empty((0, len(work.state)), np.int8)
    found, _ = _search_kernel(model, active, active, False, work, tree, none, 1, 1 << 60, 0.0, rng)
    return found > 0


@njit(cache=True)
def _finishes_kernel(model, active, probing, work):
    _undo_kernel(work, 0)
    return _deduce_kernel(model, active, probing, work) and work.counter[TRAIL] == len(work.state)


@njit(cache=True)
def _breaks_kernel(model, active, work, tree, con, fixed, rng):
    """Has constraint `con` an answer against it, with the first `fixed` decided cells and the other active ones?

    A clause is broken by the opposites of its literals, a count below and above its range, a table by the patterns that
    it does not allow. These are a range too: the pool of a table that is carved lists every subset of its cells, twice
    over in one order.
    """
    low, high, start, end = model.low[con], model.high[con], model.start[con], model.end[con]
    if model.kind[con] == CLAUSE:
        active[con] = False
        for at in range(start, end):
            literal = model.literals[at]
            if not _assign_kernel(model, active, work, literal >> 1, 2 - (literal & 1), ASSUMED):
                active[con] = True
                return False
        found = _has_answer_kernel(model, active, work, tree, rng)
        active[con] = True
        return found
    found = False
    for below in (True, False):
        if model.kind[con] == TABLE:
            against = high, low + (1 << (end - start))
            there_is_none = below
        else:
            against = (0, low - 1) if below else (high + 1, end - start)
            there_is_none = low == 0 if below else high == end - start
        if found or there_is_none:
            continue
        model.low[con], model.high[con] = against
        _undo_kernel(work, fixed)
        _wake_kernel(con, work.queue, work.queued, work.counter)
        found = _has_answer_kernel(model, active, work, tree, rng)
    model.low[con], model.high[con] = low, high
    return found


@njit(cache=True)
def _stays_unique_kernel(model, active, work, tree, clue, rng):
    """Is the board still unique without the constraints of a clue? Leaves them active.

    Any other answer would have to break one of them, so try each as the first that it breaks. What the other
    constraints fix is found once, and a constraint with no cell left open holds.
    """
    for con in clue:
        active[con] = False
    _undo_kernel(work, 0)
    _propagate_kernel(model, active, work)
    fixed, other = work.counter[TRAIL], False
    for con in clue:
        active[con] = True
        _undo_kernel(work, fixed)
        is_open = False
        for at in range(model.start[con], model.end[con]):
            is_open |= work.state[model.literals[at] >> 1] == UNKNOWN
        if other or not is_open:
            continue
        other = _breaks_kernel(model, active, work, tree, con, fixed, rng)
        if con != clue[-1]:
            _undo_kernel(work, fixed)
            _wake_kernel(con, work.queue, work.queued, work.counter)
            _fixpoint_kernel(model, active, work)
            fixed = work.counter[TRAIL]
    return not other


@njit(cache=True)
def _carve_kernel(model, active, clues, answer, by_rung, probing, keep, work, tree, rng):
    """How many clues are left, or REJECTED where the board is not good with all of them.

    Each row of `clues` is a clue, the ids of its constraints. The rows are shuffled and tried in that order;
    `active` ends as the carved board's mask, and the carve stops early at `keep` clues.
    """
    tree.first[:] = 3 - answer
    if by_rung:
        if not _finishes_kernel(model, active, probing, work):
            return REJECTED
    else:
        tree.avoid[:] = answer
        _undo_kernel(work, 0)
        if _has_answer_kernel(model, active, work, tree, rng):
            return REJECTED
        tree.avoid[:] = UNKNOWN
    for i in range(len(clues) - 1, 0, -1):
        j = rng.integers(0, i + 1)
        for k in range(clues.shape[1]):
            clues[i, k], clues[j, k] = clues[j, k], clues[i, k]
    left = len(clues)
    for clue in clues:
        if left <= keep:
            break
        if by_rung:
            for con in clue:
                active[con] = False
            good = _finishes_kernel(model, active, probing, work)
        else:
            good = _stays_unique_kernel(model, active, work, tree, clue, rng)
        for con in clue:
            active[con] = not good
        left -= good
    return left


@njit(cache=True)
def _make_kernel(
    model, drawn_by, active, clues, answer, by_rung, probing, keep, answers, shade, noise, work, tree, rng
):
    """Draw an answer by the rules `drawn_by`, number every clue from it, carve: (clues left, answers rejected).

    Draws up to `answers` answers until one carves; clues left is INFEASIBLE where there is none to draw, REJECTED
    where none carves. One crossing from Python a layout. Fills `answer` (int8, (1, n)), the bounds of the counts in
    `clues`, and `active`, which starts with every clue on.
    """
    for rejected in range(answers):
        _undo_kernel(work, 0)
        work.counter[DEPTH] = 0
        if not _draw_kernel(model, drawn_by, work, tree, answer, shade, noise, rng):
            return INFEASIBLE, rejected
        for con in clues:
            number = 0
            for at in range(model.start[con], model.end[con]):
                number += answer[0, model.literals[at] >> 1] == SHADED
            model.low[con] = model.high[con] = number
        one_each = clues.copy().reshape(-1, 1)
        left = _carve_kernel(model, active, one_each, answer[0], by_rung, probing, keep, work, tree, rng)
        if left != REJECTED:
            return left, rejected
        tree.avoid[:] = UNKNOWN
    return REJECTED, answers
