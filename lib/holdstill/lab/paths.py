"""Where the project keeps things."""

from pathlib import Path
from typing import NamedTuple

from holdstill.core.grid import PuzzleError


class Project(NamedTuple):
    """A checkout, by its root folder."""

    root: Path

    @property
    def notebooks(self) -> Path:
        """The articles, as committed."""
        return self.root / "notebooks"

    @property
    def claims(self) -> Path:
        """Every figure of the texts, one a row."""
        return self.root / "data" / "claims.csv"

    def profile(self, name: str) -> Path:
        """The parameters of every notebook under a profile."""
        return self.root / "data" / "profiles" / f"{name}.yml"

    def bank(self, puzzle: str) -> Path:
        """The boards we made of one puzzle, one a line."""
        return self.root / "data" / "boards" / f"{puzzle}.jsonl"

    def results(self, profile: str, *, fresh: bool = False) -> Path:
        """What the notebooks measured: committed, or fresh from a batch."""
        return self.root / ("build" if fresh else "data") / "results" / profile

    @property
    def shards(self) -> Path:
        """Finished rows of studies."""
        return self.root / "data" / "cache" / "studies"

    @property
    def build(self) -> Path:
        """What a batch makes."""
        return self.root / "build"

    @property
    def figures(self) -> Path:
        """What the notebooks drew, as committed."""
        return self.root / "figures"


def project() -> Project:
    """The checkout that this package runs from, or that the current folder is in.

    Raises PuzzleError where there is none.
    """
    for folder in [Path(__file__).resolve(), Path.cwd() / "here"]:
        for parent in folder.parents:
            if (parent / "data" / "claims.csv").is_file():
                return Project(parent)
    raise PuzzleError("no checkout here: run this inside the project's folder (the one with data/claims.csv)")
