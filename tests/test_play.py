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
NOTEBOOK = "[...(window.jupyterapp?.shell.widgets('main') ?? [])][0]"
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
    outputs = f"{NOTEBOOK}.content.widgets.flatMap((cell) => cell.model.outputs?.toJSON() ?? [])"
    assert set(page.value(f"{outputs}.map((one) => one.output_type)")) == {"execute_result", "stream"}
    outputs = page.value(
        "document.querySelector('.holdstill').closest('.jp-OutputArea').querySelectorAll('.jp-OutputArea-child').length"
    )
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
    assert complaints(page) == []


def lit(page, name):
    """The cells with a tag."""
    return page.value(f"[...document.querySelectorAll('.holdstill .cell.{name}')].map((one) => +one.dataset.cell)")


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_each_rung_gives_a_hint_that_lights_up_in_the_page(page, puzzle):
    board = generated(None, puzzle, 6, LEVEL[puzzle], 2)
    lay(page, board)
    for rung in board.RUNGS:
        choose(page, "Rung", rung)
        state = page.value(f"{PLAYER}.state")
        told = hint(board, state, rung)
        assert press(page, "Hint") == told.get("text", told.get("step", {}).get("text"))
        if "step" in told:
            wait(lambda cells=told["step"]["cells"]: lit(page, "set") == sorted(cells))
            assert lit(page, "reason") == sorted(told["step"]["reason"])
            click(page, BUTTON.format("Next step"))
    assert page.value(f"{PLAYER}.state") != ([] if puzzle == "araf" else [0] * 36)
    choose(page, "Rung", LEVEL[puzzle])
    press(page, "Finish")
    wait(lambda: page.value(STATUS) == "Solved.")
    assert complaints(page) == []


def test_a_probe_tells_its_chain_link_by_link(page):
    board = decode("https://puzz.link/p?heyawake/6/6/aa66aapv0fu0g2i3k")
    lay(page, board)
    choose(page, "Rung", "probe")
    told = hint(board, [0] * 36, "probe")["step"]
    assert press(page, "Hint") == told["text"]
    click(page, "document.querySelector('.holdstill .words summary')")
    assert page.value("[...document.querySelectorAll('.holdstill .words li')].map((one) => one.textContent)") == [
        link["text"] for link in told["chain"]
    ]
    click(page, "[...document.querySelectorAll('.holdstill .words li button')].at(-1)")
    wait(lambda: lit(page, "reason") == sorted(told["chain"][-1]["reason"]))


def test_a_second_view_of_a_player_follows_to_another_board_and_gets_its_own_answers(page):
    lay(page, decode("https://puzz.link/p?heyawake/3/2/ksg2h"))
    page.value("jupyterapp.commands.execute('notebook:create-output-view')")
    wait(lambda: page.value("document.querySelectorAll('.holdstill').length") == 2)
    lay(page, decode("https://puzz.link/p?tapa/5/5/gad1k3l5hadl"))
    urls = "[...document.querySelectorAll('.holdstill')].map((one) => one.parentElement.player.payload.url)"
    wait(lambda: page.value(urls) == ["https://puzz.link/p?tapa/5/5/gad1k3l5hadl"] * 2)
    assert press(page, "How many answers") == "Answers from here: one."
    said = "[...document.querySelectorAll('.holdstill .words')].map((one) => one.textContent)"
    assert page.value(said) == ["Answers from here: one.", ""]
    page.value("[...jupyterapp.shell.widgets('main')].at(-1).close()")
    assert page.value("document.querySelectorAll('.holdstill').length") == 1
    assert complaints(page) == []


def test_a_broken_rule_is_marked_at_once_as_the_kernel_says_and_undone(page):
    board = decode("https://puzz.link/p?heyawake/3/2/ksg2h")
    lay(page, board)
    for cell in (0, 1, 3):
        click(page, CELL.format(cell))
    broken = check(board, [2, 2, 0, 2, 0, 0], False)["broken"]
    marked = sorted({cell for one in broken for cell in one["cells"]})
    wait(lambda: lit(page, "bad") == marked and page.value(STATUS).startswith("Broken: "))
    assert {0, 1, 3} <= set(marked) and page.value(f"{PLAYER}.state") == [2, 2, 0, 2, 0, 0]
    assert press(page, "Check") == "; ".join(one["text"] for one in broken)
    for _ in range(2):
        click(page, BUTTON.format("Undo"))
    wait(lambda: page.value(STATUS) == "" and lit(page, "bad") == [])
    assert page.value(f"{PLAYER}.state") == [2, 0, 0, 0, 0, 0]


def test_an_address_is_pasted_and_copied(page):
    there = "https://puzz.link/p?tapa/5/5/gad1k3l5hadl"
    fill(page, "textarea", f"  {there}\n")
    assert press(page, "Open") == "another board"
    assert page.value(f"{PLAYER}.payload.url") == there
    page.value("document.querySelector('.holdstill details:has(textarea)').open = true")
    assert press(page, "Copy address") == "The board's address is below."
    assert page.value("document.querySelector('.holdstill textarea').value") == there


MARKUP = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"


def test_whatever_is_pasted_or_typed_is_answered_in_words_and_never_run(page):
    lay(page, decode("https://puzz.link/p?heyawake/3/2/ksg2h"))
    for text in (MARKUP, f"puzz.link/p?{MARKUP}", json.dumps({"puzzle": MARKUP}), json.dumps({MARKUP: 1}), ""):
        fill(page, "textarea", text)
        assert press(page, "Open") != "another board"
    fill(page, "textarea", "x" * 10**6)
    assert press(page, "Open") == "an address or a board has at most 50000 characters, not 1000000"
    fill(page, "textarea", "")
    for size in ("-3", "1e9", "2.5", ""):
        fill(page, "input[type=number]", size)
        assert press(page, "New board").startswith("a new board of heyawake has 1 to ")
    page.value(f"document.querySelector('.holdstill select').append(new Option('x', {MARKUP!r}, true, true))")
    assert press(page, "Hint").startswith("a rung is one of local, spans, probe, not '<img src=x")
    assert not page.value("window.hacked || document.querySelectorAll('.holdstill :is(img, script)').length")
    assert page.value(f"{PLAYER}.payload.url") == "https://puzz.link/p?heyawake/3/2/ksg2h"
    assert complaints(page) == []


def test_two_hundred_clicks_in_a_second_leave_the_page_and_the_kernel_answering(page):
    board = generated(None, "tapa", 10, "rings", 1)
    lay(page, board)
    for cell in range(20):
        click(page, CELL.format(cell), times=10)
    assert page.value(f"{PLAYER}.state") == [2] * 20 + [0] * 80  # ten clicks go round three times and one on
    page.value(f"{{ const ask = {BUTTON.format('How many answers')}; for (let i = 0; i < 200; i++) ask.click() }}")
    click(page, BUTTON.format("Check"))
    wait(lambda: page.value(SAID).startswith("no clue is shaded"))
    assert complaints(page) == []


def ten(puzzle):
    """A 10x10 board; of Araf, whose generator would take long, the largest in the bank."""
    if puzzle == "araf":
        with open(project().bank("araf"), encoding="utf-8") as lines:
            return from_json(json.loads(list(lines)[-1])["board"])
    return generated(None, puzzle, 10, "probe", 4)


def test_how_long_a_hint_takes_from_the_click_until_it_is_lit(page, capsys):
    """Reported, not asserted: up to 25 hints of each rung, one after another, each done as told."""
    for puzzle in PUZZLES:
        board = ten(puzzle)
        lay(page, board)
        for rung in board.RUNGS:
            click(page, BUTTON.format("Start again"))
            choose(page, "Rung", rung)
            took = page.value(
                f"""(async () => {{
                const find = (name) => [...document.querySelectorAll(".holdstill button")]
                  .find((one) => one.textContent === name), took = [];
                const drawn = () => new Promise(requestAnimationFrame);
                const words = () => {SAID};
                while (took.length < 25) {{
                  const start = performance.now();
                  find("Hint").click();
                  while (words() === "...") await new Promise((done) => setTimeout(done));
                  if (words().startsWith("Nothing more")) break;
                  while (!document.querySelector(".holdstill .cell.set")) await drawn();
                  took.push(performance.now() - start);
                  find("Next step").click();
                  await drawn();
                }}
                return took }})()"""
            )
            size = f"{puzzle} {board.rows}x{board.cols}, {rung}: {len(took)} hints"
            with capsys.disabled():
                print(f"\n{size}, median {np.median(took):.0f} ms, longest {max(took):.0f} ms" if took else f"\n{size}")
    assert complaints(page) == []


def test_the_player_fits_a_phone(page):
    lay(page, ten("thermometers"))
    page.value("jupyterapp.commands.execute('application:toggle-left-area')")
    page.value("jupyterapp.commands.execute('application:set-mode', { mode: 'single-document' })")
    page.ask("Emulation.setDeviceMetricsOverride", width=PHONE, height=844, deviceScaleFactor=1, mobile=False)
    page.value("new Promise((done) => setTimeout(done, 300))")
    width = "(({ left, right }) => right - left)(document.querySelector('.holdstill').getBoundingClientRect())"
    assert 0 < page.value(width) <= PHONE
    assert page.value(
        "document.querySelector('.holdstill').scrollWidth <= document.querySelector('.holdstill').clientWidth"
    )
