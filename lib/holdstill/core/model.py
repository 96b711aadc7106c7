"""A puzzle's rules compiled to four kinds of constraint over the cells of a grid, as flat arrays.

A rule yields blocks of constraints, each under the rule's name; `compile_model` lays the blocks end to end. A literal
is `2 * cell + 1` for "the cell is shaded" and `2 * cell` for "the cell is unshaded".

Clause      at least one of the literals holds
Count       between lo and hi of the cells are shaded; the cells may come in ordered groups, shaded from the front
Table       the shaded subset of up to 16 cells is one of the given patterns (bit i = cell i)
Connected   the cells of one colour are at most one edge-connected region
"""

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from holdstill.core.grid import PuzzleError, neighbours

CLAUSE, COUNT, TABLE, CONNECTED = 0, 1, 2, 3
MAX_TABLE_CELLS = 16
MAX_PATTERNS = 1 << 21


class Ragged(NamedTuple):
    """Lists of different lengths end to end: list i is `flat[starts[i]:starts[i + 1]]`, both int32."""

    flat: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, lists) -> "Ragged":
        """The same lists, from a 2D array, a Ragged or any sequence of sequences."""
        if isinstance(lists, Ragged):
            return lists
        if isinstance(lists, np.ndarray) and lists.ndim == 2:
            starts = np.arange(len(lists) + 1, dtype=np.int32) * np.int32(lists.shape[1])
            return cls(np.ascontiguousarray(lists, np.int32).ravel(), starts)
        starts = np.zeros(len(lists) + 1, np.int32)
        np.cumsum([len(one) for one in lists], out=starts[1:])
        flat = np.fromiter((cell for one in lists for cell in one), np.int32, int(starts[-1]))
        return cls(flat, starts)

    def kept(self, keep: np.ndarray) -> "Ragged":
        """The lists where `keep`, bool of shape (lists,), is True."""
        lengths = np.diff(self.starts)
        starts = np.zeros(keep.sum() + 1, np.int32)
        np.cumsum(lengths[keep], out=starts[1:])
        return Ragged(self.flat[np.repeat(keep, lengths)], starts)


class Block(NamedTuple):
    """Constraints of one kind under one rule's name.

    `lists` holds literals (Clause) or cells (Count, Table); `low` and `high` are the bounds of a Count, the range of
    `patterns` of a Table, the colour of Connected; `group` numbers the groups of a Count, aligned with `lists.flat`.
    """

    rule: str
    kind: int
    lists: Ragged
    low: np.ndarray
    high: np.ndarray
    group: np.ndarray
    patterns: np.ndarray


_NONE = np.empty(0, np.int32)


def shaded(cells) -> Ragged:
    """The literals "shaded" of lists of cells."""
    lists = Ragged.of(cells)
    return Ragged(2 * lists.flat + np.int32(1), lists.starts)


def unshaded(cells) -> Ragged:
    """The literals "unshaded" of lists of cells."""
    lists = Ragged.of(cells)
    return Ragged(2 * lists.flat, lists.starts)


def at_least_one(rule: str, literals: Ragged) -> Block:
    """A clause for each list of literals.

    >>> at_least_one("touching", unshaded([[0, 1]])).lists.flat.tolist()
    [0, 2]
    """
    none = np.zeros(len(literals.starts) - 1, np.int32)
    return Block(rule, CLAUSE, literals, none, none, np.zeros(len(literals.flat), np.int32), _NONE)


def between(rule: str, cells, low: Sequence[int], high: Sequence[int], group=None) -> Block:
    """A count for each list of cells: from low to high of them are shaded.

    `group` gives each cell of the flat lists its group within its count; the cells of a group stand together and are
    shaded from the front. Without it each cell is a group of its own.
    """
    lists = Ragged.of(cells)
    if group is None:
        group = np.arange(len(lists.flat), dtype=np.int32)
    return Block(
        rule,
        COUNT,
        lists,
        np.array(low, np.int32),
        np.array(high, np.int32),
        np.array(group, np.int32),
        _NONE,
    )


def exactly(rule: str, cells, numbers: Sequence[int | None]) -> Block:
    """A count for each list of cells with a number; lists with None are left out."""
    lists = Ragged.of(cells)
    if None not in numbers:
        return between(rule, lists, numbers, numbers)
    keep = np.array([number is not None for number in numbers], bool)
    wanted = [number for number in numbers if number is not None]
    return between(rule, lists.kept(keep), wanted, wanted)


def one_of(rule: str, cells, low: np.ndarray, high: np.ndarray, pool: np.ndarray) -> Block:
    """A table for each list of up to 16 cells: its shaded subset is one of `pool[low[i]:high[i]]`, bit j for cell j.

    Lists may share patterns. All three arrays are int32.

    Raises PuzzleError for a list of more than 16 cells or a pool of more than 2,097,152 patterns.

    >>> low, high, pool = (np.array(one, np.int32) for one in ([0, 1], [2, 2], [1, 2]))
    >>> block = one_of("ring", [[0, 1], [2, 3]], low, high, pool)
    >>> [block.patterns[a:b].tolist() for a, b in zip(block.low, block.high)]
    [[1, 2], [2]]
    """
    lists = Ragged.of(cells)
    longest = int(np.diff(lists.starts).max(initial=0))
    if longest > MAX_TABLE_CELLS:
        raise PuzzleError(f"{rule}: a table holds up to {MAX_TABLE_CELLS} cells, not {longest}")
    if len(pool) > MAX_PATTERNS:
        raise PuzzleError(f"{rule}: {len(pool)} patterns are more than the cap of {MAX_PATTERNS}")
    unused = np.zeros(len(lists.flat), np.int32)
    return Block(rule, TABLE, lists, low, high, unused, pool)


def connected(rule: str, colour: int) -> Block:
    """The cells of this colour (UNSHADED or SHADED) are at most one edge-connected region.

    Its `high` is 0: one articulation walk. Set to 1 in a model, it asks for the remove-and-flood rival instead.
    """
    lists = Ragged(_NONE, np.zeros(2, np.int32))
    return Block(rule, CONNECTED, lists, np.array([colour], np.int32), np.zeros(1, np.int32), _NONE, _NONE)


class Model(NamedTuple):
    """All constraints of one board, m of them over n cells, as arrays that kernels read.

    kind, rule: int32 (m,), the kind and the index of the rule. start, end: int32 (m,), the range of the constraint's
    literals in `literals`. low, high: int32 (m,), see Block. group: int32, aligned with `literals`. patterns: int32.
    watch_start: int32 (2n + 1,) and watch: int32: the constraints to wake when literal's cell takes the *other*
    value, by literal. connected: int32, the ids of Connected constraints. beside: int32 (n, 4).
    """

    kind: np.ndarray
    rule: np.ndarray
    start: np.ndarray
    end: np.ndarray
    literals: np.ndarray
    group: np.ndarray
    low: np.ndarray
    high: np.ndarray
    patterns: np.ndarray
    watch_start: np.ndarray
    watch: np.ndarray
    connected: np.ndarray
    beside: np.ndarray


@njit(cache=True)
def _watch_kernel(kind, start, end, literals, cells):
    """Clauses wake when a literal of theirs turns false, counts and tables whenever a cell of theirs is decided."""
    watch_start = np.zeros(2 * cells + 1, np.int32)
    for con in range(len(kind)):
        for at in range(start[con], end[con]):
            watch_start[literals[at] + 1] += 1
            if kind[con] != CLAUSE:
                watch_start[(literals[at] ^ 1) + 1] += 1
    for literal in range(2 * cells):
        watch_start[literal + 1] += watch_start[literal]
    fill = watch_start[:-1].copy()
    watch = np.empty(watch_start[-1], np.int32)
    for con in range(len(kind)):
        for at in range(start[con], end[con]):
            literal = literals[at]
            watch[fill[literal]] = con
            fill[literal] += 1
            if kind[con] != CLAUSE:
                watch[fill[literal ^ 1]] = con
                fill[literal ^ 1] += 1
    return watch_start, watch


def compile_model(rows: int, cols: int, blocks: Iterable[Block], rules: Sequence[str]) -> Model:
    """The model of these blocks on a rows x cols grid; a rule's index is its place in `rules`.

    >>> model = compile_model(1, 2, [at_least_one("touching", unshaded([[0, 1]]))], ["touching"])
    >>> model.literals.tolist(), model.watch[model.watch_start[0] : model.watch_start[1]].tolist()
    ([0, 2], [0])
    """
    blocks = [block for block in blocks if len(block.lists.starts) > 1]
    constraints = sum(len(block.lists.starts) - 1 for block in blocks)
    kind, rule, start, end, low, high = np.empty((6, constraints), np.int32)
    literals, group = np.empty((2, sum(len(block.lists.flat) for block in blocks)), np.int32)
    patterns = np.empty(sum(len(block.patterns) for block in blocks), np.int32)
    con, at, pattern = 0, 0, 0
    for block in blocks:
        flat, starts = block.lists
        here, cells = slice(con, con + len(starts) - 1), slice(at, at + len(flat))
        shift = pattern if block.kind == TABLE else 0
        kind[here], rule[here] = block.kind, rules.index(block.rule)
        np.add(starts[:-1], at, out=start[here])
        np.add(starts[1:], at, out=end[here])
        np.add(block.low, shift, out=low[here])
        np.add(block.high, shift, out=high[here])
        literals[cells] = flat if block.kind == CLAUSE else 2 * flat + 1
        group[cells] = block.group
        patterns[pattern : pattern + len(block.patterns)] = block.patterns
        con, at, pattern = here.stop, cells.stop, pattern + len(block.patterns)
    watch_start, watch = _watch_kernel(kind, start, end, literals, rows * cols)
    connected = np.flatnonzero(kind == CONNECTED).astype(np.int32)
    beside = neighbours(rows, cols)
    return Model(kind, rule, start, end, literals, group, low, high, patterns, watch_start, watch, connected, beside)


def active(model: Model, rules: Sequence[str], chosen: Container[str]) -> np.ndarray:
    """Which constraints belong to the chosen rules, bool of shape (constraints,)."""
    on = np.array([rule in chosen for rule in rules])
    return on[model.rule]
