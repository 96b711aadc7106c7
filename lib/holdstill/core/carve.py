"""Carving: clues switched off one by one for as long as the board stays good.

Good means unique by the complete search, or finished by a rung; a finished board is unique too, so a carve against a
rung needs no search at all. One pass leaves nothing that could still go: a weaker board never gains uniqueness.
"""

import numpy as np
from numba import njit

from holdstill.core.connectivity import _flood_kernel
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED
from holdstill.core.model import CLAUSE, TABLE
from holdstill.core.propagate import (
    ASSUMED,
    DEPTH,
    NODES,
    TRAIL,
    _assign_kernel,
    _deduce_kernel,
    _fixpoint_kernel,
    _propagate_kernel,
    _undo_kernel,
    _unit_kernel,
    _wake_kernel,
)
from holdstill.core.search import EXHAUSTED, FULL, ONE, PLAIN, _draw_kernel, _search_kernel

# what carving says instead of a number of clues
UNSETTLED, INFEASIBLE, REJECTED = -3, -2, -1


@njit(cache=True)
def _shuffle_kernel(items, rng):
    for i in range(len(items) - 1, 0, -1):
        j = rng.integers(0, i + 1)
        items[i], items[j] = items[j], items[i]


@njit(cache=True)
def _may_have_answer_kernel(model, active, work, tree, nodes, rng):
    """May there be an answer from here on (what is decided, what is queued)?

    False only where search proves that there is none, before its work has counted `nodes` nodes.
    """
    work.counter[DEPTH] = 0
    none, left = np.empty((0, len(work.state)), np.int8), nodes - work.counter[NODES]
    _, ended = _search_kernel(model, active, active, PLAIN, work, tree, none, ONE, left, 0.0, rng)
    return ended != EXHAUSTED


@njit(cache=True)
def _finishes_kernel(model, active, probing, work):
    _undo_kernel(work, 0)
    return _deduce_kernel(model, active, probing, work) and work.counter[TRAIL] == len(work.state)


@njit(cache=True)
def _breaks_kernel(model, active, work, tree, con, fixed, nodes, rng):
    """May constraint `con` have an answer against it, with the first `fixed` decided cells and the other active ones?

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
        found = _may_have_answer_kernel(model, active, work, tree, nodes, rng)
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
        found = _may_have_answer_kernel(model, active, work, tree, nodes, rng)
    model.low[con], model.high[con] = low, high
    return found


@njit(cache=True)
def _stays_unique_kernel(model, active, work, tree, clue, nodes, rng):
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
        other = _breaks_kernel(model, active, work, tree, con, fixed, nodes, rng)
        if con != clue[-1]:
            _undo_kernel(work, fixed)
            _wake_kernel(con, work.queue, work.queued, work.counter)
            _fixpoint_kernel(model, active, work)
            fixed = work.counter[TRAIL]
    return not other


@njit(cache=True)
def _carve_kernel(model, active, clues, answer, by_rung, probing, keep, nodes, work, tree, rng):
    """How many clues are left, or REJECTED where the board is not good with all of them.

    Each row of `clues` is a clue, the ids of its constraints; they are tried in random order. `active` ends as the
    carved board's mask, and the carve stops early at `keep` clues.
    """
    tree.first[:] = 3 - answer
    if by_rung:
        if not _finishes_kernel(model, active, probing, work):
            return REJECTED
    else:
        tree.avoid[:] = answer
        _undo_kernel(work, 0)
        if _may_have_answer_kernel(model, active, work, tree, nodes, rng):
            return REJECTED
        tree.avoid[:] = UNKNOWN
    order = np.arange(len(clues))
    _shuffle_kernel(order, rng)
    left = len(clues)
    for i in order:
        if left <= keep:
            break
        if by_rung:
            for con in clues[i]:
                active[con] = False
            good = _finishes_kernel(model, active, probing, work)
        else:
            good = _stays_unique_kernel(model, active, work, tree, clues[i], nodes, rng)
        for con in clues[i]:
            active[con] = not good
        left -= good
    return left


@njit(cache=True)
def _densify_kernel(model, rules, state, scratch, rng):
    """Shade cells of an answer in random order, wherever the clauses and the connectivity in `rules` still hold.

    One pass leaves no cell that fits, where no two shaded cells may touch: a cell that would cut the unshaded region
    goes on cutting it until one of the pieces is gone, and the last cell of a piece to be shaded lies beside it.
    """
    order, seen, stack = scratch[0], scratch[1], scratch[2]
    for cell in range(len(state)):
        order[cell] = cell
    _shuffle_kernel(order, rng)
    for cell in order:
        if state[cell] == SHADED:
            continue
        state[cell], fits = SHADED, True
        for at in range(model.watch_start[2 * cell], model.watch_start[2 * cell + 1]):
            con = model.watch[at]
            if rules[con] and _unit_kernel(model.literals, model.start[con], model.end[con], state) != -1:
                fits = False
                break
        for con in model.connected:
            if fits and rules[con]:
                colour = model.low[con]
                coloured = (state == colour).sum()
                fits = coloured == 0 or _flood_kernel(state, colour, model.beside, -1, seen, stack) == coloured
        if not fits:
            state[cell] = UNSHADED


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
    model, drawn_by, active, clues, answer, by_rung, probing, keep, answers, shade, noise, dense, nodes, work, tree, rng
):
    """Draw an answer by the rules `drawn_by`, number every clue from it, carve: (clues left, answers rejected).

    Draws up to `answers` answers until one carves, `dense` ones with no room for another shaded cell; clues left is
    INFEASIBLE where there is none to draw, REJECTED where none carves, UNSETTLED where search spends `nodes` nodes
    before it knows. One crossing from Python a layout. Fills `answer` (int8, (1, n)), the bounds of the counts in
    `clues`, and `active`, which starts with every clue on.
    """
    for rejected in range(answers):
        _undo_kernel(work, 0)
        work.counter[DEPTH] = 0
        ended = _draw_kernel(model, drawn_by, work, tree, answer, shade, noise, nodes, rng)
        if ended != FULL:
            return INFEASIBLE if ended == EXHAUSTED else UNSETTLED, rejected
        if dense:
            _densify_kernel(model, drawn_by, answer[0], work.scratch, rng)
        _number_kernel(model, clues, answer[0])
        one_each = clues.reshape(-1, 1)
        left = _carve_kernel(model, active, one_each, answer[0], by_rung, probing, keep, nodes, work, tree, rng)
        if work.counter[NODES] >= nodes:
            return UNSETTLED, rejected
        if left != REJECTED:
            return left, rejected
        tree.avoid[:] = UNKNOWN
    return REJECTED, answers
