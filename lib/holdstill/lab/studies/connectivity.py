"""What connectivity costs: cut cells found two ways, propagation in rounds, and dilation, each beside its rivals.

The rivals stand here and not in the core: they make the same boards, and nobody should solve with them.
"""

import time
from collections.abc import Callable
from itertools import product

import numpy as np
import pandas as pd
from numba import njit

from holdstill.core.carve import _make_kernel, _number_kernel, _shuffle_kernel
from holdstill.core.connectivity import (
    _flood_kernel,
    _remove_and_flood_kernel,
    _walk_kernel,
    _walk_once_kernel,
    forced,
    forced_by_flooding,
)
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, neighbours
from holdstill.core.ladder import deduce
from holdstill.core.model import CLAUSE, CONNECTED, COUNT, active
from holdstill.core.propagate import DEPTH, _undo_kernel, new_work
from holdstill.core.search import FULL, NO_LIMIT, _draw_kernel, new_tree, random_answer
from holdstill.puzzles.heyawake import Heyawake, generate
from holdstill.puzzles.layouts import guillotine

# Ways to drive a board to its fixpoint: the library's queue, and rounds that end by a hash or a count of the board.
QUEUE, HASH, DECIDED = "queue", "board hash", "decided count"
# What `heyawake.generate` does unless told otherwise.
ANSWERS, SHADE, NOISE = 4, 0.2, 1.0


def position(rng: np.random.Generator, size: int, share: float) -> np.ndarray:
    """A state, int8 (cells,): each cell of an answer revealed with this probability.

    The answer is Heyawake's without rooms (no two shaded touch, the unshaded are one region), so it exists at any size.
    """
    answer = random_answer(Heyawake(size, size, np.zeros((size, size), np.int32), (None,)), rng)
    return np.where(rng.random(size * size) < share, answer, UNKNOWN).astype(np.int8)


def random_state(rng: np.random.Generator) -> tuple[int, int, np.ndarray]:
    """Rows and columns from 3 to 10 and a state, int8 (cells,), its shares of decided and of shaded cells drawn too."""
    rows, cols = (int(side) for side in rng.integers(3, 11, 2))
    state = np.where(rng.random(rows * cols) < rng.random(), SHADED, UNSHADED).astype(np.int8)
    state[rng.random(rows * cols) < rng.random()] = UNKNOWN
    return rows, cols, state


def agree_row(rng: np.random.Generator) -> dict:
    """One random state, `compared`."""
    rows, cols, state = random_state(rng)
    return compared(state, neighbours(rows, cols))


def compared(state: np.ndarray, beside: np.ndarray) -> dict:
    """Do the walk and remove-and-flood agree on a state, cell for cell, in both colours?

    `possible` (colours that can still be one region), `pockets` and `cuts` (cells they force) say on what.

    >>> compared(np.array([1, 0, 1, 2, 0], np.int8), neighbours(1, 5))
    {'agree': True, 'possible': 2, 'pockets': 2, 'cuts': 1}
    """
    row = {"agree": True, "possible": 0, "pockets": 0, "cuts": 0}
    for colour in (UNSHADED, SHADED):
        walked, flooded = forced(state, colour, beside), forced_by_flooding(state, colour, beside)
        row["agree"] &= walked[0] == flooded[0]
        if walked[0]:
            row["agree"] &= bool((walked[1] == flooded[1]).all() and (walked[2] == flooded[2]).all())
            row["possible"] += 1
            row["pockets"] += int(walked[1].sum())
            row["cuts"] += int(walked[2].sum())
    return row


def visits(state: np.ndarray, beside: np.ndarray) -> dict:
    """How many cells the walk visits for the unshaded, and how many all floods of remove-and-flood do.

    A cost that is the same on every machine.

    >>> visits(np.array([1, 0, 0, 0, 1], np.int8), neighbours(1, 5))
    {'walk': 5, 'flood': 11}
    """
    seen, stack = np.empty(len(state), np.int32), np.empty(len(state), np.int32)
    flooded = 0
    for without in [-1, *np.flatnonzero(state == UNKNOWN).tolist()]:
        _flood_kernel(state, np.int32(UNSHADED), beside, without, seen, stack)
        flooded += int(seen.sum())
    walked = _walk_kernel(state, np.int32(UNSHADED), beside, np.empty((6, len(state)), np.int32))
    return {"walk": max(0, walked), "flood": flooded}


@njit(cache=True)
def _look_kernel(states, beside, flood):
    """How many cells the unshaded force over all states. One crossing from Python: what is timed is the rule."""
    found, colour = 0, np.int32(UNSHADED)
    for i in range(len(states)):
        if flood:
            _, pocket, cut = _remove_and_flood_kernel(states[i], colour, beside)
        else:
            _, pocket, cut = _walk_once_kernel(states[i], colour, beside)
        found += pocket.sum() + cut.sum()
    return found


def look(states: np.ndarray, flood: bool) -> int:
    """How many cells the unshaded cells force, over all of these states, int8 (states, cells) of square boards."""
    size = round(states.shape[1] ** 0.5)
    return _look_kernel(np.ascontiguousarray(states, np.int8), neighbours(size, size), flood)


@njit(cache=True)
def _round_kernel(model, active, state):
    """Every active constraint once, in order: False on a contradiction."""
    kind, start, end, literals = model.kind, model.start, model.end, model.literals
    for con in range(len(kind)):
        if not active[con]:
            continue
        if kind[con] == CLAUSE:
            free, last, holds = 0, -1, False
            for at in range(start[con], end[con]):
                value = state[literals[at] >> 1]
                if value == UNKNOWN:
                    free, last = free + 1, literals[at]
                holds |= value == 1 + (literals[at] & 1)
            if not holds and free == 0:
                return False
            if not holds and free == 1:
                state[last >> 1] = 1 + (last & 1)
        elif kind[con] == COUNT:
            low, high = model.low[con], model.high[con]
            free, shaded = 0, 0
            for at in range(start[con], end[con]):
                free += state[literals[at] >> 1] == UNKNOWN
                shaded += state[literals[at] >> 1] == SHADED
            if shaded > high or shaded + free < low:
                return False
            if shaded == high or shaded + free == low:
                for at in range(start[con], end[con]):
                    if state[literals[at] >> 1] == UNKNOWN:
                        state[literals[at] >> 1] = UNSHADED if shaded == high else SHADED
        else:
            colour = model.low[con]
            if model.high[con]:
                possible, pocket, cut = _remove_and_flood_kernel(state, colour, model.beside)
            else:
                possible, pocket, cut = _walk_once_kernel(state, colour, model.beside)
            if not possible:
                return False
            for cell in range(len(state)):
                if pocket[cell]:
                    state[cell] = 3 - colour
                elif cut[cell]:
                    state[cell] = colour
    return True


@njit(cache=True)
def _mark_kernel(state, hashed):
    """What must not move for a round to be the last: a hash of the board (FNV-1a), or its count of decided cells."""
    mark = np.uint64(14695981039346656037 if hashed else 0)
    for cell in range(len(state)):
        if hashed:
            mark = (mark ^ np.uint64(state[cell])) * np.uint64(1099511628211)
        else:
            mark += np.uint64(state[cell] != UNKNOWN)
    return mark


@njit(cache=True)
def _settle_kernel(model, active, hashed, state):
    """Rounds until one changes nothing: False on a contradiction."""
    before = _mark_kernel(state, hashed)
    while _round_kernel(model, active, state):
        after = _mark_kernel(state, hashed)
        if after == before:
            return True
        before = after
    return False


@njit(cache=True)
def _deduce_in_rounds_kernel(model, active, probing, hashed, state):
    """Propagation in rounds, then probing where the rung probes: False on a contradiction."""
    if not _settle_kernel(model, active, hashed, state):
        return False
    changed = probing
    while changed:
        changed = False
        for cell in range(len(state)):
            for value in (SHADED, UNSHADED):
                if state[cell] != UNKNOWN:
                    break
                trial = state.copy()
                trial[cell] = value
                if not _settle_kernel(model, active, hashed, trial):
                    changed = True
                    state[cell] = 3 - value
                    if not _settle_kernel(model, active, hashed, state):
                        return False
    return True


def deduce_in_rounds(
    board: Heyawake, rung: str, state: np.ndarray, by: str, *, flood: bool = False
) -> np.ndarray | None:
    """The same as `ladder.deduce`, in rounds that end `by` HASH or DECIDED."""
    model, state, chosen = board.model, state.copy(), Heyawake.RUNGS[rung]
    model = model._replace(high=np.where(model.kind == CONNECTED, np.int32(flood), model.high))
    on = active(model, tuple(Heyawake.RULES), chosen.rules)
    return state if _deduce_in_rounds_kernel(model, on, chosen.probing, by == HASH, state) else None


def rounds_row(rng: np.random.Generator) -> dict:
    """One board of 4x4 to 8x8 with a share of its answer revealed: do all rounds end where the library's queue does?

    In a fifth of the rows one revealed cell is changed, so that contradictions occur. `refuted` counts the rungs that
    found one, `decided` the cells that the rungs added in all.
    """
    size, row = int(rng.integers(4, 9)), {"agree": True, "refuted": 0, "decided": 0}
    made = generate(size, size, rng)
    state = np.where(rng.random(size * size) < rng.random() / 2, made.answer, UNKNOWN).astype(np.int8)
    revealed = np.flatnonzero(state)
    if len(revealed) and rng.random() < 0.2:
        state[revealed[0]] = 3 - state[revealed[0]]
    for rung in Heyawake.RUNGS:
        truth = deduce(made.board, rung, state)
        for by, flood in product((HASH, DECIDED), (True, False)):
            found = deduce_in_rounds(made.board, rung, state, by, flood=flood)
            row["agree"] &= (found is None) == (truth is None) and (found is None or bool((found == truth).all()))
        row["refuted"] += truth is None
        row["decided"] += 0 if truth is None else int((truth != state).sum())
    return row


@njit(cache=True)
def _finishes_in_rounds_kernel(model, active, probing, hashed, state):
    state[:] = UNKNOWN
    return _deduce_in_rounds_kernel(model, active, probing, hashed, state) and (state != UNKNOWN).all()


@njit(cache=True)
def _make_in_rounds_kernel(model, drawn_by, active, clues, answer, probing, hashed, work, tree, rng):
    """Is there a board on this layout? `carve._make_kernel` against a rung run in rounds: same draws, same order."""
    state = np.empty(len(model.beside), np.int8)
    for _ in range(ANSWERS):
        _undo_kernel(work, 0)
        work.counter[DEPTH] = 0
        if _draw_kernel(model, drawn_by, work, tree, answer, SHADE, NOISE, NO_LIMIT, rng) != FULL:
            return False
        _number_kernel(model, clues, answer[0])
        if not _finishes_in_rounds_kernel(model, active, probing, hashed, state):
            continue
        order = clues.copy()
        _shuffle_kernel(order, rng)
        for con in order:
            active[con] = False
            active[con] = not _finishes_in_rounds_kernel(model, active, probing, hashed, state)
        return True
    return False


def make(rng: np.random.Generator, size: int, rung: str | None, by: str = QUEUE, *, flood=False, walks=1) -> Heyawake:
    """The board of `heyawake.generate(size, size, rng, rung=rung)`, with its rung run `by` QUEUE, HASH or DECIDED.

    Answers are drawn by the queue in every case. `flood` finds cut cells by remove-and-flood throughout. With QUEUE,
    `walks` walks each time so often instead of once: what that adds is what the walk costs.
    """
    names, chosen = tuple(Heyawake.RULES), Heyawake.RUNGS["spans" if rung is None else rung]
    while True:
        labels = guillotine(size, size, rng)
        model = Heyawake(size, size, labels, (0,) * (int(labels.max()) + 1)).model
        model.high[model.connected] = flood
        clues, answer = np.flatnonzero(model.rule == names.index("rooms")), np.empty((1, size * size), np.int8)
        on, drawn_by = active(model, names, chosen.rules), active(model, names, ("touching", "white", "spans"))
        work, tree = new_work(model), new_tree(model)
        if by == QUEUE:
            model = model._replace(connected=np.repeat(model.connected, walks))
            choices = rung is not None, chosen.probing, 0, ANSWERS, SHADE, NOISE, False, NO_LIMIT
            done = _make_kernel(model, drawn_by, on, clues, answer, *choices, work, tree, rng)[0] >= 0
        else:
            choices = chosen.probing, by == HASH
            done = _make_in_rounds_kernel(model, drawn_by, on, clues, answer, *choices, work, tree, rng)
        if done:
            return Heyawake(size, size, labels, [int(model.low[con]) if on[con] else None for con in clues])


def timed(works: dict[str, Callable[[int], object]], n: int) -> tuple[pd.DataFrame, dict[str, list]]:
    """Processor seconds of each work(i), a row an i below n and a column a work, and what each returned.

    The works take turns at each i, so that a slow minute of the machine is shared; one call of each goes before.
    Processor time leaves out what other processes took; reading it costs a microsecond or two.
    """
    seconds, returned = {name: [] for name in works}, {name: [] for name in works}
    for work in works.values():
        work(0)
    for i in range(n):
        for name, work in works.items():
            start = time.process_time()
            result = work(i)
            seconds[name].append(time.process_time() - start)
            returned[name].append(result)
    return pd.DataFrame(seconds), returned


def dilate_by_loop(mask: np.ndarray) -> np.ndarray:
    """The cells of a mask, bool (rows, cols), and those beside one: a Python loop over cells and their neighbours."""
    rows, cols = mask.shape
    grown = mask.copy()
    for y in range(rows):
        for x in range(cols):
            for dy, dx in ((-1, 0), (0, -1), (0, 1), (1, 0)):
                if 0 <= y + dy < rows and 0 <= x + dx < cols and mask[y + dy, x + dx]:
                    grown[y, x] = True
    return grown


def dilate_by_shifts(mask: np.ndarray) -> np.ndarray:
    """The same by four shifts of the whole mask.

    >>> dilate_by_shifts(np.array([[True, False, False]])).tolist()
    [[True, True, False]]
    """
    grown = mask.copy()
    grown[1:] |= mask[:-1]
    grown[:-1] |= mask[1:]
    grown[:, 1:] |= mask[:, :-1]
    grown[:, :-1] |= mask[:, 1:]
    return grown


def flood_by(dilate: Callable, start: np.ndarray, within: np.ndarray) -> np.ndarray:
    """The cells of a mask that paths inside `within` join to `start`, by dilating until nothing changes."""
    while True:
        grown = dilate(start) & within
        if (grown == start).all():
            return grown
        start = grown
