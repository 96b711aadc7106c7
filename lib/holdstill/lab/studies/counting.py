"""What the notebook on counting asks: the same counts by second routes, what they cost, and rows on drawn cuts."""

import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from functools import partial
from math import gcd, prod
from typing import NamedTuple

import numpy as np

from holdstill.counting.partitions import cuts
from holdstill.counting.shapes import cells_of, connected_sets, count_sets
from holdstill.counting.uniform import uniform_cut
from holdstill.lab.studies.araf_rigidity import ROOMS
from holdstill.puzzles.araf import Araf, generate, tight_board
from holdstill.puzzles.araf_search import search

# Below 2^62 and without a common divisor, so that their remainders tell any number below their product, 2^248.
MODULI = 2**62 - 1, 2**62 - 2, 2**62 - 3, 2**62 - 5

# Who cuts the grid into rooms of 2 to 5 cells for a board.
SAMPLERS = ROOMS | {"uniform": partial(uniform_cut, smallest=2, largest=5)}


def through_the_first(most: int, king: bool = False) -> list[int]:
    """Fixed polyominoes of 1 to `most` cells: the connected sets whose first cell in reading order is a given one.

    >>> through_the_first(5)
    [1, 2, 6, 19, 63]
    """
    cols = 2 * most - 1
    return count_sets(most, cols, through=[most - 1], avoid=range(most - 1), high=most, king=king)[1:].tolist()


def through_the_middle(most: int, king: bool = False) -> list[int]:
    """Connected sets of 1 to `most` cells through the middle cell of a grid that they cannot leave.

    >>> through_the_middle(5)
    [1, 4, 18, 76, 315]
    """
    side = 2 * most - 1
    return count_sets(side, side, through=[side * side // 2], high=most, king=king)[1:].tolist()


def polyominoes(cells: int) -> list[list[tuple[int, int]]]:
    """Every fixed polyomino of so many cells as (row, column) pairs from 0, listed by the enumerator.

    >>> polyominoes(2)
    [[(0, 0), (0, 1)], [(0, 0), (1, 0)]]
    """
    cols, found = 2 * cells - 1, []
    for chunk in connected_sets(cells, cols, through=[cells - 1], avoid=range(cells - 1), low=cells, high=cells):
        for mask in chunk:
            places = [divmod(cell, cols) for cell in cells_of(mask)]
            left = min(x for _, x in places)
            found.append([(y, x - left) for y, x in places])
    return sorted(found)


def cuts_again(rows: int, cols: int, *, smallest: int = 1, largest: int = 0) -> int:
    """As `cuts`, but rows are swept there and back, and the count is put together from its remainders.

    >>> cuts_again(4, 4)
    1691690
    """
    assert all(gcd(a, b) == 1 for a in MODULI for b in MODULI if a != b)
    left = cuts(rows, cols, smallest=smallest, largest=largest, snake=True, primes=MODULI)
    whole = prod(MODULI)
    parts = (rest * (whole // m) * pow(whole // m, -1, m) for rest, m in zip(left, MODULI, strict=True))
    return sum(parts) % whole


class Cost(NamedTuple):
    """What a call gave, the processor time it took, and the peak of its arrays."""

    value: int | list[int]
    seconds: float
    megabytes: float


def cost(work: Callable, *args, **choices) -> Cost:
    """Call and measure.

    >>> cost(cuts, 3, 3).value
    1434
    """
    tracemalloc.start()
    start = time.process_time()
    value = work(*args, **choices)
    seconds, peak = time.process_time() - start, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Cost(value, seconds, peak / 1e6)


def numbers_row(rng: np.random.Generator, size: int, cap: int) -> dict:
    """A shipped board, and how many answers it has when every number is a "?", counted up to `cap`."""
    board = generate(size, size, rng).board
    bare = [["?" if number is not None else None for number in row] for row in board.numbers]
    return {"rooms": len(board.at) // 2, "answers": search(Araf(size, size, bare), cap, store=0).count}


def sampler_row(rng: np.random.Generator, size: int, sampler: str) -> dict:
    """Rooms of 2 to 5 cells drawn by a sampler: how many of each size, and is the tight board on them unique?"""
    board, answer = tight_board(size, size, rng, rooms=SAMPLERS[sampler])
    sizes = np.bincount(np.bincount(answer)[1:], minlength=6).tolist()
    row = {"rooms": len(board.at) // 2, "unique": search(board, 2).count == 1}
    return row | {f"rooms_of_{cells}": sizes[cells] for cells in range(2, 6)}


def frequencies(rng: np.random.Generator, size: int, sampler: str, draws: int) -> np.ndarray:
    """How often each cut came up in so many draws, most frequent first.

    >>> int(frequencies(np.random.default_rng(1), 2, "uniform", 100).sum())
    100
    """
    counts = Counter(SAMPLERS[sampler](size, size, rng).tobytes() for _ in range(draws))
    return np.array(sorted(counts.values(), reverse=True))
