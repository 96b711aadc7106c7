import yaml

from holdstill.lab.paths import project
from holdstill.version import VERSION


def test_the_citation_and_the_changelog_name_this_version():
    citation = yaml.safe_load((project().root / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == VERSION and citation["license"] == "MIT" and citation["authors"]
    changes = (project().root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changes.split("## ")[1].startswith(VERSION)
