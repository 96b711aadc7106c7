"""Propagation of each kind of constraint against listing, and of all together in any order."""

from itertools import product

import numpy as np
import pytest
from boards_for_tests import (
    agreed,
    blocks_of,
    board,
    every_state,
    holds,
    random_rules,
    same,
    shuffled,
    small,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from holdstill.core.brute import answers
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED
from holdstill.core.ladder import deduce
from holdstill.core.model import Ragged, at_least_one
from holdstill.core.propagate import TRAIL, _deduce_kernel, _undo_kernel, new_work
from holdstill.puzzles.heyawake import Heyawake

SETTINGS = settings(derandomize=True, deadline=None, max_examples=200)


@st.composite
def count_and_state(draw):
    """A count over up to 7 cells of a row of 9, in groups of 1 to 4, and a partial state."""
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=7).filter(lambda one: sum(one) <= 7))
    cells = draw(st.permutations(range(9)))
    groups, at = [], 0
    for length in lengths:
        groups.append(tuple(cells[at : at + length]))
        at += length
    return tuple(groups), draw(st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=9, max_size=9))


@SETTINGS
@given(count_and_state())
def test_a_count_of_ordered_groups_forces_what_all_its_levels_share(case):
    groups, start = case
    start = np.array(start, np.int8)
    total = sum(map(len, groups))
    fits = []  # the sum and the state of each tuple of levels that the start allows
    for levels in product(*(range(len(group) + 1) for group in groups)):
        state = start.copy()
        for group, level in zip(groups, levels, strict=True):
            for i, cell in enumerate(group):
                state[cell] = SHADED if i < level else UNSHADED
        if ((start == UNKNOWN) | (state == start)).all():
            fits.append((sum(levels), state))
    for low in range(-1, total + 2):
        for high in range(low, total + 2):
            expected = [state for number, state in fits if low <= number <= high]
            puzzle = small(1, 9, blocks_of([("count", groups, low, high)]))
            forced = agreed(np.array(expected), start) if expected else None
            assert same(deduce(puzzle, "all", start), forced), (low, high)


@st.composite
def table_and_state(draw):
    cells = tuple(draw(st.permutations(range(7)))[: draw(st.integers(1, 6))])
    patterns = draw(st.lists(st.integers(0, (1 << len(cells)) - 1), max_size=12))
    return cells, tuple(patterns), draw(st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=7, max_size=7))


@SETTINGS
@given(table_and_state())
def test_a_table_forces_what_all_its_patterns_share(case):
    cells, patterns, start = case
    start, every = np.array(start, np.int8), every_state(7)
    fits = every[[holds(("table", cells, patterns), state, 7) for state in every]]
    puzzle = small(1, 7, blocks_of([("table", cells, patterns)]))
    assert same(deduce(puzzle, "all", start), agreed(fits, start))


def test_a_table_of_16_cells():
    patterns = [0b1010101010101010, 0b1010101010101011, 0b1111111111111111]
    puzzle = small(4, 4, blocks_of([("table", tuple(range(16)), tuple(patterns))]))
    assert deduce(puzzle, "all").tolist() == [0, 2] * 8
    start = np.zeros(16, np.int8)
    start[2] = UNSHADED
    assert deduce(puzzle, "all", start).tolist() == [0, 2] + [1, 2] * 7
    start[0], start[15] = UNSHADED, UNSHADED
    assert deduce(puzzle, "all", start) is None


def test_a_clause_forces_its_last_literal():
    rng = np.random.default_rng(21)
    outcomes = [0, 0, 0]  # contradictions, forced cells, nothing to say
    for _ in range(500):
        cells = rng.permutation(6)[: rng.integers(1, 5)].tolist()
        clause = ("clause", tuple((cell, int(rng.integers(1, 3))) for cell in cells))
        start = rng.choice(np.array([0, 1, 2], np.int8), 6, p=[0.3, 0.35, 0.35])
        every = every_state(6)
        fits = every[[holds(clause, state, 6) for state in every]]
        found = deduce(small(1, 6, blocks_of([clause])), "all", start)
        assert same(found, agreed(fits, start)), (clause, start)
        outcomes[0 if found is None else 1 if (found != start).any() else 2] += 1
    assert min(outcomes) > 20, outcomes


def test_special_clauses():
    def after(*literals, state=(0, 0, 0)):
        return deduce(small(1, 3, [at_least_one("clause", Ragged.of(literals))]), "all", np.array(state, np.int8))

    assert after([3]).tolist() == [0, 2, 0]  # unit
    assert after([2], [3, 5]).tolist() == [0, 1, 2]  # a unit that wakes the next
    assert after([1, 3], state=(2, 0, 0)).tolist() == [2, 0, 0]  # satisfied
    assert after([1, 3], state=(1, 1, 0)) is None  # falsified
    assert after([0, 1]).tolist() == [0, 0, 0]  # always true
    assert after([]) is None and after([3], []) is None  # empty
    assert after([2], [3]) is None


def test_connectivity_alone_forces_what_all_whole_colourings_share():
    rng = np.random.default_rng(22)
    every = every_state(8)
    refuted = 0
    for colour in (UNSHADED, SHADED):
        whole = every[[holds(("connected", colour), state, 4) for state in every]]
        puzzle = small(2, 4, blocks_of([("connected", colour)]))
        rival = puzzle._replace(model=puzzle.model._replace(high=np.ones_like(puzzle.model.high)))
        for _ in range(200):
            start = rng.choice(np.array([0, 0, 1, 2], np.int8), 8)
            found = deduce(puzzle, "all", start)
            assert same(found, agreed(whole, start)), (colour, start)
            assert same(found, deduce(rival, "all", start)), (colour, start)
            refuted += found is None
    assert refuted > 20


def test_the_rival_of_the_walk_changes_no_fixpoint():
    moved = 0
    for number in range(1, 400, 3):
        one, rng = board(number), np.random.default_rng(number)
        kind = one.model.kind
        rival = one.model._replace(high=np.where(kind == 3, 1, one.model.high).astype(np.int32))
        for rung in Heyawake.RUNGS:
            start = partial(one, rng)
            puzzle = small(one.rows, one.cols, list(one.constraints()))._replace(
                model=rival, RULES=Heyawake.RULES, RUNGS=Heyawake.RUNGS
            )
            found = deduce(one, rung, start)
            assert same(found, deduce(puzzle, rung, start)), (number, rung, start)
            moved += found is not None and bool((found != start).any())
    assert moved > 100


def partial(one, rng):
    """Cells of a random answer, or cells at random where there is none or the dice say so."""
    found = answers(one)
    if len(found) and rng.random() < 0.6:
        state = found[rng.integers(len(found))].copy()
        state[rng.random(len(state)) < rng.uniform(0.3, 1)] = UNKNOWN
        return state
    return rng.choice(np.array([0, 1, 2], np.int8), one.rows * one.cols, p=[0.7, 0.18, 0.12])


@pytest.mark.parametrize("rung", list(Heyawake.RUNGS))
def test_the_order_of_constraints_does_not_matter_on_boards(rung):
    refuted = moved = 0
    for number in range(400):
        one, rng = board(number), np.random.default_rng([23, number])
        start = partial(one, rng)
        expected = deduce(one, rung, start)
        mixed = small(one.rows, one.cols, shuffled(one.constraints(), rng))._replace(RUNGS=Heyawake.RUNGS)
        assert same(expected, deduce(mixed, rung, start)), f"board({number}) from {start.tolist()}"
        refuted += expected is None
        moved += expected is not None and bool((expected != start).any())
    assert min(refuted, moved) > 40, (refuted, moved)


@pytest.mark.parametrize("rung", ["all", "probe"])
@SETTINGS
@given(seed=st.integers(0, 1 << 32))
def test_the_order_of_constraints_does_not_matter_in_models_of_every_kind(rung, seed):
    rng = np.random.default_rng(seed)
    rows, cols = (2, 3) if seed % 2 else (3, 3)
    blocks = blocks_of(random_rules(rows, cols, rng))
    start = rng.choice(np.array([0, 0, 0, 1, 2], np.int8), rows * cols)
    expected = deduce(small(rows, cols, blocks), rung, start)
    for _ in range(3):
        assert same(expected, deduce(small(rows, cols, shuffled(blocks, rng)), rung, start))


def test_a_fixpoint_stays_and_the_start_is_left_alone():
    for number in range(0, 200, 3):
        one = board(number)
        for rung in Heyawake.RUNGS:
            start = partial(one, np.random.default_rng(number))
            kept = start.copy()
            found = deduce(one, rung, start)
            assert (start == kept).all()
            assert found is None or same(found, deduce(one, rung, found))


def test_undo_forgets_exactly_what_came_after():
    undone = 0
    for number in range(0, 400, 3):
        one = board(number)
        start = partial(one, np.random.default_rng(number))
        work = new_work(one.model, start)
        given_cells = int(work.counter[TRAIL])
        _deduce_kernel(one.model, np.ones(len(one.model.kind), np.bool_), False, work)
        assert work.counter[TRAIL] == (work.state != UNKNOWN).sum()
        assert set(work.trail[: work.counter[TRAIL]].tolist()) == set(np.flatnonzero(work.state).tolist())
        undone += work.counter[TRAIL] > given_cells
        _undo_kernel(work, given_cells)
        assert (work.state == start).all()
    assert undone > 50


def test_a_constraint_that_is_off_says_nothing():
    one = board(57)
    off = np.zeros(len(one.model.kind), np.bool_)
    work = new_work(one.model)
    assert _deduce_kernel(one.model, off, True, work) and not work.state.any()
