"""The page of boards to play, in headless Chromium: replayed, solved by keys, its marks judged by brute force."""

import json
import re
from functools import cache

import numpy as np
import pytest
from araf_boards import araf_board
from boards_for_tests import board as heyawake_board
from boards_for_tests import every_state
from chromium import PHONE, WIDE

from holdstill.core.grid import SHADED, UNKNOWN, edges
from holdstill.lab.paths import project
from holdstill.lab.player_data import payload
from holdstill.lab.shelf import LEAST, chosen
from holdstill.puzzles import layouts
from holdstill.puzzles.araf import Araf
from holdstill.puzzles.araf_unscreened import answers_unscreened
from holdstill.puzzles.boards import PUZZLES, answer_state, from_json
from holdstill.puzzles.engines import engine
from holdstill.puzzles.heyawake import Heyawake
from holdstill.puzzles.tapa import Tapa
from holdstill.puzzles.thermometers import Thermometers
from holdstill.puzzles.tubes import random_tubes

FRAME = "await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));"
KEYS = {
    "Tab": 9,
    " ": 32,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "z": 90,
    "y": 89,
}
CTRL, SHIFT = 2, 8


@cache
def bank(puzzle: str) -> dict:
    """The answers of the boards of a puzzle's banks."""
    files = project().bank(puzzle).parent.glob(f"{puzzle}*.jsonl")
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return {from_json(line["board"]): answer_state(line["answer"], 2 if puzzle != "araf" else 64) for line in lines}


@cache
def shelf(puzzle: str) -> list:
    """The chosen boards with their steps."""
    return [(board, *payload(board, steps=True)["steps"].values()) for _, board in chosen(puzzle)]


def sent(board, state) -> list:
    """A state as the page holds it: for Araf the walls between labels that differ."""
    if not isinstance(board, Araf):
        return np.asarray(state).tolist()
    pairs = edges(board.rows, board.cols)
    return sorted(pairs[state[pairs[:, 0]] != state[pairs[:, 1]]].tolist())


def run(page, script: str):
    """What an async function of these lines returns in the page."""
    return page.value(f"(async () => {{ {script} }})()")


def press(page, key, modifiers=0):
    code = {"key": key, "windowsVirtualKeyCode": KEYS[key], "modifiers": modifiers}
    page.ask("Input.dispatchKeyEvent", type="keyDown", **code, **({"text": key} if key == " " else {}))
    page.ask("Input.dispatchKeyEvent", type="keyUp", **code)


@pytest.fixture
def page(browser):
    browser.open("play_shelf.html", WIDE)
    yield browser
    assert browser.complaints() == []


def choose(page, puzzle, at):
    """A board of the shelf, by its list; `place`, `player` and `said` are at hand in the page from here on."""
    run(
        page,
        f"""globalThis.place = document.getElementById("shelf-{puzzle}");
        const list = place.querySelector("select");
        list.value = {at};
        list.dispatchEvent(new Event("change"));
        globalThis.player = place.querySelector(".holdstill").parentElement.player;
        globalThis.said = (kind) => place.querySelector(`.${{kind}}`).innerText;""",
    )


def put(page, data):
    """A payload of our own, in the place of the page's first board."""
    run(
        page,
        f"""globalThis.place = document.getElementById("shelf-heyawake");
        globalThis.player = holdstill.mount(place, {json.dumps(data)});
        globalThis.said = (kind) => place.querySelector(`.${{kind}}`).innerText;""",
    )


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_the_shelf_goes_up_the_rungs(puzzle):
    taken, rungs = chosen(puzzle), list(PUZZLES[puzzle].RUNGS)
    assert len({board for _, board in taken}) == len(taken) >= LEAST
    assert all(board in bank(puzzle) for _, board in taken)
    assert (order := [(rungs.index(rung), board.rows) for rung, board in taken]) == sorted(order)
    for rung, board in taken:
        does = [engine(board).finishes(board, one) for one in rungs[: rungs.index(rung) + 1]]
        assert does == [False] * (len(does) - 1) + [True]


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_every_board_replays_to_its_answer_and_back(page, puzzle):
    for at, (board, told) in enumerate(shelf(puzzle)):
        choose(page, puzzle, at)
        steps, end, solved, start, again = run(
            page,
            f"""const [back, next] = place.querySelectorAll('[aria-label="Explained steps"] button');
            const steps = Number(place.querySelector("input").max);
            for (let step = 0; step < steps; step++) next.click();
            {FRAME}
            const end = [steps, player.state, said("status")];
            for (let step = 0; step < steps; step++) back.click();
            {FRAME}
            return [...end, player.state, said("status")];""",
        )
        assert steps == len(told)
        assert (
            sorted(end) == sent(board, bank(puzzle)[board])
            if puzzle == "araf"
            else end == sent(board, bank(puzzle)[board])
        )
        assert solved == "Solved." and not any(start) and again == ""


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_the_chain_of_a_step_folds_open_and_lights_up(page, puzzle):
    choose(page, puzzle, len(shelf(puzzle)) - 1)
    _, steps = shelf(puzzle)[-1]
    number, step = next((number, step) for number, step in enumerate(steps, 1) if len(step.get("chain", ())) > 2)
    hidden, texts, ghosts, lit, state = run(
        page,
        f"""player.go({number});
        {FRAME}
        const before = player.state, links = [...place.querySelectorAll("details li button")];
        const hidden = links[0].checkVisibility();
        place.querySelector("summary").click();
        links[1].click();
        {FRAME}
        const of = (kind) => [...place.querySelectorAll(kind)].map((cell) => Number(cell.dataset.cell));
        return [hidden, links.map((link) => link.innerText), of(".g1, .g2"), of(".reason"),
            JSON.stringify(before) === JSON.stringify(player.state)];""",
    )
    chain = step["chain"]
    assert not hidden and texts == [link["text"] for link in chain] and state
    assert sorted(lit) == sorted(chain[1]["reason"])
    assert sorted(ghosts) == ([] if puzzle == "araf" else sorted(chain[0]["cells"] + chain[1]["cells"]))


def to(page, place, goal, cols):
    """Arrow keys from a cell to another; the other."""
    for key, steps in (
        ("ArrowDown" if goal > place else "ArrowUp", abs(goal // cols - place // cols)),
        ("ArrowRight" if goal % cols > place % cols else "ArrowLeft", abs(goal % cols - place % cols)),
    ):
        for _ in range(steps):
            press(page, key)
    return goal


@pytest.mark.parametrize(("puzzle", "at"), [("heyawake", 1), ("tapa", 3), ("thermometers", 0), ("araf", 0)])
def test_a_board_is_solved_by_keys_alone(page, puzzle, at):
    choose(page, puzzle, at)
    board, _ = shelf(puzzle)[at]
    answer, cell = bank(puzzle)[board], 0
    page.value("place.querySelector('select').focus()")
    for _ in range(2):
        press(page, "Tab")
    assert page.value("document.activeElement.dataset.cell") == "0"
    if puzzle == "araf":
        for a, b in sent(board, answer):
            cell = to(page, cell, a, board.cols)
            press(page, "ArrowRight" if b == a + 1 else "ArrowDown", SHIFT)
    else:
        goals = np.flatnonzero(answer == SHADED).tolist()
        if puzzle == "thermometers":  # a key fills a tube up to a level
            full = [[one for one in tube if answer[one] == SHADED] for tube in board.tubes]
            goals = [tube[-1] for tube in full if tube]
        for goal in goals:
            assert page.value("said('status')") != "Solved."
            cell = to(page, cell, goal, board.cols)
            press(page, " ")
    assert run(page, f"{FRAME} return said('status')") == "Solved."
    assert page.value("document.activeElement.dataset.cell") == str(cell)
    for key in ("z", "z", "y"):
        press(page, key, CTRL)
    assert run(page, f"{FRAME} return said('status')") != "Solved."
    press(page, "y", CTRL)
    assert run(page, f"{FRAME} return said('status')") == "Solved."


def corner(page, cell) -> tuple[float, float, float]:
    """Where a cell's left upper corner is on the screen, and how wide the cell."""
    return run(
        page,
        f"""const square = place.querySelector('[data-cell="{cell}"] rect');
        square.scrollIntoView({{ block: "center", behavior: "instant" }});
        const {{ x, y, width }} = square.getBoundingClientRect();
        return [x, y, width];""",
    )


# The first of these clicks (where, from a cell's corner) is right or harmless, the last breaks the rule.
BREAKS = {
    "heyawake": (
        Heyawake(2, 3, [[0, 0, 1], [0, 0, 1]], [None, None]),
        [(0, 0.5, 0.5), (1, 0.5, 0.5)],
        "no two shaded cells touch: r1c1 r1c2",
    ),
    "tapa": (
        Tapa(3, 3, [[None, None, None], [None, [1], None], [None, None, None]]),
        [(0, 0.5, 0.5), (2, 0.5, 0.5)],
        "round a clue",
    ),
    "thermometers": (
        Thermometers(2, 2, [[0, 1], [2, 3]], [1, None], [None, None]),
        [(0, 0.5, 0.5), (1, 0.5, 0.5)],
        "r1c1 r1c2",
    ),
    "araf": (Araf(1, 4, [[1, 3, 1, 3]]), [(1, 0.95, 0.5), (0, 0.95, 0.5)], "a room holds two numbers: r1c1"),
}


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_a_break_is_marked_as_it_happens_and_goes_with_undo(page, puzzle):
    board, clicks, words = BREAKS[puzzle]
    put(page, payload(board))
    marks = f"{FRAME} return [said('status'), place.querySelector('.broken').getAttribute('d'), \
        place.querySelectorAll('[aria-label*=\"breaks a rule\"]').length]"
    for cell, x, y in clicks:
        assert "Broken" not in (found := run(page, marks))[0] and found[1:] == ["", 0]
        left, top, side = corner(page, cell)
        for kind in ("mousePressed", "mouseReleased"):
            at = {"x": left + x * side, "y": top + y * side}
            page.ask("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)
    status, outline, cells = run(page, marks)
    assert status.startswith("Broken: ") and words in status and outline and cells
    press(page, "z", CTRL)
    assert "Broken" not in (found := run(page, marks))[0] and found[1:] == ["", 0]


def test_a_drag_paints_a_room_of_araf(page):
    put(page, payload(Araf(2, 3, [[1, None, 4], [1, None, 4]])))
    left, top, side = corner(page, 0)
    for kind, across in (("mousePressed", 0.5), ("mouseMoved", 1.5), ("mouseMoved", 2.5), ("mouseReleased", 2.5)):
        x, y = left + across * side, top + 0.5 * side
        page.ask("Input.dispatchMouseEvent", type=kind, button="left", buttons=1, clickCount=1, x=x, y=y)
    assert run(page, f"{FRAME} return [player.state, said('status')]") == [[[0, 3], [1, 4], [2, 5]], "Solved."]


def test_hostile_text_stays_text(page):
    evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>"\'&'
    data = payload(Heyawake(2, 2, [[0, 1], [0, 1]], [1, 1]), steps=True)
    data["draw"]["clues"] = [[0, evil], [1, evil]]
    data["url"], data["puzzle"] = "javascript:window.hit=1", f"{evil} onclick=alert(1)"
    for rule in data["rules"]:
        rule["words"] = evil
    link = {"cells": [0], "value": 2, "rule": evil, "reason": [1], "text": evil}
    data["steps"] = {evil: [{**link, "chain": [link, link]}]}
    put(page, data)
    page.value("player.go(1)")
    page.value("player.state = [2, 2, 2, 2]")
    hit, elements = run(page, f"{FRAME} return [window.hit ?? null, place.querySelectorAll('img, script, a').length]")
    words, status = page.value("[said('words'), said('status')]")
    assert hit is None and elements == 0
    assert evil in words and evil in status
    assert (
        run(
            page,
            "place.querySelectorAll('summary, li button').forEach((one) => one.click()); return window.hit ?? null",
        )
        is None
    )


def test_two_hundred_clicks_are_drawn_in_a_frame_or_two(page):
    labels = layouts.guillotine(30, 30, np.random.default_rng(1))
    put(page, payload(Heyawake(30, 30, labels, [None] * (int(labels.max()) + 1))))
    drawn, state = run(
        page,
        f"""let drawn = 0;
        new MutationObserver(() => drawn++).observe(place.querySelector(".broken"), {{ attributes: true }});
        const cells = place.querySelectorAll(".cell");
        for (let at = 0; at < 200; at++) cells[at % 50].dispatchEvent(new MouseEvent("click", {{ bubbles: true }}));
        {FRAME}{FRAME}
        return [drawn, player.state];""",
    )
    assert drawn == 1 and state == [SHADED if cell < 50 else 0 for cell in range(900)]
    assert (
        run(
            page, f"for (let at = 0; at < 200; at++) place.querySelector('button').click(); {FRAME} return player.state"
        )
        == [0] * 900
    )
    assert page.value("player.timeClick(450)") > 0 and page.value("player.state[450]") == SHADED


def test_cells_and_steps_have_names_for_a_screen_reader(page):
    choose(page, "tapa", 0)
    page.value("player.go(2)")
    run(page, FRAME)
    nodes = page.ask("Accessibility.getFullAXTree")["nodes"]
    named = [(node["role"]["value"], node["name"]["value"]) for node in nodes if not node["ignored"] and "name" in node]
    rows, cols, total = page.value(
        "[player.payload.rows, player.payload.cols, document.querySelectorAll('.cell').length]"
    )
    cells = [name for role, name in named if role == "gridcell"]
    assert len(cells) == total and all(re.match(r"r\d+c\d+(, [\w ]+)*$", name) for name in cells)
    assert any(name.endswith(", step") for name in cells) and "r1c1" not in cells
    assert ("grid", f"tapa, {rows} rows, {cols} columns") in named and ("button", "Step back") in named
    assert page.value("place.querySelector('input').getAttribute('aria-valuetext')").startswith("Step 2 of ")
    assert page.value("place.querySelectorAll('[tabindex=\"0\"]').length") == 1


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance, of "rgb(r, g, b)"."""
    shares = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_it_is_legible_in_light_and_dark_and_as_wide_as_the_screen(browser, width):
    papers = []
    for scheme, theme in (("light", "auto"), ("dark", "auto"), ("light", "dark"), ("dark", "light")):
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.open("play_shelf.html", width)
        browser.value(f"document.body.dataset.theme = '{theme}'")
        choose(browser, "tapa", 1)
        browser.value("player.state = player.state.map((value, cell) => cell % 3)")
        colours = run(
            browser,
            f"""{FRAME}
            const of = (selector, name) => getComputedStyle(place.querySelector(selector))[name];
            return [[of(".v1 rect", "fill"), of(".v2 rect", "fill")], [of(".v1 rect", "fill"), of(".v1 .dot", "fill")],
                [of(".v1 rect", "fill"), of(".broken", "stroke")], [of(".v0 rect", "fill"), of(".v0 text", "fill")],
                [of(".v2 rect", "fill"), of(".v2 text", "fill")],
                [of(".holdstill", "backgroundColor"), of(".status", "color")]];""",
        )
        for ground, mark in colours:
            low, high = sorted(map(luminance, (ground, mark)))
            assert (high + 0.05) / (low + 0.05) >= 3, (scheme, theme, ground, mark)
        papers.append(colours[0][0])
        assert browser.value("document.documentElement.scrollWidth") <= width
        inside = "[...document.querySelectorAll('.holdstill *')].map((one) => one.getBoundingClientRect().right)"
        assert browser.value(f"Math.max(...{inside})") <= width
        assert browser.complaints() == []
    browser.ask("Emulation.setEmulatedMedia", features=[])
    assert papers[0] == papers[3] != papers[1] == papers[2]


# Marks against brute force: every answer of a small board, by its judge or by the Araf engine that never thinks.


def tapa_board(rng) -> Tapa:
    clues = [[None] * 4 for _ in range(3)]
    for cell in rng.permutation(12)[: rng.integers(1, 4)].tolist():
        clues[cell // 4][cell % 4] = [["?"], ["?", 1], [0], [1], [2], [3], [1, 1], [1, 2]][rng.integers(8)]
    return Tapa(3, 4, clues, positive=bool(rng.random() < 0.3))


def thermometers_board(rng) -> Thermometers:
    tubes = random_tubes(3, 4, rng, cover=float(rng.choice([0.6, 1])), longest=5)
    drawn = rng.random(12) < 0.5
    drawn &= np.isin(np.arange(12), np.concatenate(tubes))
    counts = drawn.reshape(3, 4)
    rows, cols = ([int(n) if rng.random() < 0.6 else None for n in counts.sum(axis=axis)] for axis in (1, 0))
    return Thermometers(3, 4, tubes, rows, cols)


MAKE = {
    "heyawake": lambda rng: heyawake_board(int(rng.integers(0, 900)) * 2),
    "tapa": tapa_board,
    "thermometers": thermometers_board,
    "araf": lambda rng: araf_board(int(rng.integers(0, 1000)), 4),
}


def shading_cases(board, rng):
    """(a state, can it still come to an answer, is it one, must a break be marked): full states and partial ones."""
    states = every_state(board.rows * board.cols)
    answers = states[board.broken(states) == 0]
    for full in (True, False):
        for _ in range(4):
            pool = answers if len(answers) and rng.random() < 0.5 else states
            state = pool[rng.integers(len(pool))].copy()
            if rng.random() < 0.5:
                cell = rng.integers(len(state))
                state[cell] = 3 - state[cell]
            if not full:
                state[rng.random(len(state)) < rng.choice([0.3, 0.6])] = UNKNOWN
            fits = ((state == UNKNOWN) | (answers == state)).all(axis=1).any()
            closed = np.where(state == UNKNOWN, 1, state)
            valid = board.is_valid(closed)
            yield state.tolist(), bool(fits), valid and (full or bool((state == SHADED).any())), full and not valid


def araf_cases(board, rng):
    pairs = edges(board.rows, board.cols)
    answers = answers_unscreened(board, 2000)
    cuts = answers[:, pairs[:, 0]] != answers[:, pairs[:, 1]]
    for _ in range(8):
        kind = rng.integers(3)
        labels = (
            layouts.small_rooms(board.rows, board.cols, rng).ravel() + 1 if board.rows * board.cols > 3 else answers[0]
        )
        if kind == 0 and len(answers):
            labels = answers[rng.integers(len(answers))]
        cut = labels[pairs[:, 0]] != labels[pairs[:, 1]]
        valid = board.is_valid(labels)
        # a room of four numbers may still be cut, one of an odd count or of none may not, nor one of a wrong size
        held = np.bincount(labels[list(board.at)], minlength=labels.max() + 1)[np.unique(labels)]
        must = bool((held % 2).any() or (held == 0).any() or board.broken(labels[None])[0] & 4)
        if kind == 2:
            cut = cut ^ (rng.random(len(cut)) < 0.2)
            valid, must = bool((cuts == cut).all(axis=1).any()), False
        yield pairs[cut].tolist(), bool((cuts | ~cut).all(axis=1).any()), valid, must


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_what_is_marked_is_broken_for_good_and_what_is_solved_is_an_answer(page, puzzle):
    rng, cases, expected = np.random.default_rng([9, len(puzzle)]), [], []
    for _ in range(60):
        board = MAKE[puzzle](rng)
        made = list((araf_cases if puzzle == "araf" else shading_cases)(board, rng))
        cases.append([payload(board), [state for state, *_ in made]])
        expected += [(board, *one) for one in made]
    judged = page.value(
        f"""{json.dumps(cases)}.flatMap(([data, states]) => states.map((state) => {{
            const {{ broken, solved }} = holdstill.judge(data, holdstill.read(data, state));
            return [broken.length > 0, solved]; }}))"""
    )
    caught = {True: 0, False: 0}
    for (board, state, fits, valid, must), (broken, solved) in zip(expected, judged, strict=True):
        assert solved == valid and must <= broken <= (not fits), (board, state)
        caught[broken] += 1
    assert len(judged) == 480 and min(caught.values()) > 60 and 30 < sum(solved for _, solved in judged) < 450
