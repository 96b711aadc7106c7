"""What all tests, doctests and notebooks under nbval share: everything is computed afresh, and nothing is written."""

import os
from pathlib import Path

import pytest
from chromium import CHROMIUM, Browser

from holdstill.lab.paths import project

# A warm shard would make a comparison empty; a test that wants shards or results says so.
os.environ["HOLDSTILL_SHARDS"] = "off"
os.environ["HOLDSTILL_PEERS"] = "off"
for name in ("HOLDSTILL_RESULTS", "HOLDSTILL_NOTEBOOK", "HOLDSTILL_FIGURES", "HOLDSTILL_SCHEDULER", "HOLDSTILL_JOBS"):
    os.environ.pop(name, None)

# Long files go first. The first two, one a worker, compile what takes longest and share little of it; so do the next.
# What a test file made while it is imported would be compiled by both workers at once: boards there are written out.
FIRST = ("core/test_carve", "puzzles/test_araf", "puzzles/test_tapa", "counting/test_uniform", "lab/test_batch")


def pytest_collection_modifyitems(items):
    place = {Path(__file__).parent / "tests" / f"{name}.py": number for number, name in enumerate(FIRST)}
    items.sort(key=lambda item: place.get(item.path, len(FIRST)))


def pytest_collectstart(collector):
    if hasattr(collector, "skip_compare"):  # a notebook
        collector.skip_compare += ("stderr",)  # progress bars and compilation notes


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A browser for the site that `make site` built."""
    if CHROMIUM is None:
        message = "the site is not tested in a browser: there is no chromium on the PATH"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    site = project().build / "site"
    assert (site / "index.html").is_file(), "there is no site to test: run `make site`"
    one = Browser(tmp_path_factory.mktemp("chromium"), site.as_uri())
    yield one
    one.close()
