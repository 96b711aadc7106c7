"""Studies: the same rows however they are computed, and nothing lost or repeated when something breaks."""

import os
import resource
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from pandas.testing import assert_frame_equal
from study_rows import logged, mixed

from holdstill.core.grid import PuzzleError
from holdstill.lab import study
from holdstill.lab.paths import Project

TESTS = str(Path(__file__).resolve().parents[1])
KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from holdstill.lab import study
from holdstill.lab.paths import Project
from study_rows import logged
study.project = lambda: Project(Path(sys.argv[2]))
study.run(logged, 300, {"log": sys.argv[3], "nap": 0.002}, jobs=int(sys.argv[4]))
"""
KILLED_AT_THE_SECOND_RENAME = """
import os, signal
rename, calls = os.replace, []
def replace(*given):
    calls.append(given)
    os.kill(os.getpid(), signal.SIGKILL) if len(calls) == 2 else rename(*given)
os.replace = replace
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    for name in ("HOLDSTILL_SHARDS", "HOLDSTILL_JOBS", "HOLDSTILL_SCHEDULER", "HOLDSTILL_RESULTS"):
        monkeypatch.delenv(name, raising=False)
    use_cache(tmp_path / "checkout", monkeypatch)


def use_cache(root, monkeypatch):
    monkeypatch.setattr(study, "project", lambda: Project(root))
    return root


def shards(root):
    return {path.name: path for path in root.rglob("*.parquet")}


def lines(log):
    return log.read_text().splitlines() if log.exists() else []


def test_the_same_bytes_from_one_worker_and_two(tmp_path, monkeypatch):
    one = study.run(mixed, 230, jobs=1)
    use_cache(tmp_path / "other", monkeypatch)
    monkeypatch.setattr(study, "WINDOW", 3)  # of the four shards that are left to the workers
    two = study.run(mixed, 230, jobs=2)
    assert_frame_equal(one, two)
    first, second = shards(tmp_path / "checkout"), shards(tmp_path / "other")
    assert len(first) == 5 and first.keys() == second.keys()
    assert all(first[name].read_bytes() == second[name].read_bytes() for name in first)


def test_the_same_rows_and_types_fresh_from_shards_and_without_shards(monkeypatch):
    fresh, kept = study.run(mixed, 120), study.run(mixed, 120)
    monkeypatch.setenv("HOLDSTILL_SHARDS", "off")
    without = study.run(mixed, 120)
    for other in (kept, without):
        assert_frame_equal(fresh, other)
        assert [type(value) for value in fresh.cells] == [type(value) for value in other.cells]
    assert fresh.number.dtype == np.int64 and fresh.flag.dtype == bool and fresh.large.min() >= 2**62


def test_a_shard_is_a_plain_parquet_file(tmp_path):
    study.run(mixed, 60)
    sizes = [pq.read_table(path).num_rows for path in shards(tmp_path / "checkout").values()]
    assert sorted(sizes) == [10, 50]


def test_any_row_can_be_recomputed_alone():
    frame = study.run(mixed, 70, {"top": 40})
    for index in (0, 49, 50, 69):
        assert study.row_at(mixed, index, {"top": 40})["real"] == frame.real[index]


def test_other_parameters_draw_other_rows():
    assert study.study_key(mixed, {"top": 40}) != study.study_key(mixed, {"top": 41})
    assert study.run(mixed, 5, {"top": 40}).real.tolist() != study.run(mixed, 5, {"top": 41}).real.tolist()


def test_a_larger_run_reuses_full_shards(tmp_path):
    log = tmp_path / "log"
    small = study.run(logged, 120, {"log": str(log)})
    large = study.run(logged, 200, {"log": str(log)})
    assert_frame_equal(large.head(120), small)
    assert len(lines(log)) == 120 + 100


def test_shards_off_reads_and_writes_none(tmp_path, monkeypatch):
    log = tmp_path / "log"
    monkeypatch.setenv("HOLDSTILL_SHARDS", "off")
    study.run(logged, 60, {"log": str(log)})
    study.run(logged, 60, {"log": str(log)})
    assert len(lines(log)) == 120 and not shards(tmp_path / "checkout")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_resumes_without_losing_or_repeating_a_row(tmp_path, monkeypatch, jobs):
    log, root = tmp_path / "log", tmp_path / "checkout"
    command = [sys.executable, "-c", KILLED, TESTS, str(root), str(log), str(jobs)]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while len(shards(root)) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kept = sum(pq.read_table(path).num_rows for path in shards(root).values())
    assert 100 <= kept < 300
    before = len(lines(log))
    params = {"log": str(log), "nap": 0.002}
    resumed = study.run(logged, 300, params)
    assert len(lines(log)) - before == 300 - kept
    monkeypatch.setenv("HOLDSTILL_SHARDS", "off")
    assert_frame_equal(resumed, study.run(logged, 300, params))


@pytest.mark.parametrize(
    "damage", [lambda body: body[:-20], lambda body: b"", lambda body: body[:40] + b"x" + body[41:]]
)
def test_a_damaged_shard_is_named_and_computed_again(tmp_path, capsys, damage):
    first = study.run(mixed, 120)
    path = next(path for name, path in shards(tmp_path / "checkout").items() if name.startswith("50-100."))
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert_frame_equal(first, study.run(mixed, 120))
    told = [line for line in capsys.readouterr().err.splitlines() if "damaged" in line]
    assert len(told) == 1 and path.name in told[0]
    assert path.read_bytes() == whole


def test_a_run_killed_in_the_middle_of_a_write_leaves_no_shard_that_counts(tmp_path):
    root, log = tmp_path / "checkout", tmp_path / "log"
    head, run, rest = KILLED.partition("study.run(")
    script = head + KILLED_AT_THE_SECOND_RENAME + run + rest
    done = subprocess.run([sys.executable, "-c", script, TESTS, str(root), str(log), "1"], capture_output=True)
    assert done.returncode == -signal.SIGKILL
    assert len(shards(root)) == 1 and len(list(root.rglob("*.part"))) == 1
    before = len(lines(log))
    frame = study.run(logged, 300, {"log": str(log), "nap": 0.002})
    assert len(lines(log)) - before == 250 and frame.number.nunique() == 300


def test_a_write_without_space_is_told_once_and_the_run_goes_on(tmp_path):
    """RLIMIT_FSIZE stands for a full disk; what was kept before stays whole."""
    root = tmp_path / "checkout"
    head, _, _ = KILLED.partition("study.run(")
    script = head.replace("import logged", "import mixed") + 'print(len(study.run(mixed, 150)), "rows")'
    command = [sys.executable, "-c", script, TESTS, str(root)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
        env=os.environ | {"HOLDSTILL_SHARDS": "on", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.stdout == "150 rows\n", done.stderr
    assert done.stderr.count("cannot be kept") == 1 and "File too large" in done.stderr
    assert not shards(root) and not list(root.rglob("*.part"))


def test_a_folder_that_cannot_be_made_is_told_once(tmp_path, capsys):
    (tmp_path / "checkout").write_text("a file where a folder should be")
    assert len(study.run(mixed, 120)) == 120
    assert capsys.readouterr().err.count("cannot be kept") == 1


def test_two_runs_at_once_in_one_checkout(tmp_path):
    log, root = tmp_path / "log", tmp_path / "checkout"
    command = [sys.executable, "-c", KILLED, TESTS, str(root), str(log), "1"]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    errors = [process.communicate(timeout=120)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], errors
    before = len(lines(log))
    frame = study.run(logged, 300, {"log": str(log), "nap": 0.002})
    assert len(lines(log)) == before and frame.number.nunique() == 300
    assert len(shards(root)) == 6 and not list(root.rglob("*.part"))


def test_bad_input_is_one_clear_line(monkeypatch):
    with pytest.raises(PuzzleError, match="at least 1 row, not 0"):
        study.run(mixed, 0)
    monkeypatch.setattr(study.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(PuzzleError, match="needs the dask extra"):
        study.run(mixed, 120, scheduler="tcp://127.0.0.1:1")


def test_a_worker_with_other_sources_is_refused():
    with pytest.raises(PuzzleError, match="a worker runs other sources"):
        study._shard(mixed, {}, 0, 1, sources="others")


def test_a_caller_that_keeps_a_summary_holds_a_few_shards_and_not_all(monkeypatch):
    monkeypatch.setenv("HOLDSTILL_SHARDS", "off")
    study.run(mixed, 100)  # pays for what is loaded once

    def peak(use):
        tracemalloc.start()
        assert use() == 1500
        try:
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    summary = peak(lambda: sum(len(frame) for frame in study.shards(mixed, 1500)))
    assert 4 * summary < peak(lambda: len(study.run(mixed, 1500)))


def test_a_caller_may_stop_early(tmp_path):
    log = tmp_path / "log"
    rows = study.shards(logged, 1000, {"log": str(log)})
    assert len(next(rows)) == 50
    rows.close()
    assert len(lines(log)) == 50


def test_sampled_rows_are_the_rows(tmp_path, monkeypatch):
    results = tmp_path / "results"
    results.mkdir()
    monkeypatch.setenv("HOLDSTILL_RESULTS", str(results))
    monkeypatch.setenv("HOLDSTILL_NOTEBOOK", "some")
    study.run(logged, 120, {"log": str(tmp_path / "log")})
    pairs = list(study.sampled_rows(results / "some.rows.jsonl"))
    assert len(pairs) == 3 and all(kept == again() for kept, again in pairs)


def test_rows_come_in_order_of_index(monkeypatch):
    monkeypatch.setenv("HOLDSTILL_SHARDS", "off")
    frame = study.run(mixed, 101, jobs=2)
    assert isinstance(frame.index, pd.RangeIndex)
    assert frame.real.tolist() == [study.row_at(mixed, index, {})["real"] for index in range(101)]
