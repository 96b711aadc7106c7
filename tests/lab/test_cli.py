import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from holdstill.core.search import Stopped, search
from holdstill.lab.cli import main
from holdstill.lab.hardness import rank
from holdstill.puzzles import engines
from holdstill.puzzles.boards import read, to_json
from holdstill.puzzles.difficulty import difficulty
from holdstill.puzzles.thermometers import Thermometers

EASY = "https://puzz.link/p?heyawake/6/6/aa66aapv0fu0g2i3k"
BOARD = '{"puzzle": "heyawake", "rows": 1, "cols": 3, "rooms": [[0, 1, 2]], "clues": [1, null, null], "walls": null}'


def call(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


def test_generate_prints_boards_that_grade_as_promised():
    made = call(
        "generate", "heyawake", "--rows", 6, "--cols", 5, "--count", 3, "--seed", 9, "--rung", "spans", "--json"
    )
    lines = [json.loads(line) for line in made.output.splitlines()]
    assert [line["seed"] for line in lines] == [9, 10, 11]
    assert set(lines[0]) == {"puzzle", "board", "url", "answer", "seed", "rung"}
    again = call("generate", "heyawake", "--rows", 6, "--cols", 5, "--seed", 11, "--rung", "spans", "--json")
    assert json.loads(again.output) == lines[2]
    graded = call("grade", "--json", *(line["url"] for line in lines), json.dumps(lines[0]["board"]))
    for line in map(json.loads, graded.output.splitlines()):
        assert set(line) == {"puzzle", "rows", "cols", "url", "answers", "rung", "left"}
        assert (line["answers"], line["rung"], line["left"]["spans"]) == (1, "spans", 0)
    solved = json.loads(call("solve", "--json", lines[0]["url"]).output)
    assert solved == {"answers": 1, "answer": lines[0]["answer"]}


def test_generate_from_densified_answers_says_the_rating():
    arguments = ("generate", "heyawake", "--rows", 7, "--cols", 6, "--max-room", 6, "--json")
    lines = [json.loads(line) for line in call(*arguments, "--difficulty", 4, "--count", 3).output.splitlines()]
    for line in lines:
        clues, rooms = line["board"]["clues"], [room for row in line["board"]["rooms"] for room in row]
        assert max(map(rooms.count, rooms)) <= 6
        assert line["rating_basis"] == "numbered_room_share" and line["difficulty"] == 4 and line["rung"] is None
        assert line["numbered_room_share"] == sum(clue is not None for clue in clues) / len(clues)
        assert json.loads(call("solve", "--json", line["url"]).output) == {"answers": 1, "answer": line["answer"]}
    free = json.loads(call(*arguments).output)
    assert free["numbered_room_share"] <= 1 and free["difficulty"] in range(1, 6)


def test_every_command_takes_tapa(tmp_path):
    size = ("tapa", "--rows", 6, "--cols", 5, "--count", 2, "--seed", 3, "--rung", "rings")
    lines = [json.loads(line) for line in call("generate", *size, "--json").output.splitlines()]
    assert call("generate", *size).output.splitlines() == [line["url"] for line in lines]
    path = tmp_path / "boards.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    for line, made in zip(call("grade", path, "--json").output.splitlines(), lines, strict=True):
        graded = json.loads(line)
        assert (graded["puzzle"], graded["answers"], graded["rung"]) == ("tapa", 1, "rings")
        assert graded["url"] == made["url"] and graded["left"]["rings"] == graded["left"]["probe"] == 0
    url = lines[0]["url"]
    assert json.loads(call("solve", "--json", url).output) == {"answers": 1, "answer": lines[0]["answer"]}
    told = call("explain", url).output
    assert told.splitlines()[-1].endswith("0 cells left") and "ring of r" in told
    assert call("draw", url, "-o", tmp_path / "board.svg", "--answer").exit_code == 0


def test_every_command_takes_thermometers(tmp_path):
    size = ("thermometers", "--rows", 6, "--cols", 5, "--count", 2, "--seed", 3, "--rung", "interval")
    lines = [json.loads(line) for line in call("generate", *size, "--json").output.splitlines()]
    assert [line["url"] for line in lines] == [None, None]
    boards = call("generate", *size).output.splitlines()  # without addresses, JSON
    assert [json.loads(board) for board in boards] == [line["board"] for line in lines]
    path = tmp_path / "boards.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    for line in map(json.loads, call("grade", path, "--json").output.splitlines()):
        assert (line["answers"], line["rung"], line["url"]) == (1, "interval", None)
        assert line["left"] == {"interval": 0, "witness": 0, "probe": 0}
    assert json.loads(call("solve", "--json", boards[0]).output) == {"answers": 1, "answer": lines[0]["answer"]}
    assert call("explain", boards[0]).output.splitlines()[-1].endswith("0 cells left")
    assert "line with" in call("explain", boards[0], "--rung", "probe").output
    assert call("draw", boards[0], "-o", tmp_path / "board.svg", "--answer").exit_code == 0
    assert "<svg" in (tmp_path / "board.svg").read_text()


def test_a_batch_goes_on_past_a_bad_line_and_says_so(tmp_path):
    path = tmp_path / "boards.txt"
    path.write_text(f"{EASY}\nhttps://puzz.link/p?heyawake/6/6/zzz\n\n{BOARD}\ntapa/1/3/gal g\ntapa/1/3/ga7g\n")
    done = call("grade", path)
    assert done.exit_code == 1
    first, second = done.stderr.splitlines()
    assert first.startswith(f"holdstill: {path}, line 2: ") and "line 5" in second
    lines = done.stdout.splitlines()
    assert [line.split(":")[0] for line in lines[:3]] == ["heyawake 6x6", "heyawake 1x3", "tapa 3x1"]
    table = [line.split() for line in lines[3:]]
    assert [row[0] for row in table] == ["puzzle", "heyawake", "tapa"]
    assert table[1][1:6] == ["2", "0", "1", "1", "0"] and table[2][1:6] == ["1", "1", "0", "0", "0"]
    solved = call("solve", path, "--json")
    assert solved.exit_code == 1 and [json.loads(line)["answers"] for line in solved.stdout.splitlines()] == [1, 2, 0]


def test_what_is_no_file_to_read_is_told_and_the_rest_goes_on(tmp_path):
    done = call("grade", EASY, tmp_path, tmp_path / "nowhere", "a" * 300, EASY)
    assert done.exit_code == 1 and len(done.stdout.splitlines()) == 4
    folder, nowhere, long = done.stderr.splitlines()
    assert folder == f"holdstill: {tmp_path}: Is a directory"
    assert nowhere.endswith("; and no file has that name") and long.endswith("; and no file has that name")
    alone = call("solve", tmp_path)
    assert alone.exit_code == 2 and alone.stderr == f"holdstill: {tmp_path}: Is a directory\n"


def test_a_pipe_is_read_as_a_file():
    given, taken = os.pipe()
    os.write(taken, f"{EASY}\n{EASY}\n".encode())
    os.close(taken)
    done = call("solve", "--json", f"/dev/fd/{given}")
    os.close(given)
    assert done.exit_code == 0 and len(done.stdout.splitlines()) == 2


def test_grade_says_all_in_one_line():
    words = call("grade", EASY).output.rstrip("\n").split("; ")
    assert words[0] == "heyawake 6x6: one answer" and words[1] == "finished by probe"
    assert words[2] == "cells left: local 36, spans 36, probe 0"
    hard = difficulty(read(EASY))
    assert words[3] == f"probing: {hard.probes} cells in {hard.rounds} rounds"
    place = rank(read(EASY), hard)
    assert words[4] == f"harder than {int(place.percent)}% of {place.boards} random 6x6 boards"
    assert words[5].endswith(" ms") and len(words) == 6
    many = BOARD.replace("[1, null, null]", "[null, null, null]")
    assert call("grade", many).output.startswith("heyawake 1x3: two or more answers; no rung finishes it; ")
    none = '{"puzzle": "tapa", "rows": 1, "cols": 3, "clues": [[[1], [1], [0]]]}'
    assert "no answer; no rung finishes it; cells left: count refutes it, rings" in call("grade", none).output


def test_a_time_limit_says_what_is_known():
    many = BOARD.replace("[1, null, null]", "[null, null, null]")
    done = call("solve", many, "--timeout", 0)
    assert done.exit_code == 1 and done.stdout == "not known in time\n" and done.stderr == ""
    assert json.loads(call("solve", many, "--timeout", 0, "--json").stdout) == {"answers": None, "answer": None}
    graded = call("grade", many, "--timeout", 0)
    assert graded.exit_code == 0 and "1x3: not known in time; no rung finishes it" in graded.stdout
    assert json.loads(call("grade", many, "--timeout", 0, "--json").stdout)["answers"] is None


def test_ctrl_c_says_what_is_known(monkeypatch):
    def stopped(board, limit, **choices):
        found = search(board, limit)
        raise Stopped(found._replace(count=1, complete=False))

    monkeypatch.setattr("holdstill.lab.cli._warm", lambda board: None)
    monkeypatch.setattr(engines, "SHADING", engines.SHADING._replace(search=stopped))
    many = BOARD.replace("[1, null, null]", "[null, null, null]")
    solved, graded = call("solve", many), call("grade", EASY, many, EASY)
    assert solved.exit_code == graded.exit_code == 130 and solved.stderr == graded.stderr == ""
    assert solved.stdout.splitlines()[0] == "at least 1 answer; not known in time if more"
    assert len(solved.stdout.splitlines()) == 2
    assert "heyawake 1x3: at least 1 answer; not known in time if more; stopped" in graded.stdout
    assert json.loads(call("solve", many, "--json").stdout)["answers"] is None


def test_solve_draws_and_prints_the_address(tmp_path):
    path = tmp_path / "answer.svg"
    done = call("solve", f"{EASY}/", "--url", "-o", path)
    assert done.exit_code == 0 and "<svg" in path.read_text()
    assert done.stdout.splitlines()[0] == "one answer" and done.stdout.splitlines()[-1] == EASY
    assert len(done.stdout.splitlines()) == 8
    assert json.loads(call("solve", EASY, "--url", "--json").stdout)["url"] == EASY
    tube = to_json(Thermometers(1, 2, [[0, 1]], [1], [1, 0]))
    assert call("solve", tube, "--url").stdout == "one answer\n#.\nno address says this thermometers board\n"
    refused = call("solve", EASY, BOARD, "-o", path)
    assert refused.exit_code == 2 and refused.stderr == f"holdstill: -o draws one board, and {path} is drawn already\n"


BAD = [
    ("grade", "https://puzz.link/p?heyawake/6/6/zzz"),
    ("grade", "https://puzz.link/p?slither/6/6/0"),
    ("grade", BOARD.replace("[1, null, null]", "[2, null, null]")),
    ("grade", "nonsense"),
    ("grade",),
    ("solve", "heyawake/99/99/0"),
    ("explain", EASY, "--rung", "magic"),
    ("draw", EASY, "-o", "board.txt"),
    ("grade", '{"puzzle": "tapa", "rows": 1, "cols": 2, "clues": [[null, [2]]]}'),
    ("solve", "https://puzz.link/p?tapa/2/2/fzi"),
    ("generate", "tapa", "--rows", "4", "--cols", "4", "--rung", "spans"),
    ("grade", '{"puzzle": "thermometers", "rows": 1, "cols": 2, "tubes": [[0, 2]], "row_counts": 0, "col_counts": 0}'),
    ("generate", "thermometers", "--rows", "4", "--cols", "4", "--rung", "spans"),
    ("solve", "araf/2/2/131g"),
    ("explain", "araf/2/2/1313", "--rung", "probe"),
    ("generate", "araf", "--rows", "1", "--cols", "1"),
    ("generate", "sudoku", "--rows", "4", "--cols", "4"),
    ("generate", "heyawake", "--rows", "0", "--cols", "4"),
    ("generate", "heyawake", "--rows", "4", "--cols", "4", "--rung", "magic"),
    ("generate", "heyawake", "--rows", "4", "--cols", "4", "--max-room", "0"),
    ("generate", "heyawake", "--rows", "4", "--cols", "4", "--max-room", "4", "--rung", "spans"),
    ("generate", "tapa", "--rows", "4", "--cols", "4", "--max-room", "4"),
    ("generate", "thermometers", "--rows", "4", "--cols", "4", "--difficulty", "2"),
    ("generate", "heyawake", "--rows", "4", "--cols", "4", "--difficulty", "6"),
    ("generate", "heyawake", "--rows", "4", "--cols", "4", "--difficulty", "3", "--rung", "spans"),
    ("generate", "heyawake", "--rows", "1", "--cols", "40", "--max-room", "4"),
    ("generate", "tapa", "--rows", "4", "--cols", "4", "--max-room", "4"),
    ("reproduce", "--profile", "nowhere"),
    ("reproduce", "no_such_notebook"),
]


@pytest.mark.parametrize("arguments", BAD, ids=lambda given: " ".join(given)[:40])
def test_bad_input_is_one_line_and_exit_code_2(arguments):
    done = call(*arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    if not done.stderr.startswith("Usage:"):
        assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("holdstill: ")


def test_explain_ends_where_the_rung_does():
    told = call("explain", EASY).output.splitlines()
    assert told[-1].startswith("probe: ") and told[-1].endswith("0 cells left")
    assert len(told) > 5 and all(": " in line for line in told)
    steps = [json.loads(line) for line in call("explain", EASY, "--rung", "probe", "--json").output.splitlines()]
    assert sorted(cell for step in steps for cell in step["cells"]) == list(range(36))


def test_explain_minimal_tells_the_reason_and_the_chain_below_each_step():
    told = call("explain", EASY, "--rung", "probe", "--minimal").output.splitlines()
    at = next(i for i, line in enumerate(told) if "the opposite breaks" in line and "because" in told[i + 1])
    assert told[at][0].isdigit() and told[at + 1].startswith("   because row ")
    assert told[at + 2].startswith("     assume that row ")
    end = next(i for i in range(at, len(told)) if told[i].strip().startswith("contradiction: "))
    assert all(line.startswith("     ") for line in told[at + 2 : end + 2]) and told[end + 2][0].isdigit()
    steps = [json.loads(line) for line in call("explain", EASY, "--minimal", "--json").output.splitlines()]
    assert sorted(cell for step in steps for cell in step["cells"]) == list(range(36))
    probe = next(step for step in steps if step["rule"] == "probe" and step["reason"])
    assert probe["chain"][0]["rule"] == "assumption" and probe["chain"][-1]["cells"] == []
    assert "reason" not in json.loads(call("explain", EASY, "--json").output.splitlines()[0])


def test_every_command_takes_araf(tmp_path):
    made = call("generate", "araf", "--rows", 6, "--cols", 5, "--count", 2, "--seed", 4, "--json")
    lines = [json.loads(line) for line in made.output.splitlines()]
    for line in map(json.loads, call("grade", "--json", *(line["url"] for line in lines)).output.splitlines()):
        assert (line["answers"], line["puzzle"], set(line["left"])) == (1, "araf", {"pair", "cell", "ration"})
    board, url = json.dumps(lines[0]["board"]), lines[0]["url"]
    assert json.loads(call("solve", "--json", board).output) == {"answers": 1, "answer": lines[0]["answer"]}
    assert call("solve", url).output.splitlines()[1] == " ".join(map(str, lines[0]["answer"][0]))
    told = call("explain", url, "--rung", "ration").output.splitlines()
    assert told[-1].startswith("ration: ") and any("is the room of the" in line for line in told)
    told = call("explain", url, "--rung", "ration", "--minimal").output.splitlines()
    assert any(line.startswith("   because ") and " is known" in line for line in told)
    assert any(line.startswith("     assume that ") and "is the room of the" in line for line in told)
    path = tmp_path / "board.svg"
    assert call("draw", url, "-o", path, "--answer").exit_code == 0 and "<svg" in path.read_text()
    cell = call("generate", "araf", "--rows", 4, "--cols", 4, "--rung", "cell", "--json").output
    assert json.loads(call("grade", "--json", json.dumps(json.loads(cell)["board"])).output)["rung"] in ("pair", "cell")
    crowded = "puzz.link/p?araf/6/6/h3j3j3p-1cj8j8h"
    assert "pair has too many rooms to list" in call("grade", crowded).output
    refused = call("explain", crowded)
    assert refused.exit_code == 2 and "more than 1000000 possible rooms" in refused.stderr


def test_draw_writes_the_file(tmp_path):
    path = tmp_path / "board.svg"
    assert call("draw", EASY, "-o", path, "--answer").exit_code == 0
    assert "<svg" in path.read_text()


def test_ledger_json_has_a_row_a_claim():
    rows = json.loads(call("ledger", "--json").output)
    assert len(rows) == 154
    fields = {"id", "published", "measured", "n", "low", "high", "verdict", "explanation", "notebook"}
    assert set(rows[0]) == fields


def test_grade_loads_neither_pandas_nor_matplotlib():
    code = "import sys; from holdstill.lab.cli import main; main(['grade', sys.argv[1]], standalone_mode=False);"
    code += "print([name for name in ('pandas', 'matplotlib', 'pyarrow') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code, EASY], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
