"""Araf: rooms of two numbers, each larger than one and smaller than the other.

Cut the grid along its lines into edge-connected rooms so that each holds exactly two numbers, and the number of its
cells lies strictly between them. A "?" is any number. Rules: Nikoli, 2011.

Two things people drop are parameters here: the *reading* "inclusive" lets a size equal one of its numbers, "corner"
lets a room hold together by a corner; "strict" is the rule.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
from numba import njit

from holdstill.core.grid import MAX_SIDE, PuzzleError, check_size, shown

READINGS = ("strict", "inclusive", "corner")
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
    RUNGS: ClassVar = ("pair", "cell", "ration")

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
        return tuple(y * self.cols + x for y, row in enumerate(self.numbers) for x, n in enumerate(row) if n is not None)

    @cached_property
    def values(self) -> np.ndarray:
        """The numbers in reading order, int32 (count,); -1 for "?"."""
        flat = [number for row in self.numbers for number in row if number is not None]
        return np.array([ANY if number == "?" else number for number in flat], np.int32)

    @lru_cache(maxsize=3)  # noqa: B019  (a board is small, and few are kept)
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
