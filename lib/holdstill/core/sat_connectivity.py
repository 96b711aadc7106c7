"""Connectivity for a SAT solver that has no word for it: clauses before an answer is there, and cuts after.

An answer that leaves a colour in pieces is cut off by a clause for every stray piece. A *promise* is a set of cells
that holds one of the colour in every answer: it says which pieces cannot be empty, so that their cuts are shorter.
"""

import numpy as np
from numba import njit

from holdstill.core.grid import SHADED, UNKNOWN
from holdstill.core.model import CLAUSE


@njit(cache=True)
def _promises_kernel(model, active, root, colour):
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
        if not active[con] or kind[con] != CLAUSE:
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
