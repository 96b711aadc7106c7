"""The player in a notebook: a board to click on, and a kernel that answers what its page asks.

Each question is a function of a board: `hint`, `finish`, `check`, `count` and `copy` give what is sent back,
`generated` and `pasted` another board. `reply` finds the function of a message and turns whatever is wrong with it into
one line. On the wire a state is a list of one value a cell, for Araf of the pairs of cells with a wall between.
"""

from types import SimpleNamespace

import anywidget
import numpy as np
import traitlets

from holdstill.core.grid import SHADED, UNKNOWN, PuzzleError, edges, shown, where
from holdstill.core.model import Ragged, at_least_one, compile_model
from holdstill.core.search import Found, every_rule, search
from holdstill.lab.draw import board_figure, render
from holdstill.lab.player_check import broken, broken_cuts
from holdstill.lab.player_data import KERNEL, STYLE, payload, script, step_data
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.araf_reasons import labels
from holdstill.puzzles.boards import PUZZLES, Board, read, to_json
from holdstill.puzzles.engines import GENERATE, engine
from holdstill.puzzles.grade import address, known

SECONDS = 0.9  # for a search, so that its answer is there within a second
LONGEST = 50_000  # characters; a 64x64 board has 20,000 as JSON
# The largest board to make, and how often it is tried: the slowest takes some seconds.
LARGEST = {"heyawake": 10, "tapa": 30, "thermometers": 12, "araf": 7}
TRIES = 500
MOST = 1000  # answers to list on an Araf board


def hint(board: Board, state, rung) -> dict:
    """The next step by a rung from a state, or a text where there is none.

    Raises PuzzleError for an unknown rung or a bad state, as do the functions below.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> hint(Heyawake(1, 3, [[0, 1, 2]], [1, None, 1]), [2, 0, 2], "local")["step"]["reason"]
    [0]
    """
    found = engine(board).hint(board, _rung(board, rung), _state(board, state))
    return {"text": f"Nothing more by {rung}."} if found is None else {"step": step_data(found)}


def finish(board: Board, state, rung) -> dict:
    """All steps of a rung from a state on. On Araf they start from the bare board: what is drawn already says no more.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> len(finish(Heyawake(1, 3, [[0, 1, 2]], [1, None, 1]), [0, 0, 0], "local")["steps"])
    3
    """
    given = (_state(board, state),)
    steps = engine(board).minimal(board, _rung(board, rung), *(given if not isinstance(board, Araf) else ()))
    return {"steps": [step_data(step) for step in steps]}


def check(board: Board, state, answer) -> dict:
    """Each place where a state breaks a rule for good; with `answer` also the cells that are not as in the one answer.

    Raises PuzzleError where no one answer is known within a second.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> check(Heyawake(1, 3, [[0, 1, 2]], [1, None, 1]), [2, 2, 0], False)["broken"][0]["cells"]
    [0, 1]
    """
    if type(answer) is not bool:
        raise PuzzleError(f"answer is true or false, not {shown(answer)}")
    held = _state(board, state)
    told = broken_cuts(board, held, state) if isinstance(board, Araf) else broken(board, held)
    found = {"broken": [{"rule": rule, "cells": cells, "text": text} for rule, cells, text in told], "wrong": []}
    if answer:
        right = _answer(board)
        if isinstance(board, Araf):
            found["wrong"] = sorted({cell for a, b in state if right[a] == right[b] for cell in (a, b)})
        else:
            found["wrong"] = np.flatnonzero((held != UNKNOWN) & (held != right)).tolist()
    return found


def count(board: Board, state) -> dict:
    """How many answers agree with a state: 0, 1, 2 for two or more, None where that takes over a second.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> row = Heyawake(1, 3, [[0, 1, 2]], [None, None, None])
    >>> [count(row, state)["answers"] for state in ([0, 0, 0], [0, 1, 2], [2, 2, 0])]
    [2, 2, 0]
    """
    held = _state(board, state)
    if not isinstance(board, Araf):
        return {"answers": known(_search_from(board, held))}
    found = engine(board).search(board, MOST, seconds=SECONDS)
    fits = sum(all(one[a] != one[b] for a, b in state) for one in found.answers)
    every = found.complete and found.count < MOST
    return {"answers": min(fits, 2) if every or fits > 1 else None}


def copy(board: Board) -> dict:
    """The board's address, None where it has none, and the board as JSON."""
    return {"url": address(board), "board": to_json(board)}


def generated(_, puzzle, size, level, seed) -> Board:
    """A random square board that the rung `level` finishes.

    Raises PuzzleError for an unknown puzzle or rung, a size that takes too long, a bad seed, and where there is none.

    >>> generated(None, "tapa", 5, "rings", 1) == generated(None, "tapa", 5, "rings", 1)
    True
    """
    if not isinstance(puzzle, str) or puzzle not in PUZZLES:
        raise PuzzleError(f"puzzle is one of {', '.join(PUZZLES)}, not {shown(puzzle)}")
    if type(size) is not int or not 1 <= size <= LARGEST[puzzle]:
        raise PuzzleError(f"a new board of {puzzle} has 1 to {LARGEST[puzzle]} rows and columns, not {shown(size)}")
    if type(seed) is not int or not 0 <= seed < 1 << 63:
        raise PuzzleError(f"a seed is a whole number from 0 on, not {shown(seed)}")
    rung = _rung(PUZZLES[puzzle], level)
    return GENERATE[puzzle](size, size, np.random.default_rng(seed), rung=rung, tries=TRIES).board


def pasted(_, text) -> Board:
    """The board of an address or of JSON.

    Raises PuzzleError for anything else, and for a text too long to be a board, unread.

    >>> pasted(None, "puzz.link/p?heyawake/3/2/ksg2h").clues
    (None, 2, None, None)
    """
    if not isinstance(text, str):
        raise PuzzleError(f"a board is pasted as text, not {shown(text)}")
    if len(text) > LONGEST:
        raise PuzzleError(f"an address or a board has at most {LONGEST} characters, not {len(text)}")
    return read(text)


QUESTIONS = {
    "hint": (hint, "state", "rung"),
    "finish": (finish, "state", "rung"),
    "check": (check, "state", "answer"),
    "count": (count, "state"),
    "copy": (copy,),
    "board": (generated, "puzzle", "size", "level", "seed"),
    "paste": (pasted, "text"),
}


def reply(board: Board, message) -> tuple[Board, dict]:
    """The board on the table after a message, and the answer to it; whatever is wrong is one line under "error".

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> reply(Heyawake(1, 3, [[0, 1, 2]], [1, None, 1]), {"kind": "count"})[1]
    {'error': 'count needs state'}
    """
    try:
        if not isinstance(message, dict):
            raise PuzzleError(f"a message is an object, not {shown(message)}")
        kind = message.get("kind")
        if not isinstance(kind, str) or kind not in QUESTIONS:
            raise PuzzleError(f"kind is one of {', '.join(QUESTIONS)}, not {shown(kind)}")
        function, *names = QUESTIONS[kind]
        for name in names:
            if name not in message:
                raise PuzzleError(f"{kind} needs {name}")
        made = function(board, *(message[name] for name in names))
        return (board, made) if isinstance(made, dict) else (made, {"payload": payload(made)})
    except PuzzleError as error:
        return board, {"error": " ".join(str(error).split())}


class Player(anywidget.AnyWidget):
    """A board to play in a notebook. Where no kernel runs, it is a picture of the board.

    `board` is the one on the table: the page may ask for another.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> Player(Heyawake(1, 3, [[0, 1, 2]], [1, None, 1]))
    Player(heyawake 1x3)
    """

    _esm = script(KERNEL)
    _css = STYLE
    payload = traitlets.Dict().tag(sync=True)

    def __init__(self, board: Board):
        super().__init__(payload=payload(board))
        self.board = board
        self.on_msg(self._receive)

    def _receive(self, _, message, buffers):
        sent = message.get("id") if isinstance(message, dict) else None
        try:
            board, answer = reply(self.board, message)
        except BaseException as error:  # a fault of ours, or Ctrl-C: the page must not wait for ever
            self.send({"id": sent, "error": f"the kernel failed: {type(error).__name__}"})
            raise
        if board is not self.board:
            self.board, self.payload = board, answer["payload"]
        self.send({"id": sent} | answer)

    def __repr__(self):
        return f"Player({type(self.board).__name__.lower()} {self.board.rows}x{self.board.cols})"

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        return data | {"image/svg+xml": render(board_figure(self.board), "svg").decode()}, metadata


def _rung(board, rung) -> str:
    if not isinstance(rung, str) or rung not in board.RUNGS:
        raise PuzzleError(f"a rung is one of {', '.join(board.RUNGS)}, not {shown(rung)}")
    return rung


def _state(board: Board, sent) -> np.ndarray:
    """A state as the engines know it: int8 values, for Araf the labels of the pieces that the walls cut."""
    cells = board.rows * board.cols
    if not isinstance(sent, list):
        raise PuzzleError(f"a state is a list, not {shown(sent)}")
    if isinstance(board, Araf):
        sides = set(map(tuple, edges(board.rows, board.cols).tolist()))
        if len(sent) > len(sides):
            raise PuzzleError(f"a state has up to {len(sides)} walls, not {len(sent)}")
        for wall in sent:
            whole = isinstance(wall, list) and len(wall) == 2 and all(type(cell) is int for cell in wall)
            if not whole or tuple(wall) not in sides:
                raise PuzzleError(f"a wall is a pair of cells side by side, the smaller first, not {shown(wall)}")
        return labels(board, sent)
    if len(sent) != cells:
        raise PuzzleError(f"a state has {cells} values, one a cell, not {len(sent)}")
    for cell, value in enumerate(sent):
        if type(value) is not int or not 0 <= value <= 2:
            raise PuzzleError(f"{where([cell], board.cols)} is {shown(value)}, not 0, 1 or 2")
    return np.array(sent, np.int8)


def _answer(board: Board) -> np.ndarray:
    """The one answer of a board."""
    found = engine(board).search(board, 2, seconds=SECONDS)
    if known(found) != 1:
        how = {0: "no answer", 2: "two or more answers"}.get(known(found), "no answer that is known within a second")
        raise PuzzleError(f"the board has {how}, so there is none to check against")
    return found.answers[0]


def _search_from(board, held: np.ndarray) -> Found:
    """A search for two answers that agree with a state, which joins the rules as one more."""
    cells, rules = np.flatnonzero(held), (*board.RULES, "held")
    literals = 2 * cells + (held[cells] == SHADED)
    blocks = [*board.constraints(), at_least_one("held", Ragged.of(literals[:, None]))]
    puzzle = SimpleNamespace(model=compile_model(board.rows, board.cols, blocks, rules), RULES=rules)
    return search(puzzle, 2, rules=[*every_rule(board), "held"], seconds=SECONDS)
