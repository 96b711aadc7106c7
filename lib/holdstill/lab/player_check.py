"""What a partial state breaks for good: each place where a rule cannot be met any more, whatever is filled in.

The kernel's side of the marks that the page draws by itself (`player_rules.js`); nothing is deduced.
"""

from collections.abc import Iterator

import numpy as np

from holdstill.core.grid import SHADED, UNKNOWN, regions, where
from holdstill.core.ladder import _place
from holdstill.core.model import CLAUSE, CONNECTED, COUNT, active
from holdstill.core.search import every_rule
from holdstill.puzzles.araf import Araf

Broken = tuple[str, list[int], str]  # the rule, the cells, both in words


def broken(board, state: np.ndarray) -> Iterator[Broken]:
    """The constraints that no filling of the open cells of a state (int8) can meet.

    Connectivity is broken where a cell is cut off for good from most others of its colour.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> [rule for rule, *_ in broken(Heyawake(1, 3, [[0, 1, 2]], [1, None, 0]), np.array([1, 2, 1], np.int8))]
    ['rooms', 'white']
    """
    model = board.model
    for con in np.flatnonzero(active(model, tuple(board.RULES), every_rule(board))):
        cells = model.literals[model.start[con] : model.end[con]] >> 1
        if model.kind[con] == CONNECTED:
            for piece in _cut_off(board, state, model.low[con]):
                rule, _, words = _place(board, int(con))
                yield rule, piece, f"{words}: {where(piece, board.cols)}"
        elif _fails(model, con, state[cells]):
            rule, _, words = _place(board, int(con))
            yield rule, cells.tolist(), words


def _fails(model, con: int, values: np.ndarray) -> bool:
    shaded, low, high = values == SHADED, model.low[con], model.high[con]
    if model.kind[con] == CLAUSE:
        return bool((values == 2 - (model.literals[model.start[con] : model.end[con]] & 1)).all())
    if model.kind[con] == COUNT:
        return not (shaded.sum() <= high and shaded.sum() + (values == UNKNOWN).sum() >= low)
    bits = 1 << np.arange(len(values))
    return not (model.patterns[low:high] & bits[values != UNKNOWN].sum() == bits[shaded].sum()).any()


def _cut_off(board, state: np.ndarray, colour: int) -> list[list[int]]:
    """The cells of a colour in each piece that the other colour cuts off, but for the piece with most of them."""
    piece = regions((state != 3 - colour).reshape(board.rows, board.cols)).ravel()
    held = np.bincount(piece[state == colour], minlength=piece.max() + 1)
    others = (one for one in np.flatnonzero(held) if one != held.argmax())
    return [np.flatnonzero((piece == one) & (state == colour)).tolist() for one in others]


def broken_cuts(board: Araf, piece: np.ndarray, walls: list) -> Iterator[Broken]:
    """The same of walls on an Araf board, and of the labels of the pieces that they cut.

    A piece that holds two numbers is a room; one with four or more may still be cut.

    >>> [rule for rule, *_ in broken_cuts(Araf(1, 4, [[1, 3, 3, 1]]), np.array([1, 1, 1, 2]), [[2, 3]])]
    ['two', 'two']
    """
    low, high, hole = board.sizes()
    for label in range(1, piece.max() + 1):
        cells = np.flatnonzero(piece == label).tolist()
        numbers = [number for number, cell in enumerate(board.at) if piece[cell] == label]
        place, two = where(cells, board.cols), tuple(numbers)
        if len(numbers) % 2 or not numbers:
            yield "two", cells, f"{board.RULES['two']}: {place} holds {len(numbers)}"
        elif len(numbers) == 2:
            for wall in walls:
                if piece[wall[0]] == piece[wall[1]] == label:
                    yield "whole", list(wall), f"{board.RULES['whole']}: {where(wall, board.cols)} has a wall inside"
            if not low[two] <= len(cells) <= high[two] or len(cells) == hole[two]:
                yield "size", cells, f"{board.RULES['size']}: {place} has {len(cells)} cells"
