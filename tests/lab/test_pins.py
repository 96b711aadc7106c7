"""The counts of `what_pins_the_answer` against plain loops over the judge and against brute force."""

from itertools import combinations

import numpy as np
import pytest

from holdstill.core import brute
from holdstill.core.grid import neighbours
from holdstill.lab.studies import pins
from holdstill.lab.study import row_at
from holdstill.puzzles.araf_unscreened import answers_unscreened


def made(puzzle, seed, size=4):
    return pins.GENERATE[puzzle](size, size, np.random.default_rng([7, seed]))


@pytest.mark.parametrize("puzzle", pins.PARTS)
@pytest.mark.parametrize("seed", range(8))
def test_nothing_on_a_unique_board_is_legal_and_the_parts_add_up(puzzle, seed):
    row = row_at(pins.pins_row, seed, {"puzzle": puzzle, "size": 4, "cap": 50})
    for form in ("carved", "full"):
        for kind in ("change", "swap"):
            one = {what: row[f"{form}_{kind}_{what}"] for what in ("all", "numbers_alone", "both", "geometry", "legal")}
            assert one["legal"] == 0
            assert one["all"] == one["numbers_alone"] + one["both"] + one["geometry"]
        for part in pins.PARTS[puzzle]:
            assert 1 <= row[f"{form}_without_{part}"] <= 50
    if puzzle != "araf":
        assert row["full_change_geometry"] == 0


@pytest.mark.parametrize("puzzle", pins.PARTS)
def test_a_board_with_many_answers_lets_changes_or_swaps_pass(puzzle):
    """The count of legal ones can be other than 0: without clues the answer has neighbours."""
    board, answer, *_ = made(puzzle, 0, 5)
    blank = {
        "heyawake": lambda: type(board)(5, 5, board.rooms, [None] * len(board.clues)),
        "tapa": lambda: type(board)(5, 5, [[None] * 5] * 5),
        "thermometers": lambda: type(board)(5, 5, board.tubes, [None] * 5, [None] * 5),
        "araf": lambda: type(board)(5, 5, [["?" if n is not None else None for n in row] for row in board.numbers]),
    }[puzzle]()
    states = np.concatenate([pins.changes(blank, answer), pins.swaps(blank, answer)])
    legal = [state for state in states if blank.is_valid(state)]
    assert legal
    assert pins.stopped(blank, puzzle, states)["legal"] == len(legal)


@pytest.mark.parametrize("puzzle", ["heyawake", "tapa", "thermometers"])
@pytest.mark.parametrize("seed", range(6))
def test_answers_without_a_rule_are_those_of_brute_force(puzzle, seed):
    one = made(puzzle, seed)
    for board in (one.board, pins.fully_clued(one.board, one.answer)):
        for part, rules in pins.PARTS[puzzle].items():
            kept = [rule for rule in board.RULES if rule not in rules]
            expected = len(brute.answers(board, kept))
            assert pins.answers_without(board, puzzle, one.answer, part, 100_000) == expected


@pytest.mark.parametrize("seed", range(4))
def test_araf_without_sizes_and_without_connectivity(seed):
    one = made("araf", seed, 3)
    blank = type(one.board)(3, 3, [["?" if n is not None else None for n in row] for row in one.board.numbers])
    expected = len(answers_unscreened(blank, 10_000, "inclusive"))
    assert pins.answers_without(one.board, "araf", one.answer, "numbers", 10_000) == expected
    # every way to label the unnumbered cells, judged but for connectivity
    free = np.flatnonzero(~pins.given(one.board))
    labels = np.indices([one.answer.max()] * len(free)).reshape(len(free), -1).T + 1
    states = np.repeat(one.answer[None], len(labels), axis=0)
    states[:, free] = labels
    whole = 1 << list(one.board.RULES).index("whole")
    expected = int((one.board.broken(states) & ~np.uint8(whole) == 0).sum())
    assert pins.answers_without(one.board, "araf", one.answer, "whole", 10**9) == expected


def test_changes_and_swaps_by_plain_loops():
    one = made("araf", 1)
    board, answer = one.board, one.answer
    beside = [set(row[row >= 0].tolist()) for row in neighbours(4, 4)]
    free = [cell for cell in range(16) if cell not in board.at]
    moves = {(cell, int(answer[near])) for cell in free for near in beside[cell] if answer[near] != answer[cell]}
    assert len(pins.changes(board, answer)) == len(moves)
    for state in pins.changes(board, answer):
        (cell,) = np.flatnonzero(state != answer)
        assert (cell, state[cell]) in moves
    one = made("thermometers", 1)
    free = np.flatnonzero(~pins.given(one.board)).tolist()
    pairs = [(a, b) for a, b in combinations(free, 2) if one.answer[a] != one.answer[b]]
    assert [tuple(np.flatnonzero(state != one.answer)) for state in pins.swaps(one.board, one.answer)] == pairs
