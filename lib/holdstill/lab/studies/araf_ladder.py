"""Araf's screens and rungs: what each does on a board, and the `cell` rung once more in plain Python, to take apart."""

from functools import partial
from typing import NamedTuple

import numpy as np

from holdstill.counting.shapes import UNREACHED, cells_of
from holdstill.lab.studies.araf import committed, pair_counts, shares_named, tightened, widened
from holdstill.puzzles.araf import Araf, generate
from holdstill.puzzles.araf_rooms import catalogue, near_enough, path_exists, sizes_fit, steps_apart
from holdstill.puzzles.araf_rungs import deduce
from holdstill.puzzles.araf_search import NODES, Solver
from holdstill.puzzles.araf_state import frame_of
from holdstill.puzzles.layouts import small_rooms

# How the text's open choices may be made, one departure from the bank's at a time.
CHOICES = {
    "any_cells": {"place": "any"},
    "ceiling_6": {"ceiling": 6},
    "ceiling_8": {"ceiling": 8},
    "rooms_to_4": {"largest": 4},
    "rooms_to_6": {"largest": 6, "ceiling": 8},
}
# The `cell` rung taken apart: what is left out, how many passes over the board are made, in which order of cells.
CELL_VARIANTS = {
    "cell": {},
    "no_cover": {"without": ("cover",)},
    "no_serve": {"without": ("serve",)},
    "no_marry": {"without": ("marry",)},
    "no_pin": {"without": ("pin",)},
    "backwards": {"backwards": True},
    "1_pass": {"passes": 1},
    "2_passes": {"passes": 2},
    "3_passes": {"passes": 3},
    "4_passes": {"passes": 4},
}


class Shipped(NamedTuple):
    """A board with its one answer (an int32 state) and the same board before any widening."""

    board: Araf
    answer: np.ndarray
    tight: Araf


def bank() -> list[Shipped]:
    """The committed boards."""
    return [Shipped(board, answer, tightened(board, answer)) for board, answer in committed()]


def screen_counts(board: Araf) -> dict:
    """`pair_counts`, and of the pairs: how many one screen alone stands against, have no path at all, have a room."""
    upper = np.triu_indices(len(board.at), 1)
    size, near, path = (screen(board)[upper] for screen in (sizes_fit, near_enough, path_exists))
    only = {"size": near & path & ~size, "near": size & path & ~near, "path": size & near & ~path}
    row = {f"{name}_only": int(pairs.sum()) for name, pairs in only.items()}
    walled = int((only["path"] & (steps_apart(board)[upper] >= UNREACHED)).sum())
    return pair_counts(board) | row | {"walled": walled, "with_a_room": len(catalogue(board).pairs)}


def search_nodes(board: Araf) -> int:
    """How many nodes the search takes to prove that there is no second answer."""
    solver = Solver(frame_of(board.rows, board.cols, board.at, board.sizes()))
    solver.start()
    solver.run(np.empty((2, board.rows * board.cols), np.int32), 2, 1 << 60)
    return int(solver.scratch.counter[NODES])


def ladder_counts(board: Araf) -> dict:
    """The share of cells whose room each rung names, the possible rooms, the nodes of the search."""
    return shares_named(board) | {"rooms": len(catalogue(board).size), "nodes": search_nodes(board)}


def board_counts(shipped: Shipped) -> dict:
    """Every count of the screens and the ladder, as shipped and (`tight_`) before widening; the widenings between."""
    row = {"size": shipped.board.rows, "slack": int(abs(shipped.board.values - shipped.tight.values).sum())}
    for prefix, board in (("tight_", shipped.tight), ("", shipped.board)):
        counts = screen_counts(board) | ladder_counts(board) | {"sums_matter": sums_matter(board)}
        row |= {f"{prefix}{name}": value for name, value in counts.items()}
    return row


def board_row(rng: np.random.Generator, size: int, largest: int = 5, **choices) -> dict:
    """`board_counts` of a board made as `generate` makes it with these choices, rooms of up to `largest` cells."""
    made = generate(size, size, rng, rooms=partial(small_rooms, largest=largest), **choices)
    return board_counts(Shipped(made.board, made.answer, made.tight))


def path_row(rng: np.random.Generator, size: int, steps: list[int]) -> dict:
    """One board on its way from tight to shipped: `ladder_counts` and surviving pairs after each number of widenings.

    After more widenings than were kept, it is the board as shipped. `kept` says how many those were.
    """
    made, row = generate(size, size, rng), {}
    for k in steps:
        board = widened(made.tight, made.answer, made.order[:k])
        counts = ladder_counts(board) | {"survive": pair_counts(board)["survive"]}
        row |= {f"{name}_{k}": value for name, value in counts.items()}
    return row | {"kept": made.kept}


class Rooms(NamedTuple):
    """A catalogue as Python's integers, bit i for the i-th room: all rooms, those of each cell and of each pair."""

    cells: list[list[int]]
    cover: list[int]
    pair: list[int]
    of_pair: list[int]
    partners: list[list[int]]  # of each pair, its two numbers' rooms


def rooms_again(board: Araf, reading: str = "strict") -> Rooms:
    """The catalogue of a board, once more."""
    listed = catalogue(board, reading)
    cells, cuts = [cells_of(mask) for mask in listed.masks], listed.start.tolist()
    cover = [0] * (board.rows * board.cols)
    for room, held in enumerate(cells):
        for cell in held:
            cover[cell] |= 1 << room
    of_pair = [(1 << end) - (1 << start) for start, end in zip(cuts, cuts[1:], strict=False)]
    return Rooms(
        cells, cover, listed.pair.tolist(), of_pair, [[cover[board.at[i]] for i in two] for two in listed.pairs]
    )


def cell_again(board: Araf, rooms: Rooms, without=(), passes: int = 1 << 30, backwards: bool = False) -> int | None:
    """The rooms that the `cell` rung leaves, written a second time; None for a contradiction.

    `without` leaves out propagations by name, `passes` stops after so many walks over the cells, `backwards` walks from
    the last cell to the first.
    """
    live, fixed, changed = (1 << len(rooms.cells)) - 1, set(), True
    order = range(len(rooms.cover))[:: -1 if backwards else 1]
    while changed and passes:
        changed, passes = False, passes - 1
        for cell in order:
            here, before, given = live & rooms.cover[cell], live, cell in board.at
            if not here:
                return None
            first = here.bit_length() - 1
            if here & (here - 1) == 0 and first not in fixed and ("serve" if given else "cover") not in without:
                fixed.add(first)
                live = here | live & ~_overlapping(rooms, first)
                changed = True
            mine = rooms.of_pair[rooms.pair[first]]
            if here & ~mine == 0 and ("marry" if given else "pin") not in without:
                one, two = rooms.partners[rooms.pair[first]]
                live &= ~((one | two) & ~mine) & ~(mine & ~rooms.cover[cell])
            changed |= live != before
    return live


def _overlapping(rooms: Rooms, room: int) -> int:
    """All rooms that share a cell with this one, itself among them."""
    found = 0
    for cell in rooms.cells[room]:
        found |= rooms.cover[cell]
    return found


def named(rooms: Rooms, live: int | None) -> np.ndarray | None:
    """Which cells have one room left, bool (cells,); None for a contradiction, also where a cell has none."""
    left = [] if live is None else [live & covering for covering in rooms.cover]
    return np.array([one & (one - 1) == 0 for one in left]) if left and all(left) else None


def cell_variants(board: Araf) -> dict[str, np.ndarray]:
    """The cells that each of CELL_VARIANTS names on a board that has an answer."""
    rooms = rooms_again(board)
    return {name: named(rooms, cell_again(board, rooms, **choice)) for name, choice in CELL_VARIANTS.items()}


def stranded(board: Araf) -> list[tuple[list[int], list[int]]]:
    """Rooms that the `cell` rung leaves but that, assumed, leave cells without a room at once: both, in cells."""
    rooms = rooms_again(board)
    live, found = cell_again(board, rooms), []
    for room, held in enumerate(rooms.cells):
        rest = live & ~_overlapping(rooms, room)
        lost = [cell for cell in range(len(rooms.cover)) if cell not in held and not rest & rooms.cover[cell]]
        if live >> room & 1 and lost:
            found.append((held, lost))
    return found


def sums_matter(board: Araf) -> bool:
    """Does `ration` name anything more with its sums than by assuming rooms and propagating?"""
    return not np.array_equal(deduce(board, "ration"), deduce(board, "ration", sums=False))


def ruled_out(board: Araf) -> dict[str, tuple[int, int]]:
    """For each screen a pair of numbers that it rules out and, if it can be, no other: their cells.

    The second screen's is one that passes the first; the third's is the pair farthest apart of those that pass both and
    have no path at all.
    """
    size, near, path = sizes_fit(board), near_enough(board), path_exists(board)
    y, x = np.divmod(np.array(board.at), board.cols)
    apart = abs(y[:, None] - y) + abs(x[:, None] - x)
    walled = size & near & (steps_apart(board) >= UNREACHED)
    masks = {"size": near & path & ~size, "near": size & ~near, "path": walled}
    found = {}
    for name, mask in masks.items():
        i, j = np.unravel_index(np.argmax(np.where(np.triu(mask, 1), apart, -1)), mask.shape)
        found[name] = (board.at[i], board.at[j])
    return found
