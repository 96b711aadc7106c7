"""Cells, neighbours, regions and words for places."""

import networkx as nx
import numpy as np
import pytest

from holdstill.core.grid import PuzzleError, check_size, edges, neighbours, regions, shown, where

SIZES = [(1, 1), (1, 7), (7, 1), (2, 2), (3, 5), (6, 4), (64, 64)]


@pytest.mark.parametrize("rows, cols", SIZES)
def test_edges_are_the_edges_of_the_grid_graph(rows, cols):
    grid = nx.grid_2d_graph(rows, cols)
    expected = {tuple(sorted((a * cols + b, c * cols + d))) for (a, b), (c, d) in grid.edges}
    found = edges(rows, cols)
    assert found.dtype == np.int32 and found.shape == (len(expected), 2)
    assert set(map(tuple, found.tolist())) == expected


@pytest.mark.parametrize("rows, cols", SIZES)
def test_neighbours_lie_up_left_right_down(rows, cols):
    found = neighbours(rows, cols)
    assert found.dtype == np.int32 and found.shape == (rows * cols, 4)
    for cell, around in enumerate(found.tolist()):
        y, x = divmod(cell, cols)
        places = [(y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)]
        assert around == [b * cols + a if 0 <= b < rows and 0 <= a < cols else -1 for b, a in places]


def test_regions_are_the_components_of_equal_labels():
    rng = np.random.default_rng(1)
    for _ in range(200):
        rows, cols = rng.integers(1, 8, 2).tolist()
        labels = rng.integers(-1, 3, (rows, cols))
        graph = nx.grid_2d_graph(rows, cols)
        graph.remove_edges_from([(a, b) for a, b in graph.edges if labels[a] != labels[b]])
        found = regions(labels)
        assert found.dtype == np.int32
        pieces = {frozenset(piece) for piece in nx.connected_components(graph)}
        by_number = {frozenset(map(tuple, np.argwhere(found == number).tolist())) for number in range(found.max() + 1)}
        assert by_number == pieces
        _, first = np.unique(found, return_index=True)
        assert first.tolist() == sorted(first.tolist())


@pytest.mark.parametrize(
    "cells, told",
    [
        ([0], "row 1, column 1"),
        ([6, 5], "row 1, columns 6 to 7"),
        ([2, 10, 18], "rows 1 to 3, column 3"),
        ([9, 10, 17, 18], "rows 2 to 3, columns 2 to 3"),
        ([0, 2], "r1c1 r1c3"),
        ([7, 8], "r1c8 r2c1"),
        ([0, 1, 8], "r1c1 r1c2 r2c1"),
        (np.array([9], np.int32), "row 2, column 2"),
    ],
)
def test_places_in_words(cells, told):
    assert where(cells, 8) == told


@pytest.mark.parametrize("size", [(1, 1), (64, 64), (1, 64), (np.int64(3), np.int32(4))])
def test_sizes_that_are_taken(size):
    assert check_size(*size) is None


@pytest.mark.parametrize(
    "size, told",
    [
        ((0, 3), "1 to 64 rows and columns, not 0x3"),
        ((3, 65), "1 to 64 rows and columns, not 3x65"),
        ((-1, 3), "not -1x3"),
        ((3, 2.0), "whole numbers, not 2.0"),
        ((True, 3), "whole numbers, not True"),
        (("3", 3), "whole numbers, not '3'"),
        ((3, None), "whole numbers, not None"),
    ],
)
def test_sizes_that_are_refused(size, told):
    with pytest.raises(PuzzleError, match=told):
        check_size(*size)


def test_an_error_is_a_value_error():
    assert issubclass(PuzzleError, ValueError)


def test_a_long_value_is_cut():
    assert shown([1, 2]) == "[1, 2]" and len(shown(list(range(100)))) <= 41
    assert shown("y" * 38) == repr("y" * 38)
