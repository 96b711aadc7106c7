"""Studies on a real Dask cluster: two worker processes on this machine, one of them killed."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from distributed import LocalCluster
from pandas.testing import assert_frame_equal
from study_rows import logged, mixed
from test_batch import notebook

from holdstill.core.grid import PuzzleError
from holdstill.lab import batch, study
from holdstill.lab.paths import Project

TESTS = str(Path(__file__).resolve().parents[1])
BATCHED = """
import sys
sys.path.insert(0, {tests!r})
from study_rows import logged
from holdstill.lab import ledger, study
frame = study.run(logged, 300, {{"log": {log!r}}})
ledger.record("some.rows", frame.number.nunique(), len(frame))
"""


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as one:
        yield one


@pytest.fixture(autouse=True)
def shards_on(monkeypatch):
    monkeypatch.delenv("HOLDSTILL_SHARDS")


def kept(root, monkeypatch, *given, **how):
    """A run in a checkout of its own: the frame, and its shards' bytes by name."""
    monkeypatch.setattr(study, "project", lambda: Project(root))
    frame = study.run(*given, **how)
    return frame, {path.name: path.read_bytes() for path in root.rglob("*.parquet")}


def test_the_same_bytes_from_one_process_and_dask(cluster, tmp_path, monkeypatch):
    """And from two processes: test_study.py."""
    frame, shards = kept(tmp_path / "one", monkeypatch, mixed, 230)
    other, from_dask = kept(tmp_path / "dask", monkeypatch, mixed, 230, scheduler=cluster.scheduler_address)
    assert_frame_equal(frame, other)
    assert len(shards) == 5 and from_dask == shards


def test_a_worker_killed_in_mid_run_loses_nothing_and_counts_nothing_twice(cluster, tmp_path, monkeypatch):
    log, killed = tmp_path / "log", []

    def by_workers():
        lines = log.read_text().splitlines() if log.exists() else []
        return [int(line.split()[1]) for line in lines if not line.endswith(f" {os.getpid()}")]

    def kill():
        until = time.monotonic() + 60
        while not killed and time.monotonic() < until:
            if len(done := by_workers()) > 120:
                os.kill(done[-1], signal.SIGKILL)
                killed.append(done[-1])
            time.sleep(0.01)

    killer = threading.Thread(target=kill)
    killer.start()
    params = {"log": str(log), "nap": 0.001}
    frame, shards = kept(tmp_path / "dask", monkeypatch, logged, 800, params, scheduler=cluster.scheduler_address)
    killer.join()
    assert len(killed) == 1 and len(set(by_workers())) >= 2
    assert len(log.read_text().splitlines()) > 800  # what the killed worker had begun was computed again
    assert len(frame) == frame.number.nunique() == 800 and len(shards) == 16
    alone, by_itself = kept(tmp_path / "alone", monkeypatch, logged, 800, params)
    assert_frame_equal(frame, alone)
    assert shards == by_itself


def test_a_batch_sends_its_rows_to_the_cluster_and_closes_each_client(cluster, tmp_path):
    (tmp_path / "data" / "profiles").mkdir(parents=True)
    (tmp_path / "data" / "profiles" / "quick.yml").write_text("")
    log = tmp_path / "log"
    notebook(tmp_path / "notebooks", "some", BATCHED.format(tests=TESTS, log=str(log)))
    failures = batch.reproduce(Project(tmp_path), [], "quick", 1, scheduler=cluster.scheduler_address)
    assert failures == {}
    assert (tmp_path / "build/results/quick/some.csv").read_text().splitlines()[1].startswith("some.rows,300,300,")
    assert len({line.split()[1] for line in log.read_text().splitlines()}) == 3
    left = [one for one in cluster.scheduler.clients if not one.startswith(("Client-worker", "fire-and-forget"))]
    assert left == []


def test_no_scheduler_is_one_clear_line(tmp_path, monkeypatch):
    monkeypatch.setattr(study, "project", lambda: Project(tmp_path))
    monkeypatch.setattr(study, "CONNECT", 0.5)
    for rows, address in ((120, "tcp://127.0.0.1:1"), (230, "nowhere")):  # a shard that is kept asks no scheduler
        with pytest.raises(PuzzleError, match=f"no Dask scheduler at {address}: "):
            study.run(mixed, rows, scheduler=address)
