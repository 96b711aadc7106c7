"""A Heyawake checker that shares nothing with the library but the board's fields: SAT with connectivity cuts.

Touching, numbers and corridors are encoded whole; an answer that leaves the unshaded cells in pieces is cut off by a
clause for every stray piece, and the solver goes on (python-sat, CaDiCaL).
"""

import itertools

from pysat.card import CardEnc, EncType
from pysat.solvers import Solver


def sat_answers(board, limit: int) -> list[tuple[bool, ...]]:
    """Up to `limit` answers, each a tuple over the cells: is it shaded?"""
    rows, cols = board.rows, board.cols
    places = list(itertools.product(range(rows), range(cols)))
    var = {place: 1 + number for number, place in enumerate(places)}
    blind = {frozenset(divmod(cell, cols) for cell in wall) for wall in board.walls or ()}
    top, clauses = len(places), []

    def around(place):
        y, x = place
        return [near for near in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)) if near in var]

    for place in places:
        clauses += [[-var[place], -var[near]] for near in around(place)]
    lines = [[(y, x) for x in range(cols)] for y in range(rows)] + [[(y, x) for y in range(rows)] for x in range(cols)]
    for line in lines:
        for first in range(len(line)):
            crossed = 0
            for before, after in itertools.pairwise(range(first, len(line))):
                a, b = line[before], line[after]
                crossed += board.rooms[a[0]][a[1]] != board.rooms[b[0]][b[1]] or frozenset((a, b)) in blind
                if crossed == 2:
                    clauses.append([var[place] for place in line[first : after + 1]])
                    break
    for room, clue in enumerate(board.clues):
        if clue is not None:
            inside = [var[y, x] for y, x in places if board.rooms[y][x] == room]
            counted = CardEnc.equals(inside, clue, top_id=top, encoding=EncType.seqcounter)
            clauses += counted.clauses
            top = max(top, counted.nv)

    found = []
    with Solver("cadical153", bootstrap_with=clauses) as solver:
        while len(found) < limit and solver.solve():
            model = solver.get_model()
            shaded = {place for place in places if model[var[place] - 1] > 0}
            main, *stray = sorted(_pieces(set(places) - shaded, around), key=len, reverse=True) or [()]
            if not stray:
                found.append(tuple(place in shaded for place in places))
                solver.add_clause([-var[place] if place in shaded else var[place] for place in places])
            for piece in stray:
                # Its cells, one of the main piece's and a closed fence between them cannot stand together.
                fence = {near for place in piece for near in around(place)} - piece
                solver.add_clause([var[min(piece)], var[min(main)], *(-var[place] for place in sorted(fence))])
    return found


def _pieces(left: set, around) -> list[set]:
    found = []
    while left:
        piece, stack = set(), [min(left)]
        while stack:
            place = stack.pop()
            if place in left:
                left.remove(place)
                piece.add(place)
                stack += around(place)
        found.append(piece)
    return found
