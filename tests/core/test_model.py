"""Blocks of constraints and the arrays they are compiled to."""

import itertools

import numpy as np
import pytest
from boards_for_tests import blocks_of, random_rules, table

from holdstill.core.grid import SHADED, UNSHADED, PuzzleError, neighbours
from holdstill.core.model import (
    CLAUSE,
    CONNECTED,
    COUNT,
    MAX_PATTERNS,
    TABLE,
    Ragged,
    active,
    at_least_one,
    between,
    compile_model,
    connected,
    exactly,
    one_of,
    shaded,
    unshaded,
)


@pytest.mark.parametrize(
    "given, flat, starts",
    [
        ([[3, 1], [], [2]], [3, 1, 2], [0, 2, 2, 3]),
        ([], [], [0]),
        ([[]], [], [0, 0]),
        (((5,), (6, 7)), [5, 6, 7], [0, 1, 3]),
        (np.array([[1, 2], [3, 4]], np.int64), [1, 2, 3, 4], [0, 2, 4]),
        (np.array([[1, 2, 3, 4]])[:, ::2], [1, 3], [0, 2]),
        (np.empty((0, 3), np.int32), [], [0]),
        (np.empty((2, 0), np.int32), [], [0, 0, 0]),
    ],
)
def test_lists_end_to_end(given, flat, starts):
    lists = Ragged.of(given)
    assert (lists.flat.tolist(), lists.starts.tolist()) == (flat, starts)
    assert lists.flat.dtype == lists.starts.dtype == np.int32 and lists.flat.flags.c_contiguous
    assert Ragged.of(lists) is lists


def test_literals_of_cells():
    assert shaded([[0, 3]]).flat.tolist() == [1, 7] and unshaded([[0, 3]]).flat.tolist() == [0, 6]
    assert shaded([[0], [3]]).starts.tolist() == [0, 1, 2]


def test_lists_without_a_number_are_left_out():
    block = exactly("rooms", [[0, 1], [2], [3, 4, 5], [6]], [None, 1, 0, None])
    assert block.lists.flat.tolist() == [2, 3, 4, 5] and block.lists.starts.tolist() == [0, 1, 4]
    assert block.low.tolist() == block.high.tolist() == [1, 0]
    none = exactly("rooms", [[0, 1]], [None])
    assert none.lists.starts.tolist() == [0] and len(none.low) == len(none.lists.flat) == 0


def test_the_arrays_say_what_the_blocks_said():
    blocks = [
        between("line", [[4, 5, 3], [1]], [1, 0], [2, 1], [0, 0, 1, 0]),
        table("ring", [[0, 1], [2]], [[0, 3], [1]]),
        connected("white", UNSHADED),
        at_least_one("pair", unshaded([[0, 1], [1, 2]])),
        exactly("nothing", [[0]], [None]),
        table("other", [[5]], [[0, 1]]),
        connected("black", SHADED),
    ]
    rules = ("pair", "line", "ring", "white", "black", "nothing", "other")
    model = compile_model(2, 3, blocks, rules)
    assert model.kind.tolist() == [COUNT, COUNT, TABLE, TABLE, CONNECTED, CLAUSE, CLAUSE, TABLE, CONNECTED]
    assert [rules[i] for i in model.rule] == ["line"] * 2 + ["ring"] * 2 + ["white"] + ["pair"] * 2 + ["other", "black"]
    cells = [(model.literals[a:b] >> 1).tolist() for a, b in zip(model.start, model.end, strict=True)]
    assert cells == [[4, 5, 3], [1], [0, 1], [2], [], [0, 1], [1, 2], [5], []]
    assert model.literals[model.start[5] : model.end[6]].tolist() == [0, 2, 2, 4]
    assert model.group[:4].tolist() == [0, 0, 1, 0] and len(model.group) == len(model.literals)
    bounds = list(zip(model.low.tolist(), model.high.tolist(), strict=True))
    assert bounds[:2] == [(1, 2), (0, 1)] and (bounds[4][0], bounds[8][0]) == (UNSHADED, SHADED)
    assert [model.patterns[slice(*bounds[con])].tolist() for con in (2, 3, 7)] == [[0, 3], [1], [0, 1]]
    assert model.connected.tolist() == [4, 8]
    assert (model.beside == neighbours(2, 3)).all()
    assert active(model, rules, {"line", "black"}).tolist() == [True] * 2 + [False] * 6 + [True]
    assert active(model, rules, ()).tolist() == [False] * 9


def test_every_array_but_none_is_contiguous_int32():
    for blocks in ([], [connected("white", 1)], blocks_of(random_rules(2, 3, np.random.default_rng(3)))):
        model = compile_model(2, 3, blocks, [block.rule for block in blocks])
        assert all(array.dtype == np.int32 and array.flags.c_contiguous for array in model)


def test_constraints_wake_for_the_values_that_can_hurt_them():
    rng = np.random.default_rng(4)
    for _ in range(50):
        blocks = blocks_of(random_rules(3, 3, rng))
        model = compile_model(3, 3, blocks, [block.rule for block in blocks])
        expected = [[] for _ in range(18)]
        for con, (a, b) in enumerate(zip(model.start.tolist(), model.end.tolist(), strict=True)):
            for literal in model.literals[a:b].tolist():
                expected[literal].append(con)
                if model.kind[con] != CLAUSE:
                    expected[literal ^ 1].append(con)
        starts = model.watch_start.tolist()
        found = [sorted(model.watch[a:b].tolist()) for a, b in itertools.pairwise(starts)]
        assert found == [sorted(one) for one in expected]


def test_a_table_has_a_cap_on_cells_and_on_patterns():
    assert len(table("ring", [range(16)], [[0]]).lists.flat) == 16
    with pytest.raises(PuzzleError, match="ring: a table holds up to 16 cells, not 17"):
        table("ring", [[0], range(17)], [[0], [0]])
    with pytest.raises(PuzzleError, match=f"ring: {MAX_PATTERNS + 1} patterns are more than the cap of {MAX_PATTERNS}"):
        table("ring", [range(16)] * 33, [range(1 << 16)] * 32 + [[0]])


def test_lists_may_share_patterns():
    lists = Ragged.of([[0, 1], [2], [1, 3]])
    shared = one_of("ring", lists, np.array([0, 2, 1], np.int32), np.array([2, 3, 3], np.int32), np.array([0, 3, 1]))
    apart = table("ring", lists, [[0, 3], [1], [3, 1]])
    for block in (shared, apart):
        assert [block.patterns[a:b].tolist() for a, b in zip(block.low, block.high, strict=True)] == [
            [0, 3],
            [1],
            [3, 1],
        ]
    assert len(shared.patterns) == 3 and len(apart.patterns) == 5
    with pytest.raises(PuzzleError, match="ring: a table holds up to 16 cells, not 17"):
        one_of("ring", [range(17)], shared.low[:1], shared.high[:1], shared.patterns)


def test_some_of_the_lists_are_kept():
    kept = Ragged.of([[0, 1], [], [2], [1, 3]]).kept(np.array([True, True, False, True]))
    assert kept.flat.tolist() == [0, 1, 1, 3] and kept.starts.tolist() == [0, 2, 2, 4]
