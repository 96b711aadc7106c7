"""The rows of Heyawake's studies: each a pure function of a generator and its parameters."""

from functools import partial

import numpy as np

from holdstill.core import brute
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED
from holdstill.core.ladder import finishes
from holdstill.core.search import random_answer
from holdstill.lab.studies.counters import counters
from holdstill.lab.studies.positions import positions
from holdstill.puzzles.heyawake import Generated, Heyawake, generate
from holdstill.puzzles.heyawake_dense import unnumbered
from holdstill.puzzles.layouts import grown, guillotine

RUNGS = tuple(Heyawake.RUNGS)


def closed_form(labels: np.ndarray) -> int:
    """The text's count of span clauses: over the rows and columns, the sum of max(0, segments - 2)."""
    across, down = labels[:, 1:] != labels[:, :-1], labels[1:] != labels[:-1]
    walls = np.concatenate([across.sum(axis=1), down.sum(axis=0)])
    return int(np.maximum(walls - 1, 0).sum())


# One departure from the cutter's defaults at a time, for the comparison with the published layouts.
CUTTERS = {
    "default": {},
    "longer_side": {"axis": "longer"},
    "coin_flip_axis": {"axis": "even"},
    "keeps_3": {"always_keep": 3},
    "may_keep_10": {"may_keep": 10},
    "may_keep_16": {"may_keep": 16},
    "chance_0.4": {"chance": 0.4},
    "chance_0.6": {"chance": 0.6},
}

# One departure from the reach protocol at a time: what the text leaves open.
CHOICES = {
    "default": {},
    "shade_0.1": {"shade": 0.1},
    "shade_0.2": {"shade": 0.2},
    "shade_0.8": {"shade": 0.8},
    "random_cell_order": {"noise": 1000.0},
    "one_answer_a_layout": {"answers": 1},
    "longer_side": {"axis": "longer"},
    "coin_flip_axis": {"axis": "even"},
    "keeps_3": {"always_keep": 3},
    "may_keep_10": {"may_keep": 10},
    "numbered_30": {"keep": 0.3},
    "numbered_40": {"keep": 0.4},
    "shade_0.2_numbered_30": {"shade": 0.2, "keep": 0.3},
}


def layout_row(rng: np.random.Generator, rows: int, cols: int, **cutter) -> dict:
    """One random layout: rooms, span clauses, their cells in all, the longest, and whether the closed form holds.

    `cutter` are keyword arguments of `layouts.guillotine`.
    """
    labels = guillotine(rows, cols, rng, **cutter)
    lengths = np.diff(unnumbered(labels).span_windows.starts)
    return {
        "rooms": int(labels.max()) + 1,
        "clauses": len(lengths),
        "cells": int(lengths.sum()),
        "longest": int(lengths.max(initial=0)),
        "closed_form": len(lengths) == closed_form(labels),
    }


def clauses_hold(board: Heyawake, states: np.ndarray) -> np.ndarray:
    """Is every span clause satisfied, bool (boards,)? `states` are fully decided, int8 (boards, cells)."""
    windows = board.span_windows
    shaded = states == SHADED
    hold = np.ones(len(states), bool)
    for first, last in zip(windows.starts[:-1], windows.starts[1:], strict=True):
        hold &= shaded[:, windows.flat[first:last]].any(axis=1)
    return hold


def scan_passes(board: Heyawake, states: np.ndarray) -> np.ndarray:
    """Does the judge's run scan pass, bool (boards,)?"""
    return board.broken(states) & (1 << list(Heyawake.RULES).index("spans")) == 0


def equivalence_row(rng: np.random.Generator) -> dict:
    """One random board of 5x5 to 9x9 with a random shading: do the clauses and the run scan agree?

    Shaded with a probability drawn from 0 to 0.6, so that runs of every kind occur.
    """
    rows, cols = (int(side) for side in rng.integers(5, 10, 2))
    labels = guillotine(rows, cols, rng)
    board = unnumbered(labels)
    state = np.where(rng.random((1, rows * cols)) < 0.6 * rng.random(), SHADED, UNSHADED).astype(np.int8)
    passes = bool(scan_passes(board, state)[0])
    return {"passes": passes, "agree": passes == bool(clauses_hold(board, state)[0])}


def exhausted(layouts) -> dict:
    """Every shading of every layout: how many were compared, how many pass, on how many clauses and scan differ."""
    total, passing, differ, boards = 0, 0, 0, 0
    for labels in layouts:
        rows, cols = labels.shape
        board = unnumbered(labels)
        boards += 1
        for states in brute.shadings(rows, cols):
            passes, hold = scan_passes(board, states), clauses_hold(board, states)
            total += len(states)
            passing += int(passes.sum())
            differ += int((passes != hold).sum())
    return {"layouts": boards, "shadings": total, "pass": passing, "differ": differ}


def made_by(rng: np.random.Generator, size: int, **choices) -> Generated:
    """A generated board of size x size.

    `choices` are those of `heyawake.generate`, with `axis`, `always_keep`, `may_keep` and `chance` of the cutter.
    """
    cutter = {name: choices.pop(name) for name in ("axis", "always_keep", "may_keep", "chance") if name in choices}
    return generate(size, size, rng, rooms=partial(guillotine, **cutter), **choices)


def reach_row(rng: np.random.Generator, size: int, **choices) -> dict:
    """One unique board, carved against the complete solver ("no solvability filter"): which rungs finish it.

    `choices` are those of `made_by`.
    """
    made = made_by(rng, size, **choices)
    return {
        **{rung: finishes(made.board, rung) for rung in RUNGS},
        "rooms": len(made.board.clues),
        "numbered": sum(clue is not None for clue in made.board.clues),
        "shaded": float((made.answer == SHADED).mean()),
        "infeasible": made.infeasible,
        "rejected": made.rejected,
    }


def position_row(rng: np.random.Generator, shares: list[float], shade: float) -> dict:
    """One unique board of 5x5 to 7x7 with growing shares of its answer revealed: what local and spans decide there.

    For each share s: `ahead_s` cells that spans decides and local does not, `behind_s` the other way round.
    """
    size = int(rng.integers(5, 8))
    made = generate(size, size, rng, shade=shade)
    row = {"size": size}
    for share, _, (local, spans) in positions(rng, made.board, made.answer, shares, ("local", "spans")):
        row[f"ahead_{share:g}"] = int(((spans != UNKNOWN) & (local == UNKNOWN)).sum())
        row[f"behind_{share:g}"] = int(((local != UNKNOWN) & (spans == UNKNOWN)).sum())
    return row


def small_board(rng: np.random.Generator) -> Heyawake:
    """A small board with 0, 1 or many answers: 3x3 and 4x4, rooms rectangular or not, some walls blind.

    Numbers are read off a random answer, each kept with probability 0.6, and in a quarter of the boards one is changed.
    """
    rows, cols = (int(side) for side in rng.integers(3, 5, 2))
    labels = guillotine(rows, cols, rng) if rng.random() < 0.5 else grown(rows, cols, rng)
    rooms = int(labels.max()) + 1
    walls = None
    if rng.random() < 0.3:
        cell = int(rng.integers(0, rows * cols - cols))
        walls = [(cell, cell + cols)]
    blank = Heyawake(rows, cols, labels, (None,) * rooms, walls)
    answer = random_answer(blank, rng)
    if answer is None:
        return blank
    held = np.bincount(blank.room_of, weights=answer == SHADED).astype(int)
    if rng.random() < 0.25:
        room = int(rng.integers(rooms))
        held[room] = min(int((blank.room_of == room).sum()), held[room] + 1)
    kept = rng.random(rooms) < 0.6
    clues = [int(number) if keep else None for number, keep in zip(held, kept, strict=True)]
    if sum(clue or 0 for clue in clues) > (rows * cols + 1) // 2:
        return blank
    return Heyawake(rows, cols, labels, clues, walls)


def counters_row(rng: np.random.Generator) -> dict:
    """One small board counted five ways: see `counters`."""
    return counters(small_board(rng))
