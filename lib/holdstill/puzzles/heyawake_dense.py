"""Heyawake from densified answers, rated by the share of rooms that keep a number.

The generator of the text *Heyawake* (workspace page): rooms by guillotine cuts, an answer found by the complete search
and shaded further until no cell fits, numbers read off it and thinned while it stays the only answer.
"""

import time
from collections import Counter
from typing import NamedTuple

import numpy as np

from holdstill.core.carve import INFEASIBLE, REJECTED, UNSETTLED, _densify_kernel
from holdstill.core.grid import MAX_SIDE, SHADED, PuzzleError, check_size, shown
from holdstill.core.model import active
from holdstill.core.propagate import new_work
from holdstill.core.search import search
from holdstill.puzzles.heyawake import Heyawake, carve
from holdstill.puzzles.layouts import guillotine

# A layout is given up after so many search nodes (boards of 16x16 take some ten thousand), the whole after so many
# layouts given up: counted, not timed, so that a seed gives the same board or error on any machine.
MOST_NODES, GIVEN_UP = 100_000, 5
TOO_EASY = "too easy"


class Quintiles(NamedTuple):
    """The 20, 40, 60 and 80% quantiles of a study's `share` column, to four decimals, and what they come from.

    The study's n rows are seeded by its name, its parameters and their index (lab/study.py), so they can be had again.
    """

    study: str
    params: dict
    n: int
    shares: tuple[float, ...]


QUINTILES = Quintiles(
    study="holdstill.lab.studies.heyawake_layouts:share_row",
    params={"size": 8, "caps": [4, 6, 9]},
    n=600,
    shares=(0.1172, 0.2143, 0.3125, 0.4375),
)


class Rated(NamedTuple):
    """A board with its one answer (int8 state), the share of its rooms with a number, its level, the layouts tried."""

    board: Heyawake
    answer: np.ndarray
    share: float
    level: int
    layouts: int


def level(share: float) -> int:
    """The difficulty of a share of numbered rooms: 1 from the highest of `QUINTILES` up, 5 below the lowest.

    >>> level(1.0), level(0.0)
    (1, 5)
    """
    return 5 - sum(share >= edge for edge in QUINTILES.shares)


def densified(board: Heyawake, answer: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The answer with cells shaded in random order until no further cell fits, numbers disregarded: int8 (cells,).

    >>> densified(Heyawake(1, 3, [[0, 0, 0]], [None]), np.array([1, 1, 1]), np.random.default_rng(0)).tolist()
    [2, 1, 2]
    """
    state = np.array(answer, np.int8)
    rules = active(board.model, tuple(board.RULES), ("touching", "white", "spans"))
    _densify_kernel(board.model, rules, state, new_work(board.model).scratch, rng)
    return state


def unnumbered(labels: np.ndarray) -> Heyawake:
    """The board of this layout without any number.

    >>> unnumbered(np.array([[0, 0, 1]])).clues
    (None, None)
    """
    return Heyawake(*labels.shape, labels, (None,) * (int(labels.max()) + 1))


def numbered(labels: np.ndarray, answer: np.ndarray) -> Heyawake:
    """The board of this layout with every room's number read off the answer.

    >>> numbered(np.array([[0, 0, 1]]), np.array([2, 1, 2])).clues
    (1, 1)
    """
    held = np.bincount(labels.ravel(), weights=np.ravel(answer) == SHADED)
    return Heyawake(*labels.shape, labels, held.astype(int).tolist())


def generate(
    rows: int,
    cols: int,
    rng: np.random.Generator,
    *,
    max_room: int = 4,
    difficulty: int | None = None,
    tries: int = 1000,
) -> Rated:
    """A random board with one answer, which no further shaded cell fits into, from rooms of at most `max_room` cells.

    Any larger rectangle is cut in two. The fully numbered board is proved unique, then numbers go in random order while
    it stays so: to the last that can, or, with a `difficulty` from 1 (most numbers) to 5, to the lower edge of that
    level's share of numbered rooms. A board that cannot be thinned into the level is dropped. Every board is checked
    once more, whole: the judge accepts the answer and a search from the printed numbers alone finds no other.

    Raises PuzzleError for bad input, and where `tries` layouts, or five that take too long, give no board.

    >>> made = generate(6, 6, np.random.default_rng(2), difficulty=3)
    >>> made.level, made.board.is_valid(made.answer)
    (3, True)
    """
    check_size(rows, cols)
    _check_whole("max_room", max_room, MAX_SIDE**2)
    if difficulty is not None:
        _check_whole("difficulty", difficulty, 5)
    keep = 0.0 if difficulty is None else (0.0, *QUINTILES.shares)[5 - difficulty]
    start, ended = time.monotonic(), Counter()
    while ended.total() < tries and ended[UNSETTLED] < GIVEN_UP:
        labels = guillotine(rows, cols, rng, always_keep=max_room, may_keep=max_room)
        made = carve(labels, rng, shade=0.5, keep=keep, dense=True, nodes=MOST_NODES)
        if made.board is None:
            ended[made.left] += 1
            continue
        share = made.left / len(made.board.clues)
        if difficulty is not None and level(share) != difficulty:
            ended[TOO_EASY] += 1
            continue
        _check_unique(made.board, made.answer)
        return Rated(made.board, made.answer, share, level(share), ended.total() + 1)
    told = f"no {rows}x{cols} board with rooms of up to {max_room} cells in {ended.total()} layouts and "
    told += f"{time.monotonic() - start:.1f} s: {ended[INFEASIBLE]} had no answer, {ended[REJECTED]} were not unique "
    told += f"with every room numbered, {ended[UNSETTLED]} took over {MOST_NODES} nodes"
    if difficulty is not None:
        told += f", {ended[TOO_EASY]} kept too many numbers for difficulty {difficulty}"
    raise PuzzleError(told)


def _check_whole(name: str, value, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 1 <= value <= most:
        raise PuzzleError(f"{name} is a whole number from 1 to {most}, not {shown(value)}")


def _check_unique(board: Heyawake, answer: np.ndarray) -> None:
    """The guarantee, on every board: a failure is a bug of ours, so it must not pass as a PuzzleError."""
    if not board.is_valid(answer) or search(board, 1, avoid=answer).count:
        raise AssertionError(f"not the only answer: {board} {answer.tolist()}")
