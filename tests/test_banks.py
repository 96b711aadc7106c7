"""The committed boards: made as they say, with one answer, finished by the rung they were carved against."""

import json
from collections import Counter

import numpy as np
import pytest

from holdstill.core.ladder import finishes
from holdstill.core.search import search
from holdstill.lab.paths import project
from holdstill.puzzles import boards, heyawake, puzzlink, thermometers
from holdstill.puzzles.grade import address

MAKERS = {"heyawake": heyawake.generate, "thermometers": thermometers.generate}
SIZES = {"heyawake": (5, 6, 7, 8), "thermometers": (5, 6, 7, 8, 10)}
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
