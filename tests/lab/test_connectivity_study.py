"""The rivals of the connectivity study against the library, networkx and what can be counted by hand."""

import numpy as np
import pytest
from boards_for_tests import board, forced_by_networkx, same
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from holdstill.core.connectivity import forced, forced_by_flooding
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, neighbours, regions
from holdstill.core.ladder import deduce, finishes
from holdstill.lab.studies import connectivity as study
from holdstill.lab.studies.connectivity import DECIDED, HASH, QUEUE
from holdstill.puzzles.heyawake import Heyawake, generate

SETTINGS = settings(derandomize=True, deadline=None, max_examples=200)
FOUR = [(by, flood) for by in (HASH, DECIDED) for flood in (True, False)]


def test_the_studys_random_states_are_judged_right_by_networkx():
    cuts = pockets = impossible = 0
    for number in range(600):
        rows, cols, state = study.random_state(np.random.default_rng(number))
        for colour in (UNSHADED, SHADED):
            possible, pocket, cut = forced(state, colour, neighbours(rows, cols))
            expected = forced_by_networkx(state, colour, rows, cols)
            assert possible == (expected is not None), (number, colour)
            if possible:
                assert (set(np.flatnonzero(pocket)), set(np.flatnonzero(cut))) == expected, (number, colour)
                pockets += pocket.any()
                cuts += cut.any()
            impossible += not possible
    assert min(cuts, pockets, impossible) > 80


@pytest.mark.parametrize("wrong", ["possible", "pocket", "cut"])
def test_a_disagreement_would_be_seen(monkeypatch, wrong):
    state, beside = np.array([1, 0, 1, 2, 0], np.int8), neighbours(1, 5)
    assert study.compared(state, beside) == {"agree": True, "possible": 2, "pockets": 2, "cuts": 1}

    def bad(state, colour, beside):
        possible, pocket, cut = forced_by_flooding(state, colour, beside)
        changed = {"possible": (not possible, pocket, cut), "pocket": (possible, ~pocket, cut)}
        return changed.get(wrong, (possible, pocket, ~cut))

    monkeypatch.setattr(study, "forced_by_flooding", bad)
    assert not study.compared(state, beside)["agree"]


def test_visits_by_hand():
    state = np.array([1, 0, 0, 0, 1], np.int8)
    # One flood of all 5, then without cells 1, 2 and 3 floods of 1, 2 and 3.
    assert study.visits(state, neighbours(1, 5)) == {"walk": 5, "flood": 5 + 1 + 2 + 3}
    assert study.visits(np.zeros(5, np.int8), neighbours(1, 5)) == {"walk": 0, "flood": 0}


def test_both_ways_find_as_many_cells_on_positions():
    states = np.stack([study.position(np.random.default_rng(number), 9, 0.8) for number in range(60)])
    one = sum(int(part.sum()) for state in states for part in forced(state, UNSHADED, neighbours(9, 9))[1:])
    assert study.look(states, False) == study.look(states, True) == one > 60


def test_a_position_reveals_an_answer_and_shares_are_nested():
    blank = Heyawake(6, 6, np.zeros((6, 6), np.int32), (None,))
    for seed in range(30):
        whole, half = (study.position(np.random.default_rng(seed), 6, share) for share in (1, 0.5))
        assert blank.is_valid(whole)
        assert ((half == UNKNOWN) | (half == whole)).all() and 0 < (half == UNKNOWN).sum() < 36


@SETTINGS
@given(number=st.integers(0, 1999), seed=st.integers(0, 1 << 32), rung=st.sampled_from(list(Heyawake.RUNGS)))
def test_rounds_end_where_the_queue_does(number, seed, rung):
    one = board(number)
    cells = one.rows * one.cols
    state = np.random.default_rng(seed).choice(np.array([0, 1, 2], np.int8), cells, p=[0.8, 0.12, 0.08])
    for start in (np.zeros(cells, np.int8), state):
        expected = deduce(one, rung, start)
        for by, flood in FOUR:
            assert same(study.deduce_in_rounds(one, rung, start, by, flood=flood), expected), (by, flood)


def test_the_rows_of_rounds_have_something_to_say():
    rows = [study.rounds_row(np.random.default_rng(seed)) for seed in range(40)]
    assert all(row["agree"] for row in rows)
    assert sum(row["refuted"] for row in rows) > 5 and sum(row["decided"] for row in rows) > 500


@pytest.mark.parametrize("rung", ["spans", "probe"])
def test_every_way_makes_the_board_of_generate(rung):
    for seed in range(6):
        expected = generate(5, 5, np.random.default_rng(seed), rung=rung).board
        assert finishes(expected, rung)
        for by, flood in [*FOUR, (QUEUE, True), (QUEUE, False)]:
            assert study.make(np.random.default_rng(seed), 5, rung, by, flood=flood) == expected, (seed, by, flood)
        assert study.make(np.random.default_rng(seed), 5, rung, walks=2) == expected


def test_walking_twice_changes_no_board_carved_against_the_search():
    for seed in range(6):
        expected = generate(6, 6, np.random.default_rng(seed)).board
        assert study.make(np.random.default_rng(seed), 6, None, walks=2) == expected


def test_works_take_turns():
    called = []
    seconds, returned = study.timed({name: lambda i, name=name: called.append(name) or i for name in "ab"}, 3)
    assert called == list("ab" * 4) and returned == {"a": [0, 1, 2], "b": [0, 1, 2]}
    assert seconds.shape == (3, 2) and (seconds >= 0).all(axis=None)


@SETTINGS
@given(st.tuples(st.integers(1, 7), st.integers(1, 7)).flatmap(lambda shape: arrays(bool, shape)))
def test_dilations_agree_with_the_table_of_neighbours(mask):
    rows, cols = mask.shape
    padded = np.append(mask.ravel(), False)  # -1, off the grid, reads the last
    expected = (mask.ravel() | padded[neighbours(rows, cols)].any(axis=1)).reshape(rows, cols)
    before = mask.copy()
    assert (study.dilate_by_loop(mask) == expected).all() and (study.dilate_by_shifts(mask) == expected).all()
    assert (mask == before).all()
    pieces, start = regions(mask), np.zeros_like(mask)
    start[0, 0] = True
    for dilate in (study.dilate_by_loop, study.dilate_by_shifts):
        assert (study.flood_by(dilate, start, mask == mask[0, 0]) == (pieces == pieces[0, 0])).all()
