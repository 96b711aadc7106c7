"""The second routes of the notebook on counting, and its rows on drawn cuts."""

import numpy as np
import pytest

from holdstill.counting.partitions import cuts
from holdstill.counting.polyominoes import fixed_polyominoes
from holdstill.lab.studies.counting import (
    SAMPLERS,
    cuts_again,
    frequencies,
    numbers_row,
    polyominoes,
    sampler_row,
    through_the_first,
    through_the_middle,
)
from holdstill.lab.study import run

A006770 = [1, 4, 20, 110, 638, 3832, 23592, 147941, 940982, 6053180, 39299408]


def test_the_enumerator_and_the_matrix():
    first = through_the_first(16)
    assert first == fixed_polyominoes(16)
    assert through_the_middle(12) == [n * count for n, count in enumerate(first[:12], 1)]


def test_polyominoes_joined_by_corners():
    assert through_the_first(11, king=True) == A006770
    assert through_the_middle(8, king=True) == [n * count for n, count in enumerate(A006770[:8], 1)]


def test_the_polyominoes_themselves():
    shapes = polyominoes(5)
    assert len({tuple(one) for one in shapes}) == len(shapes) == 63
    assert all(min(y for y, _ in one) == min(x for _, x in one) == 0 for one in shapes)
    turned = {tuple(sorted((x, y) for y, x in one)) for one in shapes}
    assert turned == {tuple(one) for one in shapes}


@pytest.mark.parametrize("sizes", [{}, {"smallest": 2, "largest": 5}])
def test_the_count_from_remainders(sizes):
    for rows, cols in [(1, 5), (4, 6), (7, 3), (6, 6)]:
        assert cuts_again(rows, cols, **sizes) == cuts(rows, cols, **sizes)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_rows_on_drawn_cuts(sampler):
    rows = run(sampler_row, 20, {"size": 5, "sampler": sampler})
    sizes = np.array([rows[f"rooms_of_{cells}"] for cells in range(2, 6)])
    assert (sizes.sum(axis=0) == rows.rooms).all()
    assert (np.arange(2, 6) @ sizes == 25).all()
    assert 0 < rows.unique.sum() < 20
    counts = frequencies(np.random.default_rng(2), 3, sampler, 400)
    assert counts.sum() == 400 and (np.diff(counts) <= 0).all() and len(counts) <= 118


def test_rows_without_numbers():
    rows = run(numbers_row, 4, {"size": 4, "cap": 5000})
    assert ((rows.answers > 1) & (rows.answers < 5000)).all()
    capped = run(numbers_row, 4, {"size": 4, "cap": 50})
    assert (capped.answers == 50).all()
