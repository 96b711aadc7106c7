"""Araf: the judge, three engines against each other, the screens and the catalogue, the rungs, the generator."""

from collections import Counter
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from araf_boards import araf_board
from exact_cover import as_masks, exact_covers
from hypothesis import given, settings
from hypothesis import strategies as st

from holdstill.core.grid import PuzzleError
from holdstill.counting.shapes import cells_of
from holdstill.puzzles.araf import MOST, READINGS, Araf, generate
from holdstill.puzzles.araf_rooms import catalogue, near_enough, path_exists, sizes_fit
from holdstill.puzzles.araf_rungs import deduce, explain, finishes
from holdstill.puzzles.araf_search import search
from holdstill.puzzles.araf_unscreened import answers_unscreened
from holdstill.puzzles.engines import engine
from holdstill.puzzles.grade import grade
from holdstill.puzzles.layouts import small_rooms

LIMIT = 500
# a 6x6 board of three rooms, one of 22 to 27 cells: about ten million rooms are possible
LARGE = Araf(
    6,
    6,
    [
        [None, None, 3, None, None, None],
        [None, 3, None, None, None, None],
        [3, None, None, None, None, None],
        [None] * 6,
        [28, None, None, None, None, 8],
        [None, None, None, 8, None, None],
    ],
)


def legal(size, first, second, reading):
    """The rule, in other words than the library's."""
    if "?" in (first, second):
        return reading == "inclusive" or size not in (first, second)
    between = range(min(first, second) + 1, max(first, second))
    return size in between or (reading == "inclusive" and size in (first, second))


def graph(board, reading):
    lattice = nx.grid_2d_graph(board.rows, board.cols)
    if reading == "corner":
        lattice = nx.strong_product(nx.path_graph(board.rows), nx.path_graph(board.cols))
    return nx.relabel_nodes(lattice, {(y, x): y * board.cols + x for y, x in lattice})


def number_at(board):
    return {cell: board.numbers[cell // board.cols][cell % board.cols] for cell in board.at}


def as_set(answers):
    return {answer.tobytes() for answer in np.ascontiguousarray(answers, np.int32)}


@pytest.mark.parametrize(
    "numbers, labels, broken",
    [
        ([[1, 3], [1, 3]], [1, 1, 2, 2], set()),
        ([[1, 3], [1, 3]], [1, 2, 1, 2], {"size"}),
        ([[1, 3], [1, 3]], [1, 2, 2, 1], {"whole"}),
        ([[1, 3], [1, 3]], [1, 1, 1, 1], {"two"}),
        ([[2, 3], [1, 3]], [1, 1, 2, 2], {"size"}),
        ([[1, 2], [1, 3]], [1, 1, 2, 2], {"size"}),
        ([[2, 2], [1, 3]], [1, 1, 2, 2], {"size"}),
        ([[2, "?"], [1, 3]], [1, 1, 2, 2], {"size"}),
        ([[3, "?"], [1, "?"]], [1, 1, 2, 2], set()),
        ([["?", "?"], [3, 0]], [1, 1, 2, 2], set()),
        ([[1, 3], [None, None]], [1, 1, 2, 2], {"two"}),
    ],
)
def test_the_judge_by_hand(numbers, labels, broken):
    board = Araf(2, 2, numbers)
    bits = int(board.broken(np.array([labels], np.int32))[0])
    assert {rule for i, rule in enumerate(board.RULES) if bits >> i & 1} == broken
    assert board.is_valid(labels) == (not broken)


def test_readings_by_hand():
    equal, corner = Araf(2, 2, [[2, 2], [1, 3]]), Araf(2, 2, [[1, 1], [3, 3]])
    assert [equal.is_valid([1, 1, 2, 2], reading) for reading in READINGS] == [False, True, False]
    assert [corner.is_valid([1, 2, 2, 1], reading) for reading in READINGS] == [False, False, True]
    assert [search(corner, 9, reading=reading).count for reading in READINGS] == [1, 1, 2]
    with pytest.raises(PuzzleError, match="a reading of araf is one of strict, inclusive, corner, not 'loose'"):
        corner.is_valid([1, 2, 2, 1], "loose")


def test_the_judge_agrees_with_networkx():
    rng, seen = np.random.default_rng(3), Counter()
    for number in range(300):
        board = araf_board(number)
        labels = small_rooms(board.rows, board.cols, rng, largest=8).ravel() + 1
        if number % 2:
            labels = answers_unscreened(board, 1).ravel() if len(answers_unscreened(board, 1)) else labels
        for reading in READINGS:
            lattice, at = graph(board, reading), number_at(board)
            right = True
            for room in set(labels.tolist()):
                cells = np.flatnonzero(labels == room).tolist()
                held = [at[cell] for cell in cells if cell in at]
                right &= nx.is_connected(lattice.subgraph(cells)) and len(held) == 2
                right = right and legal(len(cells), *held, reading)
            assert board.is_valid(labels, reading) == right, (number, reading)
            seen[reading, right] += 1
    assert min(seen[reading, right] for reading in READINGS for right in (False, True)) > 50, seen


@pytest.mark.parametrize("reading", READINGS)
def test_the_search_agrees_with_the_engine_without_screens(reading):
    """Both list the same answers on 500 boards; where there are hundreds, all that are listed are answers."""
    counts = Counter()
    for number in range(500):
        board = araf_board(number)
        found, plain = search(board, LIMIT, reading=reading), answers_unscreened(board, LIMIT, reading)
        assert found.complete and found.count == len(found.answers) == len(plain), (number, board)
        assert len(as_set(found.answers)) == found.count
        assert all(board.is_valid(answer, reading) for answer in found.answers)
        if found.count < LIMIT:
            assert as_set(found.answers) == as_set(plain), (number, board)
        counts[min(found.count, 2)] += 1
    assert min(counts[0], counts[1], counts[2]) >= 60, counts


@pytest.mark.parametrize("size", [6, 7, 8])
def test_the_search_agrees_with_exact_covers_on_larger_boards(size):
    """Tight boards, unique or not, and wider and wider ones around the same answer."""
    counts = Counter()
    for seed in range(12):
        rng = np.random.default_rng([size, seed])
        made = generate(size, size, rng, widest=seed, place="far" if seed % 2 else "any")
        board = made.board
        for _ in range(4):
            found = search(board, 50)
            covers = exact_covers(board, 50)
            assert found.count == len(covers), (size, seed, board)
            if found.count < 50:
                assert {as_masks(answer) for answer in found.answers} == set(covers)
            assert any((answer == made.answer).all() for answer in found.answers) or found.count == 50
            counts[min(found.count, 2)] += 1
            board = widened(board, made.answer, rng, 3)
    assert min(counts[1], counts[2]) >= 8, counts


def widened(board, answer, rng, steps):
    """The board with `steps` numbers made wider by one, still right for its answer."""
    numbers = [list(row) for row in board.numbers]
    for cell in rng.permutation(board.at)[:steps].tolist():
        other = next(one for one in board.at if one != cell and answer[one] == answer[cell])
        y, x = divmod(cell, board.cols)
        wider = numbers[y][x] + (1 if numbers[y][x] > numbers[other // board.cols][other % board.cols] else -1)
        numbers[y][x] = max(wider, 0)
    return Araf(board.rows, board.cols, numbers)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_property_all_engines_agree(data):
    rows, cols = data.draw(st.integers(1, 4)), data.draw(st.integers(2, 4))
    entry = st.one_of(st.none(), st.none(), st.integers(0, 7), st.just("?") if rows * cols <= 9 else st.none())
    numbers = data.draw(st.lists(st.lists(entry, min_size=cols, max_size=cols), min_size=rows, max_size=rows))
    count = sum(n is not None for row in numbers for n in row)
    if count < 2 or count % 2:
        with pytest.raises(PuzzleError, match="two numbers a room"):
            Araf(rows, cols, numbers)
        return
    board, reading = Araf(rows, cols, numbers), data.draw(st.sampled_from(READINGS))
    found = search(board, 400, reading=reading)
    assert found.count == len(answers_unscreened(board, 400, reading)) == len(exact_covers(board, 400, reading))
    if found.count < 400:
        assert {as_masks(answer) for answer in found.answers} == set(exact_covers(board, 400, reading))


@pytest.mark.parametrize("reading", READINGS)
def test_each_screen_alone_and_the_catalogue_by_brute_force(reading):
    """On up to 12 cells: every set of cells is looked at."""
    dropped = Counter()
    for number in range(60):
        board = araf_board(number, side=3 if reading == "corner" else 4)
        if board.rows * board.cols > 12:
            continue
        lattice, at = graph(board, reading), number_at(board)
        fit, near, path = (screen(board, reading) for screen in (sizes_fit, near_enough, path_exists))
        rooms = catalogue(board, reading)
        listed = {frozenset(cells_of(mask)) for mask in rooms.masks}
        assert len(listed) == len(rooms.masks)
        truth = set()
        for i, j in combinations(range(len(board.at)), 2):
            a, b = board.at[i], board.at[j]
            others = set(board.at) - {a, b}
            sizes = [n for n in range(2, len(lattice) + 1) if legal(n, at[a], at[b], reading)]
            largest = board.sizes(reading)[1][i, j]
            free = lattice.subgraph(set(lattice) - others)
            steps = nx.shortest_path_length(lattice, a, b)
            clear = nx.shortest_path_length(free, a, b) if nx.has_path(free, a, b) else np.inf
            assert fit[i, j] == fit[j, i] == bool(sizes), (number, i, j)
            assert near[i, j] == near[j, i] == (steps < largest), (number, i, j)
            assert path[i, j] == path[j, i] == (clear < largest), (number, i, j)
            dropped.update(size=not fit[i, j], near=not near[i, j], path=near[i, j] and not path[i, j])
            for size in sizes:
                for more in combinations(sorted(set(free) - {a, b}), size - 2):
                    if nx.is_connected(lattice.subgraph({a, b, *more})):
                        truth.add(frozenset({a, b, *more}))
        assert listed == truth, number
        for mask, pair, size in zip(rooms.masks, rooms.pairs[rooms.pair], rooms.size, strict=True):
            assert {board.at[i] for i in pair} == set(cells_of(mask)) & set(board.at) and size == len(cells_of(mask))
    assert min(dropped.values()) > 10, dropped


@pytest.mark.parametrize("reading", READINGS)
def test_rungs_name_only_rooms_of_every_answer_and_contain_each_other(reading):
    named, refuted, grew = Counter(), Counter(), Counter()
    for number in range(300):
        board = araf_board(number)
        answers = search(board, LIMIT, reading=reading).answers
        if len(answers) == LIMIT:
            continue
        before = None
        for rung in Araf.RUNGS:
            state = deduce(board, rung, reading)
            if state is None:
                assert len(answers) == 0, (number, rung)
                refuted[rung] += 1
                continue
            assert state.dtype == np.int32 and (before is not None or rung == Araf.RUNGS[0])
            for room in range(1, state.max() + 1):
                cells = state == room
                named[rung] += 1
                for answer in answers:
                    assert len(set(answer[cells].tolist())) == 1, (number, rung)
                    if rung != "pair":
                        assert (answer == answer[cells][0]).sum() == cells.sum(), (number, rung)
            if before is not None:
                assert (state[before > 0] > 0).all(), (number, rung)
                grew[rung] += (state > 0).sum() > (before > 0).sum()
            before = state
            if (state > 0).all():
                assert finishes(board, rung, reading) == (len(answers) == 1), (number, rung)
    assert min(named[rung] for rung in Araf.RUNGS) > 50 and refuted["cell"] > refuted["pair"] > 10
    assert min(grew["cell"], grew["ration"]) > 5, grew


def test_explanations_end_where_the_rung_does():
    texts = Counter()
    for seed in range(8):
        board = generate(6, 6, np.random.default_rng(seed)).board
        for rung in Araf.RUNGS:
            state, steps = deduce(board, rung), explain(board, rung)
            told = np.zeros(36, int)
            for step in steps:
                told[list(step.cells)] = step.value
                assert step.text and bool(step.cells) == (step.value > 0)
                texts[step.rule] += 1
            assert (told == state).all(), (seed, rung)
    assert set(texts) == {"cover", "serve", "marry", "pin", "ration"}
    steps = explain(Araf(2, 2, [[2, 2], [2, 2]]), "pair")
    assert [step.text for step in steps] == ["contradiction: no room is left for r1c1"]


def test_boards_at_the_edge():
    one_room = Araf(1, 9, [[1] + [None] * 7 + [10]])
    assert search(one_room, 5).answers.tolist() == [[1] * 9]
    assert all(finishes(one_room, rung) for rung in Araf.RUNGS)
    assert grade(Araf(1, 2, [[1, 2]]))["answers"] == 0
    assert grade(Araf(64, 64, [[None] * 64] * 63 + [[1] + [None] * 62 + [3]]))["answers"] == 0
    assert search(Araf(9, 1, [[1], [3]] + [[None]] * 5 + [[1], [9]]), 5).count == 1
    assert search(Araf(2, 2, [["?", "?"], ["?", "?"]]), 5).count == 2
    rooms_of_two = Araf(64, 64, [[1, 3] * 32] * 64)
    assert engine(rooms_of_two).search(rooms_of_two, 1, nodes=0).count == 0
    big = Araf(64, 64, [[1] + [None] * 63] + [[None] * 64] * 62 + [[None] * 63 + [MOST]])
    assert search(big, 2).answers.tolist() == [[1] * 4096]


def test_a_catalogue_past_its_cap_is_named_and_the_search_needs_none():
    with pytest.raises(PuzzleError, match="more than 1000000 possible rooms, counted up to those of the numbers at r"):
        deduce(LARGE, "pair")
    with pytest.raises(PuzzleError, match="more than 10 possible rooms"):
        catalogue(Araf(3, 3, [[1, None, None], [None, None, None], [None, None, 9]]), most=10)
    graded = grade(LARGE)
    assert graded["answers"] == search(LARGE, 2).count and graded["rung"] is None
    assert graded["left"] == {"pair": None, "cell": None, "ration": None}


@pytest.mark.parametrize(
    "rows, cols, numbers, told",
    [
        (2, 2, [[1, None], [None, None]], "two numbers a room, but this one has 1"),
        (2, 2, [[None, None], [None, None]], "has 0 in all"),
        (2, 2, [[1, 3], [3, None]], "has 3 in all"),
        (2, 2, [[1, 3]], "numbers must be 2 rows of 2"),
        (2, 2, [[1, 3], [1]], "row 2 must hold 2"),
        (2, 2, [[1, -1], [1, 3]], "r1c2 is -1, neither 0 to 4097"),
        (2, 2, [[1, 3], [4098, 3]], "r2c1 is 4098"),
        (2, 2, [[1, 3.0], [1, 3]], "r1c2 is 3.0"),
        (2, 2, [[1, True], [1, 3]], "r1c2 is True"),
        (2, 2, [[1, "x"], [1, 3]], "r1c2 is 'x'"),
        (2, 2, None, "numbers must be 2 rows"),
        (65, 2, [[1, 3]] * 65, "1 to 64 rows"),
        (0, 2, [], "1 to 64 rows"),
    ],
)
def test_what_is_wrong_is_named(rows, cols, numbers, told):
    with pytest.raises(PuzzleError, match=told) as caught:
        Araf(rows, cols, numbers)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("choices", [{}, {"place": "any"}, {"ceiling": 5}, {"rung": "cell"}, {"widest": 3}])
def test_generated_boards_keep_their_promise(choices):
    for seed in range(4):
        made = generate(5, 6, np.random.default_rng(seed), **choices)
        found = search(made.board, 2)
        assert found.count == 1 and (found.answers[0] == made.answer).all()
        assert search(made.tight, 2).count == 1
        moved = made.board.values - made.tight.values
        assert abs(moved).sum() == made.kept <= made.tried
        assert made.board.values.min() >= 1
        assert made.board.values.max() <= max(choices.get("ceiling", 7), 6)
        if "rung" in choices:
            assert finishes(made.board, choices["rung"])
        if "widest" in choices:
            assert made.kept <= 3
        sizes = np.bincount(made.answer)[made.answer[list(made.board.at)]]
        assert set(abs(made.tight.values - sizes).tolist()) == {1}


def test_a_generated_board_is_a_local_maximum():
    """Every widening of every window that stays in bounds gives a second answer, by exact covers."""
    tried = 0
    for seed in range(6):
        made = generate(6, 6, np.random.default_rng([7, seed]))
        for index, cell in enumerate(made.board.at):
            up = made.board.values[index] > np.bincount(made.answer)[made.answer[cell]]
            wider = int(made.board.values[index]) + (1 if up else -1)
            if 1 <= wider <= 7:
                numbers = [list(row) for row in made.board.numbers]
                numbers[cell // 6][cell % 6] = wider
                assert len(exact_covers(Araf(6, 6, numbers), 2)) == 2, (seed, cell)
                tried += 1
    assert tried > 20


def test_the_generator_refuses():
    rng = np.random.default_rng(0)
    for arguments, choices, told in [
        ((1, 1), {}, "no way was found to fill a 1x1 grid"),
        ((0, 4), {}, "1 to 64"),
        ((4, 4), {"rung": "magic"}, "no rung 'magic', only pair, cell, ration"),
        ((4, 4), {"place": "middle"}, "not 'middle'"),
        ((4, 4), {"rooms": lambda rows, cols, rng: np.arange(rows * cols).reshape(rows, cols)}, "has one cell"),
        ((8, 8), {"tries": 1, "place": "any"}, "no 8x8 board in 1 tries"),
    ]:
        with pytest.raises(PuzzleError, match=told):
            generate(*arguments, rng, **choices)
