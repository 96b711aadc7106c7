"""Pictures: the same bytes each time, every number there, any size."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from holdstill.core.grid import PuzzleError
from holdstill.lab.draw import board_figure, save, show, side_by_side
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.layouts import grown
from holdstill.puzzles.puzzlink import decode
from holdstill.puzzles.tapa import Tapa
from holdstill.puzzles.thermometers import Thermometers
from holdstill.puzzles.tubes import random_tubes

SAMPLE = """
import numpy as np
from holdstill.lab.draw import board_figure, show
from holdstill.puzzles.puzzlink import decode
board = decode("https://puzz.link/p?heyawake/6/6/lll155007rs12222j")
figure = board_figure(board, np.arange(36) % 3, highlight=([3, 4], [9, 10]), title="a step")
print(show(figure, "sample").svg)
"""


def svg(figure):
    return show(figure, "test").svg


def words(svg_text):
    return [element.text for element in ElementTree.fromstring(svg_text).iter("{http://www.w3.org/2000/svg}text")]


def test_the_same_bytes_in_two_processes():
    runs = [subprocess.run([sys.executable, "-c", SAMPLE], capture_output=True, check=True).stdout for _ in range(2)]
    board = decode("https://puzz.link/p?heyawake/6/6/lll155007rs12222j")
    again = [svg(board_figure(board, np.arange(36) % 3, highlight=([3, 4], [9, 10]), title="a step")) for _ in range(2)]
    assert runs[0] == runs[1]
    assert again[0] == again[1]
    assert runs[0].decode().strip() == again[0].strip()
    assert "date" not in again[0].lower() and "matplotlib" not in again[0].lower()


def test_every_number_is_there():
    labels = grown(9, 11, np.random.default_rng(2), largest=12)
    clues = [size // 2 if room % 3 else None for room, size in enumerate(np.bincount(labels.ravel()).tolist())]
    board = Heyawake(9, 11, labels, clues)
    assert words(svg(board_figure(board))) == [str(clue) for clue in clues if clue is not None]
    big = Heyawake(64, 64, [[0] * 64] * 64, [1234])
    assert words(svg(board_figure(big))) == ["1234"]


def test_titles_are_text_and_not_markup():
    board = Heyawake(1, 2, [[0, 1]], [None, 1])
    drawn = svg(side_by_side([(board, None, None, "a <b> & $x_1$"), (board, np.array([1, 2]), None, "two")]))
    assert "<b>" not in drawn and set(words(drawn)) == {"1", "a <b> & $x_1$", "two"}


def test_what_a_state_and_a_step_add():
    board = Heyawake(2, 2, [[0, 0], [1, 1]], [1, None], [(0, 1)])
    plain = svg(board_figure(board))
    assert plain.count("<use") == 0 and "#4a4a4a" not in plain
    partial = svg(board_figure(board, np.array([2, 1, 1, 0])))
    assert partial.count("<use") == 2 and "#4a4a4a" in partial and "#d55e00" not in partial
    step = svg(board_figure(board, np.array([2, 1, 1, 0]), highlight=((1,), (0, 3))))
    assert all(colour in step for colour in ("#d55e00", "#bfe3f8", "#1f6f9f")) and "#4a4a4a" not in step


def test_blind_walls_are_drawn():
    bare, walled = (svg(board_figure(Heyawake(3, 3, [[0] * 3] * 3, [None], walls))) for walls in (None, [(0, 1)]))
    assert walled != bare
    thick = re.compile(r"stroke-width: 2\b")
    assert len(thick.findall(walled)) == len(thick.findall(bare)) + 1


@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 64), (64, 1), (64, 64), (31, 45)])
def test_any_size(rows, cols):
    board = Heyawake(rows, cols, np.zeros((rows, cols), int), [rows * cols // 4])
    drawn = svg(board_figure(board, np.arange(rows * cols) % 3))
    assert f'viewBox="0 0 {cols * 20 + 8} {rows * 20 + 8}"' in drawn


def test_a_plain_board_is_small():
    labels = grown(10, 10, np.random.default_rng(1))
    board = Heyawake(10, 10, labels, [None] * (labels.max() + 1))
    assert len(svg(board_figure(board))) < 6_000


def test_tapa_clues_stand_in_their_cells():
    clues = [[[3], None, None, ["?", 1]], [None, [1, 1, 1, 1], [2, "?", 1], None], [["?"], None, None, [0]]]
    board = Tapa(3, 4, clues)
    drawn = svg(board_figure(board))
    assert words(drawn) == [str(run) for row in clues for clue in row if clue for run in clue]
    assert f'viewBox="0 0 {4 * 20 + 8} {3 * 20 + 8}"' in drawn
    # a dot in a cell without a clue alone
    state = np.array([1, 2, 1, 1, 1, 1, 0, 2, 1, 1, 2, 2], np.int8)
    assert svg(board_figure(board, state)).count("<use") == 3
    step = svg(board_figure(board, state, highlight=((1,), (0, 1, 4))))
    assert all(colour in step for colour in ("#d55e00", "#bfe3f8", "#1f6f9f"))


@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 64), (64, 1), (20, 30)])
def test_tapa_of_any_size(rows, cols):
    board = Tapa(rows, cols, [[["?"]] * cols] * rows)
    assert words(svg(board_figure(board, np.arange(rows * cols) % 3))) == ["?"] * (rows * cols)


def test_thermometers_have_their_counts_at_the_edges():
    board = Thermometers(3, 4, [[0, 1, 5, 4], [11], [8, 9]], [2, None, 3], [None, 2, 0, 1])
    drawn = svg(board_figure(board, np.array([2, 2, 1, 1, 1, 0, 1, 1, 2, 0, 1, 2])))
    assert words(drawn) == ["2", "3", "2", "0", "1"]
    assert f'viewBox="0 0 {5 * 20 + 8} {4 * 20 + 8}"' in drawn  # one cell more than the board each way
    assert drawn != svg(board_figure(board)) and "#4a4a4a" in drawn and "#4a4a4a" not in svg(board_figure(board))
    step = svg(board_figure(board, highlight=((1,), (0, 1))))
    assert "#d55e00" in step and "#bfe3f8" in step
    both = svg(side_by_side([(board, None, None, "one"), (Heyawake(1, 2, [[0, 1]], [None, 1]),)]))
    assert set(words(both)) == {"one", "0", "1", "2", "3"}


@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 64), (64, 1), (64, 64)])
def test_thermometers_of_any_size(rows, cols):
    tubes = random_tubes(rows, cols, np.random.default_rng(3), longest=9)
    board = Thermometers(rows, cols, tubes, [0] * rows, [None] * cols)
    drawn = svg(board_figure(board, np.arange(rows * cols) % 3))
    assert words(drawn) == ["0"] * rows and f'viewBox="0 0 {cols * 20 + 28} {rows * 20 + 28}"' in drawn


def test_show(tmp_path, monkeypatch):
    board = Heyawake(1, 2, [[0, 1]], [None, 1])
    monkeypatch.delenv("HOLDSTILL_FIGURES", raising=False)
    monkeypatch.chdir(tmp_path)
    picture = show(board_figure(board), "two-rooms")
    assert repr(picture) == "<figure two-rooms>" and picture._repr_svg_() == picture.svg
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("HOLDSTILL_FIGURES", str(tmp_path / "figures" / "notebook"))
    show(board_figure(board), "two-rooms")
    assert (tmp_path / "figures" / "notebook" / "two-rooms.svg").read_text(encoding="utf-8") == picture.svg


def test_show_closes_a_pyplot_figure():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    figure, axes = pyplot.subplots()
    axes.plot([1, 2])
    assert "<svg" in svg(figure) and not pyplot.get_fignums()


@pytest.mark.parametrize("suffix, start", [("svg", b"<?xml"), ("PNG", b"\x89PNG"), ("pdf", b"%PDF")])
def test_save(tmp_path, suffix, start):
    board = Heyawake(1, 2, [[0, 1]], [None, 1])
    paths = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for path in paths:
        save(board, path, np.array([1, 2], np.int8))
    assert paths[0].read_bytes().startswith(start)
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("name", ["board.gif", "board", "missing/board.svg"])
def test_save_refuses(tmp_path, name):
    with pytest.raises(PuzzleError, match="board"):
        save(Heyawake(1, 2, [[0, 1]], [None, 1]), tmp_path / name)


def test_araf_boards_show_numbers_and_the_borders_of_known_rooms():
    board = Araf(2, 3, [[1, 3, "?"], [12, None, None]])
    plain = svg(board_figure(board))
    assert words(plain) == ["1", "3", "?", "12"]
    state = np.array([1, 1, 2, 2, 2, 2], np.int32)
    answer = svg(board_figure(board, state))
    step = svg(board_figure(board, state, highlight=((0, 1), (2,))))
    thick = re.compile(r"stroke-width: 2\b")
    assert len(thick.findall(answer)) == len(thick.findall(plain)) + 1
    assert "#d55e00" in step and "#bfe3f8" in step and "#d55e00" not in answer
