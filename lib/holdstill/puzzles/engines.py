"""What makes boards and what solves them: shading puzzles share the core's kernel, Araf, which cuts, brings its own."""

from collections.abc import Callable
from typing import NamedTuple

from holdstill.core import ladder, reasons
from holdstill.core import search as core_search
from holdstill.core.grid import PuzzleError
from holdstill.puzzles import araf, araf_reasons, araf_rungs, araf_search, heyawake, tapa, thermometers
from holdstill.puzzles.araf import Araf

GENERATE = {
    "heyawake": heyawake.generate,
    "tapa": tapa.generate,
    "thermometers": thermometers.generate,
    "araf": araf.generate,
}


def generator(puzzle: str) -> Callable:
    """The `generate` of the puzzle of this name; PuzzleError for a name that is none.

    >>> generator("araf") is araf.generate
    True
    """
    if puzzle not in GENERATE:
        raise PuzzleError(f"no generator for {puzzle!r}, only {', '.join(GENERATE)}")
    return GENERATE[puzzle]


class Engine(NamedTuple):
    """What works on a board.

    `core.search.search`; `deduce`, `finishes` and `explain` of `core.ladder`; `minimal` and `hint` of `core.reasons`.
    """

    search: Callable
    deduce: Callable
    finishes: Callable
    explain: Callable
    minimal: Callable
    hint: Callable


SHADING = Engine(core_search.search, ladder.deduce, ladder.finishes, ladder.explain, reasons.minimal, reasons.hint)
CUTTING = Engine(
    araf_search.search,
    araf_rungs.deduce,
    araf_rungs.finishes,
    araf_rungs.explain,
    araf_reasons.minimal,
    araf_reasons.hint,
)


def engine(board) -> Engine:
    """The engine of a board.

    >>> engine(Araf(1, 2, [[1, 3]])) is CUTTING
    True
    """
    return CUTTING if isinstance(board, Araf) else SHADING
