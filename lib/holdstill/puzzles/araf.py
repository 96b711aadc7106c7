"""Araf: rooms of two numbers, each larger than one and smaller than the other.

Cut the grid along its lines into edge-connected rooms so that each holds exactly two numbers, and the number of its
cells lies strictly between them. A "?" is any number. Rules: Nikoli, 2011.

Two things people drop are parameters here: the *reading* "inclusive" lets a size equal one of its numbers, "corner"
lets a room hold together by a corner; "strict" is the rule.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numba import njit

from holdstill.core.grid import MAX_SIDE, PuzzleError, check_size, shown
from holdstill.counting.shapes import _steps_kernel, around
from holdstill.puzzles.araf_rungs import RUNGS, finishes
from holdstill.puzzles.araf_search import Solver, search
from holdstill.puzzles.araf_state import frame_of
from holdstill.puzzles.layouts import small_rooms

READINGS = ("strict", "inclusive", "corner")
PLACES = ("any", "near", "apart", "ends", "straight", "far")  # where a room's two numbers stand
_, NEAR, APART, ENDS, STRAIGHT, FAR = range(len(PLACES))
MOST = MAX_SIDE * MAX_SIDE + 1  # no room is so large: more would say nothing else
ANY = -1  # "?" as the kernels see it


@dataclass(frozen=True)
class Araf:
    """An Araf board: `numbers` is `rows` lists of `cols` entries, a number, "?" or None; stored as tuples.

    Raises PuzzleError, naming the cell at fault, and for a count of numbers that is odd or below two.

    >>> Araf(1, 3, [[1, None, 4]]).at
    (0, 2)
    """

    rows: int
    cols: int
    numbers: tuple[tuple[int | str | None, ...], ...]

    RULES: ClassVar = {
        "whole": "a room is in one piece",
        "two": "a room holds two numbers",
        "size": "a room's size lies between its numbers",
    }
    RUNGS: ClassVar = RUNGS

    def __post_init__(self):
        check_size(self.rows, self.cols)
        rows, cols = int(self.rows), int(self.cols)
        numbers = _numbers(self.numbers, rows, cols)
        self.__dict__.update(rows=rows, cols=cols, numbers=numbers)
        count = len(self.at)
        if count < 2 or count % 2:
            raise PuzzleError(f"a board holds two numbers a room, but this one has {count} in all")

    @cached_property
    def at(self) -> tuple[int, ...]:
        """The cells with a number, in reading order."""
        flat = [number for row in self.numbers for number in row]
        return tuple(cell for cell, number in enumerate(flat) if number is not None)

    @cached_property
    def values(self) -> np.ndarray:
        """The numbers in reading order, int32 (count,); -1 for "?"."""
        flat = [number for row in self.numbers for number in row if number is not None]
        return np.array([ANY if number == "?" else number for number in flat], np.int32)

    def sizes(self, reading: str = "strict") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sizes of a room of numbers i and j: from low[i, j] to high[i, j] but not hole[i, j], three int32 (k, k).

        No size fits where high < low. A "?" can be larger or smaller than the other number, so it forbids but one size.

        >>> low, high, _ = Araf(1, 3, [[1, None, 4]]).sizes()
        >>> low[0, 1].item(), high[0, 1].item()
        (2, 3)
        """
        check_reading(reading)
        k = len(self.at)
        low, high, hole = np.zeros((3, k, k), np.int32)
        for i in range(k):
            _sizes_kernel(self.values, i, self.rows * self.cols, reading == "inclusive", low, high, hole)
        return low, high, hole

    def broken(self, states: np.ndarray, reading: str = "strict") -> np.ndarray:
        """The rules that cuts into rooms break, as bits: bit i for the i-th of RULES.

        `states` is int32 (boards, cells), a label above 0 a cell; the result is uint8 (boards,). Reads the rules
        afresh: rooms are flooded, their numbers and cells counted.

        >>> Araf(1, 4, [[1, 3, 3, 1]]).broken(np.array([[1, 1, 2, 2], [1, 2, 2, 1]], np.int32)).tolist()
        [0, 5]
        """
        check_reading(reading)
        numbers = np.full(self.rows * self.cols, ANY - 1, np.int32)
        numbers[list(self.at)] = self.values
        states = np.ascontiguousarray(states, np.int32)
        return _broken_kernel(states, self.rows, self.cols, numbers, reading == "inclusive", reading == "corner")

    def is_valid(self, state: np.ndarray, reading: str = "strict") -> bool:
        """Is the grid cut into rooms that are right by every rule?"""
        state = np.asarray(state, np.int32)
        return bool((state > 0).all()) and not int(self.broken(state[None], reading)[0])


def check_reading(reading: str) -> None:
    """Nothing for one of READINGS; raises PuzzleError otherwise."""
    if reading not in READINGS:
        raise PuzzleError(f"a reading of araf is one of {', '.join(READINGS)}, not {shown(reading)}")


def _numbers(numbers, rows: int, cols: int) -> tuple[tuple[int | str | None, ...], ...]:
    if not isinstance(numbers, (list, tuple)) or len(numbers) != rows:
        raise PuzzleError(f"numbers must be {rows} rows of {cols} entries")
    for y, row in enumerate(numbers):
        if not isinstance(row, (list, tuple)) or len(row) != cols:
            raise PuzzleError(f"numbers: row {y + 1} must hold {cols} entries")
        for x, number in enumerate(row):
            if number is None or (isinstance(number, str) and number == "?"):
                continue
            if type(number) is not int or not 0 <= number <= MOST:
                place = f"numbers: r{y + 1}c{x + 1}"
                raise PuzzleError(f'{place} is {shown(number)}, neither 0 to {MOST}, nor "?", nor null')
    return tuple(map(tuple, numbers))


@njit(cache=True)
def _sizes_kernel(values, i, cells, inclusive, low, high, hole):
    """Row and column i of `sizes`."""
    for j in range(len(values)):
        a, b = min(values[i], values[j]), max(values[i], values[j])
        forbidden = 0
        if a == ANY:
            forbidden = 0 if inclusive or b == ANY else b
            a, b = 2, cells
        elif inclusive:
            a, b = max(a, 2), min(b, cells)
        else:
            a, b = max(a + 1, 2), min(b - 1, cells)
        low[i, j] = low[j, i] = a
        high[i, j] = high[j, i] = b if i != j else 0
        hole[i, j] = hole[j, i] = forbidden


@njit(cache=True)
def _legal_kernel(size, first, second, inclusive):
    """May a room of two numbers have this size?"""
    if first == ANY or second == ANY:
        return inclusive or (size != first and size != second)
    if inclusive:
        return min(first, second) <= size <= max(first, second)
    return min(first, second) < size < max(first, second)


@njit(cache=True)
def _broken_kernel(states, rows, cols, numbers, inclusive, corner):
    boards, cells = states.shape
    broken = np.zeros(boards, np.uint8)
    room, stack = np.empty(cells, np.bool_), np.empty(cells, np.int32)
    for board in range(boards):
        labels = states[board]
        done = np.zeros(cells, np.bool_)
        for start in range(cells):
            if done[start]:
                continue
            size, held, first, second = 0, 0, 0, 0
            for cell in range(cells):
                room[cell] = labels[cell] == labels[start]
                if room[cell]:
                    done[cell] = True
                    size += 1
                    if numbers[cell] >= ANY:
                        held += 1
                        first, second = second, numbers[cell]
            stack[0], top, reached = start, 1, 0
            room[start] = False
            while top:
                top -= 1
                reached += 1
                y, x = stack[top] // cols, stack[top] % cols
                for dy in range(-1, 2):
                    for dx in range(-1, 2):
                        if (dy != 0 and dx != 0 and not corner) or not (0 <= y + dy < rows and 0 <= x + dx < cols):
                            continue
                        near = (y + dy) * cols + x + dx
                        if room[near]:
                            room[near] = False
                            stack[top] = near
                            top += 1
            wrong_size = held == 2 and not _legal_kernel(size, first, second, inclusive)
            broken[board] |= (reached < size) | (held != 2) << 1 | wrong_size << 2
    return broken


class Generated(NamedTuple):
    """A board made with its one answer (an int32 state), and what it took.

    `tight` is the board before any widening, `rejected` the tight boards that were not unique. `tried` counts single
    widenings of one number by one, `order` has those that were kept: each number's place in `Araf.at`.
    """

    board: Araf
    answer: np.ndarray
    tight: Araf
    rejected: int
    tried: int
    order: list[int]

    @property
    def kept(self) -> int:
        """How many widenings were kept."""
        return len(self.order)


def generate(
    rows: int,
    cols: int,
    rng: np.random.Generator,
    *,
    rung: str | None = None,
    rooms=small_rooms,
    place: str = "far",
    ceiling: int = 7,
    widest: int | None = None,
    tries: int = 10_000,
) -> Generated:
    """A random board with one answer: rooms drawn, numbered as tightly as can be, then widened to a local maximum.

    `rooms` cuts the grid (rows, cols, rng -> labels; or a `partial` of `uniform_cut` in counting/uniform.py, to draw
    each cut with the same chance) until the tight board, size - 1 and size + 1 in each room, has one answer (with
    `rung`: until that rung finishes it). `place` puts a room's numbers in two cells: as many steps apart as there are
    ("far"), as far in a straight line ("straight"), the first and last in reading order ("ends"), two that do not touch
    ("apart"), "any" two, two that touch ("near"). Then numbers are widened by one at a time, in passes over all of them
    in random order, floors down to 1 and ceilings up to `ceiling`, while the board stays good. Widening is not
    monotone, since a lower number can lose a partner: refused ones are tried again until a whole pass fails, or
    `widest` were kept.

    Raises PuzzleError for a bad size, rung or place, a room of one cell, and when no try gives a board.

    >>> made = generate(4, 4, np.random.default_rng(1))
    >>> made.board.is_valid(made.answer), made.kept
    (True, 7)
    """
    check_size(rows, cols)
    if rung is not None and rung not in Araf.RUNGS:
        raise PuzzleError(f"araf has no rung {shown(rung)}, only {', '.join(Araf.RUNGS)}")
    for rejected in range(tries):  # noqa: B007
        tight, answer = tight_board(rows, cols, rng, rooms=rooms, place=place)
        if search(tight, 2).count == 1 if rung is None else finishes(tight, rung):
            break
    else:
        raise PuzzleError(f"no {rows}x{cols} board in {tries} tries: none had one answer when tight")
    values = tight.values.copy()
    low_end = values < np.bincount(answer)[answer[list(tight.at)]]
    tried, order = _widen(tight, values, low_end, rung, ceiling, widest, rng)
    return Generated(_board(rows, cols, tight.at, values), answer, tight, rejected, tried, order)


def tight_board(
    rows: int, cols: int, rng: np.random.Generator, *, rooms=small_rooms, place: str = "far"
) -> tuple[Araf, np.ndarray]:
    """Random rooms numbered as tightly as can be, unique or not: the board and the answer it was built around.

    `rooms` and `place` as in `generate`, and so the errors.

    >>> board, answer = tight_board(2, 2, np.random.default_rng(1))
    >>> board.is_valid(answer)
    True
    """
    if place not in PLACES:
        raise PuzzleError(f"numbers are placed {', '.join(PLACES)}, not {shown(place)}")
    labels = rooms(rows, cols, rng).astype(np.int32).ravel()
    if np.bincount(labels).min() < 2:
        raise PuzzleError(f"room {np.bincount(labels).argmin()} has one cell, and no room of araf can")
    floor, ceil = _places_kernel(labels, around(rows, cols), int(cols), PLACES.index(place), rng)
    at = np.flatnonzero(floor | ceil)
    sizes = np.bincount(labels)[labels[at]]
    return _board(rows, cols, at, np.where(floor[at], sizes - 1, sizes + 1)), labels + 1


def _board(rows: int, cols: int, at, values: np.ndarray) -> Araf:
    numbers = [[None] * cols for _ in range(rows)]
    for cell, value in zip(at, values.tolist(), strict=True):
        numbers[int(cell) // cols][int(cell) % cols] = value
    return Araf(rows, cols, numbers)


@njit(cache=True)
def _places_kernel(labels, beside, cols, place, rng):
    """Cells for the smaller and for the larger number of each room, bool (cells,) each.

    A pair of cells has a score, and one of the pairs with the best score is drawn evenly.
    """
    cells = len(labels)
    floor, ceil = np.zeros(cells, np.bool_), np.zeros(cells, np.bool_)
    steps, queue, others = np.empty(cells, np.int32), np.empty(cells, np.int32), np.empty(cells, np.uint8)
    for room in range(labels.max() + 1):
        for cell in range(cells):
            others[cell] = labels[cell] != room
        best, ties, a, b = -cells, 0, 0, 0
        for one in range(cells):
            if others[one]:
                continue
            _steps_kernel(beside, others, one, steps, queue)
            for two in range(cells):
                if two == one or others[two]:
                    continue
                score = 0
                if place == NEAR:
                    score = -steps[two]
                elif place == APART:
                    score = min(steps[two], 2)
                elif place == ENDS:
                    score = abs(two - one)
                elif place == STRAIGHT:
                    score = (two // cols - one // cols) ** 2 + (two % cols - one % cols) ** 2
                elif place == FAR:
                    score = steps[two]
                if score > best:
                    best, ties = score, 0
                if score == best:
                    ties += 1
                    if rng.integers(0, ties) == 0:
                        a, b = one, two
        floor[a] = ceil[b] = True
    return floor, ceil


def _widen(tight: Araf, values, low_end, rung, ceiling, widest, rng) -> tuple[int, list[int]]:
    """Widen `values` in place: how many widenings were tried, and those kept in order."""
    frame = frame_of(tight.rows, tight.cols, tight.at, tight.sizes())
    solver, answers = Solver(frame), np.empty((1, tight.rows * tight.cols), np.int32)
    tried, order, moved = 0, [], True
    while moved:
        moved = False
        for number in rng.permutation(len(values)).tolist():
            before = values[number]
            wider = before - 1 if low_end[number] else before + 1
            if len(order) == widest or (wider < 1 if low_end[number] else wider > ceiling):
                continue
            tried += 1
            values[number] = wider
            _sizes_kernel(values, number, answers.shape[1], False, frame.low, frame.high, frame.hole)
            if rung is None:
                # A new answer has a room that was not allowed before: this number's, and its size is the old number.
                solver.start(number, int(before))
                good = solver.run(answers, 1, 1 << 60)[0] == 0
            else:
                good = finishes(_board(tight.rows, tight.cols, tight.at, values), rung)
            if good:
                order.append(number)
                moved = True
            else:
                values[number] = before
                _sizes_kernel(values, number, answers.shape[1], False, frame.low, frame.high, frame.hole)
    return tried, order
