"""The rows of the study of Heyawake layouts: what the cut into rooms decides before a number is printed."""

import numpy as np

from holdstill.core import brute
from holdstill.core.grid import SHADED
from holdstill.core.search import random_answer, search
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.heyawake_dense import densified, generate, numbered
from holdstill.puzzles.layouts import guillotine

MANY = 6  # answers are counted up to this


def capped(cap: int, **cutter) -> dict:
    """The arguments of `layouts.guillotine` that cut whatever has more than `cap` cells, and nothing else."""
    return {"always_keep": cap, "may_keep": cap, **cutter}


def unnumbered(labels: np.ndarray) -> Heyawake:
    """The board of a layout without any number."""
    return Heyawake(*labels.shape, labels, (None,) * (int(labels.max()) + 1))


def infeasible_row(rng: np.random.Generator, rows: int, cols: int, **cutter) -> dict:
    """One random layout: does it admit no legal shading at all? Proved by the complete search."""
    board = unnumbered(guillotine(rows, cols, rng, **cutter))
    return {"infeasible": random_answer(board, rng) is None, "rooms": len(board.clues)}


def numbered_row(rng: np.random.Generator, size: int, shade: float, **cutter) -> dict:
    """One random layout, one answer, fully numbered as drawn (sparse) and densified: how many answers has each?

    Answers are counted up to `MANY`, 0 where the layout has none; `_shaded` is the share of shaded cells.
    """
    labels = guillotine(size, size, rng, **cutter)
    answer = random_answer(unnumbered(labels), rng, shade=shade)
    row = {"rooms": int(labels.max()) + 1, "sparse": 0, "dense": 0, "sparse_shaded": None, "dense_shaded": None}
    if answer is None:
        return row
    states = {"sparse": answer, "dense": densified(unnumbered(labels), answer, rng)}
    for name, state in states.items():
        row[name] = search(numbered(labels, state), MANY, store=0).count
        row[f"{name}_shaded"] = float((state == SHADED).mean())
    return row


def sparse_board(rng: np.random.Generator, size: int, cap: int, answers: int) -> tuple[Heyawake, np.ndarray]:
    """The first fully numbered board with exactly so many answers whose painting was not densified; and these."""
    while True:
        labels = guillotine(size, size, rng, **capped(cap))
        answer = random_answer(unnumbered(labels), rng, shade=0.0)
        if answer is not None:
            found = search(numbered(labels, answer), answers + 1)
            if found.count == answers:
                return numbered(labels, answer), found.answers


def share_row(rng: np.random.Generator, size: int, caps: list[int]) -> dict:
    """One board of the densifying generator, its room cap drawn from `caps`: the share of rooms that keep a number."""
    cap = int(rng.choice(caps))
    made = generate(size, size, rng, max_room=cap)
    rooms = len(made.board.clues)
    return {"cap": cap, "rooms": rooms, "numbered": round(made.share * rooms), "share": made.share}


def brute_row(rng: np.random.Generator) -> dict:
    """One 4x4 layout, all 65,536 paintings put to the judge: by how many does the search's answer set differ?

    Without numbers, and with the numbers of a random answer. Rooms hold at most 1 to 12 cells, the cap being random.
    """
    board = unnumbered(guillotine(4, 4, rng, **capped(int(rng.integers(1, 13)))))
    paintings = np.concatenate(list(brute.shadings(4, 4)))
    legal = paintings[board.broken(paintings) == 0]
    row = {"paintings": len(paintings), "answers": len(legal), "differ": _differ(legal, board)}
    if len(legal):
        board = numbered(board.room_of.reshape(4, 4), legal[rng.integers(len(legal))])
        legal = paintings[board.broken(paintings) == 0]
        row["differ"] += _differ(legal, board)
    return row | {"numbered": len(legal)}


def _differ(legal: np.ndarray, board: Heyawake) -> int:
    found = search(board, 70_000).answers
    return len({one.tobytes() for one in legal} ^ {one.tobytes() for one in found})
