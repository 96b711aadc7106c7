"""A cut of a grid into rooms drawn uniformly at random: the table that counts the cuts also numbers them.

Before each row the table holds how many ways lead from every frontier to a finished cut. A cut is found by its rank
cell by cell: each way to add the cell takes as many ranks as there are cuts behind it. Within a row these numbers are
added up anew, for the few frontiers that one row can reach, so that the table has one entry a row and not one a cell.
(H. S. Wilf, "A unified setting for sequencing, ranking, and selection algorithms", Adv. Math. 24 (1977) 281.)
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from holdstill.core.grid import PuzzleError, regions, shown
from holdstill.counting.memory import check_memory
from holdstill.counting.partitions import (
    CHOICES,
    about_frontiers,
    sides,
    table_bytes,
    transitions,
    ways_to_finish,
    whole,
    words,
)


class CutTable(NamedTuple):
    """All cuts of a grid, numbered. Its longer side runs down.

    next: int32 (states, 4) for each column, as in `Frontiers`. ways: uint64 (states, words) before each row, and last
    after all of them: ways to finish. total: the number of cuts.
    """

    next: list[np.ndarray]
    ways: list[np.ndarray]
    total: int


@lru_cache(maxsize=4)
def cut_table(rows: int, cols: int, smallest: int = 1, largest: int = 0) -> CutTable:
    """The table that `cut_at` reads, for rooms of `smallest` to `largest` cells (0: any number).

    Raises PuzzleError as `cuts` does, and for a table that this machine has no memory for.

    >>> cut_table(3, 4).total, cut_table(3, 3, 2, 5).total
    (27780, 118)
    """
    width, height = sides(rows, cols)
    kept = 8.0 * words(rows, cols) * (height + 3) * about_frontiers(min(width, 64), largest)
    check_memory(kept + table_bytes(width, largest), f"a table of all cuts of a {rows}x{cols} grid")
    steps = transitions(width, smallest=smallest, largest=largest)
    ways = [steps[0].ended[:, None].astype(np.uint64)]
    for cell, before in enumerate(ways_to_finish(steps, rows * cols, words(rows, cols)), 1):
        if cell % width == 0:
            ways.append(before)
    return CutTable([step.next for step in steps], ways[::-1], int(whole(ways[-1][:1])[0]))


def cut_at(table: CutTable, rank: int) -> np.ndarray:
    """The cut of this rank, 0 to total - 1: int32 with the longer side down, rooms numbered in reading order.

    Raises PuzzleError for another rank.

    >>> [cut_at(cut_table(2, 2), rank).ravel().tolist() for rank in (0, 11)]
    [[0, 1, 2, 3], [0, 0, 0, 0]]
    """
    if not 0 <= rank < table.total:
        raise PuzzleError(f"these cuts have ranks 0 to {table.total - 1}, not {shown(rank)}")
    width = len(table.next)
    room = np.arange((len(table.ways) - 1) * width)
    state = 0
    for row, after in enumerate(table.ways[1:]):
        ahead = _ways_of_row(table.next, state, after)
        for column, ways in enumerate(ahead):
            cell, follows = row * width + column, table.next[column][state].tolist()
            way = 0
            while rank >= ways.get(follows[way], 0):
                rank -= ways.get(follows[way], 0)
                way += 1
            state = follows[way]
            for joined, near in ((way & 1, cell - width), (way >> 1, cell - 1)):
                if joined:
                    room[room == room[near]] = room[cell]
    return regions(room.reshape(-1, width))


def _ways_of_row(next: list[np.ndarray], state: int, after: np.ndarray) -> list[dict[int, int]]:
    """After each cell of a row: the ways to finish from every frontier that `state` before the row can become."""
    reached, onto = [np.array([state])], []
    for column in next:
        # -1, where a way is closed, is followed by itself and has no way to finish
        follows = np.where(reached[-1][:, None] < 0, -1, column[reached[-1]])
        after_cell, places = np.unique(follows, return_inverse=True)
        reached.append(after_cell)
        onto.append(places.reshape(-1, CHOICES))
    ways = [np.where(reached[-1] < 0, 0, whole(after[reached[-1]]))]
    for places in reversed(onto[1:]):
        ways.append(ways[-1][places].sum(axis=1))
    return [dict(zip(states.tolist(), some, strict=True)) for states, some in zip(reached[1:], ways[::-1], strict=True)]


def uniform_cut(rows: int, cols: int, rng: np.random.Generator, *, smallest: int = 1, largest: int = 0) -> np.ndarray:
    """A cut of the grid into rooms of `smallest` to `largest` cells (0: any), each cut with the same chance.

    int32 (rows, cols), rooms numbered in reading order. The first draw of a grid makes its table, which is kept.

    Raises PuzzleError as `cut_table` does, and for a grid that cannot be cut so.

    >>> uniform_cut(2, 4, np.random.default_rng(1), smallest=2, largest=5).tolist()
    [[0, 1, 2, 2], [0, 1, 1, 1]]
    """
    table = cut_table(rows, cols, smallest, largest)
    if table.total == 0:
        raise PuzzleError(f"a {rows}x{cols} grid cannot be cut into rooms of {smallest} to {largest} cells")
    bits, rank = table.total.bit_length(), table.total
    while rank >= table.total:
        rank = int.from_bytes(rng.bytes(bits // 8 + 1), "little") >> (8 - bits % 8)
    labels = cut_at(table, rank)
    return labels if rows >= cols else regions(labels.T)
