"""How hard a board is, in a measure that turning and mirroring the board leave alone.

Propagation's fixpoint does not depend on any order, but the number of assumptions that probing makes on its way does.
So probing goes in rounds here: every open cell is assumed both ways from the same state, and only then are all values
that ended in a contradiction erased at once.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, PuzzleError
from holdstill.core.model import active
from holdstill.core.propagate import (
    ASSUMED,
    PROBED,
    TRAIL,
    _assign_kernel,
    _fixpoint_kernel,
    _propagate_kernel,
    _undo_kernel,
    new_work,
)
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.engines import engine

PROPAGATION, PROBING, BEYOND = range(3)


class Difficulty(NamedTuple):
    """What a board takes, from the most important on; tuples compare as boards do.

    depth: 0 where propagation finishes the board, 1 where probing does, 2 where neither does. left: the cells that
    probing leaves. rounds: of probing (always 0 for Araf). probed: the cells that propagation leaves to probing.
    """

    depth: int
    left: int
    rounds: int
    probed: int


def difficulty(board) -> Difficulty | None:
    """How hard a board is; None for one that its rungs refute, or that has more rooms than they can list.

    Propagation is the strongest rung that assumes nothing: for Araf `cell`, and probing `ration`.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> difficulty(Heyawake(1, 3, [[0, 0, 0]], [2]))
    Difficulty(depth=1, left=0, rounds=1, probed=3)
    """
    if isinstance(board, Araf):
        try:
            before, after = (engine(board).deduce(board, rung) for rung in ("cell", "ration"))
        except PuzzleError:
            return None
        rounds = 0
    else:
        model = board.model
        on = active(model, tuple(board.RULES), board.RUNGS["probe"].rules)
        work, before = new_work(model), np.zeros(len(model.beside), np.int8)
        rounds = _rounds_kernel(model, on, work, before)
        before, after = (None, None) if rounds < 0 else (before, work.state)
    if before is None or after is None:
        return None
    probed, left = (int((state == UNKNOWN).sum()) for state in (before, after))
    return Difficulty(BEYOND if left else PROBING if probed else PROPAGATION, left, rounds, probed)


@njit(cache=True)
def _rounds_kernel(model, on, work, before):
    """How many rounds of probing erase anything, -1 for a contradiction; `before` gets the state that they begin in."""
    state, counter = work.state, work.counter
    refuted = np.zeros((len(state), 3), np.bool_)
    if not _propagate_kernel(model, on, work):
        return -1
    before[:] = state
    rounds = 0
    while True:
        refuted[:] = False
        erased = False
        for cell in range(len(state)):
            if state[cell] != UNKNOWN:
                continue
            for value in (UNSHADED, SHADED):
                mark = counter[TRAIL]
                _assign_kernel(model, on, work, cell, value, ASSUMED)
                if not _fixpoint_kernel(model, on, work):
                    refuted[cell, value] = erased = True
                _undo_kernel(work, mark)
        if not erased:
            return rounds
        rounds += 1
        for cell in range(len(state)):
            for value in (UNSHADED, SHADED):
                if refuted[cell, value]:
                    if state[cell] == value:
                        return -1
                    if state[cell] == UNKNOWN:
                        _assign_kernel(model, on, work, cell, 3 - value, PROBED)
                        if not _fixpoint_kernel(model, on, work):
                            return -1
