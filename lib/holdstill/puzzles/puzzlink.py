"""puzz.link addresses, both ways.

An address ends in `?KIND/COLS/ROWS/BODY`. A Heyawake body is the vertical walls, the horizontal walls, then a number a
room. The format is pzpr's (sabo2, robx; `EncodeCommon.js`), read strictly: where pzpr skips what it does not know, this
refuses, so that no address is half read.
"""

import re

import numpy as np

from holdstill.core.grid import PuzzleError, check_size, regions
from holdstill.puzzles.heyawake import Heyawake

LONGEST = 20_000  # a body of 64x64 numbers of four characters is 16,384
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"

# number16: what stands before a number, how many hex digits it has, what is added to them
NUMBER16 = (("", 1, 0), ("-", 2, 0), ("+", 3, 0), ("=", 3, 4096), ("%", 3, 8192), ("*", 4, 12240), ("$", 5, 77776))
HEX = re.compile("[0-9a-f]+")


def decode(address: str) -> Heyawake:
    """The board of an address.

    Any host, with or without `https://`, then `p?`, `p.html?` or `?`; option letters before the size, a slash at the
    end and white space around are passed over.

    Raises PuzzleError for anything else: another kind of puzzle (named), a bad size, a body with a character out of
    place, too short or too long, a board that Heyawake refuses.

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
        raise PuzzleError(f"{_short(address)} is not an address such as https://puzz.link/p?heyawake/COLS/ROWS/...")
    if kind not in _READERS:
        raise PuzzleError(f"addresses of {', '.join(_READERS)} are read, not of {_short(kind)}")
    if parts and re.fullmatch("[a-z:]*", parts[0]):
        del parts[0]
    if len(parts) < 2:
        raise PuzzleError(f"{kind}: the size is missing")
    for part in parts[:2]:
        if not re.fullmatch("[1-9][0-9]{0,5}", part):
            raise PuzzleError(f"{kind}: the size is COLS/ROWS in whole numbers, not {_short('/'.join(parts[:2]))}")
    cols, rows = int(parts[0]), int(parts[1])
    check_size(rows, cols)
    return _READERS[kind](rows, cols, "/".join(parts[2:]))


def encode(board: Heyawake) -> str:
    """The address of a board at puzz.link.

    Raises PuzzleError for a puzzle without addresses, and for a room that its own walls cut in two: an address would
    make it two rooms.

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
    forms = {prefix: (digits, base) for prefix, digits, base in NUMBER16 if prefix}
    values: list[int | str | None] = []
    at = start
    while at < len(body):
        char, skip = body[at], DIGITS.find(body[at]) - 15
        if skip > 0:
            values += [None] * skip
        elif char == ".":
            values.append("?")
        else:
            digits, base = forms.get(char, (1, 0))
            first = at + (char in forms)
            number = body[first : first + digits]
            if len(number) < digits or not HEX.fullmatch(number):
                raise PuzzleError(f"{_place(body, at)} starts no number")
            values.append(int(number, 16) + base)
            at = first + digits - 1
        at += 1
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
    text, skipped = "", 0
    for value in values:
        if value is None and skipped < 20:
            skipped += 1
            continue
        text += DIGITS[skipped + 15] if skipped else ""
        skipped = int(value is None)
        if value == "?":
            text += "."
        elif value is not None:
            prefix, digits, base = next(form for form in NUMBER16 if value < form[2] + 16 ** form[1])
            text += f"{prefix}{value - base:0{digits}x}"
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


def _rooms_between(right: np.ndarray, below: np.ndarray) -> np.ndarray:
    """The rooms that walls make, numbered in reading order of their first cell."""
    rows, cols = len(right), below.shape[1]
    # Cells, the gaps between them and the corners as one finer grid: a room is a piece without a wall.
    fine = np.ones((2 * rows - 1, 2 * cols - 1), np.int32)
    fine[::2, ::2], fine[::2, 1::2], fine[1::2, ::2] = 0, right, below
    return np.unique(regions(fine)[::2, ::2], return_inverse=True)[1].reshape(rows, cols)


def _place(body: str, at: int) -> str:
    return f"{body[at]!r}, character {at + 1} after the size,"


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


_READERS = {"heyawake": _read_heyawake}
_WRITERS = {Heyawake: ("heyawake", _write_heyawake)}
