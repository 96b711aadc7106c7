"""The hash that compiled kernels and finished shards are filed under."""

from pathlib import Path

import holdstill
from holdstill import sources


def test_it_moves_with_content_and_with_names(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "__file__", str(tmp_path / "sources.py"))
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "a.py").write_text("x = 1\n")
    first = sources.source_hash("core")
    assert len(first) == 16 and first == sources.source_hash("core", "no_such_folder")
    (tmp_path / "core" / "a.py").write_text("x = 2\n")
    second = sources.source_hash("core")
    (tmp_path / "core" / "a.py").rename(tmp_path / "core" / "b.py")
    assert len({first, second, sources.source_hash("core")}) == 3


def test_the_order_of_folders_does_not_matter():
    assert sources.source_hash("core", "puzzles") == sources.source_hash("puzzles", "core")


def test_what_studies_are_filed_under_exists():
    """A misspelt folder would add nothing and leave stale shards in use."""
    package = Path(holdstill.__file__).parent
    assert all((package / name).exists() for name in ("core", "puzzles", "lab/studies", "lab/study.py"))
