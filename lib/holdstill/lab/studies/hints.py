"""What a player is told: how many hints a rung gives on a board, and how much of the board each rests on."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from holdstill.core.reasons import Reason
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.engines import engine, generator


def hints(board, rung: str) -> Iterator[Reason]:
    """The hints that a player gets who asks, does as told, and asks again, until the rung says no more.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> [hint.step.cells for hint in hints(Heyawake(1, 3, [[0, 1, 2]], [1, None, 1]), "local")]
    [(0,), (1,), (2,)]
    """
    state = np.zeros(board.rows * board.cols, np.int32 if isinstance(board, Araf) else np.int8)
    while (told := engine(board).hint(board, rung, state)) is not None:
        yield told
        if not told.step.cells:
            return
        state[list(told.step.cells)] = told.step.value


def hints_row(rng: np.random.Generator, *, puzzle: str, size: int) -> dict:
    """A board with one answer, and each rung's hints on it, all of them.

    By rung: the `hints`, the share of the `cells` that they decide, how many are `chained`, the cells of their
    `reasons` and the steps of their `chains` in all, and the longest of both, `reason` and `chain`.

    >>> row = hints_row(np.random.default_rng(1), puzzle="heyawake", size=4)
    >>> row["spans.hints"] >= row["local.hints"], row["spans.chained"]
    (True, 0)
    """
    board = generator(puzzle)(size, size, rng).board
    row = {}
    for rung in board.RUNGS:
        told = list(hints(board, rung))
        reasons, chains = [len(one.cells) for one in told], [len(one.chain) for one in told]
        row |= {f"{rung}.hints": len(told), f"{rung}.chained": sum(map(bool, chains))}
        row |= {f"{rung}.cells": sum(len(one.step.cells) for one in told) / size**2}
        row |= {f"{rung}.reasons": sum(reasons), f"{rung}.reason": max(reasons, default=0)}
        row |= {f"{rung}.chains": sum(chains), f"{rung}.chain": max(chains, default=0)}
    return row


def summary(rows: pd.DataFrame, rung: str) -> dict:
    """What the rows of `hints_row` say of a rung, over all boards and all hints; None for a mean of nothing."""
    of = {name.removeprefix(f"{rung}."): rows[name] for name in rows if name.startswith(f"{rung}.")}
    hints, chained = int(of["hints"].sum()), int(of["chained"].sum())
    return {
        "boards finished": int((of["cells"] > 0.999).sum()),
        "hints a board": of["hints"].mean(),
        "cells decided, %": 100 * of["cells"].mean(),
        "cells a hint rests on": of["reasons"].sum() / hints if hints else None,
        "most cells": int(of["reason"].max()),
        "hints with a chain, %": 100 * chained / hints if hints else None,
        "steps a chain": of["chains"].sum() / chained if chained else None,
        "longest chain": int(of["chain"].max()),
    }
