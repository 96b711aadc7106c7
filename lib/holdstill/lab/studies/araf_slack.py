"""The rows of Araf's slack: how many widenings an answer bears, drawn at random or checked one by one."""

import numpy as np

from holdstill.lab.studies.araf import random_widenings, slack_counts, widened
from holdstill.puzzles.araf import Araf, generate, tight_board
from holdstill.puzzles.araf_search import search

CEILING = 7  # as `generate` has it
WAYS = ("free", "wasted", "once", "windows", "floors", "ceilings")
# How a checked widening may go about it, one departure from "passes" at a time.
WIDENINGS = {
    "passes": {},
    "draws": {"order": "draws"},
    "reading_order": {"order": "reading"},
    "one_at_a_time": {"order": "deep"},
    "floors_first": {"order": "floors"},
    "ceilings_first": {"order": "ceilings"},
    "ceiling_6": {"ceiling": 6},
    "ceiling_8": {"ceiling": 8},
    "within_3": {"reach": 3},
    "within_4": {"reach": 4},
}


def unique(board: Araf) -> bool:
    """Has the board one answer?"""
    return search(board, 2, store=0).count == 1


def dial_row(rng: np.random.Generator, size: int, steps: list[int], ways: list[str], way_steps: list[int]) -> dict:
    """A tight board widened at random, unchecked: is it still unique after each number of steps?

    `free_K` for the draw from all that can still move, `WAY_K` for other ways to draw. A board that has no more to
    widen stays as it is. `rejected` counts the tight boards that had more than one answer.
    """
    made = generate(size, size, rng, widest=0)
    row = {"rejected": made.rejected}
    for way, ks in {"free": steps, **dict.fromkeys(ways, way_steps)}.items():
        order = random_widenings(made.tight, made.answer, max(ks), CEILING, rng, way)
        row |= {f"{way}_{k}": unique(widened(made.tight, made.answer, order[:k])) for k in ks}
    return row


def widen(
    tight: Araf,
    answer: np.ndarray,
    rng: np.random.Generator,
    *,
    order: str = "passes",
    ceiling: int = CEILING,
    reach: int | None = None,
) -> tuple[Araf, int, int]:
    """The board widened to a local maximum, checked at each step: (board, widenings tried, kept).

    A number refused is tried again only after another was kept, until all that may move are refused. `order` is in
    passes over all numbers, each shuffled ("passes") or in reading order ("reading"); by independent draws ("draws");
    one number for as long as it goes ("deep"); or drawn from the "floors", or "ceilings", while one of them is left.
    `reach` bounds how far a number may be from its room's size.
    """
    places = np.arange(len(tight.at))
    size, values = np.bincount(answer)[answer[list(tight.at)]], tight.values.copy()
    low = values < size
    bottom = np.maximum(1, size - reach) if reach else np.ones(len(low), int)
    top = np.minimum(ceiling, size + reach) if reach else np.full(len(low), ceiling)
    refused, kept, tried, last = np.zeros(len(low), bool), [], 0, -1
    rank = rng.permutation(len(low)) if order == "passes" else places
    while True:
        can = np.flatnonzero(np.where(low, values > bottom, values < top) & ~refused)
        if len(can) == 0:
            return widened(tight, answer, kept), tried, len(kept)
        if order in ("passes", "reading"):
            later = can[rank[can] > (rank[last] if last >= 0 else -1)]
            if len(later) == 0:
                rank = rng.permutation(len(low)) if order == "passes" else places
                later = can
            last = later[np.argmin(rank[later])]
        elif order != "deep" or last not in can:
            first = can[low[can] == (order == "floors")] if order in ("floors", "ceilings") else can
            last = rng.choice(first if len(first) else can)
        tried += 1
        if unique(widened(tight, answer, [*kept, last])):
            kept.append(last)
            values[last] += -1 if low[last] else 1
            refused[:] = False
        else:
            refused[last] = True


def widen_row(rng: np.random.Generator, size: int, choices: list[str], draws: int, place: str = "far") -> dict:
    """A board of `generate`: widenings tried and kept, how they split; and by other choices from the same tight board.

    `as_kept` is how many of `draws` boards are unique after as many random widenings as were kept.
    """
    made = generate(size, size, rng, place=place)
    row = {"rooms": int(made.answer.max()), "rejected": made.rejected, "tried": made.tried, "kept": made.kept}
    row |= slack_counts(made.board, made.answer) | {"as_kept": 0}
    for _ in range(draws):
        order = random_widenings(made.tight, made.answer, made.kept, CEILING, rng)
        row["as_kept"] += unique(widened(made.tight, made.answer, order))
    for name in choices:
        board, tried, kept = widen(made.tight, made.answer, rng, **WIDENINGS[name])
        split = slack_counts(board, made.answer)
        row |= {f"{name}_tried": tried, f"{name}_kept": kept}
        row |= {f"{name}_above": split["above"], f"{name}_below": split["below"]}
    return row


def accident_row(rng: np.random.Generator, size: int, steps: list[int], cap: int) -> dict:
    """Random rooms, tight numbers, and random widenings: `answers_K` up to `cap` after K of them. Nothing is checked.

    `intended` says whether the rooms that the numbers were drawn around are still an answer at the end.
    """
    tight, answer = tight_board(size, size, rng)
    order = random_widenings(tight, answer, max(steps), CEILING, rng)
    boards = {k: widened(tight, answer, order[:k]) for k in steps}
    row = {f"answers_{k}": search(board, cap, store=0).count for k, board in boards.items()}
    return row | {"intended": boards[max(steps)].is_valid(answer)}


def wider(board: Araf, answer: np.ndarray, ceiling: int = CEILING) -> list[Araf]:
    """The board with one number widened by one, for each that stays within 1 and the ceiling."""
    size = np.bincount(answer)[answer[list(board.at)]]
    movable = np.where(board.values < size, board.values > 1, board.values < ceiling)
    return [widened(board, answer, [place]) for place in np.flatnonzero(movable).tolist()]


def half_life(steps: list[int], shares: list[float]) -> float:
    """The number of steps after which the share first is 50%, between the two steps beside it; inf where it never is.

    >>> half_life([0, 2, 4], [100, 60, 40]), half_life([0, 2], [100, 60])
    (3.0, inf)
    """
    for i in range(1, len(steps)):
        if shares[i] <= 50:
            down = (shares[i - 1] - 50) / (shares[i - 1] - shares[i])
            return steps[i - 1] + down * (steps[i] - steps[i - 1])
    return float("inf")
