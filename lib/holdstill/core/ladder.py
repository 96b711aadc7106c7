"""Rungs: how far a choice of rules gets, whether it finishes a board, and every step of it told."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from holdstill.core.grid import SHADED, UNKNOWN, where
from holdstill.core.model import CONNECTED, active
from holdstill.core.propagate import (
    ASSUMED,
    CONFLICT,
    GIVEN,
    PROBED,
    TRAIL,
    Work,
    _assign_kernel,
    _deduce_kernel,
    _propagate_kernel,
    new_work,
)


class Rung(NamedTuple):
    """A set of rules to propagate with, and whether to probe on top (singleton consistency)."""

    rules: frozenset
    probing: bool = False


class Step(NamedTuple):
    """One deduction: these cells take this value, and why.

    `rule` names the constraint that fired, `places` are its cells (empty for connectivity). A step by probing has the
    rule "probe": assuming the opposite ended in a contradiction of `rule_broken` at `places`. A contradiction has no
    cells.
    """

    cells: tuple[int, ...]
    value: int
    rule: str
    places: tuple[int, ...]
    rule_broken: str | None
    text: str


def _run(puzzle, rung: str, state: np.ndarray | None) -> tuple[Work, bool]:
    chosen = puzzle.RUNGS[rung]
    work = new_work(puzzle.model, state)
    on = active(puzzle.model, tuple(puzzle.RULES), chosen.rules)
    return work, _deduce_kernel(puzzle.model, on, chosen.probing, work)


def deduce(puzzle, rung: str, state: np.ndarray | None = None) -> np.ndarray | None:
    """Everything the rung decides, from a partial state on: int8 (cells,), or None for a contradiction.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> deduce(Heyawake(1, 3, [[0, 1, 2]], [1, None, 1]), "local").tolist()
    [2, 1, 2]
    """
    work, fits = _run(puzzle, rung, state)
    return work.state if fits else None


def finishes(puzzle, rung: str) -> bool:
    """Does the rung decide every cell, and does the judge accept? Then the board has one answer.

    Every rule of a rung is sound: a cell it fixes has that value in every answer. So a board that it decides has at
    most the one answer it ends in, and the independent judge says whether that is one (Solving Heyawake).
    """
    state = deduce(puzzle, rung)
    return state is not None and bool((state != UNKNOWN).all()) and puzzle.is_valid(state)


def explain(puzzle, rung: str, state: np.ndarray | None = None) -> list[Step]:
    """The rung's deductions as steps in the puzzle's words; replaying them gives its fixpoint.

    A board that the rung refutes ends in a step without cells.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> for step in explain(Heyawake(1, 3, [[0, 1, 2]], [1, None, None]), "spans"):
    ...     print(step.text)
    row 1, column 1 is shaded: room with 1: row 1, column 1
    row 1, column 2 is unshaded: no two shaded cells touch: row 1, columns 1 to 2
    """
    work, fits = _run(puzzle, rung, state)
    steps = []
    for known, cells, value, why in _deductions(work, fits):
        if why == PROBED:
            steps.append(_probe_step(puzzle, rung, _decided(work, known), cells[0], value))
        else:
            steps.append(_step(puzzle, cells, value, why))
    return steps


def _deductions(work: Work, fits: bool) -> Iterator[tuple[int, tuple[int, ...], int, int]]:
    """A run's trail as (cells decided before, cells, their value, the constraint that fired or PROBED).

    A run that failed ends in a deduction without cells.
    """
    trail, at = work.trail[: work.counter[TRAIL]], 0
    while at < len(trail) and work.reason[trail[at]] == GIVEN:
        at += 1
    while at < len(trail):
        first, why = at, int(work.reason[trail[at]])
        value = int(work.state[trail[at]])
        at += 1
        while why != PROBED and at < len(trail) and work.reason[trail[at]] == why and work.state[trail[at]] == value:
            at += 1
        yield first, tuple(trail[first:at].tolist()), value, why
    if not fits:
        yield at, (), UNKNOWN, int(work.counter[CONFLICT])


def _decided(work: Work, known: int) -> np.ndarray:
    """The state of a run when it had decided its first `known` cells."""
    state, cells = np.zeros_like(work.state), work.trail[:known]
    state[cells] = work.state[cells]
    return state


def _place(puzzle, con: int) -> tuple[str, tuple[int, ...], str]:
    """The rule of a constraint, its cells, and both in words: the puzzle's own, where it has a method for them."""
    model = puzzle.model
    rule = tuple(puzzle.RULES)[model.rule[con]]
    cells = tuple((model.literals[model.start[con] : model.end[con]] >> 1).tolist())
    if hasattr(puzzle, "words"):
        return rule, cells, puzzle.words(rule, con - int(np.argmax(model.rule == model.rule[con])), cells)
    words = puzzle.RULES[rule].format(low=model.low[con], high=model.high[con])
    return rule, cells, words if model.kind[con] == CONNECTED else f"{words}: {where(cells, puzzle.cols)}"


def _told(puzzle, cells: tuple[int, ...], value: int) -> str:
    verb = "is" if len(cells) == 1 else "are"
    return f"{where(cells, puzzle.cols)} {verb} {'shaded' if value == SHADED else 'unshaded'}"


def _step(puzzle, cells: tuple[int, ...], value: int, con: int) -> Step:
    rule, places, words = _place(puzzle, con)
    told = _told(puzzle, cells, value) if cells else "contradiction"
    return Step(cells, value, rule, places, None, f"{told}: {words}")


def _probe_step(puzzle, rung: str, before: np.ndarray, cell: int, value: int) -> Step:
    """A probed cell again, assumed the other way in the state that the steps before it had reached."""
    work, on = new_work(puzzle.model, before), active(puzzle.model, tuple(puzzle.RULES), puzzle.RUNGS[rung].rules)
    _assign_kernel(puzzle.model, on, work, cell, 3 - value, ASSUMED)
    _propagate_kernel(puzzle.model, on, work)
    return _refuted(puzzle, cell, value, int(work.counter[CONFLICT]))


def _refuted(puzzle, cell: int, value: int, con: int) -> Step:
    broken, places, words = _place(puzzle, con)
    text = f"{_told(puzzle, (cell,), value)}: the opposite breaks a rule: {words}"
    return Step((cell,), value, "probe", places, broken, text)
