"""How time is split up and how growth is fitted; no time is asserted but that parts add up to a whole's order."""

import math
import os
import sys

import numpy as np
import pytest

from holdstill.core import sat
from holdstill.core.search import search
from holdstill.lab.intervals import power_law
from holdstill.lab.studies import performance as studies
from holdstill.puzzles import heyawake
from holdstill.puzzles.grade import grade


@pytest.mark.parametrize("seed", range(20))
def test_the_exponent_is_numpys(seed):
    rng = np.random.default_rng(seed)
    xs = rng.integers(2, 200, 30)
    ys = np.exp(rng.normal(size=30)) * xs ** rng.normal()
    fit = power_law(xs, ys)
    assert fit.value == pytest.approx(np.polyfit(np.log(xs), np.log(ys), 1)[0], abs=1e-9)
    assert fit.n == 30 and fit.low < fit.value < fit.high


def test_a_power_law_without_noise_is_found_exactly():
    xs = np.array([25, 36, 49, 64, 100])
    assert power_law(xs, 0.003 * xs**2.5) == pytest.approx((2.5, 5, 2.5, 2.5))


def test_the_interval_holds_the_exponent_where_the_spread_grows():
    rng, held = np.random.default_rng(7), 0
    xs = np.repeat([25.0, 49.0, 100.0, 196.0], 25)
    for _ in range(400):
        ys = xs**1.7 * np.exp(rng.normal(size=len(xs)) * np.log(xs) / 4)
        fit = power_law(xs, ys)
        held += fit.low <= 1.7 <= fit.high
    assert held / 400 > 0.97


@pytest.mark.parametrize("puzzle", ["heyawake", "tapa", "thermometers", "araf"])
def test_the_layers_add_up_to_the_order_of_the_whole(puzzle):
    row = studies.layers(studies.banked(puzzle, 1)[-1], 3)
    parts = [row[layer] for layer in studies.LAYERS]
    assert min(parts) >= 0 and row["whole"] > 0
    assert row["whole"] / 10 < sum(parts) < 10 * row["whole"]
    assert puzzle in ("heyawake", "tapa") or row["connectivity"] == 0


def test_a_second_walk_changes_no_answer():
    for board in studies.banked("heyawake", 4):
        twice = heyawake.Heyawake(board.rows, board.cols, board.rooms, board.clues)
        twice.__dict__["model"] = board.model._replace(connected=np.repeat(board.model.connected, 2))
        assert (search(twice, 5).answers == search(board, 5).answers).all()


def test_sat_is_clocked_and_left_as_it_was():
    board, plain = studies.banked("heyawake", 1)[-1], sat.answers
    with studies.sat_clocked() as spent:
        found = list(sat.answers(board.model, np.ones(len(board.model.kind), bool)))
    assert len([one for one in found if one is not None]) == 1 and spent[0] > 0
    assert sat.answers is plain


def test_a_floor_is_a_part_of_what_is_there():
    board = studies.banked("tapa", 1)[0]
    row = studies.floor(board, 10)
    assert row["literals"] == len(board.model.literals) and row["bytes"] > 4 * row["literals"]
    assert studies.floor(studies.banked("araf", 1)[0], 10)["literals"] == 0
    literals, state = np.array([0, 3, 5, 5], np.int32), np.array([1, 5, 7], np.int8)
    # cell 0 is 0 in the first pass and 1 in the second
    assert studies._sweep_kernel(literals, state, 2) == (0 + 5 + 7 + 7) + (1 + 5 + 7 + 7)


def test_boards_by_size_are_the_generators_own():
    table = studies.by_size("tapa", [4, 5], 3)
    assert table["size"].tolist() == [4, 4, 4, 5, 5, 5] and (table[["make", "solve", "grade"]] > 0).all().all()
    again = [studies.GENERATE["tapa"](n, n, np.random.default_rng(i)).board for n in (4, 5) for i in range(3)]
    assert table["board"].tolist() == again
    assert [grade(board)["answers"] for board in again] == [1] * 6


def test_rates_are_of_rows_that_were_computed(monkeypatch):
    monkeypatch.setenv("HOLDSTILL_SHARDS", "sentinel")
    assert 0 < studies.rate(studies.cheap_row, 300, {}) < math.inf
    assert os.environ["HOLDSTILL_SHARDS"] == "sentinel"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_that_of_the_process_that_goes_through_the_rows():
    much = np.ones(100_000_000, np.int64)  # which this process has, and the other one has not
    assert 20 < studies.peak_memory(100) < much.nbytes / 1.5 / 2**20
