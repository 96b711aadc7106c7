"""The rows of Araf's studies: each a pure function of a generator and its parameters."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from holdstill.core.grid import MAX_SIDE, neighbours
from holdstill.lab.paths import project
from holdstill.puzzles.araf import Araf, generate, tight_board
from holdstill.puzzles.araf_rooms import near_enough, path_exists, sizes_fit
from holdstill.puzzles.araf_rungs import deduce
from holdstill.puzzles.araf_search import search
from holdstill.puzzles.araf_unscreened import answers_unscreened
from holdstill.puzzles.boards import answer_state, from_json


def committed() -> list[tuple[Araf, np.ndarray]]:
    """The boards of the bank with their answers, as states."""
    lines = [json.loads(line) for line in project().bank("araf").read_text(encoding="utf-8").splitlines()]
    return [(from_json(one["board"]), answer_state(one["answer"], labels=MAX_SIDE * MAX_SIDE)) for one in lines]


def tightened(board: Araf, answer: np.ndarray) -> Araf:
    """The board with its numbers as tight as they can be around an answer: one below and one above each room's size."""
    numbers, size = [list(row) for row in board.numbers], np.bincount(answer)[answer]
    for cell in board.at:
        y, x = divmod(cell, board.cols)
        numbers[y][x] = int(size[cell]) + (1 if numbers[y][x] > size[cell] else -1)
    return Araf(board.rows, board.cols, numbers)


def pair_counts(board: Araf) -> dict:
    """Pairs of numbers: how many, how many each screen alone rules out, and how many in turn (size, near, path)."""
    upper = np.triu_indices(len(board.at), 1)
    kept = {"size": sizes_fit(board)[upper], "near": near_enough(board)[upper], "path": path_exists(board)[upper]}
    row, left = {"pairs": len(upper[0])}, np.ones(len(upper[0]), bool)
    for name, screen in kept.items():
        row[f"{name}_alone"] = int((~screen).sum())
        row[f"{name}_in_turn"] = int((left & ~screen).sum())
        left &= screen
    return row | {"survive": int(left.sum())}


def rooms_of(board: Araf, answer: np.ndarray) -> dict[int, tuple[set[int], int, int]]:
    """Each room of an answer by its label: its cells, the least size its two numbers allow, and the largest."""
    low, high, _ = board.sizes()
    held: dict[int, list[int]] = {}
    for number, cell in enumerate(board.at):
        held.setdefault(int(answer[cell]), []).append(number)
    return {
        room: (set(np.flatnonzero(answer == room).tolist()), int(low[i, j]), int(high[i, j]))
        for room, (i, j) in held.items()
    }


def connected(cells: set[int], beside: np.ndarray) -> bool:
    """Are these cells in one piece?"""
    left = set(cells)
    stack = [left.pop()] if left else []
    while stack:
        near = left.intersection(beside[stack.pop()].tolist())
        left -= near
        stack += near
    return not left


class Donation(NamedTuple):
    """An unnumbered cell that goes to an edge-adjacent other room, and all that stops it."""

    cell: int
    taker: int
    broken: bool  # the donor falls in two
    floor: bool  # the donor is as small as its numbers allow
    ceiling: bool  # the taker is as large as its numbers allow

    @property
    def legal(self) -> bool:
        """Does nothing stop it?"""
        return not (self.broken or self.floor or self.ceiling)


def donations(board: Araf, answer: np.ndarray) -> Iterator[Donation]:
    """Every one-cell donation on an answer."""
    beside, rooms = neighbours(board.rows, board.cols), rooms_of(board, answer)
    for cell in sorted(set(range(len(answer))) - set(board.at)):
        cells, low, _ = rooms[int(answer[cell])]
        broken = not connected(cells - {cell}, beside)
        for room in sorted({int(answer[near]) for near in beside[cell] if near >= 0} - {int(answer[cell])}):
            taker, _, high = rooms[room]
            yield Donation(cell, room, broken, len(cells) == low, len(taker) == high)


def donation_counts(board: Araf, answer: np.ndarray) -> dict:
    """One-cell donations: what stops them.

    A donor that falls in two is counted as `broken` and no more; else `floor` and `ceiling`, which overlap in `both`.
    """
    found = list(donations(board, answer))
    whole = [one for one in found if not one.broken]
    return {
        "donations": len(found),
        "broken": len(found) - len(whole),
        "floor": sum(one.floor for one in whole),
        "ceiling": sum(one.ceiling for one in whole),
        "both": sum(one.floor and one.ceiling for one in whole),
        "legal": sum(one.legal for one in whole),
    }


class Trade(NamedTuple):
    """Two unnumbered cells of two rooms, each of which shares an edge with the other room, that change places.

    `joined` says that each cell given shares an edge with a cell that the other room keeps, `apart` that the two cells
    do not touch. Both rooms keep their sizes: a trade is legal where neither falls in two.
    """

    cells: tuple[int, int]
    joined: bool
    apart: bool
    legal: bool


def trades(board: Araf, answer: np.ndarray) -> Iterator[Trade]:
    """Every one-cell trade on an answer."""
    beside, rooms = neighbours(board.rows, board.cols), rooms_of(board, answer)
    free = set(range(len(answer))) - set(board.at)
    near = [set(row[row >= 0].tolist()) for row in beside]
    for a, b in combinations(sorted(rooms), 2):
        one, two = rooms[a][0], rooms[b][0]
        gives = [cell for cell in sorted(one & free) if near[cell] & two]
        takes = [cell for cell in sorted(two & free) if near[cell] & one]
        for x, y in product(gives, takes):
            joined = bool(near[x] & (two - {y})) and bool(near[y] & (one - {x}))
            legal = connected(one - {x} | {y}, beside) and connected(two - {y} | {x}, beside)
            yield Trade((x, y), joined, y not in near[x], legal)


def trade_counts(board: Araf, answer: np.ndarray) -> dict:
    """One-cell trades under three readings of what a trade is (see `Trade`), and how many are legal."""
    found = list(trades(board, answer))
    counts = {name: sum(getattr(one, name) for one in found) for name in ("joined", "apart", "legal")}
    return {"trades": len(found), "joined": counts["joined"], "apart": counts["apart"], "trades_legal": counts["legal"]}


def class_counts(board: Araf, answer: np.ndarray) -> dict:
    """Rooms that can only take a cell, only give one, both or neither, by their sizes; and two readings of the lemma.

    `lemma` counts neighbouring rooms where one can give and the other can take; `weak_lemma` those of them joined by an
    unnumbered cell that the giver can spare without falling in two.
    """
    beside, rooms = neighbours(board.rows, board.cols), rooms_of(board, answer)
    gives = {room: len(cells) > low for room, (cells, low, _) in rooms.items()}
    takes = {room: len(cells) < high for room, (cells, _, high) in rooms.items()}
    kinds = Counter((gives[room], takes[room]) for room in rooms)
    touching, sparing = set(), set()
    for cell, row in enumerate(beside):
        giver = int(answer[cell])
        for near in row[row >= 0].tolist():
            if answer[near] != giver and gives[giver] and takes[int(answer[near])]:
                touching.add((giver, int(answer[near])))
                if cell not in board.at and connected(rooms[giver][0] - {cell}, beside):
                    sparing.add((giver, int(answer[near])))
    return {
        "rooms": len(rooms),
        "only_take": kinds[False, True],
        "only_give": kinds[True, False],
        "takes_and_gives": kinds[True, True],
        "pinned": kinds[False, False],
        "lemma": len({frozenset(two) for two in touching}),
        "weak_lemma": len({frozenset(two) for two in sparing}),
    }


def slack_counts(board: Araf, answer: np.ndarray) -> dict:
    """How far the rooms stand above their floors and below their ceilings, in all; the two sums of the ration."""
    rooms = rooms_of(board, answer).values()
    floors, ceilings = sum(low for _, low, _ in rooms), sum(high for _, _, high in rooms)
    return {"above": len(answer) - floors, "below": ceilings - len(answer), "floors": floors, "ceilings": ceilings}


def shares_named(board: Araf) -> dict:
    """The share of cells whose room each rung names."""
    return {rung: float((deduce(board, rung) > 0).mean()) for rung in Araf.RUNGS}


def board_row(rng: np.random.Generator, size: int, **choices) -> dict:
    """One shipped board, made as `generate` makes it with these choices: every count of this file.

    The rungs' shares come for the board before widening (`tight_`) and as shipped.
    """
    made = generate(size, size, rng, **choices)
    row = {"tried": made.tried, "kept": made.kept, "rejected": made.rejected}
    for counts in (donation_counts, trade_counts, class_counts, slack_counts):
        row |= counts(made.board, made.answer)
    tight = {f"tight_{rung}": share for rung, share in shares_named(made.tight).items()}
    return row | pair_counts(made.board) | tight | shares_named(made.board)


def widened(board: Araf, answer: np.ndarray, order: list[int]) -> Araf:
    """The board with the numbers at these places of `Araf.at` widened by one, as often as each is named.

    A place of -1 is a step that widens nothing.
    """
    numbers, size = [list(row) for row in board.numbers], np.bincount(answer)[answer]
    for place in order:
        if place >= 0:
            y, x = divmod(board.at[place], board.cols)
            numbers[y][x] += 1 if numbers[y][x] > size[board.at[place]] else -1
    return Araf(board.rows, board.cols, numbers)


def random_widenings(
    board: Araf, answer: np.ndarray, count: int, ceiling: int, rng: np.random.Generator, way: str = "free"
) -> list[int]:
    """Up to `count` single widenings drawn one by one from all that stay within 1 and the ceiling.

    `way` "floors" or "ceilings" draws from those alone; "once" no number again, and "windows" no room again, before all
    others had their turn; "wasted" draws from all numbers, and one that may not move wastes the step (-1).
    """
    room, values, order = answer[list(board.at)], board.values.copy(), []
    size = np.bincount(answer)[room]
    low = values < size
    wanted = {"floors": low, "ceilings": ~low}.get(way, np.ones(len(low), bool))
    left = wanted.copy()
    while len(order) < count:
        movable = np.where(low, values > 1, values < ceiling)
        can = np.arange(len(low)) if way == "wasted" else np.flatnonzero(movable & left)
        if len(can) == 0:
            if (left == wanted).all():
                break
            left = wanted.copy()
            continue
        place = int(rng.choice(can))
        if not movable[place]:
            order.append(-1)
            continue
        values[place] += -1 if low[place] else 1
        order.append(place)
        if way in ("once", "windows"):
            left[room == room[place] if way == "windows" else place] = False
    return order


def random_board(rng: np.random.Generator, rows: int, cols: int, widenings: int, ceiling: int = 7) -> Araf:
    """Random rooms, tight numbers in their far cells, and a handful of random widenings: nothing is checked."""
    board, answer = tight_board(rows, cols, rng)
    return widened(board, answer, random_widenings(board, answer, widenings, ceiling, rng))


def engines_row(rng: np.random.Generator, widenings: int, reading: str, cap: int) -> dict:
    """A random board up to 5x5: do the search and the engine with no screens have the same set of answers?

    Every other board has its numbers shuffled among their cells: many of those have no answer. Where more than `cap`
    answers exist, only that both pass the cap is compared.
    """
    rows, cols = (int(side) for side in rng.integers(2, 6, 2))
    board = random_board(rng, rows, cols, int(rng.integers(0, widenings + 1)))
    if rng.random() < 0.5:
        values = iter(rng.permutation(board.values).tolist())
        board = Araf(rows, cols, [[None if one is None else next(values) for one in row] for row in board.numbers])
    sets = [
        {answer.tobytes() for answer in answers}
        for answers in (search(board, cap + 1, reading=reading).answers, answers_unscreened(board, cap + 1, reading))
    ]
    past = min(map(len, sets)) > cap
    return {"answers": len(sets[0]), "agree": past or sets[0] == sets[1], "past": past}
