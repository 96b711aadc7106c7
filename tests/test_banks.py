"""The committed boards: made as they say, with one answer, finished by the rung they were carved against."""

import json
from collections import Counter

import numpy as np
import pytest
from exact_cover import exact_covers

from holdstill.core.ladder import finishes
from holdstill.core.search import search
from holdstill.lab.paths import project
from holdstill.puzzles import araf, araf_rungs, araf_search, boards, heyawake, puzzlink, tapa, thermometers
from holdstill.puzzles.grade import address

MAKERS = {"heyawake": heyawake.generate, "tapa": tapa.generate, "thermometers": thermometers.generate}
SIZES = {"heyawake": (5, 6, 7, 8), "tapa": (4, 5, 6, 7, 8, 9), "thermometers": (5, 6, 7, 8, 10)}
LINES = [json.loads(line) for puzzle in MAKERS for line in project().bank(puzzle).read_text().splitlines()]


def test_there_are_sixty_boards_of_each_size():
    sizes = Counter((line["puzzle"], line["board"]["rows"], line["board"]["cols"]) for line in LINES)
    assert all(sizes[puzzle, size, size] >= 60 for puzzle, wanted in SIZES.items() for size in wanted)
    assert len({json.dumps(line["board"]) for line in LINES}) == len(LINES)


def test_each_has_the_one_answer_it_says():
    for line in LINES:
        board = boards.from_json(line["board"])
        found = search(board, 2)
        assert found.count == 1 and boards.answer_rows(found.answers[0], board.cols) == line["answer"], line
        assert line["url"] == address(board) and (line["url"] is None or puzzlink.decode(line["url"]) == board)
        assert line["rung"] is None or finishes(board, line["rung"]), line


@pytest.mark.parametrize(
    "line", LINES[::13], ids=lambda line: f"{line['puzzle']}-{line['board']['rows']}-{line['rung']}-{line['seed']}"
)
def test_its_seed_makes_it_again(line):
    rows, cols = line["board"]["rows"], line["board"]["cols"]
    made = MAKERS[line["puzzle"]](rows, cols, np.random.default_rng(line["seed"]), rung=line["rung"])
    assert made.board == boards.from_json(line["board"])


ARAF = [json.loads(line) for line in project().bank("araf").read_text().splitlines()]


def wider(board, answer):
    """The board with one number widened by one, for each that stays within 1 to 7."""
    label = np.ravel(answer)
    size = np.bincount(label)[label]
    for cell in board.at:
        y, x = divmod(cell, board.cols)
        number = board.numbers[y][x] + (1 if board.numbers[y][x] > size[cell] else -1)
        if 1 <= number <= 7:
            numbers = [list(row) for row in board.numbers]
            numbers[y][x] = number
            yield araf.Araf(board.rows, board.cols, numbers)


def test_araf_boards_are_unique_and_no_number_can_be_widened():
    """By the search for each, and by exact covers for each board and, for every sixth, each widening."""
    widenings = 0
    for index, line in enumerate(ARAF):
        board = boards.from_json(line["board"])
        found = araf_search.search(board, 2)
        assert found.count == 1 and boards.answer_rows(found.answers[0], board.cols) == line["answer"], line["url"]
        assert board.is_valid(boards.answer_state(line["answer"], labels=64)) and len(exact_covers(board, 2)) == 1
        assert puzzlink.decode(line["url"]) == board
        for other in wider(board, line["answer"]):
            assert araf_search.search(other, 2).count == 2, other
            assert index % 6 or len(exact_covers(other, 2)) == 2, other
            widenings += 1
    assert widenings > 500 and len({line["url"] for line in ARAF}) == len(ARAF)
    assert Counter((line["board"]["rows"], line["board"]["cols"]) for line in ARAF) == {(n, n): 24 for n in (6, 7, 8)}


def test_araf_boards_need_ration():
    finished = Counter(rung for line in ARAF for rung in araf.Araf.RUNGS if _finishes(line, rung))
    assert finished["pair"] == 0 and finished["cell"] < finished["ration"] and finished["ration"] > 60, finished


def _finishes(line, rung):
    return araf_rungs.finishes(boards.from_json(line["board"]), rung)


@pytest.mark.parametrize("line", ARAF[::9], ids=lambda line: f"{line['board']['rows']}-{line['seed']}")
def test_an_araf_seed_makes_its_board_again(line):
    made = araf.generate(line["board"]["rows"], line["board"]["cols"], np.random.default_rng(line["seed"]))
    assert puzzlink.encode(made.board) == line["url"]


def test_the_small_araf_boards_are_made_against_cell():
    lines = [json.loads(line) for line in project().bank("araf_cell").read_text().splitlines()]
    assert len({line["url"] for line in lines}) == 12
    for line in lines:
        board = boards.from_json(line["board"])
        covers = exact_covers(board, 2)
        assert len(covers) == 1 and line["rung"] == "cell" and _finishes(line, "cell")
        assert board.is_valid(boards.answer_state(line["answer"], labels=64))
        made = araf.generate(board.rows, board.cols, np.random.default_rng(line["seed"]), rung="cell")
        assert made.board == board and puzzlink.decode(line["url"]) == board
