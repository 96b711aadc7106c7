"""Tapa: ring patterns, the judge against a slower one, rules against the judge, rungs, bad input, generator."""

import dataclasses
import itertools
import re
from collections import Counter

import numpy as np
import pytest
from boards_for_tests import agreed, as_set, by_sat, every_state, held_to_answers, pieces
from hypothesis import given, settings
from hypothesis import strategies as st

from holdstill.core.brute import answers
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, PuzzleError
from holdstill.core.ladder import deduce, explain, finishes
from holdstill.core.search import search
from holdstill.lab.studies.tapa import (
    FIXTURES,
    clue_of,
    clues_with_unknowns,
    contained,
    counters_row,
    small_board,
)
from holdstill.puzzles.rings import RING, patterns, ring_table, rings, runs
from holdstill.puzzles.tapa import Tapa, generate

RUNGS = tuple(Tapa.RUNGS)
RULES = tuple(Tapa.RULES)
CLUES, SQUARE, TOTALS, RINGS, WALL = (1 << bit for bit in range(5))
SETTINGS = settings(derandomize=True, max_examples=300, deadline=None)
# Which of the eight cells round a cell are on the grid, for every kind of place: inside, sides, corners, thin boards.
SHAPES = sorted({int(shape) for size in itertools.product((1, 2, 3), repeat=2) for shape in rings(*size)[1]})


def slow_runs(mask):
    """The runs of a ring by text: the ring twice over, cut at a gap, split at gaps."""
    ring = "".join("#" if mask >> i & 1 else "." for i in range(8))
    if "." not in ring:
        return [8]
    gap = ring.index(".")
    return sorted(map(len, re.findall("#+", ring[gap:] + ring[:gap]))) or [0]


def slow_meets(clue, found, positive):
    """Does some order of the runs found equal the clue, "?" standing for any positive run?"""
    if clue == ("?",) and found == [0]:
        return not positive
    return any(
        len(order) == len(clue) and all(run == n or (run == "?" and n > 0) for run, n in zip(clue, order, strict=True))
        for order in itertools.permutations(found)
    )


def expanded(pattern, shape):
    """The ring of eight that a pattern over the cells on the grid stands for."""
    there = [i for i in range(8) if shape >> i & 1]
    return sum((pattern >> at & 1) << i for at, i in enumerate(there))


def test_a_ring_has_256_patterns_23_clues_and_9_totals():
    table = ring_table()
    assert sum(map(len, table.values())) == 256 and len(table) == 23
    assert len({sum(clue) for clue in table}) == 9
    relaxed = Counter(pattern.bit_count() for pattern in range(256))
    sizes = {clue: (len(table[clue]), relaxed[sum(clue)]) for clue in table}
    assert [sizes[clue] for clue in [(4,), (2, 2), (3, 1), (1, 1, 1, 1)]] == [(8, 70), (12, 70), (24, 70), (2, 70)]
    assert sum(size for size, _ in sizes.values()) == 256 and sum(size for _, size in sizes.values()) == 984


def test_the_shapes_of_rings():
    assert len(SHAPES) == 16 and Counter(shape.bit_count() for shape in SHAPES) == {0: 1, 1: 4, 2: 2, 3: 4, 5: 4, 8: 1}
    around, shapes = rings(3, 4)
    for cell in range(12):
        y, x = divmod(cell, 4)
        there = [(y + dy, x + dx) for dy, dx in RING if 0 <= y + dy < 3 and 0 <= x + dx < 4]
        assert around.flat[around.starts[cell] : around.starts[cell + 1]].tolist() == [4 * a + b for a, b in there]
        assert int(shapes[cell]).bit_count() == len(there)
    # cyclic: each is one step from the one before
    assert all(abs(a - c) + abs(b - d) == 1 for (a, b), (c, d) in zip(RING, RING[1:] + RING[:1], strict=True))


@pytest.mark.parametrize("mask", range(256))
def test_runs(mask):
    assert sorted(runs(mask)) == slow_runs(mask) and list(runs(mask)) == sorted(runs(mask), reverse=True)


@pytest.mark.parametrize("shape", SHAPES)
def test_patterns_are_those_that_meet_the_clue(shape):
    every = range(1 << shape.bit_count())
    assert sorted(itertools.chain(*ring_table(shape).values())) == list(every)
    for clue, positive in itertools.product(clues_with_unknowns(), (False, True)):
        expected = [one for one in every if slow_meets(clue, slow_runs(expanded(one, shape)), positive)]
        assert sorted(patterns(shape, clue, positive)) == expected, (shape, clue)
        assert sorted(patterns(shape, clue[::-1], positive)) == expected


def test_the_clues_with_unknowns_are_all_that_some_ring_meets():
    every = [clue for n in range(1, 5) for clue in itertools.product([*range(9), "?"], repeat=n)]
    met = {tuple(sorted(map(str, clue))) for clue in every if patterns(255, clue)}
    assert {tuple(sorted(map(str, clue))) for clue in clues_with_unknowns()} == met and len(met) == 42
    for clue in every:
        try:
            board = Tapa(3, 3, [[None] * 3, [None, clue, None], [None] * 3])
        except PuzzleError:
            assert not patterns(255, clue)
        else:
            assert patterns(255, clue) and board.clues[1][1] == clue


def test_count_is_contained_in_rings():
    """Proof by exhaustion: every partial ring of every clue, clipped rings and "?" included."""
    total = Counter()
    for shape in SHAPES:
        if shape:
            for clue, positive in itertools.product(clues_with_unknowns(), (False, True)):
                if clue == ("?",) or not positive:
                    total += Counter(contained(clue, shape, positive))
    assert total["rings"] == 43 * (3**8 + 4 * 3**5 + 4 * 3**3 + 2 * 3**2 + 4 * 3)
    assert total["missed"] == 0 and total["ahead"] > 100_000


def test_the_proof_sees_what_a_slow_reading_of_both_rules_sees():
    for clue in [(1, 1), (2,), (3, 1), ("?", 1), (0,), (1, 1, 1)]:
        shape, cells = 0b11111000, 5
        fits = [[bool(one >> i & 1) for i in range(cells)] for one in patterns(shape, clue)]
        numbers, unknown = sum(run for run in clue if run != "?"), clue.count("?")
        most = 8 - len(clue) if unknown else numbers
        sums = [one for one in itertools.product((False, True), repeat=cells) if numbers + unknown <= sum(one) <= most]
        ahead = 0
        for partial in itertools.product((None, False, True), repeat=cells):
            both = []
            for allowed in (sums, fits):
                left = [one for one in allowed if all(p in (None, v) for p, v in zip(partial, one, strict=True))]
                both.append([{one[i] for one in left} for i in range(cells)] if left else None)
            by_total, by_ring = both
            if by_ring is None:
                ahead += by_total is not None
            else:
                assert by_total is not None
                assert all(len(ring) == 1 or len(total) == 2 for total, ring in zip(by_total, by_ring, strict=True))
                ahead += by_total != by_ring
        assert contained(clue, shape) == {"rings": 243, "missed": 0, "ahead": ahead}, clue


def slow_judge(board, state):
    """The rules that a state breaks, read from the text of the board."""
    grid = np.array(state).reshape(board.rows, board.cols) == SHADED
    bits = 0
    if (grid[1:, 1:] & grid[1:, :-1] & grid[:-1, 1:] & grid[:-1, :-1]).any():
        bits |= SQUARE
    padded = np.pad(grid, 1)
    for y, x in itertools.product(range(board.rows), range(board.cols)):
        clue = board.clues[y][x]
        if clue is None:
            continue
        found = slow_runs(sum(int(padded[y + 1 + dy, x + 1 + dx]) << i for i, (dy, dx) in enumerate(RING)))
        bits |= CLUES * grid[y, x] | RINGS * (not slow_meets(clue, found, board.positive))
        numbers, unknown = sum(run for run in clue if run != "?"), clue.count("?")
        if clue == ("?",):
            fits = sum(found) >= board.positive
        else:
            fits = numbers + unknown <= sum(found) <= (8 - len(clue) if unknown else numbers)
        bits |= TOTALS * (not fits)
    return int(bits) | WALL * (pieces(state, SHADED, board.cols) > 1)


def test_the_judge_agrees_with_a_slow_one():
    seen = set()
    for number in range(300):
        rng = np.random.default_rng([81, number])
        board = small_board(rng)
        if number % 3 == 0:
            rows, cols = rng.integers(1, 9, 2).tolist()
            board = generate(rows, cols, rng, fill=0.3).board
        cells = board.rows * board.cols
        states = np.where(rng.random((12, cells)) < np.linspace(0.02, 0.9, 12)[:, None], 2, 1).astype(np.int8)
        found = search(board, 2).answers
        states = np.concatenate([states, np.ones((1, cells), np.int8), np.full((1, cells), 2, np.int8), found])
        expected = [slow_judge(board, state) for state in states.tolist()]
        assert board.broken(states).tolist() == expected, board
        assert [board.is_valid(state) for state in states] == [bits == 0 for bits in expected]
        assert expected[len(expected) - len(found) :] == [0] * len(found)
        seen.update(expected)
    assert len(seen) > 15


def test_an_undecided_state_is_not_valid_and_rules_can_be_left_out():
    board = Tapa(1, 3, [[None, [1, 1], None]])
    assert not board.is_valid([2, 1, 2]) and board.is_valid([2, 1, 2], without=("wall",))
    assert not board.is_valid([2, 0, 2], without=RULES)
    assert not board.is_valid([2, 1, 1], without=("rings",)) and board.is_valid([2, 1, 1], without=("rings", "totals"))


@pytest.fixture(scope="module")
def solved():
    """Small boards with all their answers by brute force."""
    boards = [small_board(np.random.default_rng([82, number])) for number in range(400)]
    return [(board, answers(board)) for board in boards]


def test_the_boards_differ_in_kind(solved):
    counts = Counter(min(len(found), 2) for _, found in solved)
    assert min(counts[0], counts[1], counts[2]) >= 60, counts
    assert {board.rows for board, _ in solved} == {1, 2, 3, 4}
    clues = [clue for board, _ in solved for row in board.clues for clue in row if clue]
    assert {len(clue) for clue in clues} == {1, 2, 3, 4} and {run for clue in clues for run in clue} >= {"?", 0, 5}
    assert 20 < sum(board.positive for board, _ in solved) < 200


def test_every_rule_says_what_the_judge_says(solved):
    subsets = [rules for n in (1, 4) for rules in itertools.combinations(RULES, n)]
    for board, _ in solved[::2]:
        if board.rows * board.cols <= 12:
            broken = board.broken(every_state(board.rows * board.cols))
            for rules in subsets:
                bits = sum(1 << RULES.index(rule) for rule in rules)
                found = search(board, 5000, rules=rules)
                expected = every_state(board.rows * board.cols)[broken & bits == 0]
                assert found.complete and as_set(found.answers) == as_set(expected), (board, rules)


def test_sat_finds_the_answers_of_brute_force(solved):
    for board, expected in solved:
        found = by_sat(board)
        assert len(found) == len(expected) and as_set(found) == as_set(expected), board


@pytest.mark.parametrize("rung", RUNGS)
def test_search_over_a_rung_finds_the_answers_of_brute_force(solved, rung):
    finished = 0
    for board, expected in solved:
        found = search(board, len(expected) + 1, rung=rung)
        assert found.complete and as_set(found.answers) == as_set(expected), board
        if finishes(board, rung):
            finished += 1
            assert len(expected) == 1 and (deduce(board, rung) == expected[0]).all(), board
    assert finished > 30


@SETTINGS
@given(st.integers(0, 1 << 32))
def test_four_counters_agree(seed):
    row = counters_row(np.random.default_rng(seed))
    assert row["agree"] and not row["second"]


@pytest.mark.parametrize("rung", RUNGS)
def test_no_rung_fixes_a_cell_that_an_answer_denies(solved, rung):
    fixed, refuted = held_to_answers(solved, rung, 83)
    assert fixed > 500 and refuted > 30


def starts(board, expected, rng):
    """Nothing decided, a random partial state, and a fifth of an answer where there is one."""
    cells = board.rows * board.cols
    nothing, anything = np.zeros(cells, np.int8), rng.choice(np.array([0, 0, 0, 1, 2], np.int8), cells)
    reached = [np.where(rng.random(cells) < 0.2, one, UNKNOWN).astype(np.int8) for one in expected[:1]]
    return [nothing, anything, *reached]


def test_each_rung_contains_the_one_before(solved):
    grew = Counter()
    for number, (board, expected) in enumerate(solved):
        for state in starts(board, expected, np.random.default_rng([84, number])):
            for weak, strong in itertools.pairwise(RUNGS):
                before, after = deduce(board, weak, state), deduce(board, strong, state)
                if before is None:
                    assert after is None, (board, state)
                elif after is None:
                    grew[strong] += 1
                else:
                    known = before != UNKNOWN
                    assert (after[known] == before[known]).all(), (board, state)
                    grew[strong] += (after != UNKNOWN).sum() > known.sum()
    assert min(grew[rung] for rung in RUNGS[1:]) > 20, grew


def test_the_rungs_hold_the_rules_they_say():
    said = {rung: set(one.rules) for rung, one in Tapa.RUNGS.items()}
    assert said["count"] == set(RULES) - {"rings"} and said["rings"] == said["probe"] == set(RULES) - {"totals"}
    assert [rung for rung, one in Tapa.RUNGS.items() if one.probing] == ["probe"]


def finishers(board):
    return [rung for rung in RUNGS if finishes(board, rung)]


def test_the_fixtures_are_what_they_are_called():
    count = {name: len(answers(board)) for name, board in FIXTURES.items()}
    unique = ("unique", "needs_probing", "beyond_probing")
    assert count == {name: int(name in unique) for name in FIXTURES}
    for name, board in FIXTURES.items():
        assert {rung: search(board, 9, rung=rung).count for rung in RUNGS} == dict.fromkeys(RUNGS, count[name])
    assert finishers(FIXTURES["unique"]) == ["rings", "probe"]
    assert deduce(FIXTURES["dies_locally"], "rings") is None and deduce(FIXTURES["dies_locally"], "count") is not None
    assert [step.text for step in explain(FIXTURES["dies_locally"], "rings")][1:] == [
        "contradiction: ring of r1c1 (1 1 1)"
    ]
    assert deduce(FIXTURES["dies_globally"], "rings") is not None
    assert deduce(FIXTURES["dies_globally"], "probe") is None
    assert finishers(FIXTURES["needs_probing"]) == ["probe"]


def test_three_singletons_fit_an_arc_of_five_and_no_arc_of_three():
    assert len(patterns(0b11111000, (1, 1, 1))) == 1 and patterns(0b111000, (1, 1, 1)) == ()


def test_a_unique_board_of_which_probing_decides_nothing():
    board = FIXTURES["beyond_probing"]
    assert board.clues[0][0] == (1,) and board.clues[1][2] == (3, 1)
    state = deduce(board, "probe")
    assert (state == UNKNOWN).sum() == 14 and np.flatnonzero(state).tolist() == board.clue_cells.tolist() == [0, 6]
    assert finishers(board) == [] and len(answers(board)) == 1


def replay(board, rung, start):
    """Every step of an explanation follows from its places alone, and together they give the fixpoint."""
    state = start.copy()
    steps = explain(board, rung, start)
    for step in steps:
        assert (state[list(step.cells)] == UNKNOWN).all(), step
        if step.rule == "probe":
            opposite = state.copy()
            opposite[step.cells[0]] = 3 - step.value
            assert deduce(board, "rings", opposite) is None, step
        elif step.rule in ("rings", "square"):
            cells = list(step.places)
            states = every_state(len(cells))
            whole = np.full((len(states), len(state)), UNSHADED, np.int8)
            whole[:, cells] = states
            fits = (board.broken(whole) & (RINGS if step.rule == "rings" else SQUARE)) == 0
            if step.rule == "rings":  # of this ring alone
                y, x = (int(n) - 1 for n in re.search(r"ring of r(\d+)c(\d+)", step.text).groups())
                one = {y * board.cols + x: board.clues[y][x]}
                alone = [[one.get(a * board.cols + b) for b in range(board.cols)] for a in range(board.rows)]
                fits = (Tapa(board.rows, board.cols, alone, board.positive).broken(whole) & RINGS) == 0
            known = agreed(states[fits], state[cells])
            if step.cells:
                assert all(known[cells.index(cell)] == step.value for cell in step.cells), step
            else:
                assert known is None, step
        state[list(step.cells)] = step.value
    expected = deduce(board, rung, start)
    assert (expected is None) == bool(steps and not steps[-1].cells)
    assert expected is None or (state == expected).all()
    return steps


def test_steps_replayed_give_the_fixpoint_and_follow_from_what_they_cite(solved):
    fired = Counter()
    for number, (board, expected) in enumerate(solved):
        for state in starts(board, expected, np.random.default_rng([85, number])):
            for rung in RUNGS:
                for step in replay(board, rung, state):
                    fired[step.rule if step.cells else "contradiction"] += 1
    assert set(fired) == {*RULES, "probe", "contradiction"} and min(fired.values()) > 20, fired


def test_a_board_told_step_by_step():
    said = [step.text for step in explain(FIXTURES["needs_probing"], "probe")]
    assert said == [
        "row 2, column 3 is unshaded: no clue is shaded",
        "row 1, column 3 is unshaded: the opposite breaks a rule: ring of r2c3 (1 1)",
        "row 2, column 2 is unshaded: the opposite breaks a rule: the wall stays connected",
        "row 1, column 2 is shaded: ring of r2c3 (1 1)",
        "row 3, column 1 is shaded: the opposite breaks a rule: ring of r2c3 (1 1)",
        "rows 1 to 2, column 1 are shaded: the wall stays connected",
        "row 3, column 2 is shaded: the opposite breaks a rule: the wall stays connected",
        "row 3, column 3 is unshaded: ring of r2c3 (1 1)",
    ]
    board = Tapa(3, 3, [[[3], None, None], [None] * 3, [None, None, ["?", 1]]])
    assert [step.text for step in explain(board, "count")][1:] == [
        "r1c2 r2c1 r2c2 are shaded: total of r1c1 (3)",
    ]
    start = np.array([1, 2, 2, 0, 2, 0, 0, 0, 1], np.int8)
    assert [step.text for step in explain(board, "rings", start)] == [
        "row 2, column 3 is unshaded: 2x2 at r1c2",
        "row 2, column 1 is shaded: ring of r1c1 (3)",
        "contradiction: ring of r3c3 (? 1)",
    ]


GOOD = {"rows": 3, "cols": 3, "clues": [[None, [1, 1], None], [None] * 3, [["?"], None, None]], "positive": True}


def clued(clue, cell=4):
    return {"clues": [[clue if 3 * y + x == cell else None for x in range(3)] for y in range(3)]}


@pytest.mark.parametrize(
    "change, told",
    [
        ({"rows": 65, "cols": 1}, "1 to 64 rows and columns, not 65x1"),
        ({"rows": 0}, "1 to 64 rows and columns, not 0x3"),
        ({"rows": 2.0}, "whole numbers, not 2.0"),
        ({"cols": True}, "whole numbers, not True"),
        ({"rows": 2}, "clues must be 2 rows of 3"),
        ({"cols": 2}, "clues: row 1 must hold 2"),
        ({"clues": None}, "clues must be 3 rows of 3"),
        ({"clues": [[None] * 3, 7, [None] * 3]}, "clues: row 2 must hold 3"),
        ({"clues": [[None] * 3, [None] * 2, [None] * 3]}, "clues: row 2 must hold 3"),
        ({"positive": 1}, "positive is true or false, not 1"),
        (clued(3), "r2c2 has the clue 3, neither null nor a list of 1 to 4 runs"),
        (clued("?"), "r2c2 has the clue '[?]', neither null"),
        (clued([]), r"r2c2 has the clue \[\], neither null nor a list"),
        (clued([1, 1, 1, 1, 1]), r"r2c2 has the clue \[1, 1, 1, 1, 1\], neither"),
        (clued({}), "r2c2 has the clue {}, neither"),
        (clued([9]), 'r2c2 has the run 9, neither 0 to 8 nor "[?]"'),
        (clued([-1]), "r2c2 has the run -1, neither"),
        (clued([True]), "r2c2 has the run True, neither"),
        (clued([1.0]), "r2c2 has the run 1.0, neither"),
        (clued(["1"]), "r2c2 has the run '1', neither"),
        (clued([None]), "r2c2 has the run None, neither"),
        (clued([[1]]), r"r2c2 has the run \[1\], neither"),
        (clued([1, 0]), "r2c2 has the clue 1 0, but 0 stands alone"),
        (clued([4, 3]), "r2c2 has the clue 4 3, which no ring of 8 cells meets"),
        (clued([5, "?", 1]), "r2c2 has the clue 5 [?] 1, which no ring of 8 cells meets"),
        (clued([2, 1, 1, 1]), "r2c2 has the clue 2 1 1 1, which no ring of 8 cells meets"),
        (clued([4], cell=0), "r1c1 has the clue 4, which adds up to 4, in a ring of 3"),
        (clued([6], cell=5), "r2c3 has the clue 6, which adds up to 6, in a ring of 5"),
        (clued([4, 2], cell=7), "r3c2 has the clue 4 2, which adds up to 6, in a ring of 5"),
        (clued([1, 1, "?", "?"], cell=8), "r3c3 has the clue 1 1 [?] [?], which adds up to 4, in a ring of 3"),
        ({"rows": 1, "cols": 1, "clues": [[[1]]]}, "r1c1 has the clue 1, which adds up to 1, in a ring of 0"),
        ({"rows": 1, "clues": [[None, None, [2]]]}, "r1c3 has the clue 2, which adds up to 2, in a ring of 1"),
    ],
)
def test_bad_input_is_named(change, told):
    assert Tapa(**GOOD).positive
    with pytest.raises(PuzzleError, match=told) as caught:
        Tapa(**(GOOD | change))
    assert len(str(caught.value)) < 120 and "\n" not in str(caught.value)


def test_what_is_stored():
    board = Tapa(np.int64(3), np.int32(3), **{**clued([1, "?", 3]), "positive": True})
    assert board.clues == ((None,) * 3, (None, (1, "?", 3), None), (None,) * 3)
    # in the order given, and what asks nothing of any clue is not kept
    assert board == Tapa(3, 3, clued((1, "?", 3))["clues"]) and not board.positive and type(board.rows) is int
    assert board != Tapa(3, 3, clued((3, "?", 1))["clues"]) and hash(board) == hash(dataclasses.replace(board))
    assert Tapa(1, 1, [[["?"]]], positive=True).positive
    with pytest.raises(dataclasses.FrozenInstanceError):
        board.rows = 2


def test_a_lone_question_mark_may_be_an_empty_ring_unless_told_otherwise():
    free, positive = (Tapa(2, 2, [[["?"], None], [None, [0]]], positive=positive) for positive in (False, True))
    assert len(answers(free)) == search(free, 9).count == 1 and len(answers(positive)) == search(positive, 9).count == 0
    free, positive = (Tapa(1, 2, [[["?"], None]], positive=positive) for positive in (False, True))
    assert answers(free).tolist() == [[1, 1], [1, 2]] and answers(positive).tolist() == [[1, 2]]


def test_odd_boards():
    assert answers(Tapa(1, 1, [[None]])).tolist() == [[1], [2]]
    for clue in ([0], ["?"]):
        assert finishers(Tapa(1, 1, [[clue]])) == list(RUNGS)
    assert search(Tapa(1, 1, [[["?"]]], positive=True), 2).count == 0
    assert search(Tapa(2, 2, [[[0]] * 2] * 2), 2).count == 1 and search(Tapa(2, 2, [[[1]] * 2] * 2), 2).count == 0
    for rows, cols in [(1, 6), (6, 1), (3, 3)]:
        blank = Tapa(rows, cols, [[None] * cols] * rows)
        assert search(blank, 5000).count == len(answers(blank)) > 6
        assert len(blank.clue_cells) == 0 and len(explain(blank, "probe")) == 0
    assert len(answers(Tapa(1, 6, [[None] * 6]))) == 1 + 6 * 7 // 2  # a wall on a line is one stretch, or nothing


def test_boards_of_64_by_64():
    state = np.full((64, 64), UNSHADED, np.int8)
    state[::2], state[:, 0] = SHADED, SHADED  # a comb
    clues = [[None] * 64 for _ in range(64)]
    for y, x in np.argwhere(state == UNSHADED).tolist():
        clues[y][x] = clue_of(state.ravel(), 64, 64, 64 * y + x)
    board = Tapa(64, 64, clues)
    assert finishes(board, "rings") and (deduce(board, "count") == state.ravel()).all()
    blank = Tapa(64, 64, [[None] * 64] * 64)
    assert len(blank.model.kind) == 1 + 63 * 63 + 1 and (deduce(blank, "rings") == UNKNOWN).all()
    full = Tapa(64, 64, [[["?"]] * 64] * 64)
    assert finishes(full, "count") and not finishes(dataclasses.replace(full, positive=True), "count")
    assert deduce(dataclasses.replace(full, positive=True), "rings") is None


def less(board):
    """The board without each of its clues in turn."""
    for cell in board.clue_cells.tolist():
        clues = [list(row) for row in board.clues]
        clues[cell // board.cols][cell % board.cols] = None
        yield Tapa(board.rows, board.cols, clues)


@pytest.mark.parametrize("fill", [0.2, 0.44, 1.0])
@pytest.mark.parametrize("rows, cols", [(3, 3), (4, 4), (5, 5), (6, 6), (4, 7), (1, 5)])
def test_no_clue_of_a_board_carved_by_the_solver_can_go(rows, cols, fill):
    tried = 0
    for seed in range(10):
        made = generate(rows, cols, np.random.default_rng([86, seed]), fill=min(fill, 0.5) if rows == 1 else fill)
        found = search(made.board, 2)
        assert found.complete and found.count == 1, (seed, made.board)
        assert (found.answers[0] == made.answer).all() and made.board.is_valid(made.answer), (seed, made.board)
        for weaker in less(made.board):
            tried += 1
            assert search(weaker, 2).count == 2, (seed, made.board, weaker.clues)
    assert tried >= 10


@pytest.mark.parametrize("rung", RUNGS)
def test_no_clue_of_a_board_carved_against_a_rung_can_go(rung):
    tried = 0
    for seed in range(20):
        made = generate(*[(4, 4), (5, 6), (7, 7)][seed % 3], np.random.default_rng([87, seed]), rung=rung)
        assert finishes(made.board, rung) and (deduce(made.board, rung) == made.answer).all(), (seed, made.board)
        for weaker in less(made.board):
            tried += 1
            assert not finishes(weaker, rung), (seed, made.board, weaker.clues)
    assert tried > 60


def test_the_clues_are_those_of_the_answer_and_the_wall_fills_its_share():
    for seed in range(40):
        rows, cols, fill = 3 + seed % 5, 8 - seed % 4, 0.1 + 0.02 * seed
        made = generate(rows, cols, np.random.default_rng([88, seed]), fill=fill)
        for cell in made.board.clue_cells.tolist():
            assert made.board.clues[cell // cols][cell % cols] == clue_of(made.answer, rows, cols, cell)
        wall = (made.answer == SHADED).sum()
        assert wall <= round(fill * rows * cols) and (wall == round(fill * rows * cols) or fill > 0.55), (seed, wall)
        assert made.rejected == 0  # a wall with every clue round it is unique: all totals are spoken for


def test_a_board_depends_on_its_seed_alone():
    def made(seed, rung=None, **options):
        one = generate(6, 6, np.random.default_rng(seed), rung=rung, **options)
        return one.board, one.answer.tolist(), one.rejected

    first = [made(seed, rung) for seed in range(8) for rung in (None, *RUNGS)]
    assert [made(seed, rung) for seed in reversed(range(8)) for rung in reversed((None, *RUNGS))][::-1] == first
    assert len({board for board, *_ in first}) > 20
    assert made(3, fill=0.3) != made(3) == made(3, fill=0.44)


@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 2), (1, 9), (8, 1), (2, 2), (2, 9), (12, 12), (20, 3)])
@pytest.mark.parametrize("rung", [None, "count", "probe"])
def test_boards_of_every_size_are_made(rows, cols, rung):
    made = generate(rows, cols, np.random.default_rng(89), rung=rung)
    assert (made.board.rows, made.board.cols, made.answer.shape) == (rows, cols, (rows * cols,))
    assert search(made.board, 2).count == 1 and made.board.is_valid(made.answer)
    assert rung is None or finishes(made.board, rung)


@pytest.mark.parametrize(
    "size, options, told",
    [
        ((0, 3), {}, "1 to 64 rows and columns, not 0x3"),
        ((65, 1), {}, "not 65x1"),
        ((4, 4), {"rung": "hard"}, "tapa has no rung 'hard', only count, rings, probe"),
        ((4, 4), {"fill": 1.5}, "fill is a share from 0 to 1, not 1.5"),
        ((4, 4), {"fill": float("nan")}, "fill is a share from 0 to 1, not nan"),
        ((1, 1), {"fill": 1}, "no 1x1 board in 1000 tries: with every clue they were not unique"),
        ((1, 1), {"fill": 1, "rung": "rings", "tries": 3}, "no 1x1 board in 3 tries: .* were not finished by rings"),
    ],
)
def test_bad_requests_are_named(size, options, told):
    with pytest.raises(PuzzleError, match=told):
        generate(*size, np.random.default_rng(0), **options)
