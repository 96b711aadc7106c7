"""The shelf: boards of the committed banks, easy to hard, to be played and replayed on the site."""

import json
from collections import defaultdict

from holdstill.lab.paths import project
from holdstill.lab.player_data import payload
from holdstill.puzzles.boards import Board, from_json
from holdstill.puzzles.engines import engine

LEAST = 6  # boards a puzzle


def chosen(puzzle: str) -> list[tuple[str, Board]]:
    """At least six boards of a puzzle's banks by the first rung that finishes them, small to large within a rung.

    Of each rung, and of the smallest, the middle and the largest size that it is first to finish, the first board in
    the bank; where these are fewer than six, the second of each too, and so on.
    """
    shelves = defaultdict(lambda: defaultdict(list))
    for bank in sorted(project().bank(puzzle).parent.glob(f"{puzzle}*.jsonl")):
        for line in bank.read_text(encoding="utf-8").splitlines():
            board = from_json(json.loads(line)["board"])
            rung = next((rung for rung in board.RUNGS if engine(board).finishes(board, rung)), None)
            if rung is not None:
                shelves[rung][board.rows].append(board)
    rungs = sorted(shelves, key=list(board.RUNGS).index)
    for depth in range(1, 1 + max(len(boards) for sizes in shelves.values() for boards in sizes.values())):
        taken = []
        for rung in rungs:
            sizes = sorted(shelves[rung])
            for size in dict.fromkeys((sizes[0], sizes[len(sizes) // 2], sizes[-1])):
                taken += [(rung, board) for board in shelves[rung][size][:depth]]
        if len(taken) >= LEAST:
            break
    return taken


def shelf(puzzle: str) -> list[dict]:
    """The payloads of the chosen boards, with the steps of the rung each is under."""
    return [payload(board, steps=True) for _, board in chosen(puzzle)]
