"""What holds an Araf answer still, and how far a way to make boards is from the text's figures."""

from collections import Counter

import numpy as np
import pandas as pd

from holdstill.core.grid import neighbours
from holdstill.lab.intervals import Estimate, Z
from holdstill.lab.studies.araf import (
    class_counts,
    donation_counts,
    donations,
    pair_counts,
    random_widenings,
    rooms_of,
    slack_counts,
    trade_counts,
    trades,
    widened,
)
from holdstill.puzzles.araf import Araf, generate, tight_board
from holdstill.puzzles.araf_rungs import finishes
from holdstill.puzzles.araf_search import search
from holdstill.puzzles.layouts import scattered_rooms, small_rooms

# The text's bank, as its counts of rooms and pairs imply it: so many boards of each size.
BANK = {6: 24, 7: 24, 8: 24}

# Who cuts the grid into rooms of 2 to 5 cells: (rows, cols, rng) -> labels.
ROOMS = {"fewest_free": small_rooms, "scattered": scattered_rooms}

# What the text leaves open, as departures from the protocol (`generate`'s defaults): where a room's numbers stand, how
# far a ceiling may rise, how rooms are drawn; and crossings of these.
CHOICES = {
    "default": {},
    "straight": {"place": "straight"},
    "ends": {"place": "ends"},
    "apart": {"place": "apart"},
    "any": {"place": "any"},
    "ceiling_6": {"ceiling": 6},
    "ceiling_8": {"ceiling": 8},
    "scattered": {"rooms": "scattered"},
    "scattered_straight": {"rooms": "scattered", "place": "straight"},
    "scattered_ends": {"rooms": "scattered", "place": "ends"},
    "scattered_any": {"rooms": "scattered", "place": "any"},
    "straight_ceiling_6": {"place": "straight", "ceiling": 6},
    "scattered_straight_ceiling_6": {"rooms": "scattered", "place": "straight", "ceiling": 6},
    "any_ceiling_6": {"place": "any", "ceiling": 6},
}

# Published figures of the bank: totals over it, means over its 8x8 boards, counts of boards; by our column.
TOTALS = {
    "rooms": "araf.bank.rooms",
    "pairs": "araf.pairs.all",
    "survive": "araf.pairs.survive",
    "path_in_turn": "araf.pairs.third_screen",
    "donations": "araf.donations.all",
    "broken": "araf.donations.broken",
    "floor": "araf.donations.floor",
    "ceiling": "araf.donations.ceiling",
    "trades": "araf.trades.all",
    "only_take": "araf.rooms.only_take",
    "only_give": "araf.rooms.only_give",
    "takes_and_gives": "araf.rooms.both",
    "pinned": "araf.rooms.pinned",
    "tight_cell": "araf.ladder.tight",
    "cell": "araf.ladder.shipped",
}
MEANS = {
    "kept": "araf.widenings.kept.8x8",
    "tried": "araf.widenings.tried.8x8",
    "above": "araf.slack.above_floors.8x8",
    "below": "araf.slack.below_ceilings.8x8",
}
FIGURES = TOTALS | MEANS | {"share": "araf.rigidity.connectivity"}

# Shares of the one-cell donations and trades together, in percent: the text's, and by what alone forbids a move.
SHARES = {
    "share": "broken + trades",
    "connectivity": "by_connectivity + trades",
    "either": "by_either",
    "arithmetic": "by_arithmetic",
}


def cause_counts(board: Araf, answer: np.ndarray) -> dict:
    """One-cell donations by what alone forbids them: connectivity, arithmetic (floor or ceiling), either one, none."""
    found = Counter((one.broken, one.floor or one.ceiling) for one in donations(board, answer))
    return {
        "by_connectivity": found[True, False],
        "by_either": found[True, True],
        "by_arithmetic": found[False, True],
        "by_none": found[False, False],
    }


def perturbation_counts(board: Araf, answer: np.ndarray) -> dict:
    """All that is counted of an answer's one-cell donations and trades."""
    return donation_counts(board, answer) | cause_counts(board, answer) | trade_counts(board, answer)


def mean_steps(board: Araf, answer: np.ndarray) -> float:
    """The mean number of steps, inside their room, between the two numbers of a room.

    >>> mean_steps(Araf(2, 3, [[1, None, 5], [1, None, 5]]), np.array([1, 1, 1, 2, 2, 2]))
    2.0
    """
    beside, total = neighbours(board.rows, board.cols), 0
    rooms = rooms_of(board, answer)
    for cells, _, _ in rooms.values():
        one, two = sorted(cells.intersection(board.at))
        reached, wave = {one}, {one}
        while two not in reached:
            wave = cells.intersection(beside[list(wave)].ravel().tolist()) - reached
            reached |= wave
            total += 1
    return total / len(rooms)


def bank_row(board: Araf, answer: np.ndarray) -> dict:
    """What the figures of a bank are made of, for one of its boards."""
    counts = perturbation_counts(board, answer) | class_counts(board, answer) | slack_counts(board, answer)
    return {"size": board.rows, **counts, "steps": mean_steps(board, answer)}


def choice_row(rng: np.random.Generator, size: int, rooms: str = "fewest_free", **choices) -> dict:
    """One shipped board made with a choice of CHOICES: every published figure's part."""
    made = generate(size, size, rng, rooms=ROOMS[rooms], **choices)
    row = bank_row(made.board, made.answer) | pair_counts(made.board)
    row |= {"tried": made.tried, "kept": made.kept, "rejected": made.rejected}
    return row | {"tight_cell": finishes(made.tight, "cell"), "cell": finishes(made.board, "cell")}


def tight_row(rng: np.random.Generator, size: int, rooms: str = "fewest_free", place: str = "far") -> dict:
    """One tight board with one answer, before any widening; and, as `free_`, one drawn without asking for that."""
    made = generate(size, size, rng, rooms=ROOMS[rooms], place=place, widest=0)
    row = perturbation_counts(made.board, made.answer) | {"steps": mean_steps(made.board, made.answer)}
    free = perturbation_counts(*tight_board(size, size, rng, rooms=ROOMS[rooms], place=place))
    return row | {"rejected": made.rejected} | {f"free_{name}": count for name, count in free.items()}


def zeros_row(rng: np.random.Generator, size: int, widenings: int) -> dict:
    """Can the counts of legal donations and trades be other than 0? Four boards, by whether they can have two answers.

    `one`: a tight board with one answer. `one_wide`: the same, widened at random, unchecked. `any`, `any_wide`: from a
    tight board that is not asked for one answer. For each: legal donations and trades, and whether it has one answer.
    """
    made = generate(size, size, rng, widest=0)
    row = {}
    for name, (board, answer) in {"one": (made.tight, made.answer), "any": tight_board(size, size, rng)}.items():
        wide = widened(board, answer, random_widenings(board, answer, widenings, 7, rng))
        for kind, each in {name: board, f"{name}_wide": wide}.items():
            row[f"{kind}_donations"] = sum(one.legal for one in donations(each, answer))
            row[f"{kind}_trades"] = sum(one.legal for one in trades(each, answer))
            row[f"{kind}_unique"] = search(each, 2, store=0).count == 1
    return row


def of_bank(tables: dict[int, pd.DataFrame], figure: str) -> Estimate:
    """A figure of FIGURES or SHARES, or any column's total, as a bank has it, with its 99% interval.

    `tables` holds boards by size, as many of each, two or more. Boards are the unit of sampling, drawn within each
    size. The error of a ratio is linearised. A column of bools has the variance of a share with one success and one
    failure added, so that none seen is not none possible.
    """
    offset = 0.0
    if figure in SHARES:
        whole = {size: tables[size].donations + tables[size].trades for size in BANK}
        top = {size: tables[size].eval(SHARES[figure]) for size in BANK}
        offset = _summed(top) / _summed(whole)
        parts = {size: 100 * (top[size] - offset * whole[size]) / _summed(whole) for size in BANK}
    elif figure in MEANS:
        parts = {8: tables[8][figure] / BANK[8]}
    else:
        parts = {size: tables[size][figure] for size in BANK}
    variance = 0.0
    for size, part in parts.items():
        n, held = len(part), part.sum()
        spread = (held + 1) * (n - held + 1) / (n + 2) ** 2 if part.dtype == bool else part.var()
        variance += BANK[size] ** 2 * spread / n
    value, half = 100 * offset + _summed(parts), Z * variance**0.5
    return Estimate(value, sum(map(len, parts.values())), value - half, value + half)


def _summed(parts: dict[int, pd.Series]) -> float:
    return float(sum(BANK[size] * part.mean() for size, part in parts.items()))


def bank_error(figure: str, ours: Estimate) -> float:
    """The standard error of a figure on one bank, from its estimate on more or fewer boards.

    >>> round(bank_error("rooms", Estimate(1000.0, 18, 1000 - 20 * Z, 1000 + 20 * Z)), 6)
    10.0
    """
    boards = BANK[8] if figure in MEANS else sum(BANK.values())
    return (ours.high - ours.value) / Z * (ours.n / boards) ** 0.5


def distance(figure: str, ours: Estimate, published: float) -> float:
    """How far ours is above the published figure, in standard errors: one bank's and our estimate's, together.

    >>> round(distance("rooms", Estimate(1000.0, 72, 1000 - 3 * Z, 1000 + 3 * Z), 1000 - 3 * 2**0.5), 6)
    1.0
    """
    return (ours.value - published) / float(np.hypot(bank_error(figure, ours), (ours.high - ours.value) / Z))


def overall(distances) -> np.ndarray:
    """The root mean square of distances, along the last axis: about 1 for a bank made in this very way.

    >>> overall([[3, 0, 0, 0], [1, -1, 1, 1]]).tolist()
    [1.5, 1.0]
    """
    return np.sqrt(np.mean(np.square(np.asarray(distances, float)), axis=-1))


def own_banks(tables: dict[int, pd.DataFrame], times: int, rng: np.random.Generator) -> np.ndarray:
    """The overall distance of `times` banks drawn, with replacement, from these very boards: float64 (times,)."""
    drawn = {size: rng.integers(0, len(tables[size]), (times, boards)) for size, boards in BANK.items()}

    def totals(column, sizes=BANK):
        return sum(tables[size][column].to_numpy(float)[drawn[size]].sum(axis=1) for size in sizes)

    columns = {name: totals(name) for name in TOTALS} | {name: totals(name, [8]) / BANK[8] for name in MEANS}
    columns["share"] = 100 * (columns["broken"] + columns["trades"]) / (columns["donations"] + columns["trades"])
    known = {figure: of_bank(tables, figure) for figure in columns}
    return overall(
        np.transpose([(one - known[name].value) / bank_error(name, known[name]) for name, one in columns.items()])
    )
