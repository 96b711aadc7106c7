"""One small board counted by brute force and by search over each of its rungs."""

from holdstill.core import brute
from holdstill.core.ladder import finishes
from holdstill.core.search import search


def counters(board) -> dict:
    """Are the sets of answers the same, counted by the judge alone and by search over every rung?

    `certified` says that some rung finishes the board, `second` that it then has a second answer after all.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> counters(Heyawake(1, 3, [[0, 1, 2]], [None, None, None]))
    {'answers': 3, 'agree': True, 'certified': False, 'second': False}
    """
    truth = {answer.tobytes() for answer in brute.answers(board)}
    sets = [{answer.tobytes() for answer in search(board, 70_000, rung=rung).answers} for rung in board.RUNGS]
    certified = any(finishes(board, rung) for rung in board.RUNGS)
    return {
        "answers": len(truth),
        "agree": all(one == truth for one in sets),
        "certified": certified,
        "second": certified and len(truth) != 1,
    }
