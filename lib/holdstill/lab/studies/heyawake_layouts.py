"""The rows of the study of Heyawake layouts: what the cut into rooms decides before a number is printed."""

import numpy as np

from holdstill.core import brute
from holdstill.core.carve import INFEASIBLE
from holdstill.core.grid import SHADED, UNSHADED
from holdstill.core.search import random_answer, search
from holdstill.puzzles.heyawake import Heyawake, carve
from holdstill.puzzles.heyawake_dense import densified, generate, numbered, unnumbered
from holdstill.puzzles.layouts import guillotine

PAINTINGS = ("sparse", "drawn", "dense")
MANY = 6  # answers are counted up to this


def capped(cap: int, **cutter) -> dict:
    """The arguments of `layouts.guillotine` that cut whatever has more than `cap` cells, and nothing else."""
    return {"always_keep": cap, "may_keep": cap, **cutter}


# What "room cap" may mean, by the arguments of `layouts.guillotine`.
READINGS = {
    "cut_above_the_cap": capped,
    "longer_side": lambda cap: capped(cap, axis="longer"),
    "coin_flip_axis": lambda cap: capped(cap, axis="even"),
    "half_are_cut_further": lambda cap: {"may_keep": cap},
}


def sparsened(board: Heyawake, answer: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The answer with cells unshaded in random order, wherever the judge allows: the opposite of densified.

    One pass is enough: a cell that breaks a white line which would cross two walls goes on breaking it.
    """
    state = answer.copy()
    for cell in rng.permutation(np.flatnonzero(answer == SHADED)):
        state[cell] = UNSHADED
        if board.broken(state[None])[0]:
            state[cell] = SHADED
    return state


def infeasible_row(rng: np.random.Generator, rows: int, cols: int, **cutter) -> dict:
    """One random layout: does it admit no legal shading at all? Proved by the complete search."""
    board = unnumbered(guillotine(rows, cols, rng, **cutter))
    return {"infeasible": random_answer(board, rng) is None, "rooms": len(board.clues)}


def cap_row(rng: np.random.Generator, size: int, **cutter) -> dict:
    """One random layout, one densified answer: is the fully numbered board unique? As the generator asks it."""
    labels = guillotine(size, size, rng, **cutter)
    made = carve(labels, rng, shade=0.5, keep=1.0, answers=1, dense=True)
    return {"infeasible": made.left == INFEASIBLE, "unique": made.board is not None, "rooms": int(labels.max()) + 1}


def painting_row(rng: np.random.Generator, size: int, shade: float, **cutter) -> dict:
    """One layout with an answer, fully numbered from it sparsened, as drawn, and densified: how many answers each time?

    Layouts are drawn until one has an answer. Answers are counted up to `MANY`; `.._shaded` is the share of
    cells shaded, `.._zero` of rooms numbered 0.
    """
    answer = None
    while answer is None:
        labels = guillotine(size, size, rng, **cutter)
        blank = unnumbered(labels)
        answer = random_answer(blank, rng, shade=shade)
    states = sparsened(blank, answer, rng), answer, densified(blank, answer, rng)
    row = {}
    for name, state in zip(PAINTINGS, states, strict=True):
        board = numbered(labels, state)
        row[name] = search(board, MANY, store=0).count
        row[f"{name}_shaded"] = float((state == SHADED).mean())
        row[f"{name}_zero"] = board.clues.count(0) / len(board.clues)
    return row


def sparse_board(rng: np.random.Generator, size: int, cap: int, answers: int) -> tuple[Heyawake, np.ndarray]:
    """The first fully numbered board with exactly so many answers whose painting was drawn sparse; and its answers."""
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
    return {"cap": cap, "rooms": len(made.board.clues), "share": made.share, "layouts": made.layouts}


def brute_row(rng: np.random.Generator) -> dict:
    """One 4x4 layout, all 65,536 paintings put to the judge: by how many does the search's answer set differ?

    Compared without numbers and, where there is an answer, with the numbers of a random one. Rooms hold at most 1 to 12
    cells, the cap being random.
    """
    board = unnumbered(guillotine(4, 4, rng, **capped(int(rng.integers(1, 13)))))
    paintings = np.concatenate(list(brute.shadings(4, 4)))
    legal = paintings[board.broken(paintings) == 0]
    row = {"paintings": len(paintings), "answers": len(legal), "differ": _differ(legal, board)}
    if len(legal):
        board = numbered(board.room_of.reshape(4, 4), legal[rng.integers(len(legal))])
        legal = legal[board.broken(legal) == 0]
        row["differ"] += _differ(legal, board)
    return row | {"numbered_answers": len(legal)}


def _differ(legal: np.ndarray, board: Heyawake) -> int:
    found = search(board, 70_000).answers
    return len({one.tobytes() for one in legal} ^ {one.tobytes() for one in found})
