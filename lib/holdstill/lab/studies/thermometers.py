"""The rows of the Thermometers studies: each a pure function of a generator and its parameters; and exhaustion."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numba import njit

from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED
from holdstill.core.ladder import finishes
from holdstill.core.model import Model, Ragged, active, at_least_one, compile_model
from holdstill.core.propagate import _propagate_kernel, _restart_kernel, new_work
from holdstill.lab.studies.counters import counters
from holdstill.lab.studies.positions import positions
from holdstill.puzzles.thermometers import Thermometers, generate, line_constraints
from holdstill.puzzles.tubes import random_tubes

RUNGS = tuple(Thermometers.RUNGS)
LINE_RULES = ("order", "counts", "ways")

# One departure from the generator's defaults at a time.
CHOICES = {
    "default": {},
    "rejection": {"repairs": 0, "tries": 1_000_000},
    "longest_4": {"longest": 4},
    "longest_6": {"longest": 6},
    "longest_16": {"longest": 16},
    "straight": {"bend": 0.0},
    "cover_0.7": {"cover": 0.7},
    "every_count": {"keep": 1.0},
}


def position_row(rng: np.random.Generator, shares: list[float], unique: bool) -> dict:
    """One board of 5x5 to 7x7 with growing shares of its answer revealed: do interval and witness differ?

    A unique board from the generator, or random tubes filled at random with each count shown with probability 0.6: its
    filling is one of mostly many answers, so more cells stay open. For each share s: `differ_s` whether the fixpoints
    differ, `decided_s` the cells that interval adds, `open_s` the cells that it leaves.
    """
    size = int(rng.integers(5, 8))
    board, answer = generate(size, size, rng)[:2] if unique else filled(size, size, rng, shown=0.6)
    row = {"size": size}
    for share, state, (interval, witness) in positions(rng, board, answer, shares, ("interval", "witness")):
        row[f"differ_{share:g}"] = bool((interval != witness).any())
        row[f"decided_{share:g}"] = int(((interval != UNKNOWN) & (state == UNKNOWN)).sum())
        row[f"open_{share:g}"] = int((interval == UNKNOWN).sum())
    return row


def filled(rows: int, cols: int, rng: np.random.Generator, *, shown: float, **tubes) -> tuple[Thermometers, np.ndarray]:
    """A board of random tubes filled at random, each count shown with a probability, and the filling (int8 state).

    `tubes` are the choices of `random_tubes`.
    """
    cells = random_tubes(rows, cols, rng, **tubes)
    state = np.full((rows, cols), UNSHADED, np.int8)
    for tube in cells:
        state.flat[tube[: rng.integers(0, len(tube) + 1)]] = SHADED
    numbers = [(state == SHADED).sum(axis=axis).tolist() for axis in (1, 0)]
    counts = [[number if rng.random() < shown else None for number in one] for one in numbers]
    return Thermometers(rows, cols, cells, *counts), state.ravel()


def reach_row(rng: np.random.Generator, size: int, **choices) -> dict:
    """One unique board, carved against the complete solver: which rungs finish it.

    `choices` are those of `generate`.
    """
    made = generate(size, size, rng, **choices)
    counts = made.board.row_counts + made.board.col_counts
    return {
        **{rung: finishes(made.board, rung) for rung in RUNGS},
        "tubes": len(made.board.tubes),
        "numbered": sum(count is not None for count in counts),
        "shaded": float((made.answer == SHADED).mean()),
        "repaired": made.repaired,
        "rejected": made.rejected,
    }


def small_board(rng: np.random.Generator) -> Thermometers:
    """A small board with 0, 1 or many answers: 1x2 to 4x4, tubes straight or bent over half of the grid or all of it.

    Counts are read off a random filling, each shown with probability 0.5; in a third of the boards one is changed.
    """
    rows, cols = int(rng.integers(1, 5)), int(rng.integers(2, 5))
    cover, bend = rng.choice([0.5, 1.0]), rng.choice([0.0, 0.5, 1.0])
    longest = int(rng.integers(2, rows * cols + 1))
    board, _ = filled(rows, cols, rng, shown=0.5, cover=cover, longest=longest, bend=bend)
    lines, numbers = board.numbered_lines
    if len(numbers) == 0 or rng.random() < 2 / 3:
        return board
    counts = list(board.row_counts + board.col_counts)
    line = int(rng.integers(len(numbers)))
    at = [place for place, count in enumerate(counts) if count is not None][line]
    most = int(lines.starts[line + 1] - lines.starts[line])
    counts[at] = min(most, abs(counts[at] + int(rng.choice([-1, 1]))))
    return replace(board, row_counts=counts[:rows], col_counts=counts[rows:])


def counters_row(rng: np.random.Generator) -> dict:
    """One small board counted five ways (brute force, search by each rung, SAT): are the answer sets the same?

    `certified` says that some rung finishes the board, `second` that it then has a second answer after all.
    """
    return counters(small_board(rng))


def compositions(total: int) -> Iterator[tuple[int, ...]]:
    """The ways to write a number as an ordered sum.

    >>> list(compositions(3))
    [(1, 1, 1), (1, 2), (2, 1), (3,)]
    """
    if total == 0:
        yield ()
    for first in range(1, total + 1):
        for rest in compositions(total - first):
            yield (first, *rest)


def arrangements(cells: int) -> Iterator[list[list[list[int]]]]:
    """Every way that tubes can share the cells of a line, each tube's cells there one piece.

    A line is a list of tubes, a tube a list of pieces, a piece a list of cells. A tube's cells need not lie side by
    side: a bent tube may leave the line and come back.

    >>> [[piece for (piece,) in line] for line in arrangements(3)]
    [[[0, 1, 2]], [[0, 1], [2]], [[0, 2], [1]], [[0], [1, 2]], [[0], [1], [2]]]
    """
    if cells == 0:
        yield []
        return
    for size in range(cells - 1, -1, -1):
        for others in itertools.combinations(range(1, cells), size):
            left = [cell for cell in range(1, cells) if cell not in others]
            for rest in arrangements(len(left)):
                yield [[[0, *others]], *([[left[cell] for cell in piece]] for (piece,) in rest)]


def cut_lines(cells: int, split: bool) -> Iterator[list[list[list[int]]]]:
    """Every way to share a line's cells among tubes, up to a renaming of cells: a constraint knows no places.

    With `split` at least one tube is cut into pieces, in every way; without, each tube is one piece.

    >>> list(cut_lines(2, False)), list(cut_lines(2, True))
    ([[[[0]], [[1]]], [[[0, 1]]]], [[[[0], [1]]]])
    """
    for sizes in compositions(cells):
        if list(sizes) != sorted(sizes, reverse=True):
            continue
        starts = np.cumsum([0, *sizes]).tolist()
        for cuts in itertools.product(*map(compositions, sizes)):
            if all(len(cut) == 1 for cut in cuts) != split:
                ends = [[start, *(start + np.cumsum(cut)).tolist()] for start, cut in zip(starts, cuts, strict=False)]
                yield [[list(range(a, b)) for a, b in itertools.pairwise(end)] for end in ends]


def line_model(tubes: list[list[list[int]]]) -> Model:
    """One line as a model: "order" along each tube, and each count that the line can have, 0 first, said twice.

    "ways" goes tube by tube, "counts" has one group a piece.
    """
    along = [[cell for piece in tube for cell in piece] for tube in tubes]
    cells = [cell for one in along for cell in one]
    tube = np.repeat(np.arange(len(tubes)), [len(one) for one in along]).astype(np.int32)
    pieces = [piece for one in tubes for piece in one]
    piece = np.repeat(np.arange(len(pieces)), [len(one) for one in pieces]).astype(np.int32)
    numbers = np.arange(len(cells) + 1, dtype=np.int32)
    lines = Ragged.of(np.tile(np.array(cells, np.int32), (len(numbers), 1)))
    pairs = [[2 * a + 1, 2 * b] for one in along for a, b in itertools.pairwise(one)]
    counts, ways = line_constraints(lines, numbers, np.tile(tube, len(numbers)))
    blocks = [at_least_one("order", Ragged.of(pairs)), counts._replace(group=np.tile(piece, len(numbers))), ways]
    return compile_model(1, len(cells), blocks, LINE_RULES)


def _with_count(model: Model, count: int, rule: str) -> np.ndarray:
    """Which constraints say "order" and, by a rule, this one count of a line."""
    on = active(model, LINE_RULES, ("order",))
    on[np.flatnonzero(active(model, LINE_RULES, (rule,)))[count]] = True
    return on


def partial_levels(tubes: list[list[list[int]]]) -> np.ndarray:
    """Every partial filling of the tubes of a line: each tube's level known to lie in an interval, int8 (n, cells)."""
    cells = sum(len(piece) for tube in tubes for piece in tube)
    states = np.zeros((1, cells), np.int8)
    for tube in tubes:
        along = [cell for piece in tube for cell in piece]
        one = []
        for low, high in itertools.combinations_with_replacement(range(len(along) + 1), 2):
            one.append(np.zeros(cells, np.int8))
            one[-1][along[:low]], one[-1][along[high:]] = SHADED, UNSHADED
        states = (states[:, None] + np.array(one)).reshape(-1, cells)
    return states


def line_end(tubes: list[list[list[int]]], count: int, rule: str) -> np.ndarray:
    """What "order" and a rule ("counts" or "ways") decide on an empty line with a count that can be met."""
    model = line_model(tubes)
    work = new_work(model)
    _propagate_kernel(model, _with_count(model, count, rule), work)
    return work.state


def exhausted(lines) -> dict:
    """Every count and every partial filling of every line: on how many do "counts" and "ways" end differently?

    Both go with "order". A case differs where one refutes and the other does not, or where their fixpoints differ.
    """
    total, cases, differ, refuted = 0, 0, 0, 0
    for tubes in lines:
        states, model = partial_levels(tubes), line_model(tubes)
        for count in range(states.shape[1] + 1):
            masks = (_with_count(model, count, rule) for rule in ("counts", "ways"))
            results = _compare_kernel(model, *masks, states, new_work(model))
            cases, differ, refuted = cases + len(states), differ + results[0], refuted + results[1]
        total += 1
    return {"lines": total, "cases": cases, "refuted": refuted, "differ": differ}


@njit(cache=True)
def _compare_kernel(model, one, other, states, work):
    """(states on which the two sets of constraints end differently, states that the second refutes)."""
    differ, refuted = 0, 0
    ended = np.empty((2, states.shape[1]), np.int8)
    for state in states:
        for k in range(2):
            _restart_kernel(work, state)
            fits = _propagate_kernel(model, one if k == 0 else other, work)
            for cell in range(len(state)):
                ended[k, cell] = work.state[cell] if fits else -1
        refuted += ended[1, 0] == -1
        for cell in range(len(state)):
            if ended[0, cell] != ended[1, cell]:
                differ += 1
                break
    return differ, refuted
