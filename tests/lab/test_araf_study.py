"""Araf's studies: the counts on one board by hand, and by networkx and the judge on many."""

import json

import networkx as nx
import numpy as np
import pytest

from holdstill.lab.studies.araf import (
    board_row,
    class_counts,
    donation_counts,
    engines_row,
    pair_counts,
    random_widenings,
    slack_counts,
    trade_counts,
    widened,
)
from holdstill.lab.study import run
from holdstill.puzzles.araf import Araf, generate, tight_board

# 1 . 4 | 1
# . 4 1 | 3      rooms: the first row but its last cell, the second likewise, and the last column
BOARD = Araf(2, 4, [[1, None, 4, 1], [None, 4, 1, 3]])
ANSWER = np.array([1, 1, 1, 2, 3, 3, 3, 2], np.int32)


def test_a_board_by_hand():
    assert BOARD.is_valid(ANSWER)
    assert pair_counts(BOARD)["pairs"] == 15
    # r1c2 would leave the first room in two; r2c1 may go up, but that room is full
    assert donation_counts(BOARD, ANSWER) == {
        "donations": 2,
        "broken": 1,
        "floor": 0,
        "ceiling": 1,
        "both": 0,
        "legal": 0,
    }
    assert trade_counts(BOARD, ANSWER) == {"trades": 1, "joined": 1, "apart": 1, "trades_legal": 0}
    assert class_counts(BOARD, ANSWER)["only_give"] == 2 and class_counts(BOARD, ANSWER)["pinned"] == 1
    assert slack_counts(BOARD, ANSWER) == {"above": 2, "below": 0, "floors": 6, "ceilings": 8}


def test_moves_are_stopped_as_the_judge_says():
    """Each donation and trade made on a copy of the answer: legal ones are counted, on boards of many answers too."""
    seen = 0
    for seed in range(40):
        rng = np.random.default_rng([11, seed])
        board, answer = tight_board(4, 5, rng)
        board = widened(board, answer, random_widenings(board, answer, 8, 7, rng))
        grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 5), ordering="sorted")
        free = [cell for cell in grid if cell not in board.at]
        gifts = {(cell, answer[near]) for cell in free for near in grid.adj[cell] if answer[near] != answer[cell]}
        legal = 0
        for cell, room in gifts:
            other = answer.copy()
            other[cell] = room
            legal += board.is_valid(other)
        swaps, fair, beside = set(), 0, {(cell, room) for cell, room in gifts}
        for x in free:
            for y in free:
                if x < y and (x, answer[y]) in beside and (y, answer[x]) in beside:
                    swaps.add((x, y))
                    other = answer.copy()
                    other[[x, y]] = answer[[y, x]]
                    fair += board.is_valid(other)
        donations, trades = donation_counts(board, answer), trade_counts(board, answer)
        assert (donations["donations"], donations["legal"]) == (len(gifts), legal)
        assert (trades["trades"], trades["trades_legal"]) == (len(swaps), fair)
        stopped = donations["broken"] + donations["floor"] + donations["ceiling"] - donations["both"]
        assert stopped + legal == len(gifts)
        seen += legal + fair
    assert seen > 20


@pytest.mark.parametrize("seed", range(5))
def test_a_shipped_board_holds_still(seed):
    row = board_row(np.random.default_rng(seed), 6)
    assert row["legal"] == row["trades_legal"] == row["weak_lemma"] == 0
    assert row["above"] + row["below"] == row["kept"] and row["floors"] <= 36 <= row["ceilings"]
    assert row["only_take"] + row["only_give"] + row["takes_and_gives"] + row["pinned"] == row["rooms"]
    assert row["size_in_turn"] + row["near_in_turn"] + row["path_in_turn"] + row["survive"] == row["pairs"]
    assert row["pair"] <= row["cell"] <= row["ration"] <= 1


def test_widening_moves_the_number_it_says():
    made = generate(5, 5, np.random.default_rng(3), widest=0)
    order = random_widenings(made.tight, made.answer, 9, 7, np.random.default_rng(1))
    wide = widened(made.tight, made.answer, order)
    moved = np.bincount(order, minlength=len(wide.at))
    assert (abs(wide.values - made.tight.values) == moved).all() and moved.sum() == 9 and wide.is_valid(made.answer)
    assert len(random_widenings(made.tight, made.answer, 10_000, 7, np.random.default_rng(1))) < 200


@pytest.mark.parametrize(
    "row, params",
    [
        (board_row, {"size": 5, "place": "any"}),
        (engines_row, {"widenings": 4, "reading": "inclusive", "cap": 50}),
    ],
)
def test_rows_are_rows_of_a_study(row, params):
    table = run(row, 6, params)
    assert len(table) == 6 and json.loads(table.to_json(orient="records"))
    if row is engines_row:
        assert table.agree.all()
