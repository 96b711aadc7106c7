"""Small Araf boards that several test files share, each rebuilt from its number alone."""

import numpy as np

from holdstill.puzzles.araf import Araf
from holdstill.puzzles.layouts import small_rooms

MOST = 7  # larger numbers are for the searches; the engine without screens would take minutes


def araf_board(number: int, side: int = 5) -> Araf:
    """Board `number`: numbers around a random cut, so that it has an answer, or numbers thrown at random cells.

    Some are "?", and there are fewer of those than of numbers; up to `side` x `side`, from 1xN on.
    """
    rng = np.random.default_rng([2026, 5, number])
    while True:
        rows, cols = (int(one) for one in rng.integers(1, side + 1, 2))
        if rows * cols >= 4:
            break
    numbers: list = [None] * (rows * cols)
    if number % 3:
        labels = small_rooms(rows, cols, rng, largest=4).ravel()
        for room in range(labels.max() + 1):
            cells = rng.permutation(np.flatnonzero(labels == room)).tolist()
            numbers[cells[0]] = max(1, len(cells) - int(rng.integers(1, 4)))
            numbers[cells[1]] = len(cells) + int(rng.integers(1, 4))
    else:
        count = 2 * int(rng.integers(1, max(2, rows * cols // 4) + 1))
        for cell in rng.permutation(rows * cols)[:count].tolist():
            numbers[cell] = int(rng.integers(0, MOST + 1))
    if number % 5 == 0 and rows * cols <= 12:
        for cell in np.flatnonzero([n is not None for n in numbers]).tolist():
            if rng.random() < 0.3:
                numbers[cell] = "?"
    return Araf(rows, cols, [numbers[start : start + cols] for start in range(0, rows * cols, cols)])
