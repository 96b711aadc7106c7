"""What a player is told: how many hints a rung gives on a board, and how much of the board each rests on."""

import numpy as np

from holdstill.core.grid import PuzzleError
from holdstill.puzzles import araf, heyawake, tapa, thermometers
from holdstill.puzzles.engines import engine

GENERATE = {
    "heyawake": heyawake.generate,
    "tapa": tapa.generate,
    "thermometers": thermometers.generate,
    "araf": araf.generate,
}


def hints_row(rng: np.random.Generator, *, puzzle: str, size: int) -> dict:
    """A board with one answer, and of each rung's hints on it until it says no more.

    `hints` and the share of the `cells` that they decide; in the mean over the hints the cells of the `reason` and the
    steps of the `chain` (0 without one), and the longest of both, None where there is no hint.

    >>> row = hints_row(np.random.default_rng(1), puzzle="heyawake", size=4)
    >>> row["spans.hints"] >= row["local.hints"]
    True
    """
    if puzzle not in GENERATE:
        raise PuzzleError(f"no generator for {puzzle!r}, only {', '.join(GENERATE)}")
    board = GENERATE[puzzle](size, size, rng).board
    row = {}
    for rung in board.RUNGS:
        told = [one for one in engine(board).minimal(board, rung) if one.step.cells]
        decided = {cell for one in told for cell in one.step.cells}
        reasons, chains = [len(one.cells) for one in told], [len(one.chain) for one in told]
        row |= {f"{rung}.hints": len(told), f"{rung}.cells": len(decided) / size**2}
        row |= {f"{rung}.reason": float(np.mean(reasons)) if told else None, f"{rung}.widest": max(reasons, default=None)}
        row |= {f"{rung}.chain": float(np.mean(chains)) if told else None, f"{rung}.longest": max(chains, default=None)}
    return row
