"""Araf's misreadings: answers counted by exhaustive covers with networkx, false answers and their rooms."""

import json
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from holdstill.core.grid import PuzzleError
from holdstill.lab.studies.araf_misreadings import (
    both_count,
    catalogue_counts,
    misread_row,
    nearest_false,
    offending,
)
from holdstill.lab.study import run
from holdstill.puzzles.araf import READINGS, Araf, generate
from holdstill.puzzles.araf_search import search


def lattice(board, corner):
    king = nx.strong_product(nx.path_graph(board.rows), nx.path_graph(board.cols))
    graph = king if corner else nx.grid_2d_graph(board.rows, board.cols)
    return nx.relabel_nodes(graph, {(y, x): y * board.cols + x for y, x in graph})


def rooms(board, inclusive, corner):
    """Every set of cells that could be a room, each cell set tried."""
    graph, at, slack = lattice(board, corner), dict(zip(board.at, board.values.tolist(), strict=True)), not inclusive
    found = []
    for size in range(2, len(graph) + 1):
        for cells in combinations(range(len(graph)), size):
            held = [at[cell] for cell in cells if cell in at]
            if (
                len(held) == 2
                and min(held) + slack <= size <= max(held) - slack
                and nx.is_connected(graph.subgraph(cells))
            ):
                found.append(frozenset(cells))
    return found


def covers(sets, left):
    if not left:
        return 1
    return sum(covers(sets, left - one) for one in sets if min(left) in one and one <= left)


def test_answers_are_those_of_exhaustive_covers():
    for seed in range(12):
        board = generate(3, 3, np.random.default_rng([1, seed])).board
        whole = frozenset(range(9))
        counts = [covers(rooms(board, *two), whole) for two in ((0, 0), (1, 0), (0, 1), (1, 1))]
        assert counts == [
            *(search(board, 1000, reading=reading).count for reading in READINGS),
            both_count(board, 1000),
        ]
        assert counts[0] == 1 and counts[3] >= max(counts)


def test_catalogues_are_those_of_exhaustion():
    for seed in range(6):
        made = generate(3, 4, np.random.default_rng([2, seed]))
        counts = catalogue_counts(made.board, made.answer)
        for reading in READINGS:
            sets = rooms(made.board, reading == "inclusive", reading == "corner")
            sizes = np.bincount([len(one) for one in sets], minlength=13).tolist()
            assert counts[f"{reading}_by_size"] == sizes and counts[f"{reading}_rooms"] == len(sets)
            assert counts[f"{reading}_legal"]
        number = dict(zip(made.board.at, made.board.values.tolist(), strict=True))
        near = [one for one in rooms(made.board, True, False) if np.ptp([number[c] for c in one if c in number]) <= 1]
        assert counts["inclusive_new_pairs"] == len(near)


def test_a_false_answer_is_marked_where_it_is_false():
    for seed in range(5):
        made = generate(5, 5, np.random.default_rng([3, seed]))
        for reading in READINGS[1:]:
            state = nearest_false(made.board, made.answer, reading, 500)
            assert made.board.is_valid(state, reading) and not made.board.is_valid(state)
            wrong = set()
            for room in range(1, state.max() + 1):
                cells = np.flatnonzero(state == room)
                held = made.board.values[np.isin(made.board.at, cells)]
                whole = nx.is_connected(lattice(made.board, False).subgraph(cells.tolist()))
                if not whole or not held.min() < len(cells) < held.max():
                    wrong |= set(cells.tolist())
            assert offending(made.board, state) == sorted(wrong) != []
        assert offending(made.board, made.answer) == []
    with pytest.raises(PuzzleError, match="no answer under the reading 'corner' is false"):
        nearest_false(Araf(1, 3, [[1, None, 4]]), np.ones(3, np.int32), "corner", 5)


def test_rows_are_rows_of_a_study():
    table = run(misread_row, 8, {"size": 4, "cap": 50})
    assert json.loads(table.to_json(orient="records")) and (table.strict == 1).all()
    assert (table.both >= table[["inclusive", "corner"]].max(axis=1)).all() and table.both.max() == 50
