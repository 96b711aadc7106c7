"""The command line: `holdstill`."""

import json
import os
import sys
from pathlib import Path

import click

from holdstill.core.grid import PuzzleError
from holdstill.version import VERSION

# Imports stand inside the commands: `grade` must not wait for pandas or matplotlib.


class Commands(click.Group):
    """Bad input ends any command in one line and exit code 2."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except PuzzleError as error:
            click.echo(f"holdstill: {error}", err=True)
            ctx.exit(2)
        except KeyboardInterrupt:
            ctx.exit(130)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION)
def main():
    """Make, solve and grade grid puzzles, and reproduce what the notebooks measure."""


@main.command()
@click.argument("notebooks", nargs=-1)
@click.option("--profile", default="published", show_default=True, help="A file of data/profiles.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Worker processes.")
@click.option("--scheduler", help="A Dask scheduler for the studies' rows: tcp://HOST:PORT.")
def reproduce(notebooks, profile, jobs, scheduler):
    """Run the NOTEBOOKS (all by default), compare with the committed results, print the ledger."""
    from holdstill.lab import batch
    from holdstill.lab.paths import project

    failures = batch.reproduce(project(), list(notebooks), profile, jobs, scheduler)
    batch.report(project(), profile)
    for name, line in failures.items():
        click.echo(f"holdstill: {name} failed in {line}", err=True)
    sys.exit(1 if failures else 0)


@main.command()
@click.argument("profile")
def promote(profile):
    """Make the last batch's results, notebooks and figures the committed ones."""
    from holdstill.lab import batch
    from holdstill.lab.paths import project

    batch.promote(project(), profile)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="A JSON list instead of a table.")
@click.option("--strict", is_flag=True, help="Exit 1 where a claim is unjudged, wrong, or differs unexplained.")
def ledger(as_json, strict):
    """Every claim of the texts beside what the notebooks measured."""
    from holdstill.lab import ledger as book

    measured = book.records(book.results_folder())
    rows = book.judge(book.claims(), measured)
    if as_json:
        click.echo(json.dumps(book.as_json(rows), indent=1))
    else:
        book.print_table(rows)
    bad = [row.id for row in rows if row.verdict in ("unjudged", "wrong")] + book.unexplained(rows, measured)
    if strict and bad:
        click.echo(f"holdstill: {len(bad)} claims unjudged, wrong or unexplained: {', '.join(bad[:5])} ...", err=True)
        sys.exit(1)


@main.command()
@click.argument("puzzle")
@click.option("--rows", type=int, required=True)
@click.option("--cols", type=int, required=True)
@click.option("--count", type=click.IntRange(1), default=1, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Board i is made from SEED + i.")
@click.option("--rung", help="Carve against this rung, so that it finishes the board; default: the complete solver.")
@click.option("--max-room", type=int, help="Heyawake from a densified answer: cells of the largest room; default: 4.")
@click.option("--difficulty", type=int, help="Heyawake from a densified answer: 1 (most rooms numbered) to 5.")
@click.option("--json", "as_json", is_flag=True, help="JSON lines instead of addresses (or of boards that have none).")
def generate(puzzle, rows, cols, count, seed, rung, max_room, difficulty, as_json):
    """Make COUNT boards of PUZZLE, each with one answer."""
    import numpy as np

    from holdstill.puzzles import boards, heyawake_dense
    from holdstill.puzzles.engines import generator
    from holdstill.puzzles.grade import address

    make, choices, dense = generator(puzzle), {"rung": rung}, max_room is not None or difficulty is not None
    if dense:
        if puzzle != "heyawake":
            raise PuzzleError(f"--max-room and --difficulty are for heyawake, not {puzzle}")
        if rung is not None:
            raise PuzzleError("--rung is for another generator than --max-room and --difficulty: give one or the other")
        make, choices = heyawake_dense.generate, {"max_room": 4 if max_room is None else max_room}
        choices["difficulty"] = difficulty
    for one in range(seed, seed + count):
        made = make(rows, cols, np.random.default_rng(one), **choices)
        line = {
            "puzzle": puzzle,
            "board": boards.to_dict(made.board),
            "url": address(made.board),
            "answer": boards.answer_rows(made.answer, cols),
            "seed": one,
            "rung": rung,
        }
        if dense:
            line |= {"rating_basis": "numbered_room_share", "numbered_room_share": made.share, "difficulty": made.level}
        click.echo(json.dumps(line) if as_json else line["url"] or boards.to_json(made.board))


def _boards(given: tuple[str, ...]):
    """(where, board or PuzzleError) for each BOARD_OR_FILE."""
    from holdstill.puzzles import boards

    for one in given:
        there = os.path.exists(one)  # a pipe too; and no name is too long to ask
        try:
            if there:
                for line, board in boards.read_lines(one):
                    yield f"{one}, line {line}", board
            else:
                yield "", boards.read(one)
        except PuzzleError as error:
            no_file = not there and not set("?{") & set(one)
            yield "", PuzzleError(f"{error}; and no file has that name") if no_file else error


def _warm(kind: type) -> None:
    """Compile what solves such boards: on the first run of all this takes longer than any time limit."""
    from holdstill.core import sat
    from holdstill.puzzles.araf import Araf
    from holdstill.puzzles.engines import SHADING, engine
    from holdstill.puzzles.grade import grade
    from holdstill.puzzles.heyawake import Heyawake
    from holdstill.puzzles.tapa import Tapa
    from holdstill.puzzles.thermometers import Thermometers

    tiny = next(
        board
        for board in (
            Heyawake(1, 3, [[0, 0, 0]], [2]),
            Tapa(2, 2, [[[1], None], [None, None]]),
            Thermometers(1, 2, [[0, 1]], [1], [None, None]),
            Araf(1, 2, [[1, 3]]),
        )
        if type(board) is kind
    )
    grade(tiny)
    solver = engine(tiny)
    solver.search(tiny, 2)
    if solver is SHADING:
        next(sat.answers(tiny.model, tiny.model.rule >= 0))


def _each(given: tuple[str, ...], work) -> None:
    """Do the work for each board. A lone bad board is bad input (2); in a batch the rest goes on (1)."""
    bad, failed, warm, where = 0, 0, set(), ""
    for where, board in _boards(given):
        if isinstance(board, PuzzleError):
            bad += 1
            click.echo(f"holdstill: {where + ': ' if where else ''}{board}", err=True)
            continue
        if type(board) not in warm:
            _warm(type(board))
            warm.add(type(board))
        failed += not work(board)
    if bad or failed:
        lone = not warm and len(given) == 1 and not where
        sys.exit(2 if bad and lone else 1)


JSON = ("puzzle", "rows", "cols", "url", "answers", "rung", "left")


@main.command()
@click.argument("boards", nargs=-1, required=True, metavar="BOARD_OR_FILE...")
@click.option("--json", "as_json", is_flag=True, help="JSON lines instead of a table.")
@click.option("--timeout", type=click.FloatRange(0), default=10.0, show_default=True, help="Seconds for a search.")
def grade(boards, as_json, timeout):
    """How many answers a board has, the first rung that finishes it, and the cells that each rung leaves."""
    from holdstill.core.search import Stopped
    from holdstill.lab.hardness import rank
    from holdstill.puzzles.grade import grade as graded
    from holdstill.puzzles.grade import in_words

    rows = []

    def show(board) -> bool:
        size = f"{type(board).__name__.lower()} {board.rows}x{board.cols}"
        try:
            one = graded(board, timeout)
        except Stopped as stopped:
            if not as_json:
                click.echo(f"{size}: {in_words(None, stopped.found.count)}; stopped")
            raise
        if as_json:
            click.echo(json.dumps({key: one[key] for key in JSON}))
            return True
        rows.append(one)
        none = "refutes it" if one["answers"] == 0 else "has too many rooms to list"
        left = ", ".join(f"{rung} {none if n is None else n}" for rung, n in one["left"].items())
        words = [
            in_words(one["answers"], one["at_least"]),
            f"finished by {one['rung']}" if one["rung"] else "no rung finishes it",
            f"cells left: {left}",
            *_hard(one, rank(board, one["difficulty"])),
            f"{1000 * one['seconds']:.1f} ms",
        ]
        click.echo(f"{size}: {'; '.join(words)}")
        return True

    try:
        _each(boards, show)
    finally:
        if len(rows) > 1:
            click.echo(_table(rows))


def _hard(one: dict, place) -> list[str]:
    """How much probing a board takes, and where that puts it among random boards of its size."""
    hard, words = one["difficulty"], []
    if hard is not None:
        words.append(f"probing: {hard.probes} cells in {hard.rounds} rounds")
        if place is not None and one["answers"] == 1:
            size = f"{one['rows']}x{one['cols']}"
            words.append(f"harder than {int(place.percent)}% of {place.boards} random {size} boards")
    return words


def _table(rows: list[dict]) -> str:
    """Graded boards, a line a puzzle: how many have 0, 1, 2+ answers, and how many each rung finishes first."""
    lines = [("puzzle", "boards", "0", "1", "2+", "?", "finished by", "probes", "ms")]
    for puzzle in sorted({row["puzzle"] for row in rows}):
        mine = [row for row in rows if row["puzzle"] == puzzle]
        answers = [str(sum(row["answers"] == n for row in mine)) for n in (0, 1, 2, None)]
        finished = ", ".join(f"{name} {sum(row['rung'] == name for row in mine)}" for name in mine[0]["left"])
        probes = [row["difficulty"].probes for row in mine if row["difficulty"] is not None]
        mean = f"{sum(probes) / len(probes):.1f}" if probes else "-"
        ms = f"{1000 * sum(row['seconds'] for row in mine) / len(mine):.1f}"
        lines.append((puzzle, str(len(mine)), *answers, finished, mean, ms))
    wide = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(text.ljust(n) for text, n in zip(line, wide, strict=True)).rstrip() for line in lines)


@main.command()
@click.argument("boards", nargs=-1, required=True, metavar="BOARD_OR_FILE...")
@click.option("--json", "as_json", is_flag=True, help="JSON lines instead of grids.")
@click.option("--timeout", type=click.FloatRange(0), default=10.0, show_default=True, help="Seconds for a search.")
@click.option("--url", "with_url", is_flag=True, help="The board's address too.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Draw the answer: a .svg, .png or .pdf file.")
def solve(boards, as_json, timeout, with_url, output):
    """The answer of a board, and whether it is the only one."""
    from holdstill.core.search import Stopped
    from holdstill.puzzles.boards import answer_rows, grid_text
    from holdstill.puzzles.engines import engine
    from holdstill.puzzles.grade import address, in_words, known

    drawn = []

    def show(board) -> bool:
        stopped = None
        try:
            found = engine(board).search(board, 2, seconds=timeout)
        except Stopped as error:
            found, stopped = error.found, error
        answers, url = known(found), address(board)
        if as_json:
            answer = answer_rows(found.answers[0], board.cols) if found.count else None
            click.echo(json.dumps({"answers": answers, "answer": answer} | ({"url": url} if with_url else {})))
        else:
            click.echo(in_words(answers, found.count) + ("; one of them:" if found.count > 1 else ""))
            if found.count:
                click.echo(grid_text(board, found.answers[0]))
            if with_url:
                click.echo(url or f"no address says this {type(board).__name__.lower()} board")
        if stopped:
            raise stopped
        if output and found.count:
            from holdstill.lab.draw import save

            if drawn:
                raise PuzzleError(f"-o draws one board, and {output} is drawn already")
            save(board, Path(output), found.answers[0])
            drawn.append(board)
        return answers is not None

    _each(boards, show)


@main.command()
@click.argument("board")
@click.option("--rung", help="Default: the first rung that finishes the board, else the strongest.")
@click.option("--minimal", is_flag=True, help="Under each step the fewest cells that force it; a probe as a chain.")
@click.option("--json", "as_json", is_flag=True, help="JSON lines instead of words.")
def explain(board, rung, minimal, as_json):
    """The steps of a rung, in words."""
    from holdstill.core.grid import UNKNOWN
    from holdstill.core.reasons import as_dict
    from holdstill.puzzles.boards import read
    from holdstill.puzzles.engines import engine

    puzzle = read(board)
    if rung is not None and rung not in puzzle.RUNGS:
        raise PuzzleError(f"no rung {rung!r}, only {', '.join(puzzle.RUNGS)}")
    names, solver = list(puzzle.RUNGS), engine(puzzle)
    rung = rung or next((name for name in names if solver.finishes(puzzle, name)), names[-1])
    steps = (solver.minimal if minimal else solver.explain)(puzzle, rung)
    for number, step in enumerate(steps, 1):
        if as_json:
            click.echo(json.dumps(as_dict(step) if minimal else step._asdict()))
        else:
            click.echo(f"{number}. " + ("\n".join(_reason_lines(step)) if minimal else step.text))
    if not as_json:
        state = solver.deduce(puzzle, rung)
        left = "a contradiction" if state is None else f"{int((state == UNKNOWN).sum())} cells left"
        click.echo(f"{rung}: {len(steps)} steps, {left}")


def _reason_lines(reason, indent: str = "") -> list[str]:
    """A step, why, and the steps of its chain below it."""
    lines = [indent + reason.step.text]
    if reason.because:
        lines.append(f"{indent}   because {reason.because}")
    return lines + [line for one in reason.chain for line in _reason_lines(one, indent + "     ")]


@main.command()
@click.argument("board")
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), help="A .svg, .png or .pdf file.")
@click.option("--answer", is_flag=True, help="Draw the answer too.")
def draw(board, output, answer):
    """Draw a board."""
    from holdstill.lab.draw import save
    from holdstill.puzzles.boards import read
    from holdstill.puzzles.engines import engine

    puzzle = read(board)
    found = engine(puzzle).search(puzzle, 1, seconds=10).answers if answer else ()
    if answer and not len(found):
        raise PuzzleError("no answer to draw")
    save(puzzle, Path(output), found[0] if answer else None)
