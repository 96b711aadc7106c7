"""Solvers from the Python Package Index beside ours: the same boards, a time limit, and our judge over each answer.

None of them is needed: `pip install 'holdstill[peers]'` brings them. Each runs in a process of its own, which is ended
where it takes too long. `peer_solvers` says how.
"""

import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import numpy as np

from holdstill.lab import peer_solvers as solvers

STARTING = 30  # seconds more, for the import of a peer and its first call, which are not measured
VERDICTS = RIGHT, WRONG, NONE, REFUSED, LATE = "right", "wrong", "no answer", "refused", "late"


class Reply(NamedTuple):
    """What came of asking: answers as grids (None: none came, and why), seconds of waiting and of processor time."""

    answers: list | None
    why: str
    waited: float
    spent: float


class Peer(NamedTuple):
    """A package, the engine under it, whether it looks for a second answer, and for each puzzle (told, solved)."""

    package: str
    engine: str
    proves: bool
    puzzles: dict[str, tuple[Callable, Callable]]

    @property
    def versions(self) -> str | None:
        """The installed versions of the package and its engine; None where it is not installed, or not wanted.

        HOLDSTILL_PEERS=off: they take minutes, and times are not compared when the notebooks are checked.
        """
        if os.environ.get("HOLDSTILL_PEERS") == "off":
            return None
        try:
            return f"{self.package} {version(self.package)} over {self.engine} {version(self.engine)}"
        except PackageNotFoundError:
            return None


PEERS = (
    Peer(
        "puzzlekit",
        "ortools",
        False,
        {
            "heyawake": (solvers.told_puzzlekit_heyawake, solvers.puzzlekit_heyawake),
            "thermometers": (solvers.told_puzzlekit_thermometers, solvers.puzzlekit_thermometers),
        },
    ),
    Peer(
        "multi-puzzle-solver",
        "ortools",
        True,
        {
            "heyawake": (solvers.told_multi_heyawake, solvers.multi_heyawake),
            "tapa": (solvers.told_multi_tapa, solvers.multi_tapa),
            "thermometers": (solvers.told_multi_thermometers, solvers.multi_thermometers),
        },
    ),
    Peer(
        "grilops",
        "z3-solver",
        True,
        {
            "heyawake": (solvers.told_grilops_heyawake, solvers.grilops_heyawake),
            "tapa": (solvers.told_grilops_tapa, solvers.grilops_tapa),
            "thermometers": (solvers.told_grilops_thermometers, solvers.grilops_thermometers),
            "araf": (solvers.told_grilops_araf, solvers.grilops_araf),
        },
    ),
)


def _serve(pipe) -> None:
    """Solve what comes through the pipe, until it closes."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  peers print
    while True:
        try:
            solved, told = pipe.recv()
        except EOFError:
            return
        waited, spent = time.perf_counter(), time.process_time()
        try:
            answers, why = solved(**told), ""
        except Exception as error:
            answers, why = None, f"{type(error).__name__}: {' '.join(str(error).split())}"
        pipe.send(Reply(answers, why, time.perf_counter() - waited, time.process_time() - spent))


class Process:
    """A process that solves for a peer: begun when it is first asked, and anew after it was late or died."""

    def __init__(self):
        self.process = self.pipe = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self) -> None:
        """End the process, whatever it does."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.pipe.close()
            self.process = None

    def ask(self, solved: Callable, told: dict, seconds: float) -> Reply:
        """What `solved(**told)` returns, run there; `solved` is a function of a module."""
        if self.process is None:
            context = multiprocessing.get_context("spawn")
            self.pipe, there = context.Pipe()
            self.process = context.Process(target=_serve, args=(there,), daemon=True)
            self.process.start()
            there.close()
        try:
            self.pipe.send((solved, told))
            if self.pipe.poll(seconds):
                return self.pipe.recv()
        except (EOFError, OSError):
            self.end()
            return Reply(None, "its process died", float("nan"), float("nan"))
        self.end()
        return Reply(None, "", seconds, float("nan"))


def verdict(board, reply: Reply, wanted: int | None) -> tuple[str, str]:
    """What the board's judge says to a reply, and why not right; `wanted` is the count of answers, 2 for more.

    None for `wanted` where the peer does not look for a second answer.
    """
    if reply.answers is None:
        return (REFUSED, reply.why) if reply.why else (LATE, "")
    states = []
    for answer in reply.answers[:2]:
        if np.shape(answer) != (board.rows, board.cols):
            return WRONG, "not a grid of the board's size"
        states.append(np.ravel(answer) + 1)
        broken = int(board.broken(states[-1][None])[0])
        if broken:
            return WRONG, "breaks " + ", ".join(rule for bit, rule in enumerate(board.RULES) if broken >> bit & 1)
    if not states:
        return (RIGHT, "") if wanted == 0 else (NONE, "")
    if len(states) == 2 and (states[0] == states[1]).all():
        return WRONG, "one answer twice"
    if wanted is not None and len(states) != wanted:
        return WRONG, f"answers: {len(states)}, not {wanted}"
    return RIGHT, ""


def asked(peer: Peer, boards: list, wanted: list[int], seconds: float) -> Iterator[dict]:
    """A row a board that the peer has a solver for: its verdict, and seconds of waiting and of processor time.

    `boards` are of one puzzle, `wanted` how many answers each has, 2 for more. A process is first asked the first board
    that its peer has words for, which is not measured.
    """
    puzzle, first = type(boards[0]).__name__.lower(), None
    if puzzle not in peer.puzzles:
        return
    with Process() as process:
        for number, board in enumerate(boards):
            tell, solved = peer.puzzles[puzzle]
            try:
                told = tell(board)
            except solvers.CannotSayError as error:
                reply = Reply(None, f"it has no word for: {error}", float("nan"), float("nan"))
            else:
                first = first or told
                if process.process is None:
                    process.ask(solved, first, seconds + STARTING)
                reply = process.ask(solved, told, seconds)
            said, why = verdict(board, reply, wanted[number] if peer.proves else None)
            yield {
                "solver": peer.package,
                "board": number,
                "verdict": said,
                "why": why,
                "waited": reply.waited,
                "spent": reply.spent,
            }
