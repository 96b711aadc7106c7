"""Heyawake: rooms, numbers, and no white line across two walls.

Shade cells so that no two shaded cells share an edge, the unshaded cells are one region, a numbered room holds exactly
that many shaded cells, and no straight run of unshaded cells crosses two walls. Where rooms are rectangles the last
rule says the same as "no run passes through three rooms". Rules: Nikoli, 1992.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numba import njit

from holdstill.core.carve import INFEASIBLE, REJECTED, _make_kernel
from holdstill.core.grid import (
    SHADED,
    UNSHADED,
    PuzzleError,
    _pieces_kernel,
    check_size,
    edges,
    regions,
    shown,
    where,
)
from holdstill.core.ladder import Rung
from holdstill.core.model import (
    Block,
    Model,
    Ragged,
    active,
    at_least_one,
    compile_model,
    connected,
    exactly,
    shaded,
    unshaded,
)
from holdstill.core.propagate import new_work
from holdstill.core.search import NO_LIMIT, new_tree
from holdstill.puzzles.layouts import guillotine


@dataclass(frozen=True)
class Heyawake:
    """A Heyawake board.

    `rooms` gives each cell its room's label, `rows` lists of `cols` labels, 0 to the number of rooms - 1; `clues` is
    one number or None a room; `walls` lists pairs of edge-adjacent cells of one room with a wall between them (walls
    that close no room). All three are stored as tuples, walls sorted, and None where there is none.

    Raises PuzzleError, naming the room or cell at fault.

    >>> Heyawake(1, 3, [[0, 1, 2]], [None, 1, None]).clues
    (None, 1, None)
    """

    rows: int
    cols: int
    rooms: tuple[tuple[int, ...], ...]
    clues: tuple[int | None, ...]
    walls: tuple[tuple[int, int], ...] | None = None

    RULES: ClassVar = {
        "touching": "no two shaded cells touch",
        "rooms": "room with {low}",
        "white": "the unshaded cells stay connected",
        "spans": "span clause",
    }
    PRUNE: ClassVar = "touching"
    RUNGS: ClassVar = {
        "local": Rung({"touching", "rooms", "white"}),
        "spans": Rung({"touching", "rooms", "white", "spans"}),
        "probe": Rung({"touching", "rooms", "white", "spans"}, probing=True),
    }

    def constraints(self) -> Iterator[Block]:
        """The rules as blocks of constraints, from the geometry and the clues alone."""
        yield at_least_one("touching", unshaded(edges(self.rows, self.cols)))
        yield exactly("rooms", self.room_cells, self.clues)
        yield at_least_one("spans", shaded(self.span_windows))
        yield connected("white", UNSHADED)

    @cached_property
    def model(self) -> Model:
        """The compiled constraints."""
        return compile_model(self.rows, self.cols, self.constraints(), tuple(self.RULES))

    def __post_init__(self):
        check_size(self.rows, self.cols)
        labels = _labels(self.rooms, self.rows, self.cols)
        count = int(labels.max()) + 1
        missing = np.flatnonzero(np.bincount(labels.ravel(), minlength=count) == 0)
        if len(missing):
            raise PuzzleError(f"rooms are labelled 0 to {count - 1}, but room {missing[0]} has no cell")
        pieces = regions(labels)
        if pieces.max() + 1 > count:
            first = {}
            for cell, (room, piece) in enumerate(zip(labels.ravel().tolist(), pieces.ravel().tolist(), strict=True)):
                if first.setdefault(room, piece) != piece:
                    raise PuzzleError(f"room {room} is not connected: {where([cell], self.cols)} is cut off from it")
        self.__dict__.update(
            rows=int(self.rows),
            cols=int(self.cols),
            rooms=tuple(map(tuple, labels.tolist())),
            clues=_clues(self.clues, labels),
            walls=_blind_walls(self.walls, labels),
        )

    def broken(self, states: np.ndarray) -> np.ndarray:
        """The rules that fully decided states break, as bits: bit i for the i-th of RULES.

        `states` is int8 of shape (boards, cells); the result is uint8 of shape (boards,). Reads the rules afresh, and
        shares nothing with the constraints: numbers are counted, runs walked, the unshaded cells flooded.

        >>> Heyawake(1, 3, [[0, 1, 2]], [None, None, None]).broken(np.array([[1, 1, 1], [2, 2, 1]], np.int8)).tolist()
        [8, 1]
        """
        clues = np.array([-1 if clue is None else clue for clue in self.clues], np.int32)
        states = np.ascontiguousarray(states, np.int8)
        return _broken_kernel(states, self.rows, self.cols, self.room_of, clues, *self._blind, self.rectangular)

    def is_valid(self, state: np.ndarray, without: tuple[str, ...] = ()) -> bool:
        """Is the state fully decided and right by every rule (but those left out)?"""
        state = np.asarray(state, np.int8)
        left_out = sum(1 << list(self.RULES).index(rule) for rule in without)
        return bool((state > 0).all()) and not int(self.broken(state[None])[0]) & ~left_out

    @cached_property
    def rectangular(self) -> bool:
        """Is every room a rectangle, and no wall blind?"""
        cells, labels = self.room_cells, self.room_of
        ys, xs = cells.flat // self.cols, cells.flat % self.cols
        tall = np.maximum.reduceat(ys, cells.starts[:-1]) - np.minimum.reduceat(ys, cells.starts[:-1]) + 1
        wide = np.maximum.reduceat(xs, cells.starts[:-1]) - np.minimum.reduceat(xs, cells.starts[:-1]) + 1
        return self.walls is None and bool((tall * wide == np.bincount(labels)).all())

    @cached_property
    def room_of(self) -> np.ndarray:
        """The room of each cell, int32 of shape (cells,)."""
        return np.array(self.rooms, np.int32).ravel()

    @cached_property
    def wall_right(self) -> np.ndarray:
        """Is there a wall between a cell and the one to its right, bool of shape (rows, cols - 1)?"""
        labels = self.room_of.reshape(self.rows, self.cols)
        return (labels[:, 1:] != labels[:, :-1]) | self._blind[0]

    @cached_property
    def wall_below(self) -> np.ndarray:
        """Is there a wall between a cell and the one below it, bool of shape (rows - 1, cols)?"""
        labels = self.room_of.reshape(self.rows, self.cols)
        return (labels[1:] != labels[:-1]) | self._blind[1]

    @cached_property
    def room_cells(self) -> Ragged:
        """The cells of each room in reading order."""
        order = np.argsort(self.room_of, kind="stable").astype(np.int32)
        starts = np.zeros(len(self.clues) + 1, np.int32)
        np.cumsum(np.bincount(self.room_of), out=starts[1:])
        return Ragged(order, starts)

    @cached_property
    def span_windows(self) -> Ragged:
        """The minimal windows that cross two walls: rows first, then columns, each in reading order."""
        return Ragged(*_windows_kernel(self.wall_right, self.wall_below))

    @cached_property
    def _blind(self) -> tuple[np.ndarray, np.ndarray]:
        right = np.zeros((self.rows, self.cols - 1), bool)
        below = np.zeros((self.rows - 1, self.cols), bool)
        for a, b in self.walls or ():
            (right if b == a + 1 and self.cols > 1 else below)[divmod(a, self.cols)] = True
        return right, below


@njit(cache=True)
def _broken_kernel(states, rows, cols, room_of, clues, blind_right, blind_below, rectangular):
    boards, cells, rooms = len(states), rows * cols, len(clues)
    broken = np.zeros(boards, np.uint8)
    held = np.empty(rooms, np.int32)
    met = np.empty(rooms, np.int32)
    reached = np.empty(cells, np.bool_)
    stack, column = np.empty(cells, np.int32), np.arange(cells) % cols
    for board in range(boards):
        state = states[board]
        touching, crossed = False, False
        run = 0
        met[:] = 0
        for line in range(rows + cols):
            across = line < rows
            run, walls, met_rooms, before = run + 1, 0, 0, -1
            for k in range(cols if across else rows):
                y, x = (line, k) if across else (k, line - rows)
                cell = y * cols + x
                if state[cell] == SHADED:
                    touching |= k > 0 and before >= 0 and state[before] == SHADED
                    run, walls, met_rooms = run + 1, 0, 0
                else:
                    if rectangular and met[room_of[cell]] != run:
                        met[room_of[cell]] = run
                        met_rooms += 1
                    elif not rectangular and k > 0 and state[before] != SHADED:
                        blind = blind_right[y, x - 1] if across else blind_below[y - 1, x]
                        walls += blind or room_of[before] != room_of[cell]
                    crossed |= met_rooms > 2 or walls > 1
                before = cell
        held[:] = 0
        for cell in range(cells):
            if state[cell] == SHADED:
                held[room_of[cell]] += 1
        miscounted = False
        for room in range(rooms):
            miscounted |= clues[room] >= 0 and held[room] != clues[room]
        pieces = _pieces_kernel(state, False, column, reached, stack)
        broken[board] = touching | miscounted << 1 | (pieces > 1) << 2 | crossed << 3
    return broken


@njit(cache=True)
def _windows_kernel(wall_right, wall_below):
    """From the cell before each wall of a line to the cell after the next wall, as (flat cells, starts).

    A line with k walls gives max(0, k - 1) windows, and each run that crosses two walls contains one of them.
    """
    rows, cols = len(wall_right), wall_below.shape[1]
    flat = np.empty(6 * rows * cols, np.int32)
    starts = np.zeros(2 * rows * cols + 1, np.int32)
    windows, filled = 0, 0
    for line in range(rows + cols):
        across = line < rows
        before = -1
        for k in range((cols if across else rows) - 1):
            if not (wall_right[line, k] if across else wall_below[k, line - rows]):
                continue
            if before >= 0:
                for j in range(before, k + 2):
                    flat[filled] = line * cols + j if across else j * cols + line - rows
                    filled += 1
                windows += 1
                starts[windows] = filled
            before = k
    return flat[:filled].copy(), starts[: windows + 1].copy()


def _labels(rooms, rows: int, cols: int) -> np.ndarray:
    most = rows * cols - 1
    if isinstance(rooms, np.ndarray):
        fits = rooms.shape == (rows, cols) and np.issubdtype(rooms.dtype, np.integer)
        if fits and rooms.min() >= 0 and rooms.max() <= most:
            return rooms.astype(np.int32)
        rooms = rooms.tolist()
    if not isinstance(rooms, (list, tuple)) or len(rooms) != rows:
        raise PuzzleError(f"rooms must be {rows} rows of {cols} labels")
    for y, row in enumerate(rooms):
        if not isinstance(row, (list, tuple)) or len(row) != cols:
            raise PuzzleError(f"rooms: row {y + 1} must hold {cols} labels")
        for x, label in enumerate(row):
            if type(label) is not int or not 0 <= label <= most:
                raise PuzzleError(f"rooms: r{y + 1}c{x + 1} has the label {shown(label)}, not 0 to {most}")
    return np.array(rooms, np.int32)


def _clues(clues, labels: np.ndarray) -> tuple[int | None, ...]:
    sizes = np.bincount(labels.ravel()).tolist()
    if not isinstance(clues, (list, tuple)) or len(clues) != len(sizes):
        raise PuzzleError(f"clues must be a list of {len(sizes)}, one a room")
    for room, (clue, size) in enumerate(zip(clues, sizes, strict=True)):
        if clue is None:
            continue
        if type(clue) is not int or clue < 0:
            raise PuzzleError(f"room {room} has the clue {shown(clue)}, neither a number nor null")
        if clue > size:
            raise PuzzleError(f"room {room} has {size} cells and the clue {shown(clue)}")
    total, most = sum(clue or 0 for clue in clues), (labels.size + 1) // 2
    if total > most:
        raise PuzzleError(
            f"the clues add up to {shown(total)}, but at most {most} cells can be shaded without touching"
        )
    return tuple(clues)


def _blind_walls(walls, labels: np.ndarray) -> tuple[tuple[int, int], ...] | None:
    if walls is None:
        return None
    rows, cols = labels.shape
    flat, found = labels.ravel(), set()
    if not isinstance(walls, (list, tuple)):
        raise PuzzleError("walls must be a list of pairs of cells, or null")
    for wall in walls:
        if not isinstance(wall, (list, tuple)) or len(wall) != 2 or any(type(cell) is not int for cell in wall):
            raise PuzzleError(f"walls: {shown(wall)} is not a pair of cells")
        a, b = sorted(wall)
        beside = b - a == cols or (b - a == 1 and b % cols)
        if not (a >= 0 and b < rows * cols and beside):
            raise PuzzleError(f"walls: {shown(a)} and {shown(b)} are not edge-adjacent cells of the grid")
        if flat[a] == flat[b]:
            found.add((a, b))
    return tuple(sorted(found)) or None


class Carved(NamedTuple):
    """What came of one layout: its board and the one answer (int8 state), or None twice.

    `rejected` counts the answers that were not good enough. `left` says how many numbers the board has, or why there is
    none: INFEASIBLE, REJECTED or UNSETTLED of core/carve.py.
    """

    board: Heyawake | None
    answer: np.ndarray | None
    left: int
    rejected: int


def carve(
    labels: np.ndarray,
    rng: np.random.Generator,
    *,
    rung: str | None = None,
    shade: float = 0.2,
    noise: float = 1.0,
    keep: float = 0.0,
    answers: int = 4,
    flood: bool = False,
    dense: bool = False,
    nodes: int = NO_LIMIT,
) -> Carved:
    """One layout (int array of shape (rows, cols)) made into a board, as `generate` does.

    `dense` answers are shaded further, in random order, until no cell fits. Search ends after `nodes` nodes.
    """
    chosen, names = Heyawake.RUNGS["spans" if rung is None else rung], tuple(Heyawake.RULES)
    rows, cols = labels.shape
    # Every room gets a count now and its number once the answer is drawn.
    model = Heyawake(rows, cols, labels, (0,) * (int(labels.max()) + 1)).model
    model.high[model.connected] = flood
    clues = np.flatnonzero(model.rule == names.index("rooms"))
    on, answer = active(model, names, chosen.rules), np.empty((1, rows * cols), np.int8)
    left, rejected = _make_kernel(
        model,
        active(model, names, ("touching", "white", "spans")),
        on,
        clues,
        answer,
        rung is not None,
        chosen.probing,
        math.ceil(keep * len(clues)),
        answers,
        float(shade),
        float(noise),
        bool(dense),
        int(nodes),
        new_work(model),
        new_tree(model),
        rng,
    )
    if left < 0:
        return Carved(None, None, left, rejected)
    numbers = [int(model.low[con]) if on[con] else None for con in clues]
    return Carved(Heyawake(rows, cols, labels, numbers), answer[0], left, rejected)


class Generated(NamedTuple):
    """A board made with its answer (int8 state), and what it took: layouts without an answer, boards not good enough.

    `answer` is the one answer of `board`.
    """

    board: Heyawake
    answer: np.ndarray
    infeasible: int
    rejected: int


def generate(
    rows: int,
    cols: int,
    rng: np.random.Generator,
    *,
    rung: str | None = None,
    rooms=guillotine,
    shade: float = 0.2,
    noise: float = 1.0,
    keep: float = 0.0,
    answers: int = 4,
    flood: bool = False,
    tries: int = 1000,
) -> Generated:
    """A random board with one answer: rooms cut, an answer drawn, its numbers carved away in random order.

    The carve asks the complete solver ("no solvability filter"), or `rung`: then that rung finishes the board. `rooms`
    cuts the grid (rows, cols, rng -> labels); `shade` and `noise` guide the draw (see `search.random_answer`); the
    carve stops when a share `keep` of the rooms is numbered. An answer that is not good fully numbered is drawn again,
    up to `answers` times a layout; then, or where a layout has no answer, rooms are cut again, up to `tries` failures.
    `flood` finds cut cells by remove-and-flood, the slow rival; the board is the same.

    Raises PuzzleError for a bad size or rung, and when no try gives a board.

    >>> made = generate(5, 5, np.random.default_rng(1), rung="spans")
    >>> made.board.is_valid(made.answer)
    True
    """
    check_size(rows, cols)
    if rung is not None and rung not in Heyawake.RUNGS:
        raise PuzzleError(f"heyawake has no rung {shown(rung)}, only {', '.join(Heyawake.RUNGS)}")
    ended = {INFEASIBLE: 0, REJECTED: 0}
    while sum(ended.values()) < tries:
        made = carve(
            rooms(rows, cols, rng),
            rng,
            rung=rung,
            shade=shade,
            noise=noise,
            keep=keep,
            answers=answers,
            flood=flood,
        )
        ended[REJECTED] += made.rejected
        ended[INFEASIBLE] += made.left == INFEASIBLE
        if made.board is not None:
            return Generated(made.board, made.answer, ended[INFEASIBLE], ended[REJECTED])
    raise PuzzleError(
        f"no {rows}x{cols} board in {tries} tries: {ended[INFEASIBLE]} layouts had no answer, {ended[REJECTED]} boards "
        + ("were not unique" if rung is None else f"were not finished by {rung}")
    )
