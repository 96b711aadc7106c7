"""The checkout is found from the package, else from the current folder, else named as missing."""

from pathlib import Path

import pytest

from holdstill.core.grid import PuzzleError
from holdstill.lab import paths


def test_the_package_finds_its_own_checkout():
    root = Path(__file__).resolve().parents[2]
    assert paths.project().root == root
    assert paths.project().claims == root / "data" / "claims.csv"


def test_an_installed_package_looks_upward_from_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "__file__", str(tmp_path / "site" / "paths.py"))
    inside = tmp_path / "checkout" / "notebooks"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    with pytest.raises(PuzzleError, match=r"no checkout here: .*data/claims\.csv"):
        paths.project()
    (tmp_path / "checkout" / "data").mkdir()
    (tmp_path / "checkout" / "data" / "claims.csv").touch()
    assert paths.project().root == tmp_path / "checkout"


def test_fresh_results_are_apart_from_committed_ones():
    here = paths.Project(Path("x"))
    assert here.results("quick") == Path("x/data/results/quick")
    assert here.results("quick", fresh=True) == Path("x/build/results/quick")
