"""What time goes into: boards made, solved and graded by size, layer by layer, against a floor, and rows by workers.

Times are processor seconds unless they are said to be waited for.
"""

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from unittest import mock

import numpy as np
import pandas as pd
from numba import njit

from holdstill.core import sat
from holdstill.core.ladder import deduce
from holdstill.core.model import active
from holdstill.core.propagate import _propagate_kernel, new_work
from holdstill.core.search import every_rule, new_tree, search
from holdstill.lab.intervals import Estimate, mean
from holdstill.lab.paths import project
from holdstill.lab.peers import LATE, RIGHT, VERDICTS, WRONG, Peer, asked
from holdstill.lab.studies.connectivity import timed
from holdstill.lab.study import SHARD, shards
from holdstill.puzzles import araf_propagate, araf_rooms, araf_rungs, araf_search, araf_state
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.boards import Board, read_lines
from holdstill.puzzles.engines import GENERATE, engine
from holdstill.puzzles.grade import grade, known
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.thermometers import Thermometers

# The layers of solving a board and proving its answer the only one, in the order in which they run.
READ, BUILD, SET_UP, PROPAGATE, CONNECT, SEARCH, SAT = (
    "read",
    "build",
    "set up",
    "propagate",
    "connectivity",
    "search",
    "SAT",
)
LAYERS = (READ, BUILD, SET_UP, PROPAGATE, CONNECT, SEARCH, SAT)


def solve(board: Board):
    """Up to two answers of a board that nothing is known of yet: checked, its model built, searched."""
    return engine(board).search(replace(board), 2)


def warm(board: Board) -> None:
    """Load every kernel that may meet such a board: those of SAT and of the last rung come late, with the first board
    that needs them.
    """
    blank = Heyawake(4, 4, np.zeros((4, 4), np.int32), (None,))
    list(islice(sat.answers(blank.model, np.ones(len(blank.model.kind), bool)), 20))
    for rung in board.RUNGS:
        engine(board).deduce(board, rung)
    solve(board)


def by_size(puzzle: str, sizes: list[int], n: int) -> pd.DataFrame:
    """Processor seconds to `make`, `solve` and `grade` n random boards of each size: a row a board, and the board.

    Board i of each size is generator i's, with the generator's defaults: carved against the complete solver.
    """
    frames = []
    warm(banked(puzzle, 1)[0])
    for size in sizes:
        boards: dict[int, Board] = {}

        def make(i, size=size, boards=boards):
            boards[i] = GENERATE[puzzle](size, size, np.random.default_rng(i)).board

        works = {
            "make": make,
            "solve": lambda i, boards=boards: solve(boards[i]),
            "grade": lambda i, boards=boards: grade(replace(boards[i])),
        }
        frames.append(timed(works, n)[0].assign(size=size, board=[boards[i] for i in range(n)]))
    return pd.concat(frames, ignore_index=True)


def banked(puzzle: str, n: int) -> list[Board]:
    """n boards of each size of a puzzle's bank, evenly spaced in it, in order of size."""
    sizes: dict[int, list[Board]] = {}
    for _, board in read_lines(project().bank(puzzle)):
        sizes.setdefault(board.rows, []).append(board)
    return [boards[k * len(boards) // n] for _, boards in sorted(sizes.items()) for k in range(min(n, len(boards)))]


def every_count(board: Thermometers) -> Thermometers:
    """The board with every line's count shown, by its first answer."""
    shaded = (search(board, 1).answers[0] == 2).reshape(board.rows, board.cols)
    return replace(board, row_counts=shaded.sum(axis=1).tolist(), col_counts=shaded.sum(axis=0).tolist())


def compared(peers: tuple[Peer, ...], boards: list[Board], seconds: float) -> pd.DataFrame:
    """Our solver and each installed peer on the same boards: a row a solver and board.

    `verdict` and `why` are of `peers.verdict`; `waited` and `spent` are seconds of waiting and of processor time.
    """
    rows, wanted = [], []
    warm(boards[0])
    for number, board in enumerate(boards):
        waited, spent = time.perf_counter(), time.process_time()
        found = solve(board)
        waited, spent = time.perf_counter() - waited, time.process_time() - spent
        wanted.append(known(found))
        right = all(board.is_valid(answer) for answer in found.answers)
        row = {"solver": "holdstill", "board": number, "verdict": RIGHT if right else WRONG, "why": ""}
        rows.append(row | {"waited": waited, "spent": spent})
    for peer in peers:
        if peer.versions:
            rows += asked(peer, boards, wanted, seconds)
    frame = pd.DataFrame(rows)
    frame["size"] = [boards[number].rows for number in frame["board"]]
    return frame


def standings(frame: pd.DataFrame, peers: tuple[Peer, ...]) -> pd.DataFrame:
    """A row a solver of `compared`: verdicts counted, `wait`, its mean on boards that it got right, and how often ours.

    `of means` is the ratio of the mean waits on these boards, `typical` the geometric mean of their ratios one by one.
    A board on which it was late counts as the limit: then all three are lower bounds (`late` says so).
    """
    ours, proves = (
        frame[frame["solver"] == "holdstill"].set_index("board")["waited"],
        {one.package: one for one in peers},
    )
    rows = {}
    for solver, mine in frame.groupby("solver", sort=False):
        counts = mine["verdict"].value_counts()
        timely = mine[mine["verdict"].isin([RIGHT, LATE])].set_index("board")["waited"]
        row = {"asked": len(mine)} | {verdict: int(counts.get(verdict, 0)) for verdict in VERDICTS}
        row["looks for a second"] = solver not in proves or proves[solver].proves
        if len(timely):
            beside = ours[timely.index]
            row |= {"wait": timely.mean(), "of means": timely.mean() / beside.mean()}
            row["typical"] = Estimate(*map(math.exp, mean(np.log(timely / beside).tolist())))._replace(n=len(timely))
        rows[solver] = row
    return pd.DataFrame(rows).T


def as_fast(ratio: float) -> str:
    """A ratio of times in words.

    >>> as_fast(312.34), as_fast(0.4)
    ('312 times as fast', '2.5 times as slow')
    """
    times = max(ratio, 1 / ratio)
    return f"{times:.{0 if times >= 10 else 1}f} times as {'fast' if ratio >= 1 else 'slow'}"


def against_quickest(table: pd.DataFrame) -> str:
    """Our wait against the peer of `standings` that waits the least on the boards that it got right, in words."""
    right = table[table[RIGHT] > 0].drop("holdstill")
    if not len(right):
        return "no peer got one right" if len(table) > 1 else "no peer"
    quickest = min(right.index, key=lambda solver: right.loc[solver, "of means"])
    return f"{as_fast(right.loc[quickest, 'of means'])} as {quickest}"


def best(work: Callable, given: list) -> float:
    """The fewest processor seconds that work(one) takes over the given ones, the first of them left out."""
    spent = []
    for one in given:
        start = time.process_time()
        work(one)
        spent.append(time.process_time() - start)
    return min(spent[1:])


@contextmanager
def sat_clocked() -> Iterator[list[float]]:
    """Keep the processor time that SAT takes within, in a list of one number."""
    spent, plain = [0.0], sat.answers

    def clocked(*given):
        answers, start = plain(*given), time.process_time()
        for answer in answers:
            spent[0] += time.process_time() - start
            yield answer
            start = time.process_time()
        spent[0] += time.process_time() - start

    with mock.patch.object(sat, "answers", clocked):
        yield spent


def _searched(board: Board, repeats: int) -> tuple[float, float]:
    """Processor seconds of a search for a second answer and, of these, of SAT, on a board with its model built."""
    search(board, 2)
    found = []
    for _ in range(repeats):
        with sat_clocked() as by_sat:
            start = time.process_time()
            search(board, 2)
            found.append((time.process_time() - start, by_sat[0]))
    return min(found)


def layers(board: Board, repeats: int) -> dict[str, float]:
    """Processor seconds of each of LAYERS on a board, of `whole`, all at once, and of what grading adds.

    Each layer is timed by itself, the best of `repeats` times. Connectivity is what a second walk after each walk adds:
    it finds nothing new, so all else stays as it is (walks that end in a contradiction are not counted). `probe` is
    probing where propagation ends; `catalogue` and `rungs` are Araf's.
    """
    fresh = [replace(board) for _ in range(repeats + 1)]
    row = {"whole": best(solve, [board] * (repeats + 1)), READ: best(replace, [board] * (repeats + 1))}
    cutting = isinstance(board, Araf)
    return row | dict.fromkeys(LAYERS[1:], 0.0) | (_cutting if cutting else _shading)(board, fresh, repeats)


def _shading(board: Board, fresh: list[Board], repeats: int) -> dict[str, float]:
    names, rules, model = tuple(board.RULES), every_rule(board), board.model
    on, last = active(model, names, rules), list(board.RUNGS)[-1]
    twice = replace(board)
    twice.__dict__["model"] = model._replace(connected=np.repeat(model.connected, 2))

    def fixpoint(board, work):
        _propagate_kernel(board.model, on, work)

    def root(board):
        return best(partial(fixpoint, board), [new_work(model) for _ in range(repeats + 1)])

    def set_up(_):
        active(model, names, rules), new_work(model), new_tree(model)

    here, (whole, by_sat) = root(board), _searched(board, repeats)
    walks = walks_here = 0.0
    if on[model.connected].any():
        walks_here = max(0.0, root(twice) - here)
        again, sat_again = _searched(twice, repeats)
        walks = max(walks_here, again - sat_again - (whole - by_sat))
    row = {BUILD: best(lambda one: one.model, fresh), SET_UP: best(set_up, fresh), PROPAGATE: here - walks_here}
    rest = whole - by_sat - row[SET_UP] - row[PROPAGATE] - walks
    probing = best(lambda one: deduce(one, last), [board] * (repeats + 1)) - row[SET_UP] - here
    return row | {CONNECT: walks, SEARCH: max(0.0, rest), SAT: by_sat, "probe": max(0.0, probing)}


def _cutting(board: Araf, fresh: list[Araf], repeats: int) -> dict[str, float]:
    def build(one):
        solver = araf_search.Solver(araf_state.frame_of(one.rows, one.cols, one.at, one.sizes()))
        solver.start()
        return solver

    def fixpoint(solver):
        solver.scratch.changed[:] = True
        level = araf_state.Level(*(part[0] for part in solver.stack))
        araf_propagate._propagate_kernel(level, solver.frame, solver.scratch)

    building = best(build, fresh)
    here = best(fixpoint, [build(board) for _ in range(repeats + 1)])
    whole = best(lambda one: araf_search.search(one, 2), [board] * (repeats + 1))
    listing = best(araf_rooms.catalogue, [board] * (repeats + 1))
    rungs = best(lambda one: araf_rungs.deduce(one, list(board.RUNGS)[-1]), [board] * (repeats + 1)) - listing
    row = {BUILD: building, PROPAGATE: here, SEARCH: max(0.0, whole - building - here)}
    return row | {"catalogue": listing, "rungs": max(0.0, rungs)}


@njit(cache=True)
def _sweep_kernel(literals, state, passes):
    """Look up each literal's cell, as often as asked; the state changes in between, or one pass would do for all."""
    total = 0
    for _ in range(passes):
        state[0] ^= 1
        for at in range(len(literals)):
            total += state[literals[at] >> 1]
    return total


def floor(board: Board, passes: int) -> dict[str, float]:
    """The least that a solver of this kind can do, in seconds: `sweep` reads each literal of the model once, `judge`
    checks one answer once; `literals` and `bytes` are the model's. Araf has no model, and no sweep.
    """
    answer = engine(board).search(board, 1).answers
    many = np.repeat(answer, passes, axis=0)
    row = {"judge": best(board.broken, [many] * 4) / passes}
    if isinstance(board, Araf):
        return row | {"sweep": 0.0, "literals": 0, "bytes": 0}
    model, state = board.model, np.zeros(board.rows * board.cols, np.int8)
    sweep = best(lambda _: _sweep_kernel(model.literals, state, passes), [None] * 4) / passes
    return row | {"sweep": sweep, "literals": len(model.literals), "bytes": sum(part.nbytes for part in model)}


def cheap_row(rng: np.random.Generator) -> dict:
    """A number: next to no work, so that what a study itself costs shows."""
    return {"number": rng.random()}


def made_row(rng: np.random.Generator, puzzle: str, size: int) -> dict:
    """A random board made, solved and proved to have one answer."""
    return {"answers": solve(GENERATE[puzzle](size, size, rng).board).count}


@contextmanager
def no_shards() -> Iterator[None]:
    """Rows are computed, not read from an earlier run."""
    with mock.patch.dict(os.environ, {"HOLDSTILL_SHARDS": "off"}):
        yield


def rate(row: Callable, n: int, params: dict, **workers) -> float:
    """Rows a second that n rows arrive at, waited for, from workers that are warm; `workers` as in `study.run`.

    The first shard is computed here, before any worker begins, and is not counted.
    """
    with no_shards():
        list(shards(row, 5 * SHARD, params, **workers))
        arrived = [time.perf_counter() for _ in shards(row, n, params, **workers)]
    return (n - SHARD) / (arrived[-1] - arrived[0])


PEAK = """
import resource, sys
from holdstill.lab.studies.performance import cheap_row, no_shards, shards
rows, held = 0, []
with no_shards():
    for shard in shards(cheap_row, {n}):
        rows += len(shard)
        if {hold}:
            held.append(shard)
assert rows == {n}
if sys.platform == "linux":  # ru_maxrss would be that of the process that started this one, where that is more
    print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1))
"""


def peak_memory(n: int, hold: bool = False) -> float:
    """The most memory, in MB, that a process of its own ever has to go through n rows of `cheap_row`, or to hold them.

    `hold` keeps every shard: what the other figure would look like if something did.
    """
    code = PEAK.format(n=n, hold=hold)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024
