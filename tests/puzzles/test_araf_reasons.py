"""Every reason on an Araf board forces its step and has no fact to spare, judged on plain sets of rooms.

The rooms are all connected sets of two numbers with a size between them, grown one cell at a time; a fact strikes rooms
off that list by what its words say.
"""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from holdstill.core.grid import PuzzleError, neighbours
from holdstill.counting.shapes import cells_of
from holdstill.puzzles.araf import Araf, generate
from holdstill.puzzles.araf_reasons import ASSUMED, MOST_STRUCK, _logged, _needed, hint, labels, minimal
from holdstill.puzzles.araf_rungs import COVER, MARRY, PIN, SERVE, SHORT, STRIKE, STUCK, deduce, explain
from holdstill.puzzles.boards import from_json

BANK = Path(__file__).parents[2] / "data" / "boards" / "araf.jsonl"


def possible_rooms(board):
    """Every connected set of two numbers and a size between them, as frozensets."""
    value = {cell: board.numbers[cell // board.cols][cell % board.cols] for cell in board.at}
    beside, largest = neighbours(board.rows, board.cols).tolist(), max(value.values()) - 1
    layer, found = {frozenset([cell]) for cell in range(board.rows * board.cols)}, set()
    for size in range(1, largest + 1):
        for room in layer:
            numbers = [value[cell] for cell in room if cell in value]
            if len(numbers) == 2 and min(numbers) < size < max(numbers):
                found.add(room)
        layer = {room | {near} for room in layer for cell in room for near in beside[cell] if near >= 0} - layer
        layer = {room for room in layer if len(room) == size + 1 and len(room & value.keys()) < 3}
    return found


class Judge:
    """Sets of rooms as the bits of whole numbers; what a fact strikes off is read from its words."""

    def __init__(self, board, rooms):
        self.cells, self.numbers = range(board.rows * board.cols), board.at
        self.rooms = [frozenset(cells_of(mask)) for mask in rooms.masks]
        assert set(self.rooms) == possible_rooms(board) and len(set(self.rooms)) == len(self.rooms)
        self.at = [self.those(lambda room, cell=cell: cell in room) for cell in self.cells]
        self.pairs = [frozenset(rooms.at[pair].tolist()) for pair in rooms.pairs]  # as the log numbers them
        self.of = [self.those(lambda room, pair=pair: pair <= room) for pair in self.pairs]
        self.size = [len(room) for room in self.rooms]
        self.known = {}

    def those(self, holds):
        return sum(1 << i for i, room in enumerate(self.rooms) if holds(room))

    def struck(self, entry):
        kind, cell, what = entry
        if entry not in self.known:
            if kind == STRIKE:
                gone = 1 << what
            elif kind in (MARRY, PIN):
                a, b = self.pairs[what]
                gone = (self.at[a] | self.at[b]) & ~self.of[what] | self.of[what] & ~self.at[cell]
            else:
                gone = self.those(lambda room: room & self.rooms[what]) & ~(1 << what)
            self.known[entry] = gone
        return self.known[entry]

    def live(self, facts):
        left = (1 << len(self.rooms)) - 1
        for fact in facts:
            left &= ~self.struck(fact)
        return left

    def adds_up(self, live):
        low = high = 0
        for cell in self.numbers:
            sizes = {self.size[i] for i in bits(self.at[cell] & live)}
            if not sizes:
                return False
            low, high = low + min(sizes), high + max(sizes)
        return low <= 2 * len(self.cells) <= high

    def one_pair(self, left):
        """The pair that all these rooms are of, None where there are more."""
        first = next(bits(left))
        pair = next(pair for pair, rooms in enumerate(self.of) if rooms >> first & 1)
        return None if left & ~self.of[pair] else pair

    def fires(self, entry, live):
        """Does the step follow when these rooms are left?"""
        kind, cell, what = entry
        if kind == SHORT:
            return not self.adds_up(live)
        left = self.at[cell] & live
        if kind == STUCK:
            return not left
        if kind in (MARRY, PIN):
            return left != 0 and self.one_pair(left) == what
        return left == 1 << what

    def refutes(self, live, alive):
        """Do steps that strike a room of `alive` leave a cell without a room, or sizes that do not add up?"""
        changed = True
        while changed:
            changed = False
            for cell in self.cells:
                left = self.at[cell] & live
                if not left:
                    return True
                pair = self.one_pair(left)
                if pair is None:
                    continue
                first = next(bits(left))
                gone = self.struck((PIN, cell, pair) if left & (left - 1) else (COVER, cell, first))
                if gone & alive and gone & live:
                    live, changed = live & ~gone, True
        return not self.adds_up(live)


def bits(rooms):
    while rooms:
        low = rooms & -rooms
        yield low.bit_length() - 1
        rooms ^= low


def check(judge, told, known):
    """A step told with its facts, out of the entries known before it."""
    assert set(told.facts) <= set(known), told
    if told.entry[0] != STRIKE:
        assert told.chain == () and judge.fires(told.entry, judge.live(told.facts)), told
        for fact in told.facts:
            assert not judge.fires(told.entry, judge.live(set(told.facts) - {fact})), (told, fact)
        return
    (first, *chain), alive = told.chain, judge.live(known)
    assert first.entry[0] == ASSUMED and first.entry[2] == told.entry[2] and first.facts == ()
    assert chain[-1].entry[0] in (STUCK, SHORT)
    seen = [*told.facts, first.entry]
    for one in chain:
        check(judge, one, seen)
        seen.append(one.entry)
    assert {fact for one in chain for fact in one.facts} | {first.entry, chain[-1].entry} == set(seen), told
    for left_out in (None, *told.facts):
        live = judge.live([*(set(told.facts) - {left_out}), first.entry])
        assert judge.refutes(live, alive) == (left_out is None), (told, left_out)


def some_boards():
    """Boards of the bank, and small ones, some with a number moved so that there is no answer or more than one."""
    lines = BANK.read_text().splitlines()
    for line in (0, 3, 7, 20):
        yield from_json(json.loads(lines[line])["board"])
    for seed in range(12):
        rng = np.random.default_rng([56, seed])
        board = generate(5, 4, rng).board
        if seed % 2:
            numbers = [list(row) for row in board.numbers]
            cell = int(rng.choice(board.at))
            numbers[cell // 4][cell % 4] = int(rng.integers(1, 7))
            board = Araf(5, 4, numbers)
        yield board


def test_a_reason_forces_its_step_and_has_no_fact_to_spare():
    fired = Counter()
    for board in some_boards():
        judge = None
        for rung in Araf.RUNGS:
            rooms, _, log = _logged(board, rung, ())
            judge = judge or Judge(board, rooms)
            for told in _needed(rooms, log):
                check(judge, told, log[: log.index(told.entry)])
                fired[told.entry[0]] += 1
                fired.update(("chain", one.entry[0]) for one in told.chain)
    assert sum(count for kind, count in fired.items() if isinstance(kind, int)) >= 500, fired
    assert set(fired) >= {COVER, SERVE, MARRY, PIN, STRIKE, STUCK, ("chain", STUCK), ("chain", SHORT)}, fired


def test_what_is_told_names_what_the_rung_names():
    for board in some_boards():
        for rung in Araf.RUNGS:
            named = [(step.cells, step.value, step.text) for step in explain(board, rung) if step.cells]
            told = minimal(board, rung)
            assert [(one.step.cells, one.step.value, one.step.text) for one in told if one.step.cells] == named
            ends = [one.step.text for one in told if "contradiction" in one.step.text]
            assert len(ends) == (deduce(board, rung) is None) and (not ends or told[-1].step.text == ends[0])


def test_hints_alone_lead_where_the_rung_does():
    chains = Counter()
    for board in some_boards():
        for rung in Araf.RUNGS:
            state, end = np.zeros(board.rows * board.cols, np.int32), deduce(board, rung)
            while (told := hint(board, rung, state)) is not None and told.step.cells:
                assert not state[list(told.step.cells)].any() and told.step.value == state.max() + 1
                assert state[list(told.cells)].all() or told.chain
                assert sum("is no room" in one.step.text for one in told.chain) <= MOST_STRUCK
                state[list(told.step.cells)] = told.step.value
                chains[len(told.chain)] += 1
            if end is None:
                assert told is not None and told.step.text.startswith("contradiction: ")
            elif rung != "pair":
                assert told is None and ((state > 0) == (end > 0)).all()
            else:
                assert state[end > 0].all()
    assert chains[0] > 50 and sum(chains.values()) - chains[0] > 20, chains


def test_a_hint_counts_rooms_that_are_no_rooms_as_open():
    board = Araf(1, 5, [[1, 3, None, 1, 4]])
    assert hint(board, "cell", np.array([1, 1, 1, 2, 2])).step.cells == (0, 1)
    assert hint(board, "cell", np.array([1, 1, 2, 2, 2])) is None
    # r1c4 r1c5 is a room of two cells, and leaves r1c3 without one.
    told = hint(board, "cell", np.array([1, 1, 0, 2, 2]))
    assert told.step.cells == () and told.step.text == "contradiction: no room is left for r1c3"
    assert told.cells == (3, 4)
    board = Araf(1, 6, [[None, None, 1, 5, 1, 3]])
    told = hint(board, "cell", np.array([4, 4, 4, 4, 0, 9]))
    assert told.step.cells == (4, 5) and told.step.value == 10 and told.cells == (0, 1, 2, 3)
    with pytest.raises(PuzzleError, match="one label a cell"):
        hint(board, "cell", np.zeros(4))
    with pytest.raises(PuzzleError, match="no rung"):
        hint(board, "probe")


def test_walls_cut_the_grid_into_labels():
    board = Araf(2, 3, [[1, None, 1], [3, None, 3]])
    assert labels(board, [(0, 1), [4, 3], (2, 1)]).tolist() == [1, 2, 2, 1, 2, 2]
    assert labels(board, [(0, 1), (3, 4), (1, 2), (4, 5)]).tolist() == [1, 2, 3, 1, 2, 3]
    assert labels(board, []).tolist() == [1] * 6


def test_a_hint_that_rests_on_many_struck_rooms_counts_the_others():
    board = from_json(json.loads(BANK.read_text().splitlines()[66])["board"])
    state, counted = np.zeros(64, np.int32), 0
    while (told := hint(board, "ration", state)) is not None:
        first = told.chain[0].step.text if told.chain else ""
        if "more rooms are struck off: each" in first:
            assert len([one for one in told.chain if "is no room: assume it" in one.step.text]) == MOST_STRUCK
            counted += 1
        state[list(told.step.cells)] = told.step.value
    assert counted and board.is_valid(state)
