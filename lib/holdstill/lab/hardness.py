"""How a board's difficulty compares with that of our random boards of the same puzzle and size."""

from functools import cache
from typing import NamedTuple

from holdstill.core.grid import PuzzleError
from holdstill.lab import ledger
from holdstill.lab.paths import project
from holdstill.puzzles.boards import PUZZLES, Board
from holdstill.puzzles.difficulty import Difficulty


class Rank(NamedTuple):
    """The percentage of random boards that are strictly easier, and how many boards were asked."""

    percent: float
    boards: int


def name_of(puzzle: str, rows: int, cols: int) -> str:
    """The id under which `published_boards` records the difficulties of random boards of a puzzle and size."""
    return f"difficulty.{puzzle}.{rows}x{cols}"


def packed(counts: dict[Difficulty, int]) -> list[int]:
    """Difficulties with the number of boards that have each, as the one list that a record holds.

    >>> packed({Difficulty(0, 0, 0, 0): 3, Difficulty(1, 0, 1, 5): 2})
    [0, 0, 0, 0, 3, 1, 0, 1, 5, 2]
    """
    return [number for one in sorted(counts) for number in (*one, counts[one])]


@cache
def _committed() -> dict[str, ledger.Record]:
    try:
        folder = project().results("large")
    except PuzzleError:
        return {}
    return ledger.records(folder)


def rank(board: Board, hard: Difficulty | None, records: dict[str, ledger.Record] | None = None) -> Rank | None:
    """Where a board stands among our random boards, by the committed results.

    None for a board without a difficulty, for a size that was not sampled, and outside a checkout.

    Raises PuzzleError for a record that does not hold as many boards as it says.

    >>> from holdstill.puzzles.tapa import Tapa
    >>> kept = {"difficulty.tapa.1x1": ledger.Record("", "0, 0, 0, 0, 3, 1, 0, 1, 5, 1", 4)}
    >>> rank(Tapa(1, 1, [[None]]), Difficulty(1, 0, 1, 5), kept)
    Rank(percent=75.0, boards=4)
    """
    if hard is None:
        return None
    records = _committed() if records is None else records
    puzzle = next(name for name, kind in PUZZLES.items() if type(board) is kind)
    record = records.get(name_of(puzzle, board.rows, board.cols))
    if record is None:
        return None
    values = ledger.numbers(record.value)
    counts = values[4::5]
    if not counts or len(values) != 5 * len(counts) or sum(counts) != record.n:
        raise PuzzleError(f"{record.notebook}.csv: {record.id} does not hold as many boards as its n says")
    packs = zip(*[iter(values)] * 5, strict=True)
    easier = sum(count for *one, count in packs if tuple(one) < hard)
    return Rank(100 * easier / record.n, record.n)
