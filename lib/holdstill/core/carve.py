"""Carving: clues switched off one by one for as long as the board stays good.

Good means unique by the complete search, or finished by a rung; a finished board is unique too, so a carve against a
rung needs no search at all. One pass leaves nothing that could still go: a weaker board never gains uniqueness.
"""

import numpy as np
from numba import njit

from holdstill.core.grid import SHADED, UNKNOWN
from holdstill.core.propagate import DEPTH, TRAIL, _deduce_kernel, _propagate_kernel, _undo_kernel, _wake_kernel
from holdstill.core.search import _draw_kernel, _search_kernel

# what `_make_kernel` says instead of a number of clues
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
def _stays_unique_kernel(model, active, work, tree, con, rng):
    """Is the board still unique without count `con`? Any other answer would have to break it, so try it negated.

    What the other constraints fix is found once, then the count is tried below and above its number.
    """
    low, high, most = model.low[con], model.high[con], model.end[con] - model.start[con]
    active[con] = False
    _undo_kernel(work, 0)
    _propagate_kernel(model, active, work)
    active[con] = True
    fixed, other = work.counter[TRAIL], False
    for below in (True, False):
        if other or (low == 0 if below else high == most):
            continue
        model.low[con], model.high[con] = (0, low - 1) if below else (high + 1, most)
        _undo_kernel(work, fixed)
        _wake_kernel(con, work.queue, work.queued, work.counter)
        other = _has_answer_kernel(model, active, work, tree, rng)
    model.low[con], model.high[con] = low, high
    return not other


@njit(cache=True)
def _carve_kernel(model, active, clues, answer, by_rung, probing, keep, work, tree, rng):
    """How many clues are left, or REJECTED where the board is not good with all of them.

    `clues` are the ids of counts, shuffled and tried in that order; `active` ends as the carved board's mask, and the
    carve stops early at `keep` clues.
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
        clues[i], clues[j] = clues[j], clues[i]
    left = len(clues)
    for con in clues:
        if left <= keep:
            break
        if by_rung:
            active[con] = False
            good = _finishes_kernel(model, active, probing, work)
        else:
            good = _stays_unique_kernel(model, active, work, tree, con, rng)
        active[con] = not good
        left -= good
    return left


@njit(cache=True)
def _number_kernel(model, clues, answer):
    """Read the number of each count in `clues` off the answer."""
    low, high, start, end, literals = model.low, model.high, model.start, model.end, model.literals
    for con in clues:
        number = 0
        for at in range(start[con], end[con]):
            number += answer[literals[at] >> 1] == SHADED
        low[con] = high[con] = number


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
        _number_kernel(model, clues, answer[0])
        left = _carve_kernel(model, active, clues.copy(), answer[0], by_rung, probing, keep, work, tree, rng)
        if left != REJECTED:
            return left, rejected
        tree.avoid[:] = UNKNOWN
    return REJECTED, answers
