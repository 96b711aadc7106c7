"""The densifying generator: its promises on boards of every shape, its levels, and what it says when it gives up."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sat_for_tests import sat_answers

from holdstill.core import carve as core
from holdstill.core.brute import answers
from holdstill.core.grid import SHADED, UNSHADED, PuzzleError
from holdstill.core.search import random_answer, search
from holdstill.lab.study import run
from holdstill.puzzles import heyawake_dense
from holdstill.puzzles.heyawake import Heyawake, carve
from holdstill.puzzles.heyawake_dense import QUINTILES, densified, generate, level, numbered
from holdstill.puzzles.layouts import grown, guillotine

LEGAL = ~(1 << list(Heyawake.RULES).index("rooms"))


def room_for_more(board, state) -> list[int]:
    """The cells that could be shaded too, by the judge alone, numbers disregarded."""
    more = []
    for cell in np.flatnonzero(state == UNSHADED):
        further = state.copy()
        further[cell] = SHADED
        if not int(board.broken(further[None])[0]) & LEGAL:
            more.append(int(cell))
    return more


def check(made, rows, cols, max_room):
    board, state = made.board, made.answer
    assert (board.rows, board.cols, board.rectangular) == (rows, cols, True)
    sizes = np.bincount(board.room_of)
    assert sizes.max() <= max_room and board.is_valid(state) and room_for_more(board, state) == []
    held = np.bincount(board.room_of, weights=state == SHADED)
    assert all(clue is None or clue == count for clue, count in zip(board.clues, held, strict=True))
    assert made.share == sum(clue is not None for clue in board.clues) / len(board.clues)
    assert made.level == level(made.share) and made.layouts >= 1
    assert sat_answers(board, 2) == [tuple((state == SHADED).tolist())]


def test_a_board_keeps_every_promise_or_there_is_none():
    made = []

    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(
        size=st.tuples(st.integers(1, 7), st.integers(1, 7)),
        max_room=st.integers(1, 50),
        difficulty=st.sampled_from([None, 1, 2, 3, 4, 5]),
        seed=st.integers(0, 2**32),
    )
    def promises(size, max_room, difficulty, seed):
        try:
            one = generate(*size, np.random.default_rng(seed), max_room=max_room, difficulty=difficulty, tries=60)
        except PuzzleError as error:
            assert str(error).startswith(f"no {size[0]}x{size[1]} board with rooms of up to {max_room} cells")
            return
        made.append(size)
        check(one, *size, max_room)
        assert difficulty in (None, one.level)

    promises()
    assert len(made) > 40


@settings(max_examples=150, deadline=None, derandomize=True)
@given(rows=st.integers(1, 9), cols=st.integers(1, 9), seed=st.integers(0, 2**32), shade=st.floats(0, 1))
def test_a_densified_answer_has_no_room_for_more(rows, cols, seed, shade):
    rng = np.random.default_rng(seed)
    labels = grown(rows, cols, rng) if seed % 2 else guillotine(rows, cols, rng)
    board = Heyawake(rows, cols, labels, (None,) * (int(labels.max()) + 1))
    answer = random_answer(board, rng, shade=shade)
    if answer is not None:
        state = densified(board, answer, rng)
        assert board.is_valid(state) and (state[answer == SHADED] == SHADED).all()
        assert room_for_more(board, state) == []
        assert numbered(labels, state).is_valid(state)


def test_without_numbers_the_difference_is_the_shading():
    more = 0
    for seed in range(20):
        rng = np.random.default_rng([73, seed])
        labels = guillotine(7, 7, rng)
        blank = Heyawake(7, 7, labels, (None,) * (int(labels.max()) + 1))
        answer = random_answer(blank, rng, shade=0.0)
        if answer is not None:
            more += len(room_for_more(blank, answer)) > 0
    assert more > 10


@pytest.mark.parametrize("rows, cols, max_room", [(1, 1, 1), (1, 2, 1), (5, 1, 4), (2, 2, 1), (3, 20, 4), (5, 5, 25)])
def test_boards_of_every_shape(rows, cols, max_room):
    check(generate(rows, cols, np.random.default_rng(1), max_room=max_room), rows, cols, max_room)


def test_thinning_leaves_no_number_to_spare():
    for seed in range(6):
        made = generate(5, 5, np.random.default_rng([74, seed]))
        assert len(answers(made.board)) == 1
        for room, clue in enumerate(made.board.clues):
            if clue is not None:
                clues = [*made.board.clues[:room], None, *made.board.clues[room + 1 :]]
                assert len(answers(Heyawake(5, 5, made.board.rooms, clues))) > 1


def test_fewer_numbers_the_higher_the_difficulty():
    shares = []
    for difficulty in range(1, 6):
        made = [generate(8, 8, np.random.default_rng([75, seed]), difficulty=difficulty) for seed in range(5)]
        assert {one.level for one in made} == {difficulty}
        shares.append([one.share for one in made])
    for easier, harder in zip(shares, shares[1:], strict=False):
        assert min(easier) > max(harder)


def test_levels_meet_at_the_quintiles():
    edges = QUINTILES.shares
    assert list(edges) == sorted(edges) and edges[0] > 0 and edges[-1] < 1
    assert [level(edge) for edge in edges] == [4, 3, 2, 1]
    assert [level(np.nextafter(edge, 0)) for edge in edges] == [5, 4, 3, 2]


def test_the_quintiles_are_those_of_their_study():
    module, name = QUINTILES.study.split(":")
    shares = run(getattr(import_module(module), name), QUINTILES.n, QUINTILES.params).share
    assert tuple(np.quantile(shares, [0.2, 0.4, 0.6, 0.8]).round(4)) == QUINTILES.shares


def test_the_seed_decides_the_board():
    def made(seed):
        one = generate(7, 7, np.random.default_rng(seed), max_room=6)
        return one.board, one.answer.tolist()

    assert made(1) == made(1) != made(2)


@pytest.mark.parametrize(
    "size, options, told",
    [
        ((1, 40), {}, r"no 1x40 board .* up to 4 cells in 1000 layouts and \d+\.\d s: 1000 had no answer, 0 were not"),
        ((2, 2), {"max_room": 4, "tries": 9}, "in 9 layouts and .* 0 had no answer, 9 were not unique"),
        ((8, 8), {"max_room": 9, "difficulty": 5, "tries": 20}, r"[1-9]\d* kept too many numbers for difficulty 5"),
        ((0, 3), {}, "1 to 64 rows and columns, not 0x3"),
        ((3, 65), {}, "not 3x65"),
        ((4, 4), {"max_room": 0}, "max_room is a whole number from 1 to 4096, not 0"),
        ((4, 4), {"max_room": 2.5}, "not 2.5"),
        ((4, 4), {"max_room": True}, "not True"),
        ((4, 4), {"difficulty": 0}, "difficulty is a whole number from 1 to 5, not 0"),
        ((4, 4), {"difficulty": 6}, "difficulty is a whole number from 1 to 5, not 6"),
        ((4, 4), {"difficulty": 2.0}, "not 2.0"),
        ((4, 4), {"difficulty": "hard"}, "difficulty is a whole number from 1 to 5, not 'hard'"),
    ],
)
def test_what_gives_no_board_is_said_in_one_line(size, options, told):
    with pytest.raises(PuzzleError, match=told) as caught:
        generate(*size, np.random.default_rng(0), **options)
    assert "\n" not in str(caught.value)


def test_a_board_too_large_for_the_search_is_given_up(monkeypatch):
    monkeypatch.setattr(heyawake_dense, "MOST_NODES", 50)
    with pytest.raises(PuzzleError, match=r"no 12x12 board .* 5 took over 50 nodes"):
        generate(12, 12, np.random.default_rng(0))


def test_a_node_limit_never_passes_a_board_that_is_not_settled():
    ended = set()
    for seed in range(40):
        for nodes in (5, 30, 100, 10_000):
            rng = np.random.default_rng([76, seed])
            made = carve(guillotine(7, 7, rng, always_keep=4, may_keep=4), rng, dense=True, nodes=nodes)
            ended.add((nodes, min(made.left, 0)))
            if made.board is not None:
                assert search(made.board, 2).count == 1 and (search(made.board, 1).answers[0] == made.answer).all()
    assert {(5, core.UNSETTLED), (100, core.UNSETTLED), (100, 0), (10_000, 0)} <= ended
    assert (10_000, core.UNSETTLED) not in ended


def test_a_wrong_board_cannot_leave(monkeypatch):
    def careless(labels, rng, **options):
        made = carve(labels, rng, **options)
        if made.board is None:
            return made
        return made._replace(board=Heyawake(*labels.shape, labels, (None,) * len(made.board.clues)))

    monkeypatch.setattr(heyawake_dense, "carve", careless)
    with pytest.raises(AssertionError, match="not the only answer"):
        generate(5, 5, np.random.default_rng(0), max_room=9)
