"""JSON boards, answers and files of boards."""

import json

import numpy as np
import pytest

from holdstill.core.grid import PuzzleError
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.boards import (
    answer_rows,
    answer_state,
    from_json,
    grid_text,
    read,
    read_lines,
    to_dict,
    to_json,
)
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.puzzlink import encode
from holdstill.puzzles.tapa import Tapa
from holdstill.puzzles.thermometers import Thermometers

BOARD = Heyawake(2, 3, [[0, 0, 1], [0, 0, 1]], [2, None], [(0, 3)])
GOOD = json.loads(to_json(BOARD))


def test_there_and_back():
    assert from_json(to_json(BOARD)) == from_json(to_dict(BOARD)) == from_json(GOOD) == read(to_json(BOARD)) == BOARD
    assert GOOD == {
        "puzzle": "heyawake",
        "rows": 2,
        "cols": 3,
        "rooms": [[0, 0, 1], [0, 0, 1]],
        "clues": [2, None],
        "walls": [[0, 3]],
    }
    assert "\n" not in to_json(BOARD)


def test_tapa_there_and_back():
    board = Tapa(2, 3, [[None, [2, 1], None], [["?"], None, [0]]], positive=True)
    assert from_json(to_json(board)) == from_json(to_dict(board)) == read('{"board": ' + to_json(board) + "}") == board
    assert json.loads(to_json(board)) == {
        "puzzle": "tapa",
        "rows": 2,
        "cols": 3,
        "clues": [[None, [2, 1], None], [["?"], None, [0]]],
        "positive": True,
    }
    assert not from_json('{"puzzle": "tapa", "rows": 1, "cols": 1, "clues": [[["?"]]]}').positive
    with pytest.raises(PuzzleError, match="r1c2 has the run 9"):
        read('{"puzzle": "tapa", "rows": 1, "cols": 2, "clues": [[null, [9]]]}')


def test_thermometers_there_and_back():
    board = Thermometers(2, 3, [[0, 1, 4], [2, 5]], [3, None], [None, 2, 0])
    assert from_json(to_json(board)) == from_json(to_dict(board)) == read('{"board": ' + to_json(board) + "}") == board
    assert json.loads(to_json(board)) == {
        "puzzle": "thermometers",
        "rows": 2,
        "cols": 3,
        "tubes": [[0, 1, 4], [2, 5]],
        "row_counts": [3, None],
        "col_counts": [None, 2, 0],
    }
    with pytest.raises(PuzzleError, match="Thermometers boards have no address"):
        encode(board)


def test_an_araf_board_there_and_back():
    board = Araf(2, 3, [[None, 3, "?"], [1, None, 4]])
    assert from_json(to_json(board)) == read(to_json(board)) == read(encode(board)) == board
    assert json.loads(to_json(board)) == {
        "puzzle": "araf",
        "rows": 2,
        "cols": 3,
        "numbers": [[None, 3, "?"], [1, None, 4]],
    }
    state = np.array([1, 1, 2, 3, 2, 0], np.int32)
    assert grid_text(board, state) == "0 0 1\n2 1 ?"
    assert answer_rows(state[:4], 2) == [[0, 0], [1, 2]]
    assert answer_state([[0, 0], [1, 2]], labels=3).tolist() == [1, 1, 2, 3]
    with pytest.raises(PuzzleError, match="r2c2 is 3, not 0 to 2"):
        answer_state([[0, 0], [1, 3]], labels=3)


def test_numpy_sizes_are_written_as_numbers():
    assert from_json(to_json(Heyawake(np.int64(1), np.int64(2), np.array([[0, 1]]), [None, 1]))).cols == 2


def test_read_takes_addresses_and_wrapped_boards():
    assert read(encode(BOARD)) == BOARD
    assert read(json.dumps({"puzzle": "heyawake", "board": GOOD, "url": None, "answer": [], "seed": 1})) == BOARD


@pytest.mark.parametrize(
    "change, told",
    [
        ({"puzzle": "sudoku"}, '"puzzle" is one of heyawake, .*, not "sudoku"'),
        ({"puzzle": None}, '"puzzle" is one of heyawake, .*, not null'),
        ({"puzzle": ["heyawake"]}, "not a list"),
        ({"colour": 1}, 'no key "colour"'),
        ({"rows": 2.0}, "whole numbers, not 2.0"),
        ({"rows": True}, "whole numbers, not True"),
        ({"rows": "2"}, "whole numbers"),
        ({"rows": 65}, "1 to 64"),
        ({"rooms": 3}, "rooms must be 2 rows"),
        ({"rooms": [[0, 0, 1], [0, 0, 1.5]]}, "r2c3"),
        ({"rooms": [[0, 0, 1], [1, 0, 1]]}, "not connected"),
        ({"clues": {}}, "clues must be"),
        ({"clues": [True, None]}, "room 0"),
        ({"clues": [9, None]}, "room 0 has 4 cells and the clue 9"),
        ({"walls": [[0, 5]]}, "not edge-adjacent"),
    ],
)
def test_what_is_wrong_is_named(change, told):
    with pytest.raises(PuzzleError, match=told):
        read(json.dumps(GOOD | change))


@pytest.mark.parametrize("key", ["puzzle", "rows", "cols", "rooms", "clues"])
def test_a_missing_key_is_named(key):
    with pytest.raises(PuzzleError, match=key):
        from_json({name: value for name, value in GOOD.items() if name != key})


@pytest.mark.parametrize(
    "text, told",
    [
        ('{"puzzle": "heyawake", "rows": 1, "rows": 2}', 'the key "rows" is there twice'),
        ('{"puzzle": "heyawake", "rows": NaN}', "NaN is no number"),
        ('{"puzzle": "heyawake", "rows": -Infinity}', "-Infinity is no number"),
        ('{"puzzle": "heyawake",', "not JSON: .* line 1, column"),
        ("{}", '"puzzle" is one of'),
        ('{"board": 3}', '"board" is an object, not 3'),
        ('{"rows": 1' + "0" * 5000 + "}", "not a board"),
        ('{"rows": ' + "[" * 100_000, "not a board"),
        ('{"a": "' + "x" * 1_000_000, "at most 1000000 characters"),
        ("[1]", "not an address"),
    ],
)
def test_bad_text(text, told):
    with pytest.raises(PuzzleError, match=told) as caught:
        read(text)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200


def test_files_of_boards(tmp_path):
    path = tmp_path / "boards.txt"
    lines = ["\ufeff# mine", "", encode(BOARD), "nonsense", to_json(BOARD), '{"board": ' + to_json(BOARD) + "}"]
    path.write_bytes("\r\n".join(lines).encode() + b"\n\xff\xfe\n")
    found = list(read_lines(path))
    assert [number for number, _ in found] == [3, 4, 5, 6, 7]
    assert [board == BOARD for _, board in found] == [True, False, True, True, False]
    assert isinstance(found[1][1], PuzzleError) and "UTF-8" in str(found[4][1])
    with pytest.raises(PuzzleError, match="nowhere"):
        list(read_lines(tmp_path / "nowhere"))


def test_answers():
    rows = [[0, 1, 0], [1, 0, 0]]
    state = answer_state(rows)
    assert state.dtype == np.int8 and answer_rows(state, 3) == rows
    assert grid_text(BOARD, np.array([0, 2, 1, 2, 1, 1], np.int8)) == "?#.\n#.."
    with pytest.raises(PuzzleError, match="r1c2 is open"):
        answer_rows(np.array([1, 0], np.int8), 2)


@pytest.mark.parametrize("rows", [None, [], [[0], [0, 1]], [[2]], [[True]], [[0.0]], [0], ["01"]])
def test_bad_answers(rows):
    with pytest.raises(PuzzleError, match="answer"):
        answer_state(rows)
