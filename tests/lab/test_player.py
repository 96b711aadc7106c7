"""What the kernel answers the player: right by brute force, and one line for whatever a page may send."""

import json
import re

import numpy as np
import pytest
from araf_boards import araf_board
from boards_for_tests import board as heyawake_board
from hypothesis import given, settings
from hypothesis import strategies as st

from holdstill.core import brute
from holdstill.core.grid import UNKNOWN, PuzzleError, edges
from holdstill.lab import player
from holdstill.lab.player import LARGEST, LONGEST, QUESTIONS, Player, check, count, finish, generated, hint, reply
from holdstill.lab.player_check import broken
from holdstill.lab.studies import tapa, thermometers
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.araf_unscreened import answers_unscreened
from holdstill.puzzles.boards import PUZZLES
from holdstill.puzzles.engines import engine
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.thermometers import Thermometers

MOST = 5000  # answers of a small Araf board


def small(number: int):
    """Board `number` of some puzzle, with no, one or many answers."""
    rng = np.random.default_rng([2026, 9, number])
    kinds = (
        lambda: heyawake_board(number % 1900),
        lambda: tapa.small_board(rng),
        lambda: thermometers.small_board(rng),
    )
    return (*kinds, lambda: araf_board(number, 4))[number % 4]()


def sides(board) -> list[list[int]]:
    return edges(board.rows, board.cols).tolist()


def parted(board, answer) -> list[list[int]]:
    """The walls of an Araf answer."""
    return [[a, b] for a, b in sides(board) if answer[a] != answer[b]]


def truth(board) -> list:
    """Every answer as it is on the wire, by engines that only know the judge."""
    if isinstance(board, Araf):
        found = answers_unscreened(board, MOST)
        assert len(found) < MOST
        return [parted(board, answer) for answer in found]
    return brute.answers(board).tolist()


def some_state(board, rng, answers: list):
    """A partial state: of an answer where there is one, often with a mistake."""
    share = rng.choice([0, 0.3, 0.7, 1])
    if isinstance(board, Araf):
        walls = answers[rng.integers(len(answers))] if answers else []
        walls = [wall for wall in walls if rng.random() < share]
        return walls + [
            side for side in sides(board) if side not in walls and rng.random() < rng.choice([0, 0.02, 0.2])
        ]
    cells = board.rows * board.cols
    state = np.array(answers[rng.integers(len(answers))]) if answers else rng.integers(1, 3, cells)
    state = np.where(rng.random(cells) < rng.choice([0, 0.05, 0.5]), rng.integers(1, 3, cells), state)
    return np.where(rng.random(cells) < share, state, UNKNOWN).tolist()


def agrees(board, answer, state) -> bool:
    if isinstance(board, Araf):
        return all(wall in answer for wall in state)
    return all(value in (UNKNOWN, right) for value, right in zip(state, answer, strict=True))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10_000))
def test_counts_and_marks_agree_with_brute_force(number):
    board, rng = small(number), np.random.default_rng(number)
    answers = truth(board)
    for _ in range(3):
        state = some_state(board, rng, answers)
        left = sum(agrees(board, answer, state) for answer in answers)
        assert count(board, state) == {"answers": min(left, 2)}
        marks = check(board, state, False)
        assert marks["wrong"] == [] and not (marks["broken"] and left)
        for one in marks["broken"]:
            assert one["rule"] in board.RULES and one["cells"] and one["text"]
        if len(answers) == 1:
            (right,) = answers
            if isinstance(board, Araf):
                wrong = sorted({cell for wall in state if wall not in right for cell in wall})
            else:
                wrong = [cell for cell, value in enumerate(state) if value not in (UNKNOWN, right[cell])]
            assert check(board, state, True)["wrong"] == wrong
        else:
            with pytest.raises(PuzzleError, match="no answer" if not answers else "two or more"):
                check(board, state, True)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10_000))
def test_a_decided_state_without_a_mark_is_an_answer(number):
    board = small(number)
    if isinstance(board, Araf):
        return
    state = np.random.default_rng(number).integers(1, 3, board.rows * board.cols).astype(np.int8)
    for one in [state, *brute.answers(board)[:3]]:
        assert board.is_valid(one) == (not list(broken(board, one)))


def test_each_broken_rule_of_araf_is_marked():
    def marks(numbers, walls):
        found = check(Araf(len(numbers), len(numbers[0]), numbers), walls, False)["broken"]
        return [(one["rule"], one["cells"]) for one in found]

    row = [[1, 3, 3, 2, None, None]]
    assert marks(row, [[0, 1], [3, 4]]) == [("two", [0]), ("two", [1, 2, 3]), ("two", [4, 5])]
    assert marks(row, []) == []
    assert marks([[1, 3, 3, 2]], [[1, 2]]) == [("size", [2, 3])]
    assert marks([[1, 5], [None, None]], [[0, 1]]) == [("whole", [0, 1])]


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_hints_lead_to_where_finish_ends_and_a_level_is_finished_by_its_rung(puzzle):
    for level in list(PUZZLES[puzzle].RUNGS)[1:]:
        board = generated(None, puzzle, 5, level, 3)
        assert engine(board).finishes(board, level) and board == generated(None, puzzle, 5, level, 3)
        state, cuts = [] if puzzle == "araf" else [UNKNOWN] * 25, puzzle == "araf"
        steps = finish(board, state, level)["steps"]
        for _ in range(25):
            told = hint(board, state, level)
            if "step" not in told:
                break
            cells = told["step"]["cells"]
            if cuts:
                walls = {(a, b) for a, b in sides(board) if (a in cells) != (b in cells)}
                state = sorted([list(wall) for wall in walls | set(map(tuple, state))])
            else:
                assert all(state[cell] == UNKNOWN for cell in cells)
                state = [told["step"]["value"] if cell in cells else value for cell, value in enumerate(state)]
        assert told == {"text": f"Nothing more by {level}."}
        assert count(board, state) == {"answers": 1} and check(board, state, True) == {"broken": [], "wrong": []}
        if not cuts:
            told = {cell: step["value"] for step in steps for cell in step["cells"]}
            assert [told[cell] for cell in range(25)] == state


def test_a_hint_in_a_state_that_is_broken_says_so():
    row = Heyawake(1, 3, [[0, 1, 2]], [1, None, None])
    assert hint(row, [1, 0, 0], "local")["step"]["text"].startswith("contradiction: room with 1")
    assert hint(row, [1, 0, 0], "local")["step"]["cells"] == []
    assert finish(row, [1, 0, 0], "local")["steps"][-1]["cells"] == []


def test_a_count_that_takes_too_long_is_not_known(monkeypatch):
    monkeypatch.setattr(player, "SECONDS", 0.0)
    wide = Heyawake(20, 20, np.arange(400).reshape(20, 20), [None] * 400)
    assert count(wide, [0] * 400) == {"answers": None}
    numbers = [[1, None, 5], [None, None, None], [1, None, 5]]
    assert count(Araf(3, 3, numbers), []) == {"answers": None}
    with pytest.raises(PuzzleError, match="known within a second"):
        check(wide, [0] * 400, True)


BOARDS = [
    Heyawake(2, 3, [[0, 0, 1], [2, 2, 1]], [1, None, 1]),
    tapa.FIXTURES["unique"],
    Thermometers(3, 3, [[4, 5, 2, 1, 0, 3, 6, 7]], [None] * 3, [None, None, 1]),
    Araf(1, 5, [[1, 3, None, 1, 4]]),
]
ADDRESS = "https://puzz.link/p?heyawake/3/2/ksg2h"
LINES = {
    "an unknown kind": ({"kind": "eval"}, "kind is one of hint, .*, not 'eval'"),
    "no kind": ({}, "kind is one of .*, not None"),
    "no object": ([1], r"a message is an object, not \[1\]"),
    "no state": ({"kind": "hint", "rung": "local"}, "hint needs state"),
    "an unknown rung": ({"kind": "hint", "state": [0] * 6, "rung": "pair"}, "a rung is one of local, .*, not 'pair'"),
    "a short state": ({"kind": "count", "state": [0]}, "a state has 6 values, one a cell, not 1"),
    "a huge state": ({"kind": "count", "state": [0] * 10**6}, "a state has 6 values, one a cell, not 1000000"),
    "a bad value": ({"kind": "count", "state": [0, 0, 0, 0, 3, 0]}, "row 2, column 2 is 3, not 0, 1 or 2"),
    "a truth as a value": ({"kind": "count", "state": [0, True, 0, 0, 0, 0]}, "row 1, column 2 is True"),
    "no truth": ({"kind": "check", "state": [0] * 6, "answer": 1}, "answer is true or false, not 1"),
    "a long paste": ({"kind": "paste", "text": "x" * 10**6}, f"at most {LONGEST} characters, not 1000000"),
    "a long number": ({"kind": "paste", "text": '{"rows": ' + "9" * 9000 + "}"}, "not a board: "),
    "deep brackets": ({"kind": "paste", "text": '{"a":' + "[" * 40000}, "not a board: |not JSON"),
    "markup": ({"kind": "paste", "text": "<img src=x onerror=alert(1)>"}, ""),
    "lines": ({"kind": "paste", "text": "puzz.link/p?heyawake/\n\n3/2/x"}, ""),
    "no text": ({"kind": "paste", "text": {"rows": 1}}, "a board is pasted as text"),
    "a bomb": ({"kind": "paste", "text": "puzz.link/p?tapa/9999999/9999999/g"}, "whole numbers"),
    "a large new board": (
        {"kind": "board", "puzzle": "araf", "size": 30, "level": "cell", "seed": 1},
        f"a new board of araf has 1 to {LARGEST['araf']} rows and columns, not 30",
    ),
    "a bad seed": ({"kind": "board", "puzzle": "tapa", "size": 4, "level": "rings", "seed": -1}, "a seed is"),
    "no such board": ({"kind": "board", "puzzle": "heyawake", "size": 9, "level": "local", "seed": 1}, "no 9x9 board"),
    "an unknown puzzle": ({"kind": "board", "puzzle": [], "size": 4, "level": "rings", "seed": 1}, "puzzle is one of"),
}


@pytest.mark.parametrize("name", LINES)
def test_whatever_is_wrong_is_one_line(name):
    message, line = LINES[name]
    board, answer = reply(BOARDS[0], message)
    assert board is BOARDS[0] and list(answer) == ["error"]
    assert re.search(line, answer["error"]) and "\n" not in answer["error"] and len(answer["error"]) < 200


# What JSON can hold; whole numbers past what an array can hold too.
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
ANYTHING = st.recursive(
    PLAIN, lambda one: st.lists(one, max_size=6) | st.dictionaries(st.text(max_size=5), one, max_size=4)
)
VALUES = {
    "state": st.lists(st.integers(-1, 3), min_size=4, max_size=10)
    | st.lists(st.lists(st.integers(-1, 9), min_size=1, max_size=3), max_size=6),
    "rung": st.sampled_from([rung for puzzle in PUZZLES.values() for rung in puzzle.RUNGS]),
    "answer": st.booleans(),
    "puzzle": st.sampled_from(list(PUZZLES)),
    "size": st.integers(-1, 5) | st.sampled_from([64, 10**30]),
    "level": st.sampled_from([rung for puzzle in PUZZLES.values() for rung in puzzle.RUNGS]),
    "seed": st.integers(-1, 3) | st.just(1 << 70),
    "text": st.text(max_size=30)
    | st.from_regex(r"puzz\.link/p\?(heyawake|tapa|araf)/[0-9]{1,2}/[0-9]{1,2}/[0-9a-z./+-]{0,12}", fullmatch=True)
    | st.just(ADDRESS),
}


@st.composite
def messages(draw):
    """Mostly a message of a known kind, some of its values of any type, some keys missing."""
    kind = draw(st.sampled_from(list(QUESTIONS)))
    message = {"kind": kind, "id": draw(ANYTHING)}
    for name in QUESTIONS[kind][1:]:
        form = draw(st.integers(0, 9))
        if form < 9:
            message[name] = draw(VALUES[name] if form < 7 else ANYTHING)
    return draw(st.just(message) | ANYTHING) if draw(st.integers(0, 9)) == 9 else message


KEYS = [{"step"}, {"text"}, {"steps"}, {"broken", "wrong"}, {"answers"}, {"url", "board"}, {"payload"}, {"error"}]


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(BOARDS), messages())
def test_no_message_breaks_the_kernel(board, message):
    after, answer = reply(board, message)
    assert set(answer) in KEYS and json.loads(json.dumps(answer, allow_nan=False)) == answer
    assert (after is board) == ("payload" not in answer)
    if "error" in answer:
        assert answer["error"].splitlines() == [answer["error"]]


def talk(table, message):
    sent = []
    table.send = sent.append
    table._receive(table, message, [])
    return sent


def test_a_player_answers_under_the_number_of_the_message_and_changes_its_board():
    table = Player(Heyawake(1, 3, [[0, 1, 2]], [1, None, 1]))
    assert talk(table, {"id": 7, "kind": "count", "state": [0] * 3}) == [{"id": 7, "answers": 1}]
    (opened,) = talk(table, {"id": "x", "kind": "paste", "text": ADDRESS})
    assert opened == {"id": "x", "payload": table.payload} and repr(table) == "Player(heyawake 2x3)"
    assert talk(table, {"kind": "copy"})[0]["url"] == ADDRESS
    assert talk(table, None)[0]["error"]
    assert repr(table) == "Player(heyawake 2x3)"


def test_a_fault_of_the_kernel_is_answered_and_raised(monkeypatch):
    def faulty(board):
        raise ZeroDivisionError

    monkeypatch.setitem(QUESTIONS, "copy", (faulty,))
    table, sent = Player(BOARDS[0]), []
    table.send = sent.append
    with pytest.raises(ZeroDivisionError):
        table._receive(table, {"id": 1, "kind": "copy"}, [])
    assert sent == [{"id": 1, "error": "the kernel failed: ZeroDivisionError"}]


def test_without_a_kernel_a_player_is_a_picture_the_same_each_time():
    first, again = (Player(BOARDS[0])._repr_mimebundle_()[0] for _ in range(2))
    view = "application/vnd.jupyter.widget-view+json"
    assert set(first) == {"text/plain", "image/svg+xml", view}
    assert first.pop(view) != again.pop(view) and first == again
    assert first["text/plain"] == "Player(heyawake 2x3)" and first["image/svg+xml"].count("<svg") == 1
