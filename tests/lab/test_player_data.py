"""What the player is given: small, plain, and enough to replay a board."""

import json

import numpy as np
import pytest

from holdstill.lab.paths import project
from holdstill.lab.player_data import HERE, payload, script
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.boards import PUZZLES, answer_state, from_json
from holdstill.puzzles.engines import engine
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.tapa import Tapa
from holdstill.puzzles.thermometers import Thermometers

SIDE, CELLS = 30, 900
ROOMS = np.array([[y // 2 * 10 + x // 3 for x in range(SIDE)] for y in range(SIDE)])
SNAKE = [y * SIDE + (x if y % 2 == 0 else SIDE - 1 - x) for y in range(SIDE) for x in range(SIDE)]
LARGE = {
    "single cells": Heyawake(SIDE, SIDE, np.arange(CELLS).reshape(SIDE, SIDE), [None] * CELLS),
    "one room": Heyawake(SIDE, SIDE, np.zeros((SIDE, SIDE), int), [300]),
    "rooms": Heyawake(SIDE, SIDE, ROOMS, [1] * (int(ROOMS.max()) + 1)),
    "clues": Tapa(SIDE, SIDE, [[["?"] if x % 2 else ["?", "?"] for x in range(SIDE)] for _ in range(SIDE)]),
    "tubes": Thermometers(SIDE, SIDE, [SNAKE[at : at + 9] for at in range(0, CELLS, 9)], [15] * SIDE, [15] * SIDE),
    "numbers": Araf(SIDE, SIDE, [[901] * SIDE for _ in range(SIDE)]),
}


@pytest.mark.parametrize("name", LARGE)
def test_a_30x30_board_is_below_300_kilobytes(name):
    written = json.dumps(payload(LARGE[name]))
    assert 3_000 < len(written) < 300_000


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_steps_replay_to_the_answer_and_name_the_first_rung_that_finishes(puzzle):
    lines = [json.loads(line) for line in project().bank(puzzle).read_text().splitlines()][::29]
    for line in lines:
        board, labels = from_json(line["board"]), 64 if puzzle == "araf" else 2
        made = payload(board, steps=True)
        assert json.loads(json.dumps(made)) == made and payload(board).get("steps") is None
        finishing = [rung for rung in made["rungs"] if engine(board).finishes(board, rung)]
        assert list(made["steps"]) == finishing[:1]
        for steps in made["steps"].values():
            state = np.zeros(board.rows * board.cols, int)
            for step in steps:
                assert not state[step["cells"]].any() and step["text"]
                state[step["cells"]] = step["value"]
            if puzzle == "araf":  # its labels are in the order of the grid in both
                assert board.is_valid(state)
            assert (state == answer_state(line["answer"], labels)).all()


def test_text_reaches_the_page_as_text_alone():
    for path in HERE.glob("*.js"):
        text = path.read_text()
        assert not any(word in text for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("))
        assert len(text.splitlines()) < 400
    assert "import " not in script() and script().count("export function mount") == 1
