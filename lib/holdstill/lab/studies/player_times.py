"""What a click on the player costs a browser, and a hint a kernel."""

import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from holdstill.lab.player_data import payload, script
from holdstill.puzzles import layouts
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.boards import Board
from holdstill.puzzles.engines import engine
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.tapa import Tapa
from holdstill.puzzles.thermometers import Thermometers

PAGE = """<!doctype html><div id="place"></div><pre id="told"></pre><script type="module">
{script}
const player = mount(document.getElementById("place"), {payload});
const times = Array.from({{ length: {clicks} }}, (_, i) => player.timeClick((i * 37) % {cells}));
document.getElementById("told").textContent = JSON.stringify(times);
</script>"""


def boards(side: int) -> dict[str, Board]:
    """A board of each puzzle to click on: rooms without numbers, a clue or a number in every other cell, long tubes."""
    cells = range(side * side)
    row = [None, [1]] * (side // 2) + [None] * (side % 2)
    tubes = [list(range(start, start + side)) for start in cells[::side]]
    labels = layouts.guillotine(side, side, np.random.default_rng(1))
    return {
        "heyawake": Heyawake(side, side, labels, [None] * (int(labels.max()) + 1)),
        "tapa": Tapa(side, side, [row, row[1:] + [None]] * (side // 2) + [row] * (side % 2)),
        "thermometers": Thermometers(side, side, tubes, [side // 2] * side, [None] * side),
        "araf": Araf(side, side, [[3, 5] * (side // 2) + [None] * (side % 2)] * side),
    }


def clicks(board: Board, count: int) -> np.ndarray | None:
    """Milliseconds from a click to a board that is drawn and laid out again, in headless Chromium; None without one."""
    chromium = next(filter(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome")), None)
    if chromium is None:
        return None
    page = PAGE.format(script=script(), payload=json.dumps(payload(board)), clicks=count, cells=board.rows * board.cols)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.html").write_text(page, encoding="utf-8")
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        command += [f"--user-data-dir={folder}/profile", "--dump-dom", (Path(folder) / "page.html").as_uri()]
        shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    return np.array(json.loads(shown.partition('<pre id="told">')[2].partition("</pre>")[0]))


def hint_times(board: Board, rung: str) -> np.ndarray:
    """Milliseconds of the kernel for each hint to the end of the board, as the page asks for them."""
    cutting, times = isinstance(board, Araf), []
    state = np.zeros(board.rows * board.cols, np.int32 if cutting else np.int8)
    begun = time.perf_counter()
    while (told := engine(board).hint(board, rung, state)) is not None and told.step.cells:
        times.append(1000 * (time.perf_counter() - begun))
        state[list(told.step.cells)] = told.step.value
        begun = time.perf_counter()
    return np.array(times)
