"""What a peer is told holds the whole board, and what it answers goes before the judge. No peer is needed here."""

import math
import os
import time
from dataclasses import replace

import numpy as np
import pytest

from holdstill.core.grid import SHADED
from holdstill.lab import peer_solvers, peers
from holdstill.lab.studies.performance import banked, compared, every_count, standings
from holdstill.puzzles.boards import PUZZLES
from holdstill.puzzles.engines import engine
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.tapa import Tapa
from holdstill.puzzles.thermometers import Thermometers

TWO_ANSWERS = Heyawake(1, 2, [[0, 0]], [1])


def grid(board, state):
    return (np.reshape(state, (board.rows, board.cols)) - 1).tolist()


def answers(board):
    return [grid(board, state) for state in engine(board).search(board, 2).answers]


def heyawake_of(rooms, number_of):
    labels, order = [], {}
    for row in rooms:
        labels.append([order.setdefault(room, len(order)) for room in row])
    return Heyawake(len(rooms), len(rooms[0]), labels, [number_of(room) for room in order])


# A stand-in for each peer: it rebuilds the board from nothing but the peer's words.
def puzzlekit_heyawake(num_rows, num_cols, grid, region_grid):
    numbers = {}
    for row, rooms in zip(grid, region_grid, strict=True):
        for cell, room in zip(row, rooms, strict=True):
            numbers[room] = int(cell) if cell != "-" else numbers.get(room)
    return heyawake_of(region_grid, numbers.get)


def puzzlekit_thermometers(num_rows, num_cols, grid, rows, cols):
    tubes = {}
    for y, row in enumerate(grid):
        for x, cell in enumerate(row):
            if cell != "-":
                number, place = map(int, cell.split("."))
                tubes.setdefault(number, {})[place] = y * num_cols + x
    counts = ([None if one == "-" else int(one) for one in line] for line in (rows, cols))
    return Thermometers(num_rows, num_cols, [[t[k] for k in sorted(t)] for _, t in sorted(tubes.items())], *counts)


def multi_heyawake(board, region_to_clue):
    return heyawake_of(board, region_to_clue.get)


def multi_tapa(board):
    clues = [[[int(one) for one in cell.split("/")] if cell.strip() else None for cell in row] for row in board]
    return Tapa(len(board), len(board[0]), clues)


def multi_thermometers(board, top, side):
    rows, cols = len(board), len(board[0])
    flat = [mark for row in board for mark in row]
    step = {"R": 1, "L": -1, "D": cols, "U": -cols}
    after = {cell: cell + step[mark] for cell, mark in enumerate(flat) if mark != "X"}
    tubes = []
    for bulb in sorted(set(range(rows * cols)) - set(after.values())):
        tube = [bulb]
        while tube[-1] in after:
            tube.append(after[tube[-1]])
        tubes.append(tube)
    return Thermometers(rows, cols, tubes, side, top)


def grilops_heyawake(rooms, clues, spans):
    return heyawake_of(rooms, clues.__getitem__)


def grilops_plain(puzzle):
    def rebuilt(**told):
        rows = next(iter(told.values()))
        if puzzle == "thermometers":
            return Thermometers(len(told["row_counts"]), len(told["col_counts"]), **told)
        return PUZZLES[puzzle](len(rows), len(rows[0]), **told)

    return rebuilt


REBUILT = {
    ("puzzlekit", "heyawake"): puzzlekit_heyawake,
    ("puzzlekit", "thermometers"): puzzlekit_thermometers,
    ("multi-puzzle-solver", "heyawake"): multi_heyawake,
    ("multi-puzzle-solver", "tapa"): multi_tapa,
    ("multi-puzzle-solver", "thermometers"): multi_thermometers,
    ("grilops", "heyawake"): grilops_heyawake,
    **{("grilops", puzzle): grilops_plain(puzzle) for puzzle in ("tapa", "thermometers", "araf")},
}


def test_what_each_peer_is_told_holds_the_whole_board():
    pairs = {(peer.package, puzzle) for peer in peers.PEERS for puzzle in peer.puzzles}
    assert pairs == set(REBUILT)
    told = 0
    for (package, puzzle), rebuilt in REBUILT.items():
        tell, _ = next(peer for peer in peers.PEERS if peer.package == package).puzzles[puzzle]
        for board in banked(puzzle, 6):
            exact = puzzle == "thermometers" and package == "multi-puzzle-solver"
            board = every_count(board) if exact else board
            if exact and sum(map(len, board.tubes)) < board.rows * board.cols:
                with pytest.raises(peer_solvers.CannotSayError, match="no tube"):
                    tell(board)
                continue
            again = rebuilt(**tell(board))
            if puzzle == "thermometers":
                again, board = (replace(one, tubes=sorted(one.tubes)) for one in (again, board))
            assert again == board
            reply = peers.Reply(answers(again), "", 0.0, 0.0)
            assert peers.verdict(board, reply, 1) == (peers.RIGHT, "")
            told += 1
    assert told > 200


def test_what_a_peer_has_no_word_for_is_said():
    walls = Heyawake(2, 2, [[0, 0], [0, 0]], [None], [(0, 1)])
    hidden = Thermometers(1, 2, [[0, 1]], [None], [None, 1])
    for board, tell in (
        (walls, peer_solvers.told_puzzlekit_heyawake),
        (walls, peer_solvers.told_multi_heyawake),
        (hidden, peer_solvers.told_multi_thermometers),
        (Tapa(1, 2, [[["?"], None]]), peer_solvers.told_grilops_tapa),
    ):
        with pytest.raises(peer_solvers.CannotSayError):
            tell(board)


@pytest.mark.parametrize(
    "given, wanted, verdict",
    [
        ([[[1, 0]], [[0, 1]]], 2, (peers.RIGHT, "")),
        ([[[1, 0]]], None, (peers.RIGHT, "")),
        ([[[1, 0]]], 2, (peers.WRONG, "answers: 1, not 2")),
        ([[[1, 1]]], None, (peers.WRONG, "breaks touching, rooms")),
        ([[[1, 0]], [[0, 0]]], 2, (peers.WRONG, "breaks rooms")),
        ([[[1, 0]], [[1, 0]]], 2, (peers.WRONG, "one answer twice")),
        ([[[1, 0, 0]]], 2, (peers.WRONG, "not a grid of the board's size")),
        ([], 2, (peers.NONE, "")),
        ([], 0, (peers.RIGHT, "")),
    ],
)
def test_the_judge_has_the_last_word(given, wanted, verdict):
    assert peers.verdict(TWO_ANSWERS, peers.Reply(given, "", 0.0, 0.0), wanted) == verdict


def echo(rows):
    print("a peer that prints")
    if rows == "raise":
        raise ValueError("no such\nboard")
    if rows == "die":
        os._exit(1)
    time.sleep(60 if rows == "sleep" else 0)
    return rows


def test_a_peer_that_raises_is_refused_and_a_late_one_is_ended_and_begun_anew():
    both = [[[1, 0]], [[0, 1]]]
    with peers.Process() as process:
        assert process.ask(echo, {"rows": both}, 60).answers == both
        refused = process.ask(echo, {"rows": "raise"}, 60)
        assert peers.verdict(TWO_ANSWERS, refused, 2) == (peers.REFUSED, "ValueError: no such board")
        late = process.ask(echo, {"rows": "sleep"}, 0.2)
        assert peers.verdict(TWO_ANSWERS, late, 2) == (peers.LATE, "") and process.process is None
        died = process.ask(echo, {"rows": "die"}, 60)
        assert peers.verdict(TWO_ANSWERS, died, 2) == (peers.REFUSED, "its process died")
        assert process.ask(echo, {"rows": []}, 60).answers == []


def wrong_where_a_cell_is_in_no_tube(board):
    return {"answer": grid(board, engine(board).search(board, 1).answers[0]), "tubes": board.tubes}


def shades_a_cell_in_no_tube(answer, tubes):
    outside = set(range(len(answer) * len(answer[0]))).difference(*tubes)
    for cell in outside:
        answer[cell // len(answer[0])][cell % len(answer[0])] = 1
    return [answer]


def test_a_peer_beside_ours(monkeypatch):
    told = {"thermometers": (wrong_where_a_cell_is_in_no_tube, shades_a_cell_in_no_tube)}
    fake = peers.Peer("numpy", "numba", False, told)
    monkeypatch.delenv("HOLDSTILL_PEERS", raising=False)
    boards = banked("thermometers", 4)
    assert [(board.rows, board.cols) for board in boards] == sorted((board.rows, board.cols) for board in boards)
    spilt = sum(sum(map(len, board.tubes)) < board.rows * board.cols for board in boards)
    table = standings(compared((fake,), boards, 60), (fake,))
    assert table.loc["holdstill", peers.RIGHT] == len(boards) and table.loc["holdstill", "looks for a second"]
    assert table.loc["numpy", [peers.RIGHT, peers.WRONG]].tolist() == [len(boards) - spilt, spilt] and spilt
    assert not table.loc["numpy", "looks for a second"]
    assert table.loc["holdstill", "of means"] == 1 and math.isclose(table.loc["holdstill", "typical"].value, 1)
    absent = fake._replace(package="no-such-package")
    assert absent.versions is None and set(compared((absent,), boards[:1], 60)["solver"]) == {"holdstill"}
    monkeypatch.setenv("HOLDSTILL_PEERS", "off")
    assert fake.versions is None


def test_every_count_keeps_the_answer():
    for board in banked("thermometers", 3):
        shown = every_count(board)
        assert None not in (*shown.row_counts, *shown.col_counts)
        assert answers(shown) == answers(board)
        assert sum(shown.row_counts) == int((np.array(engine(board).search(board, 1).answers[0]) == SHADED).sum())
