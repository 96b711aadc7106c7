"""Difficulty: by plain Python over the public rungs, and the same however the board lies."""

import time

import numpy as np
import pytest

from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, PuzzleError
from holdstill.core.ladder import deduce
from holdstill.lab.hardness import packed, rank
from holdstill.lab.ledger import Record
from holdstill.lab.studies.published import turns
from holdstill.puzzles.difficulty import BEYOND, PROBING, PROPAGATION, Difficulty, difficulty
from holdstill.puzzles.engines import GENERATE, SHADING
from holdstill.puzzles.grade import grade
from holdstill.puzzles.heyawake import Heyawake

BEFORE = {"heyawake": "spans", "tapa": "rings", "thermometers": "interval", "araf": "cell"}


def boards(puzzle, count=12):
    for seed in range(count):
        rows, cols = (4 + seed % 3, 4 + seed // 3 % 3)
        yield GENERATE[puzzle](rows, cols, np.random.default_rng([3, seed])).board


def in_rounds(board, rung):
    """Rounds of probing in plain Python: assume, deduce, erase; nothing shared but the rung itself."""
    state, rounds, probes = deduce(board, rung), 0, 0
    while True:
        after = state.copy()
        probes += int((state == UNKNOWN).sum())
        for cell in np.flatnonzero(state == UNKNOWN):
            for value in (UNSHADED, SHADED):
                assumed = state.copy()
                assumed[cell] = value
                if deduce(board, rung, assumed) is None:
                    after[cell] = 3 - value
        if (after == state).all():
            break
        state, rounds = deduce(board, rung, after), rounds + 1
    left = int((state == UNKNOWN).sum())
    return Difficulty(BEYOND if left else PROBING if probes else PROPAGATION, left, rounds, probes)


@pytest.mark.parametrize("puzzle", ["heyawake", "tapa", "thermometers"])
def test_the_same_as_rounds_in_plain_python(puzzle):
    found = [difficulty(board) for board in boards(puzzle)]
    assert found == [in_rounds(board, BEFORE[puzzle]) for board in boards(puzzle)]
    assert len({one.depth for one in found}) > 1 or puzzle == "thermometers"


@pytest.mark.parametrize("puzzle", BEFORE)
def test_turning_and_mirroring_changes_nothing(puzzle):
    for board in boards(puzzle):
        every = list(turns(board))
        assert len({(one.rows, one.cols, repr(one)) for one in every}) > 1
        assert len({difficulty(one) for one in every}) == 1


def test_eight_turns_are_eight_and_end_where_they_began():
    board = next(boards("tapa"))
    every = list(turns(board))
    assert every[0] == board
    assert len(set(map(repr, every))) == 8


def test_a_refuted_board_has_none():
    assert difficulty(Heyawake(2, 2, [[0, 0], [0, 0]], [2])) is None


def test_rank_counts_the_strictly_easier():
    easy, hard = Difficulty(0, 0, 0, 0), Difficulty(1, 0, 2, 9)
    board = next(boards("tapa"))
    kept = {"difficulty.tapa.4x4": Record("", ", ".join(map(str, packed({easy: 6, hard: 4}))), 10)}
    assert rank(board, hard, kept) == (60.0, 10)
    assert rank(board, easy, kept) == (0.0, 10)
    assert rank(board, Difficulty(2, 1, 0, 5), kept) == (100.0, 10)
    assert rank(next(boards("heyawake")), easy, kept) is None


def test_a_record_that_contradicts_itself_gives_no_rank():
    board, hard = next(boards("tapa")), Difficulty(1, 0, 2, 9)
    for value, n in (("0, 0, 0, 0, 6, 1", 6), ("0, 0, 0, 0, 6", None), ("", 0), ("0, 0, 0, 0, 6", 5)):
        kept = {"difficulty.tapa.4x4": Record("difficulty.tapa.4x4", value, n, notebook="published_boards")}
        with pytest.raises(PuzzleError, match=r"published_boards.csv: difficulty.tapa.4x4 does not hold"):
            rank(board, hard, kept)


def test_a_time_limit_ends_it_between_rounds():
    board = Heyawake(1, 3, [[0, 0, 0]], [2])
    assert difficulty(board, seconds=0) is None
    assert difficulty(board, seconds=60) == difficulty(board)


def test_probing_takes_no_time_from_the_search(monkeypatch):
    slow = SHADING._replace(deduce=lambda board, rung: time.sleep(0.2) or SHADING.deduce(board, rung))
    monkeypatch.setattr("holdstill.puzzles.grade.engine", lambda board: slow)
    graded = grade(Heyawake(2, 2, [[0, 0], [0, 0]], [None]), seconds=0.4)
    assert graded["answers"] == 2 and graded["difficulty"] is None
