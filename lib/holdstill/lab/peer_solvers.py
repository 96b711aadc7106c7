"""What each peer is told of a board, in its own words, and how it is called with them.

`told_PEER_PUZZLE(board)` runs here and gives plain lists; `PEER_PUZZLE(**told)` runs where the peer is installed and
gives answers, as grids of 0 and 1 or of room labels. A peer that looks for a second answer gives it too.
"""

from itertools import product

import numpy as np

RING = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))


class CannotSayError(ValueError):
    """A peer has no words for something that the board says."""


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


def told_puzzlekit_heyawake(board) -> dict:
    _no_walls(board)
    grid = [["-" if number is None else str(number) for number in row] for row in _numbered(board)]
    rooms = [[str(room) for room in row] for row in board.rooms]
    return {"num_rows": board.rows, "num_cols": board.cols, "grid": grid, "region_grid": rooms}


def told_puzzlekit_thermometers(board) -> dict:
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


def puzzlekit_heyawake(**board) -> list:
    return _puzzlekit_solved("heyawake", **board)


def puzzlekit_thermometers(**board) -> list:
    return _puzzlekit_solved("thermometer", **board)


# multi-puzzle-solver: every answer, by CP-SAT; Heyawake, Tapa and Thermometers


def told_multi_heyawake(board) -> dict:
    _no_walls(board)
    numbers = {str(room): number for room, number in enumerate(board.clues) if number is not None}
    return {"board": [[str(room) for room in row] for row in board.rooms], "region_to_clue": numbers}


def told_multi_tapa(board) -> dict:
    return {"board": [["/".join(map(str, clue or ())) or " " for clue in row] for row in board.clues]}


def told_multi_thermometers(board) -> dict:
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


def multi_heyawake(board: list, region_to_clue: dict) -> list:
    return _multi_solved("heyawake_solver", board, {"region_to_clue": region_to_clue}, {"max_solutions": 2})


def multi_tapa(board: list) -> list:
    return _multi_solved("tapa_solver", board, {}, {})


def multi_thermometers(board: list, top: list, side: list) -> list:
    return _multi_solved("thermometers_solver", board, {"top": np.array(top), "side": np.array(side)}, {})


# grilops: parts to say a puzzle with, by Z3; what follows says the four puzzles with its grids and its regions


def told_grilops_heyawake(board) -> dict:
    windows = board.span_windows
    spans = [windows.flat[a:b].tolist() for a, b in zip(windows.starts[:-1], windows.starts[1:], strict=True)]
    return {"rooms": [list(row) for row in board.rooms], "clues": list(board.clues), "spans": spans}


def told_grilops_tapa(board) -> dict:
    if any("?" in (clue or ()) for row in board.clues for clue in row):
        raise CannotSayError("?")
    return {"clues": [[clue and list(clue) for clue in row] for row in board.clues]}


def told_grilops_thermometers(board) -> dict:
    return {
        "tubes": [list(tube) for tube in board.tubes],
        "row_counts": list(board.row_counts),
        "col_counts": list(board.col_counts),
    }


def told_grilops_araf(board) -> dict:
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


def grilops_heyawake(rooms: list, clues: list, spans: list) -> list:
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


def grilops_tapa(clues: list) -> list:
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


def grilops_thermometers(tubes: list, row_counts: list, col_counts: list) -> list:
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


def grilops_araf(numbers: list) -> list:
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
