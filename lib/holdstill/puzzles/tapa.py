"""Tapa: a wall that is one region, holds no 2x2, and leaves round each clue the runs that the clue lists.

Shade cells so that the shaded cells are one region and no 2x2 is all shaded. A clue's cell stays unshaded; its numbers
are the lengths of the runs of shaded cells in the ring of eight round it, read cyclically, in any order. Cells off the
grid count as unshaded. A `?` is a run of any length, 0 is an empty ring. No shaded cell at all is a wall too (pzpr asks
for one). Rules: Serkan Yürekli, 2007.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numba import njit

from holdstill.core.carve import REJECTED, _carve_kernel
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, PuzzleError, _pieces_kernel, check_size, shown
from holdstill.core.ladder import Rung
from holdstill.core.model import (
    COUNT,
    Block,
    Model,
    active,
    at_least_one,
    between,
    compile_model,
    connected,
    one_of,
    unshaded,
)
from holdstill.core.propagate import NODES, Work, new_work
from holdstill.core.search import NO_LIMIT, Tree, new_tree
from holdstill.puzzles.rings import Clue, ring_rules, ring_table, rings


@dataclass(frozen=True)
class Tapa:
    """A Tapa board.

    `clues` is `rows` lists of `cols` entries: None, or a list of one to four runs, each a number or "?". A lone "?" may
    be an empty ring too; `positive` asks it for a run, and is stored as False where no clue is a lone "?". Clues are
    stored as tuples in the order given.

    Raises PuzzleError, naming the cell at fault.

    >>> Tapa(1, 3, [[None, [1, 1], None]]).clues
    ((None, (1, 1), None),)
    """

    rows: int
    cols: int
    clues: tuple[tuple[Clue | None, ...], ...]
    positive: bool = False

    RULES: ClassVar = {
        "clues": "no clue is shaded",
        "square": "2x2 at {cell}",
        "totals": "total of {cell} ({clue})",
        "rings": "ring of {cell} ({clue})",
        "wall": "the wall stays connected",
    }
    PRUNE: ClassVar = "square"
    RUNGS: ClassVar = {
        "count": Rung(frozenset({"clues", "square", "totals", "wall"})),
        "rings": Rung(frozenset({"clues", "square", "rings", "wall"})),
        "probe": Rung(frozenset({"clues", "square", "rings", "wall"}), probing=True),
    }

    def constraints(self) -> Iterator[Block]:
        """The rules as blocks of constraints, from the geometry and the clues alone."""
        ring, shapes = rings(self.rows, self.cols)
        grid = np.arange(self.rows * self.cols, dtype=np.int32).reshape(self.rows, self.cols)
        corners = grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]
        clues = [self.clues[cell // self.cols][cell % self.cols] for cell in self.clue_cells.tolist()]
        around = ring.kept(np.isin(grid.ravel(), self.clue_cells))
        yield between("clues", [self.clue_cells], [0], [0])
        yield at_least_one("square", unshaded(np.stack([corner.ravel() for corner in corners], axis=1)))
        yield from ring_rules(around, shapes[self.clue_cells].tolist(), clues, self.positive)
        yield connected("wall", SHADED)

    @cached_property
    def model(self) -> Model:
        """The compiled constraints."""
        return compile_model(self.rows, self.cols, self.constraints(), tuple(self.RULES))

    @cached_property
    def clue_cells(self) -> np.ndarray:
        """The cells with a clue in reading order, int32."""
        return np.flatnonzero([clue is not None for row in self.clues for clue in row]).astype(np.int32)

    def __post_init__(self):
        check_size(self.rows, self.cols)
        clues = _clues(self.clues, self.rows, self.cols)
        if not isinstance(self.positive, bool):
            raise PuzzleError(f"positive is true or false, not {shown(self.positive)}")
        self.__dict__.update(
            rows=int(self.rows),
            cols=int(self.cols),
            clues=clues,
            positive=self.positive and any(("?",) in row for row in clues),
        )

    def words(self, rule: str, number: int, cells: tuple[int, ...]) -> str:
        """The `number`-th constraint of a rule, over these cells, as an explanation calls it."""
        if rule in ("clues", "wall"):
            return self.RULES[rule]
        y, x = divmod(int(cells[0] if rule == "square" else self.clue_cells[number]), self.cols)
        clue = " ".join(map(str, self.clues[y][x] or ()))
        return self.RULES[rule].format(cell=f"r{y + 1}c{x + 1}", clue=clue)

    def broken(self, states: np.ndarray) -> np.ndarray:
        """The rules that fully decided states break, as bits: bit i for the i-th of RULES.

        `states` is int8 of shape (boards, cells); the result is uint8 of shape (boards,). Reads the rules afresh, and
        shares nothing with the constraints: each ring is walked, its runs measured and compared with the clue, the
        wall flooded.

        >>> Tapa(1, 3, [[None, [1, 1], None]]).broken(np.array([[2, 1, 2], [2, 1, 1]], np.int8)).tolist()
        [16, 12]
        """
        numbers = np.full((len(self.clue_cells), 4), -1, np.int8)
        for row, cell in zip(numbers, self.clue_cells.tolist(), strict=True):
            clue = self.clues[cell // self.cols][cell % self.cols]
            row[: len(clue)] = [ANY if run == "?" else run for run in clue]
        states = np.ascontiguousarray(states, np.int8)
        return _broken_kernel(states, self.rows, self.cols, self.clue_cells, numbers, self.positive)

    def is_valid(self, state: np.ndarray, without: tuple[str, ...] = ()) -> bool:
        """Is the state fully decided and right by every rule (but those left out)?"""
        state = np.asarray(state, np.int8)
        left_out = sum(1 << list(self.RULES).index(rule) for rule in without)
        return bool((state > 0).all()) and not int(self.broken(state[None])[0]) & ~left_out


ANY = 9  # a "?" as the judge's number


@njit(cache=True)
def _broken_kernel(states, rows, cols, clue_cells, clue_runs, positive):
    boards, cells = len(states), rows * cols
    broken = np.zeros(boards, np.uint8)
    ys, xs = (-1, -1, -1, 0, 1, 1, 1, 0), (-1, 0, 1, 1, 1, 0, -1, -1)
    around = np.empty(8, np.bool_)
    found, wanted = np.empty(9, np.int32), np.empty(10, np.int32)
    reached = np.empty(cells, np.bool_)
    stack, column = np.empty(cells, np.int32), np.arange(cells) % cols
    for board in range(boards):
        state = states[board]
        on_clue, full, miscounted, mismatched = False, False, False, False
        for y in range(rows - 1):
            for x in range(cols - 1):
                cell = y * cols + x
                top = state[cell] == SHADED and state[cell + 1] == SHADED
                full |= top and state[cell + cols] == SHADED and state[cell + cols + 1] == SHADED
        for at in range(len(clue_cells)):
            y, x = clue_cells[at] // cols, clue_cells[at] % cols
            on_clue |= state[clue_cells[at]] == SHADED
            gap, shaded = -1, 0
            for i in range(8):
                row, col = y + ys[i], x + xs[i]
                around[i] = 0 <= row < rows and 0 <= col < cols and state[row * cols + col] == SHADED
                shaded += around[i]
                if not around[i]:
                    gap = i
            found[:] = 0
            if gap < 0:
                found[8] = 1
            else:
                length = 0
                for i in range(gap + 1, gap + 9):
                    if around[i % 8]:
                        length += 1
                    elif length > 0:
                        found[length] += 1
                        length = 0
            wanted[:] = 0
            pieces, least = 0, 0
            for run in clue_runs[at]:
                if run >= 0:
                    wanted[run] += 1
                    pieces += run > 0
                    least += 1 if run == ANY else run
            lone = wanted[ANY] == 1 and pieces == 1
            if lone and not positive:
                least = 0
            most = least
            if wanted[ANY] > 0:
                most = 8 if lone else 8 - pieces
            miscounted |= shaded < least or shaded > most
            fits = found.sum() == pieces or (lone and shaded == 0 and not positive)
            for length in range(1, 9):
                fits &= found[length] >= wanted[length]
            mismatched |= not fits
        pieces = _pieces_kernel(state, True, column, reached, stack)
        broken[board] = on_clue | full << 1 | miscounted << 2 | mismatched << 3 | (pieces > 1) << 4
    return broken


def _clues(clues, rows: int, cols: int) -> tuple[tuple[Clue | None, ...], ...]:
    if not isinstance(clues, (list, tuple)) or len(clues) != rows:
        raise PuzzleError(f"clues must be {rows} rows of {cols}")
    shapes, checked = rings(rows, cols)[1], []
    for y, row in enumerate(clues):
        if not isinstance(row, (list, tuple)) or len(row) != cols:
            raise PuzzleError(f"clues: row {y + 1} must hold {cols}")
        line = list(row)
        for x, clue in enumerate(row):
            if clue is not None:
                if fault := _fault(clue, int(shapes[y * cols + x]).bit_count()):
                    raise PuzzleError(f"r{y + 1}c{x + 1} has {fault}")
                line[x] = tuple(clue)
        checked.append(tuple(line))
    return tuple(checked)


def _fault(clue, cells: int) -> str | None:
    """What is wrong with a clue in the middle of a ring of so many cells."""
    if not isinstance(clue, (list, tuple)) or not 1 <= len(clue) <= 4:
        return f"the clue {shown(clue)}, neither null nor a list of 1 to 4 runs"
    least = 0
    for run in clue:
        if type(run) is int and 0 <= run <= 8:
            least += run
        elif type(run) is str and run == "?":
            least += len(clue) > 1  # alone it may be an empty ring
        else:
            return f'the run {shown(run)}, neither 0 to 8 nor "?"'
    if least <= cells and (len(clue) == 1 or (0 not in clue and least + len(clue) <= 8)):
        return None
    told = " ".join(map(str, clue))
    if len(clue) > 1 and 0 in clue:
        return f"the clue {told}, but 0 stands alone"
    if len(clue) > 1 and least + len(clue) > 8:
        return f"the clue {told}, which no ring of 8 cells meets"
    return f"the clue {told}, which adds up to {least}, in a ring of {cells}"


class Generated(NamedTuple):
    """A board made with its answer (int8 state), and how many blobs were rejected before: not good with every clue.

    `answer` is the one answer of `board`.
    """

    board: Tapa
    answer: np.ndarray
    rejected: int


class _Workshop(NamedTuple):
    """What the boards of a size share: a model in which every cell may be a clue, and how to give it one.

    The kernel writes into `model`, `work` and `tree`, and leaves nothing there that the next board would read.
    active: bool, all but the clues. clues: int64 (cells, 2), the constraints of each cell's clue: its cell, and its
    total or its ring. first: int32 (cells,), low, high: int32; where the ring of cell c has the pattern p, its clue
    allows the patterns from low[first[c] + p] to high[first[c] + p] of the pool. names: the clue of each place there.
    """

    model: Model
    work: Work
    tree: Tree
    active: np.ndarray
    clues: np.ndarray
    first: np.ndarray
    low: np.ndarray
    high: np.ndarray
    names: list[Clue]


@lru_cache(maxsize=32)
def _workshop(rows: int, cols: int, rules: frozenset) -> _Workshop:
    cells, (ring, shapes) = rows * cols, rings(rows, cols)
    first, pool, names, low, high = {}, [], [], [], []
    for shape in np.unique(shapes).tolist():
        first[shape] = len(low)
        ones = [(pattern, clue) for clue, found in ring_table(shape).items() for pattern in found]
        names += 2 * [clue for _, clue in ones]
        at = {clue: names.index(clue, len(pool)) for clue in ring_table(shape)}
        # All patterns twice over in one order: those that a clue does not allow are a range as well (see `carve`).
        pool += 2 * [pattern for pattern, _ in ones]
        low += [at[clue] for _, clue in sorted(ones)]
        high += [at[clue] + len(ring_table(shape)[clue]) for _, clue in sorted(ones)]
    # A clue's cell, total and ring for every cell, as yet without numbers; the other rules as on a board without clues.
    blank, later = Tapa(rows, cols, [[None] * cols] * rows).constraints(), np.zeros(cells, np.int32)
    every = {block.rule: block for block in blank} | {
        "clues": at_least_one("clues", unshaded(np.arange(cells).reshape(-1, 1))),
        "totals": between("totals", ring, later, later),
        "rings": one_of("rings", ring, later, later, np.array(pool, np.int32)),
    }
    model = compile_model(rows, cols, [block for rule, block in every.items() if rule in rules], tuple(Tapa.RULES))
    of_clues = active(model, tuple(Tapa.RULES), ("clues", "totals", "rings"))
    first = np.array([first[shape] for shape in shapes.tolist()], np.int32)
    by_cell = np.ascontiguousarray(np.flatnonzero(of_clues).reshape(2, -1).T)
    low, high = np.array(low, np.int32), np.array(high, np.int32)
    return _Workshop(model, new_work(model), new_tree(model), ~of_clues, by_cell, first, low, high, names)


@njit(cache=True)
def _grow_kernel(rows, cols, beside, most, state, rng):
    """Shade up to `most` cells: start anywhere, go on with a cell drawn from all that touch the blob.

    A cell that would fill a 2x2 is drawn for nothing, and never again: the blob only grows.
    """
    rim, seen = np.empty(len(state), np.int32), np.zeros(len(state), np.bool_)
    state[:] = UNSHADED
    rim[0] = rng.integers(0, len(state))
    seen[rim[0]] = True
    waiting, shaded = 1, 0
    while waiting and shaded < most:
        i = rng.integers(0, waiting)
        cell = rim[i]
        waiting -= 1
        rim[i] = rim[waiting]
        y, x, fills = cell // cols, cell % cols, False
        for dy in (-1, 1):
            for dx in (-1, 1):
                if 0 <= y + dy < rows and 0 <= x + dx < cols:
                    sides = state[cell + dx] == SHADED and state[cell + dy * cols] == SHADED
                    fills |= sides and state[cell + dx + dy * cols] == SHADED
        if fills:
            continue
        state[cell] = SHADED
        shaded += 1
        for k in range(4):
            near = beside[cell, k]
            if near >= 0 and not seen[near]:
                seen[near] = True
                rim[waiting] = near
                waiting += 1


@njit(cache=True)
def _generate_kernel(
    rows, cols, model, active, clues, first, low, high, most, by_rung, probing, tries, answer, named, work, tree, rng
):
    """Grow a blob, give every unshaded cell its clue, carve: how many blobs were rejected before one carves.

    `active` comes without clues and ends with those that are left; `answer` and `named`, the place in the pool of each
    cell's clue, are filled.
    """
    kind, start, end, literals = model.kind, model.start, model.end, model.literals
    rules = active.copy()
    given = np.empty_like(clues)
    for rejected in range(tries):
        active[:] = rules
        tree.fails[:] = 1.0
        tree.avoid[:] = UNKNOWN
        work.counter[NODES] = 0
        _grow_kernel(rows, cols, model.beside, most, answer, rng)
        count = 0
        for cell in range(len(answer)):
            if answer[cell] == SHADED:
                continue
            unshaded, ring = clues[cell]
            pattern, total = first[cell], 0
            for at in range(start[ring], end[ring]):
                if answer[literals[at] >> 1] == SHADED:
                    pattern += 1 << (at - start[ring])
                    total += 1
            named[cell] = low[pattern]
            if kind[ring] == COUNT:
                model.low[ring] = model.high[ring] = total
            else:
                model.low[ring], model.high[ring] = low[pattern], high[pattern]
            active[unshaded] = active[ring] = True
            given[count] = clues[cell]
            count += 1
        keep = np.int64(0)
        left = _carve_kernel(model, active, given[:count], answer, by_rung, probing, keep, NO_LIMIT, work, tree, rng)
        if left != REJECTED:
            return rejected
    return tries


def generate(
    rows: int, cols: int, rng: np.random.Generator, *, rung: str | None = None, fill: float = 0.44, tries: int = 1000
) -> Generated:
    """A random board with one answer: a wall grown, a clue on every other cell, clues carved away in random order.

    The wall starts at a random cell and takes in random cells that touch it, passing over those that would fill a 2x2,
    until a share `fill` of the grid is shaded or none is left. The carve asks the complete solver ("no solvability
    filter"), or `rung`: then that rung finishes the board. A wall that is not good with every clue is grown again, up
    to `tries` times. That happens on a single row or column alone: elsewhere each shaded cell has an unshaded one
    in its ring, so another answer, which could only lack shaded cells, would leave some clue short.

    Raises PuzzleError for a bad size, rung or share, and when no try gives a board.

    >>> made = generate(5, 5, np.random.default_rng(1), rung="rings")
    >>> made.board.is_valid(made.answer)
    True
    """
    check_size(rows, cols)
    if rung is not None and rung not in Tapa.RUNGS:
        raise PuzzleError(f"tapa has no rung {shown(rung)}, only {', '.join(Tapa.RUNGS)}")
    if not 0 <= fill <= 1:
        raise PuzzleError(f"fill is a share from 0 to 1, not {shown(fill)}")
    chosen = Tapa.RUNGS["rings" if rung is None else rung]
    shop = _workshop(int(rows), int(cols), chosen.rules)
    on, answer, named = shop.active.copy(), np.empty(rows * cols, np.int8), np.empty(rows * cols, np.int32)
    rejected = _generate_kernel(
        int(rows),
        int(cols),
        shop.model,
        on,
        shop.clues,
        shop.first,
        shop.low,
        shop.high,
        round(fill * rows * cols),
        rung is not None,
        chosen.probing,
        int(tries),
        answer,
        named,
        shop.work,
        shop.tree,
        rng,
    )
    if rejected == tries:
        how = "not unique" if rung is None else f"not finished by {rung}"
        raise PuzzleError(f"no {rows}x{cols} board in {tries} tries: with every clue they were {how}")
    clues = [[None] * cols for _ in range(rows)]
    for cell in np.flatnonzero(on[shop.clues[:, 0]]).tolist():
        clues[cell // cols][cell % cols] = shop.names[named[cell]]
    return Generated(Tapa(rows, cols, clues), answer, rejected)
