"""Every reason forces its step and has no cell to spare, judged by routes that share nothing with the kernels.

One constraint at a time is read afresh: a clause by all assignments of its undecided cells, a count by the sums that
its groups' levels can make, a table by its patterns, a connected colour by networkx. The contradiction of a probe step
is found again by sweeping over constraints read so, and on small boards no answer of brute force denies the step.
"""

import json
from collections import Counter
from itertools import islice, product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from boards_for_tests import blocks_of, board, random_rules, same, small
from hypothesis import given, settings
from hypothesis import strategies as st

from holdstill.core.brute import answers
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, PuzzleError, edges
from holdstill.core.ladder import deduce, explain
from holdstill.core.model import CLAUSE, CONNECTED, COUNT, active
from holdstill.core.reasons import as_dict, hint, minimal
from holdstill.puzzles.boards import from_json
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.tapa import generate as generate_tapa
from holdstill.puzzles.thermometers import generate as generate_thermometers

BANKS = Path(__file__).parents[2] / "data" / "boards"


class Reader:
    """The constraints of one board, each read afresh and remembered by what its cells hold."""

    def __init__(self, puzzle):
        self.puzzle, self.model, self.known, self.seen = puzzle, puzzle.model, {}, Counter()
        spans = zip(self.model.start, self.model.end, strict=True)
        self.cells = [tuple((self.model.literals[a:b] >> 1).tolist()) for a, b in spans]
        self.rules = [list(puzzle.RULES)[rule] for rule in self.model.rule.tolist()]
        self.beside = edges(puzzle.rows, puzzle.cols).tolist()

    def active(self, rung):
        """The constraints of a rung."""
        return np.flatnonzero(active(self.model, tuple(self.puzzle.RULES), self.puzzle.RUNGS[rung].rules)).tolist()

    def says(self, con, state):
        """{cell: value} for the undecided cells that the constraint alone settles; None where it cannot hold."""
        cells = self.cells[con] or range(len(state))
        key = con, tuple(state[cell] for cell in cells)
        if key not in self.known:
            read = {CLAUSE: self.clause, COUNT: self.count, CONNECTED: self.connected}.get(self.model.kind[con])
            left = (read or self.table)(con, dict(zip(cells, key[1], strict=True)))
            settled = left and {c: left[c].pop() for c in cells if key[1][cells.index(c)] == 0 and len(left[c]) == 1}
            self.known[key] = left if left is None else settled
        return self.known[key]

    def clause(self, con, values):
        literals = self.model.literals[self.model.start[con] : self.model.end[con]].tolist()
        ways = product(*((value,) if value else (UNSHADED, SHADED) for value in values.values()))
        kept = [way for way in ways if any(way[i] == 1 + (one & 1) for i, one in enumerate(literals))]
        return {cell: {way[i] for way in kept} for i, cell in enumerate(values)} if kept else None

    def count(self, con, values):
        low, high = int(self.model.low[con]), int(self.model.high[con])
        groups = {}
        for cell, group in zip(values, self.model.group[self.model.start[con] : self.model.end[con]], strict=True):
            groups.setdefault(int(group), []).append(cell)
        groups = list(groups.values())
        levels = [
            [n for n in range(len(g) + 1) if all(values[c] in (0, 2 if i < n else 1) for i, c in enumerate(g))]
            for g in groups
        ]
        before, after = [{0}], [{0}]
        for one, other in zip(levels, levels[::-1], strict=True):
            before.append({total + level for total in before[-1] for level in one})
            after.append({total + level for total in after[-1] for level in other})
        left = {cell: set() for cell in values}
        for i, group in enumerate(groups):
            for level in levels[i]:
                if any(low <= a + level + b <= high for a in before[i] for b in after[len(groups) - 1 - i]):
                    for k, cell in enumerate(group):
                        left[cell].add(SHADED if k < level else UNSHADED)
        return left if all(left.values()) else None

    def table(self, con, values):
        rows = self.model.patterns[self.model.low[con] : self.model.high[con]].tolist()
        ways = [[1 + (row >> i & 1) for i in range(len(values))] for row in rows]
        kept = [way for way in ways if all(a in (0, b) for a, b in zip(values.values(), way, strict=True))]
        return {cell: {way[i] for way in kept} for i, cell in enumerate(values)} if kept else None

    def connected(self, con, values):
        colour = int(self.model.low[con])
        mine = {cell for cell, value in values.items() if value == colour}
        left = {cell: {value} if value else {UNSHADED, SHADED} for cell, value in values.items()}
        if not mine:
            return left
        graph = nx.Graph()
        graph.add_nodes_from(mine)
        graph.add_edges_from((a, b) for a, b in self.beside if 3 - colour not in (values[a], values[b]))
        home = nx.node_connected_component(graph, min(mine))
        if not mine <= home:
            return None
        for cell in values:
            if not values[cell] and cell not in home:
                left[cell] = {3 - colour}
        for cell in set(nx.articulation_points(graph)) & home - mine:
            cut = graph.copy()
            cut.remove_node(cell)
            if not mine <= nx.node_connected_component(cut, min(mine)):
                left[cell] = {colour}
        return left

    def forces(self, con, state, step):
        """Does the constraint alone force the step?"""
        settled = self.says(con, state)
        if settled is None or not step.cells:
            return settled is None and not step.cells
        return all(settled.get(cell) == step.value for cell in step.cells)

    def refutes(self, rung, state, free):
        """Do the rung's constraints, each read alone again and again, end in a contradiction by free cells only?"""
        state, on = list(state), self.active(rung)
        changed = True
        while changed:
            changed = False
            for con in on:
                settled = self.says(con, state)
                if settled is None:
                    return True
                for cell, value in settled.items():
                    if free[cell]:
                        state[cell], changed = value, True
        return False


def only(state, cells):
    """The state with everything but these cells erased."""
    left = np.zeros_like(state)
    left[list(cells)] = state[list(cells)]
    return left


def check_one(reader, reason, state):
    """A step by one constraint: its reason forces it, and no cell of it is to spare."""
    step, kept = reason.step, reason.cells
    assert state[list(kept)].all() and not state[list(step.cells)].any(), reason
    same_place = [c for c, cells in enumerate(reader.cells) if cells == step.places and reader.rules[c] == step.rule]
    fired = [con for con in same_place if reader.forces(con, only(state, kept), step)]
    assert fired, reason
    for con in fired:
        assert not any(reader.forces(con, only(state, set(kept) - {cell}), step) for cell in kept), reason
    by_value = {value: {cell for cell in kept if state[cell] == value} for value in (UNSHADED, SHADED)}
    assert ("are shaded" in reason.because or "is shaded" in reason.because) == bool(by_value[SHADED]), reason
    assert ("unshaded" in reason.because) == bool(by_value[UNSHADED]), reason


def check_probe(reader, rung, reason, state):
    """A step by probing: the chain ends in a contradiction, uses the reason and nothing else, and needs all of it."""
    cell, (first, *middle, last) = reason.step.cells[0], reason.chain
    assert first.step.cells == (cell,) and first.step.value == 3 - reason.step.value and not first.cells, reason
    assert not last.step.cells and last.step.rule == reason.step.rule_broken, reason
    now, needed = only(state, reason.cells), set(last.cells)
    now[cell] = first.step.value
    for one in middle:
        assert not state[list(one.step.cells)].any() and one.step.cells, reason
        check_one(reader, one, now)
        now[list(one.step.cells)] = one.step.value
        needed |= set(one.cells)
    check_one(reader, last, now)
    deduced = {c for one in reason.chain for c in one.step.cells}
    assert needed == set(reason.cells) | deduced, reason
    free = state == UNKNOWN
    free[cell] = False
    for left_out in (None, *reason.cells):
        given = only(state, set(reason.cells) - {left_out})
        given[cell] = first.step.value
        assert reader.refutes(rung, given.tolist(), free) == (left_out is None), (reason, left_out)


def check(reader, rung, start, every=None):
    """Every reason from a partial state on that was not seen yet, in the order of `explain`."""
    puzzle, state = reader.puzzle, start.copy()
    reasons, steps = minimal(puzzle, rung, start), explain(puzzle, rung, start)
    assert [(r.step.cells, r.step.value) for r in reasons] == [(s.cells, s.value) for s in steps]
    for reason, step in zip(reasons, steps, strict=True):
        kind = step.rule if step.cells else "contradiction"
        reader.seen[kind, reason, state.tobytes()] += 1
        if reader.seen[kind, reason, state.tobytes()] > 1:
            pass  # checked on another rung
        elif step.rule == "probe":
            check_probe(reader, rung, reason, state)
            if every is not None:
                given = only(state, reason.cells)
                fits = every[((given == UNKNOWN) | (every == given)).all(axis=1)]
                assert (fits[:, step.cells[0]] == step.value).all(), reason
        else:
            assert reason.step == step and reason.chain == ()
            check_one(reader, reason, state)
        state[list(step.cells)] = step.value
    end = deduce(puzzle, rung, start)
    assert same(end, None if steps and not steps[-1].cells else state)
    assert hint(puzzle, rung, start) == (reasons[0] if reasons else None)


def tiny(name):
    """Small boards, not all with one answer, and all their answers."""
    for number in range(40):
        rng = np.random.default_rng([53, number])
        if name == "heyawake":
            one = board(3 + 5 * number)
        else:
            one = (generate_tapa if name == "tapa" else generate_thermometers)(4, 4, rng).board
        yield one, answers(one)


# Lines of the banks whose boards take many probes, from 5x5 up to 10x10.
BOARDS = {
    "heyawake": (59, 7, 11, 123, 72, 137, 181, 176),
    "tapa": (2, 125, 185, 241, 265),
    "thermometers": (115, 184, 200, 236),
}


@pytest.mark.parametrize("name", BOARDS)
def test_a_reason_forces_its_step_and_has_no_cell_to_spare(name):
    fired, lines = Counter(), (BANKS / f"{name}.jsonl").read_text().splitlines()
    for line in BOARDS[name]:
        reader = Reader(from_json(json.loads(lines[line])["board"]))
        for rung in reader.puzzle.RUNGS:
            check(reader, rung, np.zeros(len(reader.model.beside), np.int8))
        fired.update(kind for kind, *_ in reader.seen)
    for number, (puzzle, every) in enumerate(tiny(name)):
        rng, reader = np.random.default_rng([54, number]), Reader(puzzle)
        start = np.zeros(len(puzzle.model.beside), np.int8)
        if len(every):
            start = np.where(rng.random(len(start)) < 0.2, every[0], 0).astype(np.int8)
        for rung in puzzle.RUNGS:
            check(reader, rung, start, every)
        fired.update(kind for kind, *_ in reader.seen)
    assert fired.total() >= 500 and set(fired) >= {*puzzle.RULES, "probe"}, fired


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(0, 10**6))
def test_reasons_of_random_constraints_of_every_kind(number):
    rng = np.random.default_rng([55, number])
    rows, cols = (int(side) for side in rng.integers(2, 4, 2))
    reader = Reader(small(rows, cols, blocks_of(random_rules(rows, cols, rng))))
    start = rng.choice(np.array([0, 1, 2], np.int8), rows * cols, p=[0.8, 0.1, 0.1])
    for rung in reader.puzzle.RUNGS:
        check(reader, rung, start)


@pytest.mark.parametrize("name", BOARDS)
def test_hints_alone_lead_where_the_rung_does(name):
    for puzzle, _ in islice(tiny(name), 8):
        for rung in puzzle.RUNGS:
            state = np.zeros(len(puzzle.model.beside), np.int8)
            while (told := hint(puzzle, rung, state)) is not None and told.step.cells:
                assert not state[list(told.step.cells)].any()
                state[list(told.step.cells)] = told.step.value
            assert same(deduce(puzzle, rung), None if told else state)


def test_a_reason_in_words():
    one = Heyawake(1, 4, [[0, 1, 2, 3]], [None] * 4)
    told = hint(one, "probe", np.array([0, 1, 1, 0], np.int8))
    assert told.step.cells == (0,) and told.cells == (1, 2) and told.because == "row 1, columns 2 to 3 are unshaded"
    assert hint(one, "probe", np.array([2, 1, 1, 2], np.int8)) is None
    broken = hint(one, "local", np.array([1, 2, 2, 1], np.int8))
    assert broken.step.text.startswith("contradiction: no two shaded cells touch") and broken.cells == (1, 2)
    with pytest.raises(PuzzleError, match="one value a cell"):
        hint(one, "local", np.array([3, 0, 0, 0], np.int8))


def test_a_probe_step_as_a_dict():
    one = board(3)
    told = next(reason for reason in minimal(one, "probe") if reason.step.rule == "probe")
    entries = as_dict(told)
    assert json.loads(json.dumps(entries))["reason"] == list(told.cells)
    first, *_, last = entries["chain"]
    assert first["rule"] == "assumption" and first["text"].startswith("assume that ") and first["chain"] == []
    assert last["cells"] == () and last["rule"] == entries["rule_broken"] and last["because"]
