"""The rows of the layouts study: they measure what they say, and the comparison with brute force can fail."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdstill.core import brute
from holdstill.core.grid import SHADED, UNSHADED
from holdstill.core.search import random_answer, search
from holdstill.lab.studies import heyawake_layouts as studies
from holdstill.lab.study import row_at
from holdstill.puzzles.heyawake import carve
from holdstill.puzzles.heyawake_dense import numbered
from holdstill.puzzles.layouts import guillotine


@settings(max_examples=100, deadline=None, derandomize=True)
@given(rows=st.integers(1, 8), cols=st.integers(1, 8), seed=st.integers(0, 2**32), shade=st.floats(0, 1))
def test_a_sparsened_answer_has_no_cell_to_unshade(rows, cols, seed, shade):
    rng = np.random.default_rng(seed)
    board = studies.unnumbered(guillotine(rows, cols, rng))
    answer = random_answer(board, rng, shade=shade)
    if answer is not None:
        state = studies.sparsened(board, answer, rng)
        assert board.is_valid(state) and (answer[state == SHADED] == SHADED).all()
        for cell in np.flatnonzero(state == SHADED):
            less = state.copy()
            less[cell] = UNSHADED
            assert not board.is_valid(less)


@pytest.mark.parametrize("reading", studies.READINGS)
def test_a_reading_of_the_cap_keeps_to_it(reading):
    for cap in (1, 4, 9):
        labels = guillotine(12, 12, np.random.default_rng(cap), **studies.READINGS[reading](cap))
        assert np.bincount(labels.ravel()).max() <= max(cap, 2)


def test_a_cap_row_says_what_brute_force_says():
    seen = set()
    for seed in range(60):
        labels = guillotine(4, 5, np.random.default_rng([81, seed]), **studies.capped(4))
        made = carve(labels, np.random.default_rng(seed), shade=0.5, keep=1.0, answers=1, dense=True)
        legal = brute.answers(studies.unnumbered(labels))
        if made.board is not None:
            assert made.board == numbered(labels, made.answer) and len(brute.answers(made.board)) == 1
            assert made.left == len(made.board.clues)
        else:
            # nothing is said of another answer's numbers, but a lone answer is pinned without any
            assert len(legal) != 1 and (made.rejected == 0) == (len(legal) == 0)
        seen.add(min(made.left, 0))
    assert len(seen) == 3


def test_a_sparse_board_has_as_many_answers_as_asked():
    board, found = studies.sparse_board(np.random.default_rng(1), 5, 9, 5)
    truth = brute.answers(board)
    assert len(truth) == 5 and {one.tobytes() for one in truth} == {one.tobytes() for one in found}


def test_rows_agree_with_each_other():
    for index in range(20):
        row = row_at(studies.painting_row, index, {"size": 6, "shade": 0.5})
        assert row["sparse_shaded"] <= row["drawn_shaded"] <= row["dense_shaded"] < 0.5
        assert all(1 <= row[kind] <= studies.MANY for kind in studies.PAINTINGS)


def test_a_search_that_loses_an_answer_is_noticed(monkeypatch):
    assert all(row_at(studies.brute_row, index, {})["differ"] == 0 for index in range(8))

    def careless(board, limit):
        return search(board, limit)._replace(answers=search(board, limit).answers[1:])

    monkeypatch.setattr(studies, "search", careless)
    rows = [row_at(studies.brute_row, index, {}) for index in range(8)]
    assert any(row["answers"] for row in rows)
    assert all(row["differ"] == 2 * (row["answers"] > 0) and row["paintings"] == 65_536 for row in rows)
