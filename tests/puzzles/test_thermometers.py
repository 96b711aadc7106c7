"""Thermometers: bad input, judge and tables against slower ones, rungs against brute force, and generation."""

import dataclasses
import itertools
from collections import Counter

import numpy as np
import pytest
from boards_for_tests import agreed, as_set, by_sat, every_state, held_to_answers, same
from hypothesis import given, settings
from hypothesis import strategies as st

from holdstill.core.brute import answers
from holdstill.core.grid import SHADED, UNKNOWN, PuzzleError
from holdstill.core.ladder import deduce, explain, finishes
from holdstill.core.search import search
from holdstill.lab.studies.thermometers import arrangements, cut_lines, exhausted, line_model, small_board
from holdstill.puzzles.thermometers import Thermometers, generate
from holdstill.puzzles.tubes import random_tubes

OUTSIDE, ORDER, COUNTS = 1, 2, 4 + 8
RUNGS = tuple(Thermometers.RUNGS)
SETTINGS = settings(max_examples=150, deadline=None)
U_TURN = Thermometers(2, 3, [[0, 3, 4, 5, 2]], [1, None], [None] * 3)  # r1 holds its first cell and its last


def slow_judge(board, state):
    """The rules a state breaks, from sets of cells."""
    filled = {cell for cell, value in enumerate(state) if value == SHADED}
    bits = OUTSIDE * bool(filled - {cell for tube in board.tubes for cell in tube})
    for tube in board.tubes:
        level = len(filled & set(tube))
        bits |= ORDER * (filled & set(tube) != set(tube[:level]))
    filled -= {cell for cell in filled if board.tube_of[cell] < 0}
    for row, count in enumerate(board.row_counts):
        bits |= COUNTS * (count is not None and count != len([cell for cell in filled if cell // board.cols == row]))
    for col, count in enumerate(board.col_counts):
        bits |= COUNTS * (count is not None and count != len([cell for cell in filled if cell % board.cols == col]))
    return bits


def test_the_judge_agrees_with_a_slow_one():
    seen = Counter()
    for number in range(300):
        rng = np.random.default_rng([71, number])
        board = small_board(rng)
        states = np.where(rng.random((12, board.rows * board.cols)) < rng.random((12, 1)), 2, 1).astype(np.int8)
        for row in range(6):  # as many that respect the tubes
            states[row] = 1
            for tube in board.tubes:
                states[row, list(tube[: rng.integers(0, len(tube) + 1)])] = 2
        expected = [slow_judge(board, state) for state in states.tolist()]
        assert board.broken(states).tolist() == expected, board
        assert [board.is_valid(state) for state in states] == [bits == 0 for bits in expected]
        seen.update(expected)
    assert len(seen) == 8 and seen[0] > 50, seen


def test_an_undecided_state_is_not_valid_and_rules_can_be_left_out():
    board = Thermometers(1, 3, [[1, 0]], [1], [None] * 3)
    assert board.is_valid([1, 2, 1]) and not board.is_valid([0, 2, 1])
    assert not board.is_valid([2, 1, 1]) and board.is_valid([2, 1, 1], without=("order",))
    assert not board.is_valid([1, 2, 2]) and board.is_valid([1, 2, 2], without=("outside",))
    assert not board.is_valid([2, 2, 1], without=("counts",)) and board.is_valid([2, 2, 1], without=("counts", "ways"))


GOOD = {"rows": 2, "cols": 3, "tubes": [[0, 1, 4], [2, 5]], "row_counts": [3, None], "col_counts": [None, 2, 0]}


@pytest.mark.parametrize(
    "change, told",
    [
        ({"rows": 65}, "1 to 64 rows and columns, not 65x3"),
        ({"cols": 2.0}, "whole numbers, not 2.0"),
        ({"tubes": None}, "tubes must be a list of lists of cells, each from its bulb on"),
        ({"tubes": [[0, 1], 3]}, "tube 1 is 3, not a list of cells from its bulb on"),
        ({"tubes": [[0, 1], []]}, r"tube 1 is \[\], not a list of cells"),
        ({"tubes": [[0, 1, 4], [2, 6]]}, "tube 1 leaves the 2x3 grid: 6 is not 0 to 5"),
        ({"tubes": [[0, -1]]}, "tube 0 leaves the 2x3 grid: -1 is not"),
        ({"tubes": [[0, True]]}, "tube 0 leaves the 2x3 grid: True is not"),
        ({"tubes": [[0, 1.0]]}, "tube 0 leaves the 2x3 grid: 1.0 is not"),
        ({"tubes": [["0", 1]]}, "tube 0 leaves the 2x3 grid: '0' is not"),
        ({"tubes": [[0, 2]]}, "tube 0 jumps from r1c1 to r1c3"),
        ({"tubes": [[0, 4]]}, "tube 0 jumps from r1c1 to r2c2"),
        ({"tubes": [[2, 3]]}, "tube 0 jumps from r1c3 to r2c1"),
        ({"tubes": [[3, 2]]}, "tube 0 jumps from r2c1 to r1c3"),
        ({"tubes": [[0, 1, 4, 3, 0]]}, "tube 0 crosses itself at r1c1"),
        ({"tubes": [[0, 0]]}, "tube 0 crosses itself at r1c1"),
        ({"tubes": [[0, 1, 4], [5, 4]]}, "tube 1 crosses tube 0 at r2c2"),
        ({"tubes": [[0, 1], [0, 1]]}, "tube 1 crosses tube 0 at r1c1"),
        ({"row_counts": None}, "row counts must be a list of 2, one a row"),
        ({"row_counts": [1]}, "row counts must be a list of 2"),
        ({"col_counts": [1, 2, 0, None]}, "column counts must be a list of 3, one a column"),
        ({"row_counts": [3, 3]}, "row 2 has 2 cells in tubes and the count 3"),
        ({"col_counts": [2, None, None]}, "column 1 has 1 cells in tubes and the count 2"),
        ({"col_counts": [10**60, None, None]}, "column 1 has 1 cells in tubes and the count 1000"),
        ({"row_counts": [-1, None]}, "row 1 has the count -1, neither a number nor null"),
        ({"row_counts": [True, None]}, "row 1 has the count True"),
        ({"row_counts": [1.0, None]}, "row 1 has the count 1.0"),
        ({"col_counts": [None, "2", None]}, "column 2 has the count '2'"),
    ],
)
def test_bad_input_is_named(change, told):
    assert Thermometers(**GOOD).col_counts == (None, 2, 0)
    with pytest.raises(PuzzleError, match=told) as caught:
        Thermometers(**(GOOD | change))
    assert len(str(caught.value)) < 120 and "\n" not in str(caught.value)


def test_what_is_stored():
    board = Thermometers(**GOOD)
    assert board.tubes == ((0, 1, 4), (2, 5)) and board.row_counts == (3, None)
    assert board == Thermometers(2, 3, board.tubes, board.row_counts, board.col_counts)
    assert hash(board) == hash(Thermometers(**GOOD))
    assert board.tube_of.tolist() == [0, 0, 1, -1, 0, 1]
    with pytest.raises(dataclasses.FrozenInstanceError):
        board.rows = 3


def test_a_line_holds_a_group_a_tube_also_where_the_tube_comes_back():
    lines, numbers = U_TURN.numbered_lines
    assert lines.flat.tolist() == [0, 2] and numbers.tolist() == [1]
    # r1c2 is in no tube; of the tube's two cells in r1 the first is filled, and the order runs through r2.
    expected = [2, 1, 1, 0, 0, 0]
    assert deduce(U_TURN, "interval").tolist() == deduce(U_TURN, "witness").tolist() == expected


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6).filter(lambda sizes: sum(sizes) <= 12), st.data())
@SETTINGS
def test_a_table_lists_every_way_once(sizes, data):
    count = data.draw(st.integers(0, sum(sizes)))
    starts = np.cumsum([0, *sizes])
    tubes = [list(range(a, b)) for a, b in itertools.pairwise(starts.tolist())]
    model = Thermometers(1, sum(sizes), tubes, [count], [None] * sum(sizes)).model
    expected = {
        sum(((1 << level) - 1) << int(start) for level, start in zip(levels, starts, strict=False))
        for levels in itertools.product(*(range(size + 1) for size in sizes))
        if sum(levels) == count
    }
    assert sorted(model.patterns.tolist()) == sorted(expected)


def test_the_longest_lines_that_have_a_table_and_those_that_have_none():
    board = Thermometers(1, 16, [[cell] for cell in range(16)], [8], [None] * 16)
    assert len(board.model.patterns) == 12870
    # 128 lines of that many ways are below the cap, so no board is refused for its tables.
    assert 128 * 12870 < 1 << 21
    long = Thermometers(1, 17, [list(range(17))], [5], [None] * 17)
    assert len(long.model.patterns) == 0 and not deduce(long, "witness").any()
    assert deduce(long, "interval").tolist() == [2] * 5 + [1] * 12
    assert search(long, 3, rung="witness").count == 1


@pytest.fixture(scope="module")
def solved():
    """Small boards with all their answers by brute force."""
    boards = [small_board(np.random.default_rng([72, number])) for number in range(500)]
    return [(board, answers(board)) for board in boards]


def test_the_boards_differ_in_kind(solved):
    counts = Counter(min(len(found), 2) for _, found in solved)
    assert min(counts[0], counts[1], counts[2]) >= 40, counts
    assert {board.rows for board, _ in solved} == {1, 2, 3, 4}
    assert sum(any(len(set(np.diff(tube))) > 1 for tube in board.tubes) for board, _ in solved) > 100


def test_sat_finds_the_answers_of_brute_force(solved):
    for board, expected in solved:
        found = by_sat(board)
        assert len(found) == len(expected) and as_set(found) == as_set(expected), board


@pytest.mark.parametrize("rung", RUNGS)
def test_search_over_a_rung_finds_the_answers_of_brute_force(solved, rung):
    for board, expected in solved:
        found = search(board, len(expected) + 1, rung=rung)
        assert found.complete and as_set(found.answers) == as_set(expected), board
        if finishes(board, rung):
            assert len(expected) == 1 and (deduce(board, rung) == expected[0]).all(), board


def test_without_a_rule_the_answers_are_those_of_the_judge_without_it(solved):
    for board, _ in solved[::5]:
        for rules in (("outside", "order"), ("order", "counts"), ("order", "ways", "outside"), ("order",)):
            expected = answers(board, rules)
            assert as_set(search(board, 70_000, rules=rules).answers) == as_set(expected), (board, rules)


@pytest.mark.parametrize("rung", RUNGS)
def test_no_rung_fixes_a_cell_that_an_answer_denies(solved, rung):
    fixed, refuted = held_to_answers(solved, rung, 73)
    assert fixed > 500 and refuted > 30


@given(st.integers(0, 1 << 32))
@SETTINGS
def test_interval_and_witness_say_the_same(seed):
    """On any board with lines of up to 16 cells, from any partial state, also one that fits no level."""
    rng = np.random.default_rng(seed)
    board = small_board(rng)
    if seed % 2:
        rows, cols = (int(side) for side in rng.integers(2, 9, 2))
        board = generate(rows, cols, rng, longest=int(rng.integers(2, 17))).board
    start = rng.choice(np.array([0, 0, 0, 0, 1, 2], np.int8), board.rows * board.cols)
    for state in (np.zeros_like(start), start):
        assert same(deduce(board, "interval", state), deduce(board, "witness", state)), (board, state)


def test_on_every_line_whole_groups_say_all_and_split_ones_do_not():
    assert exhausted(line for n in range(1, 6) for line in arrangements(n))["differ"] == 0
    assert exhausted(line for n in range(1, 8) for line in cut_lines(n, False))["differ"] == 0
    split = exhausted(line for n in range(2, 6) for line in cut_lines(n, True))
    assert split["differ"] > 500 and split["cases"] > 10 * split["differ"]
    # The smallest with three cells: count 1 on the pieces [0] and [1, 2] of one tube.
    tube = [[[0], [1, 2]]]
    assert tube in list(cut_lines(3, True)) and exhausted([tube])["differ"] > 0
    assert line_model(tube).group[:7].tolist() == [0, 0, 0, 0, 0, 1, 1]


def test_lines_are_counted_right():
    bell, sizes = [1, 2, 5, 15, 52, 203], [1, 2, 3, 5, 7, 11]  # A000110, A000041
    assert [sum(1 for _ in arrangements(n)) for n in range(1, 7)] == bell
    assert [sum(1 for _ in cut_lines(n, False)) for n in range(1, 7)] == sizes
    for line in itertools.chain(arrangements(5), cut_lines(5, True)):
        assert sorted(cell for tube in line for piece in tube for cell in piece) == [0, 1, 2, 3, 4]


def test_a_line_forces_what_all_its_fillings_share():
    """The exhaustion's two sides against plain enumeration, so that they are not wrong together."""
    for line in arrangements(4):
        along = [piece for (piece,) in line]
        every = every_state(4)
        ordered = [all((row[one] == np.sort(row[one])[::-1]).all() for one in along) for row in every]
        for count in range(5):
            fits = every[ordered & ((every == SHADED).sum(axis=1) == count)]
            sizes = [len(one) for one in along]
            flat = [cell for one in along for cell in one]
            starts = np.cumsum([0, *sizes]).tolist()
            straight = [list(range(a, b)) for a, b in itertools.pairwise(starts)]
            board = Thermometers(1, 4, straight, [count], [None] * 4)
            for start in itertools.product((0, 1, 2), repeat=4):
                state = np.array(start, np.int8)
                expected = agreed(fits[:, flat], state)
                for rung in ("interval", "witness"):
                    assert same(deduce(board, rung, state), expected), (line, count, start, rung)


@pytest.mark.parametrize("rung", RUNGS)
def test_steps_replayed_give_the_fixpoint_and_cite_what_forces_them(solved, rung):
    fired = Counter()
    for board, _ in solved[::2]:
        state = np.zeros(board.rows * board.cols, np.int8)
        steps = explain(board, rung)
        for step in steps:
            fired[step.rule if step.cells else "contradiction"] += 1
            assert (state[list(step.cells)] == UNKNOWN).all()
            if step.rule in ("counts", "ways"):
                rows, cols = {cell // board.cols for cell in step.places}, {cell % board.cols for cell in step.places}
                assert len(rows) == 1 or len(cols) == 1
            if step.rule == "counts":
                numbers = {board.row_counts[min(rows)]} if len(rows) == 1 else set()
                numbers |= {board.col_counts[min(cols)]} if len(cols) == 1 else set()
                assert int(step.text.split("line with ")[1].split(":")[0]) in numbers, (board, step)
            state[list(step.cells)] = step.value
        end = deduce(board, rung)
        assert (end is None) == bool(steps and not steps[-1].cells)
        assert end is None or same(end, state)
    wanted = {"outside", "order", "ways" if rung == "witness" else "counts", "contradiction"}
    assert wanted <= set(fired) <= wanted | {"probe"}


def test_a_board_told_step_by_step():
    board = Thermometers(2, 2, [[0, 1], [3]], [1, None], [None, 0])
    assert [step.text for step in explain(board, "interval")] == [
        "row 2, column 1 is unshaded: cells in no tube stay unshaded: row 2, column 1",
        "row 1, column 1 is shaded: line with 1: row 1, columns 1 to 2",
        "row 1, column 2 is unshaded: line with 1: row 1, columns 1 to 2",
        "row 2, column 2 is unshaded: line with 0: rows 1 to 2, column 2",
    ]
    assert explain(board, "witness")[1].text.endswith("all ways to meet the line's count: row 1, columns 1 to 2")


def hidden(board):
    """The board without each of its counts in turn."""
    for line, count in enumerate(board.row_counts + board.col_counts):
        if count is not None:
            counts = list(board.row_counts + board.col_counts)
            counts[line] = None
            yield dataclasses.replace(board, row_counts=counts[: board.rows], col_counts=counts[board.rows :])


@pytest.mark.parametrize("rung", [None, *RUNGS])
def test_a_made_board_has_one_answer_and_no_count_too_many(rung):
    tried = 0
    for seed in range(25):
        rng = np.random.default_rng([74, seed])
        rows, cols = (int(side) for side in rng.integers(2, 8, 2))
        made = generate(rows, cols, rng, rung=rung, longest=int(rng.integers(2, 9)))
        found = search(made.board, 2)
        assert found.complete and found.count == 1 and (found.answers[0] == made.answer).all(), (seed, made.board)
        assert made.board.is_valid(made.answer)
        assert rung is None or finishes(made.board, rung)
        for less in hidden(made.board):
            tried += 1
            assert not finishes(less, rung) if rung else search(less, 2).count == 2, (seed, made.board)
    assert tried > 100


def test_rejection_keeps_every_count_and_gives_up_when_asked():
    made = generate(8, 8, np.random.default_rng(75), longest=16, repairs=0, keep=1.0)
    assert made.repaired == 0 and None not in made.board.row_counts + made.board.col_counts
    with pytest.raises(PuzzleError, match="no 10x10 board in 3 tries: 3 boards were not unique, after 0 repairs"):
        generate(10, 10, np.random.default_rng(75), longest=2, repairs=0, tries=3)
    # Where a line of more than 16 cells matters, witness cannot finish what interval finishes.
    with pytest.raises(PuzzleError, match="were not finished by witness"):
        generate(1, 20, np.random.default_rng(75), rung="witness", longest=20, tries=3)
    for given_, told in (
        ({"rung": "magic"}, "no rung 'magic', only interval"),
        ({"cover": 1.5}, "cover is from 0 to 1, not 1.5"),
        ({"bend": -1}, "bend is from 0 to 1, not -1"),
        ({"longest": 1}, "longest is at least 2 cells, not 1"),
    ):
        with pytest.raises(PuzzleError, match=told):
            generate(4, 4, np.random.default_rng(0), **given_)


@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 2), (1, 30), (30, 1), (5, 9), (64, 64)])
@pytest.mark.parametrize("bend", [0.0, 0.5, 1.0])
def test_tubes_are_tubes(rows, cols, bend):
    rng = np.random.default_rng([76, rows, cols])
    for cover, longest in ((1.0, 8), (0.5, 2), (0.0, 5), (1.0, 16)):
        tubes = random_tubes(rows, cols, rng, cover=cover, longest=longest, bend=bend)
        Thermometers(rows, cols, tubes, [None] * rows, [None] * cols)  # refuses what jumps or crosses
        assert all(2 <= len(tube) <= longest for tube in tubes)
        covered = sum(map(len, tubes))
        assert covered <= cover * rows * cols + longest
        if rows * cols >= 30 and bend == 1.0 and longest > 2:
            assert covered >= 0.9 * cover * rows * cols
        if bend == 0.0:
            assert all(len(set(np.diff(tube))) == 1 for tube in tubes)


def test_odd_boards():
    assert search(Thermometers(1, 1, [], [None], [None]), 3).count == 1
    assert search(Thermometers(1, 1, [[0]], [None], [None]), 3).count == 2
    assert search(Thermometers(5, 1, [[4, 3, 2, 1, 0]], [None] * 5, [None]), 9).count == 6
    upwards = Thermometers(5, 1, [[4, 3, 2, 1, 0]], [None, 1, None, None, None], [4])
    assert deduce(upwards, "interval").tolist() == [1, 2, 2, 2, 2]
    free = generate(4, 4, np.random.default_rng(1)).board
    blank = dataclasses.replace(free, row_counts=[None] * 4, col_counts=[None] * 4)
    assert search(blank, 10**6).count == np.prod([len(tube) + 1 for tube in blank.tubes])


def test_a_board_of_64_by_64_solves():
    rng = np.random.default_rng(77)
    tubes = random_tubes(64, 64, rng, longest=16)
    state = np.ones(64 * 64, np.int8)
    for tube in tubes:
        state[tube[: rng.integers(0, len(tube) + 1)]] = SHADED
    shaded = (state == SHADED).reshape(64, 64)
    board = Thermometers(64, 64, tubes, shaded.sum(axis=1).tolist(), shaded.sum(axis=0).tolist())
    assert len(board.model.patterns) == 0 and board.is_valid(state)
    end = deduce(board, "interval")
    assert ((end == UNKNOWN) | (end == state)).all()
    whole = [[64 * row + (col if row % 2 == 0 else 63 - col) for row in range(64) for col in range(64)]]
    snake = Thermometers(64, 64, whole, [64] * 20 + [10] + [0] * 43, [None] * 64)
    assert finishes(snake, "interval")
