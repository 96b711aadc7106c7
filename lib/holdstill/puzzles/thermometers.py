"""Thermometers: tubes filled from the bulb, and how many cells each line holds.

Tubes of cells, straight or bent, run from a bulb. Fill each of them from its bulb up to some level, without a gap, so
that a numbered row or column holds exactly that many filled cells of tubes. Cells in no tube stay empty. Filled is
shaded.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numba import njit

from holdstill.core.carve import REJECTED, _carve_kernel, _finishes_kernel, _may_have_answer_kernel, _number_kernel
from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED, PuzzleError, check_size, shown
from holdstill.core.ladder import Rung, finishes
from holdstill.core.model import (
    MAX_TABLE_CELLS,
    Block,
    Model,
    Ragged,
    active,
    at_least_one,
    between,
    compile_model,
    one_of,
    unshaded,
)
from holdstill.core.propagate import _undo_kernel, new_work
from holdstill.core.search import NO_LIMIT, new_tree
from holdstill.puzzles.tubes import random_tubes


@dataclass(frozen=True)
class Thermometers:
    """A Thermometers board.

    `tubes` lists each tube's cells from its bulb on; `row_counts` and `col_counts` are one number or None a line. All
    three are stored as tuples.

    Raises PuzzleError, naming the tube, cell or line at fault.

    >>> Thermometers(2, 2, [[0, 1, 3]], [1, None], [None, None]).tubes
    ((0, 1, 3),)
    """

    rows: int
    cols: int
    tubes: tuple[tuple[int, ...], ...]
    row_counts: tuple[int | None, ...]
    col_counts: tuple[int | None, ...]

    RULES: ClassVar = {
        "outside": "cells in no tube stay unshaded",
        "order": "a tube fills from its bulb",
        "counts": "line with {low}",
        "ways": "all ways to meet the line's count",
    }
    PRUNE: ClassVar = None
    RUNGS: ClassVar = {
        "interval": Rung({"outside", "order", "counts"}),
        "witness": Rung({"outside", "order", "ways"}),
        "probe": Rung({"outside", "order", "counts"}, probing=True),
    }

    def constraints(self) -> Iterator[Block]:
        """The rules as blocks of constraints, from the geometry and the counts alone."""
        cells = self.tube_cells.flat
        outside = np.setdiff1d(np.arange(self.rows * self.cols, dtype=np.int32), cells)
        yield at_least_one("outside", unshaded(outside[:, None]))
        follows = self.tube_of[cells[1:]] == self.tube_of[cells[:-1]]
        yield at_least_one("order", Ragged.of(np.stack([2 * cells[:-1] + 1, 2 * cells[1:]], axis=1)[follows]))
        lines, numbers = self.numbered_lines
        yield from line_constraints(lines, numbers, self.tube_of[lines.flat])

    @cached_property
    def model(self) -> Model:
        """The compiled constraints."""
        return compile_model(self.rows, self.cols, self.constraints(), tuple(self.RULES))

    def __post_init__(self):
        check_size(self.rows, self.cols)
        rows, cols = int(self.rows), int(self.cols)
        tubes = _tubes(self.tubes, rows, cols)
        row_lengths, col_lengths = np.zeros(rows, int), np.zeros(cols, int)
        cells = Ragged.of(tubes).flat
        np.add.at(row_lengths, cells // cols, 1)
        np.add.at(col_lengths, cells % cols, 1)
        self.__dict__.update(
            rows=rows,
            cols=cols,
            tubes=tubes,
            row_counts=_counts("row", self.row_counts, row_lengths.tolist()),
            col_counts=_counts("column", self.col_counts, col_lengths.tolist()),
        )

    def broken(self, states: np.ndarray) -> np.ndarray:
        """The rules that fully decided states break, as bits: bit i for the i-th of RULES.

        `states` is int8 of shape (boards, cells); the result is uint8 of shape (boards,). Reads the rules afresh, and
        shares nothing with the constraints: tubes are walked from the bulb, lines counted cell by cell.

        >>> board = Thermometers(1, 3, [[1, 0]], [1], [None] * 3)
        >>> board.broken(np.array([[1, 2, 1], [2, 1, 1], [1, 2, 2], [1, 1, 1]], np.int8)).tolist()
        [0, 2, 1, 12]
        """
        wanted = np.array([-1 if count is None else count for count in self.row_counts + self.col_counts], np.int32)
        return _broken_kernel(np.ascontiguousarray(states, np.int8), self.rows, self.cols, *self.tube_cells, wanted)

    def is_valid(self, state: np.ndarray, without: tuple[str, ...] = ()) -> bool:
        """Is the state fully decided and right by every rule (but those left out)?"""
        state = np.asarray(state, np.int8)
        left_out = sum(1 << list(self.RULES).index(rule) for rule in without)
        return bool((state > 0).all()) and not int(self.broken(state[None])[0]) & ~left_out

    @cached_property
    def tube_cells(self) -> Ragged:
        """The cells of each tube from its bulb on."""
        return Ragged.of(self.tubes)

    @cached_property
    def tube_of(self) -> np.ndarray:
        """The tube of each cell, int32 of shape (cells,); -1 in none."""
        tube = np.full(self.rows * self.cols, -1, np.int32)
        tube[self.tube_cells.flat] = np.repeat(np.arange(len(self.tubes)), np.diff(self.tube_cells.starts))
        return tube

    @cached_property
    def numbered_lines(self) -> tuple[Ragged, np.ndarray]:
        """The cells in tubes of each line with a count (rows, then columns), tube by tube from the bulb; the counts."""
        cells = self.tube_cells.flat
        line = np.concatenate([cells // self.cols, self.rows + cells % self.cols])
        counts = self.row_counts + self.col_counts
        starts = np.zeros(len(counts) + 1, np.int32)
        np.cumsum(np.bincount(line, minlength=len(counts)), out=starts[1:])
        every = Ragged(np.concatenate([cells, cells])[np.argsort(line, kind="stable")], starts)
        numbers = np.array([count for count in counts if count is not None], np.int32)
        return every.kept(np.array([count is not None for count in counts])), numbers


@njit(cache=True)
def _broken_kernel(states, rows, cols, tube_cells, starts, wanted):
    boards, cells = len(states), rows * cols
    broken = np.zeros(boards, np.uint8)
    in_tube = np.zeros(cells, np.bool_)
    in_tube[tube_cells] = True
    held = np.empty(rows + cols, np.int32)
    for board in range(boards):
        state = states[board]
        spilt, gap, miscounted = False, False, False
        held[:] = 0
        for cell in range(cells):
            if state[cell] == SHADED and in_tube[cell]:
                held[cell // cols] += 1
                held[rows + cell % cols] += 1
            elif state[cell] == SHADED:
                spilt = True
        for tube in range(len(starts) - 1):
            empty = False
            for at in range(starts[tube], starts[tube + 1]):
                gap |= empty and state[tube_cells[at]] == SHADED
                empty |= state[tube_cells[at]] != SHADED
        for line in range(rows + cols):
            miscounted |= wanted[line] >= 0 and held[line] != wanted[line]
        broken[board] = spilt | gap << 1 | miscounted << 2 | miscounted << 3
    return broken


def line_constraints(lines: Ragged, numbers: np.ndarray, group: np.ndarray) -> Iterator[Block]:
    """Each line's count said twice: "counts", with a group a tube, and "ways", every way to meet it as a table.

    `lines` holds each line's cells in tubes, tube by tube from the bulb, and `group` the tube of each of them: one
    group a tube, also where a bent tube leaves the line and comes back, for the cells in between keep the order. Both
    take the order within the line for granted. A line of more than 16 cells gets no table: "ways" says nothing about
    it, which is sound, and "counts" does.
    """
    yield between("counts", lines, numbers, numbers, group)
    fits = np.diff(lines.starts) <= MAX_TABLE_CELLS
    short = lines.kept(fits)
    patterns, starts = _ways_kernel(short.starts, group[np.repeat(fits, np.diff(lines.starts))], numbers[fits])
    yield one_of("ways", short, starts[:-1], starts[1:], patterns)


@njit(cache=True)
def _ways_kernel(starts, group, numbers):
    """The patterns of each line end to end, and where each line's begin."""
    ways = np.zeros(len(starts), np.int32)
    patterns = np.empty(1024, np.int32)
    offset, size, level = np.zeros(17, np.int64), np.zeros(17, np.int64), np.zeros(17, np.int64)
    found = 0
    for line in range(len(numbers)):
        groups = 0
        for at in range(starts[line], starts[line + 1]):
            if at == starts[line] or group[at] != group[at - 1]:
                offset[groups], size[groups] = at - starts[line], 0
                groups += 1
            size[groups - 1] += 1
        rest, last = numbers[line], groups
        while True:
            # The levels after the one just raised, in the least order: what is left goes to the last tubes.
            for k in range(groups - 1, groups - 1 - last, -1):
                level[k] = min(size[k], rest)
                rest -= level[k]
            if found == len(patterns):
                patterns = np.concatenate((patterns, np.empty(found, np.int32)))
            pattern = 0
            for k in range(groups):
                pattern |= ((1 << level[k]) - 1) << offset[k]
            patterns[found] = pattern
            found += 1
            k, rest = groups - 2, level[groups - 1] if groups else 0
            while k >= 0 and (rest == 0 or level[k] == size[k]):
                rest += level[k]
                k -= 1
            if k < 0:
                break
            level[k] += 1
            rest -= 1
            last = groups - 1 - k
        ways[line + 1] = found
    return patterns[:found].copy(), ways


def _tubes(tubes, rows: int, cols: int) -> tuple[tuple[int, ...], ...]:
    if not isinstance(tubes, (list, tuple)):
        raise PuzzleError("tubes must be a list of lists of cells, each from its bulb on")
    tube_of: dict[int, int] = {}
    for number, tube in enumerate(tubes):
        if not isinstance(tube, (list, tuple)) or not tube:
            raise PuzzleError(f"tube {number} is {shown(tube)}, not a list of cells from its bulb on")
        before = None
        for cell in tube:
            if type(cell) is not int or not 0 <= cell < rows * cols:
                raise PuzzleError(
                    f"tube {number} leaves the {rows}x{cols} grid: {shown(cell)} is not 0 to {rows * cols - 1}"
                )
            y, x = divmod(cell, cols)
            if cell in tube_of:
                other = tube_of[cell]
                met = "itself" if other == number else f"tube {other}"
                raise PuzzleError(f"tube {number} crosses {met} at r{y + 1}c{x + 1}")
            if before and abs(y - before[0]) + abs(x - before[1]) != 1:
                raise PuzzleError(f"tube {number} jumps from r{before[0] + 1}c{before[1] + 1} to r{y + 1}c{x + 1}")
            tube_of[cell], before = number, (y, x)
    return tuple(tuple(tube) for tube in tubes)


def _counts(name: str, counts, lengths: list[int]) -> tuple[int | None, ...]:
    if not isinstance(counts, (list, tuple)) or len(counts) != len(lengths):
        raise PuzzleError(f"{name} counts must be a list of {len(lengths)}, one a {name}")
    for line, (count, length) in enumerate(zip(counts, lengths, strict=True), 1):
        if count is None:
            continue
        if type(count) is not int or count < 0:
            raise PuzzleError(f"{name} {line} has the count {shown(count)}, neither a number nor null")
        if count > length:
            raise PuzzleError(f"{name} {line} has {length} cells in tubes and the count {shown(count)}")
    return tuple(counts)


class Generated(NamedTuple):
    """A board made with its answer (int8 state), and what it took: answers repaired, tubes drawn in vain.

    `answer` is the one answer of `board`.
    """

    board: Thermometers
    answer: np.ndarray
    repaired: int
    rejected: int


def generate(
    rows: int,
    cols: int,
    rng: np.random.Generator,
    *,
    rung: str | None = None,
    cover: float = 1.0,
    longest: int = 8,
    bend: float = 1.0,
    keep: float = 0.0,
    repairs: int = 1000,
    tries: int = 1000,
) -> Generated:
    """A random board with one answer: tubes drawn, filled, every count read off, counts hidden in random order.

    `cover`, `longest` and `bend` draw the tubes, as in `random_tubes`; each is filled to a uniform level. A count is
    hidden where the board stays unique by the complete solver ("no solvability filter"), or finished by `rung`, until a
    share `keep` of the lines is numbered. Where the board is not good with every count, the answer is repaired: each
    tube that a second answer fills otherwise (or that `rung` leaves open) is filled anew with probability 1/2, up to
    `repairs` times. 0 repairs are plain rejection: new tubes after each failure, up to `tries` times.

    Raises PuzzleError for a bad size, rung, share or length, and when no try gives a board.

    >>> made = generate(6, 6, np.random.default_rng(1), rung="interval")
    >>> made.board.is_valid(made.answer)
    True
    """
    check_size(rows, cols)
    if rung is not None and rung not in Thermometers.RUNGS:
        raise PuzzleError(f"thermometers has no rung {shown(rung)}, only {', '.join(Thermometers.RUNGS)}")
    # What `witness` finishes `interval` finishes, and the other way round (thermometers_levels proves it), but a table
    # must be listed again for each answer: the carve goes by counts, and the rung asked for has the last word.
    chosen = Thermometers.RUNGS["probe" if rung == "probe" else "interval"]
    names, repaired = tuple(Thermometers.RULES), 0
    for rejected in range(tries):
        tubes = random_tubes(rows, cols, rng, cover=cover, longest=longest, bend=bend)
        # Every line gets a count now and its number once the answer is drawn.
        blank = Thermometers(rows, cols, tubes, (0,) * rows, (0,) * cols)
        model = blank.model
        clues = np.flatnonzero(model.rule == names.index("counts"))
        on, answer = active(model, names, chosen.rules), np.full(rows * cols, UNSHADED, np.int8)
        left, steps = _make_kernel(
            model,
            on,
            clues,
            *blank.tube_cells,
            answer,
            rung is not None,
            chosen.probing,
            math.ceil(keep * len(clues)),
            repairs,
            new_work(model),
            new_tree(model),
            rng,
        )
        repaired += steps
        if left == REJECTED:
            continue
        counts = [int(model.low[con]) if on[con] else None for con in clues]
        board = Thermometers(rows, cols, tubes, counts[:rows], counts[rows:])
        if rung is None or finishes(board, rung):
            return Generated(board, answer, repaired, rejected)
    failed = "were not unique" if rung is None else f"were not finished by {rung}"
    raise PuzzleError(f"no {rows}x{cols} board in {tries} tries: {tries} boards {failed}, after {repaired} repairs")


@njit(cache=True)
def _make_kernel(model, active, clues, cells, starts, answer, by_rung, probing, keep, repairs, work, tree, rng):
    """Fill the tubes, repair, carve: (clues left or REJECTED, repairs made). Fills `answer`, bounds and `active`."""
    tubes = len(starts) - 1
    redrawn = np.ones(tubes, np.bool_)
    repaired = 0
    while True:
        for tube in range(tubes):
            if redrawn[tube]:
                level = rng.integers(0, starts[tube + 1] - starts[tube] + 1)
                for at in range(starts[tube], starts[tube + 1]):
                    answer[cells[at]] = SHADED if at - starts[tube] < level else UNSHADED
        _number_kernel(model, clues, answer)
        good = True
        if not by_rung or probing:  # a second answer is found faster than probing gives up
            _undo_kernel(work, 0)
            tree.first[:] = 3 - answer
            tree.avoid[:] = answer
            good = not _may_have_answer_kernel(model, active, work, tree, NO_LIMIT, rng)
        if good and by_rung:
            good = _finishes_kernel(model, active, probing, work)
        if good or repaired == repairs:
            break
        repaired += 1
        for tube in range(tubes):
            redrawn[tube] = False
            for at in range(starts[tube], starts[tube + 1]):
                redrawn[tube] |= work.state[cells[at]] != answer[cells[at]]
            redrawn[tube] &= rng.random() < 0.5
    if not good:
        return REJECTED, repaired
    tree.avoid[:] = UNKNOWN
    one_each = clues.reshape(-1, 1)
    left = _carve_kernel(model, active, one_each, answer, by_rung, probing, keep, NO_LIMIT, work, tree, rng)
    return left, repaired
