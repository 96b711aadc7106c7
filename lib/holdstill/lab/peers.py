"""Solvers from the Python Package Index beside ours: the same boards, a time limit, and our judge over each answer.

None of them is needed: `pip install 'holdstill[peers]'` brings them. Each runs in a process of its own, which is ended
where it takes too long. A peer is told a board in its own words (`told`, here) and solves it (`solved`, there).
"""

import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from typing import NamedTuple

import numpy as np

STARTING = 30  # seconds more, for the import of a peer and its first call, which are not measured
VERDICTS = RIGHT, WRONG, NONE, REFUSED, LATE = "right", "wrong", "no answer", "refused", "late"
RING = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))


class CannotSayError(ValueError):
    """A peer has no words for something that the board says."""


class Reply(NamedTuple):
    """What came of asking: answers as grids (None: none came, and why), seconds of waiting and of processor time."""

    answers: list | None
    why: str
    waited: float
    spent: float


class Peer(NamedTuple):
    """A package, the engine under it, whether it looks for a second answer, and for each puzzle (told, solved)."""

    package: str
    engine: str
    proves: bool
    puzzles: dict[str, tuple[Callable, Callable]]

    @property
    def versions(self) -> str | None:
        """The installed versions of the package and its engine; None where it is not installed, or not wanted.

        HOLDSTILL_PEERS=off: they take minutes, and times are not compared when the notebooks are checked.
        """
        if os.environ.get("HOLDSTILL_PEERS") == "off":
            return None
        try:
            return f"{self.package} {version(self.package)} over {self.engine} {version(self.engine)}"
        except PackageNotFoundError:
            return None


def _numbered(board) -> list[list[int | None]]:
    """Each room's number at its first cell, Heyawake."""
    seen, grid = set(), [[None] * board.cols for _ in range(board.rows)]
    for y, x in product(range(board.rows), range(board.cols)):
        room = board.rooms[y][x]
        if room not in seen:
            seen.add(room)
            grid[y][x] = board.clues[room]
    return grid


def _no_walls(board) -> None:
    if board.walls is not None:
        raise CannotSayError("walls that close no room")


# puzzlekit: one answer, by CP-SAT; Heyawake and Thermometers


def _puzzlekit_heyawake(board) -> dict:
    _no_walls(board)
    grid = [["-" if number is None else str(number) for number in row] for row in _numbered(board)]
    rooms = [[str(room) for room in row] for row in board.rooms]
    return {"num_rows": board.rows, "num_cols": board.cols, "grid": grid, "region_grid": rooms}


def _puzzlekit_thermometers(board) -> dict:
    grid = [["-"] * board.cols for _ in range(board.rows)]
    for number, tube in enumerate(board.tubes, 1):
        for place, cell in enumerate(tube, 1):
            grid[cell // board.cols][cell % board.cols] = f"{number}.{place}"
    rows, cols = (["-" if n is None else str(n) for n in counts] for counts in (board.row_counts, board.col_counts))
    return {"num_rows": board.rows, "num_cols": board.cols, "grid": grid, "rows": rows, "cols": cols}


def _puzzlekit_solved(kind: str, **board) -> list:
    import puzzlekit

    grid = puzzlekit.solve(board, kind).solution_data["solution_grid"]
    answer = [[int(cell == "x") for cell in row] for row in grid.matrix]
    return [answer] if answer else []


def _puzzlekit_heyawake_solved(**board) -> list:
    return _puzzlekit_solved("heyawake", **board)


def _puzzlekit_thermometers_solved(**board) -> list:
    return _puzzlekit_solved("thermometer", **board)


# multi-puzzle-solver: every answer, by CP-SAT; Heyawake, Tapa and Thermometers


def _multi_heyawake(board) -> dict:
    _no_walls(board)
    numbers = {str(room): number for room, number in enumerate(board.clues) if number is not None}
    return {"board": [[str(room) for room in row] for row in board.rooms], "region_to_clue": numbers}


def _multi_tapa(board) -> dict:
    return {"board": [["/".join(map(str, clue or ())) or " " for clue in row] for row in board.clues]}


def _multi_thermometers(board) -> dict:
    if None in (*board.row_counts, *board.col_counts):
        raise CannotSayError("a line without a count")
    grid, towards = [[""] * board.cols for _ in range(board.rows)], {1: "R", -1: "L", board.cols: "D", -board.cols: "U"}
    for tube in board.tubes:
        for cell, after in zip(tube, (*tube[1:], None), strict=True):
            grid[cell // board.cols][cell % board.cols] = "X" if after is None else towards[after - cell]
    if any("" in row for row in grid):
        raise CannotSayError("a cell in no tube")
    return {"board": grid, "top": list(board.col_counts), "side": list(board.row_counts)}


def _multi_solved(solver: str, board: list, given: dict, how: dict) -> list:
    import puzzle_solver

    asked = getattr(puzzle_solver, solver).Board(np.array(board), **given)
    return [
        [[int(one.assignment[_multi_cell(x, y)]) for x in range(len(board[0]))] for y in range(len(board))]
        for one in asked.solve_and_print(verbose=False, **how)
    ]


def _multi_cell(x: int, y: int):
    from puzzle_solver.core.utils import get_pos

    return get_pos(x=x, y=y)


def _multi_heyawake_solved(board: list, region_to_clue: dict) -> list:
    return _multi_solved("heyawake_solver", board, {"region_to_clue": region_to_clue}, {"max_solutions": 2})


def _multi_tapa_solved(board: list) -> list:
    return _multi_solved("tapa_solver", board, {}, {})


def _multi_thermometers_solved(board: list, top: list, side: list) -> list:
    return _multi_solved("thermometers_solver", board, {"top": np.array(top), "side": np.array(side)}, {})


# grilops: parts to say a puzzle with, by Z3; what follows says the four puzzles with its grids and its regions


def _grilops_heyawake(board) -> dict:
    windows = board.span_windows
    spans = [windows.flat[a:b].tolist() for a, b in zip(windows.starts[:-1], windows.starts[1:], strict=True)]
    return {"rooms": [list(row) for row in board.rooms], "clues": list(board.clues), "spans": spans}


def _grilops_tapa(board) -> dict:
    if any("?" in (clue or ()) for row in board.clues for clue in row):
        raise CannotSayError("?")
    return {"clues": [[clue and list(clue) for clue in row] for row in board.clues]}


def _grilops_thermometers(board) -> dict:
    return {
        "tubes": [list(tube) for tube in board.tubes],
        "row_counts": list(board.row_counts),
        "col_counts": list(board.col_counts),
    }


def _grilops_araf(board) -> dict:
    if any("?" in row for row in board.numbers):
        raise CannotSayError("?")
    return {"numbers": [list(row) for row in board.numbers]}


def _grilops_shading(rows: int, cols: int):
    """A grid of cells unshaded or shaded: the grid, and each cell's "it is shaded" in reading order."""
    import grilops

    symbols = grilops.SymbolSet(["unshaded", "shaded"])
    grid = grilops.SymbolGrid(grilops.get_rectangle_lattice(rows, cols), symbols)
    return grid, [grid.cell_is(point, symbols["shaded"]) for point in grid.lattice.points]


def _grilops_region(grid, is_in: list) -> None:
    """The cells of which this holds are one region."""
    import z3
    from grilops.regions import R, RegionConstrainer, X

    parent = RegionConstrainer(grid.lattice, grid.solver, complete=False).parent_grid
    for point, here in zip(grid.lattice.points, is_in, strict=True):
        grid.solver.add((parent[point] != X) == here)
    grid.solver.add(z3.PbLe([(parent[point] == R, 1) for point in grid.lattice.points], 1))


def _grilops_exactly(solver, cells: list, number: int) -> None:
    import z3

    solver.add(z3.PbEq([(cell, 1) for cell in cells], number) if cells else z3.BoolVal(number == 0))


def _grilops_answers(grid) -> list:
    """The first answer, and again where there is another one."""
    if not grid.solve():
        return []
    solved, lattice = grid.solved_grid(), grid.lattice
    cols = 1 + max(point.x for point in lattice.points)
    flat = [solved[point] for point in lattice.points]
    answer = [flat[at : at + cols] for at in range(0, len(flat), cols)]
    if grid.is_unique():
        return [answer]
    other = grid.solved_grid()
    flat = [other[point] for point in lattice.points]
    return [answer, [flat[at : at + cols] for at in range(0, len(flat), cols)]]


def _grilops_heyawake_solved(rooms: list, clues: list, spans: list) -> list:
    import z3

    rows, cols = len(rooms), len(rooms[0])
    grid, shaded = _grilops_shading(rows, cols)
    for cell in range(rows * cols):
        for near in ([cell + 1] if (cell + 1) % cols else []) + ([cell + cols] if cell + cols < rows * cols else []):
            grid.solver.add(z3.Not(z3.And(shaded[cell], shaded[near])))
    for room, number in enumerate(clues):
        if number is not None:
            cells = [shaded[y * cols + x] for y, x in product(range(rows), range(cols)) if rooms[y][x] == room]
            _grilops_exactly(grid.solver, cells, number)
    for span in spans:
        grid.solver.add(z3.Or(*(shaded[cell] for cell in span)))
    _grilops_region(grid, [z3.Not(one) for one in shaded])
    return _grilops_answers(grid)


def _runs(ring: tuple[bool, ...]) -> list[int]:
    """The lengths of the runs of a ring, sorted."""
    if all(ring):
        return [len(ring)]
    turned = ring[ring.index(False) :] + ring[: ring.index(False)]
    return sorted(len(run) for run in "".join("#" if one else " " for one in turned).split())


def _grilops_tapa_solved(clues: list) -> list:
    import z3

    rows, cols = len(clues), len(clues[0])
    grid, shaded = _grilops_shading(rows, cols)
    for y, x in product(range(rows - 1), range(cols - 1)):
        square = [shaded[(y + dy) * cols + x + dx] for dy, dx in product((0, 1), (0, 1))]
        grid.solver.add(z3.Not(z3.And(*square)))
    for y, x in product(range(rows), range(cols)):
        if clues[y][x] is None:
            continue
        wanted = sorted(number for number in clues[y][x] if number)
        inside = [0 <= y + dy < rows and 0 <= x + dx < cols for dy, dx in RING]
        rings = product(*((False, True) if here else (False,) for here in inside))
        grid.solver.add(z3.Not(shaded[y * cols + x]))
        ways = [
            z3.And(
                *(
                    shaded[(y + dy) * cols + x + dx] == one
                    for (dy, dx), one, here in zip(RING, ring, inside, strict=True)
                    if here
                )
            )
            for ring in rings
            if _runs(ring) == wanted
        ]
        grid.solver.add(z3.Or(*ways))
    _grilops_region(grid, shaded)
    return _grilops_answers(grid)


def _grilops_thermometers_solved(tubes: list, row_counts: list, col_counts: list) -> list:
    import z3

    rows, cols = len(row_counts), len(col_counts)
    grid, shaded = _grilops_shading(rows, cols)
    for cell in set(range(rows * cols)).difference(*tubes):
        grid.solver.add(z3.Not(shaded[cell]))
    for tube in tubes:
        for before, after in zip(tube, tube[1:], strict=False):
            grid.solver.add(z3.Implies(shaded[after], shaded[before]))
    lines = [[y * cols + x for x in range(cols)] for y in range(rows)]
    lines += [[y * cols + x for y in range(rows)] for x in range(cols)]
    for line, number in zip(lines, row_counts + col_counts, strict=True):
        if number is not None:
            _grilops_exactly(grid.solver, [shaded[cell] for cell in line], number)
    return _grilops_answers(grid)


def _grilops_araf_solved(numbers: list) -> list:
    import grilops
    import z3
    from grilops.regions import R, RegionConstrainer

    rows, cols = len(numbers), len(numbers[0])
    lattice, solver = grilops.get_rectangle_lattice(rows, cols), z3.Solver()
    regions = RegionConstrainer(lattice, solver, min_region_size=2)
    room, size, parent = regions.region_id_grid, regions.region_size_grid, regions.parent_grid
    given = [point for point in lattice.points if numbers[point.y][point.x] is not None]
    for place, a in enumerate(given):
        beside = [(room[a] == room[b], 1) for b in given if b != a]
        solver.add(z3.PbEq(beside, 1))
        # A room's tree stands on the first of its numbers, so that one cut is one assignment.
        solver.add((parent[a] == R) == z3.Or(z3.BoolVal(False), *(room[a] == room[b] for b in given[place + 1 :])))
        for b in given[place + 1 :]:
            low, high = sorted(numbers[point.y][point.x] for point in (a, b))
            solver.add(z3.Implies(room[a] == room[b], z3.And(size[a] > low, size[a] < high)))
    for point in lattice.points:
        if point not in given:
            solver.add(parent[point] != R)
    answers = []
    while len(answers) < 2 and solver.check() == z3.sat:
        model = solver.model()
        label = {point: model.eval(room[point]).as_long() for point in lattice.points}
        answers.append([[label[grilops.Point(y, x)] for x in range(cols)] for y in range(rows)])
        solver.add(z3.Or(*(room[point] != label[point] for point in lattice.points)))
    return answers


PEERS = (
    Peer(
        "puzzlekit",
        "ortools",
        False,
        {
            "heyawake": (_puzzlekit_heyawake, _puzzlekit_heyawake_solved),
            "thermometers": (_puzzlekit_thermometers, _puzzlekit_thermometers_solved),
        },
    ),
    Peer(
        "multi-puzzle-solver",
        "ortools",
        True,
        {
            "heyawake": (_multi_heyawake, _multi_heyawake_solved),
            "tapa": (_multi_tapa, _multi_tapa_solved),
            "thermometers": (_multi_thermometers, _multi_thermometers_solved),
        },
    ),
    Peer(
        "grilops",
        "z3-solver",
        True,
        {
            "heyawake": (_grilops_heyawake, _grilops_heyawake_solved),
            "tapa": (_grilops_tapa, _grilops_tapa_solved),
            "thermometers": (_grilops_thermometers, _grilops_thermometers_solved),
            "araf": (_grilops_araf, _grilops_araf_solved),
        },
    ),
)


def _serve(pipe) -> None:
    """Solve what comes through the pipe, until it closes."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  peers print
    while True:
        try:
            solved, told = pipe.recv()
        except EOFError:
            return
        waited, spent = time.perf_counter(), time.process_time()
        try:
            answers, why = solved(**told), ""
        except Exception as error:
            answers, why = None, f"{type(error).__name__}: {' '.join(str(error).split())}"
        pipe.send(Reply(answers, why, time.perf_counter() - waited, time.process_time() - spent))


class Process:
    """A process that solves for a peer: begun when it is first asked, and anew after it was late or died."""

    def __init__(self):
        self.process = self.pipe = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self) -> None:
        """End the process, whatever it does."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.pipe.close()
            self.process = None

    def ask(self, solved: Callable, told: dict, seconds: float) -> Reply:
        """What `solved(**told)` returns, run there; `solved` is a function of a module."""
        if self.process is None:
            context = multiprocessing.get_context("spawn")
            self.pipe, there = context.Pipe()
            self.process = context.Process(target=_serve, args=(there,), daemon=True)
            self.process.start()
            there.close()
        self.pipe.send((solved, told))
        try:
            if self.pipe.poll(seconds):
                return self.pipe.recv()
        except EOFError:
            self.end()
            return Reply(None, "its process died", float("nan"), float("nan"))
        self.end()
        return Reply(None, "", seconds, float("nan"))


def verdict(board, reply: Reply, wanted: int | None) -> tuple[str, str]:
    """What the board's judge says to a reply, and why not right; `wanted` is the count of answers, 2 for more.

    None for `wanted` where the peer does not look for a second answer.
    """
    if reply.answers is None:
        return (REFUSED, reply.why) if reply.why else (LATE, "")
    states = []
    for answer in reply.answers[:2]:
        if np.shape(answer) != (board.rows, board.cols):
            return WRONG, "not a grid of the board's size"
        states.append(np.ravel(answer) + 1)
        broken = int(board.broken(states[-1][None])[0])
        if broken:
            return WRONG, "breaks " + ", ".join(rule for bit, rule in enumerate(board.RULES) if broken >> bit & 1)
    if not states:
        return (RIGHT, "") if wanted == 0 else (NONE, "")
    if len(states) == 2 and (states[0] == states[1]).all():
        return WRONG, "one answer twice"
    if wanted is not None and len(states) != wanted:
        return WRONG, f"answers: {len(states)}, not {wanted}"
    return RIGHT, ""


def asked(peer: Peer, boards: list, wanted: list[int], seconds: float) -> Iterator[dict]:
    """A row a board that the peer has a solver for: its verdict, and seconds of waiting and of processor time.

    `boards` are of one puzzle, `wanted` how many answers each has, 2 for more. A process is first asked the first board
    that its peer has words for, which is not measured.
    """
    puzzle, first = type(boards[0]).__name__.lower(), None
    if puzzle not in peer.puzzles:
        return
    with Process() as process:
        for number, board in enumerate(boards):
            tell, solved = peer.puzzles[puzzle]
            try:
                told = tell(board)
            except CannotSayError as error:
                reply = Reply(None, f"it has no word for: {error}", float("nan"), float("nan"))
            else:
                first = first or told
                if process.process is None:
                    process.ask(solved, first, seconds + STARTING)
                reply = process.ask(solved, told, seconds)
            said, why = verdict(board, reply, wanted[number] if peer.proves else None)
            yield {
                "solver": peer.package,
                "board": number,
                "verdict": said,
                "why": why,
                "waited": reply.waited,
                "spent": reply.spent,
            }
