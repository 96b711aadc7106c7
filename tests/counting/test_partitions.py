"""Cuts of a grid into rooms, against the encyclopedia, an enumeration that shares no code, and the other sweep."""

import networkx as nx
import pytest

from holdstill.core.grid import PuzzleError
from holdstill.counting.partitions import cuts, transitions

A145835 = [1, 12, 1434, 1691690, 19719299768, 2271230282824746, 2584855762327078145444]
SMALL = [(rows, cols) for rows in range(1, 4) for cols in range(rows, 13) if rows * cols <= 12]


def set_partitions(cells):
    """Every way to put the cells into blocks."""
    if not cells:
        yield []
        return
    first, *rest = cells
    for blocks in set_partitions(rest):
        yield [[first], *blocks]
        for at in range(len(blocks)):
            yield [*blocks[:at], [first, *blocks[at]], *blocks[at + 1 :]]


def grown_partitions(graph, left):
    """Every way to cut the cells into connected blocks: the block of the first cell, then the rest."""
    if not left:
        yield []
        return
    first = min(left)
    others = sorted(left - {first})
    for bits in range(1 << len(others)):
        block = {first} | {cell for at, cell in enumerate(others) if bits >> at & 1}
        if nx.is_connected(graph.subgraph(block)):
            for rest in grown_partitions(graph, left - block):
                yield [block, *rest]


@pytest.mark.parametrize(("rows", "cols"), SMALL)
def test_small_grids_match_an_enumeration(rows, cols):
    graph = nx.grid_2d_graph(rows, cols)
    total, sized = 0, 0
    for blocks in grown_partitions(graph, frozenset(graph)):
        total += 1
        sized += all(2 <= len(block) <= 5 for block in blocks)
    assert cuts(rows, cols) == total
    assert cuts(rows, cols, smallest=2, largest=5) == sized


def test_the_enumeration_itself():
    graph = nx.grid_2d_graph(2, 3)
    connected = sum(
        all(nx.is_connected(graph.subgraph(block)) for block in blocks) for blocks in set_partitions(sorted(graph))
    )
    assert connected == sum(1 for _ in grown_partitions(graph, frozenset(graph)))


def test_the_diagonal_is_a145835():
    assert [cuts(n, n) for n in range(1, 8)] == A145835


def test_the_trap_of_rooms_declared_apart():
    assert cuts(3, 3) == 1434 != 1442  # 1442 is A264841, which lets rooms that are apart be joined another way round


@pytest.mark.parametrize("largest", [0, 4])
def test_sweeps_and_arithmetics_agree(largest):
    primes = (2**61 - 1, 2**31 - 1, 1009)
    for rows, cols in [(1, 1), (1, 9), (2, 7), (4, 5), (6, 6), (3, 20)]:
        exact = cuts(rows, cols, largest=largest)
        assert exact == cuts(cols, rows, largest=largest) == cuts(rows, cols, largest=largest, snake=True)
        for snake in (False, True):
            assert cuts(rows, cols, largest=largest, snake=snake, primes=primes) == [exact % one for one in primes]


def test_long_strips_do_not_overflow():
    assert cuts(1, 300) == 2**299
    two = [cuts(2, n) for n in range(1, 120)]
    assert two[-1] > 2**256
    assert all(c == 6 * b + a for a, b, c in zip(two, two[1:], two[2:], strict=False))  # A078469, from 2, 12


def test_frontiers_are_closed():
    for width in range(1, 6):
        steps = transitions(width)
        for one, after in zip(steps, [*steps[1:], steps[0]], strict=True):
            assert one.next.max() < len(after.keys)
            assert len({tuple(key) for key in one.keys.tolist()}) == len(one.keys)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 12, "cols": 12}, "1 to 11, not 12"),
        ({"rows": 0, "cols": 3}, "1 to 11, not 0"),
        ({"rows": 10, "cols": 10, "largest": 5}, "1 to 9, not 10"),
        ({"rows": 3, "cols": 3, "smallest": 4, "largest": 3}, "not 4 to 3"),
        ({"rows": 3, "cols": 3, "largest": 8}, "not 1 to 8"),
        ({"rows": 3, "cols": 3, "primes": (1 << 62,)}, "modulus"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(PuzzleError, match=message):
        cuts(**arguments)
