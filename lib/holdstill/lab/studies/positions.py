"""The position protocol of all puzzles: an answer, revealed cell by cell."""

from collections.abc import Iterator

import numpy as np

from holdstill.core.grid import UNKNOWN
from holdstill.core.ladder import deduce


def positions(
    rng: np.random.Generator, board, answer: np.ndarray, shares: list[float], rungs: tuple[str, str]
) -> Iterator[tuple[float, np.ndarray, list[np.ndarray | None]]]:
    """For each share: the share, the position (int8 state), and what each of the rungs makes of it.

    A cell of the answer is revealed at a share where its own uniform number is below it, so the positions are nested.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> board, answer = Heyawake(1, 3, [[0, 1, 2]], [None, 1, None]), np.array([1, 2, 1], np.int8)
    >>> [(share, state.tolist()) for share, state, _ in positions(np.random.default_rng(0), board, answer, [0, 1], ())]
    [(0, [0, 0, 0]), (1, [1, 2, 1])]
    """
    threshold = rng.random(len(answer))
    for share in shares:
        state = np.where(threshold < share, answer, UNKNOWN).astype(np.int8)
        yield share, state, [deduce(board, rung, state) for rung in rungs]
