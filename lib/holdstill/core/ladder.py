"""Rungs: how far a choice of rules gets, whether it finishes a board, and every step of it told."""

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
    trail, steps, at = work.trail[: work.counter[TRAIL]], [], 0
    while at < len(trail) and work.reason[trail[at]] == GIVEN:
        at += 1
    while at < len(trail):
        first, why = at, int(work.reason[trail[at]])
        value = int(work.state[trail[at]])
        at += 1
        while why != PROBED and at < len(trail) and work.reason[trail[at]] == why and work.state[trail[at]] == value:
            at += 1
        cells = tuple(trail[first:at].tolist())
        if why == PROBED:
            steps.append(_probe_step(puzzle, rung, trail[:first], work.state, cells[0]))
        else:
            steps.append(_step(puzzle, cells, value, why))
    if not fits:
        steps.append(_step(puzzle, (), UNKNOWN, int(work.counter[CONFLICT])))
    return steps


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


def _probe_step(puzzle, rung: str, decided: np.ndarray, final: np.ndarray, cell: int) -> Step:
    """A probed cell again, assumed the other way in the state that the steps before it had reached."""
    before = np.zeros_like(final)
    before[decided] = final[decided]
    work, value = new_work(puzzle.model, before), int(final[cell])
    on = active(puzzle.model, tuple(puzzle.RULES), puzzle.RUNGS[rung].rules)
    _assign_kernel(puzzle.model, on, work, cell, 3 - value, ASSUMED)
    _propagate_kernel(puzzle.model, on, work)
    broken, places, words = _place(puzzle, int(work.counter[CONFLICT]))
    text = f"{_told(puzzle, (cell,), value)}: the opposite breaks {words}"
    return Step((cell,), value, "probe", places, broken, text)
