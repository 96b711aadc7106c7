"""A board as the data that the player (`player.js`) draws, edits and judges by: plain lists, ready for JSON."""

import re
from pathlib import Path

import numpy as np

from holdstill.core.model import CLAUSE, CONNECTED, COUNT, TABLE, Block
from holdstill.core.reasons import Reason
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.boards import PUZZLES, Board, to_dict
from holdstill.puzzles.engines import engine
from holdstill.puzzles.grade import address
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.tapa import Tapa
from holdstill.puzzles.thermometers import Thermometers

# What a rule asks of a grid, as it is said beside a mark; the rules not named here say it in RULES.
WORDS = {
    Heyawake: {
        "rooms": "a room holds as many shaded cells as its number says",
        "spans": "no line of unshaded cells crosses two walls",
    },
    Tapa: {
        "square": "no 2x2 is all shaded",
        "rings": "the runs of shaded cells round a clue are as long as it says",
        "wall": "the shaded cells stay connected",
    },
    Thermometers: {"counts": "a line holds as many filled cells as its count says"},
    Araf: {"whole": "a wall parts two rooms"},
}


HERE = Path(__file__).parent
STYLE, KERNEL = HERE / "player.css", HERE / "player_kernel.js"


def script(*more: Path) -> str:
    """The player as one module, since a page from a folder may not import: its rules, itself, further modules.

    >>> "import" in script(), "kernelPanel" in script(KERNEL)
    (False, True)
    """
    texts = (path.read_text(encoding="utf-8") for path in (HERE / "player_rules.js", HERE / "player.js", *more))
    return "\n".join(re.sub(r"^import .*\n\n?", "", text, flags=re.MULTILINE) for text in texts)


def payload(board: Board, steps: bool = False) -> dict:
    """What the player needs of a board: its size, drawing, rules, rungs and address; `steps` adds explained steps.

    `draw` holds walls as pairs of cells, clues with their cells, tubes and counts. `rules` are the constraints of the
    strongest rung: a page that finds none of them broken in a decided grid knows that the grid is an answer. `steps`
    are those of the first rung that finishes the board, under its name; no rung, no steps.

    >>> small = payload(Heyawake(1, 3, [[0, 1, 2]], [1, None, 1]), steps=True)
    >>> small["draw"], small["rules"][0]["lists"]
    ({'walls': [[0, 1], [1, 2]], 'clues': [[0, '1'], [2, '1']]}, [[0, 2], [2, 4]])
    >>> [(step["cells"], step["value"], step["reason"]) for step in small["steps"]["local"]]
    [([0], 2, []), ([2], 2, []), ([1], 1, [0])]
    """
    made = {
        "puzzle": to_dict(board)["puzzle"],
        "rows": int(board.rows),
        "cols": int(board.cols),
        "draw": _DRAWN[type(board)](board),
        "rules": _rooms(board) if isinstance(board, Araf) else _rules(board),
        "rungs": list(board.RUNGS),
        "url": address(board),
        "puzzles": {name: list(puzzle.RUNGS) for name, puzzle in PUZZLES.items()},
    }
    if steps:
        solver = engine(board)
        finishing = (rung for rung in board.RUNGS if solver.finishes(board, rung))
        made["steps"] = {rung: [step_data(step) for step in solver.minimal(board, rung)] for rung in [*finishing][:1]}
    return made


def step_data(reason: Reason) -> dict:
    """A step with its reason as the player shows it.

    `cells` are what it fixes, `reason` the decided cells that force it, `places` the cells of the constraint that
    fired; `chain` is there where the reason has one.
    """
    step = reason.step
    shown = {
        "cells": list(step.cells),
        "value": int(step.value),
        "rule": step.rule,
        "reason": list(reason.cells),
        "places": list(step.places),
        "text": f"{step.text}, because {reason.because}" if reason.because else step.text,
    }
    return shown | ({"chain": [step_data(link) for link in reason.chain]} if reason.chain else {})


def _rules(board) -> list[dict]:
    """The constraints of the strongest rung, a rule an entry: literals of a clause, cells of a count or table."""
    chosen = list(board.RUNGS.values())[-1].rules
    blocks = [block for block in board.constraints() if block.rule in chosen and len(block.lists.starts) > 1]
    words = WORDS.get(type(board), {})
    return [
        {"name": block.rule, "words": words.get(block.rule, board.RULES[block.rule])} | _block(block)
        for block in blocks
    ]


def _block(block: Block) -> dict:
    flat, starts = (part.tolist() for part in block.lists)
    lists = [flat[start:end] for start, end in zip(starts[:-1], starts[1:], strict=True)]
    low, high = block.low.tolist(), block.high.tolist()
    if block.kind == CONNECTED:
        return {"kind": "connected", "value": low[0]}
    if block.kind == CLAUSE:
        return {"kind": "clause", "lists": lists}
    if block.kind == COUNT:
        return {"kind": "count", "lists": lists, "low": low, "high": high}
    assert block.kind == TABLE
    # Lists share patterns: each set of them is sent once.
    ranges = {pair: index for index, pair in enumerate(dict.fromkeys(zip(low, high, strict=True)))}
    tables = [block.patterns[first:last].tolist() for first, last in ranges]
    return {
        "kind": "table",
        "lists": lists,
        "table": [ranges[pair] for pair in zip(low, high, strict=True)],
        "tables": tables,
    }


def _rooms(board: Araf) -> list[dict]:
    return [{"name": rule, "words": WORDS[Araf].get(rule, words), "kind": rule} for rule, words in board.RULES.items()]


def _heyawake(board: Heyawake) -> dict:
    first = {}
    for cell, room in enumerate(board.room_of.tolist()):
        first.setdefault(room, cell)
    across, down = (np.argwhere(walls).tolist() for walls in (board.wall_right, board.wall_below))
    cols = board.cols
    walls = [[y * cols + x, y * cols + x + 1] for y, x in across] + [
        [y * cols + x, (y + 1) * cols + x] for y, x in down
    ]
    clues = [[cell, str(board.clues[room])] for room, cell in first.items() if board.clues[room] is not None]
    return {"walls": walls, "clues": clues}


def _tapa(board: Tapa) -> dict:
    clues = ((cell, board.clues[cell // board.cols][cell % board.cols]) for cell in board.clue_cells.tolist())
    return {"clues": [[cell, [str(run) for run in clue]] for cell, clue in clues]}


def _thermometers(board: Thermometers) -> dict:
    counts = {"row_counts": list(board.row_counts), "col_counts": list(board.col_counts)}
    return {"tubes": [list(tube) for tube in board.tubes]} | counts


def _araf(board: Araf) -> dict:
    return {"clues": [[cell, str(board.numbers[cell // board.cols][cell % board.cols])] for cell in board.at]}


_DRAWN = {Heyawake: _heyawake, Tapa: _tapa, Thermometers: _thermometers, Araf: _araf}
