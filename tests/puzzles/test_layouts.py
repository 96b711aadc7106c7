"""Layouts: connected rooms in reading order, rectangles where they should be, close to the published counts."""

import numpy as np
import pytest

from holdstill.core.grid import PuzzleError, regions
from holdstill.puzzles.layouts import AXES, grown, guillotine, scattered_rooms

SIZES = [(1, 1), (1, 9), (9, 1), (2, 2), (5, 7), (12, 12), (1, 64), (64, 64)]


def rooms(labels):
    for room in range(labels.max() + 1):
        ys, xs = np.nonzero(labels == room)
        yield len(ys), (np.ptp(ys) + 1), (np.ptp(xs) + 1)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("size", SIZES)
def test_guillotine(size, axis):
    for seed in range(3):
        labels = guillotine(*size, np.random.default_rng(seed), axis=axis)
        assert labels.shape == size and labels.dtype == np.int32
        assert (regions(labels) == labels).all(), "connected, in reading order"
        for area, tall, wide in rooms(labels):
            assert area == tall * wide <= 12
        assert (labels == guillotine(*size, np.random.default_rng(seed), axis=axis)).all()


@pytest.mark.parametrize("always_keep, may_keep, chance", [(1, 1, 0.0), (4, 4, 0.0), (2, 6, 1.0), (0, 0, 0.5)])
def test_the_stop_rules_bound_the_rooms(always_keep, may_keep, chance):
    keep = {"always_keep": always_keep, "may_keep": may_keep, "chance": chance}
    areas = [area for area, _, _ in rooms(guillotine(20, 20, np.random.default_rng(0), **keep))]
    assert max(areas) <= max(1, always_keep, may_keep)
    if chance == 1.0:  # a rectangle small enough is never cut further: one of 7 or 8 cells gives the smaller ones
        assert max(areas) == may_keep


def test_room_and_clause_counts_come_close_to_the_published_ones():
    published = {5: (6.9, 7.8), 7: (11.7, 23.6), 9: (20.9, 49.8)}
    rng = np.random.default_rng(1)
    for side, expected in published.items():
        counts = []
        for _ in range(3000):
            labels = guillotine(side, side, rng)
            walls = [(grid[:, 1:] != grid[:, :-1]).sum(1) for grid in (labels, labels.T)]
            counts.append((labels.max() + 1, sum(np.maximum(0, wall - 1).sum() for wall in walls)))
        measured = np.mean(counts, axis=0)
        print(f"{side}x{side}: {measured.round(2)} rooms and clauses, published {expected}")
        assert (abs(measured / expected - 1) < 0.1).all()


@pytest.mark.parametrize("size", SIZES)
def test_grown(size):
    for largest in (1, 2, 7):
        labels = grown(*size, np.random.default_rng(3), largest=largest)
        assert labels.shape == size and labels.dtype == np.int32
        assert (regions(labels) == labels).all()
        assert np.bincount(labels.ravel()).max() <= largest
        assert (labels == grown(*size, np.random.default_rng(3), largest=largest)).all()


def test_grown_makes_rooms_that_are_not_rectangles():
    labels = grown(10, 10, np.random.default_rng(0))
    assert sum(area < tall * wide for area, tall, wide in rooms(labels)) > 3


@pytest.mark.parametrize("wrong", [{"axis": "wide"}, {"chance": 1.5}, {"rows": 65}, {"rows": 0}])
def test_bad_input(wrong):
    with pytest.raises(PuzzleError):
        guillotine(**{"rows": 5, "cols": 5, "rng": np.random.default_rng(0)} | wrong)


@pytest.mark.parametrize("size, largest", [((1, 2), 5), ((1, 9), 4), ((2, 3), 6), ((5, 7), 3), ((12, 12), 5)])
def test_scattered_rooms(size, largest):
    sizes = set()
    for seed in range(10):
        labels = scattered_rooms(*size, np.random.default_rng(seed), largest=largest)
        assert labels.shape == size and labels.dtype == np.int32
        assert (regions(labels) == labels).all(), "connected, in reading order"
        sizes |= set(np.bincount(labels.ravel()).tolist())
        assert (labels == scattered_rooms(*size, np.random.default_rng(seed), largest=largest)).all()
    assert sizes <= set(range(2, largest + 1)) and (sizes == set(range(2, largest + 1)) or min(size) < 5)


def test_scattered_rooms_refuse():
    rng = np.random.default_rng(0)
    with pytest.raises(PuzzleError, match="no way was found to fill a 1x1 grid with rooms of 2 to 5 cells"):
        scattered_rooms(1, 1, rng)
    with pytest.raises(PuzzleError, match="2 cells or more, not up to 1"):
        scattered_rooms(4, 4, rng, largest=1)
