"""Every notebook as a batch job: checked parameters, executed copies, fresh results and figures, the ledger last."""

import ast
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

import yaml
from tqdm import tqdm

from holdstill.core.grid import PuzzleError
from holdstill.lab import ledger
from holdstill.lab.paths import Project

PARAMETER = re.compile(r"^(\w+): ([\w\[\]]+) = (.+?)  # (.+)$")
TYPES = {"int": int, "float": (int, float), "str": str, "bool": bool}
TYPES |= {f"list[{name}]": kind for name, kind in TYPES.items()}
# The ledger reads what the others wrote.
LAST = "ledger"
# The tag of cells that print a time: they are not compared, and their notebook runs with nothing beside it.
TIMED = "nbval-ignore-output"
# A widget is kept as its picture: the id of its view is another in every run, and means nothing without a kernel.
VIEW = "application/vnd.jupyter.widget-view+json"
MARKERS = "<!-- ledger -->", "<!-- end of ledger -->"


def parameters(notebook: Path) -> dict[str, tuple[str, object]]:
    """The type and default of each parameter of a notebook, by name: the lines of its `parameters` cell.

    Raises PuzzleError for a notebook without exactly one such cell, or a line that is not
    `name: type = value  # unit, meaning`.
    """
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    tagged = [cell for cell in cells if "parameters" in cell["metadata"].get("tags", [])]
    if len(tagged) != 1:
        raise PuzzleError(f"{notebook.name} has {len(tagged)} cells tagged parameters, not one")
    found = {}
    for line in "".join(tagged[0]["source"]).splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        match = PARAMETER.match(line)
        if not match or match[2] not in TYPES:
            raise PuzzleError(f"{notebook.name}: {line!r} is not `name: type = value  # unit, meaning`")
        try:
            found[match[1]] = match[2], ast.literal_eval(match[3])
        except (ValueError, SyntaxError):
            raise PuzzleError(f"{notebook.name}: {match[3]!r} is no plain value") from None
    return found


def read_profile(path: Path) -> dict[str, dict]:
    """Each notebook's parameters under a profile.

    Raises PuzzleError for a profile that does not exist or is no mapping of mappings.
    """
    try:
        profile = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        known = ", ".join(sorted(one.stem for one in path.parent.glob("*.yml")))
        raise PuzzleError(f"no profile {path.stem!r}, only {known}") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise PuzzleError(f"{path.name} cannot be read: {' '.join(str(error).split())}") from None
    profile = profile or {}
    if not isinstance(profile, dict) or not all(isinstance(one, dict) for one in profile.values()):
        raise PuzzleError(f"{path.name} must map each notebook to a mapping of its parameters")
    return profile


def check(notebook: Path, given: dict, where: str) -> None:
    """Nothing where the given parameters fit the notebook's; PuzzleError for an unknown name or a wrong type."""
    known = parameters(notebook)
    for name, value in given.items():
        if name not in known:
            raise PuzzleError(f"{where}: {notebook.stem} has no parameter {name!r}, only {', '.join(known) or 'none'}")
        wanted = known[name][0]
        values = value if wanted.startswith("list") and isinstance(value, list) else [value]
        wrong = wanted.startswith("list") != isinstance(value, list)
        for one in values:
            wrong |= not isinstance(one, TYPES[wanted]) or (isinstance(one, bool) and wanted != "bool")
        if wrong:
            raise PuzzleError(f"{where}: {notebook.stem}.{name} is {wanted}, not {value!r}")


def prints_times(notebook: Path) -> bool:
    """Has the notebook cells that print a time?"""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return any(TIMED in cell["metadata"].get("tags", []) for cell in cells)


def normalise(notebook: dict) -> dict:
    """The notebook without what differs from run to run: times, papermill's notes, the kernel's name and version."""
    notebook["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"cell-{number}"
        tags = cell["metadata"].get("tags", [])
        cell["metadata"] = {"tags": tags} if tags else {}
        cell["outputs"] = [one for one in cell.get("outputs", []) if one.get("name") != "stderr"]
        for output in cell["outputs"]:
            output.get("data", {}).pop(VIEW, None)
        if cell["cell_type"] != "code":
            del cell["outputs"]
    return notebook


def reproduce(
    project: Project, chosen: list[str], profile: str, jobs: int, scheduler: str | None = None
) -> dict[str, str]:
    """Run notebooks (default: all) under a profile; the failures, by notebook, each in one line.

    `jobs` of them run at once, those that print times one by one after them, `ledger` last. Executed copies land in
    build/notebooks/PROFILE, results in build/results/PROFILE, figures in build/figures/PROFILE/NOTEBOOK, each moved
    there whole when its notebook has finished, so that a failure, a kill or another batch never leaves half of one. The
    copy of a notebook that failed lands in build/failed/PROFILE and its former outcome stays.

    Raises PuzzleError, before anything runs, for an unknown profile, notebook or parameter, or a wrong type.
    """
    known = {path.stem: path for path in sorted(project.notebooks.glob("*.ipynb"))}
    given = read_profile(project.profile(profile))
    for where, asked in (("", chosen), (f"profile {profile}: ", given)):
        for name in asked:
            if name not in known:
                raise PuzzleError(f"{where}no notebook {name!r}, only {', '.join(known)}")
    for name, values in given.items():
        check(known[name], values, f"profile {profile}")
    names = list(dict.fromkeys(chosen)) or list(known)
    alone = [name for name in names if prints_times(known[name])]
    first = [name for name in names if name not in (*alone, LAST)]
    last = [name for name in names if name == LAST]
    at_once = max(1, min(jobs, len(first)))
    environment = {
        "HOLDSTILL_JOBS": str(max(1, jobs // at_once)),
        "HOLDSTILL_SCHEDULER": scheduler or "",
        "PYTHONHASHSEED": "0",
    }
    failures = {}
    bar = tqdm(total=len(names), desc=f"notebooks ({profile})", disable=None)
    with _held(project.build / "running") as lock, bar:
        for group, wide in ((first, at_once), (alone, 1), (last, 1)):
            with ThreadPoolExecutor(wide) as pool:
                runs = {
                    pool.submit(_run, project, known[name], given.get(name, {}), profile, environment, lock): name
                    for name in group
                }
                try:
                    for run in as_completed(runs):
                        try:
                            failure = run.result()
                        except OSError as error:  # no space, say: the others go on
                            failure = f"OSError: {error}"
                        if failure:
                            failures[runs[run]] = failure
                        bar.update()
                except KeyboardInterrupt:
                    pool.shutdown(wait=False, cancel_futures=True)  # or the notebooks that wait would start now
                    raise
    return failures


@contextmanager
def _held(running: Path) -> Iterator[int]:
    """The lock on the folder where notebooks run: shared, and only of living processes.

    Where no other batch holds it, what killed ones left in the folder is removed first.
    """
    running.mkdir(parents=True, exist_ok=True)
    lock = os.open(running, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for left in running.iterdir():
                shutil.rmtree(left, ignore_errors=True)
        except BlockingIOError:
            pass
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield lock
    finally:
        os.close(lock)


def _run(
    project: Project, notebook: Path, given: dict, profile: str, environment: dict[str, str], lock: int
) -> str | None:
    """One notebook in a process of its own, its outcome moved into place; the failure in one line, or None.

    The process inherits the lock: it may outlive a batch that is killed.
    """
    build = project.build
    with tempfile.TemporaryDirectory(dir=build / "running", prefix=f"{notebook.stem}-") as name:
        own = Path(name)
        results = own / "results"
        results.mkdir()
        for other in project.results(profile, fresh=True).glob("*.csv") if notebook.stem == LAST else ():
            shutil.copy(other, results)
        environment = (
            os.environ
            | environment
            | {
                "HOLDSTILL_RESULTS": str(results),
                "HOLDSTILL_NOTEBOOK": notebook.stem,
                "HOLDSTILL_FIGURES": str(own / "figures"),
            }
        )
        environment.pop("HOLDSTILL_SHARDS", None)
        # Papermill adds a cell for what it is given; a run with the defaults must leave the notebook as it is.
        defaults = {key: default for key, (_, default) in parameters(notebook).items()}
        given = {key: value for key, value in given.items() if value != defaults[key]}
        command = [sys.executable, "-m", "papermill", "--no-progress-bar", "--log-level", "ERROR", "-k", "python3"]
        command += ["--parameters_yaml", yaml.safe_dump(given), str(notebook), str(own / "run.ipynb")]
        done = subprocess.run(
            command,
            cwd=notebook.parent,
            env=environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            pass_fds=[lock],
        )
        try:
            executed = json.loads((own / "run.ipynb").read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):  # never begun, or cut off in writing
            return _last_line(done)
        own_cells = [cell for cell in executed["cells"] if "papermill-error-cell-tag" not in str(cell["metadata"])]
        executed["cells"] = own_cells
        failure = _failure(executed, done)
        text = json.dumps(normalise(executed), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        (own / "run.ipynb").write_text(text, encoding="utf-8")
        _move(own / "run.ipynb", build / ("failed" if failure else "notebooks") / profile / notebook.name)
        if failure:
            return failure
        for result in sorted(results.glob(f"{notebook.stem}.*")):
            _move(result, project.results(profile, fresh=True) / result.name)
        for figure in sorted((own / "figures").glob("*")):
            _move(figure, build / "figures" / profile / notebook.stem / figure.name)
    return None


def _move(source: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    os.replace(source, place)


def _failure(executed: dict, done) -> str | None:
    for number, cell in enumerate(executed["cells"]):
        for output in cell.get("outputs", []):
            if output["output_type"] == "error":
                return f"cell {number + 1}: {output['ename']}: {' '.join(output['evalue'].split())[:300]}"
    return None if done.returncode == 0 else _last_line(done)


def _last_line(done) -> str:
    return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]


def report(project: Project, profile: str) -> None:
    """Print which untimed figures moved against the committed results of the same notebooks, then the ledger."""
    fresh = ledger.records(project.results(profile, fresh=True))
    ran = {record.notebook for record in fresh.values()}
    committed = ledger.records(project.results(profile))
    committed = {name: record for name, record in committed.items() if record.notebook in ran}
    if committed:
        lines = ledger.moved(fresh, committed)
        print("\n".join(["Moved against the committed results:", *lines]) if lines else "No untimed figure moved.")
    else:
        print(f"No committed results of {profile} to compare with.")
    ledger.print_table(ledger.judge(ledger.claims(project.claims), fresh))


def promote(project: Project, profile: str) -> None:
    """Make a batch's outcome the committed one: results; for `published` the notebooks and figures too.

    Raises PuzzleError where there is no fresh outcome.
    """
    fresh = project.results(profile, fresh=True)
    if not fresh.is_dir():
        raise PuzzleError(f"nothing to promote: run `make reproduce PROFILE={profile}` first")
    for path in fresh.iterdir():
        place = project.results(profile) / path.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    if profile == "published":
        for path in (project.build / "notebooks" / profile).glob("*.ipynb"):
            shutil.copy(path, project.notebooks / path.name)
        if (project.build / "figures" / profile).is_dir():
            shutil.copytree(project.build / "figures" / profile, project.figures, dirs_exist_ok=True)
        _write_readme(project)


def _write_readme(project: Project) -> None:
    """The ledger in the README, between its two markers, from the committed results."""
    readme = project.root / "README.md"
    if not readme.is_file():
        return
    rows = ledger.judge(ledger.claims(project.claims), ledger.records(project.results("published")))
    text = readme.read_text(encoding="utf-8")
    if any(text.count(marker) != 1 for marker in MARKERS):
        raise PuzzleError(f"README.md must hold {' and '.join(MARKERS)} once each")
    head, _, rest = text.partition(MARKERS[0])
    _, _, tail = rest.partition(MARKERS[1])
    readme.write_text(f"{head}{MARKERS[0]}\n{ledger.markdown(rows)}{MARKERS[1]}{tail}", encoding="utf-8")
