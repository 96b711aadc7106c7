"""Cuts of a grid into rooms, against the encyclopedia, an enumeration that shares no code, and the other sweep."""

import tracemalloc

import networkx as nx
import pytest
from cuts_for_tests import grown_partitions, lattice

from holdstill.core.grid import PuzzleError
from holdstill.counting import memory
from holdstill.counting.partitions import cuts, table_bytes, transitions
from holdstill.counting.uniform import cut_table

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


@pytest.mark.parametrize(("rows", "cols"), SMALL)
def test_small_grids_match_an_enumeration(rows, cols):
    total, sized = 0, 0
    for blocks in grown_partitions(lattice(rows, cols)):
        total += 1
        sized += all(2 <= len(block) <= 5 for block in blocks)
    assert cuts(rows, cols) == total
    assert cuts(rows, cols, smallest=2, largest=5) == sized


def test_the_enumeration_itself():
    graph = lattice(2, 3)
    connected = sum(
        all(nx.is_connected(graph.subgraph(block)) for block in blocks) for blocks in set_partitions(sorted(graph))
    )
    assert connected == sum(1 for _ in grown_partitions(graph))


def test_the_diagonal_is_a145835():
    assert [cuts(n, n) for n in range(1, 8)] == A145835


def test_the_diagonal_with_rooms_of_2_to_5_cells():
    assert [cuts(n, n, smallest=2, largest=5) for n in range(1, 7)] == [0, 3, 118, 21190, 20993632, 118336551274]


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


def test_rooms_of_any_largest_size():
    """What a frontier forgets hangs on the sizes: no bound that matters is no bound at all."""
    for rows, cols in [(1, 7), (2, 3), (7, 1)]:
        assert cuts(rows, cols, largest=7) == cuts(rows, cols)
    for smallest in range(1, 8):
        for largest in range(smallest, 8):
            sweeps = {cuts(3, 6, smallest=smallest, largest=largest, snake=snake) for snake in (False, True)}
            assert len(sweeps) == 1


def test_a_table_that_does_not_fit_is_refused_before_the_work(monkeypatch):
    monkeypatch.setattr(memory, "physical", lambda: 1e9)
    with pytest.raises(PuzzleError, match=r"cuts of width 11 needs about 3\.1 GB of memory, more than"):
        cuts(11, 11)
    with pytest.raises(PuzzleError, match=r"width 9 needs about 3\.4 GB"):
        cuts(9, 9, largest=5)
    with pytest.raises(PuzzleError, match=r"all cuts of a 9x9 grid needs about 5 GB"):
        cut_table(9, 9, 2, 5)


@pytest.mark.parametrize("width, smallest, largest", [(8, 1, 0), (6, 1, 4), (6, 2, 5), (5, 1, 7)])
def test_the_estimate_of_memory_holds(width, smallest, largest):
    """An estimate below the truth would let a table start that cannot end; one far above would refuse what fits."""
    tracemalloc.start()
    transitions(width, smallest=smallest, largest=largest)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(width, smallest, largest, peak, table_bytes(width, largest))
    assert peak / 2 < table_bytes(width, largest) < 3 * peak


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 12, "cols": 12}, r"1 to 11, not 12: .* 20 GB"),
        ({"rows": 1000, "cols": 1000}, "1 to 11, not 1000: .* GB"),
        ({"rows": 3, "cols": 10**9}, "longer side of up to 1000, not 1000000000"),
        ({"rows": 10**99, "cols": 10**99}, "longer side of up to 1000, not 1000"),
        ({"rows": 2.5, "cols": 3}, "whole numbers, not 2.5"),
        ({"rows": -1, "cols": 3}, "1 to 11, not -1"),
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
