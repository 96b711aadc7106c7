"""Araf's rigidity: causes by the judge, zeros that can fail, estimates beside a bootstrap."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from holdstill.lab import ledger
from holdstill.lab.intervals import Z
from holdstill.lab.studies import araf_rigidity as studies
from holdstill.lab.studies.araf import committed, donation_counts, donations, rooms_of, tightened, trade_counts
from holdstill.lab.study import row_at, run
from holdstill.puzzles.araf import PLACES, Araf, tight_board

BANK = committed()


def drawn(count, rng):
    """Columns of `studies.FIGURES` and what the shares are made of, at random, by size."""
    tables = {}
    for size in studies.BANK:
        table = pd.DataFrame({name: rng.poisson(20 + size, count) for name in studies.TOTALS | studies.MEANS})
        table["trades"] = table.donations // 3 + rng.poisson(2, count)
        table["by_either"] = rng.binomial(table.broken, 0.5)
        table["by_connectivity"] = table.broken - table.by_either
        table["by_arithmetic"] = rng.poisson(5, count)
        table["tight_cell"], table["cell"] = rng.random(count) < 0.5, False
        tables[size] = table
    return tables


@pytest.mark.parametrize("board, answer", BANK[::9])
def test_what_forbids_a_donation_as_the_judge_says(board, answer):
    """Each donation made: with connectivity alone, or arithmetic alone, left out of the judge's verdict."""
    found = {"by_connectivity": 0, "by_either": 0, "by_arithmetic": 0, "by_none": 0}
    for one in donations(board, answer):
        other = answer.copy()
        other[one.cell] = one.taker
        bits = int(board.broken(other[None])[0])
        found[{1: "by_connectivity", 5: "by_either", 4: "by_arithmetic", 0: "by_none"}[bits]] += 1
    counts = studies.perturbation_counts(board, answer)
    assert {name: counts[name] for name in found} == found
    assert counts["by_connectivity"] + counts["by_either"] == counts["broken"] and counts["by_none"] == counts["legal"]


@pytest.mark.parametrize("board, answer", BANK[::9])
def test_the_values_of_the_numbers_do_not_move_the_share(board, answer):
    tight = tightened(board, answer)
    assert tight.at == board.at and tight.is_valid(answer) and tightened(tight, answer) == tight
    assert all(low == high == len(cells) for cells, low, high in rooms_of(tight, answer).values())
    before, after = (studies.perturbation_counts(one, answer) for one in (tight, board))
    assert all(before[name] == after[name] for name in ("donations", "broken", "trades", "trades_legal"))
    assert before["by_connectivity"] == before["by_none"] == 0 < after["by_connectivity"]


@pytest.mark.parametrize("board, answer", BANK[::9])
def test_steps_between_the_numbers_of_a_room(board, answer):
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(board.rows, board.cols), ordering="sorted")
    steps = []
    for cells, _, _ in rooms_of(board, answer).values():
        steps.append(nx.shortest_path_length(grid.subgraph(cells), *cells.intersection(board.at)))
    assert studies.mean_steps(board, answer) == pytest.approx(np.mean(steps))


@pytest.mark.parametrize("rooms", studies.ROOMS)
@pytest.mark.parametrize("place", PLACES)
def test_numbers_stand_where_the_placement_says(rooms, place):
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(6, 6), ordering="sorted")
    seen = set()
    for seed in range(12):
        board, answer = tight_board(6, 6, np.random.default_rng(seed), rooms=studies.ROOMS[rooms], place=place)
        for cells, _, _ in rooms_of(board, answer).values():
            one, two = sorted(cells.intersection(board.at))
            steps = dict(nx.all_pairs_shortest_path_length(grid.subgraph(cells)))
            square = {(a, b): (a // 6 - b // 6) ** 2 + (a % 6 - b % 6) ** 2 for a in cells for b in cells}
            most = max(max(row.values()) for row in steps.values())
            seen.add(steps[one][two])
            assert {
                "any": True,
                "near": steps[one][two] == 1,
                "apart": steps[one][two] > 1 or most == 1,
                "ends": (one, two) == (min(cells), max(cells)),
                "straight": square[one, two] == max(square.values()),
                "far": steps[one][two] == most,
            }[place]
    assert len(seen) > 2 or place == "near"


def test_the_zeros_can_fail_and_do_only_where_a_board_has_two_answers():
    seen = run(studies.zeros_row, 60, {"size": 5, "widenings": 6})
    assert seen.one_unique.all() and not seen[["one_donations", "one_trades"]].any(axis=None)
    # A tight board pins every size, and widening takes nothing apart: each kind of move needs its own way out.
    assert not seen.any_donations.any() and not seen.one_wide_trades.any()
    assert seen.one_wide_donations.sum() > 10 and seen.any_trades.sum() > 5 and seen.any_wide_donations.sum() > 10
    for kind in ("one", "one_wide", "any", "any_wide"):
        moved = (seen[f"{kind}_donations"] > 0) | (seen[f"{kind}_trades"] > 0)
        assert not (moved & seen[f"{kind}_unique"]).any()


@pytest.mark.parametrize("figure", ["donations", "tight_cell", "kept", *studies.SHARES])
def test_intervals_beside_a_bootstrap(figure):
    tables, rng = drawn(60, np.random.default_rng(1)), np.random.default_rng(2)
    ours, again = studies.of_bank(tables, figure), []
    for _ in range(150):
        again.append(studies.of_bank({n: one.iloc[rng.integers(0, 60, 60)] for n, one in tables.items()}, figure).value)
    assert ours.value == pytest.approx(np.mean(again), abs=0.4 * np.std(again))
    assert (ours.high - ours.value) / Z == pytest.approx(np.std(again), rel=0.2)
    few = studies.of_bank({n: one.iloc[:30] for n, one in tables.items()}, figure)
    assert studies.bank_error(figure, few) == pytest.approx(studies.bank_error(figure, ours), rel=0.3)


def test_none_seen_is_not_none_possible():
    assert studies.bank_error("cell", studies.of_bank(drawn(24, np.random.default_rng(1)), "cell")) > 1


def test_a_bank_drawn_from_these_boards_is_near_them():
    """Overall distances of fresh banks of 72 boards, from a large pool, have the spread that `own_banks` says."""
    rng = np.random.default_rng(3)
    pool = drawn(3000, rng)
    own, fresh = studies.own_banks(pool, 400, rng), []
    ours = {figure: studies.of_bank(pool, figure) for figure in studies.FIGURES}
    for _ in range(100):
        bank = drawn(24, rng)
        fresh.append(
            studies.overall(
                [studies.distance(name, one, studies.of_bank(bank, name).value) for name, one in ours.items()]
            )
        )
    assert np.mean(fresh) == pytest.approx(own.mean(), rel=0.1) and 0.7 < own.mean() < 1.1
    for table in bank.values():
        table["donations"] += 6
    assert abs(studies.distance("donations", ours["donations"], studies.of_bank(bank, "donations").value)) > 5


def test_the_bank_counts_as_its_boards_do():
    rows = pd.DataFrame([studies.bank_row(board, answer) for board, answer in BANK])
    assert rows["size"].value_counts().to_dict() == studies.BANK
    tables = {size: rows[rows["size"] == size] for size in studies.BANK}
    for column, counts in {"broken": donation_counts, "trades": trade_counts}.items():
        assert studies.of_bank(tables, column).value == sum(counts(*one)[column] for one in BANK)
    share = 100 * (rows.broken + rows.trades).sum() / (rows.donations + rows.trades).sum()
    assert studies.of_bank(tables, "share").value == pytest.approx(share)
    parts = [studies.of_bank(tables, name).value for name in ("connectivity", "either", "arithmetic")]
    assert sum(parts) == pytest.approx(100) and parts[0] + parts[1] == pytest.approx(share)


def test_each_figure_is_a_claim():
    assert set(studies.FIGURES.values()) <= set(ledger.claims())


@pytest.mark.parametrize("name", studies.CHOICES)
def test_each_choice_makes_boards(name):
    params = {"size": 5, **studies.CHOICES[name]}
    row = row_at(studies.choice_row, 0, params)
    assert set(studies.TOTALS) | set(studies.MEANS) <= set(row) and row == row_at(studies.choice_row, 0, params)
    assert row["legal"] == row["trades_legal"] == row["weak_lemma"] == 0


def test_a_count_of_one_is_a_number():
    """Parquet tells True from 1, and a shard with both cannot be written."""
    board = Araf(3, 3, [[1, None, 4], [1, 1, 1], [3, 3, 3]])
    counts = studies.perturbation_counts(board, np.array([1, 1, 1, 2, 3, 4, 2, 3, 4], np.int32))
    assert counts["donations"] == counts["broken"] == counts["by_either"] + counts["by_connectivity"] == 1
    assert all(type(count) is int for count in counts.values())


def test_tight_rows():
    table = run(studies.tight_row, 20, {"size": 5, "place": "apart", "rooms": "scattered"})
    assert not table[["legal", "trades_legal", "free_legal", "by_connectivity"]].any(axis=None)
    assert table.free_trades_legal.any() and (table.steps > 1).all()
