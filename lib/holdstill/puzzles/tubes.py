"""Tubes drawn on a grid: what a Thermometers generator starts from."""

import math

import numpy as np
from numba import njit

from holdstill.core.grid import PuzzleError, check_size, neighbours, shown


def random_tubes(
    rows: int,
    cols: int,
    rng: np.random.Generator,
    *,
    cover: float = 1.0,
    longest: int = 8,
    bend: float = 1.0,
) -> list[list[int]]:
    """Tubes of 2 to `longest` cells from their bulbs on, sorted by bulb, over a share `cover` of the grid or some more.

    From random free cells, random walks over free cells, of a length drawn from 2 to `longest` but cut short where they
    are stuck; either end is the bulb. A walk goes to any free neighbour with probability `bend`, otherwise straight on
    where it can; without bends it ends there. A cell with no free neighbour joins the end of a tube beside it, or
    stays outside: even at `cover` 1 a few cells may be left.

    Raises PuzzleError for a bad size, share or length.

    >>> random_tubes(3, 3, np.random.default_rng(1), longest=4)
    [[0, 3, 6, 7], [5, 4, 1, 2]]
    """
    check_size(rows, cols)
    for name, share in (("cover", cover), ("bend", bend)):
        if not 0 <= share <= 1:
            raise PuzzleError(f"{name} is from 0 to 1, not {shown(share)}")
    if longest < 2:
        raise PuzzleError(f"longest is at least 2 cells, not {shown(longest)}")
    beside = neighbours(int(rows), int(cols))
    flat, starts = _tubes_kernel(beside, rng, math.ceil(cover * rows * cols), int(longest), float(bend))
    return [flat[first:last].tolist() for first, last in zip(starts[:-1], starts[1:], strict=True)]


@njit(cache=True)
def _tubes_kernel(beside, rng, wanted, longest, bend):
    """The tubes' cells end to end, and where each tube begins."""
    cells = len(beside)
    tube, length = np.full(cells, -1, np.int32), np.zeros(cells, np.int32)
    # links[0] leads from a cell towards the bulb, links[1] away from it
    links = np.full((2, cells), -1, np.int32)
    covered, tubes = 0, 0
    for start in rng.permutation(cells):
        if covered >= wanted:
            break
        if tube[start] >= 0:
            continue
        target, away = rng.integers(2, longest + 1), rng.integers(0, 2)
        cell, way, size = start, -1, 1
        tube[start] = tubes
        while size < target:
            chosen, free = -1, 0
            if way >= 0 and beside[cell, way] >= 0 and tube[beside[cell, way]] < 0 and rng.random() >= bend:
                chosen = way
            elif way < 0 or bend > 0:
                for k in range(4):
                    if beside[cell, k] >= 0 and tube[beside[cell, k]] < 0:
                        free += 1
                        if rng.integers(0, free) == 0:
                            chosen = k
            if chosen < 0:
                break
            near, way = beside[cell, chosen], chosen
            links[away, cell], links[1 - away, near], tube[near] = near, cell, tubes
            cell = near
            size += 1
        if size > 1:
            length[tubes] = size
            tubes += 1
            covered += size
            continue
        tube[start] = -1
        chosen, side, ends = -1, 0, 0
        for k in range(4):
            near = beside[start, k]
            if near < 0 or tube[near] < 0 or length[tube[near]] >= longest:
                continue
            for end in range(2):
                if links[end, near] < 0 and (bend > 0 or links[1 - end, near] == beside[near, k]):
                    ends += 1
                    if rng.integers(0, ends) == 0:
                        chosen, side = near, end
        if chosen >= 0:
            links[side, chosen], links[1 - side, start], tube[start] = start, chosen, tube[chosen]
            length[tube[chosen]] += 1
            covered += 1
    flat, starts = np.empty(covered, np.int32), np.zeros(tubes + 1, np.int32)
    filled, tubes = 0, 0
    for bulb in range(cells):
        if tube[bulb] >= 0 and links[0, bulb] < 0:
            cell = bulb
            while cell >= 0:
                flat[filled] = cell
                filled += 1
                cell = links[1, cell]
            tubes += 1
            starts[tubes] = filled
    return flat, starts
