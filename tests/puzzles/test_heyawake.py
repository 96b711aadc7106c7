"""Heyawake: bad input, the judge against a slower one, and span clauses against the judge."""

import dataclasses
import itertools

import numpy as np
import pytest
from boards_for_tests import blind_walls, board, every_state, pieces

from holdstill.core.grid import PuzzleError
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.layouts import grown, guillotine

TOUCHING, ROOMS, WHITE, SPANS = 1, 2, 4, 8


def into_rectangles(rows, cols, rng=None):
    """All cuts of a grid into rectangles, as rows of labels; with `rng`, one that is drawn choice by choice."""
    labels = np.full((rows, cols), -1)

    def cut(room):
        free = np.argwhere(labels < 0)
        if len(free) == 0:
            yield labels.tolist()
            return
        y, x = free[0]
        wide = 0
        while x + wide < cols and labels[y, x + wide] < 0:
            wide += 1
        choices = [(tall, w) for tall in range(1, rows - y + 1) for w in range(1, wide + 1)]
        if rng is not None:
            choices = [choices[rng.integers(len(choices))]]
        for tall, w in choices:
            labels[y : y + tall, x : x + w] = room
            yield from cut(room + 1)
            labels[y : y + tall, x : x + w] = -1

    return cut(0)


def bare(labels, walls=None):
    """A board with these rooms and no number."""
    rooms = max(map(max, labels)) + 1
    return Heyawake(len(labels), len(labels[0]), labels, [None] * rooms, walls)


def clauses_broken(one, states):
    """Which states leave some span window without a shaded cell, and how many windows there are."""
    flat, starts = one.span_windows
    windows = [flat[a:b] for a, b in itertools.pairwise(starts)]
    unshaded, broken = np.ascontiguousarray(states.T == 1), np.zeros(len(states), bool)
    for window in windows:
        broken |= np.logical_and.reduce(unshaded[window])
    return broken, len(windows)


def lines(one):
    """The cells of each row and each column."""
    cells = np.arange(one.rows * one.cols).reshape(one.rows, one.cols)
    return [line.tolist() for line in [*cells, *cells.T]]


def is_wall(one, a, b):
    flat = [room for row in one.rooms for room in row]
    return flat[a] != flat[b] or (a, b) in (one.walls or ())


def test_there_are_as_many_cuts_into_rectangles_as_a182275_says():
    counts = {size: sum(1 for _ in into_rectangles(*size)) for size in [(1, 4), (2, 2), (2, 3), (2, 4), (3, 3)]}
    assert counts == {(1, 4): 8, (2, 2): 8, (2, 3): 34, (2, 4): 148, (3, 3): 322}


@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 2), (1, 3), (1, 4), (4, 1), (2, 2), (2, 3), (3, 2), (2, 4), (3, 3)])
def test_span_clauses_say_what_the_judge_says_on_every_cut_into_rectangles(rows, cols):
    states = every_state(rows * cols)
    for labels in into_rectangles(rows, cols):
        check_spans(bare(labels), states)


def test_span_clauses_say_what_the_judge_says_on_cuts_of_4x4():
    rng, states, met = np.random.default_rng(61), every_state(16), set()
    for _ in range(200):
        labels = next(into_rectangles(4, 4, rng))
        met.add(str(labels))
        check_spans(bare(labels), states)
    assert len(met) > 150


def check_spans(one, states):
    """For rectangles: clauses <=> judge, and the closed form for their number."""
    assert one.rectangular
    broken, windows = clauses_broken(one, states)
    assert (broken == (one.broken(states) & SPANS > 0)).all(), one.rooms
    segments = [1 + sum(is_wall(one, a, b) for a, b in itertools.pairwise(line)) for line in lines(one)]
    assert windows == sum(max(0, k - 2) for k in segments), one.rooms


def test_span_clauses_say_what_the_judge_says_on_rooms_of_any_shape_and_blind_walls():
    states = {size: every_state(size[0] * size[1]) for size in [(3, 3), (2, 5), (3, 4), (4, 4)]}
    odd = walled = crossed = 0
    for number in range(240):
        rng = np.random.default_rng([62, number])
        size = list(states)[number % 4]
        labels = (guillotine if number % 3 == 0 else grown)(*size, rng)
        one = bare(labels.tolist(), blind_walls(labels, rng) if number % 2 else None)
        broken, windows = clauses_broken(one, states[size])
        assert (broken == (one.broken(states[size]) & SPANS > 0)).all(), (number, one)
        walls = [sum(is_wall(one, a, b) for a, b in itertools.pairwise(line)) for line in lines(one)]
        assert windows == sum(max(0, k - 1) for k in walls), (number, one)
        odd += not one.rectangular and one.walls is None
        walled += one.walls is not None
        crossed += broken.any()
    assert min(odd, walled) > 50 and crossed > 100


def test_a_window_runs_from_before_a_wall_to_after_the_next():
    one = Heyawake(1, 7, [[0, 0, 1, 1, 1, 1, 2]], [None] * 3, [(3, 4)])
    flat, starts = one.span_windows
    assert [flat[a:b].tolist() for a, b in itertools.pairwise(starts)] == [[1, 2, 3, 4], [3, 4, 5, 6]]


def slow_judge(one, state):
    """The rules a state breaks, read from the rooms and walls line by line."""
    shaded = [value == 2 for value in state]
    flat = [room for row in one.rooms for room in row]
    bits = 0
    for line in lines(one):
        if any(shaded[a] and shaded[b] for a, b in itertools.pairwise(line)):
            bits |= TOUCHING
        for first in range(len(line)):
            for last in range(first + 1, len(line)):
                run = line[first : last + 1]
                if not any(shaded[cell] for cell in run):
                    crossed = sum(is_wall(one, a, b) for a, b in itertools.pairwise(run))
                    bits |= SPANS * (crossed > 1)
    for room, clue in enumerate(one.clues):
        if clue is not None and clue != sum(shaded[cell] for cell in range(len(state)) if flat[cell] == room):
            bits |= ROOMS
    return bits | WHITE * (pieces(state, 1, one.cols) > 1)


def test_the_judge_agrees_with_a_slow_one():
    seen = set()
    for number in range(0, 2000, 11):
        one, rng = board(number), np.random.default_rng([63, number])
        check_judge(one, rng, seen)
    for number in range(60):
        rng = np.random.default_rng([64, number])
        rows, cols = rng.integers(1, 9, 2).tolist()
        labels = grown(rows, cols, rng) if number % 2 else guillotine(rows, cols, rng)
        rooms = int(labels.max()) + 1
        clues = [int(rng.integers(0, 2)) if rng.random() < 3 / rooms else None for _ in range(rooms)]
        if sum(clue or 0 for clue in clues) <= rows * cols // 2:
            check_judge(Heyawake(rows, cols, labels, clues, blind_walls(labels, rng, 0.1)), rng, seen)
    assert seen == set(range(16))


def check_judge(one, rng, seen):
    """Twelve random states, from nearly all unshaded to nearly all shaded, and the two extremes."""
    cells = one.rows * one.cols
    share = np.linspace(0.02, 0.9, 12)[:, None]
    states = np.where(rng.random((12, cells)) < share, 2, 1).astype(np.int8)
    states = np.concatenate([states, np.ones((1, cells), np.int8), np.full((1, cells), 2, np.int8)])
    expected = [slow_judge(one, state) for state in states.tolist()]
    assert one.broken(states).tolist() == expected, one
    assert [one.is_valid(state) for state in states] == [bits == 0 for bits in expected]
    seen.update(expected)


def test_an_undecided_state_is_not_valid_and_rules_can_be_left_out():
    one = Heyawake(1, 3, [[0, 1, 2]], [None, 1, None])
    assert one.is_valid([1, 2, 1], without=("white",)) and not one.is_valid([1, 2, 1])
    assert not one.is_valid([0, 2, 1], without=tuple(Heyawake.RULES))
    assert one.is_valid([2, 2, 2], without=("touching",))
    assert not one.is_valid([1, 1, 1], without=("spans",)) and one.is_valid([1, 1, 1], without=("spans", "rooms"))


GOOD = {"rows": 2, "cols": 3, "rooms": [[0, 0, 1], [0, 0, 1]], "clues": [2, None], "walls": [[0, 3]]}


@pytest.mark.parametrize(
    "change, told",
    [
        ({"rows": 65, "cols": 1}, "1 to 64 rows and columns, not 65x1"),
        ({"rows": 0}, "1 to 64 rows and columns, not 0x3"),
        ({"rows": 2.0}, "whole numbers, not 2.0"),
        ({"cols": True}, "whole numbers, not True"),
        ({"rooms": None}, "rooms must be 2 rows of 3 labels"),
        ({"rooms": [[0, 0, 1]]}, "rooms must be 2 rows of 3 labels"),
        ({"rooms": np.zeros((3, 2), int)}, "rooms must be 2 rows of 3 labels"),
        ({"rooms": [[0, 0, 1], [0, 0]]}, "rooms: row 2 must hold 3 labels"),
        ({"rooms": [[0, 0, 1], 7]}, "rooms: row 2 must hold 3 labels"),
        ({"rooms": [[0, 0, 1], [0, 0, -1]]}, "rooms: r2c3 has the label -1, not 0 to 5"),
        ({"rooms": [[0, 6, 1], [0, 0, 1]]}, "rooms: r1c2 has the label 6, not 0 to 5"),
        ({"rooms": np.array([[0, 10**12, 1], [0, 0, 1]])}, "r1c2 has the label 1000000000000,"),
        ({"rooms": [[0, True, 1], [0, 0, 1]]}, "r1c2 has the label True"),
        ({"rooms": [[0, 0, 1], [None, 0, 1]]}, "r2c1 has the label None"),
        ({"rooms": np.array([[0, 0, 1.5], [0, 0, 1]])}, "r1c1 has the label 0.0"),
        ({"rooms": [[0, 0, 2], [0, 0, 2]]}, "labelled 0 to 2, but room 1 has no cell"),
        ({"rooms": [[0, 1, 0], [0, 1, 0]]}, "room 0 is not connected: row 1, column 3 is cut off"),
        ({"rooms": [[0, 1, 1], [1, 0, 1]]}, "room 1 is not connected: row 2, column 1|room 0 is not connected: row 2"),
        ({"clues": None}, "clues must be a list of 2"),
        ({"clues": [2]}, "clues must be a list of 2"),
        ({"clues": [2, None, None]}, "clues must be a list of 2"),
        ({"clues": [5, None]}, "room 0 has 4 cells and the clue 5"),
        ({"clues": [None, 3]}, "room 1 has 2 cells and the clue 3"),
        ({"clues": [None, -1]}, "room 1 has the clue -1"),
        ({"clues": [True, None]}, "room 0 has the clue True"),
        ({"clues": [1.0, None]}, "room 0 has the clue 1.0"),
        ({"clues": ["2", None]}, "room 0 has the clue '2'"),
        ({"clues": [2, 2]}, "clues add up to 4, but at most 3"),
        ({"walls": 3}, "walls must be a list of pairs"),
        ({"walls": [3]}, "walls: 3 is not a pair"),
        ({"walls": [[0, 1, 2]]}, r"walls: \[0, 1, 2\] is not a pair"),
        ({"walls": [[0, "1"]]}, "is not a pair of cells"),
        ({"walls": [[True, 0]]}, "is not a pair of cells"),
        ({"walls": [[0, 0]]}, "walls: 0 and 0 are not edge-adjacent"),
        ({"walls": [[0, 2]]}, "walls: 0 and 2 are not edge-adjacent"),
        ({"walls": [[2, 3]]}, "walls: 2 and 3 are not edge-adjacent"),
        ({"walls": [[0, 4]]}, "walls: 0 and 4 are not edge-adjacent"),
        ({"walls": [[5, 6]]}, "walls: 5 and 6 are not edge-adjacent"),
        ({"walls": [[3, 6]]}, "walls: 3 and 6 are not edge-adjacent"),
        ({"walls": [[-1, 0]]}, "walls: -1 and 0 are not edge-adjacent"),
        ({"walls": [[-3, 0]]}, "walls: -3 and 0 are not edge-adjacent"),
    ],
)
def test_bad_input_is_named(change, told):
    assert Heyawake(**GOOD).walls == ((0, 3),)
    with pytest.raises(PuzzleError, match=told) as caught:
        Heyawake(**(GOOD | change))
    assert len(str(caught.value)) < 120 and "\n" not in str(caught.value)


def test_a_clue_sum_that_just_fits_is_taken():
    labels = [[0, 0, 0], [1, 1, 1], [2, 2, 2]]
    assert Heyawake(3, 3, labels, [2, 1, 2]).clues == (2, 1, 2)
    with pytest.raises(PuzzleError, match="add up to 6, but at most 5"):
        Heyawake(3, 3, labels, [2, 2, 2])


def test_what_is_stored():
    given = Heyawake(2, 3, np.array([[0, 0, 1], [0, 0, 1]]), [2, None], [[5, 2], (1, 0), [4, 3], [0, 1], [1, 2]])
    assert given.rooms == ((0, 0, 1), (0, 0, 1)) and given.clues == (2, None)
    # sorted, each once, and no wall where two rooms meet anyway
    assert given.walls == ((0, 1), (2, 5), (3, 4))
    assert given == Heyawake(2, 3, given.rooms, given.clues, given.walls) and hash(given) == hash(
        Heyawake(2, 3, [[0, 0, 1], [0, 0, 1]], (2, None), given.walls)
    )
    assert Heyawake(1, 2, [[0, 1]], [None, None], [[0, 1]]).walls is None
    assert Heyawake(1, 2, [[0, 1]], [None, None], []).walls is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        given.rows = 3


def test_where_the_walls_are():
    one = Heyawake(2, 3, [[0, 0, 1], [2, 2, 1]], [None] * 3, [(0, 1), (2, 5)])
    assert one.wall_right.tolist() == [[True, True], [False, True]]
    assert one.wall_below.tolist() == [[True, True, True]]
    assert not one.rectangular and Heyawake(2, 3, one.rooms, one.clues).rectangular
    assert not bare([[0, 0], [0, 1]]).rectangular and bare([[0]]).rectangular
    assert one.room_cells.flat.tolist() == [0, 1, 2, 5, 3, 4] and one.room_cells.starts.tolist() == [0, 2, 4, 6]


def test_walls_of_a_column_of_cells():
    one = Heyawake(4, 1, [[0]] * 4, [None], [(0, 1), (2, 3)])
    assert one.wall_below.ravel().tolist() == [True, False, True] and one.wall_right.shape == (4, 0)
    assert one.span_windows.flat.tolist() == [0, 1, 2, 3]


def test_the_rungs_hold_the_rules_they_say():
    rules = set(Heyawake.RULES)
    assert set(Heyawake.RUNGS["local"].rules) == rules - {"spans"}
    assert set(Heyawake.RUNGS["spans"].rules) == set(Heyawake.RUNGS["probe"].rules) == rules
    assert [rung for rung, one in Heyawake.RUNGS.items() if one.probing] == ["probe"]


def test_a_board_of_64_by_64_compiles():
    one = bare(grown(64, 64, np.random.default_rng(65)).tolist())
    touching, spans = 2 * 64 * 63, len(one.span_windows.starts) - 1
    assert spans > 2000 and len(one.model.kind) == touching + spans + 1
