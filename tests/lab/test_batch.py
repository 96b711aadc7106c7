import json
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from holdstill.core.grid import PuzzleError
from holdstill.lab import batch, cli
from holdstill.lab.paths import Project, project

GOOD = """
from holdstill.lab import ledger
print(ledger.record("heyawake.counters.agree", start, 10))
"""


def notebook(folder, name, code, parameters="start: int = 0  # boards, where to start"):
    cells = [
        {"cell_type": "code", "id": "a", "metadata": {"tags": ["parameters"]}, "source": parameters},
        {"cell_type": "code", "id": "b", "metadata": {}, "source": code},
    ]
    for cell in cells:
        cell |= {"execution_count": None, "outputs": []}
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})
    (folder / f"{name}.ipynb").write_text(text)


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "data" / "profiles").mkdir(parents=True)
    shutil.copy(project().claims, tmp_path / "data" / "claims.csv")
    (tmp_path / "data" / "profiles" / "quick.yml").write_text("good: {start: 0}\n")
    notebook(tmp_path / "notebooks", "good", GOOD)
    return Project(tmp_path)


def test_a_failure_is_named_and_does_not_stop_the_others(checkout):
    notebook(checkout.notebooks, "bad", "1 / 0")
    failures = batch.reproduce(checkout, [], "quick", 2)
    assert failures == {"bad": "cell 2: ZeroDivisionError: division by zero"}
    fresh = checkout.results("quick", fresh=True)
    assert [path.name for path in fresh.iterdir()] == ["good.csv"]
    executed = json.loads((checkout.build / "notebooks" / "quick" / "good.ipynb").read_text())
    assert executed["cells"][-1]["outputs"][0]["text"] == ["exact\n"]
    leftovers = [
        path.name for path in checkout.build.iterdir() if path.name not in ("notebooks", "results", "figures", "failed")
    ]
    assert leftovers == []


def test_two_runs_give_identical_bytes_and_two_batches_at_once_do_not_meet(checkout):
    place = checkout.build / "notebooks" / "quick" / "good.ipynb"
    batch.reproduce(checkout, [], "quick", 1)
    first, results = place.read_bytes(), (checkout.results("quick", fresh=True) / "good.csv").read_bytes()
    code = (
        "import sys; from pathlib import Path; from holdstill.lab import batch; from holdstill.lab.paths import Project"
    )
    code += "; sys.exit(len(batch.reproduce(Project(Path(sys.argv[1])), [], 'quick', 1)))"
    both = [subprocess.Popen([sys.executable, "-c", code, str(checkout.root)]) for _ in range(2)]
    assert [one.wait() for one in both] == [0, 0]
    assert place.read_bytes() == first
    assert (checkout.results("quick", fresh=True) / "good.csv").read_bytes() == results


def test_a_result_that_fails_later_leaves_the_former_one(checkout):
    batch.reproduce(checkout, [], "quick", 1)
    place = checkout.results("quick", fresh=True) / "good.csv"
    before = place.read_bytes()
    notebook(checkout.notebooks, "good", GOOD.replace("start, 10", "start + 1, 10") + "1 / 0")
    assert "good" in batch.reproduce(checkout, [], "quick", 1)
    assert place.read_bytes() == before


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ("good: {stop: 1}", "good has no parameter 'stop', only start"),
        ("good: {start: much}", "good.start is int, not 'much'"),
        ("good: {start: true}", "good.start is int, not True"),
        ("good: {start: [1]}", r"good.start is int, not \[1\]"),
        ("other: {}", "no notebook 'other', only good"),
        ("good: 3", "quick.yml must map each notebook"),
        ("good: {", "quick.yml cannot be read"),
    ],
)
def test_a_bad_profile_is_refused_before_anything_runs(checkout, profile, message):
    checkout.profile("quick").write_text(profile)
    with pytest.raises(PuzzleError, match=message):
        batch.reproduce(checkout, [], "quick", 1)
    assert not checkout.build.exists()


def test_an_unknown_profile_and_a_bad_parameters_cell_are_named(checkout):
    with pytest.raises(PuzzleError, match="no profile 'slow', only quick"):
        batch.reproduce(checkout, [], "slow", 1)
    notebook(checkout.notebooks, "good", "1", parameters="start = 0")
    with pytest.raises(PuzzleError, match=r"good\.ipynb: 'start = 0' is not"):
        batch.reproduce(checkout, [], "quick", 1)


def test_report_and_promote(checkout, capsys):
    with pytest.raises(PuzzleError, match="nothing to promote"):
        batch.promote(checkout, "quick")
    batch.reproduce(checkout, [], "quick", 1)
    batch.report(checkout, "quick")
    assert "No committed results of quick to compare with." in capsys.readouterr().out
    batch.promote(checkout, "quick")
    batch.report(checkout, "quick")
    printed = capsys.readouterr().out
    assert "No untimed figure moved." in printed and "exact" in printed


def test_parameters_equal_to_the_defaults_add_no_cell_and_others_do(checkout):
    """Else each promoted run would add one more cell to the committed notebook."""
    copy = checkout.build / "notebooks" / "quick" / "good.ipynb"
    batch.reproduce(checkout, [], "quick", 1)
    assert len(json.loads(copy.read_text())["cells"]) == 2
    checkout.profile("quick").write_text("good: {start: 1}\n")
    batch.reproduce(checkout, [], "quick", 1)
    assert len(json.loads(copy.read_text())["cells"]) == 3


def test_only_what_succeeded_under_a_profile_is_promoted(checkout):
    drawing = "import os, pathlib\nplace = pathlib.Path(os.environ['HOLDSTILL_FIGURES'])\nplace.mkdir()\n"
    notebook(checkout.notebooks, "good", GOOD + drawing + "_ = (place / 'a.svg').write_text(str(start))")
    notebook(checkout.notebooks, "bad", "1 / 0")
    before = (checkout.notebooks / "bad.ipynb").read_bytes()
    checkout.profile("published").write_text("good: {start: 0}\n")
    checkout.profile("quick").write_text("good: {start: 7}\n")
    batch.reproduce(checkout, [], "published", 2)
    batch.reproduce(checkout, ["good"], "quick", 1)
    batch.promote(checkout, "published")
    assert (checkout.figures / "good" / "a.svg").read_text() == "0"
    assert (checkout.notebooks / "bad.ipynb").read_bytes() == before
    assert '"execution_count": 2' in (checkout.notebooks / "good.ipynb").read_text()


def test_a_partial_batch_is_compared_with_the_same_notebooks_only(checkout, capsys):
    notebook(checkout.notebooks, "other", GOOD.replace("counters.agree", "certificate"))
    batch.reproduce(checkout, [], "quick", 2)
    batch.promote(checkout, "quick")
    shutil.rmtree(checkout.build)
    batch.reproduce(checkout, ["good"], "quick", 1)
    batch.report(checkout, "quick")
    assert "No untimed figure moved." in capsys.readouterr().out


def test_an_interrupt_ends_quietly(monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "reproduce", interrupted)
    done = CliRunner().invoke(cli.main, ["reproduce"])
    assert done.exit_code == 130 and done.stderr == ""
