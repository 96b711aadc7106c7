"""Boards as pictures: room borders, numbers, shading, partial states, a step of a deduction.

A picture is a Matplotlib figure made without pyplot, a cell 20 points wide. As SVG it is the same, byte for byte, from
run to run: text stays text, and the file holds no date. Colours are from Okabe and Ito's palette for colour-blind
readers (Color Universal Design, 2008).
"""

import io
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from holdstill.core.grid import SHADED, UNSHADED, PuzzleError
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.boards import Board
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.tapa import Tapa
from holdstill.puzzles.thermometers import Thermometers

CELL = 20  # points, as are all sizes below
MARGIN = 4
GAP = 28
TITLE = 10

INK, GRID = "#000000", "#b5b5b5"
SHADE, DOT = "#4a4a4a", "#009e73"
FIXED = "#d55e00"
TUBE = "#d4d4d4"
REASON = {False: "#bfe3f8", True: "#1f6f9f"}  # on a shaded cell: the same blue, darker

STABLE = {"svg.hashsalt": "holdstill", "svg.fonttype": "none", "font.sans-serif": ["DejaVu Sans"]}
METADATA = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}, "pdf": {"CreationDate": None}}


class Panel(NamedTuple):
    """A board to draw: its state (int8, cells; None draws the board alone), a step, a title.

    `highlight` is the cells a step fixes and the cells of its reason: `(step.cells, step.places)` of an explanation.
    """

    board: Board
    state: np.ndarray | None = None
    highlight: tuple[Iterable[int], Iterable[int]] | None = None
    title: str | None = None


def board_figure(
    board: Board,
    state: np.ndarray | None = None,
    *,
    highlight: tuple[Iterable[int], Iterable[int]] | None = None,
    title: str | None = None,
) -> Figure:
    """A picture of a board.

    Shaded cells are dark, unshaded ones hold a dot, unknown ones are blank. Of a step, `highlight`, the cells it fixes
    are outlined in orange and the cells of its reason tinted blue.

    >>> board_figure(Heyawake(1, 3, [[0, 0, 1]], [1, None]), np.array([2, 1, 0]), highlight=([1], [0])).axes
    [<Axes: >]
    """
    return side_by_side([Panel(board, state, highlight, title)])


def side_by_side(panels: Iterable[Panel | tuple]) -> Figure:
    """A picture of several boards in a row, tops aligned; each a `Panel` or the fields of one.

    >>> board = Heyawake(1, 2, [[0, 1]], [None, 1])
    >>> len(side_by_side([(board,), (board, np.array([1, 2]))]).axes)
    2
    """
    panels = [Panel(*panel) for panel in panels]
    # Counts of lines stand left of the board and above it.
    edges = [CELL * isinstance(panel.board, Thermometers) for panel in panels]
    head = MARGIN + 1.8 * TITLE * any(panel.title for panel in panels) + max(edges)
    # A title may be wider than its board; 0.62 of its size is the mean width of a letter, with some room.
    sizes = [panel.board.cols * CELL + edge for panel, edge in zip(panels, edges, strict=True)]
    widths = [max(size, 0.62 * TITLE * len(panel.title or "")) for panel, size in zip(panels, sizes, strict=True)]
    width = sum(widths) + GAP * (len(panels) - 1) + 2 * MARGIN
    height = max(panel.board.rows for panel in panels) * CELL + head + MARGIN
    figure = Figure(figsize=(width / 72, height / 72))
    left = MARGIN
    for panel, edge, wide in zip(panels, edges, widths, strict=True):
        across, down = panel.board.cols * CELL, panel.board.rows * CELL
        axes = figure.add_axes(((left + edge) / width, (height - head - down) / height, across / width, down / height))
        axes.set(xlim=(0, panel.board.cols), ylim=(panel.board.rows, 0))
        axes.set_axis_off()
        if panel.title:
            at = left / width, 1 - (MARGIN + TITLE) / height
            figure.text(*at, panel.title, fontsize=TITLE, family="sans-serif", parse_math=False)
        _DRAWERS[type(panel.board)](axes, panel)
        left += wide + GAP
    return figure


class Picture:
    """A figure as a notebook shows it: SVG, under a name."""

    def __init__(self, name: str, svg: str):
        self.name, self.svg = name, svg

    def __repr__(self):
        return f"<figure {self.name}>"

    def _repr_svg_(self):
        return self.svg


def show(figure: Figure, name: str) -> Picture:
    """The figure as SVG for a notebook; also written as NAME.svg to the folder in HOLDSTILL_FIGURES, where that is set.

    Any Matplotlib figure will do; it is closed.

    >>> show(board_figure(Heyawake(1, 2, [[0, 1]], [None, 1])), "two-rooms")
    <figure two-rooms>
    """
    picture = Picture(name, render(figure, "svg").decode())
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(figure)
    if folder := os.environ.get("HOLDSTILL_FIGURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.svg").write_text(picture.svg, encoding="utf-8")
    return picture


def save(board: Board, path: str | Path, state: np.ndarray | None = None) -> None:
    """Writes a picture of the board: SVG, PNG or PDF, by the suffix of `path`.

    Raises PuzzleError for another suffix and a file that cannot be written.
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in METADATA:
        raise PuzzleError(f"{path}: a picture ends in .svg, .png or .pdf")
    drawn = render(board_figure(board, state), suffix)
    try:
        Path(path).write_bytes(drawn)
    except OSError as error:
        raise PuzzleError(f"{path}: {error.strerror}") from None


def render(figure: Figure, suffix: str) -> bytes:
    """The figure as the bytes of an SVG, PNG or PDF, the same from run to run."""
    written = io.BytesIO()
    with matplotlib.rc_context(STABLE):
        figure.savefig(written, format=suffix, dpi=150, metadata=METADATA[suffix])
    return written.getvalue()


def _heyawake(axes: Axes, panel: Panel) -> None:
    board = panel.board
    first = {}
    for cell, room in enumerate(board.room_of.tolist()):
        first.setdefault(room, cell)
    numbers = {cell: board.clues[room] for room, cell in first.items() if board.clues[room] is not None}
    state = np.zeros(board.rows * board.cols, np.int8) if panel.state is None else np.asarray(panel.state)
    fixed, reason = ([int(cell) for cell in cells] for cells in panel.highlight or ((), ()))
    _fill(axes, board.cols, state, reason)
    _lines(axes, np.ones((board.rows, board.cols - 1)), np.ones((board.rows - 1, board.cols)), GRID, 0.6)
    _dots(axes, board.cols, state, numbers)
    _lines(axes, board.wall_right, board.wall_below, INK, 2)
    _frame(axes, board.rows, board.cols)
    _outline(axes, board.cols, fixed)
    _numbers(axes, board.cols, numbers, state)


def _araf(axes: Axes, panel: Panel) -> None:
    """Rooms that are known have their borders drawn; an open cell has none to its open neighbours."""
    board = panel.board
    numbers = {cell: board.numbers[cell // board.cols][cell % board.cols] for cell in board.at}
    state = np.zeros(board.rows * board.cols, int) if panel.state is None else np.asarray(panel.state)
    rooms = state.reshape(board.rows, board.cols)
    fixed, reason = ([int(cell) for cell in cells] for cells in panel.highlight or ((), ()))
    _paint(axes, _squares(reason, board.cols, 0), facecolor=REASON[False], edgecolor="none")
    _lines(axes, np.ones((board.rows, board.cols - 1)), np.ones((board.rows - 1, board.cols)), GRID, 0.6)
    _lines(axes, rooms[:, 1:] != rooms[:, :-1], rooms[1:] != rooms[:-1], INK, 2)
    _frame(axes, board.rows, board.cols)
    _outline(axes, board.cols, fixed)
    _numbers(axes, board.cols, numbers, np.zeros(len(state)), centred=True)


def _numbers(axes: Axes, cols: int, numbers: dict, state: np.ndarray, centred: bool = False) -> None:
    for cell, number in numbers.items():
        y, x = divmod(cell, cols)
        size = 0.5 * CELL * min(1, 2.6 / len(str(number)))
        colour = "white" if state[cell] == SHADED else INK
        at, side = (x + 0.5, "center") if centred else (x + 0.12, "left")
        style = {"family": "sans-serif", "color": colour, "va": "center_baseline", "ha": side}
        axes.text(at, y + 0.5, str(number), fontsize=size, **style)


# Where a Tapa clue's numbers stand, by how many they are: the size of each and their middles, in cells.
TAPA = {
    1: (0.62, ((0.5, 0.5),)),
    2: (0.48, ((0.3, 0.3), (0.7, 0.7))),
    3: (0.42, ((0.26, 0.3), (0.74, 0.3), (0.5, 0.72))),
    4: (0.36, ((0.5, 0.23), (0.22, 0.5), (0.78, 0.5), (0.5, 0.77))),
}


def _tapa(axes: Axes, panel: Panel) -> None:
    board = panel.board
    state = np.zeros(board.rows * board.cols, np.int8) if panel.state is None else np.array(panel.state)
    fixed, reason = ([int(cell) for cell in cells] for cells in panel.highlight or ((), ()))
    _fill(axes, board.cols, state, reason)
    _lines(axes, np.ones((board.rows, board.cols - 1)), np.ones((board.rows - 1, board.cols)), GRID, 0.6)
    # No dot in a cell with a clue: it says that itself.
    _dots(axes, board.cols, np.where(np.isin(np.arange(len(state)), board.clue_cells), 0, state), ())
    _frame(axes, board.rows, board.cols)
    _outline(axes, board.cols, fixed)
    for cell in board.clue_cells.tolist():
        y, x = divmod(cell, board.cols)
        size, places = TAPA[len(board.clues[y][x])]
        style = {"fontsize": size * CELL, "family": "sans-serif", "va": "center_baseline", "ha": "center"}
        for run, (right, down) in zip(board.clues[y][x], places, strict=True):
            axes.text(x + right, y + down, str(run), color="white" if state[cell] == SHADED else INK, **style)


def _thermometers(axes: Axes, panel: Panel) -> None:
    board = panel.board
    state = np.zeros(board.rows * board.cols, np.int8) if panel.state is None else np.asarray(panel.state)
    fixed, reason = ([int(cell) for cell in cells] for cells in panel.highlight or ((), ()))
    _paint(axes, _squares(reason, board.cols, 0), facecolor=REASON[False], edgecolor="none")
    _lines(axes, np.ones((board.rows, board.cols - 1)), np.ones((board.rows - 1, board.cols)), GRID, 0.6)
    bulbs = [tube[0] for tube in board.tubes]
    for cells, colour in ((np.ones(len(state), bool), TUBE), (state == SHADED, SHADE)):
        pieces = [piece for tube in board.tubes for piece in _pieces(tube, board.cols, cells)]
        _paint(axes, pieces, closed=False, facecolor="none", edgecolor=colour, linewidth=0.4 * CELL, capstyle="butt")
        y, x = np.divmod(np.array([bulb for bulb in bulbs if cells[bulb]], int), board.cols)
        axes.plot(x + 0.5, y + 0.5, "o", color=colour, markersize=0.75 * CELL, markeredgewidth=0, clip_on=False)
    _dots(axes, board.cols, state, ())
    _frame(axes, board.rows, board.cols)
    _outline(axes, board.cols, fixed)
    places = [(-0.5, y + 0.5) for y in range(board.rows)] + [(x + 0.5, -0.5) for x in range(board.cols)]
    for place, count in zip(places, board.row_counts + board.col_counts, strict=True):
        if count is not None:
            centred = {"ha": "center", "va": "center_baseline"}
            axes.text(*place, str(count), fontsize=0.5 * CELL, family="sans-serif", color=INK, **centred)


def _pieces(tube: tuple[int, ...], cols: int, cells: np.ndarray) -> list[tuple]:
    """The stretch of a tube through each of the chosen cells, from edge to edge; the last ends inside its cell."""
    centre = [(cell % cols + 0.5, cell // cols + 0.5) for cell in tube]
    pieces = []
    for at, (x, y) in enumerate(centre):
        if not cells[tube[at]] or len(tube) == 1:
            continue
        before, after = centre[max(0, at - 1)], centre[min(at + 1, len(tube) - 1)]
        start, end = ((x + before[0]) / 2, (y + before[1]) / 2), ((x + after[0]) / 2, (y + after[1]) / 2)
        if at == len(tube) - 1:
            end = x + 0.6 * (x - start[0]), y + 0.6 * (y - start[1])
        pieces.append((start, (x, y), end))
    return pieces


def _fill(axes: Axes, cols: int, state: np.ndarray, reason: list[int]) -> None:
    shaded = state == SHADED
    told = np.zeros(len(state), bool)
    told[reason] = True
    layers = (shaded & ~told, SHADE), (told & ~shaded, REASON[False]), (told & shaded, REASON[True])
    for cells, colour in layers:
        _paint(axes, _squares(np.flatnonzero(cells), cols, 0), facecolor=colour, edgecolor="none")


def _outline(axes: Axes, cols: int, cells: list[int]) -> None:
    _paint(axes, _squares(cells, cols, 0.1), facecolor="none", edgecolor=FIXED, linewidth=2)


def _dots(axes: Axes, cols: int, state: np.ndarray, numbers: Iterable[int]) -> None:
    """In the middle of unshaded cells, aside where a number is."""
    cells = np.flatnonzero(state == UNSHADED)
    aside = 0.25 * np.isin(cells, list(numbers))
    y, x = np.divmod(cells, cols)
    axes.plot(x + 0.5 + aside, y + 0.5 + aside, ".", color=DOT, markersize=0.3 * CELL, markeredgewidth=0)


def _frame(axes: Axes, rows: int, cols: int) -> None:
    _paint(axes, [((0, 0), (cols, 0), (cols, rows), (0, rows))], facecolor="none", edgecolor=INK, linewidth=2)


def _lines(axes: Axes, right: np.ndarray, below: np.ndarray, colour: str, width: float) -> None:
    """Lines to the right of cells and below cells, each unbroken stretch as one."""
    down = [((x + 1, start), (x + 1, end)) for x, start, end in _stretches(right.T)]
    across = [((start, y + 1), (end, y + 1)) for y, start, end in _stretches(below)]
    _paint(
        axes, down + across, closed=False, facecolor="none", edgecolor=colour, linewidth=width, capstyle="projecting"
    )


def _stretches(lines: np.ndarray) -> list[tuple[int, int, int]]:
    edges = np.diff(np.pad(lines.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    line, start = np.nonzero(edges == 1)
    return list(zip(line.tolist(), start.tolist(), np.nonzero(edges == -1)[1].tolist(), strict=True))


def _squares(cells: Iterable[int], cols: int, inset: float) -> list[tuple]:
    low, high = inset, 1 - inset
    corners = (low, low), (high, low), (high, high), (low, high)
    return [tuple((cell % cols + x, cell // cols + y) for x, y in corners) for cell in cells]


def _paint(axes: Axes, shapes: list[tuple], closed: bool = True, **style) -> None:
    """All shapes as one path: a board is a dozen elements of SVG, whatever its size."""
    if not shapes:
        return
    parts = [Outline(shape + shape[:1], closed=True) if closed else Outline(shape) for shape in shapes]
    axes.add_patch(PathPatch(Outline.make_compound_path(*parts), clip_on=False, **style))


_DRAWERS = {Heyawake: _heyawake, Tapa: _tapa, Thermometers: _thermometers, Araf: _araf}
