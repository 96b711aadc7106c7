"""The answers of a model by SAT: CaDiCaL through python-sat, for boards that depth-first search gives up on.

What propagation decides at the root (and probing, where there are tables) is a unit and shortens the rest. Connectivity
is not encoded: an answer that leaves its colour in pieces is cut off, and the solver goes on.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
from pysat.solvers import Cadical195
from pysolvers import cadical195_solve_lim

from holdstill.core.grid import SHADED, UNKNOWN, UNSHADED
from holdstill.core.model import TABLE, Model
from holdstill.core.propagate import _probe_kernel, _propagate_kernel, new_work
from holdstill.core.sat_connectivity import _company_kernel, _cuts_kernel, _promises_kernel
from holdstill.core.sat_encoding import _encode_kernel

# CaDiCaL cannot be interrupted: it works in slices of tens of milliseconds, so that a time limit and Ctrl-C hold.
CONFLICTS_A_SLICE = 1000
CLAUSES_A_SLICE = 20_000
PROBES_A_CELL = 8
# A board is solved dozens of times, each time for milliseconds: what pays in one long run does not.
OPTIONS = {"lucky": 0, "elim": 0}


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


def answers(model: Model, active: np.ndarray, barred: Iterable[list[int]] = ()) -> Iterator[np.ndarray | None]:
    """Every answer of the constraints that are on, once: int8 (cells,); and None after each slice of work without one.

    `active` is bool (constraints,), see `model.active`. `barred` are clauses that an answer must satisfy too, over the
    variables cell + 1, true where the cell is shaded.

    >>> from holdstill.core.model import active
    >>> from holdstill.puzzles.heyawake import Heyawake
    >>> model = Heyawake(1, 3, [[0, 1, 2]], [None, None, None]).model
    >>> sorted(answer.tolist() for answer in answers(model, active(model, tuple(Heyawake.RULES), Heyawake.RULES)))
    [[1, 1, 2], [2, 1, 1], [2, 1, 2]]
    """
    work = new_work(model)
    if not _propagate_kernel(model, active, work):
        return
    # A table costs more to encode than most of its cells to probe; clauses and counts do not.
    if (model.kind[active] == TABLE).any() and not _probe_kernel(model, active, work, PROBES_A_CELL):
        return
    root, cells, beside = work.state, len(work.state), model.beside
    left = (np.flatnonzero(root == UNKNOWN) + 1).tolist()
    if not left:
        if all(any((root[abs(literal) - 1] == SHADED) == (literal > 0) for literal in clause) for clause in barred):
            yield root
        return
    colours = [int(model.low[con]) for con in model.connected if active[con]]
    regions = [(colour, *_promises_kernel(model, active, root, colour)) for colour in colours]
    rules = [_encode_kernel(model, active, root)] + [_company_kernel(root, beside, *region) for region in regions]
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
