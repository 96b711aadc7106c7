"""Hitori: shade the repeats. No number stands twice unshaded in a row or column, no two shaded cells touch, and the
unshaded cells are one region. Rules: Nikoli, 1990. The worked example of docs/adding_a_puzzle.md."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

from holdstill.core.carve import _densify_kernel
from holdstill.core.grid import SHADED, UNSHADED, PuzzleError, check_size, edges, shown
from holdstill.core.ladder import Rung, deduce
from holdstill.core.model import active, at_least_one, compile_model, connected, shaded, unshaded
from holdstill.core.propagate import new_work
from holdstill.core.search import search


@dataclass(frozen=True)
class Hitori:
    """A board: `numbers` is `rows` lists of `cols` numbers from 1 on. Raises PuzzleError, naming the cell at fault.

    >>> deduce(Hitori(1, 3, [[4, 4, 4]]), "between").tolist()
    [2, 1, 2]
    """

    rows: int
    cols: int
    numbers: tuple[tuple[int, ...], ...]

    RULES: ClassVar = {
        "touching": "no two shaded cells touch",
        "repeats": "no number twice unshaded in a line",
        "white": "the unshaded cells stay connected",
        "between": "a cell between two equal numbers is unshaded",  # or both would be: follows, and gives a start
    }
    PRUNE: ClassVar = "touching"
    RUNGS: ClassVar = {
        "local": Rung({"touching", "repeats", "white"}),
        "between": Rung({"touching", "repeats", "white", "between"}),
        "probe": Rung({"touching", "repeats", "white", "between"}, probing=True),
    }

    def constraints(self):
        """The rules as blocks of constraints, from the numbers alone."""
        cell, number = np.arange(self.rows * self.cols).reshape(self.rows, self.cols), np.ravel(self.numbers)
        lines = [line.tolist() for line in (*cell, *cell.T)]
        pairs = [pair for line in lines for pair in combinations(line, 2) if number[pair[0]] == number[pair[1]]]
        threes = [three for line in lines for three in zip(line, line[1:], line[2:], strict=False)]
        yield at_least_one("touching", unshaded(edges(self.rows, self.cols)))
        yield at_least_one("repeats", shaded(pairs))
        yield at_least_one("between", unshaded([[b] for a, b, c in threes if number[a] == number[c]]))
        yield connected("white", UNSHADED)

    @cached_property
    def model(self):
        return compile_model(self.rows, self.cols, self.constraints(), tuple(self.RULES))

    def __post_init__(self):
        check_size(self.rows, self.cols)
        if [len(row) for row in self.numbers] != [self.cols] * self.rows:
            raise PuzzleError(f"numbers must be {self.rows} rows of {self.cols}")
        for (y, x), number in np.ndenumerate(np.array(self.numbers, object)):
            if type(number) is not int or not 1 <= number < 2**31:
                raise PuzzleError(f"r{y + 1}c{x + 1} holds {shown(number)}, not a number from 1 on")

    def broken(self, states: np.ndarray) -> np.ndarray:
        """The rules that decided states, int8 (boards, cells), break: uint8 (boards,), bit i for the i-th of RULES."""
        numbers, white = np.array(self.numbers), states.reshape(-1, self.rows, self.cols) != SHADED
        touching = ~(white[:, 1:] | white[:, :-1]).all((1, 2)) | ~(white[:, :, 1:] | white[:, :, :-1]).all((1, 2))
        between = (~white[:, 1:-1] & (numbers[2:] == numbers[:-2])).any((1, 2))
        between |= (~white[:, :, 1:-1] & (numbers[:, 2:] == numbers[:, :-2])).any((1, 2))
        stands = (white & (numbers == number) for number in np.unique(numbers))
        repeats = np.any([(one.sum(1) > 1).any(1) | (one.sum(2) > 1).any(1) for one in stands], axis=0)
        # Flood from the first unshaded cell; the outermost ring of `reached` is off the grid.
        reached, before = np.zeros((len(white), self.rows + 2, self.cols + 2), bool), -1
        inside, first = reached[:, 1:-1, 1:-1], white.reshape(len(white), -1).argmax(1)
        inside[np.arange(len(white)), first // self.cols, first % self.cols] = True
        while before != (before := np.count_nonzero(inside)):
            inside |= reached[:, :-2, 1:-1] | reached[:, 2:, 1:-1] | reached[:, 1:-1, :-2] | reached[:, 1:-1, 2:]
            inside &= white
        return (touching | repeats << 1 | (inside != white).any((1, 2)) << 2 | between << 3).astype(np.uint8)

    def is_valid(self, state: np.ndarray) -> bool:
        return bool((np.asarray(state) > 0).all()) and not self.broken(np.array([state], np.int8))[0]


class Generated(NamedTuple):
    board: Hitori
    answer: np.ndarray


def generate(
    rows: int, cols: int, rng: np.random.Generator, *, rung: str | None = None, tries: int = 1000
) -> Generated:
    """A random board with one answer (int8 state), or with one that `rung` finishes; PuzzleError where none is found.

    Cells are shaded in random order until no more fits: an answer that could take one more is never the only one. The
    unshaded cells hold a shuffled cyclic Latin square. While another answer (or the rung) leaves a shaded cell
    unshaded, that cell takes a number that it then repeats in its row or column; at the start all of them do.
    """
    check_size(rows, cols)
    if rung not in (None, *Hitori.RUNGS):
        raise PuzzleError(f"hitori has no rung {shown(rung)}, only {', '.join(Hitori.RUNGS)}")
    order = rng.permutation(max(rows, cols))
    numbers = 1 + order[(rng.permutation(len(order))[:rows, None] + rng.permutation(len(order))[:cols]) % len(order)]
    model, state = Hitori(rows, cols, numbers.tolist()).model, np.full(rows * cols, UNSHADED, np.int8)
    _densify_kernel(model, active(model, tuple(Hitori.RULES), Hitori.RULES), state, new_work(model).scratch, rng)
    answer, other = state.reshape(rows, cols), np.full((rows, cols), UNSHADED)
    for _ in range(tries if rows * cols > 2 else 0):  # two cells never have one answer
        free = (answer == UNSHADED) & (other != SHADED)
        for y, x in np.argwhere((answer == SHADED) & (other != SHADED)):
            numbers[y, x] = rng.choice([*numbers[y, free[y]], *numbers[free[:, x], x]])
        board = Hitori(rows, cols, numbers.tolist())
        found = search(board, 1, avoid=state).answers if rung is None else deduce(board, rung)[None]
        if len(found) == 0 or (found[0] == state).all():
            return Generated(board, state)
        other = found[0].reshape(rows, cols)
    raise PuzzleError(f"no {rows}x{cols} board in {tries} tries")
