"""The answers of a model by SAT: CaDiCaL through python-sat, for boards that depth-first search gives up on.

What propagation decides at the root (and probing, where there are tables) is a unit and shortens the rest. Clauses go
in as they are, counts as sequential counters (Sinz, CP 2005) over cells, or over pairs of cells of which at most one is
shaded, tables as their prime implicates. Connectivity is not encoded: an answer that leaves its colour in pieces is cut
off, by a clause for every stray piece, and the solver goes on.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
from numba import njit
from pysat.solvers import Cadical195
from pysolvers import cadical195_solve_lim

from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED
from holdstill.core.model import CLAUSE, CONNECTED, COUNT, TABLE, Model
from holdstill.core.propagate import _probe_kernel, _propagate_kernel, new_work

# CaDiCaL cannot be interrupted: it works in slices of tens of milliseconds, so that a time limit and Ctrl-C hold.
CONFLICTS_A_SLICE = 1000
CLAUSES_A_SLICE = 20_000
PROBES_A_CELL = 8
# A board is solved dozens of times, each time for milliseconds: what pays in one long run does not.
OPTIONS = {"lucky": 0, "elim": 0}
# A cell's variable is its number + 1, true where it is shaded. No variable is always true: this stands for one.
TRUE = 1 << 30
MOST_OPEN = 8


@njit(cache=True)
def _longer_kernel(out, at, more):
    """The buffer with room for so many more literals after the first `at`."""
    if at + more <= len(out):
        return out
    longer = np.empty(2 * (at + more), np.int32)
    longer[:at] = out[:at]
    return longer


@njit(cache=True)
def _add_kernel(out, at, a, b, c):
    """Append the clause of three literals, unless one is TRUE, without those that are -TRUE; the buffer's new end."""
    if a == TRUE or b == TRUE or c == TRUE:
        return at
    if a != -TRUE:
        out[at] = a
        at += 1
    if b != -TRUE:
        out[at] = b
        at += 1
    if c != -TRUE:
        out[at] = c
        at += 1
    out[at] = 0
    return at + 1


@njit(cache=True)
def _literal_kernel(literal, state):
    """A model's literal as a signed variable, TRUE or -TRUE where its cell is decided."""
    variable, value = np.int64(literal >> 1) + 1, state[literal >> 1]
    if value != UNKNOWN:
        return np.int64(TRUE if value == 1 + (literal & 1) else -TRUE)
    return variable if literal & 1 else -variable


@njit(cache=True)
def _apart_kernel(model, on):
    """Does a clause say that a cell and the one on its k-th side are not both shaded? bool (cells, 4)."""
    kind, start, end, literals, beside = model.kind, model.start, model.end, model.literals, model.beside
    apart = np.zeros(beside.shape, np.bool_)
    for con in range(len(kind)):
        at = start[con]
        if on[con] and kind[con] == CLAUSE and end[con] == at + 2 and (literals[at] | literals[at + 1]) & 1 == 0:
            a, b = literals[at] >> 1, literals[at + 1] >> 1
            for k in range(4):
                if beside[a, k] == b:
                    apart[a, k] = True
                if beside[b, k] == a:
                    apart[b, k] = True
    return apart


@njit(cache=True)
def _pair_kernel(out, at, counted, n, beside, apart, single, top):
    """Let one variable stand for two cells of which at most one is shaded: half as much is left to count.

    counted: int64, the variables of the first n cells, in reading order; the first of the result take their place.
    """
    out = _longer_kernel(out, at, 10 * n)
    for i in range(n):
        single[counted[i] - 1] = True
    kept = 0
    for i in range(n):
        a = counted[i]
        if not single[a - 1]:
            continue
        single[a - 1] = False
        counted[kept] = a
        for k in (2, 3):  # right, below
            b = np.int64(beside[a - 1, k]) + 1
            if b > 0 and apart[a - 1, k] and single[b - 1]:
                single[b - 1] = False
                top += 1
                counted[kept] = top
                at = _add_kernel(out, at, -a, top, -TRUE)
                at = _add_kernel(out, at, -b, top, -TRUE)
                at = _add_kernel(out, at, a, b, -top)
                break
        kept += 1
    return out, at, kept, top


@njit(cache=True)
def _counter_kernel(out, at, counted, low, high, top):
    """Between low and high of the variables are true; 0 <= low.

    A variable says "at least j of the first i": where the rest could not make up for less, it holds, and past `high`
    it does not.
    """
    n = len(counted)
    high = min(high, n)
    if low > high:
        out = _longer_kernel(out, at, np.int64(1))
        out[at] = 0
        return out, at + 1, top
    before = np.full(high + 2, -TRUE, np.int64)
    before[0] = TRUE
    here = before.copy()
    for i in range(n):
        x, least, most = counted[i], max(1, low - (n - 1 - i)), min(high + 1, i + 1)
        out = _longer_kernel(out, at, 16 * (most - least + 1))
        for j in range(least, most + 1):
            if j <= low - (n - 1 - i):
                here[j] = TRUE
            elif j > high:
                here[j] = -TRUE
            else:
                top += 1
                here[j] = top
            at = _add_kernel(out, at, -before[j], here[j], -TRUE)
            at = _add_kernel(out, at, -before[j - 1], -x, here[j])
            at = _add_kernel(out, at, before[j - 1], -here[j], -TRUE)
            at = _add_kernel(out, at, before[j], x, -here[j])
        before[:] = here
    return out, at, top


@njit(cache=True)
def _implicates_kernel(out, at, cells, patterns):
    """The prime implicates of a table: the clauses over its cells that hold, and hold no longer with a literal less.

    Unit propagation over them decides what generalised arc consistency does. They are listed for the last MOST_OPEN
    cells, under each shading of those before.
    """
    first = max(0, len(cells) - MOST_OPEN)
    n = len(cells) - first
    power = 3 ** np.arange(n + 1)
    for prefix in range(1 << first):
        # A cube gives each cell a digit: 0 unshaded, 1 shaded, 2 either. It is met where a pattern lies in it.
        met, prime = np.zeros(power[n], np.bool_), np.ones(power[n], np.bool_)
        for pattern in patterns:
            if pattern & ((1 << first) - 1) == prefix:
                cube = 0
                for i in range(n):
                    cube += power[i] * (pattern >> (first + i) & 1)
                met[cube] = True
        for i in range(n):
            for block in range(0, power[n], power[i + 1]):
                for cube in range(block, block + power[i]):
                    met[cube + 2 * power[i]] = met[cube] or met[cube + power[i]]
        for i in range(n):
            for block in range(0, power[n], power[i + 1]):
                for cube in range(block, block + power[i]):
                    if not met[cube + 2 * power[i]]:
                        prime[cube] = prime[cube + power[i]] = False
        for cube in range(power[n]):
            if met[cube] or not prime[cube]:
                continue
            out = _longer_kernel(out, at, len(cells) + 1)
            for i in range(len(cells)):
                digit = prefix >> i & 1 if i < first else cube // power[i - first] % 3
                if digit < 2:
                    out[at] = -cells[i] if digit else cells[i]
                    at += 1
            out[at] = 0
            at += 1
    return out, at


@njit(cache=True)
def _encode_kernel(model, on, state):
    """Clauses for all that is on but connectivity, each ended by a 0; `state` is the fixpoint that they start from."""
    kind, start, end, literals, group = model.kind, model.start, model.end, model.literals, model.group
    low, high, patterns, beside = model.low, model.high, model.patterns, model.beside
    cells, at, top = len(state), np.int64(0), len(state)
    out = np.empty(4 * cells + 4 * len(literals), np.int32)
    apart, single, opened = _apart_kernel(model, on), np.zeros(cells, np.bool_), np.empty(cells, np.int64)
    for cell in range(cells):
        if state[cell] != UNKNOWN:
            out[at], out[at + 1] = (cell + 1 if state[cell] == SHADED else -(cell + 1)), 0
            at += 2
    for con in range(len(kind)):
        if not on[con] or kind[con] == CONNECTED:
            continue
        first, last = start[con], end[con]
        out = _longer_kernel(out, at, 4 * (last - first) + 1)
        if kind[con] == CLAUSE:
            begin, holds = at, False
            for k in range(first, last):
                literal = _literal_kernel(literals[k], state)
                if literal == TRUE:
                    holds = True
                    break
                if literal != -TRUE:
                    out[at] = literal
                    at += 1
            out[at] = 0
            at = begin if holds else at + 1
            continue
        n, shaded = np.int64(0), 0
        for k in range(first, last):
            if kind[con] == COUNT and k > first and group[k] == group[k - 1]:
                before = _literal_kernel(literals[k - 1], state)
                at = _add_kernel(out, at, before, -_literal_kernel(literals[k], state), -TRUE)
            value = state[literals[k] >> 1]
            if value == UNKNOWN:
                opened[n] = (literals[k] >> 1) + 1
                n += 1
            elif value == SHADED:
                shaded += 1
        if n == 0:
            continue
        if kind[con] == COUNT:
            least, most = max(0, low[con] - shaded), high[con] - shaded
            if least > 0 or most < n:
                out, at, n, top = _pair_kernel(out, at, opened, n, beside, apart, single, top)
                out, at, top = _counter_kernel(out, at, opened[:n], least, most, top)
            continue
        left, count = np.empty(high[con] - low[con], np.int64), 0
        for row in range(low[con], high[con]):
            packed, place, fits = 0, 0, True
            for k in range(first, last):
                bit, value = patterns[row] >> (k - first) & 1, state[literals[k] >> 1]
                if value == UNKNOWN:
                    packed |= bit << place
                    place += 1
                elif bit != value - 1:
                    fits = False
                    break
            if fits:
                left[count] = packed
                count += 1
        out, at = _implicates_kernel(out, at, opened[:n], left[:count])
    return out[:at]


@njit(cache=True)
def _promises_kernel(model, on, root, colour):
    """Sets of cells that hold one of the colour at least: decided cells and clauses, as (flat cells, starts)."""
    kind, start, end, literals = model.kind, model.start, model.end, model.literals
    flat, starts = np.empty(len(root) + len(literals), np.int32), np.zeros(len(root) + len(kind) + 1, np.int32)
    sets, at = 0, 0
    for cell in range(len(root)):
        if root[cell] == colour:
            flat[at] = cell
            at += 1
            sets += 1
            starts[sets] = at
    for con in range(len(kind)):
        if not on[con] or kind[con] != CLAUSE:
            continue
        begin, whole = at, True
        for k in range(start[con], end[con]):
            whole = whole and 1 + (literals[k] & 1) == colour
            flat[at] = literals[k] >> 1
            at += 1
        if whole:
            sets += 1
            starts[sets] = at
        else:
            at = begin
    return flat[:at].copy(), starts[: sets + 1].copy()


@njit(cache=True)
def _company_kernel(root, beside, colour, flat, starts):
    """Clauses: a cell of the colour has another beside it, wherever some promise lies beyond it."""
    own, sign, at = np.zeros(len(root), np.int32), (1 if colour == SHADED else -1), 0
    for cell in flat:
        own[cell] += 1
    out = np.empty(6 * len(root), np.int32)
    for cell in range(len(root)):
        if root[cell] == 3 - colour or own[cell] >= len(starts) - 1:
            continue
        begin, holds = at, False
        if root[cell] == UNKNOWN:
            out[at] = -sign * (cell + 1)
            at += 1
        for k in range(4):
            near = beside[cell, k]
            if near >= 0 and root[near] == UNKNOWN:
                out[at] = sign * (near + 1)
                at += 1
            elif near >= 0 and root[near] == colour:
                holds = True
        out[at] = 0
        at = begin if holds else at + 1
    return out[:at]


@njit(cache=True)
def _cuts_kernel(answer, beside, colour, flat, starts):
    """A clause for every piece of the colour but the main one, nothing where there are no others.

    Cells of the other colour fence a stray piece off from the main one. Either one of them takes the colour, or the
    stray piece has no cell left, or the main one has none; where a promise says that a piece keeps a cell, this is left
    out. The main piece is the largest with a promise.
    """
    cells = len(answer)
    piece, members = np.full(cells, -1, np.int32), np.empty(cells, np.int32)
    first = np.zeros(cells + 1, np.int32)
    pieces, filled = 0, 0
    for origin in range(cells):
        if answer[origin] != colour or piece[origin] >= 0:
            continue
        piece[origin], members[filled], at = pieces, origin, filled
        filled += 1
        while at < filled:
            for k in range(4):
                near = beside[members[at], k]
                if near >= 0 and answer[near] == colour and piece[near] < 0:
                    piece[near], members[filled] = pieces, near
                    filled += 1
            at += 1
        pieces += 1
        first[pieces] = filled
    if pieces < 2:
        return np.empty(0, np.int32)
    kept = np.zeros(pieces, np.bool_)
    for one in range(len(starts) - 1):
        home = piece[flat[starts[one]]]
        for at in range(starts[one] + 1, starts[one + 1]):
            if piece[flat[at]] != home:
                home = -1
                break
        if home >= 0:
            kept[home] = True
    main = 0
    for one in range(pieces):
        larger = first[one + 1] - first[one] > first[main + 1] - first[main]
        if kept[one] if kept[one] != kept[main] else larger:
            main = one
    sign, end, out = (1 if colour == SHADED else -1), 0, np.empty(8 * cells, np.int32)
    # what the flood for a stray piece has met, and the fence it looks for, are marked with its number
    met, fence, stack = np.full(cells, -1, np.int32), np.full(cells, -1, np.int32), np.empty(cells, np.int32)
    for one in range(pieces):
        if one == main:
            continue
        hidden = 0
        for at in range(first[one], first[one + 1]):
            for k in range(4):
                near = beside[members[at], k]
                if near >= 0 and piece[near] < 0 and fence[near] != one:
                    fence[near] = one
                    hidden += 1
        # From the main piece to the fence: what it cannot reach of it (the rim of a hole) is not needed.
        top = 0
        for at in range(first[main], first[main + 1]):
            met[members[at]] = one
            stack[top] = members[at]
            top += 1
        while top and hidden:
            top -= 1
            cell = stack[top]
            for k in range(4):
                near = beside[cell, k]
                if near < 0 or met[near] == one:
                    continue
                met[near] = one
                if fence[near] == one:
                    out[end] = sign * (near + 1)
                    end += 1
                    hidden -= 1
                else:
                    stack[top] = near
                    top += 1
        if not kept[one]:
            out[end] = -sign * (members[first[one]] + 1)
            end += 1
        if not kept[main]:
            out[end] = -sign * (members[first[main]] + 1)
            end += 1
        out[end] = 0
        end += 1
    return out[:end]


class _Solver(Cadical195):
    """CaDiCaL, Ctrl-C left to Python: python-sat's own handler would jump out of the middle of the solver's work."""

    def solve_limited(self) -> bool | None:
        ended = cadical195_solve_lim(self.cadical, [], 0)
        self.status = None if ended == 0 else ended > 0
        return self.status


def _clauses(flat: np.ndarray) -> Iterator[list[int]]:
    """The clauses of a buffer, which ends each with a 0."""
    ends, start = np.flatnonzero(flat == 0), 0
    for at in range(0, len(ends), CLAUSES_A_SLICE):
        stops = ends[at : at + CLAUSES_A_SLICE]
        literals, first = flat[start : stops[-1]].tolist(), 0
        for last in (stops - start).tolist():
            yield literals[first:last]
            first = last + 1
        start = stops[-1] + 1


def answers(model: Model, on: np.ndarray, barred: Iterable[list[int]] = ()) -> Iterator[np.ndarray | None]:
    """Every answer of the constraints that are on, once: int8 (cells,); and None after each slice of work without one.

    `on` is bool (constraints,), see `model.active`. `barred` are clauses that an answer must satisfy too, over the
    variables cell + 1, true where the cell is shaded.

    >>> from holdstill.core.model import active
    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> model = Heyawake(1, 3, [[0, 1, 2]], [None, None, None]).model
    >>> sorted(answer.tolist() for answer in answers(model, active(model, tuple(Heyawake.RULES), Heyawake.RULES)))
    [[1, 1, 2], [2, 1, 1], [2, 1, 2]]
    """
    work = new_work(model)
    if not _propagate_kernel(model, on, work):
        return
    # A table costs more to encode than most of its cells to probe; clauses and counts do not.
    if (model.kind[on] == TABLE).any() and not _probe_kernel(model, on, work, PROBES_A_CELL):
        return
    root, cells, beside = work.state, len(work.state), model.beside
    left = (np.flatnonzero(root == UNKNOWN) + 1).tolist()
    if not left:
        if all(any((root[abs(literal) - 1] == SHADED) == (literal > 0) for literal in clause) for clause in barred):
            yield root
        return
    colours = [int(model.low[con]) for con in model.connected if on[con]]
    regions = [(colour, *_promises_kernel(model, on, root, colour)) for colour in colours]
    rules = [_encode_kernel(model, on, root)] + [_company_kernel(root, beside, *region) for region in regions]
    with _Solver() as solver:
        # Guessing for the colour that must be connected leaves fewer stray pieces.
        solver.configure(OPTIONS | {"phase": int(UNSHADED not in colours)})
        solver.add_clause([cells, -cells])  # so that the solver knows every cell, those in no clause too
        for number, clause in enumerate(chain(*map(_clauses, rules), barred), 1):
            solver.add_clause(clause)
            if number % CLAUSES_A_SLICE == 0:
                yield None
        while True:
            solver.conf_budget(CONFLICTS_A_SLICE)
            solved = solver.solve_limited()
            if solved is False:
                return
            if solved:
                values = solver.get_model()
                state = (np.array(values[:cells]) > 0).astype(np.int8) + np.int8(UNSHADED)
                cuts = [_cuts_kernel(state, beside, *region) for region in regions]
                cuts = [cut for cut in cuts if len(cut)]
                if not cuts:
                    yield state
                    solver.add_clause([-values[variable - 1] for variable in left])
                    continue
                for clause in chain(*map(_clauses, cuts)):
                    solver.add_clause(clause)
            yield None
