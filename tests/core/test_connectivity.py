"""One walk against removing and flooding, against networkx, and against the list of all colourings."""

from itertools import product

import numpy as np
import pytest
from boards_for_tests import every_state, forced_by_networkx, pieces

from holdstill.core.connectivity import forced, forced_by_flooding
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, neighbours

SIZES = [(1, 1), (1, 2), (1, 9), (9, 1), (2, 2), (2, 7), (3, 3), (5, 4), (6, 6), (8, 8), (12, 5), (17, 13)]
COLOURS = (UNSHADED, SHADED)


def random_states(count, seed):
    """Random states over SIZES, from nearly decided to nearly blank, mostly kept whole by few cells of the colour."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        rows, cols = SIZES[i % len(SIZES)]
        decided, share = rng.uniform(0.05, 0.9), rng.uniform(0.1, 0.9)
        state = np.where(rng.random(rows * cols) < share, UNSHADED, SHADED).astype(np.int8)
        state[rng.random(rows * cols) > decided] = UNKNOWN
        yield rows, cols, state


@pytest.mark.parametrize("colour", COLOURS)
def test_the_walk_agrees_with_flooding(colour):
    impossible = pockets = cuts = 0
    for rows, cols, state in random_states(1200, 11):
        one, two = (look(state, colour, neighbours(rows, cols)) for look in (forced, forced_by_flooding))
        assert one[0] == two[0], (rows, cols, state.tolist())
        if one[0]:
            assert (one[1] == two[1]).all() and (one[2] == two[2]).all(), (rows, cols, state.tolist())
            pockets += one[1].any()
            cuts += one[2].any()
        impossible += not one[0]
    assert min(impossible, pockets, cuts) > 100


@pytest.mark.parametrize("colour", COLOURS)
def test_the_walk_agrees_with_networkx(colour):
    forced_ones = 0
    for rows, cols, state in random_states(360, 12):
        possible, pocket, cut = forced(state, colour, neighbours(rows, cols))
        expected = forced_by_networkx(state, colour, rows, cols)
        assert possible == (expected is not None), (rows, cols, state.tolist())
        if not possible:
            continue
        found = set(np.flatnonzero(pocket).tolist()), set(np.flatnonzero(cut).tolist())
        assert found == expected, (rows, cols, state.tolist())
        forced_ones += sum(map(len, expected))
    assert forced_ones > 200


@pytest.mark.parametrize("colour", COLOURS)
def test_all_states_of_3x3_force_what_all_their_colourings_share(colour):
    whole = np.array([state for state in every_state(9) if pieces(state, colour, 3) <= 1])
    beside = neighbours(3, 3)
    for values in product((0, 1, 2), repeat=9):
        state = np.array(values, np.int8)
        fits = whole[((state == UNKNOWN) | (whole == state)).all(axis=1)]
        for look in (forced, forced_by_flooding):
            possible, pocket, cut = look(state, colour, beside)
            assert possible == (len(fits) > 0), values
            if possible:
                undecided = state == UNKNOWN
                assert (pocket == ((fits != colour).all(axis=0) & undecided)).all(), values
                assert (cut == ((fits == colour).all(axis=0) & undecided)).all(), values


def test_a_state_is_read_and_not_changed():
    state = np.array([1, 0, 1, 2, 0], np.int8)
    forced(state, 1, neighbours(1, 5))
    forced_by_flooding(state, 1, neighbours(1, 5))
    assert state.tolist() == [1, 0, 1, 2, 0]
