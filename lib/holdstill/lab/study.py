"""A study is a pure function `row(rng, **params) -> dict`; running it gives a table of n rows.

Row i draws from `SeedSequence([study key, i])` and from nothing else, so any row can be recomputed alone, on any number
of workers, in any order. Finished shards of rows are kept as Parquet files, so that a killed run resumes.
"""

import importlib
import importlib.util
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from hashlib import sha256
from io import BytesIO
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from holdstill.core.grid import PuzzleError
from holdstill.lab.paths import project
from holdstill.sources import source_hash

SHARD = 50
SHARD_NAME = re.compile(r"(\d+)-(\d+)\.\w+\.parquet")
WINDOW = 2000  # shards under way or waiting for a caller that is slower than the workers
CONNECT = 10  # seconds
# Taken once: a shard must not be filed under sources that were edited after this process had loaded them.
SOURCES = source_hash("core", "counting", "puzzles", "lab/studies", "lab/study.py")


def study_key(row: Callable, params: dict) -> int:
    """The 64-bit number that a study's rows are seeded with: its name and parameters, hashed.

    >>> study_key(len, {"n": 1}) == study_key(len, {"n": 1}), study_key(len, {}) == study_key(len, {"n": 1})
    (True, False)
    """
    return int.from_bytes(sha256(_name(row, params).encode()).digest()[:8], "big")


def _name(row: Callable, params: dict) -> str:
    return f"{row.__module__}.{row.__qualname__} {json.dumps(params, sort_keys=True)}"


def row_at(row: Callable, index: int, params: dict) -> dict:
    """Row `index` of a study, recomputed alone."""
    return _row(row, study_key(row, params), index, params)


def _row(row: Callable, key: int, index: int, params: dict) -> dict:
    seed = np.random.SeedSequence([key, index])
    return row(np.random.Generator(np.random.PCG64(seed)), **params)


def _shard(row: Callable, params: dict, start: int, stop: int, sources: str = SOURCES) -> bytes:
    """Rows as a Parquet file, which is how they travel and how they are kept: a fresh row equals a kept one.

    A worker that loaded other sources than the run's would give other rows.
    """
    if sources != SOURCES:
        raise PuzzleError("a worker runs other sources of the library than this process")
    key, buffer = study_key(row, params), BytesIO()
    pd.DataFrame([_row(row, key, index, params) for index in range(start, stop)]).to_parquet(buffer)
    return buffer.getvalue()


def run(
    row: Callable, n: int, params: dict | None = None, *, jobs: int | None = None, scheduler: str | None = None
) -> pd.DataFrame:
    """The first n rows of a study, in order.

    `row` is a module-level function of the library, `params` its keyword arguments (JSON types). `jobs` worker
    processes share the work (default: HOLDSTILL_JOBS or 1); `scheduler="tcp://HOST:PORT"` sends it to a Dask cluster
    (default: HOLDSTILL_SCHEDULER or none). The rows are the same for any of these. Shards are kept under data/cache
    unless HOLDSTILL_SHARDS=off. A row's values are what Parquet holds: numbers within 64 bits, text, bools, None, or
    lists of these (which come back as arrays).

    Raises PuzzleError for n below 1, and for a scheduler without the `dask` extra or out of reach.
    """
    frame = pd.concat(shards(row, n, params, jobs=jobs, scheduler=scheduler), ignore_index=True)
    _keep_sample(row, params or {}, frame)
    return frame


def shards(
    row: Callable, n: int, params: dict | None = None, *, jobs: int | None = None, scheduler: str | None = None
) -> Iterator[pd.DataFrame]:
    """The rows of `run`, up to 50 at a time: for a caller that keeps a summary, memory does not grow with n."""
    params = params or {}
    if n < 1:
        raise PuzzleError(f"a study has at least 1 row, not {n}")
    jobs = jobs or int(os.environ.get("HOLDSTILL_JOBS", "1"))
    scheduler = scheduler or os.environ.get("HOLDSTILL_SCHEDULER") or None
    folder = _folder(row, params)
    kept = _kept(folder)
    missing = (span for span in _spans(n) if span not in kept)
    computed = _computed(row, params, missing, jobs, scheduler)
    with closing(computed), tqdm(total=n, desc=row.__name__, disable=None) as bar:
        for span in _spans(n):
            body = _read(folder, kept[span]) if span in kept else next(computed)
            fresh = span not in kept or body is None
            if body is None:
                body = _shard(row, params, *span)
            if fresh and folder and not _write(folder, *span, body):
                folder = None
            yield pd.read_parquet(BytesIO(body))
            bar.update(span[1] - span[0])


def _spans(n: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + SHARD, n)) for start in range(0, n, SHARD))


def _keep_sample(row: Callable, params: dict, frame: pd.DataFrame) -> None:
    """Under a batch: the first, a middle and the last row, beside the results, for anybody to recompute alone."""
    folder, notebook = os.environ.get("HOLDSTILL_RESULTS"), os.environ.get("HOLDSTILL_NOTEBOOK")
    if not folder or not notebook:
        return
    with (Path(folder) / f"{notebook}.rows.jsonl").open("a", encoding="utf-8") as file:
        for index in sorted({0, len(frame) // 2, len(frame) - 1}):
            values = json.loads(frame.iloc[[index]].to_json(orient="records", double_precision=15))[0]
            study = f"{row.__module__}:{row.__qualname__}"
            file.write(json.dumps({"study": study, "params": params, "index": index, "row": values}) + "\n")


def sampled_rows(path: Path) -> Iterator[tuple[dict, Callable[[], dict]]]:
    """Each kept sample row of a results file, and what computes it again from its index and parameters alone."""
    for line in path.read_text(encoding="utf-8").splitlines():
        kept = json.loads(line)
        module, name = kept["study"].split(":")
        row = getattr(importlib.import_module(module), name)
        yield kept["row"], partial(row_at, row, kept["index"], kept["params"])


def _computed(row, params, missing, jobs, scheduler) -> Iterator[bytes]:
    """The missing shards, in order; the first one here, so that kernels are compiled once, before fanning out."""
    yield from (_shard(row, params, *span) for span in islice(missing, 1))
    second = list(islice(missing, 1))
    rest = chain(second, missing)
    if not second or (scheduler is None and jobs == 1):
        yield from (_shard(row, params, *span) for span in rest)
        return
    with _workers(scheduler, jobs) as parallel:
        while window := list(islice(rest, WINDOW)):
            yield from parallel(delayed(_shard)(row, params, *span, SOURCES) for span in window)


@contextmanager
def _workers(scheduler: str | None, jobs: int) -> Iterator[Parallel]:
    if scheduler is None:
        yield Parallel(backend="loky", n_jobs=jobs, return_as="generator")
        return
    if importlib.util.find_spec("distributed") is None:
        raise PuzzleError("a scheduler needs the dask extra: pip install 'holdstill[dask]'")
    from distributed import Client

    try:
        client = Client(scheduler, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise PuzzleError(f"no Dask scheduler at {scheduler}: {error}") from None
    with client:
        with parallel_config(backend="dask", client=client):
            parallel = Parallel(return_as="generator")
        yield parallel


def _folder(row: Callable, params: dict) -> Path | None:
    if os.environ.get("HOLDSTILL_SHARDS") == "off":
        return None
    name = sha256(f"{_name(row, params)} {SOURCES}".encode()).hexdigest()[:16]
    return project().shards / f"{row.__name__}-{name}"


def _digest(body: bytes) -> str:
    return sha256(body).hexdigest()[:16]


def _kept(folder: Path | None) -> dict[tuple[int, int], list[str]]:
    """The names of the shards in a folder by their span, from one listing however many there are."""
    found: dict[tuple[int, int], list[str]] = {}
    for name in os.listdir(folder) if folder and folder.is_dir() else ():
        if match := SHARD_NAME.fullmatch(name):
            found.setdefault((int(match[1]), int(match[2])), []).append(name)
    return found


def _read(folder: Path, names: list[str]) -> bytes | None:
    """A finished shard, or None where it is damaged: then it is named, and computed again."""
    for name in names:
        try:
            body = (folder / name).read_bytes()
        except OSError as error:
            print(f"{name} of {folder.name} cannot be read ({error.strerror}): computed again", file=sys.stderr)
            continue
        if _digest(body) == name.split(".")[1]:
            return body
        print(f"{name} of {folder.name} is damaged: computed again", file=sys.stderr)
    return None


def _write(folder: Path, start: int, stop: int, body: bytes) -> bool:
    """Keep a finished shard under its own hash, whole or not at all; False, and one warning, where it cannot be."""
    temporary = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as file:
            temporary = file.name
            file.write(body)
        os.replace(temporary, folder / f"{start}-{stop}.{_digest(body)}.parquet")
        return True
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        print(f"shards of {folder.name} cannot be kept ({error.strerror}): going on without", file=sys.stderr)
        return False
