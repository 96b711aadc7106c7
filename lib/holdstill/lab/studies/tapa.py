"""The rows of Tapa's studies, each a pure function of a generator and its parameters, and the proof by exhaustion."""

from itertools import product

import numpy as np
from numba import njit

from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, PuzzleError
from holdstill.core.model import active, compile_model
from holdstill.core.propagate import _propagate_kernel, _restart_kernel, new_work
from holdstill.core.search import random_answer
from holdstill.lab.studies.counters import counters
from holdstill.puzzles.rings import Clue, ring_rules, ring_table, rings
from holdstill.puzzles.tapa import Tapa


def _with(rows: int, cols: int, given: dict[int, Clue]) -> Tapa:
    return Tapa(rows, cols, [[given.get(y * cols + x) for x in range(cols)] for y in range(rows)])


# The text's hand-made boards, the smallest of their kind, and one that it says does not exist: unique, not by probing.
FIXTURES = {
    "unique": _with(3, 3, {0: (1, 1)}),
    "dies_locally": _with(3, 3, {0: (1, 1, 1)}),
    "dies_globally": _with(3, 3, {4: (1, 1)}),
    "needs_probing": _with(3, 3, {5: (1, 1)}),
    "beyond_probing": _with(4, 4, {0: (1,), 6: (3, 1)}),
}


def clues_with_unknowns() -> list[Clue]:
    """Every clue that a ring of eight can meet, with any of its numbers turned into "?": each once, in one order.

    >>> len(clues_with_unknowns()), [clue for clue in clues_with_unknowns() if len(clue) == 4]
    (42, [(1, 1, 1, 1), (1, 1, 1, '?'), (1, 1, '?', '?'), (1, '?', '?', '?'), ('?', '?', '?', '?')])
    """
    found = {}
    for clue in ring_table():
        for hidden in product((False, True), repeat=len(clue)):
            numbers = [run for run, is_hidden in zip(clue, hidden, strict=True) if not is_hidden]
            found[(*numbers, *"?" * sum(hidden))] = None
    return sorted(found, key=lambda clue: (len(clue), clue.count("?"), [str(run) for run in clue]))


def contained(clue: Clue, shape: int = 255, positive: bool = False) -> dict:
    """Is count contained in rings? Every partial ring of a clue, both rules to their fixpoints on that one ring.

    `shape` says which of the eight cells are on the grid (see `rings.rings`). `missed` counts the partial rings, of all
    `rings`, where the total says something that the table does not: a cell decided or a contradiction. `ahead` counts
    the other way round.

    >>> contained((1, 1, 1, 1))
    {'rings': 6561, 'missed': 0, 'ahead': 5344}
    """
    cells = shape.bit_count()
    rules = ("totals", "rings")
    model = compile_model(1, cells, ring_rules([range(cells)], [shape], [clue], positive), rules)
    on = [active(model, rules, (rule,)) for rule in rules]
    missed, ahead = _contained_kernel(model, *on, new_work(model))
    return {"rings": 3**cells, "missed": missed, "ahead": ahead}


@njit(cache=True)
def _contained_kernel(model, totals_on, rings_on, work):
    missed, ahead = 0, 0
    given = np.empty_like(work.state)
    for number in range(3 ** len(given)):
        for cell in range(len(given)):
            given[cell] = number // 3**cell % 3
        _restart_kernel(work, given)
        total_fits = _propagate_kernel(model, totals_on, work)
        by_total = work.state.copy()
        _restart_kernel(work, given)
        ring_fits = _propagate_kernel(model, rings_on, work)
        total_says, ring_says = not total_fits and ring_fits, not ring_fits and total_fits
        if total_fits and ring_fits:
            for cell in range(len(by_total)):
                total, ring = by_total[cell], work.state[cell]
                total_says |= total != UNKNOWN and ring != total
                ring_says |= ring != UNKNOWN and total != ring
        missed += total_says
        ahead += ring_says
    return missed, ahead


def clue_of(state: np.ndarray, rows: int, cols: int, cell: int) -> Clue:
    """The clue that a decided state, int8 (cells,), gives a cell.

    >>> clue_of(np.array([2, 1, 2], np.int8), 1, 3, 1)
    (1, 1)
    """
    ring, shapes = rings(rows, cols)
    around = ring.flat[ring.starts[cell] : ring.starts[cell + 1]]
    pattern = int(((state[around] == SHADED) << np.arange(len(around))).sum())
    return next(clue for clue, found in ring_table(int(shapes[cell])).items() if pattern in found)


def small_board(rng: np.random.Generator) -> Tapa:
    """A small board with 0, 1 or many answers, up to 4x4.

    Clues are read off a random wall at some of its unshaded cells, a fifth of their numbers are turned into "?", and in
    a third of the boards one clue is another that its ring has room for; half of the boards are `positive`.
    """
    rows, cols = (int(side) for side in rng.choice([1, 2, 3, 4], 2, p=[0.05, 0.1, 0.35, 0.5]))
    answer = random_answer(Tapa(rows, cols, [[None] * cols] * rows), rng, shade=rng.random())
    share = rng.random()
    clues = [[None] * cols for _ in range(rows)]
    for cell in np.flatnonzero(answer == UNSHADED).tolist():
        if rng.random() < share:
            clue = clue_of(answer, rows, cols, cell)
            clues[cell // cols][cell % cols] = tuple("?" if rng.random() < 0.2 else run for run in clue)
    positive = bool(rng.random() < 0.5)
    board = Tapa(rows, cols, clues, positive)
    if rng.random() < 1 / 3:
        cell, every = int(rng.integers(rows * cols)), clues_with_unknowns()
        clues[cell // cols][cell % cols] = every[rng.integers(len(every))]
        try:
            return Tapa(rows, cols, clues, positive)
        except PuzzleError:
            return board
    return board


def counters_row(rng: np.random.Generator) -> dict:
    """One small board counted five ways: see `counters`."""
    return counters(small_board(rng))
