"""Cuts drawn uniformly: every rank is another cut, all of them are cuts by networkx's list, and draws are even."""

from collections import Counter
from functools import partial

import numpy as np
import pytest
from cuts_for_tests import grown_partitions, lattice

from holdstill.core.grid import PuzzleError, regions
from holdstill.counting.partitions import cuts
from holdstill.counting.uniform import cut_at, cut_table, uniform_cut
from holdstill.puzzles.araf import generate
from holdstill.puzzles.layouts import small_rooms

TWO_TO_FIVE = {"smallest": 2, "largest": 5}


def as_cut(labels):
    cells = {}
    for place, room in np.ndenumerate(labels):
        cells.setdefault(int(room), set()).add(place)
    return frozenset(map(frozenset, cells.values()))


def listed(rows, cols, smallest=1, largest=99):
    return {
        frozenset(map(frozenset, blocks))
        for blocks in grown_partitions(lattice(rows, cols))
        if all(smallest <= len(block) <= largest for block in blocks)
    }


@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 6), (4, 1), (2, 4), (3, 2), (3, 3)])
def test_the_ranks_are_the_list(rows, cols):
    for sizes in ({}, TWO_TO_FIVE):
        table = cut_table(rows, cols, **sizes)
        drawn = {as_cut(grid if rows >= cols else grid.T) for grid in map(partial(cut_at, table), range(table.total))}
        assert drawn == listed(rows, cols, **sizes)
        assert len(drawn) == table.total == cuts(rows, cols, **sizes)


def statistic(sampler, options, draws):
    """Chi-square of the counts over the full list, as standard deviations from its mean (degrees of freedom)."""
    rng, counts = np.random.default_rng(6), Counter()
    for _ in range(draws):
        counts[as_cut(sampler(3, 3, rng))] += 1
    assert counts.keys() <= options
    expected = draws / len(options)
    chi_square = sum((counts[one] - expected) ** 2 for one in options) / expected
    return (chi_square - (len(options) - 1)) / (2 * (len(options) - 1)) ** 0.5


def test_draws_are_uniform():
    every, few = listed(3, 3), listed(3, 3, **TWO_TO_FIVE)
    assert abs(statistic(uniform_cut, every, 6 * len(every))) < 3
    assert abs(statistic(partial(uniform_cut, **TWO_TO_FIVE), few, 20 * len(few))) < 3
    assert statistic(small_rooms, few, 20 * len(few)) > 20  # the test tells a sampler that is not


@pytest.mark.parametrize("rows, cols, sizes", [(8, 8, {}), (7, 7, TWO_TO_FIVE), (4, 20, TWO_TO_FIVE), (20, 3, {})])
def test_larger_cuts_are_cuts(rows, cols, sizes):
    rng = np.random.default_rng(8)
    drawn = [uniform_cut(rows, cols, rng, **sizes) for _ in range(20)]
    assert len({one.tobytes() for one in drawn}) == 20
    for labels in drawn:
        assert labels.shape == (rows, cols) and labels.dtype == np.int32
        assert (regions(labels) == labels).all(), "connected, in reading order"
        if sizes:
            counts = np.bincount(labels.ravel())
            assert counts.min() >= 2 and counts.max() <= 5
    again = uniform_cut(rows, cols, np.random.default_rng(8), **sizes)
    assert (again == drawn[0]).all()


def test_it_is_a_room_sampler_of_arafs_generator():
    made = generate(6, 6, np.random.default_rng(4), rooms=partial(uniform_cut, **TWO_TO_FIVE))
    assert made.board.is_valid(made.answer)
    sizes = np.bincount(made.answer)[1:]
    assert sizes.min() >= 2 and sizes.max() <= 5
    with pytest.raises(PuzzleError, match="has one cell"):
        generate(6, 6, np.random.default_rng(4), rooms=uniform_cut)


def test_bad_input():
    for rank in (-1, 118):
        with pytest.raises(PuzzleError, match=f"ranks 0 to 117, not {rank}"):
            cut_at(cut_table(3, 3, **TWO_TO_FIVE), rank)
    for rows, cols, told in [(0, 3, "not 0"), (12, 12, " GB"), (3, 10**9, "up to 1000")]:
        with pytest.raises(PuzzleError, match=told):
            uniform_cut(rows, cols, np.random.default_rng(0))
    with pytest.raises(PuzzleError, match="a 1x1 grid cannot be cut into rooms of 2 to 5 cells"):
        uniform_cut(1, 1, np.random.default_rng(0), **TWO_TO_FIVE)
