"""Answers of an Araf board as exact covers by the rooms of its catalogue: a third opinion, on the catalogue."""

import numpy as np
from numba import njit

from holdstill.counting.shapes import cells_of
from holdstill.puzzles.araf_rooms import catalogue


def exact_covers(board, limit: int, reading: str = "strict") -> list[frozenset]:
    """Up to `limit` answers of a board of up to 64 cells, each a set of rooms, a room a mask."""
    listed = catalogue(board, reading)
    rooms, cells = listed.masks[:, 0], np.full((len(listed.masks), max(listed.size, default=0) + 1), -1)
    for row, mask in zip(cells, listed.masks, strict=True):
        held = cells_of(mask)
        row[: len(held)] = held
    chosen = np.zeros((limit, board.rows * board.cols), np.int64)
    found = _covers(rooms, cells, board.rows * board.cols, chosen)
    return [frozenset(rooms[row[row >= 0]].tolist()) for row in chosen[:found]]


def as_masks(state) -> frozenset:
    """An answer of labels as a set of masks."""
    return frozenset(sum(1 << int(cell) for cell in np.flatnonzero(state == room)) for room in range(1, max(state) + 1))


@njit
def _covers(rooms, cells_of_room, cells, chosen):
    live = np.zeros((cells + 1, len(rooms)), np.int64)
    size, cell, at = np.zeros((3, cells + 1), np.int64)
    count, room_at = np.zeros(cells, np.int64), np.full(cells + 1, -1, np.int64)
    live[0], size[0], depth, found, fresh = np.arange(len(rooms)), len(rooms), 0, 0, True
    covered = np.zeros(cells + 1, np.uint64)
    while depth >= 0:
        if fresh:
            count[:] = 0
            for k in range(size[depth]):
                for one in cells_of_room[live[depth, k]]:
                    if one < 0:
                        break
                    count[one] += 1
            cell[depth], at[depth] = -1, 0
            for one in range(cells):
                is_open = covered[depth] >> np.uint64(one) & np.uint64(1) == 0
                if is_open and (cell[depth] < 0 or count[one] < count[cell[depth]]):
                    cell[depth] = one
            if cell[depth] < 0:
                chosen[found] = -1
                chosen[found, :depth] = room_at[:depth]
                found += 1
                if found == len(chosen):
                    break
                at[depth] = size[depth]
        fresh = False
        while at[depth] < size[depth]:
            room = rooms[live[depth, at[depth]]]
            if room >> np.uint64(cell[depth]) & np.uint64(1) != 0:
                break
            at[depth] += 1
        if at[depth] == size[depth]:
            depth -= 1
            continue
        room_at[depth] = live[depth, at[depth]]
        at[depth] += 1
        covered[depth + 1], size[depth + 1] = covered[depth] | room, 0
        for k in range(size[depth]):
            if rooms[live[depth, k]] & room == 0:
                live[depth + 1, size[depth + 1]] = live[depth, k]
                size[depth + 1] += 1
        depth += 1
        fresh = True
    return found
