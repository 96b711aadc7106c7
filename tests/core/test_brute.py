"""The list of all shadings, and the answers among them."""

from itertools import product

import numpy as np
import pytest
from boards_for_tests import board

from holdstill.core.brute import CHUNK, answers, shadings
from holdstill.core.grid import PuzzleError

RULES = ("touching", "rooms", "white", "spans")


def touches(state, rows, cols):
    grid = np.array(state).reshape(rows, cols) == 2
    return (grid[:, 1:] & grid[:, :-1]).any() or (grid[1:] & grid[:-1]).any()


def has_square(state, rows, cols):
    grid = np.array(state).reshape(rows, cols) == 2
    return (grid[1:, 1:] & grid[1:, :-1] & grid[:-1, 1:] & grid[:-1, :-1]).any()


@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 5), (5, 1), (2, 2), (2, 4), (3, 3), (3, 4)])
@pytest.mark.parametrize("prune, bad", [(None, None), ("touching", touches), ("square", has_square)])
def test_shadings_are_all_of_them_in_order(rows, cols, prune, bad):
    found = np.concatenate(list(shadings(rows, cols, prune)))
    every = product((1, 2), repeat=rows * cols)
    expected = [state for state in every if bad is None or not bad(state, rows, cols)]
    assert found.dtype == np.int8 and found.tolist() == [list(state) for state in expected]


@pytest.mark.parametrize("side, count", [(1, 2), (2, 7), (3, 63), (4, 1234), (5, 55447), (6, 5598861)])
def test_shadings_without_touching_are_counted_by_a006506(side, count):
    assert sum(len(chunk) for chunk in shadings(side, side, "touching")) == count


def test_more_than_a_chunk_comes_in_chunks():
    chunks = list(shadings(2, 9))
    assert max(map(len, chunks)) == CHUNK and sum(map(len, chunks)) == 1 << 18
    numbers = np.concatenate(chunks).astype(np.int64) - 1
    assert (numbers @ (1 << np.arange(18)[::-1]) == np.arange(1 << 18)).all()


def test_more_than_36_cells_are_refused():
    with pytest.raises(PuzzleError, match="36 cells, not 1x37"):
        shadings(1, 37)


def test_answers_are_what_the_judge_accepts_in_order():
    several = 0
    for number in range(0, 200, 2):
        one = board(number)
        every = np.concatenate(list(shadings(3, 3)))
        expected = [state.tolist() for state in every if one.is_valid(state)]
        assert answers(one).tolist() == expected, f"board({number})"
        several += len(expected) > 1
    assert several > 20


def test_answers_by_some_of_the_rules():
    one = board(24)
    every = np.concatenate(list(shadings(3, 3)))
    for without in RULES:
        rules = tuple(rule for rule in RULES if rule != without)
        expected = [state.tolist() for state in every if one.is_valid(state, without=(without,))]
        assert answers(one, rules).tolist() == expected
    assert len(answers(one, ())) == 512
