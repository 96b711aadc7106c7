"""The player in JupyterLab, by real clicks in headless Chromium, with a kernel behind it."""

import json
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from chromium import CHROMIUM, PHONE, WIDE, Browser

from holdstill.core.grid import SHADED, edges
from holdstill.lab.paths import project
from holdstill.lab.player import check, generated, hint
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.boards import PUZZLES, from_json, to_json
from holdstill.puzzles.engines import engine
from holdstill.puzzles.grade import address
from holdstill.puzzles.puzzlink import decode
from holdstill.puzzles.thermometers import Thermometers

# The server stands in an environment of its own (see Makefile), or beside the kernel's.
PLACES = project().root / ".venv-lab" / "bin", Path(sys.executable).parent
SERVER = next((place / "jupyter-lab" for place in PLACES if (place / "jupyter-lab").is_file()), None)
FOLDERS = ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")
OPTIONS = ("--no-browser", "--allow-root", "--expose-app-in-browser", "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0")
NOTEBOOK = "[...jupyterapp.shell.widgets('main')][0]"
LEVEL = {"heyawake": "spans", "tapa": "rings", "thermometers": "interval", "araf": "cell"}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """play.ipynb, opened in JupyterLab and run; few boards are counted in it."""
    for missing in ["no chromium on the PATH"] * (CHROMIUM is None) + ["no JupyterLab"] * (SERVER is None):
        message = f"the player is not tested in JupyterLab: there is {missing}"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    folder = tmp_path_factory.mktemp("lab")
    notebook = json.loads((project().notebooks / "play.ipynb").read_text())
    for cell in notebook["cells"]:
        if "parameters" in cell["metadata"].get("tags", []):
            cell["source"] += ["\n", "boards = 2"]
    (folder / "notebooks").mkdir()
    (folder / "notebooks" / "play.ipynb").write_text(json.dumps(notebook))
    settings = folder / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
    token, running = secrets.token_hex(), folder / "RUNTIME_DIR"
    own = {f"JUPYTER_{name}": str(folder / name) for name in FOLDERS} | {"IPYTHONDIR": str(folder / "ipython")}
    own |= {"JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"), "JUPYTERLAB_WORKSPACES_DIR": str(folder / "spaces")}
    widgets = Path(sys.prefix) / "share" / "jupyter" / "labextensions"
    command = [SERVER, *OPTIONS, f"--LabApp.extra_labextensions_path={widgets}"]
    command += [f"--ServerApp.root_dir={folder / 'notebooks'}"]
    with open(folder / "log", "w") as log:
        server = subprocess.Popen(command, env=os.environ | own | {"JUPYTER_TOKEN": token}, stdout=log, stderr=log)
    try:
        port = wait(lambda: [json.loads(one.read_text())["port"] for one in running.glob("jpserver-*.json")])[0]
        browser = Browser(folder / "chromium", f"http://127.0.0.1:{port}")
        browser.ask("Emulation.setFocusEmulationEnabled", enabled=True)
        browser.open(f"lab/tree/play.ipynb?token={token}", WIDE)
        wait(lambda: browser.value(f"{NOTEBOOK}?.sessionContext?.session?.kernel?.status === 'idle'"))
        browser.value(f"jupyterapp.shell.activateById({NOTEBOOK}.id)")
        browser.value("jupyterapp.commands.execute('notebook:run-all-cells')")
        browser.value(
            f"""(async () => {{ const {{ content }} = {NOTEBOOK};
            const at = content.widgets.findIndex((cell) => cell.model.sharedModel.source.includes("Player(BOARDS"));
            await content.scrollToItem(at, "start"); content.activeCellIndex = at }})()"""
        )
        wait(lambda: browser.value("!!document.querySelector('.holdstill')"))
        yield browser
        browser.close()
    finally:
        server.terminate()
        server.wait()


def wait(sought, seconds=60):
    """What `sought` finds, once that is anything."""
    until = time.monotonic() + seconds
    while True:
        try:
            found = sought()
        except ValueError:  # a file that is being written
            found = None
        if found:
            return found
        assert time.monotonic() < until, "nothing came"
        time.sleep(0.02)


def complaints(page):
    """All but requests that JupyterLab itself calls off, and the widget's module, which is a blob of the page's own."""
    called_off = [one for one in page.complaints() if isinstance(one, dict) and one.get("canceled")]
    return [one for one in page.complaints() if one not in called_off and not str(one).startswith(f"blob:{page.home}/")]


PLAYER = "document.querySelector('.holdstill').parentElement.player"
CELL = "document.querySelector('.holdstill [data-cell=\"{}\"] rect')"
BUTTON = "[...document.querySelectorAll('.holdstill button')].find((one) => one.textContent === {!r})"
SAID = "document.querySelector('.holdstill .words p')?.textContent"
STATUS = "document.querySelector('.holdstill .status').textContent"


def click(page, element, right=0.5, down=0.5, times=1):
    """Real clicks on an element, at a place given in its own width and height."""
    box = page.value(
        f"(() => {{ const one = {element}; one.scrollIntoView({{ block: 'center' }});"
        "const { x, y, width, height } = one.getBoundingClientRect(); return { x, y, width, height } })()"
    )
    at = {"x": box["x"] + right * box["width"], "y": box["y"] + down * box["height"], "button": "left", "clickCount": 1}
    for kind in ("mousePressed", "mouseReleased") * times:
        page.ask("Input.dispatchMouseEvent", type=kind, **at)


def press(page, name):
    """Click a button and wait for what the kernel says: a text, or none where the board is another."""
    page.value(f"void (window.before = {PLAYER})")
    click(page, BUTTON.format(name))
    return wait(lambda: page.value(f"{PLAYER} !== before ? ['another board'] : {SAID} !== '...' && [{SAID}]"))[0]


def fill(page, field, text):
    """Type over what a field holds."""
    page.value("document.querySelector('.holdstill details:has(textarea)').open = true")
    page.value(f"(() => {{ const one = document.querySelector('.holdstill {field}'); one.focus(); one.select() }})()")
    page.ask("Input.insertText", text=text)


def choose(page, label, value):
    """Choose from a list, by what stands before it."""
    page.value(
        "(() => { const one = [...document.querySelectorAll('.holdstill label')]"
        f".find((one) => one.textContent.startsWith({label!r})).querySelector('select');"
        f"one.value = {value!r}; one.dispatchEvent(new Event('change')) }})()"
    )


def lay(page, board):
    """Paste a board."""
    fill(page, "textarea", address(board) or to_json(board))
    assert press(page, "Open") == "another board"


def solve(page, board, answer):
    """Click an answer in: shaded cells, the uppermost filled cell of each tube, the walls of rooms."""
    if isinstance(board, Araf):
        for a, b in edges(board.rows, board.cols).tolist():
            if answer[a] != answer[b]:
                click(page, CELL.format(a), *((0.9, 0.5) if b == a + 1 else (0.5, 0.9)))
        return
    cells = np.flatnonzero(answer == SHADED).tolist()
    if isinstance(board, Thermometers):
        filled = ([cell for cell in tube if cell in cells] for tube in board.tubes)
        cells = [tube[-1] for tube in filled if tube]
    for cell in cells:
        click(page, CELL.format(cell))


def test_the_notebook_runs_without_an_error_and_shows_the_player_in_place_of_its_picture(page):
    wait(lambda: page.value(f"{NOTEBOOK}.content.widgets.at(-2).model.executionCount"))
    kinds = f"{NOTEBOOK}.content.widgets.flatMap((cell) => cell.model.outputs?.toJSON() ?? []).map((one) => one.output_type)"
    assert set(page.value(kinds)) == {"execute_result", "stream"}
    outputs = page.value("document.querySelector('.holdstill').closest('.jp-OutputArea').children.length")
    assert outputs == 1 and page.value(f"{PLAYER}.payload.puzzle") == "heyawake"
    assert complaints(page) == []


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_a_new_4x4_board_is_solved_by_clicks(page, puzzle):
    choose(page, "Puzzle", puzzle)
    choose(page, "Level", LEVEL[puzzle])
    fill(page, "input[type=number]", "4")
    assert press(page, "New board") == "another board"
    board = generated(None, puzzle, 4, LEVEL[puzzle], 1)
    (answer,) = engine(board).search(board, 2).answers
    assert page.value(STATUS) == ""
    solve(page, board, answer)
    wait(lambda: page.value(STATUS) == "Solved.")
    assert press(page, "Check the answer") == "No mistake found."
    assert press(page, "How many answers") == "Answers from here: one."
    assert press(page, "Hint").startswith("Nothing more by ")
    assert complaints(page) == []
