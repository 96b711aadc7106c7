"""The ring of eight cells round a Tapa clue: what shadings of it a clue allows, and how rules say so."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

import numpy as np

from holdstill.core.grid import steps_from
from holdstill.core.model import Block, Ragged, between, one_of

RING = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))  # rows and columns away, in cyclic order
Clue = tuple[int | str, ...]


@lru_cache(maxsize=64)
def rings(rows: int, cols: int) -> tuple[Ragged, np.ndarray]:
    """The cells round each cell in the order of RING, and which of the eight are on the grid: an 8-bit mask a cell.

    >>> around, shapes = rings(2, 2)
    >>> around.flat[:3].tolist(), bin(shapes[0])
    ([1, 3, 2], '0b111000')
    """
    around = steps_from(rows, cols, RING)
    there = around >= 0
    starts = np.zeros(rows * cols + 1, np.int32)
    np.cumsum(there.sum(axis=1), out=starts[1:])
    return Ragged(around[there], starts), there @ (1 << np.arange(8))


def runs(mask: int) -> Clue:
    """The clue that a ring of eight gives, its runs from the longest down; bit i of `mask` is the i-th of RING.

    >>> runs(0), runs(0b11111111), runs(0b10010111)
    ((0,), (8,), (4, 1))
    """
    if mask in (0, 255):
        return (8,) if mask else (0,)
    gap = next(i for i in range(8) if not mask >> i & 1)
    turned = [mask >> (gap + i) % 8 & 1 for i in range(8)]
    return tuple(sorted((len(list(run)) for shaded, run in groupby(turned) if shaded), reverse=True))


@lru_cache(maxsize=16)
def ring_table(shape: int = 255) -> dict[Clue, tuple[int, ...]]:
    """The clues that a ring can give, each with its patterns: bit i for the i-th cell that is on the grid.

    `shape` says which of the eight are (see `rings`).

    >>> len(ring_table()), len(ring_table()[1, 1, 1, 1]), ring_table(0b111000)[1, 1]
    (23, 2, (5,))
    """
    there = [i for i in range(8) if shape >> i & 1]
    table = {}
    for pattern in range(1 << len(there)):
        clue = runs(sum((pattern >> at & 1) << i for at, i in enumerate(there)))
        table[clue] = (*table.get(clue, ()), pattern)
    return dict(sorted(table.items()))


@lru_cache(maxsize=4096)
def patterns(shape: int, clue: Clue, positive: bool = False) -> tuple[int, ...]:
    """The patterns of a ring of this shape that meet a clue, "?" and all; there may be none.

    >>> len(patterns(255, ("?", 3))), patterns(0b111000, ("?", 1)), patterns(0b111000, (1, 1, 1))
    (44, (5,), ())
    """
    numbers = [run for run in clue if run != "?"]

    def meets(found: Clue) -> bool:
        if clue == ("?",):
            return len(found) == 1 and not (positive and found == (0,))
        return len(found) == len(clue) and all(found.count(run) >= numbers.count(run) for run in numbers)

    return tuple(pattern for found, ones in ring_table(shape).items() if meets(found) for pattern in ones)


def _total(clue: Clue, positive: bool) -> tuple[int, int]:
    """The least and most cells that a clue's runs shade."""
    numbers, unknown = sum(run for run in clue if run != "?"), clue.count("?")
    if clue == ("?",):
        return int(positive), 8
    return numbers + unknown, 8 - len(clue) if unknown else numbers


def ring_rules(cells, shapes: list[int], clues: list[Clue], positive: bool) -> Iterator[Block]:
    """The totals and the rings of clues, from the lists of their rings' cells and their shapes.

    A total is what the numbers add up to, with a "?" at least 1 and at most what the gaps leave it. It follows from the
    ring, but the ring's table knows nothing of it.
    """
    totals = [_total(clue, positive) for clue in clues]
    yield between("totals", cells, [least for least, _ in totals], [most for _, most in totals])
    keys = [(shape, clue, positive) for shape, clue in zip(shapes, clues, strict=True)]
    first, pool = {}, []
    for key in keys:
        if key not in first:
            first[key] = len(pool)
            pool += patterns(*key)
    low = np.array([first[key] for key in keys], np.int32)
    high = low + np.array([len(patterns(*key)) for key in keys], np.int32)
    yield one_of("rings", cells, low, high, np.array(pool, np.int32))
