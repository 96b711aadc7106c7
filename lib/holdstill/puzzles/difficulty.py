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
    probing leaves. rounds: of probing that decide anything. probes: open cells, each assumed both ways, over all
    rounds, a fruitless last one included. Araf's `ration` counts as one round.
    """

    depth: int
    left: int
    rounds: int
    probes: int


def difficulty(board, left: dict[str, int | None] | None = None) -> Difficulty | None:
    """How hard a board is; None for one that its rungs refute, or that has more rooms than they can list.

    Propagation is the strongest rung that assumes nothing: for Araf `cell`, and probing `ration`. `left` spares the
    work where the cells that each rung leaves are known.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> difficulty(Heyawake(1, 3, [[0, 0, 0]], [2]))
    Difficulty(depth=1, left=0, rounds=1, probes=3)
    """
    if isinstance(board, Araf):
        before, after = (_left(board, rung) if left is None else left[rung] for rung in ("cell", "ration"))
        if before is None or after is None:
            return None
        rounds, probes = int(after < before), before
    else:
        model = board.model
        on = active(model, tuple(board.RULES), board.RUNGS["probe"].rules)
        work = new_work(model)
        rounds, probes = _rounds_kernel(model, on, work)
        if rounds < 0:
            return None
        after = int((work.state == UNKNOWN).sum())
    return Difficulty(BEYOND if after else PROBING if probes else PROPAGATION, after, rounds, probes)


def _left(board: Araf, rung: str) -> int | None:
    try:
        state = engine(board).deduce(board, rung)
    except PuzzleError:
        return None
    return None if state is None else int((state == UNKNOWN).sum())


@njit(cache=True)
def _rounds_kernel(model, on, work):
    """How many rounds of probing erase anything, -1 for a contradiction, and the open cells of all rounds added up."""
    state, counter = work.state, work.counter
    refuted = np.zeros((len(state), 3), np.bool_)
    rounds = probes = 0
    if not _propagate_kernel(model, on, work):
        return -1, probes
    while True:
        refuted[:] = False
        erased = False
        for cell in range(len(state)):
            if state[cell] != UNKNOWN:
                continue
            probes += 1
            for value in (UNSHADED, SHADED):
                mark = counter[TRAIL]
                _assign_kernel(model, on, work, cell, value, ASSUMED)
                if not _fixpoint_kernel(model, on, work):
                    refuted[cell, value] = erased = True
                _undo_kernel(work, mark)
        if not erased:
            return rounds, probes
        rounds += 1
        for cell in range(len(state)):
            for value in (UNSHADED, SHADED):
                if refuted[cell, value]:
                    if state[cell] == value:
                        return -1, probes
                    if state[cell] == UNKNOWN:
                        _assign_kernel(model, on, work, cell, 3 - value, PROBED)
                        if not _fixpoint_kernel(model, on, work):
                            return -1, probes
