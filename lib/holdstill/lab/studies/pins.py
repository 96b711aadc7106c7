"""The rows of `what_pins_the_answer`: for any puzzle, what each rule forbids alone and what is left without it.

A rule that prints numbers on the board is the puzzle's *numbers*; all its other rules are its *geometry*.
"""

import math
from itertools import combinations

import numpy as np

from holdstill.core.grid import SHADED, UNSHADED, neighbours
from holdstill.core.search import search
from holdstill.lab.studies.araf import tightened
from holdstill.lab.studies.tapa_reach import with_clues
from holdstill.puzzles import araf_search
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.boards import Board
from holdstill.puzzles.engines import GENERATE
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.heyawake_dense import numbered
from holdstill.puzzles.tapa import Tapa
from holdstill.puzzles.thermometers import Thermometers

# Each puzzle's rules, as names of its RULES: a rule said twice is switched off twice. Left out are the rules that no
# change here can break: clue cells and cells in no tube stay as they are, and so do Araf's numbered cells.
PARTS = {
    "heyawake": {"numbers": ("rooms",), "touching": ("touching",), "white": ("white",), "spans": ("spans",)},
    "tapa": {"numbers": ("totals", "rings"), "square": ("square",), "wall": ("wall",)},
    "thermometers": {"numbers": ("counts", "ways"), "order": ("order",)},
    "araf": {"numbers": ("size",), "whole": ("whole",)},
}

# What a generator leaves open, one departure at a time.
CHOICES = {
    "heyawake": {
        "default": {},
        "carved by spans": {"rung": "spans"},
        "half guessed shaded": {"shade": 0.5},
        "two fifths numbered": {"keep": 0.4},
    },
    "tapa": {"default": {}, "carved by rings": {"rung": "rings"}, "fill 0.3": {"fill": 0.3}, "fill 0.6": {"fill": 0.6}},
    "thermometers": {
        "default": {},
        "straight tubes": {"bend": 0.0},
        "tubes to 4": {"longest": 4},
        "half covered": {"cover": 0.5},
    },
    "araf": {
        "default": {},
        "numbers anywhere": {"place": "any"},
        "ceiling 9": {"ceiling": 9},
        "not widened": {"widest": 0},
    },
}


def fully_clued(board: Board, answer: np.ndarray) -> Board:
    """The board with all the numbers its answer can give; an Araf board with its windows as tight as can be.

    >>> fully_clued(Heyawake(1, 2, [[0, 1]], [None, 1]), np.array([1, 2], np.int8)).clues
    (0, 1)
    """
    if isinstance(board, Heyawake):
        return numbered(np.array(board.rooms), answer)
    if isinstance(board, Tapa):
        return with_clues(answer, board.rows, board.cols, answer == UNSHADED)
    if isinstance(board, Thermometers):
        grid = answer.reshape(board.rows, board.cols) == SHADED
        counts = [grid.sum(axis=axis).tolist() for axis in (1, 0)]
        return Thermometers(board.rows, board.cols, board.tubes, *counts)
    return tightened(board, answer)


def given(board: Board) -> np.ndarray:
    """The cells that no change may touch, as a mask: those with a clue or a number, and those in no tube.

    >>> given(Thermometers(1, 3, [[0, 1]], [1], [None] * 3)).tolist()
    [False, False, True]
    """
    mask = np.zeros(board.rows * board.cols, bool)
    if isinstance(board, Tapa):
        mask[board.clue_cells] = True
    elif isinstance(board, Thermometers):
        mask = board.tube_of < 0
    elif isinstance(board, Araf):
        mask[list(board.at)] = True
    return mask


def changes(board: Board, answer: np.ndarray) -> np.ndarray:
    """The answer with one cell changed, every way: one row a change, of `answer`'s dtype.

    A cell takes the other colour; in Araf an unnumbered cell goes to a room that it shares an edge with.

    >>> changes(Heyawake(1, 2, [[0, 0]], [1]), np.array([1, 2], np.int8)).tolist()
    [[2, 2], [1, 1]]
    """
    free, found = np.flatnonzero(~given(board)), []
    for cell in free.tolist():
        if isinstance(board, Araf):
            beside = neighbours(board.rows, board.cols)[cell]
            values = sorted({int(answer[near]) for near in beside[beside >= 0]} - {int(answer[cell])})
        else:
            values = [3 - answer[cell]]
        for value in values:
            found.append(answer.copy())
            found[-1][cell] = value
    return np.array(found, answer.dtype).reshape(-1, len(answer))


def swaps(board: Board, answer: np.ndarray) -> np.ndarray:
    """The answer with the values of two cells swapped, every way: one row a swap.

    The cells are a shaded and an unshaded one; in Araf two unnumbered cells of two rooms, each with an edge to the
    other's room.

    >>> swaps(Heyawake(1, 3, [[0, 0, 0]], [1]), np.array([1, 2, 1], np.int8)).tolist()
    [[2, 1, 1], [1, 1, 2]]
    """
    beside = neighbours(board.rows, board.cols)
    free, found = np.flatnonzero(~given(board)).tolist(), []
    touches = [set(answer[row[row >= 0]].tolist()) for row in beside]
    for one, two in combinations(free, 2):
        if answer[one] == answer[two]:
            continue
        if isinstance(board, Araf) and not (answer[one] in touches[two] and answer[two] in touches[one]):
            continue
        found.append(answer.copy())
        found[-1][[one, two]] = answer[[two, one]]
    return np.array(found, answer.dtype).reshape(-1, len(answer))


def stopped(board: Board, puzzle: str, states: np.ndarray) -> dict:
    """Who forbids these states: how many break the numbers alone, the geometry alone, both, or nothing (`legal`).

    `NAME_alone` is the same for each single rule. By the judge.

    >>> board = Heyawake(1, 3, [[0, 0, 0]], [1])
    >>> stopped(board, "heyawake", np.array([[2, 2, 1], [1, 1, 2], [1, 1, 1]], np.int8))["both"]
    1
    """
    broken, names = board.broken(states), list(board.RULES)
    breaks = {
        part: np.any([broken >> names.index(rule) & 1 for rule in rules], axis=0)
        for part, rules in PARTS[puzzle].items()
    }
    times = sum(one.astype(int) for one in breaks.values())
    row = {f"{part}_alone": int((one & (times == 1)).sum()) for part, one in breaks.items()}
    numbers, geometry = breaks["numbers"], times > breaks["numbers"]
    return row | {
        "all": len(states),
        "geometry": int((geometry & ~numbers).sum()),
        "both": int((geometry & numbers).sum()),
        "legal": int((broken == 0).sum()),
    }


def scattered(board: Araf, answer: np.ndarray, cap: int) -> int:
    """The ways to give each room of an answer cells anywhere, up to `cap`: its own two numbers, a size they allow.

    A lower bound on the answers without connectivity, where other pairs might form rooms too. Counted room by room:
    C(cells left, cells taken) ways for each size.

    >>> scattered(Araf(1, 6, [[1, 4, None, None, 4, 1]]), np.array([1, 1, 1, 2, 2, 2]), 1000)
    2
    """
    low, high, hole = board.sizes()
    numbers_of: dict[int, list[int]] = {}
    for number, cell in enumerate(board.at):
        numbers_of.setdefault(int(answer[cell]), []).append(number)
    ways = {len(answer) - len(board.at): 1}
    for i, j in numbers_of.values():
        after: dict[int, int] = {}
        for left, count in ways.items():
            for size in range(int(low[i, j]), int(high[i, j]) + 1):
                if size != hole[i, j] and size - 2 <= left:
                    rest = left - size + 2
                    after[rest] = after.get(rest, 0) + count * math.comb(left, size - 2)
        ways = after
    return min(cap, ways.get(0, 0))


def answers_without(board: Board, puzzle: str, answer: np.ndarray, part: str, cap: int) -> int:
    """How many answers a board has without one of its PARTS, counted up to `cap`.

    Araf without connectivity is counted from below: the pairs are those of the answer (`scattered`).

    >>> answers_without(Heyawake(1, 2, [[0, 1]], [1, None]), "heyawake", np.array([2, 1]), "numbers", 10)
    3
    """
    if part == "order":
        # The line counts take the order for granted, so each cell becomes a tube of its own.
        loose = [[cell] for tube in board.tubes for cell in tube]
        return search(
            Thermometers(board.rows, board.cols, loose, board.row_counts, board.col_counts), cap, store=0
        ).count
    if puzzle != "araf":
        off = PARTS[puzzle][part]
        return search(board, cap, rules=tuple(name for name in board.RULES if name not in off), store=0).count
    if part == "whole":
        return scattered(board, answer, cap)
    blank = [["?" if number is not None else None for number in row] for row in board.numbers]
    return araf_search.search(Araf(board.rows, board.cols, blank), cap, reading="inclusive", store=0).count


def changes_row(rng: np.random.Generator, puzzle: str, size: int, **choices) -> dict:
    """A generated board: what stops each change and each swap of its answer.

    The names begin with `carved_` for the board as made and with `full_` for the same answer fully clued. `choices` are
    those of the puzzle's `generate`.
    """
    return _stops(puzzle, GENERATE[puzzle](size, size, rng, **choices))


def pins_row(rng: np.random.Generator, puzzle: str, size: int, cap: int, **choices) -> dict:
    """As `changes_row`, and the answers without each of the PARTS, counted up to `cap`."""
    made = GENERATE[puzzle](size, size, rng, **choices)
    row = _stops(puzzle, made)
    for form, board in _forms(made).items():
        for part in PARTS[puzzle]:
            row[f"{form}_without_{part}"] = answers_without(board, puzzle, made.answer, part, cap)
    return row


def _forms(made) -> dict[str, Board]:
    return {"carved": made.board, "full": fully_clued(made.board, made.answer)}


def _stops(puzzle: str, made) -> dict:
    row = {}
    for form, board in _forms(made).items():
        for kind, states in (("change", changes(board, made.answer)), ("swap", swaps(board, made.answer))):
            row |= {f"{form}_{kind}_{what}": count for what, count in stopped(board, puzzle, states).items()}
    return row
