"""Boards that people published: the answers that an independent solver found, and another program's verdicts."""

import json
from itertools import islice
from pathlib import Path

import pytest

from holdstill.core import sat
from holdstill.core.grid import PuzzleError
from holdstill.core.model import active
from holdstill.core.search import every_rule
from holdstill.puzzles import boards, puzzlink
from holdstill.puzzles.engines import engine
from holdstill.puzzles.grade import grade

CORPUS = Path(__file__).parents[2] / "shared" / "corpus"
RULE = {
    "heyawake": {"csAdjacent": "touching", "cuDivideRB": "white", "bkShadeNe": "rooms", "bkUnshadeConsecGt3": "spans"},
    "tapa": {"cs2x2": "square", "ceTapaNe": "rings", "csDivide": "wall"},
    "araf": {
        "bkArafEqual": "size",
        "bkArafTooSmall": "size",
        "bkArafTooBig": "size",
        "bkMoreThan2Num": "two",
        "bkLessThan2Num": "two",
    },
}


def corpus(name: str, puzzle: str) -> list[dict]:
    path = CORPUS / name
    if not path.is_file():
        pytest.skip(f"the corpus of published boards is absent: no {name} beside the project, 0 boards tried")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["puzzle"] == puzzle]


@pytest.mark.parametrize("puzzle, least", [("heyawake", 22), ("tapa", 27), ("araf", 10)])
def test_published_boards_have_the_known_answer(puzzle, least, capsys):
    tried, unique, refused = 0, 0, []
    for row in corpus("boards.jsonl", puzzle):
        try:
            board = puzzlink.decode(row["url"])
        except PuzzleError:
            assert row["unique"] is None, row["id"]  # nonsense: only has to be read or refused
            refused.append(row["id"])
            continue
        tried += 1
        found = engine(board).search(board, 2)
        assert found.complete and all(board.is_valid(answer) for answer in found.answers), row["id"]
        graded = grade(board)
        assert graded["answers"] == found.count, row["id"]
        if row["unique"] is not None:
            assert found.count == (1 if row["unique"] else 2), row["id"]
        if row["unique"]:
            unique += 1
            assert boards.answer_rows(found.answers[0], board.cols) == row["answer"], row["id"]
        if puzzle != "araf":
            on = active(board.model, tuple(board.RULES), every_rule(board))
            alone = (answer for answer in sat.answers(board.model, on) if answer is not None)
            assert len(list(islice(alone, 2))) == found.count, row["id"]
    with capsys.disabled():
        print(f"\ncorpus: {tried} {puzzle} boards tried, {unique} proved unique, {len(refused)} refused as nonsense")
    assert tried >= least and unique >= least - 3


@pytest.mark.parametrize("puzzle", list(RULE))
def test_judged_boards_get_the_same_verdict(puzzle, capsys):
    tried, odd = 0, 0
    for row in corpus("judged.jsonl", puzzle):
        try:
            board = puzzlink.decode(row["url"])
        except PuzzleError as error:
            assert puzzle == "araf" and "in all" in str(error) and not row["solved"], row["id"]
            odd += 1
            continue
        tried += 1
        labels = board.rows * board.cols if puzzle == "araf" else 2
        broken = int(board.broken(boards.answer_state(row["state"], labels)[None])[0])
        names = [rule for bit, rule in enumerate(board.RULES) if broken >> bit & 1]
        assert (not names) == row["solved"], row["id"]
        assert row["solved"] or RULE[puzzle][row["expected_error"]] in names, (row["id"], names)
    with capsys.disabled():
        print(f"\ncorpus: {tried} judged {puzzle} boards tried, {odd} refused for an odd count of numbers")
    assert tried > 4
