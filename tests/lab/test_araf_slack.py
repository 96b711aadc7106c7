"""Araf's slack: widenings at random and checked, by the engine that has no screens."""

import json

import numpy as np
import pytest

from holdstill.lab.studies.araf import random_widenings, slack_counts, tightened, widened
from holdstill.lab.studies.araf_slack import (
    CEILING,
    WAYS,
    WIDENINGS,
    accident_row,
    dial_row,
    half_life,
    unique,
    widen,
    widen_row,
    wider,
)
from holdstill.lab.study import run
from holdstill.puzzles.araf import generate, tight_board
from holdstill.puzzles.araf_unscreened import answers_unscreened


@pytest.mark.parametrize("way", WAYS)
def test_a_way_draws_what_it_says(way):
    for seed in range(20):
        board, answer = tight_board(5, 5, np.random.default_rng([1, seed]))
        order = random_widenings(board, answer, 60, CEILING, np.random.default_rng(seed), way)
        steps = [place for place in order if place >= 0]
        room, low = answer[list(board.at)], board.values < np.bincount(answer)[answer[list(board.at)]]
        wide = widened(board, answer, order)
        assert (abs(wide.values - board.values) == np.bincount(steps, minlength=len(low))).all()
        assert wide.values.min() >= 1 and wide.values.max() <= CEILING and wide.is_valid(answer)
        assert (way == "wasted") == (len(steps) < len(order))
        if way in ("floors", "ceilings"):
            assert {bool(low[place]) for place in steps} == {way == "floors"}
        if way == "floors":
            assert len(steps) == (board.values[low] - 1).sum()
        if way in ("once", "windows"):
            # nobody has a second turn while somebody who could move has had none
            turns = {place: room[place] if way == "windows" else place for place in range(len(low))}
            movable = {turns[place] for place in range(len(low)) if not low[place] or board.values[place] > 1}
            taken = [turns[place] for place in steps[: len(movable)]]
            assert set(taken) == movable


def test_uniqueness_is_that_of_the_engine_without_screens():
    seen = {True: 0, False: 0}
    for seed in range(300):
        rng = np.random.default_rng([2, seed])
        board, answer = tight_board(4, 5, rng)
        board = widened(board, answer, random_widenings(board, answer, seed % 7, CEILING, rng))
        assert unique(board) == (len(answers_unscreened(board, 2)) == 1)
        seen[unique(board)] += 1
    assert min(seen.values()) > 20


@pytest.mark.parametrize("name", WIDENINGS)
def test_each_choice_ends_in_a_local_maximum(name):
    """Of its own bounds: the answer stays alone, and does not when any number moves one step more."""
    choice = WIDENINGS[name]
    ceiling, reach = choice.get("ceiling", CEILING), choice.get("reach", 99)
    refused = 0
    for seed in range(3):
        made = generate(4, 5, np.random.default_rng([3, seed]), widest=0)
        board, tried, kept = widen(made.tight, made.answer, np.random.default_rng(seed), **choice)
        assert len(answers_unscreened(board, 2)) == 1 and board.is_valid(made.answer)
        assert tightened(board, made.answer) == made.tight
        assert abs(board.values - made.tight.values).sum() == kept <= tried
        size = np.bincount(made.answer)[made.answer[list(board.at)]]
        assert board.values.max() <= ceiling and abs(board.values - size).max() <= reach
        for other in wider(board, made.answer, ceiling):
            if abs(other.values - size).max() <= reach:
                assert len(answers_unscreened(other, 2)) == 2
                refused += 1
    assert refused > 5


def test_orders_are_what_they_say():
    above = dict.fromkeys(("floors", "passes", "ceilings"), 0)
    for seed in range(8):
        made = generate(5, 5, np.random.default_rng([4, seed]), widest=0)
        for order in above:
            board, _, _ = widen(made.tight, made.answer, np.random.default_rng(0), order=order)
            above[order] += slack_counts(board, made.answer)["above"]
    assert above["floors"] > above["passes"] > above["ceilings"]


def test_wider_boards_differ_by_one_step():
    made = generate(5, 5, np.random.default_rng(5))
    assert tightened(made.board, made.answer) == made.tight
    moved = [np.abs(other.values - made.board.values) for other in wider(made.board, made.answer)]
    assert len(moved) > 3 and {one.sum() for one in moved} == {1}
    assert len({int(one.argmax()) for one in moved}) == len(moved)


def test_the_half_life_lies_between_two_steps():
    assert half_life([0, 1, 3], [100, 90, 10]) == 2 and half_life([0, 1], [100, 50]) == 1


@pytest.mark.parametrize(
    "row, params",
    [
        (dial_row, {"size": 5, "steps": [0, 4, 8], "ways": ["floors", "wasted"], "way_steps": [0, 4]}),
        (widen_row, {"size": 5, "choices": ["ceiling_6", "draws"], "draws": 3}),
        (accident_row, {"size": 4, "steps": [0, 40], "cap": 5}),
    ],
)
def test_rows_are_rows_of_a_study(row, params):
    table = run(row, 12, params)
    assert len(table) == 12 and json.loads(table.to_json(orient="records"))
    if row is dial_row:
        assert table[["free_0", "floors_0", "wasted_0"]].all(axis=None) and not table.free_8.all()
    if row is widen_row:
        assert (table.above + table.below == table.kept).all() and table.as_kept.between(0, 3).all()
        assert (table.ceiling_6_above + table.ceiling_6_below == table.ceiling_6_kept).all()
        assert (table.ceiling_6_kept < table.kept).mean() > 0.5
    if row is accident_row:
        assert table.intended.all() and table[["answers_0", "answers_40"]].isin(range(1, 6)).all(axis=None)
        assert (table.answers_0 == 1).any() and (table.answers_40 > 1).sum() > 6
