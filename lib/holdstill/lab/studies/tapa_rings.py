"""Tapa's rings: positions under one protocol for all puzzles, and what enumeration sees on one ring and one line."""

from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED
from holdstill.lab.studies.positions import positions
from holdstill.lab.studies.tapa import clues_with_unknowns, contained
from holdstill.lab.studies.thermometers import filled
from holdstill.puzzles import heyawake, tapa, thermometers
from holdstill.puzzles.rings import ring_table, rings, runs

# A puzzle's generator, and its rival rungs: the one that adds up and the one that lists (for Heyawake: windows).
# Little is open on a unique Thermometers board, so the same on any filling with six in ten counts shown.
RIVALS = {
    "heyawake": (heyawake.generate, "local", "spans"),
    "tapa": (tapa.generate, "count", "rings"),
    "thermometers": (thermometers.generate, "interval", "witness"),
    "thermometers_any": (partial(filled, shown=0.6), "interval", "witness"),
}

# What the text leaves open for Tapa's boards: one departure from the generator's defaults at a time.
CHOICES = {
    "default": {},
    "fill_0.2": {"fill": 0.2},
    "fill_0.3": {"fill": 0.3},
    "fill_0.6": {"fill": 0.6},
    "rings_carved": {"rung": "rings"},
    "probe_carved": {"rung": "probe"},
}


def position_row(rng: np.random.Generator, puzzle: str, shares: list[float], **choices) -> dict:
    """One board of 5x5 to 7x7 with growing shares of its answer revealed: what its two RIVALS decide there.

    For each share s: `ahead_s` cells that the second decides and the first does not, `behind_s` the other way round,
    `open_s` cells that neither decides. `choices` are those of the puzzle's `generate`.
    """
    generate, *rungs = RIVALS[puzzle]
    size = int(rng.integers(5, 8))
    board, answer = generate(size, size, rng, **choices)[:2]
    row = {"size": size}
    for share, _, (one, other) in positions(rng, board, answer, shares, rungs):
        row[f"ahead_{share:g}"] = int(((other != UNKNOWN) & (one == UNKNOWN)).sum())
        row[f"behind_{share:g}"] = int(((one != UNKNOWN) & (other == UNKNOWN)).sum())
        row[f"open_{share:g}"] = int(((one == UNKNOWN) & (other == UNKNOWN)).sum())
    return row


def clue_table() -> dict[str, dict]:
    """The clues of a full ring: their patterns, and those with the same total.

    `ahead` is the share, in percent, of the 3^8 partial rings on which the clue's table says more than its total.

    >>> clue_table()["1 1 1 1"]["table"], clue_table()["1 1 1 1"]["relaxation"]
    (2, 70)
    """
    every = ring_table()
    found = {}
    for clue, ones in every.items():
        told = contained(clue)
        found[" ".join(map(str, clue))] = {
            "total": sum(clue),
            "table": len(ones),
            "relaxation": sum(len(others) for runs, others in every.items() if sum(runs) == sum(clue)),
            "ahead": 100 * told["ahead"] / told["rings"],
        }
    return found


# Rings by where they lie: the shapes that they have there (see `rings.rings`).
PLACES = {
    "inside": rings(3, 3)[1][[4]],
    "side": rings(3, 3)[1][[1, 3, 5, 7]],
    "corner": rings(3, 3)[1][[0, 2, 6, 8]],
    "board one cell wide": np.concatenate([rings(1, 3)[1], rings(3, 1)[1]]),
}


def proof() -> dict[str, dict]:
    """Is count contained in rings? `contained` summed over every clue ("?" too) and every ring, by the ring's place."""
    found = {}
    for place, shapes in PLACES.items():
        one = {"shapes": len(shapes), "clues": 0, "rings": 0, "missed": 0, "ahead": 0}
        for shape, clue, positive in product(shapes.tolist(), clues_with_unknowns(), (False, True)):
            if clue == ("?",) or not positive:  # the switch changes a lone "?" only
                one["clues"] += 1
                for name, number in contained(clue, shape, positive).items():
                    one[name] += number
        found[place] = one
    return found


def line_ways(tubes: tuple[int, ...], count: int) -> tuple[np.ndarray, np.ndarray]:
    """Every way that tubes of these lengths, end to end in a line, hold a count; and each tube's level there.

    Bool of shape (ways, cells) and int of shape (ways, tubes).

    >>> line_ways((1, 2), 2)[1].tolist()
    [[0, 2], [1, 1]]
    """
    levels = np.array([ways for ways in product(*(range(n + 1) for n in tubes)) if sum(ways) == count])
    filled = [np.arange(n) < level[:, None] for n, level in zip(tubes, levels.T, strict=True)]
    return np.concatenate(filled, axis=1), levels


def ring_ways(clue: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Every way that runs of different lengths lie on a full ring; and the cell where each begins (going clockwise).

    Bool of shape (ways, 8) and int of shape (ways, runs).

    >>> ring_ways((6, 1))[0].shape, ring_ways((5, 1))[1].tolist()[:2]
    ((0, 8), [[0, 6], [1, 7]])
    """
    ways, places = np.zeros((0, 8), bool), np.zeros((0, len(clue)), int)
    for begins in product(range(8), repeat=len(clue)):
        each = (np.arange(8) - np.array(begins)[:, None]) % 8 < np.array(clue)[:, None]
        shaded = each.any(axis=0)
        if runs(int((shaded << np.arange(8)).sum())) == clue:
            ways, places = np.vstack([ways, shaded]), np.vstack([places, begins])
    return ways, places


def between_ends(domain: np.ndarray, cyclic: bool) -> np.ndarray:
    """A domain (bool, one or more values) with its holes filled: all from its first value to its last.

    Where values are cyclic: the shortest arc that holds the domain, the first of several.

    >>> between_ends(np.array([0, 1, 0, 1, 0], bool), False).astype(int).tolist()
    [0, 1, 1, 1, 0]
    >>> between_ends(np.array([0, 1, 0, 0, 1], bool), True).astype(int).tolist()
    [1, 1, 0, 0, 1]
    """
    values, n = np.flatnonzero(domain), len(domain)
    lengths = (np.roll(values, 1) - values) % n  # from each value on, round to the one before it
    start = int(np.argmin(lengths)) if cyclic else 0
    length = lengths[start] if cyclic else values[-1] - values[0]
    filled = np.zeros(n, bool)
    filled[(values[start] + np.arange(length + 1)) % n] = True
    return filled


class Left(NamedTuple):
    """What each partial state of a line or a ring leaves of its ways, and what keeping ends alone would leave.

    `states` int8 (n, cells): every partial state that some way meets. `ways` bool (n, ways): the ways that meet it.
    `holes` bool (n,): does the domain of some coordinate have a hole? `deduced` int8 (n, cells): the state and what the
    ways left agree on. `by_ends` int8 (n, cells): the same of all ways whose every coordinate (a level, a place) lies
    between the ends of what is left of it.
    """

    states: np.ndarray
    ways: np.ndarray
    holes: np.ndarray
    deduced: np.ndarray
    by_ends: np.ndarray

    @property
    def loses(self) -> np.ndarray:
        """Where the ends know less, bool (n,)."""
        return (self.deduced != self.by_ends).any(axis=1)


def left(ways: np.ndarray, coordinates: np.ndarray, *, cyclic: bool) -> Left:
    """Every partial state of a line or a ring: see `Left`, `line_ways` and `ring_ways`.

    >>> one = left(*line_ways((5, 3), 4), cyclic=False)
    >>> len(one.states), int(one.holes.sum()), int(one.loses.sum())
    (832, 0, 0)
    >>> one = left(*ring_ways((3, 1)), cyclic=True)
    >>> len(one.states), int(one.holes.sum()), int(one.loses.sum())
    (3421, 716, 84)
    """
    states = np.array(list(product((UNKNOWN, UNSHADED, SHADED), repeat=ways.shape[1])), np.int8)
    against = (states == SHADED).astype(int) @ ~ways.T + (states == UNSHADED).astype(int) @ ways.T
    met = (against == 0).any(axis=1)
    states, stay = states[met], against[met] == 0
    between, holes = np.ones_like(stay), np.zeros(len(stay), bool)
    for column in coordinates.T:
        size = 8 if cyclic else int(column.max()) + 1
        domain = stay @ (column[:, None] == np.arange(size))
        _, first, which = np.unique(domain @ (1 << np.arange(size)), return_index=True, return_inverse=True)
        filled = np.array([between_ends(one, cyclic) for one in domain[first]])[which]
        holes |= (filled != domain).any(axis=1)
        between &= filled[:, column]
    return Left(states, stay, holes, _agreed(ways, stay, states), _agreed(ways, between, states))


def _agreed(ways: np.ndarray, kept: np.ndarray, states: np.ndarray) -> np.ndarray:
    """The states and what the ways kept for each agree on."""
    told = np.where(~(kept @ ~ways), SHADED, np.where(~(kept @ ways), UNSHADED, UNKNOWN))
    return np.where(states == UNKNOWN, told, states).astype(np.int8)


def holes_table() -> dict[tuple[str, str], dict]:
    """Every partial state of lines of eight cells in one or two tubes, and of rings whose runs differ in length.

    Lines with every count that they can have; the table sums over them.
    """
    found = {}
    for tubes in ((8,), (7, 1), (6, 2), (5, 3), (4, 4)):
        every = [left(*line_ways(tubes, count), cyclic=False) for count in range(9)]
        found["line", "tubes of " + " and ".join(map(str, tubes))] = _summed(every)
    for clue in ring_table():
        if len(set(clue)) == len(clue) and clue not in ((0,), (8,)):  # their only way has no place
            found["ring", "clue " + " ".join(map(str, clue))] = _summed([left(*ring_ways(clue), cyclic=True)])
    return found


def _summed(every: list[Left]) -> dict[str, int]:
    return {
        "partial states": sum(len(one.states) for one in every),
        "with a hole": sum(int(one.holes.sum()) for one in every),
        "ends lose": sum(int(one.loses.sum()) for one in every),
        "ends lose without a hole": sum(int((one.loses & ~one.holes).sum()) for one in every),
    }
