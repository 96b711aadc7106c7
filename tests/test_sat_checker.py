"""The checker by SAT against brute force, then the kernel's claims on boards that brute force cannot reach."""

import numpy as np
import pytest
from boards_for_tests import board
from sat_for_tests import sat_answers

from holdstill.core.brute import answers
from holdstill.core.grid import SHADED
from holdstill.core.search import random_answer, search
from holdstill.lab.studies import heyawake_layouts as studies
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.heyawake_dense import densified, generate, numbered
from holdstill.puzzles.layouts import guillotine

# (rooms, clues, walls, how many answers): by hand, with 0, 1 and many.
KNOWN = [
    ([[0, 1, 2]], [0, 0, 0], None, 0),
    ([[0, 0, 1], [2, 2, 1]], [0, 2, None], None, 0),
    ([[0, 1, 2]], [0, None, None], None, 1),
    ([[0, 0, 0]], [2], None, 1),
    ([[0, 1, 2]], [None, None, None], None, 3),
    ([[0, 0, 0]], [None], None, 4),
    ([[0, 0, 0]], [None], [(0, 1), (1, 2)], 3),
    ([[0, 0], [0, 0]], [None], None, 5),
]


def as_shaded(states) -> set:
    return {tuple((state == SHADED).tolist()) for state in states}


@pytest.mark.parametrize("rooms, clues, walls, count", KNOWN)
def test_boards_with_no_answer_one_and_many(rooms, clues, walls, count):
    one = Heyawake(len(rooms), len(rooms[0]), rooms, clues, walls)
    assert len(sat_answers(one, 100)) == len(answers(one)) == search(one, 100).count == count


def test_the_checker_finds_the_answers_of_brute_force():
    kinds = set()
    for number in [*range(0, 1900, 13), *range(1900, 2000, 10)]:
        one = board(number)
        truth = answers(one)
        if len(truth) <= 200:
            found = sat_answers(one, 201)
            assert len(found) == len(set(found)) and set(found) == as_shaded(truth), f"board({number}): {one}"
            kinds.add(min(len(truth), 2))
    assert kinds == {0, 1, 2}


def layouts(size, count, **cutter):
    for number in range(count):
        rng = np.random.default_rng([71, size, number, *cutter.values()])
        yield guillotine(size, size, rng, **cutter), rng


@pytest.mark.parametrize("size, cutter", [(7, {}), (8, studies.capped(4)), (10, studies.capped(4))])
def test_layouts_without_an_answer_have_none(size, cutter):
    infeasible = 0
    for labels, rng in layouts(size, 60, **cutter):
        one = studies.unnumbered(labels)
        none = random_answer(one, rng) is None
        assert none == (not sat_answers(one, 1)), one
        infeasible += none
    assert 0 < infeasible < 60


@pytest.mark.parametrize("size, cap", [(8, 4), (8, 6), (8, 9), (10, 4)])
def test_fully_numbered_boards_have_as_many_answers_as_search_says(size, cap):
    counts = []
    for labels, rng in layouts(size, 25, **studies.capped(cap)):
        answer = random_answer(studies.unnumbered(labels), rng, shade=0.5)
        if answer is not None:
            one = numbered(labels, densified(studies.unnumbered(labels), answer, rng))
            counts.append(search(one, 3).count)
            assert len(sat_answers(one, 3)) == counts[-1], one
    assert 1 in counts and max(counts) > 1


@pytest.mark.parametrize("size, cap, difficulty", [(8, 4, None), (8, 6, 2), (8, 9, None), (10, 4, 5), (11, 4, None)])
def test_generated_boards_have_one_answer_and_no_number_to_spare(size, cap, difficulty):
    for seed in range(6):
        made = generate(size, size, np.random.default_rng([72, seed]), max_room=cap, difficulty=difficulty)
        assert set(sat_answers(made.board, 2)) == as_shaded([made.answer]), made.board
        for room, clue in enumerate(made.board.clues):
            if clue is not None and difficulty is None:
                clues = [*made.board.clues[:room], None, *made.board.clues[room + 1 :]]
                assert len(sat_answers(Heyawake(size, size, made.board.rooms, clues), 2)) == 2, (made.board, room)
