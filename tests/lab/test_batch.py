import ctypes
import fcntl
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from holdstill.core.grid import PuzzleError
from holdstill.lab import batch, cli, paths
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


def new_checkout(root):
    (root / "data" / "profiles").mkdir(parents=True)
    shutil.copy(project().claims, root / "data" / "claims.csv")
    (root / "data" / "profiles" / "quick.yml").write_text("good: {start: 0}\n")
    notebook(root / "notebooks", "good", GOOD)
    return Project(root)


@pytest.fixture
def checkout(tmp_path):
    return new_checkout(tmp_path / "checkout")


@pytest.fixture(scope="module")
def once_run(tmp_path_factory):
    made = new_checkout(tmp_path_factory.mktemp("once") / "run")
    assert batch.reproduce(made, [], "quick", 1) == {}
    return made


@pytest.fixture
def ran(once_run, tmp_path):
    """A checkout of its own where `good` has run under `quick`."""
    return Project(shutil.copytree(once_run.root, tmp_path / "ran"))


def test_a_failure_is_named_does_not_stop_the_others_and_exits_1(checkout, monkeypatch):
    notebook(checkout.notebooks, "bad", "1 / 0")
    monkeypatch.setattr(paths, "project", lambda: checkout)
    done = CliRunner().invoke(cli.main, ["reproduce", "--profile", "quick"])
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1] == "holdstill: bad failed in cell 2: ZeroDivisionError: division by zero"
    assert "heyawake.counters.agree" in done.stdout
    fresh = checkout.results("quick", fresh=True)
    assert [path.name for path in fresh.iterdir()] == ["good.csv"]
    executed = json.loads((checkout.build / "notebooks" / "quick" / "good.ipynb").read_text())
    assert executed["cells"][-1]["outputs"][0]["text"] == ["exact\n"]
    assert not any((checkout.build / "running").iterdir())


def test_two_runs_give_identical_bytes_and_two_batches_at_once_do_not_meet(ran):
    place = ran.build / "notebooks" / "quick" / "good.ipynb"
    first, results = place.read_bytes(), (ran.results("quick", fresh=True) / "good.csv").read_bytes()
    code = (
        "import sys; from pathlib import Path; from holdstill.lab import batch; from holdstill.lab.paths import Project"
    )
    code += "; sys.exit(len(batch.reproduce(Project(Path(sys.argv[1])), [], 'quick', 1)))"
    both = [subprocess.Popen([sys.executable, "-c", code, str(ran.root)]) for _ in range(2)]
    assert [one.wait() for one in both] == [0, 0]
    assert place.read_bytes() == first
    assert (ran.results("quick", fresh=True) / "good.csv").read_bytes() == results


def test_a_result_that_fails_later_leaves_the_former_one(ran):
    place = ran.results("quick", fresh=True) / "good.csv"
    before = place.read_bytes()
    notebook(ran.notebooks, "good", GOOD.replace("start, 10", "start + 1, 10") + "1 / 0")
    assert "good" in batch.reproduce(ran, [], "quick", 1)
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


def test_nothing_to_promote_is_said(checkout):
    with pytest.raises(PuzzleError, match="nothing to promote"):
        batch.promote(checkout, "quick")


def test_report_and_promote(ran, capsys):
    batch.report(ran, "quick")
    assert "No committed results of quick to compare with." in capsys.readouterr().out
    batch.promote(ran, "quick")
    batch.report(ran, "quick")
    printed = capsys.readouterr().out
    assert "No untimed figure moved." in printed and "exact" in printed


def test_parameters_equal_to_the_defaults_add_no_cell_and_others_do(ran):
    """Else each promoted run would add one more cell to the committed notebook."""
    copy = ran.build / "notebooks" / "quick" / "good.ipynb"
    assert len(json.loads(copy.read_text())["cells"]) == 2
    ran.profile("quick").write_text("good: {start: 1}\n")
    batch.reproduce(ran, [], "quick", 1)
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


def test_a_partial_batch_is_compared_with_the_same_notebooks_only(ran, capsys):
    notebook(ran.notebooks, "other", GOOD.replace("counters.agree", "certificate"))
    batch.reproduce(ran, ["other"], "quick", 1)
    batch.promote(ran, "quick")
    assert len(list(ran.results("quick").iterdir())) == 2
    (ran.results("quick", fresh=True) / "other.csv").unlink()
    batch.report(ran, "quick")
    assert "No untimed figure moved." in capsys.readouterr().out


def test_an_interrupt_ends_quietly(monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "reproduce", interrupted)
    done = CliRunner().invoke(cli.main, ["reproduce"])
    assert done.exit_code == 130 and done.stderr == ""


# What goes wrong outside the notebooks.

ALONE = """
import sys
from pathlib import Path
from holdstill.lab import batch
from holdstill.lab.paths import Project
for name, line in batch.reproduce(Project(Path(sys.argv[1])), [], "quick", 2).items():
    print(name, "failed in", line)
"""


def test_a_batch_killed_in_the_middle_leaves_the_former_outcome_and_no_process(checkout):
    place, mark = checkout.results("quick", fresh=True) / "good.csv", checkout.root / "pid"
    place.parent.mkdir(parents=True)
    place.write_text("of the batch before")
    stuck = f"import os, pathlib, time\npathlib.Path({str(mark)!r}).write_text(str(os.getpid()))\ntime.sleep(120)"
    notebook(checkout.notebooks, "good", GOOD.replace("start, 10", "start + 1, 11") + stuck)
    process = subprocess.Popen([sys.executable, "-c", ALONE, str(checkout.root)], start_new_session=True)
    until = time.monotonic() + 60
    while not (mark.exists() and mark.read_text()) and time.monotonic() < until:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert place.read_text() == "of the batch before"
    kernel = Path("/proc") / mark.read_text()
    while kernel.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not kernel.exists(), "a kernel outlives its batch"
    assert any((checkout.build / "running").iterdir())
    notebook(checkout.notebooks, "good", GOOD)
    assert batch.reproduce(checkout, [], "quick", 1) == {}
    assert "heyawake.counters.agree,0,10" in place.read_text()
    assert not any((checkout.build / "running").iterdir())


def test_what_a_killed_batch_left_is_removed_unless_another_batch_runs(tmp_path):
    (tmp_path / "good-1" / "results").mkdir(parents=True)
    other = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_SH)
    with batch._held(tmp_path):
        assert (tmp_path / "good-1").exists()
    os.close(other)
    with batch._held(tmp_path):
        assert not (tmp_path / "good-1").exists()


def test_a_notebook_without_space_is_named_and_the_others_finish(checkout):
    """RLIMIT_FSIZE stands for a full disk."""
    notebook(checkout.notebooks, "large", "print('x' * 2_000_000)")
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(checkout.root)],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000)),
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1 and done.stdout.startswith("large failed in "), done.stdout
    assert "File too large" in done.stdout
    assert (checkout.results("quick", fresh=True) / "good.csv").exists()


def test_a_read_only_checkout_runs_with_papermill_writing_elsewhere(tmp_path):
    """A copy of this checkout without the right to write, not even for root: shards and figures are done without."""
    root, out = tmp_path / "checkout", tmp_path / "out.ipynb"
    for part in ("lib", "data/profiles"):
        shutil.copytree(project().root / part, root / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copy(project().claims, root / "data")
    notebook(root / "notebooks", "some", READING.format(tests=str(Path(__file__).parents[1])), "rows: int = 60  # rows")
    subprocess.run(["chmod", "-R", "a-w", str(root)], check=True)
    command = [sys.executable, "-m", "papermill", "--no-progress-bar", "-k", "python3", "-p", "rows", "120"]
    done = subprocess.run(
        [*command, "some.ipynb", out],
        cwd=root / "notebooks",
        capture_output=True,
        text=True,
        preexec_fn=without_the_right_of_root_to_write,
        env=os.environ | {"PYTHONPATH": str(root / "lib"), "HOLDSTILL_SHARDS": "on"},
    )
    subprocess.run(["chmod", "-R", "u+w", str(root)], check=True)
    assert done.returncode == 0, done.stderr
    text = "".join("".join(output["text"]) for output in json.loads(out.read_text())["cells"][-1]["outputs"])
    assert f"{root}/lib/holdstill 120 exact\n" in text and "cannot be kept (Permission denied)" in text


READING = """
import sys
sys.path.append({tests!r})
from pathlib import Path
from study_rows import mixed
import holdstill
from holdstill.lab import ledger, study
frame = study.run(mixed, rows)
verdict = ledger.record("heyawake.counters.agree", 0, 10)
print(Path(holdstill.__file__).parent, len(frame), verdict)
"""


def without_the_right_of_root_to_write():
    """Root passes every check of file modes by CAP_DAC_OVERRIDE (1); PR_CAPBSET_DROP (24) takes it from what is run."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)
