"""puzz.link addresses, both ways.

An address ends in `?KIND/COLS/ROWS/BODY`. A Heyawake body is the vertical walls, the horizontal walls, then a number a
room; a Tapa body is a clue a cell, an Araf body a number a cell. The format is pzpr's (sabo2, robx; `EncodeCommon.js`,
`tapa.js`), read strictly: where pzpr skips what it does not know, this refuses, so that no address is half read.
"""

import re
from collections.abc import Callable

import numpy as np

from holdstill.core.grid import PuzzleError, check_size, regions, shown
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.rings import Clue
from holdstill.puzzles.tapa import Tapa

LONGEST = 20_000  # a body of 64x64 numbers of four characters is 16,384
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"

# number16: what stands before a number, how many hex digits it has, what is added to them
NUMBER16 = (("", 1, 0), ("-", 2, 0), ("+", 3, 0), ("=", 3, 4096), ("%", 3, 8192), ("*", 4, 12240), ("$", 5, 77776))
HEX = re.compile("[0-9a-f]+")

# Tapa's clues of two to four runs: two base-36 digits, first + the runs as one number in this base, "?" as 0
RUNS = {2: (360, 6), 3: (396, 4), 4: (460, 2)}
LAST = 475


def decode(address: str) -> Heyawake | Tapa | Araf:
    """The board of an address.

    Any host, with or without `https://`, then `p?`, `p.html?` or `?`; an editor's `_edit` after the name, option
    letters before the size, a slash at the end and white space around are passed over.

    Raises PuzzleError for anything else: another kind of puzzle (named), a bad size, a body with a character out of
    place, too short or too long, a board that its puzzle refuses.

    >>> decode("https://puzz.link/p?heyawake/3/2/ksg2h").clues
    (None, 2, None, None)
    """
    if not isinstance(address, str):
        raise PuzzleError(f"an address is text, not {type(address).__name__}")
    if len(address) > LONGEST:
        raise PuzzleError(f"an address has at most {LONGEST} characters, not {len(address)}")
    host, _, tail = address.strip().rpartition("?")
    kind, *parts = tail.removesuffix("/").split("/")
    if re.search(r"\s", host) or not re.fullmatch("[a-z0-9_]+", kind):
        raise PuzzleError(f"{shown(address)} is not an address such as https://puzz.link/p?heyawake/COLS/ROWS/...")
    kind = kind.removesuffix("_edit")
    if kind not in _READERS:
        raise PuzzleError(f"addresses of {', '.join(_READERS)} are read, not of {shown(kind)}")
    if parts and re.fullmatch("[a-z:]*", parts[0]):
        del parts[0]
    if len(parts) < 2:
        raise PuzzleError(f"{kind}: the size is missing")
    for part in parts[:2]:
        if not re.fullmatch("[1-9][0-9]{0,5}", part):
            raise PuzzleError(f"{kind}: the size is COLS/ROWS in whole numbers, not {shown('/'.join(parts[:2]))}")
    cols, rows = int(parts[0]), int(parts[1])
    check_size(rows, cols)
    return _READERS[kind](rows, cols, "/".join(parts[2:]))


def encode(board: Heyawake | Tapa | Araf) -> str:
    """The address of a board at puzz.link.

    Raises PuzzleError for a puzzle without addresses, and for what no address says: a room that its own walls cut in
    two (it would be two rooms), a lone "?" that must not be an empty ring.

    >>> encode(Heyawake(2, 3, [[0, 1, 1], [2, 3, 3]], [None, 2, None, None]))
    'https://puzz.link/p?heyawake/3/2/ksg2h'
    """
    if type(board) not in _WRITERS:
        raise PuzzleError(f"{type(board).__name__} boards have no address")
    kind, write = _WRITERS[type(board)]
    return f"https://puzz.link/p?{kind}/{board.cols}/{board.rows}/{write(board)}"


def read_walls(body: str, rows: int, cols: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Walls to the right of cells, bool (rows, cols - 1); below cells, bool (rows - 1, cols); where the numbers start.

    Five walls a base-32 digit, high bit first, row by row; the last digit of each of the two parts is padded with 0.

    Raises PuzzleError naming the character that is missing or wrong.

    >>> right, below, start = read_walls("k4", 2, 3)
    >>> right.astype(int).tolist(), below.astype(int).tolist(), start
    ([[1, 0], [1, 0]], [[0, 0, 1]], 2)
    """
    right, start = _read_bits(body, 0, rows * (cols - 1), "vertical")
    below, start = _read_bits(body, start, (rows - 1) * cols, "horizontal")
    return right.reshape(rows, cols - 1), below.reshape(rows - 1, cols), start


def write_walls(right: np.ndarray, below: np.ndarray) -> str:
    """The digits that `read_walls` reads.

    >>> write_walls(np.array([[1, 0], [1, 0]]), np.array([[1, 1, 1]]))
    'ks'
    """
    return _write_bits(right) + _write_bits(below)


def _read_bits(body: str, start: int, count: int, which: str) -> tuple[np.ndarray, int]:
    end = start + -(-count // 5)
    if len(body) < end:
        raise PuzzleError(f"the {which} walls take {end - start} characters, but the address ends after {len(body)}")
    values = [DIGITS.find(char) for char in body[start:end]]
    for at, value in enumerate(values, start):
        if not 0 <= value < 32:
            raise PuzzleError(f"{_place(body, at)} is not a digit of the {which} walls (0-9, a-v)")
    bits = (np.array(values, np.int64)[:, None] >> np.arange(4, -1, -1) & 1).astype(bool).ravel()
    if bits[count:].any():
        raise PuzzleError(f"{_place(body, end - 1)} sets {which} walls past the last cell")
    return bits[:count], end


def _write_bits(walls: np.ndarray) -> str:
    bits = np.zeros(-(-walls.size // 5) * 5, np.int64)
    bits[: walls.size] = walls.ravel()
    return "".join(DIGITS[value] for value in bits.reshape(-1, 5) @ (16, 8, 4, 2, 1))


def read_number16(body: str, start: int, count: int) -> list[int | str | None]:
    """The `count` numbers in `body` from `start` to its end: a number, "?" or None each.

    One hex digit is itself; `-hh`, `+hhh` and pzpr's four longer forms are numbers from 16; `.` is "?"; g to z skip 1
    to 20 places.

    Raises PuzzleError naming the character that is wrong, and for fewer or more than `count`.

    >>> read_number16("3.h-1f", 0, 5)
    [3, '?', None, None, 31]
    """
    return _read_places(body, start, count, _number16)


def _number16(body: str, at: int) -> tuple[int | str, int]:
    """The number at a place in the body, and where the next one starts."""
    if body[at] == ".":
        return "?", at + 1
    forms = {prefix: (digits, base) for prefix, digits, base in NUMBER16 if prefix}
    digits, base = forms.get(body[at], (1, 0))
    first = at + (body[at] in forms)
    number = body[first : first + digits]
    if len(number) < digits or not HEX.fullmatch(number):
        raise PuzzleError(f"{_place(body, at)} starts no number")
    return int(number, 16) + base, first + digits


def _read_places(body: str, start: int, count: int, one: Callable[[str, int], tuple]) -> list:
    """What stands at `count` places, None where g to z skip them; `one` reads what stands at one."""
    values = []
    at = start
    while at < len(body):
        skip = DIGITS.find(body[at]) - 15
        if skip > 0:
            values += [None] * skip
            at += 1
        else:
            value, at = one(body, at)
            values.append(value)
        if len(values) > count:
            raise PuzzleError(f"there are {count} places for numbers, but {_place(body, at - 1)} goes past the last")
    if len(values) < count:
        raise PuzzleError(f"there are {count} places for numbers, but the address ends after {len(values)}")
    return values


def write_number16(values: list[int | str | None]) -> str:
    """The text that `read_number16` reads, shortest form.

    >>> write_number16([3, "?", None, None, 31, 256, 4096] + [None] * 21)
    '3.h-1f+100=000zg'
    """

    def text(value: int | str) -> str:
        if value == "?":
            return "."
        prefix, digits, base = next(form for form in NUMBER16 if value < form[2] + 16 ** form[1])
        return f"{prefix}{value - base:0{digits}x}"

    return _write_places(values, text)


def _write_places(values: list, one: Callable) -> str:
    """What `_read_places` reads; `one` writes a value."""
    text, skipped = "", 0
    for value in values:
        if value is None and skipped < 20:
            skipped += 1
            continue
        text += DIGITS[skipped + 15] if skipped else ""
        skipped = int(value is None)
        text += "" if value is None else one(value)
    return text + (DIGITS[skipped + 15] if skipped else "")


def _read_heyawake(rows: int, cols: int, body: str) -> Heyawake:
    right, below, start = read_walls(body, rows, cols)
    rooms = _rooms_between(right, below)
    cell = np.arange(rows * cols).reshape(rows, cols)
    beside = cell[:, :-1][right & (rooms[:, 1:] == rooms[:, :-1])].tolist()
    above = cell[:-1][below & (rooms[1:] == rooms[:-1])].tolist()
    walls = [(a, a + 1) for a in beside] + [(a, a + cols) for a in above]
    numbers = read_number16(body, start, int(rooms.max()) + 1)
    # "?" is a number nobody knows: for the rules the same as none
    return Heyawake(rows, cols, rooms.tolist(), [None if n == "?" else n for n in numbers], walls)


def _write_heyawake(board: Heyawake) -> str:
    label, first = np.unique(_rooms_between(board.wall_right, board.wall_below), return_index=True)
    rooms = board.room_of[first]
    if len(label) > len(board.clues):
        cut = np.flatnonzero(np.bincount(rooms) > 1)[0]
        raise PuzzleError(f"room {cut} is cut in two by its walls, and no address says that")
    numbers = [board.clues[room] for room in rooms]
    return write_walls(board.wall_right, board.wall_below) + write_number16(numbers)


def _read_araf(rows: int, cols: int, body: str) -> Araf:
    flat = read_number16(body, 0, rows * cols)
    return Araf(rows, cols, [flat[start : start + cols] for start in range(0, rows * cols, cols)])


def _write_araf(board: Araf) -> str:
    return write_number16([number for row in board.numbers for number in row])


def _rooms_between(right: np.ndarray, below: np.ndarray) -> np.ndarray:
    """The rooms that walls make, numbered in reading order of their first cell."""
    rows, cols = len(right), below.shape[1]
    # Cells, the gaps between them and the corners as one finer grid: a room is a piece without a wall.
    fine = np.ones((2 * rows - 1, 2 * cols - 1), np.int32)
    fine[::2, ::2], fine[::2, 1::2], fine[1::2, ::2] = 0, right, below
    return np.unique(regions(fine)[::2, ::2], return_inverse=True)[1].reshape(rows, cols)


def _read_tapa(rows: int, cols: int, body: str) -> Tapa:
    clues = _read_places(body, 0, rows * cols, _runs)
    return Tapa(rows, cols, [clues[at : at + cols] for at in range(0, rows * cols, cols)])


def _runs(body: str, at: int) -> tuple[Clue, int]:
    """The clue at a place in the body, and where the next one starts."""
    first = body[at]
    if first == ".":
        return ("?",), at + 1
    if first in "0123456789":
        return ((1, 1, 1, 1) if first == "9" else (int(first),)), at + 1
    number = body[at : at + 2]
    value = int(number, 36) if re.fullmatch("[a-d][0-9a-z]", number) else LAST + 1
    if value > LAST:
        raise PuzzleError(f"{_place(body, at)} starts no clue")
    runs = max(runs for runs, (least, _) in RUNS.items() if value >= least)
    least, base = RUNS[runs]
    parts = [(value - least) // base**power % base for power in reversed(range(runs))]
    return tuple(part or "?" for part in parts), at + 2


def _write_tapa(board: Tapa) -> str:
    if board.positive:
        raise PuzzleError('a lone "?" that must not be an empty ring has no address')

    def text(clue: Clue) -> str:
        if len(clue) == 1:
            return "." if clue == ("?",) else str(clue[0])
        if clue == (1, 1, 1, 1):
            return "9"
        value, base = RUNS[len(clue)]
        value += sum((0 if run == "?" else run) * base**power for power, run in enumerate(reversed(clue)))
        return DIGITS[value // 36] + DIGITS[value % 36]

    return _write_places([clue for row in board.clues for clue in row], text)


def _place(body: str, at: int) -> str:
    return f"{body[at]!r}, character {at + 1} after the size,"


_READERS = {"heyawake": _read_heyawake, "tapa": _read_tapa, "araf": _read_araf}
_WRITERS = {Heyawake: ("heyawake", _write_heyawake), Tapa: ("tapa", _write_tapa), Araf: ("araf", _write_araf)}
