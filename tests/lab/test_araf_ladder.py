"""Araf's ladder studies: the `cell` rung written twice, the bank's tight boards, the paths, the pictures' pairs."""

import json
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from araf_boards import araf_board

from holdstill.counting.shapes import UNREACHED
from holdstill.lab.paths import project
from holdstill.lab.studies.araf import engines_row, pair_counts, shares_named, tightened, widened
from holdstill.lab.studies.araf_ladder import (
    CELL_VARIANTS,
    bank,
    board_row,
    cell_again,
    cell_variants,
    named,
    path_row,
    rooms_again,
    ruled_out,
    screen_counts,
    search_nodes,
    stranded,
    sums_matter,
)
from holdstill.lab.study import run
from holdstill.puzzles.araf import READINGS, Araf, generate
from holdstill.puzzles.araf_rooms import catalogue, steps_apart
from holdstill.puzzles.araf_rungs import deduce
from holdstill.puzzles.araf_search import search
from holdstill.puzzles.araf_unscreened import answers_unscreened

BANK = bank()


@pytest.mark.parametrize("reading", READINGS)
def test_the_cell_rung_written_twice_names_the_same(reading):
    """On boards with no answer, one and many, under each reading, walked forwards and backwards."""
    seen = Counter()
    for number in range(250):
        board = araf_board(number, side=4)
        rooms, kernel = rooms_again(board, reading), deduce(board, "cell", reading)
        for backwards in (False, True):
            again = named(rooms, cell_again(board, rooms, backwards=backwards))
            assert (again is None) == (kernel is None), (number, board)
            assert again is None or (again == (kernel > 0)).all(), (number, board)
        seen[min(2, len(answers_unscreened(board, 2, reading))), kernel is None] += 1
    assert seen[1, True] == seen[2, True] == 0
    assert min(seen[0, True], seen[1, False], seen[2, False]) > 5, seen


def test_each_variant_names_no_more_than_the_whole():
    for shipped in BANK[::6]:
        for board in (shipped.tight, shipped.board):
            found = cell_variants(board)
            assert list(found) == list(CELL_VARIANTS) and (found["cell"] == (deduce(board, "cell") > 0)).all()
            assert (found["backwards"] == found["cell"]).all()
            assert all((one <= found["cell"]).all() for one in found.values())
            assert (found["1_pass"] <= found["2_passes"]).all() and (found["3_passes"] <= found["4_passes"]).all()


def test_the_banks_tight_boards_are_those_they_were_widened_from():
    lines = [json.loads(line) for line in project().bank("araf").read_text().splitlines()]
    for index in range(0, 72, 9):
        size = BANK[index].board.rows
        made = generate(size, size, np.random.default_rng(lines[index]["seed"]))
        assert made.tight == BANK[index].tight and made.board == BANK[index].board
        assert len(made.order) == made.kept == abs(made.board.values - made.tight.values).sum()
        assert widened(made.tight, made.answer, made.order) == made.board
        assert search(widened(made.tight, made.answer, made.order[: made.kept // 2]), 2).count == 1
        assert tightened(made.tight, made.answer) == made.tight


def test_steps_between_numbers_by_networkx():
    walled = 0
    for number in range(60):
        board = araf_board(number, side=5)
        steps = steps_apart(board)
        for i, a in enumerate(board.at):
            for j, b in enumerate(board.at[:i]):
                grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(board.rows, board.cols), ordering="sorted")
                grid.remove_nodes_from(set(board.at) - {a, b})
                way = nx.shortest_path_length(grid, a, b) if nx.has_path(grid, a, b) else UNREACHED
                assert steps[i, j] == way
                walled += way == UNREACHED
    assert walled > 100


def test_screens_in_other_words():
    """Pairs that one screen alone stands against: those that survive without it and not with it."""
    for shipped in BANK[::10]:
        row = screen_counts(shipped.board)
        assert row["size_only"] + row["near_only"] + row["path_only"] + row["survive"] <= row["pairs"]
        # A path is never shorter than the straight way, so the third screen rules out all that the second does.
        assert row["near_only"] == 0 and row["near_alone"] <= row["path_alone"] and row["path_only"] >= row["walled"]
        assert row["path_only"] == row["path_in_turn"] and row["with_a_room"] <= row["survive"]
        left = {tuple(pair) for pair in catalogue(shipped.board).pairs.tolist()}
        places = {cell: place for place, cell in enumerate(shipped.board.at)}
        for cells in ruled_out(shipped.board).values():
            assert tuple(places[cell] for cell in cells) not in left


def test_a_board_on_its_way_and_as_shipped():
    row = path_row(np.random.default_rng(4), 6, [0, 3, 99])
    made = generate(6, 6, np.random.default_rng(4))
    assert row["kept"] == made.kept > 3
    assert row["cell_0"] == shares_named(made.tight)["cell"] and row["nodes_99"] == search_nodes(made.board)
    assert row["rooms_3"] == len(catalogue(generate(6, 6, np.random.default_rng(4), widest=3).board).size)
    assert row["survive_99"] == pair_counts(made.board)["survive"]


def test_an_assumed_room_that_strands_a_cell_is_in_no_answer():
    found = 0
    for shipped in BANK[:6]:
        for room, lost in stranded(shipped.board)[:20]:
            assert not set(room) & set(lost)
            held = set(shipped.answer[room].tolist())
            assert len(held) > 1 or (shipped.answer == held.pop()).sum() != len(room)
            found += 1
    assert found > 50


# Many answers, and the sums strike off rooms that the rest of the rung does not: so it is with two in a hundred such.
SUMMED = Araf(
    6,
    6,
    [
        [None, None, 5, 2, 7, None],
        [2, 1, 4, None, None, 3],
        [1, 3, 6, None, None, 3],
        [None, None, None, 5, 7, None],
        [4, 4, 6, None, None, 1],
        [None, None, None, 6, 5, 1],
    ],
)


def test_sums_take_nothing_back():
    """What is named without the sums is named with them, and what they name beyond is so in every answer."""
    for board in [araf_board(number, side=4) for number in range(120)] + [SUMMED]:
        less, more = deduce(board, "ration", sums=False), deduce(board, "ration")
        assert more is None or (less is not None and ((more > 0) >= (less > 0)).all())
        assert sums_matter(board) == (board is SUMMED)
    answers = search(SUMMED, 10_000).answers
    for room in range(1, more.max() + 1):
        held = answers[:, more == room]
        assert (held == held[:, :1]).all()
    assert not any(sums_matter(shipped.board) for shipped in BANK[::24])


@pytest.mark.parametrize(
    "row, params",
    [(board_row, {"size": 5, "largest": 4, "widest": 0}), (path_row, {"size": 5, "steps": [0, 9]})],
)
def test_rows_are_rows_of_a_study(row, params):
    table = run(row, 4, params)
    assert len(table) == 4 and json.loads(table.to_json(orient="records"))
    if row is board_row:
        assert (table.slack == 0).all() and (table.cell == table.tight_cell).all() and (table.ration == 1).all()


def test_the_engines_meet_boards_of_every_kind():
    for reading in READINGS:
        table = run(engines_row, 60, {"widenings": 6, "reading": reading, "cap": 50})
        assert table.agree.all()
        assert min((table.answers == 0).sum(), (table.answers == 1).sum(), (table.answers > 1).sum()) >= 2, reading
