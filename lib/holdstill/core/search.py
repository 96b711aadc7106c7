"""Complete search: count, enumerate, find another answer, draw a random one.

Depth-first over the kernel, it takes two sets of rules: what it propagates with (a rung) and what a leaf must satisfy,
so that a weak rung's search still counts right. It branches on a cell of the tightest open constraints, and stops and
resumes at any node. Where that takes longer than SAT would, SAT goes on from there (`core.sat`).
"""

import time
from typing import NamedTuple

import numpy as np
from numba import njit

from holdstill.core import sat
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, PuzzleError
from holdstill.core.model import CLAUSE, CONNECTED, Model, active
from holdstill.core.propagate import (
    ASSUMED,
    CONFLICT,
    DEPTH,
    NODES,
    TRAIL,
    WAITING,
    Work,
    _assign_kernel,
    _fixpoint_kernel,
    _probe_kernel,
    _propagate_kernel,
    _undo_kernel,
    _wake_all_kernel,
    new_work,
)

NODES_A_SLICE = 2000
# An answer costs SAT about as much as so many nodes.
NODES_AN_ANSWER = 50
NO_LIMIT = np.int64(1 << 60)
# what a constraint with so many open cells weighs in branching
WEIGHT = 0.25 ** np.arange(21)
# one answer, without probing: what kernels ask of this one, typed as callers from Python do (see `kernels`)
ONE, PLAIN = np.int64(1), np.bool_(False)
# what a run of the kernel ended with
EXHAUSTED, FULL, OUT_OF_NODES = 0, 1, 2


class Tree(NamedTuple):
    """The open decisions of a depth-first search, and what guides it.

    mark, cell: int32 (n + 1,), second: bool (n + 1,): decision d was taken at trail length mark[d] on cell[d], and
    second[d] says that its other value is being tried. first: int8 (n,), the value tried first. avoid: int8 (n,), an
    answer that does not count (all UNKNOWN: none). fails: float64 (m,), 1 + how often each constraint failed: branching
    turns to where the trouble is (dom/wdeg: Boussemart, Hemery, Lecoutre and Sais, ECAI 2004). weight: float64 (n,),
    scratch.
    """

    mark: np.ndarray
    cell: np.ndarray
    second: np.ndarray
    first: np.ndarray
    avoid: np.ndarray
    fails: np.ndarray
    weight: np.ndarray


def new_tree(model: Model) -> Tree:
    """A tree with no decision, shaded tried first."""
    cells = len(model.beside)
    return Tree(
        np.zeros(cells + 1, np.int32),
        np.zeros(cells + 1, np.int32),
        np.zeros(cells + 1, np.bool_),
        np.full(cells, SHADED, np.int8),
        np.zeros(cells, np.int8),
        np.ones(len(model.kind)),
        np.zeros(cells),
    )


@njit(cache=True)
def _choose_kernel(model, active, work, fails, weight, noise, rng):
    """The undecided cell that the tightest and most failing constraints ask for; `noise` > 0 blurs the choice."""
    kind, start, end, literals, state = model.kind, model.start, model.end, model.literals, work.state
    weight[:] = 0.0
    for con in range(len(kind)):
        if not active[con] or kind[con] == CONNECTED:
            continue
        first, last, free = start[con], end[con], 0
        clause = kind[con] == CLAUSE
        for at in range(first, last):
            literal = literals[at]
            value = state[literal >> 1]
            if value == UNKNOWN:
                free += 1
            elif clause and value == 1 + (literal & 1):
                free = 0
                break
        if free == 0:
            continue
        share = fails[con] * WEIGHT[min(free, 20)]
        for at in range(first, last):
            weight[literals[at] >> 1] += share
    best, chosen = -1.0, -1
    for cell in range(len(state)):
        if state[cell] == UNKNOWN:
            here = weight[cell]
            if noise > 0.0:
                here *= 1.0 + noise * rng.random()
            if here > best:
                best, chosen = here, cell
    return chosen


@njit(cache=True)
def _is_answer_kernel(model, active, demanded, work, avoid):
    """Does the fully decided state satisfy what a leaf must, and differ from `avoid`?"""
    same_rules = True
    for con in range(len(demanded)):
        if demanded[con] and not active[con]:
            same_rules = False
            break
    if not same_rules and not _propagate_kernel(model, demanded, work):
        return False
    for cell in range(len(avoid)):
        if work.state[cell] != avoid[cell]:
            return True
    return False


@njit(cache=True)
def _search_kernel(model, active, demanded, probing, work, tree, answers, limit, budget, noise, rng):
    """(how many answers this run found, how it ended); the first len(answers) of them are stored.

    A fresh run has counter[DEPTH] = 0 and starts from what is decided and woken; where nothing is woken, all is. A run
    that ended FULL or OUT_OF_NODES goes on when it is called again (counter[DEPTH] holds depth + 1 in between).
    """
    counter, state, fails, weight = work.counter, work.state, tree.fails, tree.weight
    marks, cells, second, first = tree.mark, tree.cell, tree.second, tree.first
    found = 0
    if counter[DEPTH] == 0:
        depth = 0
        if counter[WAITING] == 0:
            _wake_all_kernel(model, active, work)
        fits = _fixpoint_kernel(model, active, work) and (not probing or _probe_kernel(model, active, work))
    else:
        depth, fits = counter[DEPTH] - 1, False
    budget += counter[NODES]
    while True:
        if fits and counter[TRAIL] == len(state):
            fits = False
            if _is_answer_kernel(model, active, demanded, work, tree.avoid):
                if found < len(answers):
                    answers[found] = state
                found += 1
                if found == limit:
                    counter[DEPTH] = depth + 1
                    return found, FULL
        if fits:
            cell = _choose_kernel(model, active, work, fails, weight, noise, rng)
            marks[depth], cells[depth], second[depth] = counter[TRAIL], cell, False
            value = first[cell]
            depth += 1
        else:
            while depth > 0 and second[depth - 1]:
                depth -= 1
            if depth == 0:
                return found, EXHAUSTED
            if counter[NODES] >= budget:
                counter[DEPTH] = depth + 1
                return found, OUT_OF_NODES
            cell = cells[depth - 1]
            second[depth - 1] = True
            _undo_kernel(work, marks[depth - 1])
            value = 3 - first[cell]
        counter[NODES] += 1
        _assign_kernel(model, active, work, cell, value, ASSUMED)
        fits = _fixpoint_kernel(model, active, work)
        if fits and probing:
            fits = _probe_kernel(model, active, work)
        if not fits:
            fails[counter[CONFLICT]] += 1.0


class Found(NamedTuple):
    """What a search knows: how many answers it found, the stored ones (int8, one a row), and whether that is all."""

    count: int
    answers: np.ndarray
    complete: bool


class Stopped(KeyboardInterrupt):
    """Ctrl-C during a search; `found` is what it knew by then."""

    def __init__(self, found: Found):
        super().__init__()
        self.found = found


_STILL = np.random.default_rng(0)


def search(
    puzzle,
    limit: int,
    *,
    rules=None,
    rung: str | None = None,
    avoid: np.ndarray | None = None,
    store: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
) -> Found:
    """Up to `limit` answers of a puzzle under `rules` (names; default those of its last rung, which say everything).

    Depth-first search first; once it has gone without an answer for as long as SAT would take for all that are wanted,
    SAT finds the rest. `rung` names what is propagated at each node (default: the rules, without probing), and `nodes`
    ends the search after so many: both keep to depth-first search alone. An answer equal to `avoid` (int8 state) does
    not count, and depth-first search heads away from it. At most `store` answers are kept (default: all up to the
    limit). `seconds` ends the search early. `complete` is True where the count is exact, or the limit was reached.

    Raises PuzzleError for an `avoid` that leaves a cell open, Stopped with what is known on Ctrl-C.

    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> search(Heyawake(1, 3, [[0, 1, 2]], [None, None, None]), 10).count
    3
    """
    model = puzzle.model
    demanded = active(model, tuple(puzzle.RULES), every_rule(puzzle) if rules is None else rules)
    propagated, probing = demanded, False
    if rung is not None:
        propagated = active(model, tuple(puzzle.RULES), puzzle.RUNGS[rung].rules)
        if rules is not None:
            propagated &= demanded
        probing = puzzle.RUNGS[rung].probing
    work, tree = new_work(model), new_tree(model)
    if avoid is not None:
        if np.shape(avoid) != tree.avoid.shape or not np.isin(avoid, (UNSHADED, SHADED)).all():
            raise PuzzleError("avoid must be a fully decided state, one value a cell")
        tree.avoid[:] = avoid
        tree.first[:] = 3 - tree.avoid
    kept = np.empty((limit if store is None else store, len(model.beside)), np.int8)
    begun, found, barren, ended = time.monotonic(), 0, 0, OUT_OF_NODES

    def late() -> bool:
        return seconds is not None and time.monotonic() - begun > seconds

    try:
        while ended == OUT_OF_NODES and not late():
            patience = NODES_A_SLICE if nodes is None else nodes - int(work.counter[NODES])
            if rung is None and nodes is None:
                patience = NODES_AN_ANSWER * (limit - found) - barren
            if patience <= 0:
                break
            step = min(NODES_A_SLICE, patience)
            more, ended = _search_kernel(
                model, propagated, demanded, probing, work, tree, kept[found:], limit - found, step, 0.0, _STILL
            )
            found, barren = found + more, 0 if more else barren + step
        if ended == OUT_OF_NODES and rung is None and nodes is None and not late():
            for answer in sat.answers(model, demanded, _seen(work, tree)):
                if answer is not None:
                    kept[found : found + 1] = answer
                    found += 1
                if found == limit or late():
                    break
            else:
                ended = EXHAUSTED
    except KeyboardInterrupt:
        raise Stopped(Found(found, kept[:found], False)) from None
    return Found(found, kept[:found], ended != OUT_OF_NODES or found == limit)


def _seen(work: Work, tree: Tree) -> list[list[int]]:
    """What a search that stopped has been through, and the answer to avoid, as clauses that bar it (see `sat.answers`).

    Of each decision whose other value is being tried, the first value has been searched, under the decisions before it;
    so has the first value of the last one.
    """
    bars, before = [], []
    depth = int(work.counter[DEPTH]) - 1
    for cell, second in zip(tree.cell[:depth].tolist(), tree.second[:depth].tolist(), strict=True):
        first = cell + 1 if tree.first[cell] == SHADED else -(cell + 1)
        if second or len(before) == depth - 1:
            bars.append([*before, -first])
        before.append(first if second else -first)
    if tree.avoid.any():
        bars.append([-(cell + 1) if value == SHADED else cell + 1 for cell, value in enumerate(tree.avoid.tolist())])
    return bars


def every_rule(puzzle):
    """The rules of the last rung: all that an answer must satisfy, where RULES may say some of it twice."""
    return list(puzzle.RUNGS.values())[-1].rules


def random_answer(
    puzzle, rng: np.random.Generator, *, rules=None, shade: float = 0.5, noise: float = 1.0
) -> np.ndarray | None:
    """One answer under `rules` (default: as `search`), drawn by guessing: int8 (cells,), or None where there is none.

    A search whose first guess at each cell is shaded with probability `shade`, most constrained cell first, the order
    blurred by `noise`. Not uniform over the answers: `heyawake_reach` measures what the draw does.
    """
    model = puzzle.model
    demanded = active(model, tuple(puzzle.RULES), every_rule(puzzle) if rules is None else rules)
    answer = np.empty((1, len(model.beside)), np.int8)
    work, tree = new_work(model), new_tree(model)
    ended = _draw_kernel(model, demanded, work, tree, answer, float(shade), float(noise), NO_LIMIT, rng)
    return answer[0] if ended == FULL else None


@njit(cache=True)
def _draw_kernel(model, demanded, work, tree, answer, shade, noise, nodes, rng):
    """FULL with an answer in `answer`, EXHAUSTED where there is none, OUT_OF_NODES after `nodes` of them.

    Guesses anew after ever longer tries: a bad start costs little.
    """
    budget = 2 * len(work.state)
    while True:
        for cell in range(len(tree.first)):
            tree.first[cell] = SHADED if rng.random() < shade else UNSHADED
        step = min(budget, nodes - work.counter[NODES])
        _, ended = _search_kernel(model, demanded, demanded, PLAIN, work, tree, answer, ONE, step, noise, rng)
        if ended != OUT_OF_NODES or work.counter[NODES] >= nodes:
            return ended
        _undo_kernel(work, 0)
        work.counter[DEPTH] = 0
        budget *= 2
