"""The worked example of docs/adding_a_puzzle.md, held to what every puzzle is held to."""

from collections import Counter
from functools import cache
from pathlib import Path

import hitori
import numpy as np
import pytest
from boards_for_tests import agreed, as_set, pieces, same
from hitori import Hitori, generate
from hypothesis import given, settings
from hypothesis import strategies as st

from holdstill.core.brute import answers
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, PuzzleError
from holdstill.core.ladder import deduce, explain, finishes
from holdstill.core.search import search
from holdstill.puzzles.boards import grid_text
from holdstill.puzzles.grade import grade

BOARDS = range(400)


@cache
def board(number: int) -> Hitori:
    """Board `number`: random numbers, few or many; every fourth a generated one, every other of them perturbed."""
    rng = np.random.default_rng([2027, number])
    rows, cols = rng.integers(2, 5, 2).tolist()
    if number % 4:
        return Hitori(rows, cols, rng.integers(1, 2 + rng.integers(1, 6), (rows, cols)).tolist())
    side = 5 if number % 80 == 0 else 4
    numbers = np.array(generate(side, side, rng).board.numbers)
    if number % 8:
        numbers[tuple(rng.integers(0, side, 2))] = rng.integers(1, side + 1)
    return Hitori(side, side, numbers.tolist())


def plainly_broken(one: Hitori, state) -> set[str]:
    """The rules as a person reads them, over dictionaries of cells."""
    shaded = {divmod(cell, one.cols) for cell, value in enumerate(state) if value == SHADED}
    number = {(y, x): one.numbers[y][x] for y in range(one.rows) for x in range(one.cols)}
    broken = set()
    for y, x in number:
        if (y, x) in shaded:
            if (y + 1, x) in shaded or (y, x + 1) in shaded:
                broken.add("touching")
            for before, after in (((y - 1, x), (y + 1, x)), ((y, x - 1), (y, x + 1))):
                if before in number and after in number and number[before] == number[after]:
                    broken.add("between")
        else:
            line = [place for place in number if (place[0] == y) != (place[1] == x) and place not in shaded]
            if number[y, x] in [number[place] for place in line]:
                broken.add("repeats")
    if pieces(state, UNSHADED, one.cols) > 1:
        broken.add("white")
    return broken


def test_the_judge_says_what_a_plain_reading_says():
    said = Counter()
    for number in BOARDS[:80]:
        one, rng = board(number), np.random.default_rng([2028, number])
        drawn = 1 + (rng.random((30, one.rows * one.cols)) < 0.25)
        states = np.concatenate([drawn.astype(np.int8), search(one, 3).answers])
        for state, bits in zip(states, one.broken(states).tolist(), strict=True):
            by_judge = {rule for i, rule in enumerate(Hitori.RULES) if bits >> i & 1}
            assert by_judge == plainly_broken(one, state), (number, state.tolist())
            said.update(by_judge or ["none"])
    assert min(said[rule] for rule in (*Hitori.RULES, "none")) > 50, said


def test_search_finds_the_answers_of_brute_force_on_boards_with_none_one_and_many():
    seen = Counter()
    for number in BOARDS:
        one = board(number)
        every = answers(one)
        found = search(one, 1 << 20)
        assert found.complete and as_set(found.answers) == as_set(every), number
        seen[min(len(every), 2)] += 1
    assert min(seen[0], seen[1], seen[2]) >= 50, seen


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_small_board(data):
    rows, cols = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    row = st.lists(st.integers(1, 4), min_size=cols, max_size=cols)
    one = Hitori(rows, cols, data.draw(st.lists(row, min_size=rows, max_size=rows)))
    assert as_set(search(one, 1 << 16).answers) == as_set(answers(one))


def test_each_rung_is_sound_and_holds_the_one_before():
    finished = Counter()
    for number in BOARDS[::2]:
        one, before = board(number), np.zeros(1, np.int8)
        every = answers(one)
        for rung in Hitori.RUNGS:
            state = deduce(one, rung)
            blank = np.zeros(one.rows * one.cols, np.int8)
            truth = agreed(every, blank)
            if state is None:
                assert truth is None
                break
            assert truth is None or (state[state != UNKNOWN] == truth[state != UNKNOWN]).all()
            assert (state[before != UNKNOWN] == before[before != UNKNOWN]).all() if len(before) > 1 else True
            before = state
            finished[rung] += finishes(one, rung)
            assert not finishes(one, rung) or len(every) == 1
    assert finished["local"] == 0 < finished["between"] < finished["probe"], finished


@pytest.mark.parametrize("rung", [None, "between", "probe"])
def test_a_generated_board_has_one_answer_and_the_rung_finishes_it(rung):
    for seed in range(12):
        rows, cols = (3 + seed, 3 + seed * 5 % 7)
        made = generate(rows, cols, np.random.default_rng(seed), rung=rung)
        assert made.board.is_valid(made.answer) and search(made.board, 1, avoid=made.answer).count == 0
        assert rung is None or same(deduce(made.board, rung), made.answer)
        if rows * cols <= 20:
            assert as_set(answers(made.board)) == {made.answer.tobytes()}
    again = generate(6, 6, np.random.default_rng(5), rung=rung)
    assert again.board == generate(6, 6, np.random.default_rng(5), rung=rung).board


def test_explanations_replay_and_speak_of_the_rules():
    rules = Counter()
    for number in BOARDS[::8]:
        one = board(number)
        state = np.zeros(one.rows * one.cols, np.int8)
        for step in explain(one, "probe"):
            state[list(step.cells)] = step.value
            rules[step.rule] += 1
        assert same(state, deduce(one, "probe"))
    assert set(rules) == {*Hitori.RULES, "probe"}
    first = explain(Hitori(1, 3, [[4, 4, 4]]), "between")
    assert [step.text for step in first] == [
        "row 1, column 2 is unshaded: a cell between two equal numbers is unshaded: row 1, column 2",
        "row 1, column 1 is shaded: no number twice unshaded in a line: row 1, columns 1 to 2",
        "row 1, column 3 is shaded: no number twice unshaded in a line: row 1, columns 2 to 3",
    ]


def test_grade_and_text_need_nothing_of_the_puzzle():
    made = generate(6, 6, np.random.default_rng(3), rung="between")
    graded = grade(made.board)
    assert graded["puzzle"] == "hitori" and graded["answers"] == 1 and graded["rung"] == "between"
    assert graded["left"] == {"local": 36, "between": 0, "probe": 0} and graded["url"] is None
    assert grid_text(made.board, made.answer).count("#") == (made.answer == SHADED).sum()


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([[1, 2]], "numbers must be 2 rows of 2"),
        ([[1, 2], [3]], "numbers must be 2 rows of 2"),
        ([[1, 2], [3, 0]], "r2c2 holds 0, not a number from 1 on"),
        ([[1, None], [3, 4]], "r1c2 holds None, not a number from 1 on"),
    ],
)
def test_bad_input_names_the_cell(numbers, message):
    with pytest.raises(PuzzleError, match=message):
        Hitori(2, 2, numbers)


def test_generate_says_what_it_cannot_do():
    with pytest.raises(PuzzleError, match="hitori has no rung 'spans', only local, between, probe"):
        generate(5, 5, np.random.default_rng(0), rung="spans")
    for rows, cols in ((1, 1), (1, 2)):
        with pytest.raises(PuzzleError, match=f"no {rows}x{cols} board in 5 tries"):
            generate(rows, cols, np.random.default_rng(0), tries=5)


def test_the_example_is_as_short_as_the_page_says():
    assert len(Path(hitori.__file__).read_text(encoding="utf-8").splitlines()) < 120
