"""How hard a board is, in a measure that turning and mirroring the board leave alone.

Propagation's fixpoint does not depend on any order, but the number of assumptions that probing makes on its way does.
So probing goes in rounds here: every open cell is assumed both ways from the same state, and only then are all values
that ended in a contradiction erased at once.
"""

import time
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
# how a round of probing ends: nothing to erase, something erased, a contradiction
FRUITLESS, FRUITFUL, REFUTED = range(3)


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


def difficulty(board, left: dict[str, int | None] | None = None, seconds: float | None = None) -> Difficulty | None:
    """How hard a board is; None for one that its rungs refute, that has more rooms than they can list, or past time.

    Propagation is the strongest rung that assumes nothing: for Araf `cell`, and probing `ration`. `left` spares the
    work where the cells that each rung leaves are known. `seconds` ends it between two rounds.

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
        if not _propagate_kernel(model, on, work):
            return None
        begun, rounds, probes, ended = time.monotonic(), -1, 0, FRUITFUL  # the last round decides nothing
        while ended == FRUITFUL:
            if seconds is not None and time.monotonic() - begun > seconds:
                return None
            opened, ended = _round_kernel(model, on, work)
            rounds, probes = rounds + 1, probes + opened
        if ended == REFUTED:
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
def _round_kernel(model, on, work):
    """A round of probing: the cells that were open, and how it ended."""
    state, counter = work.state, work.counter
    refuted = np.zeros((len(state), 3), np.bool_)
    probes, ended = 0, FRUITLESS
    for cell in range(len(state)):
        if state[cell] != UNKNOWN:
            continue
        probes += 1
        for value in (UNSHADED, SHADED):
            mark = counter[TRAIL]
            _assign_kernel(model, on, work, cell, value, ASSUMED)
            if not _fixpoint_kernel(model, on, work):
                refuted[cell, value], ended = True, FRUITFUL
            _undo_kernel(work, mark)
    for cell in range(len(state)):
        for value in (UNSHADED, SHADED):
            if refuted[cell, value]:
                if state[cell] == value:
                    return probes, REFUTED
                if state[cell] == UNKNOWN:
                    _assign_kernel(model, on, work, cell, 3 - value, PROBED)
                    if not _fixpoint_kernel(model, on, work):
                        return probes, REFUTED
    return probes, ended
