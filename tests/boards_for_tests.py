"""Boards and small models that several test files share, each rebuilt from its number alone."""

import itertools
from typing import NamedTuple

import networkx as nx
import numpy as np

from holdstill.core import sat
from holdstill.core.brute import answers, shadings
from holdstill.core.grid import SHADED, UNKNOWN
from holdstill.core.ladder import Rung, deduce
from holdstill.core.model import Block, Model, Ragged, active, at_least_one, between, compile_model, connected, one_of
from holdstill.core.search import every_rule
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.layouts import grown, guillotine

BOARDS, SMALL_BOARDS = 2000, 1900
NO_CLUES, SOME_CLUES, ALL_CLUES, PERTURBED = range(4)


def board(number: int) -> Heyawake:
    """Board `number`: 3x3 or 4x4 up to 1,899, 5x5 from there on; its rooms, walls and kind of clues go by its bits."""
    rng = np.random.default_rng([2026, number])
    side = 5 if number >= SMALL_BOARDS else 3 + number % 2
    labels = grown(side, side, rng) if number // 2 % 2 else guillotine(side, side, rng, may_keep=6)
    walls = blind_walls(labels, rng) if number // 4 % 2 else None
    kind = number // 8 % 4
    rooms = int(labels.max()) + 1
    bare = Heyawake(side, side, labels, [None] * rooms, walls)
    if kind == NO_CLUES and side < 5:
        return bare
    drawn = answers(bare)
    if len(drawn) == 0:
        drawn = next(iter(shadings(side, side, "touching")))
    answer = drawn[rng.integers(len(drawn))]
    clues = np.bincount(labels.ravel(), answer == SHADED, rooms).astype(int).tolist()
    if kind == SOME_CLUES:
        clues = [clue if rng.random() < 0.7 else None for clue in clues]
    elif kind == PERTURBED:
        room = int(rng.integers(rooms))
        clues[room] = abs(clues[room] + int(rng.choice([-1, 1])))
        clues[room] = min(clues[room], int((labels == room).sum()))
        while sum(clue or 0 for clue in clues) > (side * side + 1) // 2:
            clues[int(rng.integers(rooms))] = None
    return Heyawake(side, side, labels, clues, walls)


def blind_walls(labels: np.ndarray, rng: np.random.Generator, share: float = 0.3) -> list[tuple[int, int]]:
    """Walls inside rooms, each possible one with the probability `share`."""
    rows, cols = labels.shape
    pairs = [(y * cols + x, y * cols + x + 1) for y in range(rows) for x in range(cols - 1)]
    pairs += [(y * cols + x, y * cols + cols + x) for y in range(rows - 1) for x in range(cols)]
    flat = labels.ravel()
    return [(a, b) for a, b in pairs if flat[a] == flat[b] and rng.random() < share]


class Small(NamedTuple):
    """As much of a puzzle as search and the ladder ask for."""

    rows: int
    cols: int
    model: Model
    RULES: dict
    RUNGS: dict


def small(rows: int, cols: int, blocks: list[Block]) -> Small:
    """A puzzle of these blocks, with the rungs "all" and "probe"."""
    rules = {block.rule: block.rule for block in blocks}
    rungs = {"all": Rung(frozenset(rules)), "probe": Rung(frozenset(rules), probing=True)}
    return Small(rows, cols, compile_model(rows, cols, blocks, tuple(rules)), rules, rungs)


def shuffled(blocks, rng: np.random.Generator) -> list[Block]:
    """The same constraints in another order: blocks permuted, and the lists within each."""
    mixed = []
    for block in blocks:
        flat, starts = block.lists
        order = rng.permutation(len(starts) - 1)
        spans = [slice(starts[i], starts[i + 1]) for i in order]
        lists = Ragged.of([flat[span] for span in spans])
        group = np.concatenate([block.group[span] for span in spans]) if spans else block.group
        mixed.append(block._replace(lists=lists, low=block.low[order], high=block.high[order], group=group))
    return [mixed[i] for i in rng.permutation(len(mixed))]


# Constraints in plain Python: ("clause", ((cell, value), ..)), ("count", (group, ..), low, high) with a group a tuple
# of cells, ("table", cells, patterns) and ("connected", colour).


def random_rules(rows: int, cols: int, rng: np.random.Generator) -> list[tuple]:
    """A few random constraints of every kind on a small grid."""

    def some(most):
        return tuple(rng.permutation(rows * cols)[: rng.integers(1, most + 1)].tolist())

    rules = [("clause", tuple((cell, int(rng.integers(1, 3))) for cell in some(4))) for _ in range(rng.integers(2, 8))]
    for _ in range(rng.integers(1, 4)):
        cells = some(6)
        cuts = [0, *sorted(set(rng.integers(0, len(cells), 3).tolist()) - {0}), len(cells)]
        low = int(rng.integers(0, len(cells) + 1))
        groups = tuple(cells[a:b] for a, b in itertools.pairwise(cuts))
        rules.append(("count", groups, low, int(rng.integers(low, len(cells) + 1))))
    for _ in range(rng.integers(1, 3)):
        cells = some(5)
        rules.append(("table", cells, tuple(np.flatnonzero(rng.random(1 << len(cells)) < 0.6).tolist())))
    for colour in (1, 2):
        if rng.random() < 0.5:
            rules.append(("connected", colour))
    return rules


def table(rule: str, cells, patterns) -> Block:
    """A table for each list of cells, its patterns its own."""
    pool = Ragged.of([list(one) for one in patterns])
    return one_of(rule, cells, pool.starts[:-1], pool.starts[1:], pool.flat)


def blocks_of(rules: list[tuple]) -> list[Block]:
    """The blocks of plain constraints, one block a kind."""
    by_kind: dict[str, list] = {}
    for kind, *rest in rules:
        by_kind.setdefault(kind, []).append(rest)
    blocks = []
    for kind, found in by_kind.items():
        if kind == "clause":
            literals = [[2 * cell + value - 1 for cell, value in one] for (one,) in found]
            blocks.append(at_least_one(kind, Ragged.of(literals)))
        elif kind == "count":
            cells = [[cell for group in groups for cell in group] for groups, _, _ in found]
            group = [i for groups, _, _ in found for i, one in enumerate(groups) for _ in one]
            blocks.append(between(kind, cells, [low for _, low, _ in found], [high for _, _, high in found], group))
        elif kind == "table":
            blocks.append(table(kind, [cells for cells, _ in found], [patterns for _, patterns in found]))
        else:
            blocks.extend(connected(kind, colour) for (colour,) in found)
    return blocks


def holds(rule: tuple, state, cols: int) -> bool:
    """Does a fully decided state satisfy a plain constraint?"""
    kind, *rest = rule
    if kind == "clause":
        return any(state[cell] == value for cell, value in rest[0])
    if kind == "count":
        groups, low, high = rest
        shades = [[state[cell] == SHADED for cell in group] for group in groups]
        in_order = all(one == sorted(one, reverse=True) for one in shades)
        return in_order and low <= sum(map(sum, shades)) <= high
    if kind == "table":
        cells, patterns = rest
        return sum((state[cell] == SHADED) << i for i, cell in enumerate(cells)) in patterns
    return pieces(state, rest[0], cols) <= 1


def pieces(state, colour: int, cols: int) -> int:
    """How many edge-connected pieces the cells of a colour make, by plain flooding."""
    left, found = {cell for cell, value in enumerate(state) if value == colour}, 0
    while left:
        found += 1
        stack = [left.pop()]
        while stack:
            cell = stack.pop()
            near = {cell - cols, cell + cols}
            near |= {cell - 1} if cell % cols else set()
            near |= {cell + 1} if (cell + 1) % cols else set()
            stack += near & left
            left -= near
    return found


def every_state(cells: int) -> np.ndarray:
    """All fully decided states, int8 (2 ** cells, cells)."""
    return ((np.arange(1 << cells)[:, None] >> np.arange(cells)) % 2 + 1).astype(np.int8)


def agreed(states: np.ndarray, start: np.ndarray) -> np.ndarray | None:
    """What all of the decided `states` that extend `start` agree on; None where there is none."""
    fits = states[((start == UNKNOWN) | (states == start)).all(axis=1)]
    if len(fits) == 0:
        return None
    return np.where((fits == fits[0]).all(axis=0), fits[0], UNKNOWN).astype(np.int8)


def held_to_answers(solved, rung: str, seed: int) -> tuple[int, int]:
    """No rung fixes a cell that an answer denies, from partial states of boards with all their answers.

    A third of the states, and all of boards without an answer, are random. How many cells were fixed, states refuted.
    """
    fixed = refuted = 0
    for number, (board, expected) in enumerate(solved):
        rng = np.random.default_rng([seed, number])
        start = rng.integers(1, 3, board.rows * board.cols).astype(np.int8)
        if len(expected) and number % 3:
            start = expected[rng.integers(len(expected))].copy()
        start[rng.random(len(start)) < 0.8] = UNKNOWN
        state, every = deduce(board, rung, start), agreed(expected, start) if len(expected) else None
        refuted += state is None
        if state is None:
            assert every is None, (board, start)
        elif every is not None:
            known = state != UNKNOWN
            assert (state[known] == every[known]).all(), (board, start)
            fixed += (known & (start == UNKNOWN)).sum()
    return int(fixed), refuted


def same(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    """Are two results of a deduction the same, None being a contradiction?"""
    return (a is None and b is None) or (a is not None and b is not None and bool((a == b).all()))


def by_sat(puzzle, rules=None) -> list[np.ndarray]:
    """Every answer of a puzzle under some rules (default: all) by `core.sat` alone."""
    on = active(puzzle.model, tuple(puzzle.RULES), every_rule(puzzle) if rules is None else rules)
    return [answer for answer in sat.answers(puzzle.model, on) if answer is not None]


def as_set(states: np.ndarray) -> set[bytes]:
    """States as a set, to compare answers whatever their order."""
    return {state.tobytes() for state in np.ascontiguousarray(states, np.int8)}


def forced_by_networkx(state: np.ndarray, colour: int, rows: int, cols: int) -> tuple[set, set] | None:
    """The pockets and the cut cells of a colour by networkx's articulation points; None where it is in two pieces."""
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(rows, cols), ordering="sorted")
    graph.remove_nodes_from(np.flatnonzero(state == 3 - colour).tolist())
    mine = set(np.flatnonzero(state == colour).tolist())
    parts = [part for part in nx.connected_components(graph) if part & mine]
    if len(parts) > 1:
        return None
    undecided, cuts = set(np.flatnonzero(state == UNKNOWN).tolist()), set()
    for cell in undecided & set(nx.articulation_points(graph)):
        left = graph.subgraph(set(graph) - {cell})
        if sum(bool(part & mine) for part in nx.connected_components(left)) > 1:
            cuts.add(cell)
    return undecided - parts[0] if parts else set(), cuts
