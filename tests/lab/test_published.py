"""`published_boards` with files that leave nothing to compare."""

import json

import pytest

from holdstill.core.grid import PuzzleError
from holdstill.lab.paths import project
from holdstill.lab.studies.published import listed
from holdstill.puzzles.boards import to_json
from holdstill.puzzles.heyawake import Heyawake

REFUTED = to_json(Heyawake(2, 2, [[0, 0], [0, 0]], [2]))
MANY = "heyawake/2/2/00g"


@pytest.mark.parametrize("lines, longest", [([REFUTED], 10), ([MANY, "zzz"], 1)])
def test_the_notebook_runs_where_no_board_can_be_compared(lines, longest, tmp_path, monkeypatch):
    monkeypatch.setenv("HOLDSTILL_SHARDS", "off")
    monkeypatch.setattr("holdstill.lab.draw.show", lambda figure, name: figure.canvas.draw())
    path = tmp_path / "boards.txt"
    path.write_text("\n".join(lines))
    cells = json.loads((project().notebooks / "published_boards.ipynb").read_text(encoding="utf-8"))["cells"]
    names = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
            if "parameters" in cell["metadata"].get("tags", ()):
                names |= {"boards": str(path), "random_boards": 2, "longest": longest, "sampled": []}
    assert len(names["graded"]) == 1 and not len(names["unique"]) and not names["lines"]


def test_a_file_without_a_board_is_refused_with_its_first_line(tmp_path):
    path = tmp_path / "boards.txt"
    path.write_text("# none\nzzz\n")
    with pytest.raises(PuzzleError, match=r"no board in .*boards.txt: line 2: addresses of"):
        listed([path], 8)
    path.write_text("")
    with pytest.raises(PuzzleError, match=r"no board in .*boards.txt$"):
        listed([path], 8)
