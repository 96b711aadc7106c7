"""The rows of Araf's two misreadings: "between" with its ends, and rooms that hold together by a corner."""

import numpy as np

from holdstill.core.grid import PuzzleError, neighbours
from holdstill.lab.studies.araf import connected, rooms_of
from holdstill.puzzles.araf import READINGS, Araf, generate
from holdstill.puzzles.araf_rooms import catalogue, sizes_fit
from holdstill.puzzles.araf_search import Solver, search
from holdstill.puzzles.araf_state import frame_of


def catalogue_counts(board: Araf, answer: np.ndarray) -> dict:
    """Possible rooms under each reading, by size too, and whether the intended answer is legal.

    `inclusive_new_pairs` counts the rooms of the inclusive catalogue of pairs that the strict size screen rules out.
    """
    row, fits = {}, sizes_fit(board)
    for reading in READINGS:
        listed = catalogue(board, reading)
        row[f"{reading}_rooms"] = len(listed.size)
        row[f"{reading}_by_size"] = np.bincount(listed.size, minlength=board.rows * board.cols + 1).tolist()
        row[f"{reading}_legal"] = board.is_valid(answer, reading)
        if reading == "inclusive":
            first, second = listed.pairs[listed.pair].T
            row["inclusive_new_pairs"] = int((~fits[first, second]).sum())
    return row


def both_count(board: Araf, limit: int) -> int:
    """Answers up to `limit` under both misreadings at once."""
    solver = Solver(frame_of(board.rows, board.cols, board.at, board.sizes("inclusive"), corner=True))
    solver.start()
    return solver.run(np.empty((0, board.rows * board.cols), np.int32), limit, 1 << 60)[0]


def misread_row(rng: np.random.Generator, size: int, cap: int) -> dict:
    """A shipped board: its answers under each reading and under both misreadings at once, counted up to `cap`."""
    made = generate(size, size, rng)
    row = {reading: search(made.board, cap, reading=reading, store=0).count for reading in READINGS}
    return row | {"both": both_count(made.board, cap)}


def nearest_false(board: Araf, answer: np.ndarray, reading: str, limit: int) -> np.ndarray:
    """Of the first `limit` answers under a misreading, the false one that has most rooms in common with the answer.

    Raises PuzzleError where there is none.
    """
    intended = {room.tobytes() for room in _rooms(answer)}
    false = [state for state in search(board, limit, reading=reading).answers if not board.is_valid(state)]
    if not false:
        raise PuzzleError(f"no answer under the reading {reading!r} is false")
    return max(false, key=lambda state: sum(room.tobytes() in intended for room in _rooms(state)))


def offending(board: Araf, state: np.ndarray) -> list[int]:
    """The cells of the rooms that the rule forbids: in several pieces, or of a wrong size."""
    beside = neighbours(board.rows, board.cols)
    return sorted(
        cell
        for cells, low, high in rooms_of(board, state).values()
        if not connected(cells, beside) or not low <= len(cells) <= high
        for cell in cells
    )


def _rooms(state: np.ndarray) -> np.ndarray:
    return np.arange(1, state.max() + 1)[:, None] == state
