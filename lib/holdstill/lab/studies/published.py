"""The rows of `published_boards`: random boards to compare published ones with, and a board turned and mirrored."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pandas as pd

from holdstill.core.grid import UNKNOWN, PuzzleError
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.boards import PUZZLES, Board, read_lines
from holdstill.puzzles.difficulty import difficulty
from holdstill.puzzles.engines import GENERATE, engine
from holdstill.puzzles.grade import grade
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.tapa import Tapa
from holdstill.puzzles.thermometers import Thermometers

Kind = tuple[str, int, int]  # puzzle, rows, cols


def measured(board: Board) -> dict:
    """The share of cells that each rung leaves open, None past a cap, and the parts of the board's difficulty."""
    row, solver = {}, engine(board)
    for rung in board.RUNGS:
        try:
            state = solver.deduce(board, rung)
            row[rung] = None if state is None else float((state == UNKNOWN).mean())
        except PuzzleError:
            row[rung] = None
    hard = difficulty(board)
    return row | (dict.fromkeys(("depth", "left", "rounds", "probes")) if hard is None else hard._asdict())


def listed(files: list, most: int) -> tuple[list[tuple[Kind, Board]], list[str]]:
    """The boards of some files with their puzzle and size, at most so many of a kind, and what was no board.

    Raises PuzzleError for a file that cannot be read, and where there is no board at all.
    """
    given, refused, seen = [], [], Counter()
    for path in files:
        for line, board in read_lines(path):
            if isinstance(board, PuzzleError):
                refused.append(f"line {line}: {board}")
                continue
            kind = (next(name for name, one in PUZZLES.items() if type(board) is one), board.rows, board.cols)
            seen[kind] += 1
            if seen[kind] <= most:
                given.append((kind, board))
    if not given:
        raise PuzzleError(f"no board in {', '.join(map(str, files))}" + (f": {refused[0]}" if refused else ""))
    return given, refused


def graded(given: list[tuple[Kind, Board]], seconds: float = 20) -> pd.DataFrame:
    """Listed boards, one a row: the board, its answers (as `grade` says them) and what `measured` finds."""
    return pd.DataFrame(
        dict(zip(("puzzle", "rows", "cols"), kind, strict=True))
        | {"board": board, "answers": grade(board, seconds)["answers"]}
        | measured(board)
        for kind, board in given
    )


def random_row(rng: np.random.Generator, puzzle: str, rows: int, cols: int) -> dict:
    """As `measured`, of one random board made against the complete solver."""
    return measured(GENERATE[puzzle](rows, cols, rng).board)


def mirrored(board: Board) -> Board:
    """The board with its columns in reverse.

    >>> mirrored(Tapa(1, 3, [[[1], None, None]])).clues
    ((None, None, (1,)),)
    """

    def to(cell):
        return cell - cell % board.cols + board.cols - 1 - cell % board.cols

    if isinstance(board, Heyawake):
        walls = board.walls and [tuple(sorted((to(a), to(b)))) for a, b in board.walls]
        return Heyawake(board.rows, board.cols, [row[::-1] for row in board.rooms], board.clues, walls)
    if isinstance(board, Tapa):
        return Tapa(board.rows, board.cols, [row[::-1] for row in board.clues])
    if isinstance(board, Araf):
        return Araf(board.rows, board.cols, [row[::-1] for row in board.numbers])
    tubes = [[to(cell) for cell in tube] for tube in board.tubes]
    return Thermometers(board.rows, board.cols, tubes, board.row_counts, board.col_counts[::-1])


def transposed(board: Board) -> Board:
    """The board with rows and columns exchanged.

    >>> transposed(Tapa(1, 3, [[[1], None, None]])).clues
    (((1,),), (None,), (None,))
    """

    def to(cell):
        return cell % board.cols * board.rows + cell // board.cols

    if isinstance(board, Heyawake):
        walls = board.walls and [(to(a), to(b)) for a, b in board.walls]
        return Heyawake(board.cols, board.rows, [*zip(*board.rooms, strict=True)], board.clues, walls)
    if isinstance(board, Tapa):
        return Tapa(board.cols, board.rows, [*zip(*board.clues, strict=True)])
    if isinstance(board, Araf):
        return Araf(board.cols, board.rows, [*zip(*board.numbers, strict=True)])
    tubes = [[to(cell) for cell in tube] for tube in board.tubes]
    return Thermometers(board.cols, board.rows, tubes, board.col_counts, board.row_counts)


def turns(board: Board) -> Iterator[Board]:
    """The board turned and mirrored in all eight ways, itself first."""
    for _ in range(4):
        yield board
        board = mirrored(board)
        yield board
        board = transposed(board)
