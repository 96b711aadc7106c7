"""What the article on speed measures of the player: every click and every hint, on boards of every puzzle."""

import shutil

import numpy as np
import pytest

from holdstill.lab.studies.hints import hints
from holdstill.lab.studies.player_times import boards, clicks, hint_times
from holdstill.puzzles import heyawake
from holdstill.puzzles.boards import PUZZLES


def test_there_is_a_board_of_each_puzzle():
    for side in (5, 30):
        assert {puzzle: type(board) for puzzle, board in boards(side).items()} == PUZZLES
        assert {(board.rows, board.cols) for board in boards(side).values()} == {(side, side)}


def test_every_click_is_timed(monkeypatch):
    if shutil.which("chromium"):
        for board in boards(4).values():
            times = clicks(board, 7)
            assert times.shape == (7,) and (times >= 0).all() and times.sum() > 0
    monkeypatch.setenv("PATH", "")
    assert clicks(boards(4)["tapa"], 7) is None


@pytest.mark.parametrize("rung", ["spans", "probe"])
def test_every_hint_is_timed(rung):
    board = heyawake.generate(5, 5, np.random.default_rng(2)).board
    assert len(hint_times(board, rung)) == len(list(hints(board, rung)))
