"""Tapa's reach: two-cell probing against a slow one and brute force, the census against a naive one."""

import itertools
from collections import Counter

import numpy as np
import pytest
from boards_for_tests import agreed
from hypothesis import given, settings
from hypothesis import strategies as st

from holdstill.core import brute
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED
from holdstill.core.ladder import deduce, finishes
from holdstill.core.search import search
from holdstill.lab.studies import tapa_reach as studies
from holdstill.lab.studies.tapa import FIXTURES, clue_of, small_board
from holdstill.lab.study import row_at
from holdstill.puzzles.puzzlink import decode
from holdstill.puzzles.tapa import Generated, Tapa, generate


def slow(board, state, cells):
    """Probing with so many cells at once, over nothing but the rung's fixpoint."""
    state = deduce(board, "rings", state)
    before = None
    while cells and state is not None and not np.array_equal(state, before):
        before = state.copy()
        for cell, value in itertools.product(range(len(before)), (UNSHADED, SHADED)):
            if state is None or state[cell] != UNKNOWN:
                continue
            assumed = state.copy()
            assumed[cell] = value
            if slow(board, assumed, cells - 1) is None:
                assumed[cell] = 3 - value
                state = slow(board, assumed, cells - 1)
    return state


def is_sound(board, state):
    answers = brute.answers(board)
    if state is None:
        return len(answers) == 0
    known = state != UNKNOWN
    return len(answers) == 0 or bool((agreed(answers, state)[known] == state[known]).all())


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32))
def test_two_cells_decide_what_the_slow_probing_decides_and_no_answer_denies(seed):
    board = small_board(np.random.default_rng(seed))
    for cells in (1, 2):
        state, _ = studies.probed(board, cells)
        expected = slow(board, None, cells)
        assert (state is None) == (expected is None) and (state is None or (state == expected).all())
        assert is_sound(board, state)


def stubborn():
    """Boards that probing leaves, with one answer each, and with one clue dropped or another in its place."""
    for rows, cols in ((3, 4), (3, 5), (4, 4)):
        for board in studies.census(rows, cols).boards:
            given = {cell: board.clues[cell // cols][cell % cols] for cell in board.clue_cells.tolist()}
            yield board
            for cell in given:
                yield as_board(rows, cols, {other: clue for other, clue in given.items() if other != cell})
                for clue in ((1,), (2,), (1, 1)):
                    yield as_board(rows, cols, given | {cell: clue})


def test_two_cells_decide_more_and_refute_more():
    more = Counter()
    for board in stubborn():
        one, two = studies.probed(board, 1)[0], studies.probed(board, 2)[0]
        assert is_sound(board, one) and is_sound(board, two)
        if one is None:
            assert two is None
        elif two is None:
            more["refuted"] += 1
        else:
            assert (two[one != UNKNOWN] == one[one != UNKNOWN]).all()
            more["decided"] += (two != UNKNOWN).sum() > (one != UNKNOWN).sum()
            more["finished"] += bool((two != UNKNOWN).all())
    assert more["finished"] >= 10 and more["decided"] > 15 and more["refuted"] > 0, more


def test_two_cells_decide_what_the_slow_probing_decides_where_one_is_not_enough():
    for board in list(stubborn())[::8]:
        state, expected = studies.probed(board, 2)[0], slow(board, None, 2)
        assert (state is None) == (expected is None) and (state is None or (state == expected).all())


def test_a_search_counts_the_answers_of_brute_force():
    for number in range(150):
        board = small_board(np.random.default_rng([6, number]))
        for rung in studies.RUNGS:
            found, assumed = studies.searched(board, rung)
            assert found == len(brute.answers(board))
            assert assumed > 0 or found <= 1


def naive(rows, cols):
    """Every unique board by listing all boards: the clues of each wall at each set of its unshaded cells."""
    walls = Counter()
    for wall in brute.answers(Tapa(rows, cols, [[None] * cols] * rows)):
        clues = [(cell, clue_of(wall, rows, cols, cell)) for cell in np.flatnonzero(wall == UNSHADED).tolist()]
        for size in range(len(clues) + 1):
            walls.update(itertools.combinations(clues, size))
    unique = {board for board, count in walls.items() if count == 1}
    minimal = [board for board in unique if not any(board[:i] + board[i + 1 :] in unique for i in range(len(board)))]
    return [[as_board(rows, cols, dict(one)) for one in boards] for boards in (unique, minimal)]


def as_board(rows, cols, given):
    return Tapa(rows, cols, [[given.get(y * cols + x) for x in range(cols)] for y in range(rows)])


@pytest.mark.parametrize("rows, cols", [(1, 5), (2, 3), (2, 4), (3, 3)])
def test_the_census_counts_what_a_naive_one_counts(rows, cols):
    unique, minimal = naive(rows, cols)
    one = studies.census(rows, cols)
    assert (one.unique, one.minimal) == (len(unique), len(minimal))
    left = [board for board in unique if not finishes(board, "probe")]
    assert one.left == len(left) == 0 == one.left_minimal and one.boards == []
    for board in minimal[::7]:
        assert len(brute.answers(board)) == 1


def every_turn(board):
    clues = np.array([[None if clue is None else " ".join(map(str, clue)) for clue in row] for row in board.clues])
    for turned in (clues, clues.T) if board.rows == board.cols else (clues,):
        for one in (turned, turned[::-1], turned[:, ::-1], turned[::-1, ::-1]):
            yield str(one.tolist())


def test_the_smallest_boards_that_probing_leaves():
    one = studies.census(3, 4)
    unique, minimal = naive(3, 4)
    left = [board for board in minimal if not finishes(board, "probe")]
    assert (one.unique, one.minimal, one.left_minimal) == (len(unique), len(minimal), len(left))
    turned = [set(every_turn(board)) for board in one.boards]
    assert set().union(*turned) == {next(every_turn(board)) for board in left} and sum(map(len, turned)) == len(left)
    assert [len(board.clue_cells) for board in one.boards] == [1, 2]


@pytest.mark.parametrize("rows, cols, left", [(3, 5, 8), (4, 4, 40)])
def test_the_boards_listed_are_unique_and_left_by_probing(rows, cols, left):
    one = studies.census(rows, cols)
    assert one.left == left == sum(len(set(every_turn(board))) for board in one.boards)
    for board in one.boards:
        assert len(brute.answers(board)) == 1 and not finishes(board, "probe")
    listed = {text for board in one.boards for text in every_turn(board)}
    assert (next(every_turn(FIXTURES["beyond_probing"])) in listed) == (rows == 4)


def test_clues_added_to_a_board_that_probing_leaves():
    """3x6 has boards that are left and not minimal: the list is closed under adding any clue of the answer."""
    one = studies.census(3, 6)
    listed = {text for board in one.boards for text in every_turn(board)}
    assert len(listed) == one.left > one.left_minimal
    for board in one.boards[::3]:
        answer = search(board, 2).answers[0]
        for cell in set(np.flatnonzero(answer == UNSHADED).tolist()) - set(board.clue_cells.tolist()):
            wider = studies.with_clues(answer, 3, 6, np.append(board.clue_cells, cell))
            assert finishes(wider, "probe") != (next(every_turn(wider)) in listed)


def test_only_a_single_row_has_walls_with_a_rival_under_every_clue():
    # of a 1x3 grid, all of it shaded, or two cells with a clue 2, leave a rival: the third case is the mirror image
    assert studies.census(1, 3).rejected == sum(
        len(brute.answers(studies.with_clues(wall, 1, 3, wall == UNSHADED))) > 1
        for wall in brute.answers(Tapa(1, 3, [[None] * 3]))
    )
    assert studies.census(1, 3).rejected == 3
    for rows, cols in ((2, 2), (2, 5), (3, 3), (3, 4), (4, 4)):
        assert studies.census(rows, cols).rejected == 0


def test_rows_are_what_they_say():
    rows = [row_at(studies.reach_row, index, {"size": 4}) for index in range(300)]
    left = [row for row in rows if row["address"] is not None]
    assert 0 < len(left) < 30 and all(row["probe"] == (row["address"] is None) for row in rows)
    for row in left:
        board = decode(row["address"])
        assert len(board.clue_cells) == row["clues"] == 16 - row["free"]
        assert len(brute.answers(board)) == 1 and not finishes(board, "probe")
        assert studies.effort(board)["left"] == (deduce(board, "probe") == UNKNOWN).sum()
    for fill in studies.FILLS:
        assert row_at(studies.reach_row, 0, {"size": 5, "fill": fill})["rejected"] == 0


def test_blobs_have_one_answer_and_stop_short_only_where_they_must():
    for fill, stalled in ((0.1, False), (0.44, False), (1.0, True)):
        rows = [row_at(studies.blob_row, index, {"size": 5, "fill": fill}) for index in range(30)]
        assert all(row == {"answers": 1, "stalled": stalled} for row in rows)


def test_clues_of_an_answer():
    made = generate(6, 6, np.random.default_rng(3))
    assert studies.with_clues(made.answer, 6, 6, made.board.clue_cells) == made.board
    full = studies.with_clues(made.answer, 6, 6, made.answer == UNSHADED)
    assert len(full.clue_cells) == (made.answer == UNSHADED).sum() and full.is_valid(made.answer)


def test_a_clue_that_could_go_is_noticed(monkeypatch):
    assert row_at(studies.removable_row, 0, {"size": 6})["removable"] == 0

    def uncarved(rows, cols, rng):
        answer = generate(rows, cols, rng).answer
        return Generated(studies.with_clues(answer, rows, cols, answer == UNSHADED), answer, 0)

    monkeypatch.setattr(studies, "generate", uncarved)
    row = row_at(studies.removable_row, 0, {"size": 6})
    assert row["removable"] > row["clues"] // 2


def test_the_board_of_the_issue():
    assert studies.effort(FIXTURES["beyond_probing"]) == {
        "clues": 2,
        "free": 14,
        "left": 14,
        "left by two cells": 0,
        "probing": 28,
        "two cells": 36,
        "search": 18,
        "search with probing": studies.searched(FIXTURES["beyond_probing"], "probe")[1],
    }
