"""Connected sets against networkx, against published counts, and across word boundaries."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from holdstill.core.grid import PuzzleError
from holdstill.counting.shapes import CHUNK, around, cells_of, connected_sets, count_sets

# OEIS A001168, fixed polyominoes, and A006770, fixed polyplets.
A001168 = [1, 2, 6, 19, 63, 216, 760, 2725, 9910, 36446, 135268, 505861]
A006770 = [1, 4, 20, 110, 638, 3832, 23592, 147941, 940982]

GRIDS = [(1, 1), (1, 7), (6, 1), (2, 2), (2, 5), (3, 3), (3, 4), (4, 3), (2, 6)]


def graph(rows, cols, king):
    lattice = nx.grid_2d_graph(rows, cols)
    if king:
        lattice = nx.strong_product(nx.path_graph(rows), nx.path_graph(cols))
    return nx.relabel_nodes(lattice, {(y, x): y * cols + x for y in range(rows) for x in range(cols)})


def by_networkx(rows, cols, king):
    lattice = graph(rows, cols, king)
    for size in range(1, rows * cols + 1):
        for some in combinations(range(rows * cols), size):
            if nx.is_connected(lattice.subgraph(some)):
                yield frozenset(some)


def listed(rows, cols, **choices):
    sets = [frozenset(cells_of(mask)) for chunk in connected_sets(rows, cols, **choices) for mask in chunk]
    assert len(set(sets)) == len(sets), "a set was listed twice"
    return set(sets)


@pytest.mark.parametrize("king", [False, True])
@pytest.mark.parametrize("rows, cols", GRIDS)
def test_the_same_sets_as_networkx(rows, cols, king):
    truth = set(by_networkx(rows, cols, king))
    assert listed(rows, cols, king=king) == truth
    sizes = np.bincount([len(one) for one in truth], minlength=rows * cols + 1)
    assert count_sets(rows, cols, king=king).tolist() == sizes.tolist()
    rng = np.random.default_rng(rows * 10 + cols)
    for _ in range(8):
        order = rng.permutation(rows * cols).tolist()
        through = order[: rng.integers(0, min(3, len(order) + 1))]
        avoid = order[len(through) :][: rng.integers(0, 3)]
        low = int(rng.integers(1, 5))
        high = low + int(rng.integers(0, 5))
        wanted = {one for one in truth if one >= set(through) and not one & set(avoid) and low <= len(one) <= high}
        assert listed(rows, cols, through=through, avoid=avoid, low=low, high=high, king=king) == wanted
        if len(through) < 2:
            counts = count_sets(rows, cols, through=through, avoid=avoid, high=high, king=king)
            assert counts[low:].sum() == len(wanted)


@pytest.mark.parametrize("king, terms", [(False, A001168), (True, A006770)])
def test_published_counts(king, terms):
    """Sets through one cell of the first row that is their first in reading order: each polyomino once."""
    n = len(terms)
    width = 2 * n - 1
    counts = count_sets(n, width, through=[n - 1], avoid=range(n - 1), high=n, king=king)
    assert counts.tolist() == [0, *terms]
    n = 7
    masks = list(connected_sets(n, 2 * n - 1, through=[n - 1], avoid=range(n - 1), low=n, high=n, king=king))
    assert sum(map(len, masks)) == terms[n - 1]
    assert len({mask.tobytes() for chunk in masks for mask in chunk}) == terms[n - 1]


def test_masks_of_any_width():
    """The same shapes on a grid of 64 columns and several words, shifted across the boundaries between them."""
    small = {tuple(cells_of(mask)) for chunk in connected_sets(3, 3, through=[4], king=True) for mask in chunk}
    for y, x in [(0, 0), (0, 61), (1, 30), (61, 61)]:
        window = [(y + dy) * 64 + x + dx for dy in range(3) for dx in range(3)]
        outside = set(range(64 * 64)) - set(window)
        chunks = list(connected_sets(64, 64, through=[window[4]], avoid=outside, king=True))
        assert {tuple(window.index(cell) for cell in cells_of(mask)) for chunk in chunks for mask in chunk} == small
        assert all(chunk.shape[1] == 64 for chunk in chunks)


def test_chunks_are_full_but_the_last():
    chunks = list(connected_sets(4, 4, through=[0]))
    assert [len(chunk) for chunk in chunks[:-1]] == [CHUNK] * (len(chunks) - 1) and len(chunks) > 1
    assert sum(map(len, chunks)) == count_sets(4, 4, through=[0]).sum()


def test_neighbours_by_corners():
    for rows, cols in GRIDS:
        for king in (False, True):
            lattice = graph(rows, cols, king)
            for cell, near in enumerate(around(rows, cols, king).tolist()):
                assert sorted(one for one in near if one >= 0) == sorted(lattice.adj[cell])


@pytest.mark.parametrize(
    "choices, told",
    [
        ({"through": [9]}, "cell 9 is not on a 3x3 grid"),
        ({"avoid": [-1]}, "cell -1 is not"),
        ({"through": [1, 2, 3]}, "none, one or two cells"),
        ({"through": [1, 1]}, "none, one or two cells"),
        ({"through": [1], "avoid": [1]}, "cell 1 cannot be both"),
        ({"low": 0}, "at least 1 cell"),
        ({"high": 0}, "at least 1 cell"),
    ],
)
def test_what_is_wrong_is_named(choices, told):
    with pytest.raises(PuzzleError, match=told):
        list(connected_sets(3, 3, **choices))


def test_counts_go_through_one_cell():
    with pytest.raises(PuzzleError, match="one cell at most"):
        count_sets(3, 3, through=[0, 1])
    assert listed(2, 2, low=3, high=2) == set()
    assert listed(1, 3, through=[0, 2], avoid=[1]) == set()
