"""A board graded: how many answers, the first rung that finishes it, and what each rung leaves."""

import time

from holdstill.core.grid import UNKNOWN, PuzzleError
from holdstill.puzzles import puzzlink
from holdstill.puzzles.engines import engine


def grade(board, seconds: float | None = None) -> dict:
    """The grade as the command line prints it: puzzle, rows, cols, url, answers, rung, left.

    `answers` is 0, 1, 2 for two or more, None where it is not known within `seconds`. `rung` is the first that
    finishes the board, or None. `left` gives each rung's undecided cells, None where it refutes the board, or where an
    Araf board has more rooms than the rung can list.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> grade(Heyawake(1, 3, [[0, 0, 0]], [2]))["left"]
    {'local': 3, 'spans': 3, 'probe': 0}
    """
    start = time.monotonic()
    left, rung, refuted = {}, None, False
    solver = engine(board)
    for name in board.RUNGS:
        try:
            state = solver.deduce(board, name)
        except PuzzleError:  # a catalogue past its cap; the search below needs none
            left[name] = None
            continue
        left[name] = None if state is None else int((state == UNKNOWN).sum())
        refuted |= state is None
        if rung is None and left[name] == 0 and board.is_valid(state):
            rung = name
    # A rung that finishes is a proof of one answer, a rung that refutes a proof of none: no search is needed.
    answers = 1 if rung else 0 if refuted else None
    if answers is None:
        spent = time.monotonic() - start
        found = solver.search(board, 2, seconds=None if seconds is None else max(0.0, seconds - spent))
        answers = found.count if found.complete or found.count > 1 else None
    return {
        "puzzle": type(board).__name__.lower(),
        "rows": board.rows,
        "cols": board.cols,
        "url": address(board),
        "answers": answers,
        "rung": rung,
        "left": left,
    }


def address(board) -> str | None:
    """The board's address, or None where it has none."""
    try:
        return puzzlink.encode(board)
    except PuzzleError:
        return None
