"""The study of Tapa's rings: ways, domains and agreements against slower readings, positions against the rungs."""

import itertools

import numpy as np
import pytest

from holdstill.core.grid import SHADED, UNKNOWN
from holdstill.lab.studies import positions
from holdstill.lab.studies import tapa_rings as studies
from holdstill.lab.study import row_at
from holdstill.puzzles.rings import runs

LINES = [((8,), 3), ((5, 3), 4), ((2, 3), 3), ((1, 2, 2), 3), ((4,), 0)]
CLUES = [(1,), (3,), (6,), (2, 1), (4, 2), (5, 1)]


def slow_lines(tubes, count):
    """Every shading of the cells, kept where each tube is filled from its bulb and the count holds."""
    cuts = np.cumsum((0, *tubes))
    for one in itertools.product((False, True), repeat=sum(tubes)):
        pieces = [list(one[a:b]) for a, b in itertools.pairwise(cuts)]
        if sum(one) == count and all(sorted(piece, reverse=True) == piece for piece in pieces):
            yield one, tuple(map(sum, pieces))


def slow_rings(clue):
    """Every shading of the ring that gives the clue, with the place of each run found by walking back to its start."""
    for mask in range(256):
        if runs(mask) == clue:
            starts = [i for i in range(8) if mask >> i & 1 and not mask >> (i - 1) % 8 & 1]
            lengths = {next(n for n in range(9) if not mask >> (i + n) % 8 & 1): i for i in starts}
            yield tuple(bool(mask >> i & 1) for i in range(8)), tuple(lengths[run] for run in clue)


def compared(made, expected):
    ways, coordinates = made
    found = [(tuple(map(bool, way)), tuple(map(int, at))) for way, at in zip(ways, coordinates, strict=True)]
    assert len(found) == len(set(found)) and set(found) == set(expected)


@pytest.mark.parametrize("tubes, count", LINES)
def test_the_ways_of_a_line(tubes, count):
    compared(studies.line_ways(tubes, count), slow_lines(tubes, count))


@pytest.mark.parametrize("clue", CLUES)
def test_the_ways_of_a_ring(clue):
    compared(studies.ring_ways(clue), slow_rings(clue))


def has_hole(domain, size):
    """By deleting: a stretch is what some range of values gives. `size` is None where values are not cyclic."""
    if size is None:
        return domain != set(range(min(domain), max(domain) + 1))
    return not any(
        domain == {(first + i) % size for i in range(n)} for first in range(size) for n in range(1, size + 1)
    )


def shortest(domain, size):
    """All stretches that hold a domain and are as short as any."""
    if size is None:
        return [set(range(min(domain), max(domain) + 1))]
    arcs = [{(first + i) % size for i in range(n)} for n in range(1, size + 1) for first in range(size)]
    arcs = [arc for arc in arcs if domain <= arc]
    return [arc for arc in arcs if len(arc) == len(arcs[0])]


def agreed(state, ways):
    """What is the same in all of these ways, where the state is open."""
    same = [{way[i] for way in ways} for i in range(len(state))]
    told = [(2 if True in one else 1) if len(one) == 1 else 0 for one in same]
    return [known or new for known, new in zip(state, told, strict=True)]


@pytest.mark.parametrize(
    "ways, cyclic",
    [(list(slow_lines(*line)), False) for line in LINES if line[0] != (8,)]
    + [(list(slow_rings(c)), True) for c in CLUES],
)
def test_what_partial_states_leave(ways, cyclic):
    """A sample of the partial states, way by way, cell by cell."""
    shadings, coordinates = (np.array(one) for one in zip(*ways, strict=True))
    left, cells, size = studies.left(shadings, coordinates, cyclic=cyclic), shadings.shape[1], 8 if cyclic else None
    rows = {tuple(state.tolist()): number for number, state in enumerate(left.states)}
    checked, holes = 0, 0
    for number, state in enumerate(itertools.product(range(3), repeat=cells)):
        kept = [(way, at) for way, at in ways if all(s == 0 or (s == 2) == w for s, w in zip(state, way, strict=True))]
        assert (state in rows) == bool(kept)
        if not kept or (number % 7 and cells == 8):
            continue
        row = rows[state]
        domains = [{at[k] for _, at in kept} for k in range(len(kept[0][1]))]
        assert left.holes[row] == any(has_hole(domain, size) for domain in domains)
        assert left.deduced[row].tolist() == agreed(state, [way for way, _ in kept])
        choices = itertools.product(*(shortest(domain, size) for domain in domains))
        by_ends = [
            agreed(state, [way for way, at in ways if all(a in arc for a, arc in zip(at, arcs, strict=True))])
            for arcs in choices
        ]
        assert left.by_ends[row].tolist() in by_ends
        assert left.loses[row] == (left.by_ends[row] != left.deduced[row]).any()
        checked, holes = checked + 1, holes + int(left.holes[row])
    assert checked >= 16 and (cyclic or holes == 0)


def test_lines_have_no_holes_and_only_holes_cost():
    table = studies.holes_table()
    assert len(table) == 5 + 13
    for (kind, name), row in table.items():
        assert row["ends lose without a hole"] == 0 and row["ends lose"] <= row["with a hole"]
        if kind == "line":
            assert row["with a hole"] == 0 and row["partial states"] > 2000
        else:
            assert (row["ends lose"] > 0) == (len(name.split()) == 3), name  # "clue 2 1": two runs
    assert sum(row["ends lose"] for row in table.values()) == 106 + 84 + 259 + 188 + 304 + 258


def test_the_text_s_table_and_the_proof():
    table = studies.clue_table()
    assert len(table) == 23
    assert {name: (table[name]["table"], table[name]["relaxation"]) for name in ("4", "2 2", "3 1", "1 1 1 1")} == {
        "4": (8, 70),
        "2 2": (12, 70),
        "3 1": (24, 70),
        "1 1 1 1": (2, 70),
    }
    assert [name for name in table if table[name]["ahead"] == 0] == ["0", "1", "7", "8"]
    proof = studies.proof()
    assert {place: one["rings"] for place, one in proof.items()} == {
        "inside": 43 * 3**8,
        "side": 43 * 4 * 3**5,
        "corner": 43 * 4 * 3**3,
        "board one cell wide": 43 * (2 * 3**2 + 4 * 3),
    }
    assert all(one["missed"] == 0 and one["ahead"] > 0 for one in proof.values())


@pytest.mark.parametrize("puzzle", studies.RIVALS)
def test_positions_are_nested_and_the_first_rung_is_never_ahead(puzzle):
    params = {"puzzle": puzzle, "shares": [0, 0.3, 1]}
    rows = [row_at(studies.position_row, index, params) for index in range(12)]
    assert {row["size"] for row in rows} == {5, 6, 7}
    assert all(row[f"behind_{s:g}"] == 0 for row in rows for s in params["shares"])
    assert all(row["ahead_1"] == 0 for row in rows)
    assert rows == [row_at(studies.position_row, index, params) for index in range(12)]
    assert (sum(row["ahead_0.3"] for row in rows) > 0) == ("thermometers" not in puzzle)
    assert sum(row["open_0.3"] for row in rows) > 0 or puzzle == "thermometers"


def test_a_position_is_what_its_rungs_decide(monkeypatch):
    """The row's counts from the states themselves."""
    seen = []
    real = positions.deduce

    def watched(board, rung, state):
        seen.append((rung, state.copy(), real(board, rung, state)))
        return seen[-1][2]

    monkeypatch.setattr(positions, "deduce", watched)
    row = studies.position_row(np.random.default_rng(4), "tapa", [0.2, 0.6])
    assert [rung for rung, *_ in seen] == ["count", "rings"] * 2
    assert (seen[0][1] == seen[1][1]).all() and (seen[2][1] == seen[3][1]).all()
    assert ((seen[0][1] == UNKNOWN) | (seen[0][1] == seen[2][1])).all() and (seen[2][1] == SHADED).any()
    for at, share in ((0, "0.2"), (2, "0.6")):
        count, rings = seen[at][2], seen[at + 1][2]
        assert row[f"ahead_{share}"] == sum(c == 0 != r for c, r in zip(count, rings, strict=True))
        assert row[f"open_{share}"] == sum(c == 0 == r for c, r in zip(count, rings, strict=True))
