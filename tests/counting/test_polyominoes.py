"""Fixed polyominoes by the transfer matrix, against the encyclopedia and a plain growing of sets."""

import pytest

from holdstill.core.grid import PuzzleError
from holdstill.counting.polyominoes import MOST, fixed_polyominoes

A001168 = [1, 2, 6, 19, 63, 216, 760, 2725, 9910, 36446, 135268, 505861, 1903890, 7204874]


def grown(most):
    """How many sets of each size, grown cell by cell and moved to the corner."""
    sets, counts = {frozenset([(0, 0)])}, []
    for _ in range(most):
        counts.append(len(sets))
        larger = set()
        for one in sets:
            for y, x in one:
                for near in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
                    if near not in one:
                        cells = [*one, near]
                        top, left = min(y for y, _ in cells), min(x for _, x in cells)
                        larger.add(frozenset((y - top, x - left) for y, x in cells))
        sets = larger
    return counts


def test_a_plain_growing_of_sets():
    assert fixed_polyominoes(8) == grown(8)


def test_a001168():
    assert fixed_polyominoes(14) == A001168
    assert fixed_polyominoes(20)[-1] == 22964779660


@pytest.mark.parametrize("most", range(1, 13))
def test_what_is_dropped_depends_on_the_largest_size_only(most):
    assert fixed_polyominoes(most) == A001168[:most]


@pytest.mark.parametrize("most", [0, -1, MOST + 1])
def test_bad_input(most):
    with pytest.raises(PuzzleError, match="up to 32 cells"):
        fixed_polyominoes(most)
