"""Answers without a rule: the search against the judge over every shading, and what the study computes from them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdstill.core import brute
from holdstill.core.grid import SHADED
from holdstill.core.ladder import finishes
from holdstill.core.search import search
from holdstill.lab.studies import heyawake_rigidity as studies
from holdstill.lab.studies.heyawake import made_by, small_board
from holdstill.lab.study import row_at, study_key
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.heyawake_dense import numbered
from holdstill.puzzles.layouts import grown, guillotine

RULES = studies.RULES


def count(board, rule):
    """By the kernel, as the study counts."""
    return search(board, 1 << 17, rules=studies.without(rule), store=0).count


def judged(board, rule):
    """Every shading, one by one, to the judge with the rule left out."""
    every = np.concatenate(list(brute.shadings(board.rows, board.cols)))
    return sum(board.is_valid(state, without=(rule,)) for state in every)


@st.composite
def tiny_boards(draw):
    """Up to 10 cells, any rooms, any numbers that are no error, walls that close no room."""
    rows, cols = draw(st.sampled_from([(1, 6), (2, 3), (2, 5), (3, 2), (3, 3)]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    labels = draw(st.sampled_from([guillotine, grown]))(rows, cols, rng)
    sizes = np.bincount(labels.ravel()).tolist()
    clues = [draw(st.none() | st.integers(0, min(2, size))) for size in sizes]
    while sum(clue or 0 for clue in clues) > (rows * cols + 1) // 2:
        clues[clues.index(max(clue or 0 for clue in clues))] = None
    walls = [(0, 1)] if cols > 1 and draw(st.booleans()) else None
    return Heyawake(rows, cols, labels, clues, walls)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(board=tiny_boards())
def test_tiny_boards_without_a_rule_have_the_answers_of_the_judge(rule, board):
    assert count(board, rule) == judged(board, rule)


@pytest.mark.parametrize("rule", RULES)
def test_small_boards_without_a_rule_have_the_answers_of_the_judge(rule):
    """3x3 and 4x4; boards with 0, 1 and many answers, and ones on which the rule matters."""
    seen, gained = {0: 0, 1: 0, 2: 0}, 0
    for number in range(120):
        board = small_board(np.random.default_rng([3, number]))
        answers = len(brute.answers(board, studies.without(rule)))
        assert count(board, rule) == answers, f"board {number}"
        seen[min(answers, 2)] += 1
        gained += answers > len(brute.answers(board))
    assert seen[2] > 50 and gained > 20, (seen, gained)


@pytest.mark.parametrize("rung", ["spans", "probe", None])
def test_the_studys_own_boards_without_a_rule_have_the_answers_of_the_judge(rung):
    """5x5 for the rules under which the shadings without touching cells are all there is; 4x4 for no-touching."""
    for number in range(8):
        rng = np.random.default_rng([4, number])
        for size, rules in ((5, ("rooms", "white", "spans")), (4, ("touching",))):
            made = made_by(rng, size, rung=rung, shade=0.5)
            full = numbered(np.array(made.board.rooms), made.answer)
            for board in (made.board, full):
                for rule in rules:
                    assert count(board, rule) == len(brute.answers(board, studies.without(rule))), (number, rule)


def test_a_row_counts_without_each_rule():
    params = {"size": 4, "cap": 10**6, "off": list(RULES), "rung": "spans", "shade": 0.5}
    fewer = 0
    for index in range(10):
        row = row_at(studies.ablation_row, index, params)
        assert row["rooms"] == row["rooms_full"]
        for rule in RULES:
            assert 1 <= row[f"{rule}_full"] <= row[rule]
            fewer += row[f"{rule}_full"] < row[rule]
        capped = search_with_cap(index, params, 3)
        assert all(capped[rule] == min(row[rule], 3) for rule in RULES)
    assert fewer > 15


def search_with_cap(index, params, cap):
    """The row of the same board with another cap: the generator's state is all that a board hangs on."""
    seed = np.random.SeedSequence([study_key(studies.ablation_row, params), index])
    return studies.ablation_row(np.random.Generator(np.random.PCG64(seed)), **(params | {"cap": cap}))


def test_every_number_printed_is_the_answers_and_keeps_it():
    for number in range(20):
        made = made_by(np.random.default_rng([6, number]), 5, rung="probe", shade=0.5)
        full = numbered(np.array(made.board.rooms), made.answer)
        assert all(a in (None, b) for a, b in zip(made.board.clues, full.clues, strict=True)) and None not in full.clues
        assert full.is_valid(made.answer) and finishes(full, "probe")


def test_the_choices_make_the_boards_they_name():
    """Each choice makes a board with one answer that its rung finishes, where it has one."""
    for name, choice in studies.CHOICES.items():
        for number in range(3):
            made = made_by(np.random.default_rng([7, number]), 5, **({"rung": "spans", "shade": 0.5} | choice))
            rung = choice.get("rung", "spans")
            assert search(made.board, 2).count == 1 and (rung is None or finishes(made.board, rung)), name
            printed = sum(clue is not None for clue in made.board.clues)
            assert printed >= choice.get("keep", 0) * len(made.board.clues)


def test_without_spans_only_the_numbers_choose_from_one_list():
    """The list of 5x5, cut down by numbers alone, against the search: two ways to the same count."""
    blank = Heyawake(5, 5, [[0] * 5] * 5, [None])
    shaded = brute.answers(blank, studies.without("spans")) == SHADED
    assert len(shaded) == count(blank, "spans") == 20_297
    for number in range(40):
        board = made_by(np.random.default_rng([8, number]), 5, rung="probe", shade=0.5).board
        fits = np.ones(len(shaded), bool)
        for room, clue in enumerate(board.clues):
            fits &= (clue is None) | (shaded[:, board.room_of == room].sum(axis=1) == (clue or 0))
        assert count(board, "spans") == fits.sum()


def test_one_number_is_what_a_board_with_one_number_has():
    rng = np.random.default_rng(9)
    left = studies.one_number(4, 4)
    for top, x, tall, wide, number in [list(left)[i] for i in rng.permutation(len(left))[:40]]:
        labels = np.ones((4, 4), int)
        labels[top : top + tall, x : x + wide] = 0
        rest = np.cumsum(labels.ravel()).reshape(4, 4) * labels  # every other cell a room of its own
        board = Heyawake(4, 4, rest.tolist(), [number] + [None] * int(rest.max()))
        assert count(board, "spans") == left[top, x, tall, wide, number]
    by_place = {}
    for (*where, _), answers in left.items():
        by_place[tuple(where)] = by_place.get(tuple(where), 0) + answers
    blank = Heyawake(4, 4, [[0] * 4] * 4, [None])
    assert len(by_place) == 100 and set(by_place.values()) == {count(blank, "spans")}


def test_figures_and_places_by_hand():
    counts = [1] * 30 + [10] * 30 + [100] * 60
    found = studies.figures(counts)
    assert (found["still_unique"].value, found["median"].value, found["worst"].value) == (15, 55, 100)
    assert found["mean"].value == pytest.approx((30 + 300 + 6000) / 120)
    text = {"median": 10, "mean": 52.75, "worst": 100}
    places = studies.places(counts, text, 2000, np.random.default_rng(0))
    # A sample's median is at most 10 where at least 31 of its 60 are; half of the pool is: P(Binomial(60, 1/2) > 30).
    assert places["median_side"].value == pytest.approx(44.9, abs=4)
    assert places["mean_side"].value == pytest.approx(50, abs=4)
    assert places["worst_exactly"].value == 50
    assert places["worst_reached"].value == pytest.approx(100, abs=1e-9)
    rare = studies.places([5] * 599 + [7], text | {"worst": 7}, 10, np.random.default_rng(0))["worst_reached"]
    assert rare.value == pytest.approx(100 * (1 - (599 / 600) ** 60)) and rare.low < rare.value < rare.high
