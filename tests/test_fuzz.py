"""20,000 mutated addresses and JSON boards: each gives a board or a refusal of one line, and nothing else."""

import json
import random
import resource

import pytest

from holdstill.core.grid import PuzzleError
from holdstill.lab.paths import project
from holdstill.puzzles.boards import PUZZLES, read, to_json
from holdstill.puzzles.puzzlink import decode, encode

MEGABYTE = 1024  # in the units of ru_maxrss


@pytest.fixture(scope="module")
def made():
    """Boards of the banks, small and large, of every puzzle."""
    lines = [project().bank(puzzle).read_text(encoding="utf-8").splitlines() for puzzle in PUZZLES]
    return [json.loads(line) for bank in lines for line in bank[:: max(1, len(bank) // 12)]]


def mutated(text: str, alphabet: str, start: int, rng: random.Random) -> str:
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(min(start, len(text)), len(text) + 1)
        gone, new = rng.choice((0, 1, 1, 4)), rng.choices(alphabet, k=rng.choice((0, 1, 1, 3)))
        text = text[:at] + "".join(new) + text[at + gone :]
    return text


def tried(texts) -> int:
    """How many are boards still: those compile, and come back from what they are written as."""
    boards, before = 0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for text in texts:
        try:
            board = read(text)
        except PuzzleError as error:
            assert "\n" not in str(error) and len(str(error)) < 300, text
        else:
            boards += 1
            assert read(to_json(board)) == board, text
            if not text.startswith("{"):
                assert decode(encode(board)) == board, text
            if hasattr(board, "model"):
                board.model
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 * MEGABYTE
    return boards


def test_mutated_addresses_give_a_board_or_a_refusal(made):
    rng = random.Random(5)
    seeds = [one["url"] for one in made if one["url"]]
    alphabet = "0123456789abcdefghijklmnopqrstuvwxyz-+=%*$./?:# \n٣é"
    boards = tried(mutated(rng.choice(seeds), alphabet, 15, rng) for _ in range(10_000))
    print(f"10000 mutated addresses, {boards} still boards")
    assert 300 < boards < 9700


def test_mutated_json_gives_a_board_or_a_refusal(made):
    rng = random.Random(7)
    seeds = [json.dumps(one["board"]) for one in made] + [json.dumps(one) for one in made]
    alphabet = '0123456789[]{},:"-.eE ntrufalse\n٣é'
    boards = tried(mutated(rng.choice(seeds), alphabet, 0, rng) for _ in range(10_000))
    print(f"10000 mutated JSON boards, {boards} still boards")
    assert 300 < boards < 9700
