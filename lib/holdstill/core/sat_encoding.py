"""A model's constraints as clauses for a SAT solver, all but connectivity.

A cell's variable is its number + 1, true where it is shaded. Clauses go in as they are, counts as sequential counters
(Sinz, CP 2005) over cells, or over pairs of cells of which at most one is shaded, tables as their prime implicates. A
buffer of clauses is int32, each of them ended by a 0.
"""

import numpy as np
from numba import njit

from holdstill.core.grid import SHADED, UNKNOWN
from holdstill.core.model import CLAUSE, CONNECTED, COUNT

# No variable is always true: this stands for one.
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
def _apart_kernel(model, active):
    """Does a clause say that a cell and the one on its k-th side are not both shaded? bool (cells, 4)."""
    kind, start, end, literals, beside = model.kind, model.start, model.end, model.literals, model.beside
    apart = np.zeros(beside.shape, np.bool_)
    for con in range(len(kind)):
        at = start[con]
        if active[con] and kind[con] == CLAUSE and end[con] == at + 2 and (literals[at] | literals[at + 1]) & 1 == 0:
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
def _encode_kernel(model, active, state):
    """Clauses for all that is on but connectivity, each ended by a 0; `state` is the fixpoint that they start from."""
    kind, start, end, literals, group = model.kind, model.start, model.end, model.literals, model.group
    low, high, patterns, beside = model.low, model.high, model.patterns, model.beside
    cells, at, top = len(state), np.int64(0), len(state)
    out = np.empty(4 * cells + 4 * len(literals), np.int32)
    apart, single, opened = _apart_kernel(model, active), np.zeros(cells, np.bool_), np.empty(cells, np.int64)
    for cell in range(cells):
        if state[cell] != UNKNOWN:
            out[at], out[at + 1] = (cell + 1 if state[cell] == SHADED else -(cell + 1)), 0
            at += 2
    for con in range(len(kind)):
        if not active[con] or kind[con] == CONNECTED:
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
