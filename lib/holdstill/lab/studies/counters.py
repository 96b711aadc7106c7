"""One small board counted by brute force, by search over each of its rungs, and by SAT."""

from holdstill.core import brute, sat
from holdstill.core.ladder import finishes
from holdstill.core.model import active
from holdstill.core.search import every_rule, search


def counters(board) -> dict:
    """Are the sets of answers the same, counted by the judge alone, by search over every rung and by SAT?

    `certified` says that some rung finishes the board, `second` that it then has a second answer after all.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> counters(Heyawake(1, 3, [[0, 1, 2]], [None, None, None]))
    {'answers': 3, 'agree': True, 'certified': False, 'second': False}
    """
    truth = {answer.tobytes() for answer in brute.answers(board)}
    found = [search(board, 70_000, rung=rung).answers for rung in board.RUNGS]
    found.append(sat.answers(board.model, active(board.model, tuple(board.RULES), every_rule(board))))
    sets = [{answer.tobytes() for answer in answers if answer is not None} for answers in found]
    certified = any(finishes(board, rung) for rung in board.RUNGS)
    return {
        "answers": len(truth),
        "agree": all(one == truth for one in sets),
        "certified": certified,
        "second": certified and len(truth) != 1,
    }
