"""A board graded: how many answers, the first rung that finishes it, and what each rung leaves."""

import time

from holdstill.core.grid import UNKNOWN, PuzzleError
from holdstill.core.search import Found
from holdstill.puzzles import puzzlink
from holdstill.puzzles.difficulty import difficulty
from holdstill.puzzles.engines import engine


def grade(board, seconds: float | None = None) -> dict:
    """What the command line prints of a board.

    The keys: puzzle, rows, cols, url, answers, rung, left, difficulty, at_least, seconds.

    `answers` is 0, 1, 2 for two or more, None where a search of `seconds` does not tell; `at_least` is what was found.
    `rung` is the first that finishes the board, or None. `left` gives each rung's undecided cells, None where it
    refutes the board, or where an Araf board has more rooms than the rung can list. `difficulty` is that of
    `puzzles.difficulty`, None where the rungs have used up `seconds`; the key `seconds` is the time of it all.

    Raises Stopped with what the search knows on Ctrl-C.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> graded = grade(Heyawake(1, 3, [[0, 0, 0]], [2]))
    >>> graded["left"]
    {'local': 3, 'spans': 3, 'probe': 0}
    >>> graded["difficulty"]
    Difficulty(depth=1, left=0, rounds=1, probes=3)
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
    rest = None if seconds is None else seconds - (time.monotonic() - start)
    hard = None if refuted else difficulty(board, left, rest)
    # A rung that finishes is a proof of one answer, a rung that refutes a proof of none: no search is needed.
    answers = at_least = 1 if rung else 0
    if rung is None and not refuted:
        # Probing a large board can take longer than searching it: the search has its time to itself.
        found = solver.search(board, 2, seconds=seconds)
        answers, at_least = known(found), found.count
    return {
        "puzzle": type(board).__name__.lower(),
        "rows": board.rows,
        "cols": board.cols,
        "url": address(board),
        "answers": answers,
        "rung": rung,
        "left": left,
        "difficulty": hard,
        "at_least": at_least,
        "seconds": time.monotonic() - start,
    }


def known(found: Found) -> int | None:
    """How many answers a search for two found, 2 for two or more, None where it ended too early to say.

    >>> known(Found(1, (), False)), known(Found(2, (), False))
    (None, 2)
    """
    return found.count if found.complete or found.count > 1 else None


def in_words(answers: int | None, at_least: int) -> str:
    """How many answers a board has, as far as is known.

    >>> in_words(1, 1), in_words(None, 1)
    ('one answer', 'at least 1 answer; not known in time if more')
    """
    if answers is None:
        return "at least 1 answer; not known in time if more" if at_least else "not known in time"
    return ("no answer", "one answer", "two or more answers")[answers]


def address(board) -> str | None:
    """The board's address, or None where it has none."""
    try:
        return puzzlink.encode(board)
    except PuzzleError:
        return None
