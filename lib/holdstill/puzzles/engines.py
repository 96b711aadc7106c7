"""What solves a board: shading puzzles share the core's kernel, Araf, which cuts the grid, brings its own."""

from collections.abc import Callable
from typing import NamedTuple

from holdstill.core import ladder
from holdstill.core import search as core_search
from holdstill.puzzles import araf_rooms, araf_search
from holdstill.puzzles.araf import Araf


class Engine(NamedTuple):
    """Four functions of a board: `core.search.search`, and `deduce`, `finishes` and `explain` of `core.ladder`."""

    search: Callable
    deduce: Callable
    finishes: Callable
    explain: Callable


SHADING = Engine(core_search.search, ladder.deduce, ladder.finishes, ladder.explain)
CUTTING = Engine(araf_search.search, araf_rooms.deduce, araf_rooms.finishes, araf_rooms.explain)


def engine(board) -> Engine:
    """The engine of a board.

    >>> engine(Araf(1, 2, [[1, 3]])) is CUTTING
    True
    """
    return CUTTING if isinstance(board, Araf) else SHADING
