"""Every step of a rung told, replayed and derived again from what it cites alone."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from boards_for_tests import blocks_of, board, every_state, same, small

from holdstill.core.brute import answers
from holdstill.core.connectivity import forced_by_flooding
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, neighbours, where
from holdstill.core.ladder import deduce, explain, finishes
from holdstill.puzzles.heyawake import Heyawake

NUMBERS = [*range(0, 1280, 5), *range(1900, 1930)]


def fills(one, rule, places, state):
    """All ways to decide the undecided of `places` that keep one constraint of this rule, one a row."""
    free = [cell for cell in places if state[cell] == UNKNOWN]
    filled = np.repeat(state[None], 1 << len(free), axis=0)
    filled[:, free] = every_state(len(free))
    shaded = (filled[:, list(places)] == SHADED).sum(axis=1)
    if rule == "touching":
        return filled[shaded < 2]
    if rule == "spans":
        return filled[shaded > 0]
    return filled[shaded == one.clues[one.room_of[places[0]]]]


def is_cited_rightly(one, rule, places):
    """Are the places those of a constraint of this rule?"""
    if rule == "white":
        return places == ()
    if rule == "touching":
        return len(places) == 2 and places[1] in neighbours(one.rows, one.cols)[places[0]]
    if rule == "rooms":
        return set(places) == set(np.flatnonzero(one.room_of == one.room_of[places[0]]).tolist())
    flat, starts = one.span_windows
    return list(places) in [flat[a:b].tolist() for a, b in pairwise(starts)]


def follows(one, step, state):
    """Does the constraint that a step cites force its cells in this state, or fail where it has none?"""
    if step.rule == "white":
        possible, pocket, cut = forced_by_flooding(state, UNSHADED, neighbours(one.rows, one.cols))
        if not step.cells:
            return not possible
        return possible and bool((pocket if step.value == SHADED else cut)[list(step.cells)].all())
    kept = fills(one, step.rule, step.places, state)
    if not step.cells:
        return len(kept) == 0
    return len(kept) > 0 and bool((kept[:, list(step.cells)] == step.value).all())


def starts(number, one):
    """A blank state, and one partial state: from an answer, or at random."""
    cells, rng = one.rows * one.cols, np.random.default_rng([51, number])
    yield np.zeros(cells, np.int8)
    found = answers(one)
    if len(found) and number % 3:
        state = found[0].copy()
        state[rng.random(cells) < 0.8] = UNKNOWN
        yield state
    else:
        yield rng.choice(np.array([0, 1, 2], np.int8), cells, p=[0.8, 0.1, 0.1])


@pytest.mark.parametrize("rung", list(Heyawake.RUNGS))
def test_steps_replayed_give_the_fixpoint_and_each_follows_from_what_it_cites(rung):
    fired = Counter()
    for number in NUMBERS:
        one = board(number)
        every = answers(one)
        for start in starts(number, one):
            state, fits = start.copy(), every[((start == UNKNOWN) | (every == start)).all(axis=1)]
            steps = explain(one, rung, start)
            for i, step in enumerate(steps):
                told = f"board({number}) from {start.tolist()}: {step}"
                broken = step.rule_broken if step.rule == "probe" else step.rule
                assert is_cited_rightly(one, broken, step.places), told
                assert (state[list(step.cells)] == UNKNOWN).all(), told
                if step.rule == "probe":
                    assert len(step.cells) == 1 and not (fits[:, step.cells[0]] == 3 - step.value).any(), told
                    opposite = state.copy()
                    opposite[step.cells[0]] = 3 - step.value
                    assert deduce(one, "spans", opposite) is None, told
                else:
                    assert step.rule_broken is None and follows(one, step, state), told
                assert step.cells or i == len(steps) - 1, told
                state[list(step.cells)] = step.value
                fired["contradiction" if not step.cells else step.rule] += 1
            expected = deduce(one, rung, start)
            assert (expected is None) == bool(steps and not steps[-1].cells), f"board({number}) from {start.tolist()}"
            assert expected is None or same(state, expected), f"board({number}) from {start.tolist()}"
    rules = Heyawake.RUNGS[rung].rules | {"contradiction"} | ({"probe"} if rung == "probe" else set())
    assert set(fired) == rules and min(fired.values()) > 30, fired


def test_the_words_say_what_and_where():
    said = Counter()
    for number in NUMBERS:
        one = board(number)
        for step in explain(one, "probe"):
            told, _, why = step.text.partition(": ")
            if step.cells:
                verb = "is" if len(step.cells) == 1 else "are"
                colour = "shaded" if step.value == SHADED else "unshaded"
                assert told == f"{where(step.cells, one.cols)} {verb} {colour}", step
            else:
                assert told == "contradiction", step
            rule = step.rule_broken or step.rule
            words = {
                "touching": "no two shaded cells touch",
                "white": "the unshaded cells stay connected",
                "spans": "span clause",
                "rooms": f"room with {one.clues[one.room_of[step.places[0]]] if step.places else None}",
            }[rule]
            place = f": {where(step.places, one.cols)}" if step.places else ""
            assert why == ("the opposite breaks a rule: " if step.rule == "probe" else "") + words + place, step
            said[rule] += 1
    assert set(said) == set(Heyawake.RULES)


def test_a_board_told_step_by_step():
    one = Heyawake(2, 3, [[0, 0, 1], [0, 0, 1]], [2, 0])
    assert [step.text for step in explain(one, "spans")][:1] == [
        "rows 1 to 2, column 3 are unshaded: room with 0: rows 1 to 2, column 3"
    ]
    one = Heyawake(1, 4, [[0, 1, 2, 3]], [0, 0, 0, None])
    assert [step.text for step in explain(one, "spans")][-1] == "contradiction: span clause: row 1, columns 1 to 3"
    assert explain(one, "local")[-1].cells != () and deduce(one, "spans") is None


def test_steps_of_a_model_of_other_kinds():
    rules = [("table", (0, 1, 2), (0b001, 0b011)), ("count", ((1, 3), (4,)), 3, 3), ("connected", SHADED)]
    puzzle = small(2, 3, blocks_of(rules))
    state = np.zeros(6, np.int8)
    for step in explain(puzzle, "all"):
        assert (state[list(step.cells)] == UNKNOWN).all()
        state[list(step.cells)] = step.value
    assert state.tolist() == deduce(puzzle, "all").tolist() == [2, 2, 1, 2, 2, 0]
    assert {step.rule for step in explain(puzzle, "all")} == {"table", "count"}


def test_a_decided_board_that_breaks_a_rule_is_not_finished():
    # Local decides every cell by the numbers, and the judge sees three rooms in a row.
    one = Heyawake(1, 3, [[0, 1, 2]], [0, 0, 0])
    assert deduce(one, "local").tolist() == [1, 1, 1] and not finishes(one, "local")
    assert not finishes(one, "spans")
    assert finishes(Heyawake(1, 3, [[0, 1, 2]], [1, 0, 0]), "local")
    assert not finishes(Heyawake(1, 3, [[0, 1, 2]], [None, None, None]), "probe")
