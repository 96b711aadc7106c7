"""Search against listing; limits, budgets, resuming, another answer, random answers."""

import numpy as np
import pytest
from boards_for_tests import as_set, blocks_of, board, every_state, holds, random_rules, small

from holdstill.core import search as searching
from holdstill.core.brute import answers
from holdstill.core.grid import PuzzleError
from holdstill.core.ladder import Rung, deduce
from holdstill.core.propagate import new_work
from holdstill.core.search import _search_kernel, new_tree, random_answer, search
from holdstill.puzzles.heyawake import Heyawake


def solved(start=0, stop=320, at_least=0):
    """(number, board, answers) of small boards."""
    found = ((number, board(number)) for number in range(start, stop))
    return [(number, one, some) for number, one in found for some in [answers(one)] if len(some) >= at_least]


def test_a_small_model_of_every_kind_has_the_answers_of_listing():
    with_answers = without = 0
    for number in range(300):
        rng = np.random.default_rng([31, number])
        rows, cols = ((2, 3), (2, 4), (3, 3))[number % 3]
        rules = random_rules(rows, cols, rng)
        every = every_state(rows * cols)
        expected = every[[all(holds(rule, state, cols) for rule in rules) for state in every]]
        puzzle = small(rows, cols, blocks_of(rules))
        # A weak rung propagates one kind of constraint only; its leaves must satisfy all of them.
        weak = Rung(frozenset([list(puzzle.RULES)[number % len(puzzle.RULES)]]))
        puzzle = puzzle._replace(RUNGS={"weak": weak, "none": Rung(frozenset())} | puzzle.RUNGS)
        for rung in (None, *puzzle.RUNGS):
            found = search(puzzle, 1 << rows * cols, rung=rung)
            assert found.complete and found.count == len(expected), (number, rung, rules)
            assert as_set(found.answers) == as_set(expected), (number, rung, rules)
        with_answers += len(expected) > 0
        without += len(expected) == 0
    assert min(with_answers, without) > 50, (with_answers, without)


@pytest.mark.parametrize("without", list(Heyawake.RULES))
def test_search_by_some_of_the_rules(without):
    rules = tuple(rule for rule in Heyawake.RULES if rule != without)
    for number in range(0, 200, 2):
        one = board(number)
        expected = answers(one, rules)
        for rung in (None, "local", "probe"):
            found = search(one, 600, rules=rules, rung=rung)
            assert found.complete and as_set(found.answers) == as_set(expected), f"board({number}), {rung}"


def test_a_limit_is_reached_and_no_more():
    for number, one, expected in solved(at_least=2):
        for limit in (1, 2, len(expected), len(expected) + 1):
            found = search(one, limit)
            assert found.complete and found.count == len(found.answers) == min(limit, len(expected)), f"board({number})"
            assert as_set(found.answers) <= as_set(expected) and len(as_set(found.answers)) == found.count


def test_only_some_answers_are_stored():
    for number, one, expected in solved(at_least=3):
        every = search(one, len(expected) + 1)
        for store in (0, 1, 2):
            found = search(one, len(expected) + 1, store=store)
            assert found.count == len(expected) and found.complete, f"board({number})"
            assert found.answers.tolist() == every.answers[:store].tolist()


def test_a_budget_of_nodes_ends_a_search_early():
    early = 0
    for number, one, expected in solved(at_least=5):
        every = search(one, len(expected) + 1)
        for nodes in (0, 1, 3, 10):
            found = search(one, len(expected) + 1, nodes=nodes)
            assert found.count == len(found.answers)
            assert found.answers.tolist() == every.answers[: found.count].tolist(), f"board({number})"
            assert not found.complete or found.count == len(expected)
            early += not found.complete
        assert not search(one, len(expected) + 1, nodes=0).complete
        assert not search(one, len(expected) + 1, seconds=-1.0).complete
        enough = search(one, len(expected) + 1, nodes=1 << 20, seconds=1e6)
        assert enough.complete and enough.count == len(expected)
    assert early > 100


@pytest.mark.parametrize("rung", ["local", "probe"])
@pytest.mark.parametrize("nodes", [1, 7])
def test_a_search_in_slices_is_the_same_search(monkeypatch, nodes, rung):
    several = 0
    for number, one, expected in solved(0, 320):
        whole = search(one, len(expected) + 1, rung=rung)
        with monkeypatch.context() as patched:
            patched.setattr(searching, "NODES_A_SLICE", nodes)
            sliced = search(one, len(expected) + 1, rung=rung)
            stored = search(one, len(expected) + 1, rung=rung, store=2)
        assert sliced.complete and sliced.answers.tolist() == whole.answers.tolist(), f"board({number})"
        assert stored.count == len(expected) and stored.answers.tolist() == whole.answers[:2].tolist()
        several += len(expected) > nodes
    assert several > 50


def test_a_search_goes_on_after_each_answer():
    for number, one, expected in solved(0, 320):
        on, rng = np.ones(len(one.model.kind), np.bool_), np.random.default_rng(0)
        work, tree, store = new_work(one.model), new_tree(one.model), np.empty((1, one.rows * one.cols), np.int8)
        found = []
        while _search_kernel(one.model, on, on, False, work, tree, store, 1, 1 << 40, 0.0, rng) == (1, searching.FULL):
            found.append(store[0].tolist())
        assert found == search(one, len(expected) + 1).answers.tolist() and len(found) == len(expected), number


def test_another_answer_than_a_given_one():
    unique = 0
    for number, one, expected in solved(0, 640, at_least=1):
        for answer in expected[:3]:
            found = search(one, len(expected) + 1, avoid=answer)
            assert found.complete and found.count == len(expected) - 1, f"board({number})"
            assert as_set(found.answers) == as_set(expected) - {answer.tobytes()}, f"board({number})"
        assert search(one, 1, avoid=expected[0]).count == (len(expected) > 1)
        unique += len(expected) == 1
    assert unique > 50


def test_avoiding_what_is_no_answer_takes_nothing_away():
    for number, one, expected in solved(0, 160):
        wrong = np.full(one.rows * one.cols, 2, np.int8)
        assert search(one, len(expected) + 1, avoid=wrong).count == len(expected), f"board({number})"


def test_a_random_answer_is_one_and_none_means_none():
    none = 0
    for number, one, expected in solved(0, 640):
        rng = np.random.default_rng(number)
        for shade, noise in ((0.5, 1.0), (0.0, 0.0), (1.0, 5.0)):
            drawn = random_answer(one, rng, shade=shade, noise=noise)
            assert (drawn is None) == (len(expected) == 0), f"board({number})"
            assert drawn is None or (one.is_valid(drawn) and drawn.tobytes() in as_set(expected)), f"board({number})"
        none += len(expected) == 0
    assert none > 50


def test_a_random_answer_by_some_of_the_rules():
    one = Heyawake(2, 4, [[0, 0, 0, 0], [1, 1, 1, 1]], [2, 2])
    assert len(answers(one)) == 0 and random_answer(one, np.random.default_rng(1)) is None
    drawn = random_answer(one, np.random.default_rng(1), rules=("rooms",))
    assert drawn is not None and one.is_valid(drawn, without=("touching", "white", "spans"))


def test_the_seed_decides_the_random_answer():
    one = Heyawake(6, 6, [[0, 0, 0, 1, 1, 1]] * 3 + [[2, 2, 2, 3, 3, 3]] * 3, [None] * 4)

    def drawn(seed):
        rng = np.random.default_rng(seed)
        return [random_answer(one, rng).tolist() for _ in range(3)]

    assert drawn(1) == drawn(1) != drawn(2)
    assert len({tuple(answer) for seed in range(10) for answer in drawn(seed)}) > 15


def test_a_state_that_is_none_is_refused():
    board = Heyawake(3, 3, [[0, 0, 1]] * 3, [None, None])
    for bad in (np.zeros(9, np.int8), np.full(9, 3, np.int8), np.ones(4, np.int8)):
        with pytest.raises(PuzzleError, match="fully decided"):
            search(board, 3, avoid=bad)
    for bad in (np.full(9, 3, np.int8), np.full(9, -1, np.int8), np.ones(4, np.int8)):
        with pytest.raises(PuzzleError, match="one value a cell"):
            deduce(board, "local", bad)
