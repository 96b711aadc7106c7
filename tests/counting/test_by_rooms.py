"""Cuts counted room by room, against networkx and against the frontier, which shares no code with it."""

import pytest
from cuts_for_tests import grown_partitions, lattice
from hypothesis import given, settings
from hypothesis import strategies as st

from holdstill.core.grid import PuzzleError
from holdstill.counting.by_rooms import cuts_by_rooms
from holdstill.counting.partitions import cuts


@pytest.mark.parametrize("king", [False, True])
@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 5), (2, 2), (2, 4), (3, 3), (5, 2)])
def test_small_grids_match_networkx(rows, cols, king):
    sizes = [[len(block) for block in blocks] for blocks in grown_partitions(lattice(rows, cols, king))]
    assert cuts_by_rooms(rows, cols, king=king) == len(sizes)
    for low, high in [(2, 5), (1, 3), (4, 4)]:
        fit = sum(all(low <= size <= high for size in one) for one in sizes)
        assert cuts_by_rooms(rows, cols, king=king, smallest=low, largest=high) == fit


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 4), st.integers(0, 6))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_the_frontier_agrees(rows, cols, smallest, more):
    sizes = {"smallest": smallest, "largest": min(7, smallest + more)}
    if rows * cols <= 16:
        assert cuts_by_rooms(rows, cols, **sizes) == cuts(rows, cols, **sizes)
        assert cuts_by_rooms(rows, cols) == cuts(rows, cols)


def test_known_counts():
    assert cuts_by_rooms(5, 5) == 19719299768
    assert cuts_by_rooms(5, 5, smallest=2, largest=5) == 20993632
    assert cuts_by_rooms(2, 2, king=True) == 15  # four cells that all touch: any way to put them into blocks
    assert cuts_by_rooms(1, 12, king=True) == 2**11


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 6, {}), "up to 25 cells: 5x6 would take 8.59 GB"),
        ((64, 64, {}), "up to 25 cells: 64x64 would take"),
        ((0, 2, {}), "not 0x2"),
        ((-3, 2, {}), "not -3x2"),
        ((2, 2, {"smallest": 0}), "not 0 to 0"),
        ((2, 2, {"smallest": 3, "largest": 2}), "not 3 to 2"),
    ],
)
def test_bad_input(arguments, message):
    rows, cols, sizes = arguments
    with pytest.raises(PuzzleError, match=message):
        cuts_by_rooms(rows, cols, **sizes)
