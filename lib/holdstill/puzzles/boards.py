"""Boards and answers as JSON and as text.

A board is one JSON object with its puzzle's name and the fields of its dataclass. What `generate --json` prints and a
bank holds wraps it: `{"puzzle", "board", "url", "answer", "seed", "rung"}`; `read` takes the board out of that too.
"""

import json
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path

import numpy as np

from holdstill.core.grid import UNKNOWN, UNSHADED, PuzzleError
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.puzzlink import decode
from holdstill.puzzles.tapa import Tapa
from holdstill.puzzles.thermometers import Thermometers

PUZZLES = {"heyawake": Heyawake, "tapa": Tapa, "thermometers": Thermometers, "araf": Araf}
Board = Heyawake | Tapa | Thermometers | Araf
LONGEST = 1_000_000  # a 64x64 board with its answer is below a tenth of this


def to_dict(board: Board) -> dict:
    """The board as the object that `to_json` writes.

    >>> to_dict(Heyawake(1, 2, [[0, 1]], [None, 1]))
    {'puzzle': 'heyawake', 'rows': 1, 'cols': 2, 'rooms': ((0, 1),), 'clues': (None, 1), 'walls': None}
    """
    name = next(name for name, puzzle in PUZZLES.items() if type(board) is puzzle)
    return {"puzzle": name} | {field.name: getattr(board, field.name) for field in fields(board)}


def to_json(board: Board) -> str:
    """The board as one line of JSON.

    >>> to_json(Heyawake(1, 2, [[0, 1]], [None, 1]))
    '{"puzzle": "heyawake", "rows": 1, "cols": 2, "rooms": [[0, 1]], "clues": [null, 1], "walls": null}'
    """
    return json.dumps(to_dict(board), default=int)  # rows and cols may be numpy's


def from_json(board: str | dict) -> Board:
    """The board of a JSON object, given as text or already parsed.

    Raises PuzzleError for what is not JSON, an unknown puzzle, a key that is unknown, missing or given twice, NaN, and
    whatever the puzzle refuses.

    >>> from_json('{"puzzle": "heyawake", "rows": 1, "cols": 2, "rooms": [[0, 1]], "clues": [null, 1]}').clues
    (None, 1)
    """
    entries = dict(_parse(board) if isinstance(board, str) else board)
    name = entries.pop("puzzle", None)
    if not isinstance(name, str) or name not in PUZZLES:
        raise PuzzleError(f'"puzzle" is one of {", ".join(PUZZLES)}, not {_short(name)}')
    known = {field.name: field.default is MISSING for field in fields(PUZZLES[name])}
    for key in entries:
        if key not in known:
            raise PuzzleError(f"{name} has no key {_short(key)}")
    for key, needed in known.items():
        if needed and key not in entries:
            raise PuzzleError(f'{name}: the key "{key}" is missing')
    return PUZZLES[name](**entries)


def read(text: str) -> Board:
    """The board that somebody pasted: a puzz.link address, or JSON of the board alone or wrapped with its answer.

    Raises PuzzleError.

    >>> read("puzz.link/p?heyawake/3/2/ksg2h").clues
    (None, 2, None, None)
    """
    text = text.strip()
    if not text.startswith("{"):
        return decode(text)
    entries = _parse(text)
    if "board" not in entries:
        return from_json(entries)
    if not isinstance(entries["board"], dict):
        raise PuzzleError(f'"board" is an object, not {_short(entries["board"])}')
    return from_json(entries["board"])


def read_lines(path: str | Path) -> Iterator[tuple[int, Board | PuzzleError]]:
    """Line numbers from 1, and the board on each line or what is wrong with it.

    Blank lines and those that start with `#` are passed over.

    Raises PuzzleError when the file cannot be read.
    """
    try:
        with open(path, "rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    text = line.decode("utf-8-sig").strip()
                    if text and not text.startswith("#"):
                        yield number, read(text)
                except UnicodeDecodeError:
                    yield number, PuzzleError("the line is not UTF-8 text")
                except PuzzleError as error:
                    yield number, error
    except OSError as error:
        raise PuzzleError(f"{path}: {error.strerror}") from None


def answer_rows(state: np.ndarray, cols: int) -> list[list[int]]:
    """A decided state as rows of 0 (unshaded) and 1 (shaded), or of room labels from 0 (Araf).

    Raises PuzzleError naming a cell that is undecided.

    >>> answer_rows(np.array([1, 2, 2, 1], np.int8), 2)
    [[0, 1], [1, 0]]
    """
    rows = np.reshape(state, (-1, cols))
    for y, x in np.argwhere(rows == UNKNOWN)[:1]:
        raise PuzzleError(f"an answer decides every cell, but r{y + 1}c{x + 1} is open")
    return (rows - UNSHADED).tolist()


def answer_state(rows: list[list[int]], labels: int = 2) -> np.ndarray:
    """The state of rows of 0 and 1, or of up to `labels` room labels (Araf): int8 (cells,), or int32.

    Raises PuzzleError naming the row or cell at fault.

    >>> answer_state([[0, 1], [1, 0]]).tolist()
    [1, 2, 2, 1]
    """
    if not isinstance(rows, (list, tuple)) or not rows:
        raise PuzzleError("an answer is a list of rows")
    for y, row in enumerate(rows, 1):
        if not isinstance(row, (list, tuple)) or len(row) != len(rows[0]):
            raise PuzzleError(f"answer: row {y} is not a list as long as row 1")
        for x, value in enumerate(row, 1):
            if type(value) is not int or not 0 <= value < labels:
                most = f"{'or' if labels == 2 else 'to'} {labels - 1}"
                raise PuzzleError(f"answer: r{y}c{x} is {_short(value)}, not 0 {most}")
    return np.array(rows, np.int8 if labels == 2 else np.int32).ravel() + UNSHADED


def grid_text(board: Board, state: np.ndarray) -> str:
    """The state as lines of `#` shaded, `.` unshaded, `?` unknown; for Araf, of room labels from 0.

    >>> print(grid_text(Heyawake(2, 2, [[0, 0], [1, 1]], [None, None]), np.array([1, 2, 0, 1])))
    .#
    ?.
    """
    rows = np.reshape(state, (board.rows, board.cols))
    if isinstance(board, Araf):
        wide = len(str(rows.max() - 1))
        return "\n".join(" ".join(f"{label - 1 if label else '?':>{wide}}" for label in row) for row in rows.tolist())
    marks = np.array(["?", ".", "#"])[rows]
    return "\n".join("".join(row) for row in marks)


def _parse(text: str) -> dict:
    if len(text) > LONGEST:
        raise PuzzleError(f"a board has at most {LONGEST} characters, not {len(text)}")
    try:
        entries = json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    except PuzzleError:
        raise
    except json.JSONDecodeError as error:
        raise PuzzleError(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; thousands of brackets
        raise PuzzleError(f"not a board: {str(error).partition(';')[0]}") from None
    if not isinstance(entries, dict):
        raise PuzzleError(f"a board is a JSON object, not {_short(entries)}")
    return entries


def _no_duplicates(pairs: list[tuple[str, object]]) -> dict:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        keys = [key for key, _ in pairs]
        raise PuzzleError(f"the key {_short(next(key for key in keys if keys.count(key) > 1))} is there twice")
    return entries


def _no_constant(name: str) -> None:
    raise PuzzleError(f"{name} is no number of a board")


def _short(value: object) -> str:
    if isinstance(value, (list, tuple, dict)):
        return "an object" if isinstance(value, dict) else "a list"
    text = json.dumps(value, default=repr)
    return text if len(text) <= 40 else text[:37] + "..."
