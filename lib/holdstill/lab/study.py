"""A study is a pure function `row(rng, **params) -> dict`; running it gives a table of n rows.

Row i draws from `SeedSequence([study key, i])` and from nothing else, so any row can be recomputed alone, on any number
of workers, in any order. Finished shards of rows are kept as Parquet files, so that a killed run resumes.
"""

import importlib
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from holdstill.core.grid import PuzzleError
from holdstill.lab.paths import project
from holdstill.sources import source_hash

SHARD = 50
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
    seed = np.random.SeedSequence([study_key(row, params), index])
    return row(np.random.Generator(np.random.PCG64(seed)), **params)


def _shard(row: Callable, params: dict, start: int, stop: int) -> bytes:
    """Rows as a Parquet file, which is how they travel and how they are kept: a fresh row equals a kept one."""
    buffer = BytesIO()
    pd.DataFrame([row_at(row, index, params) for index in range(start, stop)]).to_parquet(buffer)
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
    params = params or {}
    if n < 1:
        raise PuzzleError(f"a study has at least 1 row, not {n}")
    jobs = jobs or int(os.environ.get("HOLDSTILL_JOBS", "1"))
    scheduler = scheduler or os.environ.get("HOLDSTILL_SCHEDULER") or None
    folder = _folder(row, params)
    shards: dict[int, pd.DataFrame] = {}
    wanted = [(start, min(start + SHARD, n)) for start in range(0, n, SHARD)]
    for start, stop in wanted:
        kept = _read(folder, start, stop) if folder else None
        if kept is not None:
            shards[start] = pd.read_parquet(BytesIO(kept))
    missing = [(start, stop) for start, stop in wanted if start not in shards]
    with tqdm(total=n, initial=n - sum(b - a for a, b in missing), desc=row.__name__, disable=None) as bar:
        for start, stop, body in _computed(row, params, missing, jobs, scheduler):
            if folder and not _write(folder, start, stop, body):
                folder = None
            shards[start] = pd.read_parquet(BytesIO(body))
            bar.update(stop - start)
    frame = pd.concat([shards[start] for start, _ in wanted], ignore_index=True)
    _keep_sample(row, params, frame)
    return frame


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


def sampled_rows(path: Path) -> Iterator[tuple[dict, dict]]:
    """Each kept sample row of a results file, and the same row recomputed from its index and parameters alone."""
    for line in path.read_text(encoding="utf-8").splitlines():
        kept = json.loads(line)
        module, name = kept["study"].split(":")
        row = getattr(importlib.import_module(module), name)
        yield kept["row"], row_at(row, kept["index"], kept["params"])


def _computed(row, params, missing, jobs, scheduler) -> Iterator[tuple[int, int, bytes]]:
    """The missing shards as they finish; the first one here, so that kernels are compiled once, before fanning out."""
    if not missing:
        return
    start, stop = missing[0]
    yield _numbered_shard(row, params, start, stop)
    rest = missing[1:]
    if scheduler is None and (jobs == 1 or not rest):
        for start, stop in rest:
            yield _numbered_shard(row, params, start, stop)
        return
    work = (delayed(_numbered_shard)(row, params, start, stop) for start, stop in rest)
    with _backend(scheduler, jobs):
        yield from Parallel(return_as="generator_unordered")(work)


def _numbered_shard(row, params, start, stop) -> tuple[int, int, bytes]:
    return start, stop, _shard(row, params, start, stop)


def _backend(scheduler: str | None, jobs: int):
    if scheduler is None:
        return parallel_config(backend="loky", n_jobs=jobs)
    if importlib.util.find_spec("distributed") is None:
        raise PuzzleError("a scheduler needs the dask extra: pip install 'holdstill[dask]'")
    from distributed import Client

    try:
        client = Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise PuzzleError(f"no Dask scheduler at {scheduler}: {error}") from None
    return parallel_config(backend="dask", client=client)


def _folder(row: Callable, params: dict) -> Path | None:
    if os.environ.get("HOLDSTILL_SHARDS") == "off":
        return None
    name = sha256(f"{_name(row, params)} {SOURCES}".encode()).hexdigest()[:16]
    return project().shards / f"{row.__name__}-{name}"


def _digest(body: bytes) -> str:
    return sha256(body).hexdigest()[:16]


def _read(folder: Path, start: int, stop: int) -> bytes | None:
    """A finished shard, or None where there is none or it is damaged: then it is named, and computed again."""
    for path in folder.glob(f"{start}-{stop}.*.parquet"):
        try:
            body = path.read_bytes()
        except OSError as error:
            print(f"{path.name} of {folder.name} cannot be read ({error.strerror}): computed again", file=sys.stderr)
            continue
        if _digest(body) == path.name.split(".")[1]:
            return body
        print(f"{path.name} of {folder.name} is damaged: computed again", file=sys.stderr)
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
