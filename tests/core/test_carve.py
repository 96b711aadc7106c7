"""Carved boards are good, and nothing more could go."""

import math

import numpy as np
import pytest

from holdstill.core.grid import PuzzleError
from holdstill.core.ladder import deduce, finishes
from holdstill.core.search import search
from holdstill.puzzles.heyawake import Heyawake, generate
from holdstill.puzzles.layouts import grown, guillotine

SIZES = [(3, 3), (4, 4), (5, 5), (6, 6), (4, 7)]


def weaker(board):
    """The board without each of its numbers in turn."""
    for room, clue in enumerate(board.clues):
        if clue is not None:
            clues = board.clues[:room] + (None,) + board.clues[room + 1 :]
            yield Heyawake(board.rows, board.cols, board.rooms, clues, board.walls)


def numbered(board):
    return sum(clue is not None for clue in board.clues)


@pytest.mark.parametrize("rooms", [guillotine, grown])
@pytest.mark.parametrize("rows, cols", SIZES)
def test_against_the_complete_solver(rows, cols, rooms):
    tried = 0
    for seed in range(12):
        made = generate(rows, cols, np.random.default_rng([41, seed]), rooms=rooms)
        found = search(made.board, 2)
        assert found.complete and found.count == 1, (seed, made.board)
        assert (found.answers[0] == made.answer).all() and made.board.is_valid(made.answer), (seed, made.board)
        for less in weaker(made.board):
            tried += 1
            assert search(less, 2).count == 2, (seed, made.board, less.clues)
    assert tried > 12


@pytest.mark.parametrize("rooms", [guillotine, grown])
@pytest.mark.parametrize("rung, rows, cols", [("local", 3, 3), ("spans", 4, 4), ("spans", 6, 6), ("probe", 6, 6)])
def test_against_a_rung(rung, rows, cols, rooms):
    tried = 0
    for seed in range(8):
        made = generate(rows, cols, np.random.default_rng([42, seed]), rung=rung, rooms=rooms)
        assert finishes(made.board, rung), (seed, made.board)
        assert (deduce(made.board, rung) == made.answer).all() and search(made.board, 2).count == 1
        for less in weaker(made.board):
            tried += 1
            assert not finishes(less, rung), (seed, made.board, less.clues)
    assert tried > 8


@pytest.mark.parametrize("rung", [None, "spans"])
def test_a_carve_stops_at_a_share_of_the_rooms(rung):
    few = []
    for seed in range(10):
        shares = []
        for keep in (0.0, 0.6, 1.0):
            made = generate(5, 5, np.random.default_rng([43, seed]), rung=rung, keep=keep)
            rooms = len(made.board.clues)
            assert numbered(made.board) >= math.ceil(keep * rooms), (seed, keep)
            assert search(made.board, 2).count == 1
            shares.append(numbered(made.board) / rooms)
        assert shares == sorted(shares) and shares[-1] == 1
        few.append(shares[0])
    assert min(few) < 0.6


@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 2), (1, 6), (7, 1), (2, 2), (12, 12)])
@pytest.mark.parametrize("rung", [None, "probe"])
def test_boards_of_every_size(rows, cols, rung):
    made = generate(rows, cols, np.random.default_rng(44), rung=rung)
    assert (made.board.rows, made.board.cols, made.answer.shape) == (rows, cols, (rows * cols,))
    assert made.board.is_valid(made.answer) and min(made.infeasible, made.rejected) >= 0
    found = search(made.board, 2)
    assert found.complete and found.count == 1 and (found.answers[0] == made.answer).all()
    assert rung is None or finishes(made.board, rung)


def test_the_seed_decides_the_board():
    def made(seed, **options):
        one = generate(6, 6, np.random.default_rng(seed), **options)
        return one.board, one.answer.tolist(), one.infeasible, one.rejected

    for options in ({}, {"rung": "spans"}, {"rooms": grown}, {"shade": 0.9, "noise": 0.1, "keep": 0.5}):
        assert made(5, **options) == made(5, **options)
        assert made(5, **options) != made(6, **options)


def test_a_rung_that_cannot_be_met_is_said():
    with pytest.raises(PuzzleError, match=r"no 8x8 board in 20 tries: .* were not finished by local"):
        generate(8, 8, np.random.default_rng(45), rung="local", tries=20)


def test_rooms_without_an_answer_are_said():
    with pytest.raises(PuzzleError, match="no 1x40 board in 50 tries: 50 layouts had no answer"):
        generate(1, 40, np.random.default_rng(46), tries=50)

    def stripes(rows, cols, rng):
        return np.arange(rows * cols, dtype=np.int32).reshape(rows, cols)

    with pytest.raises(PuzzleError, match="no 9x9 board in 3 tries: 3 layouts had no answer, 0 boards were not unique"):
        generate(9, 9, np.random.default_rng(46), rooms=stripes, tries=3)


@pytest.mark.parametrize(
    "rows, cols, options, told",
    [
        (0, 3, {}, "1 to 64 rows and columns, not 0x3"),
        (65, 1, {}, "not 65x1"),
        (4, 4, {"rung": "hard"}, "heyawake has no rung 'hard', only local, spans, probe"),
    ],
)
def test_bad_input_is_named(rows, cols, options, told):
    with pytest.raises(PuzzleError, match=told):
        generate(rows, cols, np.random.default_rng(0), **options)
