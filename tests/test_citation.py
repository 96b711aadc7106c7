import yaml

from holdstill.lab.paths import project
from holdstill.version import VERSION

# The Citation File Format 1.2.0 (https://github.com/citation-file-format/citation-file-format, schema-guide.md).
REQUIRED = {"cff-version", "message", "title", "authors"}
OPTIONAL = {"abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license"}
OPTIONAL |= {"license-url", "preferred-citation", "references", "repository", "repository-artifact", "repository-code"}
OPTIONAL |= {"type", "url", "version"}


def citation():
    return yaml.safe_load((project().root / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_citation_and_the_changelog_name_this_version():
    assert citation()["version"] == VERSION and citation()["license"] == "MIT"
    changes = (project().root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changes.split("## ")[1].startswith(VERSION)


def test_the_citation_has_the_fields_of_its_format():
    given = citation()
    assert given.keys() >= REQUIRED and given.keys() <= REQUIRED | OPTIONAL
    assert given["cff-version"] == "1.2.0" and given["type"] in ("software", "dataset")
    for name in ("message", "title", "abstract", "version"):
        assert isinstance(given[name], str) and given[name].strip()
    assert given["authors"] and all("name" in one or one.keys() & {"family-names", "alias"} for one in given["authors"])
    assert len(set(given["keywords"])) == len(given["keywords"]) > 0 and all(map(str.strip, given["keywords"]))
