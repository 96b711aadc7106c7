"""SAT against listing: every kind of constraint, hand-over from depth-first search, slices, time limits, Ctrl-C."""

import itertools
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from boards_for_tests import as_set, blocks_of, board, by_sat, every_state, holds, random_rules, small, table
from hypothesis import given, settings
from hypothesis import strategies as st

from holdstill.core import sat
from holdstill.core import search as searching
from holdstill.core.brute import answers
from holdstill.core.grid import SHADED, UNSHADED
from holdstill.core.model import at_least_one, between, connected, shaded, unshaded
from holdstill.core.search import Stopped, search
from holdstill.puzzles.heyawake import Heyawake


def listed(rows: int, cols: int, rules: list[tuple]) -> np.ndarray:
    every = every_state(rows * cols)
    return every[[all(holds(rule, state, cols) for rule in rules) for state in every]]


def test_a_small_model_of_every_kind_has_the_answers_of_listing():
    with_answers = without = 0
    for number in range(600):
        rng = np.random.default_rng([41, number])
        rows, cols = ((1, 2), (2, 3), (2, 4), (3, 3), (1, 7))[number % 5]
        rules = [rule for rule in random_rules(rows, cols, rng) if rng.random() < 0.7]
        expected = listed(rows, cols, rules) if rules else every_state(rows * cols)
        found = by_sat(small(rows, cols, blocks_of(rules or [("clause", ((0, 1), (0, 2)))])))
        assert len(found) == len(expected) and as_set(found) == as_set(expected), (number, rules)
        with_answers += len(expected) > 0
        without += len(expected) == 0
    assert min(with_answers, without) > 100, (with_answers, without)


@settings(derandomize=True, max_examples=400, deadline=None)
@given(st.integers(0, 1 << 30))
def test_counts_between_any_bounds(seed):
    # Cells in a row, some neighbours apart: these are counted as pairs.
    rng = np.random.default_rng(seed)
    cells, together = int(rng.integers(1, 12)), rng.choice([0, 0.5, 1])
    low, more = int(rng.integers(-1, cells + 2)), int(rng.integers(0, 5))
    apart = [(i, i + 1) for i in range(cells - 1) if rng.random() < together]
    decided = np.flatnonzero(rng.random(cells) < 0.05).tolist()
    blocks = [between("count", [list(range(cells))], [low], [low + more])]
    blocks += [at_least_one("apart", unshaded(apart))] if apart else []
    blocks += [at_least_one("decided", shaded([[i] for i in decided]))] if decided else []
    every = every_state(cells) == SHADED
    fits = (every.sum(axis=1) >= low) & (every.sum(axis=1) <= low + more) & every[:, decided].all(axis=1)
    for a, b in apart:
        fits &= ~(every[:, a] & every[:, b])
    assert as_set(by_sat(small(1, cells, blocks))) == as_set(every_state(cells)[fits])


@pytest.mark.parametrize("cells", [1, 7, 8, 9, 11])
def test_tables_of_any_size(cells):
    for seed in range(20):
        rng = np.random.default_rng([42, cells, seed])
        patterns = np.flatnonzero(rng.random(1 << cells) < rng.choice([0.02, 0.3, 0.9])).tolist()
        order = rng.permutation(cells).tolist()
        found = by_sat(small(1, cells, [table("table", [order], [patterns])]))
        assert len(found) == len(patterns)
        assert {sum((state[cell] == SHADED) << i for i, cell in enumerate(order)) for state in found} == set(patterns)


def test_a_region_of_either_colour_or_both():
    for rows, cols in itertools.product(range(1, 4), range(1, 5)):
        for colours in ((UNSHADED,), (SHADED,), (UNSHADED, SHADED)):
            rules = [("connected", colour) for colour in colours]
            blocks = [connected(f"region {colour}", colour) for colour in colours]
            found = by_sat(small(rows, cols, blocks))
            expected = listed(rows, cols, rules)
            assert len(found) == len(expected) and as_set(found) == as_set(expected), (rows, cols, colours)


@pytest.mark.parametrize("nodes", [1, 2, 5])
def test_sat_goes_on_where_depth_first_search_stops(monkeypatch, nodes):
    """Handed over after so many nodes, at any point of the tree, the two together find each answer once."""
    handed = []
    real = sat.answers
    monkeypatch.setattr(sat, "answers", lambda model, on, barred: handed.append(barred) or real(model, on, barred))
    for number in range(320):
        one = board(number)
        expected = answers(one)
        with monkeypatch.context() as patched:
            patched.setattr(searching, "NODES_A_SLICE", nodes)
            patched.setattr(searching, "NODES_AN_ANSWER", nodes / (len(expected) + 1))
            whole = search(one, len(expected) + 1)
            some = search(one, len(expected), store=2) if len(expected) else whole
            avoided = search(one, len(expected) + 1, avoid=expected[-1]) if len(expected) else whole
        assert whole.complete and as_set(whole.answers) == as_set(expected), f"board({number})"
        assert whole.count == len(whole.answers) == len(expected), f"board({number})"
        assert some.complete and some.count == len(expected) and as_set(some.answers) <= as_set(expected)
        assert len(some.answers) == min(2, len(expected))
        if len(expected):
            assert avoided.complete and avoided.count == len(expected) - 1
            assert as_set(avoided.answers) == as_set(expected) - {expected[-1].tobytes()}
    assert sum(len(barred) > 1 for barred in handed) > 100


def test_slices_change_nothing(monkeypatch):
    monkeypatch.setattr(sat, "CONFLICTS_A_SLICE", 1)
    monkeypatch.setattr(sat, "CLAUSES_A_SLICE", 3)
    for number in range(0, 200, 3):
        one = board(number)
        assert as_set(by_sat(one)) == as_set(answers(one)), f"board({number})"


HARD = Heyawake(12, 12, [[y // 4 * 3 + x // 4 for x in range(12)] for y in range(12)], [5] * 9)


def test_a_time_limit_ends_it_with_what_is_known(monkeypatch):
    """Whatever the moment, the answers so far are answers, and what is not complete does not say so."""
    found = []
    for ticks in range(0, 120, 3):
        clock = iter(itertools.count())
        monkeypatch.setattr(searching.time, "monotonic", lambda clock=clock: next(clock))
        found.append(search(HARD, 6, seconds=ticks))
        assert all(HARD.is_valid(answer) for answer in found[-1].answers)
        assert len(as_set(found[-1].answers)) == found[-1].count <= 6
        assert found[-1].complete == (found[-1].count == 6)
    counts = [one.count for one in found]
    assert counts == sorted(counts) and counts[0] == 0 and counts[-1] == 6 and len(set(counts)) > 2, counts


@pytest.mark.parametrize("after", [0, 1, 4, 20])
def test_ctrl_c_ends_it_with_what_is_known(monkeypatch, after):
    real = sat.answers

    def interrupted(*arguments):
        for number, answer in enumerate(real(*arguments)):
            if number == after:
                raise KeyboardInterrupt
            yield answer

    monkeypatch.setattr(sat, "answers", interrupted)
    with pytest.raises(Stopped) as caught:
        search(HARD, 1000)
    found = caught.value.found
    assert not found.complete and found.count == len(found.answers) == len(as_set(found.answers))
    assert all(HARD.is_valid(answer) for answer in found.answers)
    assert isinstance(caught.value, KeyboardInterrupt) and (after < 20 or found.count)


def test_ctrl_c_in_the_middle_of_the_solver():
    """A real signal, most likely taken while CaDiCaL works, ends in KeyboardInterrupt and nothing else."""
    code = """
import signal
from boards_for_tests import by_sat
from holdstill.puzzles.heyawake import Heyawake
signal.signal(signal.SIGINT, signal.default_int_handler)
crowded = Heyawake(20, 20, [[0] * 20] * 20, [160])
by_sat(crowded)
try:
    print("working", flush=True)
    while True:
        by_sat(crowded)
except KeyboardInterrupt:
    print("stopped")
"""
    where = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", code], env=where, stdout=-1, stderr=-1, text=True) as working:
        assert working.stdout.readline() == "working\n", working.stderr.read()
        time.sleep(0.2)
        working.send_signal(signal.SIGINT)
        out, told = working.communicate()
    assert (out, working.returncode) == ("stopped\n", 0), told
