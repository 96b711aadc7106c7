"""How far Tapa's rungs reach: the rows of the study, and every small board that probing does not finish."""

from typing import NamedTuple

import numpy as np
from numba import njit

from holdstill.core import brute
from holdstill.core.carve import _finishes_kernel
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, neighbours
from holdstill.core.ladder import finishes
from holdstill.core.model import active
from holdstill.core.propagate import (
    ASSUMED,
    NODES,
    PROBED,
    PROBES,
    TRAIL,
    _assign_kernel,
    _fixpoint_kernel,
    _probe_kernel,
    _propagate_kernel,
    _undo_kernel,
    new_work,
)
from holdstill.core.search import NO_LIMIT, _search_kernel, new_tree, search
from holdstill.lab.studies.tapa import clue_of
from holdstill.puzzles.puzzlink import encode
from holdstill.puzzles.rings import rings
from holdstill.puzzles.tapa import Tapa, _grow_kernel, _workshop, generate

RUNGS = tuple(Tapa.RUNGS)

# The share of the grid that a blob fills, where the text leaves its growth open; 1 grows until no cell fits.
FILLS = (0.1, 0.2, 0.3, 0.4, 0.44, 0.5, 0.6, 0.7, 1.0)


def reach_row(rng: np.random.Generator, size: int, **choices) -> dict:
    """One unique board, carved against the complete solver ("no solvability filter"): which rungs finish it.

    `choices` are those of `tapa.generate`. `free` counts the cells without a clue; `address` is the board's where
    probing does not finish it.
    """
    made = generate(size, size, rng, **choices)
    reached = {rung: finishes(made.board, rung) for rung in RUNGS}
    return {
        **reached,
        "clues": len(made.board.clue_cells),
        "free": size * size - len(made.board.clue_cells),
        "rejected": made.rejected,
        "address": None if reached["probe"] else encode(made.board),
    }


def blob_row(rng: np.random.Generator, size: int, fill: float) -> dict:
    """One blob with a clue on every other cell: how many answers it has (2: two or more), and did its growth stall?"""
    answer, beside = np.empty(size * size, np.int8), neighbours(size, size)
    most = max(1, round(fill * size * size))
    _grow_kernel(size, size, beside, most, answer, rng)
    found = search(with_clues(answer, size, size, answer == UNSHADED), 2)
    return {"answers": found.count, "stalled": bool((answer == SHADED).sum() < most)}


def removable_row(rng: np.random.Generator, size: int) -> dict:
    """One finished board: its clues, and how many of them could go, one at a time, and leave it unique."""
    made = generate(size, size, rng)
    cells = made.board.clue_cells
    fewer = [with_clues(made.answer, size, size, cells[cells != cell]) for cell in cells]
    return {"clues": len(cells), "removable": sum(search(board, 2).count == 1 for board in fewer)}


def with_clues(answer: np.ndarray, rows: int, cols: int, cells: np.ndarray) -> Tapa:
    """The board that gives the clues of an answer, int8 (cells,), at some cells: their numbers, or a mask of bools."""
    clues = np.full(rows * cols, None)
    for cell in np.arange(rows * cols)[cells].tolist():
        clues[cell] = clue_of(answer, rows, cols, cell)
    return Tapa(rows, cols, clues.reshape(rows, cols).tolist())


@njit(cache=True)
def _pairs_kernel(model, active, work):
    """Two-cell probing, from a fixpoint of probing on: erase a value where probing under it ends in a contradiction."""
    state, counter = work.state, work.counter
    cells = len(state)
    cell, left = 0, cells
    while left > 0:
        for value in (SHADED, UNSHADED):
            if state[cell] != UNKNOWN:
                continue
            mark = counter[TRAIL]
            counter[PROBES] += 1
            _assign_kernel(model, active, work, cell, value, ASSUMED)
            fits = _fixpoint_kernel(model, active, work) and _probe_kernel(model, active, work)
            _undo_kernel(work, mark)
            if not fits:
                _assign_kernel(model, active, work, cell, 3 - value, PROBED)
                if not _fixpoint_kernel(model, active, work) or not _probe_kernel(model, active, work):
                    return False
                left = cells + 1
        left -= 1
        cell = cell + 1 if cell + 1 < cells else 0
    return True


def probed(board: Tapa, cells: int) -> tuple[np.ndarray | None, int]:
    """What probing with one cell or two at once decides, int8 (cells,), and how often it assumed a cell.

    With two, each value of a cell is assumed while the other cells are probed, and what that erases stays erased as
    long as the assumption. None for a contradiction.

    >>> from holdstill.lab.studies.tapa import FIXTURES
    >>> state, assumed = probed(FIXTURES["beyond_probing"], 2)
    >>> bool((state > 0).all()), assumed
    (True, 36)
    """
    model = board.model
    on, work = active(model, tuple(board.RULES), board.RUNGS["probe"].rules), new_work(model)
    fits = _propagate_kernel(model, on, work) and _probe_kernel(model, on, work)
    fits = fits and (cells == 1 or _pairs_kernel(model, on, work))
    return work.state if fits else None, int(work.counter[PROBES])


def searched(board: Tapa, rung: str) -> tuple[int, int]:
    """How many answers a complete search over a rung finds, and how often it assumed a cell to find them all.

    >>> from holdstill.lab.studies.tapa import FIXTURES
    >>> searched(FIXTURES["beyond_probing"], "rings")
    (1, 18)
    """
    model, chosen = board.model, board.RUNGS[rung]
    on, every = (active(model, tuple(board.RULES), rules) for rules in (chosen.rules, board.RULES))
    work, tree = new_work(model), new_tree(model)
    none, still = np.empty((0, len(work.state)), np.int8), np.random.default_rng(0)
    found, _ = _search_kernel(model, on, every, chosen.probing, work, tree, none, NO_LIMIT, NO_LIMIT, 0.0, still)
    return found, int(work.counter[NODES] + work.counter[PROBES])


def effort(board: Tapa) -> dict:
    """What finishes a unique board that probing leaves, and how often each way assumes a cell."""
    (one, by_one), (two, by_two) = probed(board, 1), probed(board, 2)
    return {
        "clues": len(board.clue_cells),
        "free": len(one) - len(board.clue_cells),
        "left": int((one == UNKNOWN).sum()),
        "left by two cells": int((two == UNKNOWN).sum()),
        "probing": by_one,
        "two cells": by_two,
        "search": searched(board, "rings")[1],
        "search with probing": searched(board, "probe")[1],
    }


class Census(NamedTuple):
    """Every board of a small grid that has one answer, no "?" among its clues.

    `walls` are the answers to choose from, `rejected` of them have a rival even with every clue. `unique` counts the
    boards, `minimal` those from which no clue can go, `left` those that probing does not finish, `left_minimal` those
    that are both. `boards` are the `left` ones, fewest clues first, one for each class of turned and mirrored ones.
    """

    walls: int
    rejected: int
    unique: int
    minimal: int
    left: int
    left_minimal: int
    boards: list[Tapa]


def census(rows: int, cols: int) -> Census:
    """All unique boards of a grid by exhaustion, and those that probing does not finish.

    Takes each wall as the answer. The clues that another wall gives just as well are a set of cells, and a choice of
    clues is unique where no such set contains it: no search is asked. A clue more never takes anything from probing,
    so the boards it leaves are found from the minimal ones upwards. Walls stand for what they become when turned.

    Raises PuzzleError for more than 36 cells; beyond 20 it takes long.

    >>> census(2, 2)[:6]
    (13, 0, 27, 16, 0, 0)
    """
    walls = brute.answers(Tapa(rows, cols, [[None] * cols] * rows)) == SHADED
    (around, _), shop = rings(rows, cols), _workshop(rows, cols, Tapa.RUNGS["probe"].rules)
    near = np.split(around.flat, around.starts[1:-1])
    patterns = np.stack([walls[:, ring] @ (1 << np.arange(len(ring))) for ring in near], axis=1)
    places = shop.first + patterns
    clues = np.where(walls, -1, shop.low[places])
    turns = _turns(rows, cols)
    numbers = np.stack([walls[:, turn] @ (1 << np.arange(rows * cols)) for turn in turns])
    rejected = unique = minimal = left = left_minimal = 0
    boards = {}
    for wall in np.flatnonzero(numbers.min(axis=0) == numbers[0]).tolist():
        weight = len(np.unique(numbers[:, wall]))
        cells = np.flatnonzero(~walls[wall])
        same = (clues[:, cells] == clues[wall, cells]) @ (1 << np.arange(len(cells)))
        is_unique, is_minimal = _unique(np.delete(same, wall), len(cells))
        shop.model.low[shop.clues[:, 1]] = shop.low[places[wall]]
        shop.model.high[shop.clues[:, 1]] = shop.high[places[wall]]
        found, level = set(), np.flatnonzero(is_minimal)
        while len(level):
            is_left = _is_left_kernel(shop.model, shop.active, shop.clues, cells, level, shop.work)
            found.update(level[is_left].tolist())
            wider = {chosen | 1 << bit for chosen in level[is_left].tolist() for bit in range(len(cells))} - found
            level = np.array(sorted(wider), np.int64)
        rejected += weight * (not is_unique[-1])
        unique += weight * int(is_unique.sum())
        minimal += weight * int(is_minimal.sum())
        left += weight * len(found)
        left_minimal += weight * int(is_minimal[list(found)].sum())
        for chosen in found:
            flat = np.full(rows * cols, None)
            for cell in cells[chosen >> np.arange(len(cells)) & 1 == 1]:
                flat[cell] = shop.names[clues[wall, cell]]
            flat = min((flat[turn].tolist() for turn in turns), key=str)
            boards[str(flat)] = Tapa(rows, cols, [flat[y * cols : (y + 1) * cols] for y in range(rows)])
    ordered = sorted(boards, key=lambda text: (len(boards[text].clue_cells), text))
    return Census(len(walls), rejected, unique, minimal, left, left_minimal, [boards[text] for text in ordered])


def _turns(rows: int, cols: int) -> list[np.ndarray]:
    """The grid's cells as each of its symmetries orders them, the identity first."""
    grid = np.arange(rows * cols).reshape(rows, cols)
    turns = [grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1]]
    if rows == cols:
        turns += [turn.T for turn in turns]
    return [turn.ravel() for turn in turns]


def _unique(shared: np.ndarray, cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Which sets of cells no shared set contains, and which of those lose that with any cell; bool (2**cells,) each."""
    shares = np.zeros(1 << cells, np.bool_)
    shares[shared] = True
    for bit in range(cells):
        halves = shares.reshape(-1, 2, 1 << bit)
        halves[:, 0] |= halves[:, 1]
    minimal = ~shares
    for bit in range(cells):
        minimal.reshape(-1, 2, 1 << bit)[:, 1] &= shares.reshape(-1, 2, 1 << bit)[:, 0]
    return ~shares, minimal


@njit(cache=True)
def _is_left_kernel(model, always, clues, cells, chosen, work):
    """For each choice of clues, bits over `cells`: does probing leave a cell open?"""
    active, is_left = always.copy(), np.empty(len(chosen), np.bool_)
    for i in range(len(chosen)):
        active[:] = always
        for bit in range(len(cells)):
            if chosen[i] >> bit & 1:
                for con in clues[cells[bit]]:
                    active[con] = True
        is_left[i] = not _finishes_kernel(model, active, True, work)
    return is_left
