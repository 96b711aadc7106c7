"""What all tests share: nothing is written under the project, and studies keep no shards unless a test says so."""

import os

import pytest
from chromium import CHROMIUM, Browser

from holdstill.lab.paths import project

os.environ["HOLDSTILL_SHARDS"] = "off"
for name in ("HOLDSTILL_RESULTS", "HOLDSTILL_NOTEBOOK", "HOLDSTILL_FIGURES", "HOLDSTILL_SCHEDULER", "HOLDSTILL_JOBS"):
    os.environ.pop(name, None)


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
