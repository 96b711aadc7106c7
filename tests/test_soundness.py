"""Brute force, the search over each rung and SAT find the same answers; no rung ever fixes what an answer denies."""

import ast
import importlib
import os
import pkgutil
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from boards_for_tests import BOARDS, as_set, board, by_sat
from numba.core.registry import CPUDispatcher

import holdstill.core
import holdstill.counting
import holdstill.puzzles
from holdstill.core import reasons
from holdstill.core.brute import answers
from holdstill.core.connectivity import forced, forced_by_flooding
from holdstill.core.grid import UNKNOWN, neighbours, regions
from holdstill.core.ladder import deduce, explain, finishes
from holdstill.core.search import random_answer, search
from holdstill.counting.shapes import connected_sets, count_sets
from holdstill.puzzles import araf, araf_reasons, araf_rooms, araf_rungs, araf_search, araf_unscreened, heyawake_dense
from holdstill.puzzles.heyawake import Heyawake, carve, generate
from holdstill.puzzles.layouts import grown, guillotine, scattered_rooms, small_rooms
from holdstill.puzzles.tapa import Tapa
from holdstill.puzzles.tapa import generate as generate_tapa
from holdstill.puzzles.thermometers import Thermometers
from holdstill.puzzles.thermometers import generate as generate_thermometers

RUNGS = tuple(Heyawake.RUNGS)


@pytest.fixture(scope="module")
def solved():
    """All the boards with all their answers by brute force."""
    boards = [board(number) for number in range(BOARDS)]
    return [(number, one, answers(one)) for number, one in enumerate(boards)]


def test_the_boards_differ_in_kind(solved):
    counts = Counter(min(len(found), 2) for _, _, found in solved)
    assert sum(counts.values()) == BOARDS == 2000
    assert min(counts[0], counts[1], counts[2]) >= 200, counts
    sizes = Counter(one.rows for _, one, _ in solved)
    assert sizes == {3: 950, 4: 950, 5: 100}
    assert sum(one.walls is not None for _, one, _ in solved) > 500
    assert sum(one.rectangular for _, one, _ in solved) > 400
    rooms_of_any_shape = sum(
        Heyawake(n, n, one.rooms, one.clues).rectangular for _, one, _ in solved for n in [one.rows]
    )
    assert rooms_of_any_shape < BOARDS - 400
    assert sum(not any(clue is not None for clue in one.clues) for _, one, _ in solved) > 200


@pytest.mark.parametrize("rung", RUNGS)
def test_search_over_a_rung_finds_the_answers_of_brute_force(solved, rung):
    for number, one, expected in solved:
        found = search(one, len(expected) + 1, rung=rung)
        assert found.complete and found.count == len(expected), f"board({number}): {one}"
        assert as_set(found.answers) == as_set(expected), f"board({number}): {one}"


def test_sat_finds_the_answers_of_brute_force(solved):
    for number, one, expected in solved:
        found = by_sat(one)
        assert len(found) == len(expected) and as_set(found) == as_set(expected), f"board({number}): {one}"


@pytest.mark.parametrize("rung", RUNGS)
def test_no_rung_fixes_a_cell_that_an_answer_denies(solved, rung):
    fixed = 0
    for number, one, expected in solved:
        state = deduce(one, rung)
        if state is None:
            assert len(expected) == 0, f"board({number}): {one}"
            continue
        known = state != UNKNOWN
        assert (expected[:, known] == state[known]).all(), f"board({number}): {one}"
        fixed += known.sum()
    assert fixed > 5000


@pytest.mark.parametrize("rung", RUNGS)
def test_no_rung_fixes_too_much_when_cells_are_given(solved, rung):
    refuted = 0
    for number, one, expected in solved:
        rng = np.random.default_rng([5, number])
        start = rng.integers(1, 3, one.rows * one.cols).astype(np.int8)
        if len(expected) and number % 3:
            start = expected[rng.integers(len(expected))].copy()
        start[rng.random(len(start)) < 0.7] = UNKNOWN
        fits = expected[((start == UNKNOWN) | (expected == start)).all(axis=1)]
        state = deduce(one, rung, start)
        refuted += state is None
        assert state is not None or len(fits) == 0, f"board({number}) from {start.tolist()}"
        if state is not None:
            known = state != UNKNOWN
            assert (fits[:, known] == state[known]).all(), f"board({number}) from {start.tolist()}"
            assert (state[start != UNKNOWN] == start[start != UNKNOWN]).all()
    assert refuted > 100


def test_each_rung_contains_the_one_before(solved):
    grew = Counter()
    for number, one, _ in solved:
        states = [deduce(one, rung) for rung in RUNGS]
        for rung, weak, strong in zip(RUNGS[1:], states[:-1], states[1:], strict=True):
            if weak is None:
                assert strong is None, f"board({number}): {one}"
            elif strong is not None:
                known = weak != UNKNOWN
                assert (strong[known] == weak[known]).all(), f"board({number}): {one}"
                grew[rung] += (strong != UNKNOWN).sum() > known.sum()
    assert min(grew[rung] for rung in RUNGS[1:]) > 100, grew


@pytest.mark.parametrize("rung", RUNGS)
def test_a_finished_board_has_exactly_one_answer(solved, rung):
    finished = 0
    for number, one, expected in solved:
        if finishes(one, rung):
            finished += 1
            assert len(expected) == 1, f"board({number}): {one}"
            assert (deduce(one, rung) == expected[0]).all(), f"board({number}): {one}"
    assert finished > 30


def kernels():
    """Every dispatcher named _.._kernel that the core, the counting and the puzzles define."""
    for package in (holdstill.core, holdstill.counting, holdstill.puzzles):
        for found in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
            module = importlib.import_module(found.name)
            for name, thing in vars(module).items():
                if isinstance(thing, CPUDispatcher) and thing.py_func.__module__ == module.__name__:
                    yield f"{found.name}.{name}", thing


def call_everything():
    """Every public function that ends in a kernel, with all the kinds of numbers and arrays that callers have."""
    rng = np.random.default_rng(0)
    lists = Heyawake(2, 3, [[0, 0, 1], [0, 0, 1]], [2, None], [[0, 1]])
    arrays = Heyawake(np.int64(2), np.int32(3), np.array([[0, 0, 1], [0, 0, 1]], np.int16), [None, 1])
    for one in (lists, arrays, Heyawake(1, 1, [[0]], [None]), board(8), generate(np.int32(4), 5, rng).board):
        for rung in RUNGS:
            explain(one, rung)
            reasons.minimal(one, rung)
            search(one, 5, rung=rung, nodes=50)
            for kind in (np.int8, np.int64):
                deduce(one, rung, np.zeros(one.rows * one.cols, kind))
                reasons.hint(one, rung, np.zeros(one.rows * one.cols, kind))
        found = random_answer(one, rng, shade=1, noise=0)
        if found is not None:
            search(one, 3, avoid=found, rules=("touching", "white"))
            assert one.is_valid(found.tolist())
        answers(one)
        by_sat(one)
        one.broken(np.ones((2, one.rows * one.cols), np.int64)[::-1])
    for rung in (None, "spans", "probe"):
        generate(4, 4, rng, rung=rung, shade=1, noise=0, keep=1, rooms=grown)
    for options in ({}, {"max_room": np.int32(6), "difficulty": np.int64(2)}):
        made = heyawake_dense.generate(np.int64(5), 5, rng, **options)
        heyawake_dense.densified(made.board, made.answer.tolist(), rng)
        carve(np.array(made.board.rooms), rng, dense=np.bool_(True), nodes=np.int32(100), keep=1)
    for rung in (None, *Tapa.RUNGS):
        made = generate_tapa(np.int32(4), 5, rng, rung=rung, fill=1, tries=np.int64(9))
        made.board.broken(np.ones((2, 20), np.int64)[::-1])
        search(made.board, 2, rung=rung)
        by_sat(made.board)
    Tapa(2, 2, [[None, ["?"]], [None] * 2]).broken(np.ones((1, 4), np.int8))
    for rung in (None, *Thermometers.RUNGS):
        made = generate_thermometers(4, np.int32(4), rng, rung=rung, cover=1, longest=np.int32(4), bend=1, keep=1)
        made.board.broken(np.ones((2, 16), np.int64)[::-1])
        search(made.board, 2, rung="witness")
        by_sat(made.board)
    call_araf(rng)
    for rows, cols in ((3, 4), (np.int32(3), np.int64(4))):
        guillotine(rows, cols, rng, chance=1, always_keep=np.int32(1), may_keep=True)
        grown(rows, cols, rng, largest=np.int32(4))
    for look in (forced, forced_by_flooding):
        for state in (np.zeros(6, np.int8), np.zeros(12, np.int64)[::2]):
            look(state, 1, neighbours(2, 3))
    for kind in (np.int8, np.int32, np.int64):
        regions(np.zeros((3, 4), kind)[:, ::2])


def call_araf(rng):
    for size in (4, np.int32(5)):
        one = araf.generate(size, 4, rng, ceiling=np.int64(6), widest=4).board
        araf.generate(size, size, rng, place="any", rung="cell", rooms=small_rooms, tries=100_000)
        for reading in araf.READINGS:
            for screen in (araf_rooms.sizes_fit, araf_rooms.near_enough, araf_rooms.path_exists):
                screen(one, reading)
            for rung in one.RUNGS:
                araf_rungs.deduce(one, rung, reading)
                araf_rungs.explain(one, rung, reading)
                araf_reasons.minimal(one, rung)
                for kind in (np.int32, np.int64):
                    araf_reasons.hint(one, rung, np.zeros(one.rows * one.cols, kind))
            found = araf_search.search(one, 2, reading=reading, nodes=50)
            araf_unscreened.answers_unscreened(one, np.int32(2), reading)
            if len(found.answers):
                one.is_valid(found.answers[0].tolist(), reading)
                one.is_valid(found.answers[0].astype(np.int64), reading)
    for king in (False, True):
        for rows, cols in ((3, 4), (np.int32(3), np.int64(4))):
            list(connected_sets(rows, cols, through=np.array([1, 5]), avoid=[2], low=np.int32(2), high=3, king=king))
            count_sets(rows, cols, through=[np.int64(1)], high=np.int32(4), king=king)
    small_rooms(np.int32(3), 4, rng, smallest=np.int32(1), largest=3)
    scattered_rooms(np.int32(3), 4, rng, largest=np.int32(4))


def test_every_kernel_called_from_python_has_one_signature():
    call_everything()
    # In a second process all of it comes from the cache, where a kernel called by kernels alone has no signature.
    code = "import test_soundness as t; t.call_everything(); print({n: len(k.signatures) for n, k in t.kernels()})"
    where = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-c", code], env=where, capture_output=True, text=True, check=True)
    found = ast.literal_eval(done.stdout)
    assert len(found) > 25 and sum(found.values()) > 10
    assert {name: count for name, count in found.items() if count > 1} == {}
